"""`cpu-one-user-per-destination`: no two ops start from one tensor and overwrite it.

CSE makes one `fill` of two. eliminate-empty-tensors then puts it into the memory of one
result, where the op for the other result works on it, and the final copies overwrite
that before it is read: `x.sum(), (x + 1).sum()` gave one sum twice.

Before:
    %init = linalg.fill ins(%zero) outs(%empty)
    %a = linalg.generic {sum} ins(%x) outs(%init)
    %b = linalg.generic {sum} ins(%y) outs(%init)

After:
    %init = linalg.fill ins(%zero) outs(%empty)
    %a = linalg.generic {sum} ins(%x) outs(%init)
    %again = linalg.fill ins(%zero) outs(%another)
    %b = linalg.generic {sum} ins(%y) outs(%again)

Needs:  linalg on tensors, after the last CSE on tensors.
Leaves: a copy of what is used elsewhere as well and is dear to make again.
Skips:  tensors with one user.
"""

from typing import Any

from dycl.kernels.cpu.mlir import ir, ops
from dycl.kernels.cpu.tensor_ops import alloc_copy, owner


def one_user_per_destination(module: Any) -> None:
    """Give each op a destination of its own."""
    all_ops = ops(module.operation)
    for op in all_ops:
        for index in _destinations(op):
            value = op.operands[index]
            made_by = owner(value)
            if (
                not isinstance(value.type, ir.RankedTensorType)
                or made_by is None
                or made_by.name in _REPEATED
            ):
                continue
            if _has_other_users(value):
                with ir.InsertionPoint(op), op.location:
                    op.operands[index] = alloc_copy(value)
    # Backwards: a `fill` that is repeated is one more user of its `empty`.
    for op in reversed(all_ops):
        if op.name in _REPEATED:
            for use in list(op.results[0].uses)[1:]:
                with ir.InsertionPoint(op):
                    again = op.operation.clone()
                use.owner.operands[use.operand_number] = again.results[0]


_REPEATED = ("tensor.empty", "linalg.fill")
"""Cheaper made again than copied."""


def _has_other_users(value: Any) -> bool:
    """Whether a tensor, or one that it is a view of, has more than one use."""
    made_by = owner(value)
    if len(list(value.uses)) > 1:
        return True
    if made_by is None or made_by.name not in _VIEWS:
        return False
    return _has_other_users(made_by.operands[0])


_VIEWS = ("tensor.expand_shape", "tensor.collapse_shape", "tensor.extract_slice")


def _destinations(op: Any) -> range:
    """The operands that an op writes its results over."""
    if op.name in ("tensor.insert", "tensor.insert_slice"):
        return range(1, 2)
    if op.name == "scf.for":
        # What a loop begins with is overwritten by what it carries.
        return range(3, len(op.operands))
    if op.name.startswith("linalg.") and "operandSegmentSizes" in op.attributes:
        inputs = int(op.attributes["operandSegmentSizes"][0])
        return range(inputs, len(op.operands))
    return range(0)
