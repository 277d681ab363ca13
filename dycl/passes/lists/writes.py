"""What a list of a run is after each method that changes it.

Before                          After
------                          -----
%l = dycl.list(%x)              %l = dycl.sequence(%x)
%n = dycl.invoke %l "clear"()   %m = dycl.take %l, %zero, %zero
dycl.return %l                  dycl.return %m
"""

import sys
from typing import cast

from xdsl.ir import Block, Operation, SSAValue

from dycl.ir import (
    AppendOp,
    BinaryOp,
    CallOp,
    CompareOp,
    ExtendOp,
    ForOp,
    InplaceOp,
    InvokeOp,
    LocalCallOp,
    SequenceOp,
    SliceOp,
    StoreSubscriptOp,
    SubscriptOp,
    TakeOp,
    ToListOp,
)
from dycl.ir.constant_values import MISSING, constant_name, constant_value
from dycl.ir.interfaces import forwarded_from
from dycl.ir.torch import IntT
from dycl.passes.builtins.items import Site

_INDEX, _VALUE = "builtins.IndexError", "builtins.ValueError"
_WRITING = frozenset(
    ("__delitem__", "append", "clear", "extend", "insert", "pop", "remove")
)
"""The methods that change a list."""


def is_write(op: Operation, index: int) -> bool:
    """Whether an op changes the list that is its operand of this number."""
    if isinstance(op, LocalCallOp):
        return index in op.function.lists
    if index != 0:
        return False
    if isinstance(op, InvokeOp):
        return op.method.data in _WRITING
    return isinstance(op, (InplaceOp, StoreSubscriptOp))


def copied(op: object) -> SSAValue | None:
    """The list that `list(v)`, `v.copy()` and `v[a:b]` make a new one of, or None."""
    match op:
        case CallOp() if constant_name(op.callee) == "builtins.list":
            one = len(op.operands) == 2 and not op.keyword_names
            return op.positional[0] if one else None
        case InvokeOp() if op.method.data == "copy" and not op.arguments:
            return op.receiver
        case SubscriptOp() if isinstance(op.index.owner, SliceOp):
            return op.operand if _bounds(op.index.owner) else None
        case _:
            return None


def is_new(op: object) -> bool:
    """Whether an op makes a list of another or of a tensor, or a recursion gives it."""
    return isinstance(op, (ToListOp, LocalCallOp)) or copied(op) is not None


def make_copy(op: Operation, site: Site) -> None:
    """A copy of a list that nobody changes is that list, or a part of it."""
    source = copied(op)
    assert source is not None
    if isinstance(op, SubscriptOp):
        start, stop = cast("list[SSAValue]", _bounds(cast(SliceOp, op.index.owner)))
        first = site.constant(0) if constant_value(start) is None else start
        last = site.constant(sys.maxsize) if constant_value(stop) is None else stop
        source = site.add(TakeOp(source, first, last))
    site.done(source)


def _bounds(index: SliceOp) -> list[SSAValue] | None:
    """Start and stop of a slice without a step, if they are ints or None."""
    start, stop, step = index.items
    if constant_value(step) not in (None, 1):
        return None
    fits = all(constant_value(v) is None or is_int(v) for v in (start, stop))
    return [start, stop] if fits else None


def is_int(value: SSAValue) -> bool:
    """Whether a value is an int, known or not, or is going to be known as one."""
    waiting, seen = [value], set[SSAValue]()
    while waiting:
        one = waiting.pop()
        if one in seen or one.type == IntT or type(constant_value(one)) is int:
            continue
        seen.add(one)
        owner = one.owner
        if isinstance(owner, CallOp):
            if constant_name(owner.callee) not in ("builtins.int", "builtins.len"):
                return False
        elif isinstance(owner, BinaryOp) and owner.kind_name in _OF_INTS:
            waiting += owner.operands
        elif isinstance(owner, Block) and _counts(owner, one):
            continue
        elif sources := forwarded_from(one):
            waiting += sources
        else:
            return False
    return True


def _counts(block: Block, value: SSAValue) -> bool:
    """Whether a value is the number that a loop over a range is at."""
    loop = block.parent_op()
    numbers = loop.iterable.owner if isinstance(loop, ForOp) else None
    is_range = isinstance(numbers, CallOp) and (
        constant_name(numbers.callee) == "builtins.range"
    )
    return is_range and value is block.args[0]


