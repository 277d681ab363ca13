"""`chunk`, `split` by one size and `unbind` along a dimension that the data decides.

    for c in x.split(k):     for i in range(number of parts):
        f(c)                     f(x[i * k : (i + 1) * k])

    a, b = x.chunk(2)        if the number of parts is not 2: raise ValueError
                             a, b = x[:k], x[k : 2 * k]

How many parts there are, the run says. A loop over them cuts one in each iteration; as
many as names are slices, whose sizes are reckoned further; any other use is given a
list of the run, from `dycl.prelude.open_sizes`.
"""

from dataclasses import dataclass

from xdsl.ir import Operation, SSAValue, Use

from dycl.ir import (
    BinaryOp,
    CallOp,
    ForOp,
    InvokeOp,
    SliceOp,
    SubscriptOp,
    TupleOp,
    UnpackOp,
)
from dycl.ir.constant_values import MISSING, constant_value
from dycl.ir.environment import Environment
from dycl.ir.torch import DYNAMIC, IntT, VTensorType
from dycl.ir.values import FunctionRef
from dycl.passes.builtins.items import Site
from dycl.passes.builtins.parts import given, has_dimension, is_int
from dycl.passes.builtins.run_time_lists import raise_unless_as_many

NAMES = ("chunk", "unbind")
"""The functions and methods that are nothing else; for `split` see `parts`."""
_NUMBERS = {"chunk": ("chunks",), "split": ("split_size", "split_size_or_sections")}
_ERROR = "builtins.RuntimeError"
_PRELUDE = "dycl.prelude.open_sizes"


@dataclass(frozen=True)
class _Parts:
    """The parts of a tensor, and how many there are."""

    tensor: SSAValue
    dim: int
    count: SSAValue
    length: SSAValue | None
    """None: each is one row, without the dimension."""

    def item(self, site: Site, number: SSAValue) -> SSAValue:
        """The part of this number, counted from zero."""
        nothing = site.constant(None)
        whole = site.add(SliceOp([nothing, nothing, nothing]))
        part = number
        if self.length is not None:
            start, stop = number, self.length
            if constant_value(number) != 0:
                start = site.add(BinaryOp("mul", number, self.length, IntT))
                stop = site.add(BinaryOp("add", start, self.length, IntT))
            part = site.add(SliceOp([start, stop, nothing]))
        index = site.add(TupleOp([*[whole] * self.dim, part]))
        return site.add(SubscriptOp(self.tensor, index))


def parts_of(site: Site, op: CallOp | InvokeOp, name: str) -> bool:
    """What a call of `chunk`, `split` or `unbind` gives; False: torch says."""
    found = _given(op, name)
    uses = list(op.results[0].uses)
    if found is None or not uses or any(map(_is_collected, uses)):
        return False
    tensor, number, dim = found
    if not all(map(_is_read, uses)):
        function = site.constant(FunctionRef(f"{_PRELUDE}.{name}"))
        given = [tensor, *([] if number is None else [number]), site.constant(dim)]
        return site.done(site.add(CallOp(function, given)))
    parts = _measured(site, tensor, number, dim, name)
    for use in uses:
        _read(use.operation, parts, site.environment)
    return True


def _given(
    op: CallOp | InvokeOp, name: str
) -> tuple[SSAValue, SSAValue | None, int] | None:
    """The tensor, the number that it is cut by, and the dimension.

    None: neither is the data's, or they are not known yet.
    """
    names = ("input", "tensor", *_NUMBERS.get(name, ()), "dim")
    found = given(op, names)
    wanted = 1 if name == "unbind" else 2
    if not wanted <= len(found) <= wanted + 1:
        return None
    tensor, number = found[0], found[1] if wanted == 2 else None
    dim = constant_value(found[wanted]) if len(found) > wanted else 0
    if not has_dimension(tensor, dim) or not isinstance(dim, int):
        return None
    if number is not None and not is_int(number):
        return None
    assert isinstance(tensor.type, VTensorType)
    sizes = tensor.type.sizes() or ()
    is_open = number is not None and constant_value(number) is MISSING
    if sizes[dim] != DYNAMIC and not is_open:
        return None
    return tensor, number, dim % len(sizes)


