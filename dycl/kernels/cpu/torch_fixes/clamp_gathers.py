"""`cpu-clamp-gathers`: an index from the data stays inside the tensor that it reads.

Eager raises IndexError for an index out of range; the host's check does (see
`docs/explanation/effects.md`). A kernel cannot raise. It reads the nearest element
instead, never memory that is not its own.

Before:
    %e = tensor.extract %table[%i, %j] : tensor<100x16xf32>     // %j a loop's index

After:
    %low = arith.maxsi %i, %zero
    %in = arith.minsi %low, %ninety_nine
    %e = tensor.extract %table[%in, %j] : tensor<100x16xf32>

Needs:  linalg on tensors.
Leaves: indices that cannot leave their tensor.
Skips:  indices of loops and constants, which are in range, and those of which an op
        says so; tensors without elements, from which nothing is read.
"""

from typing import Any

from dycl.kernels.cpu import build
from dycl.kernels.cpu.mlir import ir, ops
from dycl.kernels.cpu.tensor_ops import owner

IN_RANGE = "dycl.in_range"
"""On an op: the index that it gives has been clamped already."""


def clamp_gathers(module: Any) -> None:
    """Clamp every data-dependent index of `tensor.extract`."""
    for op in ops(module.operation):
        if op.name != "tensor.extract":
            continue
        for position, size in enumerate(op.operands[0].type.shape):
            index = op.operands[position + 1]
            if not _is_in_range(index) and size != 0:
                with ir.InsertionPoint(op), op.location:
                    last = _last(op.operands[0], position)
                    low = build.op("arith.maxsi", [index, build.index(0)], index.type)
                    clamped = build.op("arith.minsi", [low, last], index.type)
                op.operands[position + 1] = clamped


def _is_in_range(index: Any) -> bool:
    made_by = owner(index)
    return made_by is not None and (
        made_by.name in ("linalg.index", "arith.constant")
        or IN_RANGE in made_by.attributes
    )


def _last(tensor: Any, dim: int) -> Any:
    """The last index of a dimension, whose size may be known at run time only."""
    size = tensor.type.shape[dim]
    if size >= 0:
        return build.index(size - 1)
    index = ir.IndexType.get()
    whole = build.op("tensor.dim", [tensor, build.index(dim)], index)
    return build.op("arith.subi", [whole, build.index(1)], index)
