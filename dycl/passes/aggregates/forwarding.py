"""Lists that a branch or scope forwards without an alias become tuples.

Before                        After
------                        -----
%r = dycl.scope "f" -> (T) {  %r = dycl.scope "f" -> (T) {
  %l = dycl.list(%a)            dycl.leave "f" %a
  dycl.leave "f" %l           }
}                             %r_1 = dycl.list(%r)
dycl.return %r                dycl.return %r_1

This is right only if nobody could tell: each list that is forwarded has no other name
from there on. Tuples are joined item by item; for lists that are reached through two
names this would be wrong.
"""

from collections.abc import Container, Sequence

from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue

from dycl.ir import (
    CallOp,
    CompareOp,
    ConstantOp,
    ForOp,
    IfOp,
    InplaceOp,
    InvokeOp,
    ListOp,
    ReturnOp,
    ScopeOp,
    StoreSubscriptOp,
    SubscriptOp,
    ToBoolOp,
    TupleOp,
    UnpackOp,
)
from dycl.ir.constant_values import constant_name
from dycl.ir.dialect.syntax import VALUE
from dycl.ir.interfaces import RegionTerminator
from dycl.ir.rewriting import append_results, insert_after, insert_before, retype
from dycl.ir.values import GlobalRef, to_attr
from dycl.ir.walking import walk

_LIST, _TUPLE = "builtins.list", "builtins.tuple"


def forward_as_tuples(entry: FuncOp) -> None:
    """Do it for every result of every `if` and scope, inner ones first."""
    for op in reversed([o for o in walk(entry) if isinstance(o, (IfOp, ScopeOp))]):
        ends = op.exits
        for index, result in enumerate(op.results):
            if result.uses and ends and _may_forward(op, index, ends):
                _forward(op, index, ends)


def is_done_with(value: SSAValue, op: Operation, dead: Container[Operation]) -> bool:
    """Whether nothing leads to a list after `op`, which stands behind or around it.

    Uses by `dead` ops are none.
    """
    return all(
        comes_before(use.operation, op)
        and only_reads_or_changes(use.operation, use.index)
        for use in value.uses
        if use.operation not in dead
    )


def split_tuples(op: ScopeOp) -> ScopeOp:
    """The scope with the items of each tuple that it always forwards as results.

    Nobody uses the tuple itself afterwards: dead-code elimination takes it away.
    """
    for index in range(len(op.results)):
        ends = op.exits
        rows = [end.operands[index].owner for end in ends]
        tuples = [row for row in rows if isinstance(row, TupleOp)]
        if not op.results[index].uses or not tuples or len(tuples) < len(rows):
            continue
        if len({len(row.items) for row in tuples}) == 1:
            op = _split(op, index, ends)
    return op


def _may_forward(op: Operation, index: int, ends: Sequence[Operation]) -> bool:
    values = [end.operands[index] for end in ends]
    return all(_is_list(v) and _has_one_name(v, op, ends) for v in values) and not all(
        v is values[0] and _is_before(v, op) for v in values
    )


def _is_list(value: SSAValue) -> bool:
    value = extended(value)
    owner = value.owner
    return isinstance(owner, ListOp) or (
        isinstance(owner, CallOp) and _called(owner) == _LIST
    )


def _called(op: Operation) -> str:
    """The function of Python or torch that an op calls, or nothing."""
    return constant_name(op.callee) if isinstance(op, CallOp) else ""


def extended(value: SSAValue) -> SSAValue:
    """The list that `v += w` gives is the list v."""
    while isinstance(value.owner, InplaceOp) and value.owner.kind_name == "add":
        value = value.owner.lhs
    return value


def _is_before(value: SSAValue, op: Operation) -> bool:
    owner = extended(value).owner
    return isinstance(owner, Operation) and not op.is_ancestor(owner)


def _has_one_name(value: SSAValue, op: Operation, ends: Sequence[Operation]) -> bool:
    """Whether nothing but one result of `op` leads to the list after `op`."""
    value = extended(value)
    owner = value.owner
    assert isinstance(owner, Operation)
    outside = not op.is_ancestor(owner)
    if outside and owner.parent is not op.parent:
        return False
    names, count = [value], 0
    while names:
        name = names.pop()
        for use in name.uses:
            user = use.operation
            if user in ends:
                count += 1
                if extended(name) is not value or _count(value, user) > 1:
                    return False
            elif outside and not comes_before(user, op):
                return False
            elif isinstance(user, InplaceOp) and use.index == 0:
                names.append(user.result)
            elif _called(user) in _ITERATORS:
                names += user.results  # an iterator leads to the list, too
            elif not only_reads_or_changes(user, use.index):
                return False
    return count > 0


def _count(value: SSAValue, end: Operation) -> int:
    return sum(extended(operand) is value for operand in end.operands)


def comes_before(user: Operation, op: Operation) -> bool:
    """Whether an op in the block of `op`, or inside one there, runs before or in it."""
    while user.parent is not op.parent:
        above = user.parent_op()
        if above is None:
            return False
        user = above
    return user is op or user.is_before_in_block(op)


def only_reads_or_changes(user: Operation, index: int) -> bool:
    """Whether an op uses a list and does not keep it."""
    match user:
        case InvokeOp() | StoreSubscriptOp() | SubscriptOp():
            return index == 0
        case CallOp():
            return _called(user) in _READERS
        case CompareOp():
            return user.kind_name not in ("is", "is_not")
        case ForOp():
            return index == 0
        case _:
            return isinstance(user, (InplaceOp, ReturnOp, ToBoolOp, UnpackOp))


_READERS = {
    _LIST,
    _TUPLE,
    "builtins.all",
    "builtins.any",
    "builtins.len",
    "builtins.max",
    "builtins.min",
    "builtins.sorted",
    "builtins.sum",
    "torch.cat",
    "torch.concat",
    "torch.hstack",
    "torch.stack",
    "torch.vstack",
}
"""Functions that keep nothing of a list that they are given."""

_ITERATORS = {"builtins.enumerate", "builtins.reversed", "builtins.zip"}


def _forward(op: IfOp | ScopeOp, index: int, ends: Sequence[RegionTerminator]) -> None:
    for end in ends:
        value = end.operands[index]
        whole = _call(_TUPLE, value)
        insert_before(end, *whole)
        whole[1].result.name_hint = value.name_hint
        end.operands[index] = whole[1].result
    result = op.results[index]
    retype(result, VALUE)
    result = op.results[index]
    back = _call(_LIST, result)
    insert_after(op, *back)
    back[1].result.name_hint = result.name_hint
    result.replace_uses_with_if(
        back[1].result, lambda use: use.operation is not back[1]
    )


def _call(name: str, value: SSAValue) -> tuple[ConstantOp, CallOp]:
    callee = ConstantOp(to_attr(GlobalRef(name)))
    call = CallOp(callee.result, [value])
    return callee, call


def _split(op: ScopeOp, index: int, ends: Sequence[RegionTerminator]) -> ScopeOp:
    for end in ends:
        row = end.operands[index].owner
        assert isinstance(row, TupleOp)
        end.forward([*end.forwarded, *row.items])
    (first, *_) = (end.operands[index].owner for end in ends)
    assert isinstance(first, TupleOp)
    count, before = len(first.items), len(op.results)
    name = op.results[index].name_hint
    new = append_results(op, [VALUE] * count, [name] * count)
    whole = TupleOp(new.results[before:])
    insert_after(new, whole)
    whole.result.name_hint = name
    new.results[index].replace_all_uses_with(whole.result)
    return new
