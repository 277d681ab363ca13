"""Functions and methods of lists whose length the data decides: calls of the prelude.

Before                               After
------                               -----
%l = dycl.sequence(%a)               %l = dycl.sequence(%a)
%t = dycl.call %tuple(%l)            dycl.for %i in %l {
dycl.for %i in %t {                    dycl.effect "builtins.print"(%i)
  dycl.effect "builtins.print"(%i)   }
}                                    dycl.return
dycl.return

`dycl.prelude.lists` says in Python what each does. A tuple of such a list is the list,
where nobody can tell; where it is returned, a record says that it is a tuple.
"""

from typing import cast

from xdsl.ir import Attribute, Operation, SSAValue, Use

from dycl.ir import (
    BinaryOp,
    CallOp,
    CompareOp,
    ForOp,
    InvokeOp,
    ListOp,
    RecordOp,
    SequenceType,
    SliceOp,
    SubscriptOp,
    TakeOp,
    ToBoolOp,
    TupleOp,
    UnpackOp,
)
from dycl.ir.constant_values import MISSING, constant_name, constant_value
from dycl.ir.records import CALL, RecordType
from dycl.ir.rewriting import insert_constant, insert_value, replace
from dycl.ir.torch import BoolT, FloatT, IntT
from dycl.ir.values import FunctionRef
from dycl.passes.aggregates.uses import is_returned
from dycl.passes.builtins.items import Site, displayed, is_number
from dycl.passes.lists.counted import counted
from dycl.passes.lists.kinds import is_of_run

_NUMBERS = (BoolT, FloatT, IntT)
_TUPLE = RecordType("builtins.tuple", CALL, ("items",))
_READERS = frozenset(
    {
        *("builtins.all", "builtins.any", "builtins.enumerate", "builtins.len"),
        *("builtins.list", "builtins.max", "builtins.min", "builtins.reversed"),
        *("builtins.sorted", "builtins.sum", "builtins.tuple", "builtins.zip"),
        *("torch.cat", "torch.concat", "torch.hstack", "torch.stack", "torch.tensor"),
        "torch.vstack",
    }
)
"""Functions to which a tuple is what a list is."""


def ours(site: Site, name: str, *arguments: SSAValue) -> SSAValue:
    """A call of one of the prelude's functions of lists."""
    function = site.constant(FunctionRef(f"dycl.prelude.lists.{name}"))
    return site.add(CallOp(function, arguments))


def _element(value: SSAValue) -> Attribute | None:
    return value.type.element if isinstance(value.type, SequenceType) else None


def sort(site: Site, op: CallOp) -> bool:
    """`sorted(v, key=f, reverse=r)`."""
    if len(op.positional) != 1 or not is_of_run(op.positional[0]):
        return of_set(site, op)
    given = op.keyword_arguments
    if set(given) - {"key", "reverse"}:
        return False
    key = given.get("key") or site.constant(None)
    reverse = given.get("reverse") or site.constant(False)
    return site.done(ours(site, "ordered", op.positional[0], key, reverse))


def of_set(site: Site, op: CallOp) -> bool:
    """`sorted(set(v))` and `len(set(v))`, of the list of its distinct items."""
    made = op.positional[0].owner if len(op.positional) == 1 else None
    if not isinstance(made, CallOp) or (items := _set_of(made)) is None:
        return False
    op.operands[1] = ours(site, "distinct", items)
    return True


def _set_of(op: CallOp) -> SSAValue | None:
    """The ints that `set(v)` is made of."""
    is_set = constant_name(op.callee) in ("builtins.frozenset", "builtins.set")
    if not is_set or len(op.positional) != 1 or op.keyword_names:
        return None
    return op.positional[0] if _element(op.positional[0]) == IntT else None


