"""Sizes of tensors that a run decides, as values beside the ops that need them.

A size is asked of what it was made of, not of the tensor: a tensor that steps replace
would stay for a question about it alone.
"""

from collections.abc import Sequence
from typing import Any

from dycl.kernels.cpu import tensor_ops as build
from dycl.kernels.cpu.build import index
from dycl.kernels.cpu.mlir import ir


def is_f32_image(kind: Any) -> bool:
    """Whether a tensor has f32 elements, and known channels: of samples, rows and
    columns a run may decide how many there are."""
    return (
        isinstance(kind, ir.RankedTensorType | ir.MemRefType)
        and isinstance(kind.element_type, ir.F32Type)
        and kind.rank > 1
        and not kind.is_dynamic_dim(1)
    )


def size_of(value: Any, dim: int) -> Any:
    """The size of a tensor in a dimension, as an index."""
    kind = value.type
    if not kind.is_dynamic_dim(dim):
        return index(kind.get_dim_size(dim))
    producer = build.owner(value)
    if producer is None:
        return _asked(value, dim)
    if producer.name == "tensor.empty":
        before = [d for d in range(dim) if kind.is_dynamic_dim(d)]
        return producer.operands[len(before)]
    if producer.name == "tensor.pad" and len(producer.operands) == 1:
        sides = ("static_low", "static_high")
        more = sum(int(producer.attributes[side][dim]) for side in sides)
        here = size_of(producer.operands[0], dim)
        return build.op("arith.addi", [here, index(more)], here.type) if more else here
    if producer.name in ("linalg.pack", "linalg.unpack"):
        return size_of(producer.operands[1], dim)
    if producer.name.startswith("linalg."):
        inputs = len(producer.operands) - len(producer.results)
        return size_of(producer.operands[inputs + value.result_number], dim)
    return _asked(value, dim)


def empty_like(value: Any, shape: Sequence[int]) -> Any:
    """A new `tensor.empty` with the elements of `value`; where a run decides its size,
    that is the size of `value` in the same dimension."""
    kind = ir.RankedTensorType.get(list(shape), value.type.element_type)
    dims = [size_of(value, dim) for dim in range(kind.rank) if kind.is_dynamic_dim(dim)]
    return build.op("tensor.empty", dims, kind)


def _asked(value: Any, dim: int) -> Any:
    return build.op("tensor.dim", [value, index(dim)], ir.IndexType.get())