def _is_collected(use: Use) -> bool:
    """Whether the parts are in a list of the run as soon as the call of the function
    that makes it is inlined: in a branch that waits for the function to be imported."""
    op = use.operation
    called = constant_value(op.callee) if isinstance(op, CallOp) else None
    return called == FunctionRef(f"{_PRELUDE}._collected")


def _is_read(use: Use) -> bool:
    """Whether the parts are gone over, or there is a name for each, or a number."""
    match use.operation:
        case ForOp():
            return use.index == 0
        case UnpackOp() as op:
            return op.star is None
        case SubscriptOp() as op:
            number = constant_value(op.index)
            return use.index == 0 and type(number) is int and number >= 0
        case _:
            return False


def _measured(
    site: Site, tensor: SSAValue, number: SSAValue | None, dim: int, name: str
) -> _Parts:
    """How long the parts are and how many, behind what torch raises."""
    zero, one = site.constant(0), site.constant(1)
    size = site.add(InvokeOp(tensor, "size", [site.constant(dim)]))
    if number is None:
        return _Parts(tensor, dim, size, None)

    def raise_if(test: SSAValue, text: str, value: SSAValue) -> None:
        message = site.add(InvokeOp(site.constant(text), "format", [value]))
        site.raise_if(test, _ERROR, message)

    if name == "chunk":
        text = "chunk expects `chunks` to be greater than 0, got: {}"
        raise_if(site.compare("lt", number, one), text, number)
        length = _rounded_up(site, size, number)
        count = _rounded_up(site, size, _at_least_one(site, length))
        is_empty = site.compare("eq", size, zero)
        return _Parts(tensor, dim, site.either(is_empty, number, count), length)
    text = "split expects split_size be non-negative, but got split_size={}"
    raise_if(site.compare("lt", number, zero), text, number)
    text = (
        "split_size can only be 0 if dimension size is 0, but got dimension size of {}"
    )
    is_none = site.compare("eq", number, zero)
    wrong = site.either(is_none, site.compare("gt", size, zero), site.constant(False))
    raise_if(wrong, text, size)
    count = _rounded_up(site, size, _at_least_one(site, number))
    return _Parts(tensor, dim, _at_least_one(site, count), number)


def _at_least_one(site: Site, value: SSAValue) -> SSAValue:
    one = site.constant(1)
    return site.either(site.compare("lt", value, one), one, value)


def _rounded_up(site: Site, size: SSAValue, by: SSAValue) -> SSAValue:
    """How many parts of `by` there are in `size`."""
    less = site.add(BinaryOp("sub", by, site.constant(1), IntT))
    total = site.add(BinaryOp("add", size, less, IntT))
    return site.add(BinaryOp("floordiv", total, by, IntT))


def _read(user: Operation, parts: _Parts, environment: Environment) -> None:
    """Let a loop or a read of parts cut them itself."""
    site = Site(user, environment)
    match user:
        case ForOp():
            _loop_over(user, parts, environment)
        case UnpackOp():
            raise_unless_as_many(site, parts.count, len(user.items))
            numbers = range(len(user.items))
            site.done(*(parts.item(site, site.constant(i)) for i in numbers))
        case SubscriptOp():
            too_few = site.compare("le", parts.count, user.index)
            message = site.constant("tuple index out of range")
            site.raise_if(too_few, "builtins.IndexError", message)
            site.done(parts.item(site, user.index))
        case _:
            raise AssertionError(f"{user.name} reads no parts")


def _loop_over(loop: ForOp, parts: _Parts, environment: Environment) -> None:
    """Let a loop count, and cut its part in each iteration."""
    body = loop.body.block
    counter, first = body.args[0], body.first_op
    assert first is not None
    before = set(body.ops)
    part = parts.item(Site(first, environment), counter)
    cut = set(body.ops) - before
    counter.replace_uses_with_if(part, lambda use: use.operation not in cut)
    loop.operands[0] = Site(loop, environment).call("range", parts.count)