def extremum(site: Site, op: CallOp) -> bool:
    """`min(v, key=f, default=d)` and `max`, where there is a key or a default.

    `v` may be `range(n)`, too, where a run decides `n`.
    """
    given = op.keyword_arguments
    if len(op.positional) != 1 or not given or set(given) - {"default", "key"}:
        return False
    (items,) = op.positional
    if _is_counted(items):
        items = ours(site, "listed", items)
    elif not is_of_run(items):
        return False
    is_min = constant_name(op.callee) == "builtins.min"
    key, default = given.get("key"), given.get("default")
    return site.done(
        ours(
            site,
            "smallest" if is_min else "greatest",
            items,
            site.constant(None) if key is None else key,
            site.constant(None) if default is None else default,
            site.constant(default is not None),
        )
    )


def listed(site: Site, op: CallOp) -> bool:
    """`list(zip(v, w))` and its like, of what is gone over by number."""
    if len(op.positional) != 1 or op.keyword_names:
        return False
    (given,) = op.positional
    if is_of_run(given) or not isinstance(given.owner, CallOp):
        return False
    made = given.owner
    is_filter = constant_name(made.callee) == "builtins.filter"
    if is_filter and len(made.positional) == 2 and is_of_run(made.positional[1]):
        return site.done(ours(site, "kept", *made.positional))
    return _is_counted(given) and site.done(ours(site, "listed", given))


def _is_counted(value: SSAValue) -> bool:
    """Whether a value is `range(n)` of a run, `enumerate(v)` and its like."""
    made = value.owner
    if not isinstance(made, CallOp) or is_of_run(value):
        return False
    if constant_name(made.callee) != "builtins.range":
        return counted(value, is_of_run) is not None
    return any(constant_value(v) is MISSING for v in made.positional)


def as_tuple(site: Site, op: CallOp) -> bool:
    """`tuple(v)`: `v`, in a record where it is returned."""
    if len(op.positional) != 1 or op.keyword_names:
        return False
    (items,) = op.positional
    if not is_of_run(items):
        return False
    returned: list[Use] = []
    for use in op.result.uses:
        if is_returned(use):
            returned.append(use)
        elif not _reads_alike(use):
            return False
    for use in op.result.uses:
        if isinstance(use.operation, CompareOp) and use.index == 0:
            other = use.operation.rhs
            use.operation.operands[1] = _as_list(use.operation, other)
    for use in returned:
        end = use.operation
        parts = insert_value(end, TupleOp([items]))
        end.operands[use.index] = insert_value(end, RecordOp(parts, _TUPLE))
    return site.done(items)


def _reads_alike(use: Use) -> bool:
    """Whether this does with a tuple what it does with a list, and keeps neither."""
    op = use.operation
    match op:
        case SubscriptOp():
            return use.index == 0 and op.index.type == IntT
        case CallOp():
            return use.index > 0 and constant_name(op.callee) in _READERS
        case CompareOp() if use.index == 1:
            return op.kind_name in ("in", "not_in")
        case CompareOp():
            is_tuple = isinstance(op.rhs.owner, TupleOp)
            is_tuple |= type(constant_value(op.rhs)) is tuple
            return is_tuple and op.kind_name in ("eq", "ne")
        case _:
            return isinstance(op, (ForOp, ToBoolOp, UnpackOp))


def _as_list(at: Operation, value: SSAValue) -> SSAValue:
    """A tuple that is known as a list."""
    if isinstance(value.owner, TupleOp):
        return insert_value(at, ListOp(value.owner.items))
    items = cast("tuple[object, ...]", constant_value(value))
    return insert_value(at, ListOp([insert_constant(at, item) for item in items]))


def stepped(site: Site, op: SubscriptOp) -> bool:
    """`v[a:b:c]`, of a step that is known."""
    index = op.index.owner
    if not isinstance(index, SliceOp) or not is_of_run(op.operand):
        return False
    step = constant_value(index.items[2])
    if type(step) is not int or step in (0, 1):
        return False
    return site.done(ours(site, "stepped", op.operand, *index.items))


