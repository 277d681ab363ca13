"""Sizes that a program keeps in tensors, or reckons with: `F.pad(x, [d // 2, d % 2])`.

Before                            After
------                            -----
%e = dycl.binary add %k, %three   %0 = dycl.call %arange(%three)
%r = dycl.call %arange(%k, %e)    %r = dycl.binary add %0, %k
dycl.return %r                    dycl.return %r

torch takes the int out of a tensor of one element where it wants ints, so one that is
known is that int (U-Nets compute their padding so), and one that ints were put into is
reckoned with as with them; of another one it is read.
"""

from math import prod
from typing import cast

from xdsl.ir import Operation, SSAValue

from dycl.analysis.tensors.abstract import Tensor, from_type
from dycl.ir import BinaryOp, CallOp, InvokeOp, ListOp, TupleOp
from dycl.ir.constant_values import MISSING, constant_name, constant_value
from dycl.ir.dtypes import dtype_name
from dycl.ir.rewriting import replace
from dycl.ir.torch import FloatT, IntT
from dycl.ir.values import GlobalRef, TensorConstant
from dycl.passes.builtins.items import Site, displayed

_INTS = ("int8", "int16", "int32", "int64", "uint8")


def padding(site: Site, op: CallOp) -> bool:
    """Ints in place of tensors of one int in `pad=[...]`."""
    changed = False
    for position, value in enumerate(op.operands):
        owner = value.owner
        if isinstance(owner, (ListOp, TupleOp)):
            given = displayed(value) or []
            items = [as_int(site, item) for item in given]
            if items != given:
                op.operands[position] = site.add(type(owner)(items))
                changed = True
        elif (ints := _known_ints(site, value)) is not value:
            op.operands[position] = ints
            changed = True
    return changed


def _known_ints(site: Site, value: SSAValue) -> SSAValue:
    """Ints for a list of ints and known tensors of one; any other value is itself."""
    constant = constant_value(value)
    if not isinstance(constant, (list, tuple)):
        return value
    given = list(cast("list[object]", constant))
    numbers = [_int_of(number) for number in given]
    return value if None in numbers or numbers == given else site.constant(numbers)


SIZED_CALLS = frozenset(
    f"torch.{name}" for name in ("arange", "empty", "eye", "full", "ones", "zeros")
)
SIZED_METHODS = frozenset(
    (
        *("as_strided", "expand", "narrow", "new_empty", "new_full", "new_ones"),
        *("new_zeros", "repeat", "reshape", "unflatten", "view"),
    )
)
"""What wants ints for all arguments but a tensor to begin with, and what fills."""
_WHOLE = ("add", "mul", "sub")
_DIVISIONS = ("floordiv", "mod")
_PAD = "torch.nn.functional.pad"
_COUNTED = ("torch.int32", "torch.int64", "torch.float32", "torch.float64")
"""Dtypes of `arange` that hold each number as it is counted, or the nearest one."""
_FILLED = ("torch.full", "new_full")
"""What wants ints in its first argument alone."""


def read_sizes(site: Site, op: CallOp | InvokeOp) -> None:
    """Ints in place of tensors of one int: `torch.zeros(n)`, `x.view(n, -1)`."""
    name = op.method.data if isinstance(op, InvokeOp) else constant_name(op.callee)
    out = op.keyword_arguments.get("out")
    for position, value in enumerate(op.operands):
        if position == 0 or value is out:
            continue  # the function, or the tensor
        if name in _FILLED and position > 1:
            break
        owner = value.owner
        if isinstance(owner, (ListOp, TupleOp)):
            given = displayed(value) or []
            items = [as_int(site, item) for item in given]
            if items != given:
                op.operands[position] = site.add(type(owner)(items))
        elif (ints := _known_ints(site, value)) is not value:
            op.operands[position] = ints
        elif (read := as_int(site, value)) is not value:
            op.operands[position] = read


def count(site: Site, op: CallOp) -> None:
    """`torch.arange` of a size of the run, from 0 and of ints."""
    if not _take_ints(site, op):
        _count_from(site, op)


def _count_from(site: Site, op: CallOp) -> None:
    """`torch.arange(t, t + 4)` is `torch.arange(4) + t`, for a `t` of the run.

    The number of elements is a size, and what the first one is need not be.
    """
    bounds = op.positional
    step = constant_value(bounds[2]) if len(bounds) == 3 else 1
    if len(bounds) not in (2, 3) or not isinstance(step, int) or step < 1:
        return
    start, stop = bounds[:2]
    count = _difference(stop, start)
    ints = (start, stop if count is None else count)
    is_known = isinstance(constant_value(start), int)
    if is_known or not all(map(_is_int, ints)) or not _counts_in_ints(op):
        return
    if count is None:
        count = site.add(BinaryOp("sub", stop, start, IntT))
    if step != 1:
        count = site.add(BinaryOp("add", count, site.constant(step - 1), IntT))
        count = site.add(BinaryOp("floordiv", count, site.constant(step), IntT))
    named = op.keyword_arguments
    dtype = named.pop("dtype", None)
    result = site.add(CallOp(op.callee, [count, *named.values()], [*named]))
    if step != 1:
        result = site.add(BinaryOp("mul", result, site.constant(step)))
    result = site.add(BinaryOp("add", result, start))
    replace(
        op, [result if dtype is None else site.add(InvokeOp(result, "to", [dtype]))]
    )


