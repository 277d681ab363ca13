"""What a `for` loop goes over, when that is known without the data."""

from collections.abc import Callable
from typing import cast

from xdsl.ir import Operation, SSAValue

from dycl.analysis.folding.items import (
    MOST_ROWS,
    Applied,
    Item,
    Items,
    Known,
    Row,
    applies,
)
from dycl.analysis.folding.iterators import (
    ITERATORS,
    is_behind,
    is_repeated,
    is_used_up_once,
)
from dycl.analysis.folding.itertools_items import FUNCTIONS, of_itertools
from dycl.ir import (
    CallOp,
    ConstantOp,
    DictOp,
    ForOp,
    InvokeOp,
    ListOp,
    SubscriptOp,
    TupleOp,
)
from dycl.ir.constant_values import MISSING, constant_name, constant_value
from dycl.ir.dialect.calls import CallLike
from dycl.ir.environment import Environment
from dycl.ir.interfaces import forwarded_to
from dycl.ir.not_evaluated import NotEvaluated
from dycl.ir.torch import VTensorType
from dycl.ir.values import (
    FunctionRef,
    MethodRef,
    NotAConstant,
    ObjectRef,
    from_attr,
    to_attr,
)


def items_of(value: SSAValue, environment: Environment) -> list[Item] | None:
    """The items of an iterable in order, or None when they depend on data.

    A list counts as known when nothing changes it (`is_read_only`).
    """
    owner = value.owner
    if isinstance(value.type, VTensorType):
        return _rows(value, value.type)
    if isinstance(owner, ConstantOp):
        return _of_constant(from_attr(owner.value), environment)
    if isinstance(owner, TupleOp):
        return list(owner.items)
    if isinstance(owner, ListOp) and is_read_only(value):
        return list(owner.items)
    if isinstance(owner, DictOp) and is_read_only(value):
        return _keys(owner)
    if isinstance(owner, CallOp) and (function := constant_name(owner.callee)):
        if function in ITERATORS and not is_used_up_once(value):
            return None
        if function == "builtins.list" and not is_read_only(value):
            return None
        return _of_call(function, owner, environment)
    if isinstance(owner, InvokeOp):
        return _of_method(owner, environment)
    return None


def _keys(op: DictOp) -> list[Item] | None:
    """The keys of a display, if they are constants that all differ."""
    keys = list(op.operands[::2])
    constants = [constant_value(key) for key in keys]
    plain = all(isinstance(key, (str, int)) for key in constants)
    return list(keys) if plain and len(set(constants)) == len(keys) else None


def items_of_iterator(iterator: CallOp, environment: Environment) -> list[Item] | None:
    """What an iterator goes over from its start on, whoever else goes over it."""
    name = constant_name(iterator.callee)
    return _of_call(name, iterator, environment) if name in ITERATORS else None


def _rows(value: SSAValue, found: VTensorType) -> list[Item] | None:
    sizes = found.sizes()
    if not sizes or not 0 <= sizes[0] <= MOST_ROWS:
        return None
    return [Row(value, i) for i in range(sizes[0])]


def _of_constant(value: object, environment: Environment) -> list[Item] | None:
    try:
        if isinstance(value, (set, frozenset)):
            items = _in_order(cast("set[object]", value))
        else:
            items = environment.iterate(value)
        for item in items or ():
            to_attr(item)
    except (TypeError, NotEvaluated, NotAConstant):
        return None
    return None if items is None else [Known(v) for v in items]


MOST_ORDERED = 8
"""Ints from 0 up to here lie in the smallest set of CPython's in their own order."""


def _in_order(items: set[object] | frozenset[object]) -> list[object] | None:
    """The items of a set, if their order is the same however the set came about.

    Of texts it is another one in each process, and of large ints it depends on which of
    them were put in first.
    """
    small = range(MOST_ORDERED)
    if len(items) > 1 and not all(type(v) is int and v in small for v in items):
        return None
    return list[object](sorted(cast("set[int]", items)))