def method(site: Site, op: InvokeOp) -> bool:
    """`v.count(x)`, and `v.index(x, start, stop)`, of numbers."""
    wanted, element = op.arguments[0], _element(op.receiver)
    if op.keyword_names or not is_number(wanted):
        return False
    name, items = op.method.data, displayed(op.receiver)
    if items is None:
        if not is_of_run(op.receiver) or element not in _NUMBERS:
            return False
    elif not all(map(is_number, items)):
        return False
    elif all(constant_value(v) is not MISSING for v in (wanted, *items)):
        return False  # Python answers
    elif name == "index" and isinstance(op.receiver.owner, TupleOp):
        name = "index_of_tuple"
    return site.done(ours(site, name, op.receiver, *op.arguments))


def _is_number(value: SSAValue) -> bool:
    return value.type in _NUMBERS


def compared(site: Site, op: CompareOp) -> bool:
    """`v == w` and `v != w`, of lists of numbers."""
    if op.kind_name not in ("eq", "ne"):
        return False
    sides = list(op.operands)
    if not any(map(is_of_run, sides)) or not all(map(_holds_numbers, sides)):
        return False
    result = ours(site, "same", *sides)
    return site.done(site.negated(result) if op.kind_name == "ne" else result)


def _holds_numbers(value: SSAValue) -> bool:
    """Whether a value is a list of numbers."""
    if is_of_run(value):
        return _element(value) in _NUMBERS
    if isinstance(value.owner, ListOp):
        return all(map(_is_number, value.owner.items))
    constant = constant_value(value)
    return isinstance(constant, list) and all(
        isinstance(item, (int, float)) for item in constant
    )


def multiplied(site: Site, op: BinaryOp) -> bool:
    """`v * n`, and `[x, y] * n` of a number that the data decides."""
    if op.kind_name != "mul":
        return False
    for items, times in (op.operands, reversed(op.operands)):
        if times.type != IntT and type(constant_value(times)) is not int:
            continue
        is_list = isinstance(items.owner, ListOp) or (
            isinstance(constant_value(items), list)
        )
        if is_of_run(items) or (is_list and constant_value(times) is MISSING):
            return site.done(ours(site, "repeated", items, times))
    return False


def unpacked(site: Site, op: UnpackOp) -> bool:
    """`a, b = v` and `a, *b = v`: it raises where there are not as many."""
    if not is_of_run(op.operand):
        return False
    count = len(op.items)
    star = None if op.star is None else op.star.data
    length = site.call("len", op.operand)
    raise_unless_as_many(site, length, count - (star is not None), star is not None)
    values: list[SSAValue] = []
    for at in range(count):
        place = site.constant(at if star is None or at <= star else at - count)
        if at == star:
            behind = count - 1 - at
            end = site.add(BinaryOp("sub", length, site.constant(behind), IntT))
            rest = site.add(TakeOp(op.operand, place, end))
            values.append(site.call("list", rest))
        else:
            values.append(site.add(SubscriptOp(op.operand, place)))
    replace(op, values)
    return True


def raise_unless_as_many(
    site: Site, length: SSAValue, least: int, has_star: bool = False
) -> None:
    """What Python raises where there are not as many items as names."""
    text = _failure(least, has_star)
    message = site.add(InvokeOp(site.constant(text), "format", [length]))
    few = site.compare("lt", length, site.constant(least))
    site.raise_if(few, "builtins.ValueError", message)
    if has_star:
        return
    many = site.compare("gt", length, site.constant(least))
    message = site.constant(_too_many(least))
    message = site.add(InvokeOp(message, "format", [length]))
    site.raise_if(many, "builtins.ValueError", message)


def _failure(least: int, has_star: bool) -> str:
    """What Python says where there are fewer items; `{}` for how many there are."""
    words = "at least " if has_star else ""
    return f"not enough values to unpack (expected {words}{least}, got {{}})"


def _too_many(count: int) -> str:
    """What this version of Python says of more items than names."""
    try:
        (_,) = [0, 0]
    except ValueError as error:
        text = str(error)
        return text.replace("expected 1", f"expected {count}").replace(
            "got 2", "got {}"
        )
    raise AssertionError("it does not fail")
