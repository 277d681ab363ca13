"""Ops of torch that move elements, and tensors of constants, in ONNX."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from xdsl.ir import Operation

from dycl.kernels.onnx.building import Graph, result_spec
from dycl.kernels.onnx.table import Value, need, onnx


@onnx(
    *("aten.view", "aten.reshape", "aten.flatten.using_ints", "aten.squeeze"),
    *("aten.squeeze.dim", "aten.unsqueeze", "aten.contiguous", "aten.clone"),
    *("aten.detach", "aten.alias", "aten.unflatten.int", "aten.view_as"),
)
def reshaped(g: Graph, op: Operation, x: Value, *_: Any) -> Value:
    """The same elements: the type of the result says in which shape."""
    return g.reshape(x, result_spec(op).shape)


@onnx("aten.expand", "aten.broadcast_to")
def expanded(g: Graph, op: Operation, x: Value, *_: Any) -> Value:
    """Elements repeated along dimensions of size 1."""
    shape = result_spec(op).shape
    return g.add("Expand", [x, g.ints(shape)], x.dtype, shape)


def transposed(g: Graph, x: Value, order: Sequence[int]) -> Value:
    """The dimensions in another order."""
    shape = [x.shape[i] for i in order]
    return g.add("Transpose", [x], x.dtype, shape, perm=list(order))


@onnx("aten.permute")
def permute(g: Graph, op: Operation, x: Value, order: list[int]) -> Value:
    """Dimension `order[i]` becomes dimension i."""
    return transposed(g, x, [i % len(x.shape) for i in order])


@onnx("aten.transpose.int")
def transpose(g: Graph, op: Operation, x: Value, a: int, b: int) -> Value:
    """Two dimensions are exchanged."""
    return _exchanged(g, x, a, b)


@onnx("aten.t")
def t(g: Graph, op: Operation, x: Value) -> Value:
    """A matrix, transposed."""
    return x if len(x.shape) < 2 else _exchanged(g, x, 0, 1)


def _exchanged(g: Graph, x: Value, a: int, b: int) -> Value:
    order = list(range(len(x.shape)))
    if order:
        order[a], order[b] = order[b], order[a]
    return transposed(g, x, order)


@onnx("aten.select.int")
def select(g: Graph, op: Operation, x: Value, dim: int, index: Any) -> Value:
    """What has this index in a dimension, which is gone."""
    need(isinstance(index, int), "an index that a run decides")
    dim %= len(x.shape)
    at = g.constant(np.array(index % x.shape[dim], np.int64))
    return g.add("Gather", [x, at], x.dtype, result_spec(op).shape, axis=dim)


@onnx("aten.slice.Tensor")
def sliced(
    g: Graph, op: Operation, x: Value, dim: int, start: Any, end: Any, step: Any
) -> Value:
    """`x[start:end:step]` in a dimension."""
    given = (start, end, step)
    need(all(v is None or isinstance(v, int) for v in given), "bounds of a run")
    first, last, by = slice(start, end, step).indices(x.shape[dim])
    bounds = [g.ints([v]) for v in (first, last, dim % len(x.shape), by)]
    return g.add("Slice", [x, *bounds], x.dtype, result_spec(op).shape)


@onnx("aten.cat")
def cat(g: Graph, op: Operation, parts: list[Value], dim: int) -> Value:
    """Tensors one behind the other in a dimension."""
    spec = result_spec(op)
    need(all(len(v.shape) == len(spec.shape) for v in parts), "of several ranks")
    given = [g.cast(v, spec.dtype) for v in parts]
    return g.add("Concat", given, spec.dtype, spec.shape, axis=dim % len(spec.shape))


@onnx("aten.stack")
def stack(g: Graph, op: Operation, parts: list[Value], dim: int) -> Value:
    """Tensors one behind the other in a new dimension."""
    spec = result_spec(op)
    dim %= len(spec.shape)
    one = [*spec.shape[:dim], 1, *spec.shape[dim + 1 :]]
    given = [g.reshape(g.cast(v, spec.dtype), one) for v in parts]
    return g.add("Concat", given, spec.dtype, spec.shape, axis=dim)


@onnx("aten.chunk", "aten.split.Tensor", "aten.split_with_sizes")
def chunk(g: Graph, op: Operation, x: Value, given: Any, dim: int) -> list[Value]:
    """A tensor in parts: so many, of such a size, or of these sizes."""
    dim %= len(x.shape)
    whole = x.shape[dim]
    if isinstance(given, list):
        sizes = [int(v) for v in given]
    else:
        size = -(-whole // given) if op.name.endswith("chunk") else given
        sizes = [min(size, whole - at) for at in range(0, whole, size)]
    results = [(x.dtype, _with(x.shape, dim, size)) for size in sizes]
    return g.add_many("Split", [x, g.ints(sizes)], results, axis=dim)


@onnx("aten.unbind.int")
def unbind(g: Graph, op: Operation, x: Value, dim: int) -> list[Value]:
    """What has each index in a dimension, which is gone."""
    dim %= len(x.shape)
    left = (*x.shape[:dim], *x.shape[dim + 1 :])
    ones = [1] * x.shape[dim]
    results = [(x.dtype, _with(x.shape, dim, 1)) for _ in ones]
    parts = g.add_many("Split", [x, g.ints(ones)], results, axis=dim)
    return [g.reshape(part, left) for part in parts]


def _with(shape: Sequence[int], dim: int, size: int) -> tuple[int, ...]:
    return (*shape[:dim], size, *shape[dim + 1 :])


def _inside(g: Graph, at: Value, size: int) -> Value:
    """Indices from 0 to `size` - 1.

    Negative ones count from the end. For one that is out of range the host raises what
    eager does, once the kernel has run: the engine must not end before that.
    """
    count = g.constant(np.array(size, np.int64))
    return g.add("Mod", [g.cast(at, "int64"), count], "int64", at.shape)


def _gathered(g: Graph, x: Value, at: Value, axis: int, shape: Sequence[int]) -> Value:
    place = _inside(g, at, x.shape[axis])
    return g.add("Gather", [x, place], x.dtype, shape, axis=axis)


@onnx("aten.index.Tensor")
def index(g: Graph, op: Operation, x: Value, at: list[Value | None]) -> Value:
    """`x[:, indices]`, or `x[:, rows, columns]` where indices follow one another.

    The elements that several indices choose are those of one index into the dimensions
    together.
    """
    dims = [i for i, found in enumerate(at) if found is not None]
    given = [found for found in at if found is not None]
    need(all(found.dtype in ("int64", "int32") for found in given), "by a mask")
    need(dims == [*range(dims[0], dims[-1] + 1)], "of dimensions apart")
    shape, first = result_spec(op).shape, dims[0]
    if len(given) == 1:
        return _gathered(g, x, given[0], first, shape)
    sizes = [x.shape[dim] for dim in dims]
    together = np.broadcast_shapes(*(found.shape for found in given))
    place: Value | None = None
    for found, size in zip(given, sizes, strict=True):
        inside = _inside(g, found, size)
        if place is not None:
            count = g.constant(np.array(size, np.int64))
            before = g.add("Mul", [place, count], "int64", place.shape)
            sum_shape = np.broadcast_shapes(place.shape, inside.shape)
            inside = g.add("Add", [before, inside], "int64", sum_shape)
        place = inside
    assert place is not None
    assert place.shape == together
    flat = (*x.shape[:first], math.prod(sizes), *x.shape[dims[-1] + 1 :])
    rows = g.reshape(x, flat)
    return g.add("Gather", [rows, place], x.dtype, shape, axis=first)


@onnx("aten.index_select")
def index_select(g: Graph, op: Operation, x: Value, dim: int, at: Value) -> Value:
    """What has these indices in a dimension."""
    return _gathered(g, x, at, dim % len(x.shape), result_spec(op).shape)


@onnx("aten.embedding")
def embedding(g: Graph, op: Operation, rows: Value, at: Value, *_: Any) -> Value:
    """Rows of a table."""
    return _gathered(g, rows, at, 0, result_spec(op).shape)


@onnx("aten.upsample_nearest2d.vec")
def upsample(g: Graph, op: Operation, x: Value, size: Any, scales: Any) -> Value:
    """Each pixel of the result is one of the image: the one that torch takes.

    ONNX's op rounds otherwise where the two sizes have no whole ratio.
    """
    need(isinstance(size, list) and scales is None, "by a factor")
    for axis, wanted in zip((2, 3), size, strict=True):
        had = x.shape[axis]
        ratio = np.float32(had) / np.float32(wanted)
        places = np.floor(np.arange(wanted, dtype=np.float32) * ratio)
        at = g.ints(np.minimum(places.astype(np.int64), had - 1).tolist())
        shape = _with(x.shape, axis, wanted)
        x = g.add("Gather", [x, at], x.dtype, shape, axis=axis)
    return x


@onnx("aten.triu", "aten.tril")
def triangle(g: Graph, op: Operation, x: Value, diagonal: int) -> Value:
    """What is on one side of a diagonal, and zeros."""
    upper = int(op.name.endswith("triu"))
    k = g.constant(np.array(diagonal, np.int64))
    return g.add("Trilu", [x, k], x.dtype, x.shape, upper=upper)


_FILLED = {"zeros": 0, "new_zeros": 0, "zeros_like": 0, "ones": 1, "ones_like": 1}


@onnx(*(f"aten.{name}" for name in _FILLED))
def filled(g: Graph, op: Operation, *_: Any) -> Value:
    """A tensor of one number."""
    spec = result_spec(op)
    return g.constant(np.full(spec.shape, _FILLED[op.name.split(".")[2]], spec.dtype))


@onnx("aten.full")
def full(g: Graph, op: Operation, size: Any, number: Any, *_: Any) -> Value:
    """A tensor of one given number."""
    need(isinstance(number, int | float), "of a number of a run")
    spec = result_spec(op)
    return g.constant(np.full(spec.shape, number, spec.dtype))


@onnx("aten.arange")
def arange(g: Graph, op: Operation, end: Any, *_: Any) -> Value:
    """0, 1, ... below a whole number."""
    spec = result_spec(op)
    need(isinstance(end, int) and not spec.dtype.startswith("float"), "of floats")
    return g.constant(np.arange(end, dtype=spec.dtype))