def unordered_items(value: SSAValue, environment: Environment) -> list[object] | None:
    """The items of a known set of texts, or of ints, whose order is not known; sorted.

    None: it is something else, or is changed.
    """
    items: object = constant_value(value)
    owner = value.owner
    if isinstance(owner, CallOp) and constant_name(owner.callee) in _SETS:
        items = _set_of(owner, environment)
    if not isinstance(items, (set, frozenset)) or not is_read_only(value):
        return None
    items = cast("set[object]", items)
    if _in_order(items) is not None or len({type(item) for item in items}) > 1:
        return None
    if all(type(item) in (str, int) for item in items):
        return list[object](sorted(cast("set[str]", items)))
    return None


def _of_set(op: CallOp, environment: Environment) -> list[Item] | None:
    """What `set(v)` gives one after another, if that order is known."""
    items = _set_of(op, environment)
    return None if items is None else _of_constant(items, environment)


def _set_of(op: CallOp, environment: Environment) -> set[object] | None:
    """What `set(v)` holds, where `v` holds texts or ints that are known."""
    if op.keyword_names or len(op.positional) != 1:
        return None
    values: list[object] = []
    for item in items_of(op.positional[0], environment) or [None]:
        known = constant_value(item) if isinstance(item, SSAValue) else item
        value = known.value if isinstance(known, Known) else known
        if type(value) not in (str, int):
            return None
        values.append(value)
    return set(values)


def _of_method(op: InvokeOp, environment: Environment) -> list[Item] | None:
    receiver = constant_value(op.receiver)
    if receiver is MISSING or op.arguments:
        return None
    if isinstance(receiver, ObjectRef):
        if op.method.data in ("children", "named_children"):
            try:
                views = environment.getattr(receiver, op.method.data)
            except (AttributeError, NotEvaluated):
                return None
            if isinstance(views, (FunctionRef, MethodRef)):
                return None
            return _of_constant(cast("Callable[[], object]", views)(), environment)
        receiver = environment.items(receiver.path)
    if isinstance(receiver, dict) and op.method.data in ("items", "keys", "values"):
        views = cast("Callable[[], object]", getattr(receiver, op.method.data))
        return _of_constant(list(cast("list[object]", views())), environment)
    return None


def _of_call(name: str, op: CallOp, environment: Environment) -> list[Item] | None:
    if name == "builtins.range":
        return _range(op)
    if name in _SETS:
        return _of_set(op, environment) if is_read_only(op.result) else None
    if name == "builtins.map" and not op.keyword_names and len(op.positional) > 1:
        function, *iterables = op.positional
        columns = [items_of(v, environment) for v in iterables]
        rows = zip(*(c for c in columns if c is not None), strict=False)
        if any(c is None for c in columns):
            return None
        return [Applied(function, tuple(row)) for row in rows]
    if name in FUNCTIONS:
        return of_itertools(name, op, lambda item: _items_of_item(item, environment))
    builder = _BUILTINS.get(name)
    if builder is None:
        return None
    keywords = op.keyword_arguments
    start = 0
    positional = list(op.positional)
    if name == "builtins.enumerate":
        given = keywords.pop("start", None)
        if given is None and len(positional) == 2:
            given = positional.pop()
        first = 0 if given is None else constant_value(given)
        if not isinstance(first, int):
            return None
        start = first
    strict = False
    if name == "builtins.zip" and "strict" in keywords:
        given = constant_value(keywords.pop("strict"))
        if not isinstance(given, bool):
            return None
        strict = given
    if keywords:
        return None
    parts = [items_of(a, environment) for a in positional]
    if any(p is None for p in parts):
        return None
    if strict and len({len(p) for p in parts if p is not None}) > 1:
        return None
    return builder([p for p in parts if p is not None], start)


def _items_of_item(item: Item, environment: Environment) -> list[Item] | None:
    """What an item that is an iterable goes over."""
    match item:
        case Known(value):
            return _of_constant(value, environment)
        case Items(parts):
            return list(parts)
        case SSAValue():
            return items_of(item, environment)
        case _:
            return None


def _range(op: CallOp) -> list[Item] | None:
    bounds = [constant_value(a) for a in op.positional]
    if op.keyword_names or not all(isinstance(b, int) for b in bounds):
        return None
    if len(bounds) == 3 and bounds[2] == 0:
        return None
    return [Known(i) for i in range(*cast(list[int], bounds))]


