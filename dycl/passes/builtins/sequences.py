"""What Python does with lists whose length the data decides, written as loops.

Such a list is a sequence (`dycl-carry-lists`), or comes from a tensor of dynamic size.
"""

from collections.abc import Callable, Sequence
from math import prod
from typing import cast

from xdsl.ir import Attribute, Operation, SSAValue

from dycl.analysis.folding.iteration import MOST_ORDERED
from dycl.ir import (
    BinaryOp,
    CallOp,
    CompareOp,
    ConcatOp,
    InvokeOp,
    ListOp,
    SequenceType,
    SubscriptOp,
    ToListOp,
    TupleOp,
)
from dycl.ir.constant_values import MISSING, constant_name, constant_value
from dycl.ir.dialect.syntax import VALUE
from dycl.ir.dtypes import dtype_name, element_type
from dycl.ir.legacy_tensors import CLASSES
from dycl.ir.torch import DYNAMIC, BoolT, FloatT, IntT, VTensorType
from dycl.ir.values import GlobalRef
from dycl.passes.builtins.items import MOST_ITEMS, Site, is_number

_INDEX = VTensorType.of((DYNAMIC,), element_type("int64"))
_INTS = SequenceType(IntT)


def subscript(site: Site, op: SubscriptOp) -> bool:
    """`x[indices]`, also in a tuple: a tensor of the ints in the list."""
    if not isinstance(op.operand.type, VTensorType):
        return False
    index = op.index
    if index.type == _INTS:
        new = _as_index(site, index)
    elif isinstance(index.owner, TupleOp) and _INTS in (
        v.type for v in index.owner.items
    ):
        parts = [
            _as_index(site, v) if v.type == _INTS else v for v in index.owner.items
        ]
        new = site.add(TupleOp(parts))
    else:
        return False
    return site.done(site.add(SubscriptOp(op.operand, new)))


def tensor_of(site: Site, op: CallOp, name: str) -> bool:
    """`torch.tensor(v, dtype=d)` and `torch.LongTensor(v)`: a tensor of the numbers.

    Ints become int64 or floats; of floats the default dtype is left to `torch.tensor`.
    """
    given = op.keyword_arguments
    if len(op.positional) != 1 or set(given) - {"dtype"}:
        return False
    (items,) = op.positional
    dtype = constant_name(given["dtype"]) if given else CLASSES.get(name)
    if items.type == _INTS and dtype is not None and dtype in _OF_INTS:
        result = _as_index(site, items)
        if dtype != "torch.int64":
            wanted = site.constant(GlobalRef(dtype or "torch.float32"))
            result = site.add(InvokeOp(result, "to", [wanted]))
        return site.done(result)
    if items.type == SequenceType(FloatT) and dtype in ("", "torch.float32"):
        tensor = site.constant(GlobalRef("torch.tensor"))
        return site.done(site.add(CallOp(tensor, [items])))
    return False


_OF_INTS = ("", "torch.float32", "torch.float64", "torch.int64")
"""The dtypes that every int of a list fits into; "" is the default one."""


def _as_index(site: Site, items: SSAValue) -> SSAValue:
    return site.add(ConcatOp("index", items, 0, _INDEX))


def to_list(site: Site, op: InvokeOp) -> bool:
    """`t.tolist()` of a tensor that has any number of elements, or too many."""
    receiver = op.receiver.type
    assert isinstance(receiver, VTensorType)
    sizes, element = receiver.sizes(), receiver.element_type()
    if not sizes or element is None:
        return False
    if DYNAMIC not in sizes and prod(sizes) <= MOST_ITEMS:
        return False
    dtype = dtype_name(element)
    result: Attribute = IntT
    if dtype == "bool" or "float" in dtype:
        result = BoolT if dtype == "bool" else FloatT
    for _ in sizes:
        result = SequenceType(result)
    return site.done(site.add(ToListOp(op.receiver, result)))


def extend(site: Site, op: InvokeOp) -> bool:
    """`v.extend(t)` of a tensor appends its rows."""
    receiver, (rows,) = op.receiver, op.arguments
    if (
        not isinstance(rows.type, VTensorType)
        or constant_value(receiver) is not MISSING
    ):
        return False
    if receiver.type != VALUE:
        return False

    def append(row: SSAValue, _: Sequence[SSAValue]) -> list[SSAValue]:
        site.add(InvokeOp(receiver, "append", [row]))
        return []

    site.loop(rows, [], "extend", append)
    return site.done(site.constant(None))


def min_or_max(site: Site, op: CallOp) -> bool:
    """`max(v)`: the first of the greatest."""
    if len(op.operands) != 2 or not _is_comparable(op.positional[0]):
        return False
    (items,) = op.positional
    if any(_asks_for_place(use.operation, items) for use in op.result.uses):
        return False  # that is answered first, and both at once
    return site.done(_best(site, op, items)[0])


def _asks_for_place(op: Operation, items: SSAValue) -> bool:
    """Whether this is `items.index(..)`."""
    is_index = isinstance(op, InvokeOp) and op.method.data == "index"
    return is_index and op.operands[0] is items


