"""`cpu-fold-collapsed-slices`: a slice leaves out dimensions of one by itself.

The rows of a collapsed slice of dynamic size are an unknown number of elements apart:
the size might be one. `h[0]`, the state of a layer, is such a slice, and a product that
reads it was a plain loop.

Before:
    %s = tensor.extract_slice %h[0, 0, 0] [1, %n, 256] [1, 1, 1]
    %y = tensor.collapse_shape %s [[0, 1], [2]]

After:
    %y = tensor.extract_slice %h[0, 0, 0] [1, %n, 256] [1, 1, 1] to ?x256

Needs:  linalg on tensors, before they are buffers.
Leaves: the slice as it was, where something else reads it.
Skips:  slices of known sizes, whose strides are known; dimensions that become one with
        another that is not known to be one; slices of which a dimension of one stays.
"""

from typing import Any

from dycl.kernels.cpu.mlir import ir, ops
from dycl.kernels.cpu.tensor_ops import owner


def fold_collapsed_slices(module: Any) -> None:
    """Collapse no slice of which all dimensions of one are left out."""
    for op in ops(module.operation):
        if op.name != "tensor.collapse_shape":
            continue
        made_by = owner(op.operands[0])
        if made_by is None or made_by.name != "tensor.extract_slice":
            continue
        result = op.results[0]
        if result.type.has_static_shape or not _leaves_out_all_ones(op):
            continue
        with ir.InsertionPoint(op), op.location:
            folded = ir.Operation.create(
                "tensor.extract_slice",
                results=[result.type],
                operands=list(made_by.operands),
                attributes={n: made_by.attributes[n] for n in made_by.attributes},
            )
        result.replace_all_uses_with(folded.results[0])
        op.erase()
        if not list(made_by.results[0].uses):
            made_by.erase()


def _leaves_out_all_ones(collapse: Any) -> bool:
    """Whether what is left of a slice is all of its dimensions but those of one.

    Which ones a slice leaves out is not written in it. Where one of several stays, MLIR
    infers it by sizes when it makes buffers (the first stays), and by strides when it
    lowers them (the last stays, if the strides are dynamic): all dimensions between the
    two then have the stride of their neighbour. `view[:, :, 0]` of [1, 3, 2, n] is one.
    """
    slice_op = owner(collapse.operands[0])
    taken = list(slice_op.results[0].type.shape)
    if len(taken) != len(slice_op.attributes["static_sizes"]):
        return False
    left = [size for size in taken if size != 1]
    return left == list(collapse.results[0].type.shape)