_OF_INTS = ("add", "floordiv", "mod", "mul", "sub")


def can_write(op: InvokeOp | StoreSubscriptOp, names: set[SSAValue]) -> bool:
    """Whether a change other than `append`, `extend` and `+=` is understood."""
    if isinstance(op, StoreSubscriptOp):
        return is_int(op.index) and op.value not in names
    if op.keyword_names or op.is_starred:
        return False
    given = list(op.arguments)
    match op.method.data, given:
        case "clear" | "pop", []:
            return True
        case "pop" | "__delitem__" | "remove", [value]:
            return is_int(value)
        case "insert", [place, value]:
            return is_int(place) and value not in names
        case _:
            return False


def written(
    op: InvokeOp | StoreSubscriptOp, now: SSAValue, site: Site
) -> tuple[SSAValue, SSAValue | None]:
    """The list after such a change, and what the method gives, if that is not None."""
    if isinstance(op, StoreSubscriptOp):
        _raise_unless_in(site, now, op.index, "list assignment index out of range")
        place = _from_front(site, now, op.index)
        head = site.add(AppendOp(_take(site, now, 0, place), op.value))
        return site.add(ExtendOp(head, _behind(site, now, place))), None
    match op.method.data, list(op.arguments):
        case "clear", _:
            return _take(site, now, 0, 0), None
        case "insert", [place, value]:
            if constant_value(place) == 0:
                first = site.add(SequenceOp([value]))
                return site.add(ExtendOp(first, now)), None
            head = site.add(AppendOp(_take(site, now, 0, place), value))
            return site.add(ExtendOp(head, _take(site, now, place, sys.maxsize))), None
        case "remove", [value]:
            has = site.add(CompareOp("in", value, now))
            text = site.constant("list.remove(x): x not in list")
            site.raise_if(site.to_bool(site.negated(has)), _VALUE, text)
            return _without(site, now, site.add(InvokeOp(now, "index", [value]))), None
        case "__delitem__", [place]:
            _raise_unless_in(site, now, place, "list assignment index out of range")
            return _without(site, now, place), None
        case _, places:
            length = site.call("len", now)
            empty = site.compare("eq", length, site.constant(0))
            site.raise_if(empty, _INDEX, site.constant("pop from empty list"))
            place = places[0] if places else site.constant(-1)
            if constant_value(place) not in (0, -1):
                _raise_unless_in(site, now, place, "pop index out of range")
            return _without(site, now, place), site.add(SubscriptOp(now, place))


def _take(
    site: Site, now: SSAValue, start: SSAValue | int, stop: SSAValue | int
) -> SSAValue:
    first = site.constant(start) if isinstance(start, int) else start
    last = site.constant(stop) if isinstance(stop, int) else stop
    return site.add(TakeOp(now, first, last))


def _behind(site: Site, now: SSAValue, place: SSAValue) -> SSAValue:
    """The items behind a place, which counts from the front."""
    following = site.add(BinaryOp("add", place, site.constant(1), IntT))
    return _take(site, now, following, sys.maxsize)


def _without(site: Site, now: SSAValue, place: SSAValue) -> SSAValue:
    """The list without the item of a place that there is."""
    match constant_value(place):
        case 0:
            return _take(site, now, 1, sys.maxsize)
        case -1:
            return _take(site, now, 0, -1)
        case _:
            place = _from_front(site, now, place)
            head = _take(site, now, 0, place)
            return site.add(ExtendOp(head, _behind(site, now, place)))


def _from_front(site: Site, now: SSAValue, place: SSAValue) -> SSAValue:
    constant = constant_value(place)
    if constant is not MISSING and cast(int, constant) >= 0:
        return place
    length = site.call("len", now)
    other = site.add(BinaryOp("add", place, length, IntT))
    below = site.compare("lt", place, site.constant(0))
    return other if constant is not MISSING else site.either(below, other, place)


def _raise_unless_in(site: Site, now: SSAValue, place: SSAValue, text: str) -> None:
    """Python's exception where a list has no such place."""
    length = site.call("len", now)
    least = site.add(BinaryOp("sub", site.constant(0), length, IntT))
    for kind, bound in (("lt", least), ("ge", length)):
        test = site.compare(kind, place, bound)
        site.raise_if(test, _INDEX, site.constant(text))
