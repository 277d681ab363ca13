"""Why a value is not known: the first refusal, or call, that it derives from.

What follows from a refusal is no error of its own. So `f(*args)` with unknown `args` is
not the thing to report, but the generator, or the call of a library, that feeds it.
"""

from collections.abc import Iterator

from xdsl.ir import Block, Operation, SSAValue

from dycl.analysis.memory.effects import HOST_FUNCTIONS, why_not_called
from dycl.analysis.tensors.abstract import Unknown, leaves
from dycl.analysis.tensors.shapes import Inference
from dycl.ir import (
    CallOp,
    DictOp,
    ForOp,
    InvokeOp,
    ListOp,
    StoreSubscriptOp,
    UnsupportedOp,
)
from dycl.ir.constant_values import constant_name, constant_value
from dycl.ir.interfaces import RegionBranchOp, forwarded_from
from dycl.ir.library import UNFOLLOWED_ITERATOR
from dycl.ir.values import GlobalRef
from dycl.ir.walking import walk
from dycl.passes.expansion.remedies import OF_ITERATOR, help_of
from dycl.support.reasons import UNORDERED, code_of

Complaint = tuple[str, str, str]
"""Code, what is wrong, what to do."""


def cause_of(op: Operation) -> tuple[Operation, Complaint] | None:
    """The op that an op's operands, or whether it runs, derive from, and what it is.

    The first one in the order of the program; else a statement in front of it that
    is refused, whose values nobody knows. None: there is neither.
    """
    result: dict[Operation, Complaint] = {}
    seen: set[Operation] = {op}
    waiting = [*_operands(op)]
    while waiting:
        owner = waiting.pop().owner
        one = owner.parent_op() if isinstance(owner, Block) else owner
        if one is None or one in seen:
            continue
        seen.add(one)
        if (why := _refusal(one)) is not None:
            result[one] = why
        else:
            waiting += _operands(one)
    top = op
    while (parent := top.parent_op()) is not None:
        top = parent
    for one in walk(top):
        if one in result:
            return one, result[one]
        if isinstance(one, UnsupportedOp) and not one.result.uses and not result:
            return one, (one.code.data, one.what.data, one.help.data)
        if one is op:
            break
    return None


def unknown_behind(
    op: Operation, inference: Inference
) -> tuple[Operation, Complaint] | None:
    """The first op that the loops around an op derive from whose result is not known.

    Such a loop is gone over an unknown number of times, which is no fault of its body.
    """
    seen: dict[Operation, None] = {}
    waiting = list[SSAValue]()
    around = op.parent_op()
    while around is not None:
        waiting += [around.iterable] if isinstance(around, ForOp) else []
        around = around.parent_op()
    met: set[SSAValue] = set()
    while waiting:
        value = waiting.pop()
        if value in met:
            continue
        met.add(value)
        waiting += forwarded_from(value)
        if isinstance(value.owner, Operation):
            seen[value.owner] = None
            waiting += value.owner.operands
    for one in seen:
        outcome = inference.outcomes.get(one)
        feeds = [inference.of(value) for value in one.operands]
        if outcome is None or not outcome.reason:
            continue
        if not any(isinstance(v, Unknown) for tree in feeds for v in leaves(tree)):
            code = code_of(outcome.reason)
            return one, (code, outcome.reason, help_of(code))
    return None


def _operands(op: Operation) -> Iterator[SSAValue]:
    """What an op reads, what its regions give, and what decides whether it runs.

    For a list or dict, also of all that changes it.
    """
    yield from op.operands
    if isinstance(op, (ListOp, DictOp)):
        for use in op.result.uses:
            if isinstance(use.operation, (InvokeOp, StoreSubscriptOp)):
                yield from _operands(use.operation)
    if isinstance(op, RegionBranchOp):
        for region in op.regions:
            for block in region.blocks:
                if block.last_op is not None:
                    yield from block.last_op.operands
    parent = op.parent_op()
    while parent is not None:
        yield from parent.operands
        parent = parent.parent_op()


def _refusal(op: Operation) -> Complaint | None:
    """What an op is itself refused for, whatever its operands are."""
    if isinstance(op, UnsupportedOp):
        return op.code.data, op.what.data, op.help.data
    if isinstance(op, ForOp):
        return of_set(op)
    if not isinstance(op, (CallOp, InvokeOp)):
        return None
    callee = constant_value(op.operands[0])
    if not isinstance(callee, GlobalRef):
        return None
    name = callee.name
    if isinstance(op, InvokeOp):
        name = f"{name}.{op.method.data}"
    if name in HOST_FUNCTIONS or (why := why_not_called(name)) is None:
        return None
    help_ = OF_ITERATOR if why == UNFOLLOWED_ITERATOR else help_of(code_of(why))
    return code_of(why), why, help_


def of_set(op: ForOp) -> Complaint | None:
    """What a loop over a set is refused for: in which order its items come."""
    known = constant_value(op.iterable)
    owner = op.iterable.owner
    name = constant_name(owner.callee) if isinstance(owner, CallOp) else ""
    if not isinstance(known, (set, frozenset)) and name not in _SETS:
        return None
    return OF_SET


OF_SET: Complaint = (
    UNORDERED,
    "the order of a set's items is not known",
    "iterate over `sorted(...)` of it, or over a list without duplicates: "
    "`dict.fromkeys(...)`",
)
_SETS = ("builtins.set", "builtins.frozenset")
