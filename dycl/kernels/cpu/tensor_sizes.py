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
    if producer.name == "tensor.pad" and pads_behind(producer):
        total = size_of(producer.operands[0], dim)
        for more in (producer.attributes["static_low"][dim], highs(producer)[dim]):
            total = plus(total, more)
        return total
    if producer.name in ("linalg.pack", "linalg.unpack"):
        return size_of(producer.operands[1], dim)
    if producer.name.startswith("linalg."):
        inputs = len(producer.operands) - len(producer.results)
        return size_of(producer.operands[inputs + value.result_number], dim)
    return _asked(value, dim)


def pads_behind(op: Any) -> bool:
    """Whether a `tensor.pad` pads before each dimension by a number that is known."""
    return int(op.attributes["operandSegmentSizes"][1]) == 0


def highs(op: Any) -> list[Any]:
    """By how much a `tensor.pad` that `pads_behind` does so: a number or an index."""
    counts = iter(list(op.operands)[1:])
    return [next(counts) if n < 0 else int(n) for n in op.attributes["static_high"]]


def plus(size: Any, more: Any) -> Any:
    """An index and a number or another index."""
    if isinstance(more, int):
        return size if more == 0 else plus(size, index(more))
    return build.op("arith.addi", [size, more], size.type)


def empty_of(sizes: Sequence[Any], element: Any) -> Any:
    """A new `tensor.empty` whose sizes are numbers or, where a run decides, indices."""
    kind = ir.RankedTensorType.get(shape_of(sizes), element)
    counts = [size for size in sizes if not isinstance(size, int)]
    return build.op("tensor.empty", counts, kind)


def expand_to(value: Any, sizes: Sequence[Any], groups: Sequence[int]) -> Any:
    """Dimensions taken apart, to sizes that are numbers or indices; `groups`: how many
    of them each becomes."""
    shape = shape_of(sizes)
    return build.op(
        "tensor.expand_shape",
        [value, *(size for size in sizes if not isinstance(size, int))],
        ir.RankedTensorType.get(shape, value.type.element_type),
        reassociation=build.reassociation(groups),
        static_output_shape=build.ints(shape),
    )


def shape_of(sizes: Sequence[Any]) -> list[int]:
    """The shape in a type."""
    dynamic = ir.ShapedType.get_dynamic_size()
    return [size if isinstance(size, int) else dynamic for size in sizes]


def empty_like(value: Any, shape: Sequence[int]) -> Any:
    """A new `tensor.empty` with the elements of `value`; where a run decides its size,
    that is the size of `value` in the same dimension."""
    kind = ir.RankedTensorType.get(list(shape), value.type.element_type)
    dims = [size_of(value, dim) for dim in range(kind.rank) if kind.is_dynamic_dim(dim)]
    return build.op("tensor.empty", dims, kind)


def _asked(value: Any, dim: int) -> Any:
    return build.op("tensor.dim", [value, index(dim)], ir.IndexType.get())
