"""Names of lists inside of lists: which op gives one, and what a loop does by them.

Before                              After
------                              -----
%first = dycl.list(%a)              %first = dycl.list(%a)
%rows = dycl.list(%first)           %rows = dycl.list(%first)
dycl.while {                        dycl.while {
  dycl.condition %p                   dycl.condition %p
} do {                              } do {
  %r = dycl.subscript %rows[%zero]    %x = dycl.invoke %first "append"(%v)
  %x = dycl.invoke %r "append"(%v)  }
}                                   dycl.return %rows
dycl.return %rows

`for r in rows`, `rows[k]` with a number of the data, `zip(rows, more)` and `max(rows)`
forward the very lists that are inside. What they are given must not be a copy, and what
is changed through the new name is changed for all.
"""

from collections.abc import Callable, Container, Iterable, Iterator

from xdsl.ir import BlockArgument, Operation, SSAValue

from dycl.ir import (
    BinaryOp,
    CallOp,
    CompareOp,
    ConstantOp,
    DictOp,
    ForOp,
    InvokeOp,
    ListOp,
    RecordOp,
    ScopeOp,
    StoreSubscriptOp,
    SubscriptOp,
    ToBoolOp,
    TupleOp,
    UnpackOp,
    WhileOp,
)
from dycl.ir.constant_values import MISSING, constant_name, constant_value
from dycl.ir.dialect.syntax import VALUE
from dycl.ir.interfaces import RegionBranchOp, forwarded_from
from dycl.ir.objects import Objects
from dycl.ir.rewriting import replace
from dycl.ir.torch import TorchType
from dycl.ir.walking import walk
from dycl.passes.aggregates.items import Items, dict_item, is_dict, key_of
from dycl.passes.aggregates.uses import comes_before, only_reads_or_changes

State = dict[SSAValue, Items]
ItemsHere = Callable[[SSAValue], Items | None]
"""Gives the items of a list or tuple that is followed up to here."""


def exposes_no_items(op: CallOp | InvokeOp) -> bool:
    """Whether no list inside of what a call is given can be reached by its result."""
    if isinstance(op, CallOp):
        name = constant_name(op.callee)
        return name.startswith("torch.") or name in _PLAIN_FUNCTIONS
    receiver = constant_value(op.receiver)
    is_data = receiver is not MISSING and isinstance(receiver, _PLAIN)
    return isinstance(op.receiver.type, TorchType) or is_data


def is_last_use(value: SSAValue, op: Operation, dead: Container[Operation]) -> bool:
    """Whether a list has no name but this operand, from `op` on.

    Also not by an earlier iteration of a loop: it is made where `op` is. Uses by `dead`
    ops are none.
    """
    owner = value.owner
    if not isinstance(owner, Operation) or owner.parent is not op.parent:
        return False
    uses = [use for use in value.uses if use.operation not in dead]
    others = [use for use in uses if use.operation is not op]
    return len(others) == len(uses) - 1 and all(
        comes_before(use.operation, op)
        and only_reads_or_changes(use.operation, use.index)
        for use in others
    )


def is_or_holds_list(value: SSAValue) -> bool:
    """Whether a value is a list or dict made here, or a tuple with one inside."""
    owner = value.owner
    if isinstance(owner, RecordOp):
        return is_or_holds_list(owner.fields)
    if isinstance(owner, TupleOp):
        return any(map(is_or_holds_list, owner.items))
    is_view = isinstance(owner, InvokeOp) and is_dict(owner.receiver)
    return is_view or isinstance(owner, (ListOp, DictOp))


def lists_in(values: Iterable[SSAValue]) -> Iterator[SSAValue]:
    """Those that are lists or dicts made here, and those inside of tuples."""
    for value in values:
        owner = value.owner
        if isinstance(owner, (ListOp, DictOp)):
            yield value
        elif isinstance(owner, (TupleOp, RecordOp)):
            yield from lists_in(owner.operands)


def read_items_inside(
    op: ForOp | WhileOp, items_of: ItemsHere, objects: Objects
) -> None:
    """What is read in a loop at a known place of a list that stays is the item itself.

    So `rows[0].append(x)` changes `rows[0]`, and not `rows`.
    """
    changed = _changed(op, items_of)
    for inner in list(walk(op)):
        if isinstance(inner, SubscriptOp) and inner.operand not in changed:
            item = _item(inner, items_of(inner.operand), objects)
            if item is not None and is_or_holds_list(item):
                replace(inner, [item])


def changed_inside(op: Operation, items_of: ItemsHere) -> list[SSAValue]:
    """Lists from before a loop, scope or switch that ops inside may change.

    In a loop, by whatever name: what comes first in it follows what comes last.
    """
    if isinstance(op, (ForOp, WhileOp)):
        return list(_changed(op, items_of))
    used = (operand for user in _changers(op) for operand in user.operands)
    return [v for v in dict.fromkeys(used) if _is_followed_list(v, items_of)]


