"""Which tensors something may change in place, by any name.

A tensor that is never changed may be folded into a constant, and so may its views. One
that is changed may not: `b = a.view(4)`, then `a += 1`, changes `b`. The answer is
conservative: a call of code that is not inlined yet may change all it is given.
"""

from collections.abc import Iterator

from xdsl.ir import Block, BlockArgument, Operation, SSAValue

from dycl.ir import (
    BinaryOp,
    CallOp,
    CompareOp,
    ConstantOp,
    ForOp,
    InplaceOp,
    InvokeOp,
    StoreSubscriptOp,
    SubscriptOp,
    ToBoolOp,
    UnaryOp,
)
from dycl.ir.constant_values import MISSING, constant_value
from dycl.ir.environment import Environment
from dycl.ir.interfaces import RegionBranchOp, forwarded_from
from dycl.ir.not_evaluated import NotEvaluated
from dycl.ir.torch import BoolT, FloatT, IntT, TorchType, VTensorType
from dycl.ir.values import GlobalRef, ObjectRef
from dycl.ir.walking import walk

_FRESH = (BinaryOp, CompareOp, UnaryOp, ToBoolOp, ConstantOp)
"""Ops whose result shares memory with no operand."""

_FRESH_FUNCTIONS = {
    *("torch.cat", "torch.concat", "torch.stack", "torch.bmm", "torch.matmul"),
    *("torch.nn.functional.conv1d", "torch.nn.functional.conv2d"),
    *("torch.nn.functional.batch_norm", "torch.nn.functional.linear"),
}
"""Functions of torch whose result is always new."""
_FRESH_MODULES = tuple(
    f"torch.nn.modules.{name}." for name in ("conv", "batchnorm", "linear.Linear")
)
"""So with these modules of torch."""

_VIEWS = frozenset(
    (
        *("as_strided", "chunk", "diagonal", "expand", "flatten", "movedim", "narrow"),
        *("permute", "reshape", "select", "split", "squeeze", "swapaxes", "transpose"),
        *("unflatten", "unfold", "unsqueeze", "view"),
    )
)
"""Methods of tensors whose arguments are sizes and places, which are read only."""
_FRESH_METHODS = frozenset(("new_empty", "new_full", "new_ones", "new_zeros"))
"""Methods of tensors whose result is always new."""

_WRITERS = (InplaceOp, StoreSubscriptOp, InvokeOp, CallOp)
"""Ops that may change what they are given."""

_WRITING_KEYWORDS = {"out", "inplace"}


_NUMBERS = (BoolT, FloatT, IntT)
"""Types of values that nothing changes, whatever method they are handed to."""


def changed_values(block: Block, environment: Environment) -> set[SSAValue]:
    """Every value of a function's body that may be, or share memory with, a tensor
    that is changed in place somewhere in the body."""
    writers = [op for op in walk(block) if type(op) in _WRITERS]
    waiting = [v for op in writers for v in written_by(op, environment)]
    changed: set[SSAValue] = set()
    while waiting:
        value = waiting.pop()
        if value not in changed:
            changed.add(value)
            waiting += _sources(value, environment)
    return changed


def written_by(op: Operation, environment: Environment) -> list[SSAValue]:
    """The operands of an op that it may change in place, if they are tensors."""
    if type(op) not in _WRITERS:
        return []
    return [v for v in _written(op, environment) if v.type not in _NUMBERS]


def _written(op: Operation, environment: Environment) -> Iterator[SSAValue]:
    """Operands that an op may change."""
    if isinstance(op, (InplaceOp, StoreSubscriptOp)):
        yield op.operands[0]
    elif isinstance(op, InvokeOp):
        method = op.method.data
        if method.endswith("_") and not method.endswith("__"):
            yield op.receiver
        if not _WRITING_KEYWORDS.isdisjoint(op.keyword_names) or _may_be_users(op):
            yield from op.arguments
    elif isinstance(op, CallOp) and _may_write(op, environment):
        yield from op.operands


def _may_be_users(op: InvokeOp) -> bool:
    """Whether a method may be the user's: its receiver is no tensor and no data."""
    if isinstance(op.receiver.type, TorchType):
        return False
    receiver = constant_value(op.receiver)
    return receiver is MISSING or isinstance(receiver, ObjectRef)


def _may_write(op: CallOp, environment: Environment) -> bool:
    callee = constant_value(op.callee)
    if callee is MISSING:
        return True
    if isinstance(callee, GlobalRef):
        name = callee.name
        by_name = name.endswith("_") and not name.endswith("__")
        return by_name or not _WRITING_KEYWORDS.isdisjoint(op.keyword_names)
    if isinstance(callee, ObjectRef):
        try:
            members = environment.members(callee.path)
        except NotEvaluated:
            return True
        return "__leaf__" not in members or members.get("inplace") is True
    return True


def _sources(value: SSAValue, environment: Environment) -> list[SSAValue]:
    """Values that this one may be, or share memory with."""
    owner = value.owner
    if isinstance(value, BlockArgument):
        return _of_argument(value)
    assert isinstance(owner, Operation)
    if isinstance(owner, _FRESH):
        return []
    if isinstance(owner, InplaceOp) and isinstance(owner.lhs.type, TorchType):
        return [owner.lhs]  # a list would keep the items of the other operand
    if isinstance(owner, RegionBranchOp):
        return owner.incoming(value)
    if isinstance(owner, CallOp):
        return _shared_by_call(owner, environment)
    if isinstance(owner, SubscriptOp):
        return [owner.operand]
    if isinstance(owner, InvokeOp) and isinstance(owner.receiver.type, VTensorType):
        if owner.method.data in _FRESH_METHODS:
            return []
        if owner.method.data in _VIEWS:
            return [owner.receiver]
    return list(owner.operands)


def _shared_by_call(op: CallOp, environment: Environment) -> list[SSAValue]:
    """Operands that the result of a call may be, or share memory with."""
    callee = constant_value(op.callee)
    if isinstance(callee, GlobalRef):
        if callee.name in _FRESH_FUNCTIONS:
            return []
        if callee.name == "torch.nn.functional.pad":
            return list(op.arguments)[:1]  # the widths may be tensors too
    if isinstance(callee, ObjectRef):
        try:
            leaf = environment.members(callee.path).get("__leaf__")
        except NotEvaluated:
            leaf = None
        if isinstance(leaf, str) and f"{leaf}.".startswith(_FRESH_MODULES):
            return []
    return list(op.operands)


def _of_argument(value: BlockArgument) -> list[SSAValue]:
    loop = value.owner.parent_op()
    if isinstance(loop, ForOp) and value is loop.item:
        return [loop.iterable]
    return forwarded_from(value)
