"""`cpu-collapse-reshapes`: a reshape of each sample says so.

torch-mlir computes the shape of `x.view(x.size(0), -1)` at run time. Where a sample has
as many elements as before, there are as many samples.

Before:
    %y = tensor.reshape %x(%shape) : tensor<?x16x3x3xf32> to tensor<?x144xf32>

After:
    %y = tensor.collapse_shape %x [[0], [1, 2, 3]]

Needs:  linalg on tensors; to stand before `cpu-outline-samples`.
Leaves: `tensor.collapse_shape` and `tensor.expand_shape`.
Skips:  reshapes in which the number of samples changes, or more sizes are dynamic.
"""

import math
from typing import Any

from dycl.kernels.cpu import tensor_ops as build
from dycl.kernels.cpu.build import index
from dycl.kernels.cpu.mlir import ir, ops
from dycl.kernels.cpu.samples.sizes import batch_dim


def collapse_reshapes(module: Any) -> None:
    """Rewrite every reshape of each sample."""
    for op in ops(module.operation):
        if op.name != "tensor.reshape":
            continue
        source, result = op.operands[0], op.results[0]
        here, there = batch_dim(source.type), batch_dim(result.type)
        if here is None or there is None:
            continue
        if _elements(source.type, here) != _elements(result.type, there):
            continue
        with ir.InsertionPoint(op), op.location:
            flat = _collapsed(source, here)
            result.replace_all_uses_with(_expanded(flat, source, here, result.type))
        op.erase()


def _elements(kind: Any, batch: int) -> int:
    """Of a sample."""
    return math.prod(list(kind.shape)[batch + 1 :])


def _groups(rank: int, batch: int) -> list[int]:
    """How many dimensions go into that of samples, and into what a sample has."""
    inner = rank - batch - 1
    return [batch + 1, inner] if inner else [batch + 1]


def _collapsed(source: Any, batch: int) -> Any:
    rank = source.type.rank
    groups = _groups(rank, batch)
    if len(groups) == rank:
        return source
    sizes = [ir.ShapedType.get_dynamic_size(), _elements(source.type, batch)]
    return build.collapse(source, sizes[: len(groups)], groups)


def _expanded(flat: Any, source: Any, batch: int, kind: Any) -> Any:
    there = batch_dim(kind)
    assert there is not None
    groups = _groups(kind.rank, there)
    if flat.type.rank > len(groups):  # One element each.
        flat = build.collapse(flat, [ir.ShapedType.get_dynamic_size()], [2])
    if flat.type == kind:
        return flat
    if len(groups) > flat.type.rank:
        groups = [sum(groups)]
    count = build.op("tensor.dim", [source, index(batch)], ir.IndexType.get())
    return build.op(
        "tensor.expand_shape",
        [flat, count],
        kind,
        reassociation=build.reassociation(groups),
        static_output_shape=build.ints(kind.shape),
    )
