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
        another that is not known to be one.
"""

from typing import Any

from dycl.kernels.cpu.mlir import ir, ops
from dycl.kernels.cpu.tensor_ops import owner


def fold_collapsed_slices(module: Any) -> None:
    """Collapse no slice of which only dimensions of one are left out."""
    for op in ops(module.operation):
        if op.name != "tensor.collapse_shape":
            continue
        made_by = owner(op.operands[0])
        if made_by is None or made_by.name != "tensor.extract_slice":
            continue
        result = op.results[0]
        if result.type.has_static_shape or not _leaves_out_ones(op):
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


def _leaves_out_ones(collapse: Any) -> bool:
    """Whether all dimensions that become one with another, but one, are ones."""
    shape = list(collapse.operands[0].type.shape)
    return all(
        sum(shape[int(ir.IntegerAttr(place).value)] != 1 for place in group) <= 1
        for group in collapse.attributes["reassociation"]
    )