def place(site: Site, op: InvokeOp) -> bool:
    """`v.index(k)` of ints, and `v.index(max(v))`.

    A list looks for the very object first, so that it finds a NaN: what is given must
    be no number that might be one, or the greatest of the list itself.
    """
    items, (wanted,) = op.receiver, op.arguments
    best = wanted.owner
    extrema = (_behind(wanted, "max"), _behind(wanted, "min"))
    if isinstance(best, CallOp) and items in extrema and _is_comparable(items):
        return site.done(_best(site, best, items)[1])
    if items.type != _INTS or wanted.type != IntT:
        return False

    def look(at: SSAValue, carried: Sequence[SSAValue]) -> list[SSAValue]:
        (index,) = carried
        item = site.add(SubscriptOp(items, at))
        missing = site.add(CompareOp("lt", index, site.constant(0), BoolT))
        equal = site.add(CompareOp("eq", item, wanted, BoolT))
        return [site.either(site.either(missing, equal, missing), at, index)]

    numbers = site.call("range", site.call("len", items))
    (index,) = site.loop(numbers, [site.constant(-1)], "index", look)
    missing = site.add(CompareOp("lt", index, site.constant(0), BoolT))
    text = _message(lambda: [].index(0)).replace("0 ", "{} ")
    message = site.add(InvokeOp(site.constant(text), "format", [wanted]))
    site.raise_if(missing, "builtins.ValueError", message)
    return site.done(index)


def membership(site: Site, op: CompareOp) -> bool:
    """`k in v` of ints."""
    if op.rhs.type != _INTS or op.lhs.type != IntT:
        return False
    result = _contains(site, op.rhs, op.lhs)
    return site.done(site.negated(result) if op.kind_name == "not_in" else result)


def difference(site: Site, op: CallOp) -> bool:
    """`list(set(range(n)) - set(v))`, or `sorted(..)` of it: those that `v` has not.

    In which order a set gives its items depends on how it came about, unless they are
    small.
    """
    minus = op.positional[0].owner if len(op.operands) == 2 else None
    if not isinstance(minus, BinaryOp) or minus.kind_name != "sub":
        return False
    count = _count(site, minus.lhs)
    without = _behind(minus.rhs, "set") or minus.rhs
    if count is None or not _holds_ints(site, without):
        return False
    if constant_name(op.callee) == "builtins.list":
        large = site.compare("gt", count, site.constant(MOST_ORDERED))
        site.raise_if(large, "builtins.NotImplementedError", site.constant(_ORDER))
    rest = site.add(ListOp([]))

    def keep(item: SSAValue, _: Sequence[SSAValue]) -> list[SSAValue]:
        def append() -> list[SSAValue]:
            site.add(InvokeOp(rest, "append", [item]))
            return []

        site.branch(_contains(site, without, item), "in", list, append)
        return []

    site.loop(site.call("range", count), [], "difference of sets", keep)
    return site.done(rest)


_ORDER = f"the order of a set of numbers from {MOST_ORDERED} on is not known"


def _count(site: Site, numbers: SSAValue) -> SSAValue | None:
    """The n of `set(range(n))`."""
    constant = constant_value(numbers)
    if isinstance(constant, (set, frozenset)):
        count = len(cast("set[object]", constant))
        return site.constant(count) if constant == set(range(count)) else None
    whole = _behind(numbers, "set")
    count = None if whole is None else _behind(whole, "range")
    return count if count is not None and is_number(count) else None


def _holds_ints(site: Site, items: SSAValue) -> bool:
    """Whether all items of a list are ints."""
    if items.type == _INTS:
        return True
    if isinstance(items.owner, ListOp):
        values = items.owner.items
        return all(v.type == IntT or type(constant_value(v)) is int for v in values)
    constant = constant_value(items)
    if not isinstance(constant, (list, tuple, set, frozenset)):
        return False
    return all(type(v) is int for v in cast("set[object]", constant))


def _behind(value: SSAValue, function: str) -> SSAValue | None:
    """What a function of Python's is called with, if it is one value."""
    call = value.owner
    if not isinstance(call, CallOp) or len(call.operands) != 2 or call.keyword_names:
        return None
    called = constant_name(call.callee) == f"builtins.{function}"
    return call.positional[0] if called else None


def _contains(site: Site, items: SSAValue, wanted: SSAValue) -> SSAValue:
    """Whether ints are among ints: a bool."""

    def look(item: SSAValue, carried: Sequence[SSAValue]) -> list[SSAValue]:
        equal = site.add(CompareOp("eq", item, wanted, BoolT))
        return [site.either(equal, equal, carried[0])]

    (result,) = site.loop(items, [site.constant(False)], "in", look)
    return result


def _is_comparable(items: SSAValue) -> bool:
    """Whether items are numbers, or tensors of one: of a list, or rows of a tensor."""
    if isinstance(items.type, VTensorType):
        return items.type.sizes() == (DYNAMIC,)
    if not isinstance(items.type, SequenceType):
        return False
    item = items.type.element
    if isinstance(item, VTensorType):
        return item.is_single
    return item in (IntT, FloatT, BoolT)


def _best(site: Site, op: CallOp, items: SSAValue) -> tuple[SSAValue, SSAValue]:
    """The first of the greatest items (or the least), and its place."""
    callee = constant_value(op.callee)
    assert isinstance(callee, GlobalRef)
    name = callee.name.removeprefix("builtins.")
    length = site.call("len", items)
    empty = site.add(CompareOp("eq", length, site.constant(0), BoolT))
    message = _message(lambda: max(()) if name == "max" else min(()))
    site.raise_if(empty, "builtins.ValueError", site.constant(message))
    start = site.constant(0)
    first = site.add(SubscriptOp(items, start))

    def look(at: SSAValue, carried: Sequence[SSAValue]) -> list[SSAValue]:
        item = site.add(SubscriptOp(items, at))
        better = site.compare("gt" if name == "max" else "lt", item, carried[0])
        return site.branch(
            site.to_bool(better), name, lambda: [item, at], lambda: carried
        )

    numbers = site.call("range", site.constant(1), length)
    best, position = site.loop(numbers, [first, start], name, look)
    return best, position


def _message(fails: Callable[[], object]) -> str:
    """What Python says where this fails."""
    try:
        fails()
    except ValueError as error:
        return str(error)
    raise AssertionError("it does not fail")
