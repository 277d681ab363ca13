"""What cannot be said of how a tensor lies in memory: its strides, and where it begins.

An abstract tensor has strides where its sizes are known, and no offset. Inputs and
parameters begin where their memory begins, and are in row-major order.
"""

from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, SSAValue

from dycl.analysis.tensors.abstract import Tensor
from dycl.ir import BinaryOp, CallOp, InvokeOp, ParamOp, UnaryOp
from dycl.ir.constant_values import constant_name

_ORDER = ("stride", "is_contiguous")
_STRIDED = {"as_strided": 3, "as_strided_copy": 3, "as_strided_scatter": 4}
"""Which argument, counted from the tensor, is the offset."""
_NEW = frozenset(("cat", "clone", "empty", "full", "ones", "stack", "tensor", "zeros"))
"""Methods and functions that give a tensor with memory of its own."""

_OPEN = "how a tensor lies in memory is not known where the data decide a size"
_OFFSET = "`storage_offset` counts from where the memory begins, and this may be a view"


def not_known(op: Operation, operands: list[object]) -> str | None:
    """Why it is not known what an op gives, if that is up to the memory; else None."""
    if isinstance(op, InvokeOp):
        tensor = op.receiver
        if op.method.data in _ORDER:
            open_sizes = isinstance(operands[0], Tensor) and not operands[0].is_static
            return _OPEN if open_sizes and not _is_argument(tensor) else None
        count, name = len(op.arguments), op.method.data
    elif isinstance(op, CallOp) and op.positional:
        tensor = op.positional[0]
        owner, _, name = constant_name(op.callee).rpartition(".")
        count = len(op.arguments) - 1 if owner == "torch" else 0
    else:
        return None
    if name not in _STRIDED or count < _STRIDED[name] or _is_whole(tensor):
        return None
    return _OFFSET


def _is_whole(tensor: SSAValue) -> bool:
    """Whether a tensor surely begins where its memory begins."""
    match op := tensor.owner:
        case BinaryOp() | UnaryOp() | ParamOp():
            return True
        case InvokeOp():
            return op.method.data in _NEW
        case CallOp():
            owner, _, name = constant_name(op.callee).rpartition(".")
            return owner == "torch" and name in _NEW
        case _:
            return _is_argument(tensor)


def _is_argument(value: SSAValue) -> bool:
    """Whether a value is an argument of a function."""
    block = value.owner
    return isinstance(block, Block) and isinstance(block.parent_op(), FuncOp)