def _enumerate(parts: list[list[Item]], start: int) -> list[Item] | None:
    (items,) = parts
    return [Items((Known(i), item)) for i, item in enumerate(items, start)]


def _zip(parts: list[list[Item]], _: int) -> list[Item] | None:
    if len(set(map(len, parts))) > 1 and any(
        applies(item) for part in parts for item in part
    ):
        return None  # of the longer one, an item more is made
    return [Items(row) for row in zip(*parts, strict=False)]


def _reversed(parts: list[list[Item]], _: int) -> list[Item] | None:
    return list(reversed(parts[0]))


def _same(parts: list[list[Item]], _: int) -> list[Item] | None:
    return parts[0] if parts else []


_BUILTINS: dict[str, Callable[[list[list[Item]], int], list[Item] | None]] = {
    "builtins.enumerate": _enumerate,
    "builtins.zip": _zip,
    "builtins.reversed": _reversed,
    "builtins.list": _same,
    "builtins.tuple": _same,
    "builtins.iter": _same,
}


def _is_read_by_method(op: InvokeOp, index: int) -> bool:
    """Whether a method only reads this argument: of texts, sets and tensors."""
    is_plain = isinstance(constant_value(op.receiver), (str, set, frozenset))
    return is_plain or isinstance(op.receiver.type, VTensorType)


_READING_METHODS = frozenset(
    (
        *("copy", "count", "difference", "get", "index", "intersection", "isdisjoint"),
        *("issubset", "issuperset", "items", "keys", "union", "values"),
    )
)
"""Methods of lists, dicts and sets that change nothing."""

_READERS = {
    "dycl.subscript",
    "dycl.compare",
    "dycl.binary",
    "dycl.to_bool",
    "dycl.unpack",
    "dycl.for",
    "dycl.unary",
    "dycl.return",
}


_SETS = ("builtins.frozenset", "builtins.set")
ANNOTATIONS = ("torch.jit.annotate", "typing.cast")
"""Functions that give what they are given."""


def is_read_only(value: SSAValue, until: Operation | None = None) -> bool:
    """Whether nothing changes a list or dict, by any name.

    `until`: an op that may only run once for each time that the list is made; what is
    behind it may change the list.

    A call counts as reading when it is of a function of Python's or torch's own. A
    tuple that holds the list, and what is taken out of that tuple, are names of it too;
    so is what control flow forwards it as.
    """
    home = value.owner.parent if isinstance(value.owner, Operation) else value.owner
    if until is not None and is_repeated(until, home):
        until = None
    waiting: list[tuple[SSAValue, bool]] = [(value, False)]
    seen: set[tuple[SSAValue, bool]] = set()
    while waiting:
        name, holds = waiting.pop()
        if (name, holds) in seen:
            continue
        seen.add((name, holds))
        for use in name.uses:
            op = use.operation
            if until is not None and is_behind(op, until):
                continue
            if isinstance(op, TupleOp):
                waiting.append((op.result, True))
            elif carried := forwarded_to(op, use.index):
                waiting += [(value, holds) for value in carried]
            elif isinstance(op, CallLike) and op.takes_apart(use.index):
                if holds:
                    return False
            elif not is_read_by(op, use.index):
                return False
            elif holds and not (isinstance(op, SubscriptOp) and use.index == 1):
                waiting += [(r, True) for r in _taken_out(op)]
    return True


def is_read_by(op: Operation, index: int) -> bool:
    """Whether an op only reads the list or dict that is its operand of this number."""
    if isinstance(op, InvokeOp):
        if index == 0:
            return op.method.data in _READING_METHODS
        return _is_read_by_method(op, index)
    if isinstance(op, CallOp):
        # A partial keeps what it is given, for the function that it makes.
        return constant_name(op.callee) not in ("", "functools.partial", *ANNOTATIONS)
    return op.name in _READERS


def _taken_out(op: Operation) -> list[SSAValue]:
    """What an op that reads a container may give that was inside."""
    if isinstance(op, ForOp):
        return [op.item]
    return list(op.results)