def _take_ints(site: Site, op: CallOp) -> bool:
    """`torch.arange(0., n)` is `torch.arange(0, n, dtype=torch.float32)`; so is that to
    `float(n)` or `n + 1.0`.

    Of ints alone the number of elements is a size that can be reckoned with.
    """
    import torch

    bounds, named = op.positional, op.keyword_arguments
    if all(map(_is_int, bounds)) or not all(map(_is_whole, bounds)):
        return False
    is_known = all(constant_value(value) is not MISSING for value in bounds)
    if is_known or not named.keys().isdisjoint(("end", "out", "start", "step")):
        return False
    ints = [_whole(site, value) for value in bounds]
    if "dtype" not in named:
        named["dtype"] = site.constant(GlobalRef(str(torch.get_default_dtype())))
    given = [*ints, *named.values()]
    replace(op, [site.add(CallOp(op.callee, given, [*named]))])
    return True


def _is_whole(value: SSAValue) -> bool:
    """Whether a number is an int, or a float that is made of ints alone."""
    number = constant_value(value)
    if type(number) is float:
        return number.is_integer()
    match value.owner:
        case _ if _is_int(value):
            return True
        case CallOp() as call if _is_float_of_one(call):
            return _is_whole(call.positional[0])
        case BinaryOp() as both if both.kind_name in _WHOLE and value.type == FloatT:
            return _is_whole(both.lhs) and _is_whole(both.rhs)
        case _:
            return False


def _whole(site: Site, value: SSAValue) -> SSAValue:
    """The int that such a number is."""
    if type(number := constant_value(value)) is float:
        return site.constant(int(number))
    match value.owner:
        case CallOp() as call if value.type != IntT:
            return _whole(site, call.positional[0])
        case BinaryOp() as both if value.type != IntT:
            lhs, rhs = _whole(site, both.lhs), _whole(site, both.rhs)
            return site.add(BinaryOp(both.kind_name, lhs, rhs, IntT))
        case _:
            return value


def _is_float_of_one(call: CallOp) -> bool:
    is_float = constant_name(call.callee) == "builtins.float"
    return is_float and len(call.positional) == 1 and not call.is_starred


def _difference(stop: SSAValue, start: SSAValue) -> SSAValue | None:
    """What was added to one int to make the other, as the program says it."""
    match stop.owner, start.owner:
        case BinaryOp() as total, _ if total.kind_name == "add" and total.lhs is start:
            return total.rhs
        case BinaryOp() as total, _ if total.kind_name == "add" and total.rhs is start:
            return total.lhs
        case _, BinaryOp() as rest if rest.kind_name == "sub" and rest.lhs is stop:
            return rest.rhs
        case _:
            return None


def _is_int(value: SSAValue) -> bool:
    return value.type == IntT or type(constant_value(value)) is int


def _counts_in_ints(op: CallOp) -> bool:
    """Whether elements have a dtype that holds what is counted, as int64 by default."""
    given = op.keyword_arguments
    dtype = constant_value(given["dtype"]) if "dtype" in given else None
    return "out" not in given and dtype in (None, *map(GlobalRef, _COUNTED))


def as_int(site: Site, value: SSAValue) -> SSAValue:
    """A tensor of one int is read; any other value is itself."""
    tensor = from_type(value.type)
    if not isinstance(tensor, Tensor) or not tensor.is_static:
        return value
    if prod(tensor.sizes) != 1 or dtype_name(tensor.dtype) not in _INTS:
        return value
    result = _known_int(site, value)
    if result is value:
        made = _made_of(site, value)
        result = site.add(InvokeOp(value, "item", [])) if made is None else made
    return result


def _made_of(site: Site, value: SSAValue) -> SSAValue | None:
    """The int in a tensor that ints alone have made: `torch.tensor([n]) // 2`.

    None: something else has made it, or may write to it.
    """
    if _is_int(value):
        return value
    if (known := _known_int(site, value)) is not value:
        return known
    tensor = from_type(value.type)
    if not isinstance(tensor, Tensor) or dtype_name(tensor.dtype) != "int64":
        return None  # Ints of other dtypes wrap around.
    if not all(_reads(use.operation, value) for use in value.uses):
        return None
    match value.owner:
        case CallOp() as call if constant_name(call.callee) == "torch.tensor":
            given = list(call.arguments)
            items = given if _is_int(given[0]) else displayed(given[0]) or []
            is_one = len(given) == len(items) == 1 and _is_int(items[0])
            return items[0] if is_one else None
        case BinaryOp() as both if both.kind_name in (*_WHOLE, *_DIVISIONS):
            lhs, rhs = _made_of(site, both.lhs), _made_of(site, both.rhs)
            if lhs is None or rhs is None:
                return None
            if both.kind_name in _DIVISIONS and not constant_value(rhs):
                return None
            return site.add(BinaryOp(both.kind_name, lhs, rhs, IntT))
        case _:
            return None


def _reads(op: Operation, value: SSAValue) -> bool:
    """Whether an op takes a number out of a tensor, and hands the tensor nowhere."""
    match op:
        case BinaryOp():
            return True
        case CallOp():
            return constant_name(op.callee) in (_PAD, *SIZED_CALLS)
        case InvokeOp() if op.receiver is value:
            return op.method.data == "item"
        case InvokeOp():
            return op.method.data in SIZED_METHODS
        case ListOp() | TupleOp():
            return all(_reads(use.operation, op.result) for use in op.result.uses)
        case _:
            return False


def _known_int(site: Site, value: SSAValue) -> SSAValue:
    constant = constant_value(value)
    number = _int_of(constant) if isinstance(constant, TensorConstant) else None
    return value if number is None else site.constant(number)


def _int_of(value: object) -> int | None:
    """The int that torch takes for a value; None: none."""
    if not isinstance(value, TensorConstant):
        return value if isinstance(value, int) else None
    if len(value.data) != 1 or dtype_name(value.dtype) not in _INTS:
        return None
    return int(value.data[0])
