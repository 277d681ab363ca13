"""Which lists are better one list of a run than known lists, one for each path.

`k` branches in a row that may append to a list give 2^k lists with known items, each
with a copy of the program behind it. `dycl-carry-lists` makes one list of them, which
grows while the network runs: as much code as there are branches. That is no loss where
its items are of one type and all that is asked of it can be asked of such a list.
"""

from collections.abc import Callable, Iterable, Sequence
from math import prod
from typing import cast

from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Operation, SSAValue, Use

from dycl.analysis.tensors.abstract import Tensor, kind_of
from dycl.ir import (
    CallOp,
    ForOp,
    IfOp,
    InplaceOp,
    InvokeOp,
    ListOp,
    ScopeOp,
    SliceOp,
    StoreSubscriptOp,
    SubscriptOp,
    ToBoolOp,
)
from dycl.ir.constant_values import constant_name, constant_value
from dycl.passes.lists.names import (
    ListVariable,
    becomes,
    fixed_items,
    lists_to_carry,
)
from dycl.passes.lists.writes import is_write


def lists_of_many_paths(
    entry: FuncOp,
    changed: dict[Operation, set[SSAValue]],
    of: Callable[[SSAValue], object],
    most: int,
) -> set[SSAValue]:
    """The lists that have more than `most` contents by path, and can be carried.

    So are lists of fewer, if their items are taken by `next`.

    `changed` gives the forks that change lists, `of` the abstract value of a value.
    """
    forks: dict[SSAValue, list[Operation]] = {}
    for fork, lists in changed.items():
        for definition in lists:
            forks.setdefault(definition, []).append(fork)
    many = {
        definition
        for definition, reached in forks.items()
        if ways_through(reached) > most or _is_advanced(definition)
    }
    if not many:
        return many
    carried: set[SSAValue] = set()
    for group in lists_to_carry(entry)[0]:
        definition = {variable.definition for variable in group}
        if not definition.isdisjoint(many) and _loses_nothing(group, of):
            carried |= definition
    return carried


def _is_advanced(definition: SSAValue) -> bool:
    """Whether `next` is asked of an iterator of a list, which no two paths may share.

    Copies end behind a `try`, where those of several paths would meet.
    """
    return any(
        isinstance(op, CallOp)
        and constant_name(op.callee) == "builtins.iter"
        and any(_name(use.operation) == "builtins.next" for use in op.result.uses)
        for op in (use.operation for use in definition.uses)
    )


def _name(op: Operation) -> str:
    return constant_name(op.callee) if isinstance(op, CallOp) else ""


def ways_through(forks: Sequence[Operation]) -> int:
    """How many ways there are through the outermost of these `if`s and scopes."""
    inside = set(forks)
    outer = [fork for fork in forks if not _has_one_around(fork, inside)]
    return prod(len(cast("IfOp | ScopeOp", fork).exits) for fork in outer)


def _has_one_around(fork: Operation, others: set[Operation]) -> bool:
    around = fork.parent_op()
    while around is not None:
        if around in others:
            return True
        around = around.parent_op()
    return False


def _loses_nothing(
    group: Iterable[ListVariable], of: Callable[[SSAValue], object]
) -> bool:
    """Whether items are of one type, and all uses are such as run-time lists have."""
    types: set[object] = set()
    names: list[SSAValue] = []
    for variable in group:
        owner = variable.definition.owner
        given = list(owner.items) if isinstance(owner, ListOp) else []
        for write in variable.writes:
            added = _added(write)
            if added is None:
                return False
            given += added
        types |= {item_type(of(value)) for value in given}
        names += variable.names
    if len(types) != 1 or None in types:
        return False
    (item,) = types
    return all(_is_plain(use, item) for name in names for use in name.uses)


def _added(write: Operation) -> list[SSAValue] | None:
    """The items that a write adds or puts in place of others, if they are known."""
    if isinstance(write, InvokeOp) and write.method.data == "append":
        return [write.operands[1]]
    if isinstance(write, StoreSubscriptOp):
        return [write.value]
    is_sum = isinstance(write, InplaceOp) or (
        isinstance(write, InvokeOp) and write.method.data == "extend"
    )
    return fixed_items(write.operands[1]) if is_sum else None


def item_type(value: object) -> object:
    """What the items of a list have to have in common; None: it is not known."""
    if isinstance(value, Tensor):
        return (value.shape, value.dtype) if value.is_static else None
    if isinstance(value, tuple):
        parts = tuple(map(item_type, cast("tuple[object, ...]", value)))
        return None if None in parts else parts
    return kind_of(value)


def _is_plain(use: Use, item: object) -> bool:
    """Whether a list of a run, of items of this type, can be used so too."""
    op, index = use.operation, use.index
    match op:
        case CallOp() if index == 1:
            return _answers(op, item)
        case SubscriptOp() if index == 0:
            return not isinstance(op.index.owner, SliceOp)
        case ForOp() if index == 0:
            return True
        case ToBoolOp():
            return True
        case _:
            return is_write(op, index) or bool(becomes(op, index))


def _answers(op: CallOp, item: object) -> bool:
    """Whether a call is answered of a list of a run as well as of known items.

    Of floats, `sorted` is not: where a NaN goes is known only where the items are.
    """
    name, keywords = constant_name(op.callee), set(op.keyword_names)
    alone = len(op.positional) == 1
    match name:
        case "builtins.len" | "builtins.enumerate":
            return alone and not keywords
        case "torch.cat" | "torch.stack":
            given = [*op.positional[1:], *op.keyword_arguments.values()]
            known = all(type(constant_value(v)) is int for v in given)
            return known and len(given) <= 1 and keywords <= {"dim"}
        case "builtins.sum":
            can_add = item in ("int", "float") or _is_tensor(item)
            return can_add and not keywords and len(op.positional) <= 2
        case "builtins.max" | "builtins.min" if keywords:
            is_one = item in ("int", "float") or _is_tensor(item)
            return is_one and alone and keywords == {"key"}
        case "builtins.max" | "builtins.min":
            return alone and item in ("int", "float")
        case "builtins.sorted":
            return alone and item == "int" and not keywords
        case "builtins.iter" | "builtins.reversed":
            return alone and all(map(_goes_over, op.result.uses))
        case _:
            return False


def _is_tensor(item: object) -> bool:
    """Whether items of this type are tensors, not tuples of other items."""
    return isinstance(item, tuple) and isinstance(item[-1], Attribute)


def _goes_over(use: Use) -> bool:
    """Whether this takes an iterator's next item, or all of them."""
    name = _name(use.operation)
    is_loop = isinstance(use.operation, ForOp)
    return is_loop or name in ("builtins.enumerate", "builtins.next")