def sets_values_only(op: ForOp) -> bool:
    """Whether a loop over a dict sets entries of it, and only those that it goes over.

    Python allows that; new entries, or fewer, it does not.
    """
    stores = False
    for use in op.iterable.uses:
        if use.operation is op or not op.is_ancestor(use.operation):
            continue
        match use.operation:
            case StoreSubscriptOp() as store if use.index == 0:
                if store.index is not op.item:
                    return False
                stores = True
            case SubscriptOp() | CompareOp() | ToBoolOp():
                pass
            case InvokeOp() as call if use.index == 0:
                if call.method.data not in ("get", "items", "keys", "values"):
                    return False
            case _:
                return False
    return stores


def is_led_to_inside(op: Operation, value: SSAValue, state: State) -> bool:
    """Whether something that `op` uses holds a list."""
    waiting, seen = [value], {value}
    while waiting:
        value = waiting.pop()
        holders = [holder for holder, items in state.items() if value in items]
        holders += [
            result
            for use in value.uses
            if isinstance(use.operation, _HOLDERS) and not op.is_ancestor(use.operation)
            for result in use.operation.results
        ]
        for holder in holders:
            if any(op.is_ancestor(use.operation) for use in holder.uses):
                return True
            waiting += [holder] if holder not in seen else []
            seen.add(holder)
    return False


def _item(op: SubscriptOp, items: Items | None, objects: Objects) -> SSAValue | None:
    index = constant_value(op.index)
    if items is None:
        return None
    if is_dict(op.operand):
        return dict_item(objects, items, key_of(objects, op.index))
    if isinstance(index, int) and -len(items) <= index < len(items):
        return items[index]
    return None


def _changed(op: Operation, items_of: ItemsHere) -> dict[SSAValue, None]:
    result: dict[SSAValue, None] = {}
    for inner in _changers(op):
        for operand in inner.operands:
            for value in _meant(operand, items_of):
                result |= dict.fromkeys(_lists_in(value, items_of))
    return result


def _changers(op: Operation) -> Iterator[Operation]:
    """Ops inside that may change, or keep, what they use."""
    for inner in walk(op):
        reads = isinstance(inner, _READERS) or _is_library_call(inner)
        if inner is not op and not reads:
            yield inner


def _is_followed_list(value: SSAValue, items_of: ItemsHere) -> bool:
    return items_of(value) is not None and not isinstance(value.owner, TupleOp)


def _lists_in(value: SSAValue, items_of: ItemsHere) -> Iterator[SSAValue]:
    """A value, if it is a list, and all lists inside of it, or of a tuple."""
    if _is_followed_list(value, items_of):
        yield value
    for item in items_of(value) or ():
        yield from _lists_in(item, items_of)


def _meant(value: SSAValue, items_of: ItemsHere) -> Iterator[SSAValue]:
    """What is followed, and a value may be, or lead to."""
    waiting, seen = [(value, False)], set[tuple[SSAValue, bool]]()
    while waiting:
        value, is_inside = waiting.pop()
        if (value, is_inside) in seen or value.type != VALUE:
            continue
        seen.add((value, is_inside))
        items = items_of(value)
        if items is not None:
            yield from items if is_inside else (value,)
            continue
        takes_item = isinstance(value, BlockArgument) or isinstance(
            value.owner, (SubscriptOp, UnpackOp)
        )
        waiting += [(v, is_inside or takes_item) for v in _came_from(value)]


def _came_from(value: SSAValue) -> list[SSAValue]:
    """What a list may have been inside of."""
    if isinstance(value, BlockArgument):
        loop = value.block.parent_op()
        if isinstance(loop, ForOp) and value.index == 0:
            return [loop.iterable]
        return []  # what is carried escapes where it is handed to the loop
    owner = value.owner
    assert isinstance(owner, Operation)
    fresh = (BinaryOp, CompareOp, ConstantOp, ToBoolOp, WhileOp, ForOp, ScopeOp)
    if isinstance(owner, fresh) or (
        isinstance(owner, (CallOp, InvokeOp)) and exposes_no_items(owner)
    ):
        return []
    if isinstance(owner, RegionBranchOp):
        return forwarded_from(value)
    return list(owner.operands)


def _is_library_call(op: Operation) -> bool:
    """A call of Python's or torch's own functions, which change no list."""
    return isinstance(op, CallOp) and constant_name(op.callee) != ""


_HOLDERS = (DictOp, ListOp, RecordOp, TupleOp)
_READERS = (BinaryOp, CompareOp, SubscriptOp, ToBoolOp, UnpackOp)
_PLAIN = (str, int, float, bool, type(None))
_PLAIN_FUNCTIONS = {
    f"builtins.{name}"
    for name in (
        *("all", "any", "bool", "float", "int", "isinstance", "len", "print", "range"),
        *("repr", "str", "type"),
    )
}
"""Functions that give a number, a text, or nothing."""
