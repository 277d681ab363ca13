"""Sums, means, extremes, softmax and pools of torch in ONNX.

ONNX leaves open what the largest of numbers is if one of them is NaN, and engines
differ. Eager gives NaN, and the index of the first one, so the graphs ask for NaN.
"""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from xdsl.ir import Operation

from dycl.kernels.onnx.building import Graph, result_spec
from dycl.kernels.onnx.table import UNUSED, Value, need, onnx


def _dims(x: Value, given: Any) -> list[int]:
    """The dimensions of a reduction: None and [] stand for all."""
    dims = [given] if isinstance(given, int) else given or range(len(x.shape))
    return sorted({dim % max(len(x.shape), 1) for dim in dims})


def _reduced(g: Graph, kind: str, x: Value, dims: Any, shape: Sequence[int]) -> Value:
    """A reduction whose dimensions are an attribute; it ends in this shape."""
    if not x.shape:
        return x
    dims = _dims(x, dims)
    ones = [1 if i in dims else size for i, size in enumerate(x.shape)]
    found = g.add(kind, [x], x.dtype, ones, axes=dims, keepdims=1)
    return g.reshape(found, shape)


def _sum(g: Graph, x: Value, dims: Any, shape: Sequence[int]) -> Value:
    """ReduceSum takes its dimensions as an input."""
    if not x.shape:
        return x
    dims = _dims(x, dims)
    ones = [1 if i in dims else size for i, size in enumerate(x.shape)]
    found = g.add("ReduceSum", [x, g.ints(dims)], x.dtype, ones, keepdims=1)
    return g.reshape(found, shape)


@onnx("aten.sum.dim_IntList")
def sum_of(g: Graph, op: Operation, x: Value, dims: Any, *_: Any) -> Value:
    """Sums over dimensions."""
    spec = result_spec(op)
    return _sum(g, g.cast(x, spec.dtype), dims, spec.shape)


@onnx("aten.sum")
def sum_of_all(g: Graph, op: Operation, x: Value, *_: Any) -> Value:
    """The sum of all elements."""
    spec = result_spec(op)
    return _sum(g, g.cast(x, spec.dtype), None, spec.shape)


@onnx("aten.mean.dim")
def mean(g: Graph, op: Operation, x: Value, dims: Any, *_: Any) -> Value:
    """Means over dimensions."""
    need(x.is_float, "of integers")
    return _reduced(g, "ReduceMean", x, dims, result_spec(op).shape)


@onnx("aten.mean")
def mean_of_all(g: Graph, op: Operation, x: Value, *_: Any) -> Value:
    """The mean of all elements."""
    need(x.is_float, "of integers")
    return _reduced(g, "ReduceMean", x, None, ())


def _is_nan(g: Graph, x: Value) -> Value:
    """1.0 where x is NaN, else 0.0."""
    return g.cast(g.add("IsNaN", [x], "bool", x.shape), "float32")


def _extreme(g: Graph, kind: str, x: Value, dims: Any, shape: Sequence[int]) -> Value:
    found = _reduced(g, kind, x, dims, shape)
    if not x.is_float or not x.shape:
        return found
    marks = _reduced(g, "ReduceMax", _is_nan(g, x), dims, shape)
    return _nan_where(g, marks, found)


def _nan_where(g: Graph, marks: Value, found: Value) -> Value:
    test = g.cast(marks, "bool")
    nan = g.constant(np.float32(math.nan))
    return g.add("Where", [test, nan, found], found.dtype, found.shape)


def _place(g: Graph, kind: str, x: Value, dim: int, shape: Sequence[int]) -> Value:
    """The index of an extreme: the first one, or that of the first NaN."""
    need(x.dtype == "float32" and x.shape, "of other than f32")
    dim %= len(x.shape)
    ones = [1 if i == dim else size for i, size in enumerate(x.shape)]
    found = g.add(kind, [x], "int64", ones, axis=dim, keepdims=1)
    marks = _is_nan(g, x)
    first = g.add("ArgMax", [marks], "int64", ones, axis=dim, keepdims=1)
    test = g.cast(_reduced(g, "ReduceMax", marks, dim, ones), "bool")
    result = g.add("Where", [test, first, found], "int64", ones)
    return g.reshape(result, shape)


@onnx("aten.max", "aten.min")
def extreme(g: Graph, op: Operation, x: Value) -> Value:
    """The largest or smallest of all elements."""
    kind = "ReduceMax" if op.name.endswith("max") else "ReduceMin"
    need(x.dtype != "bool", "of truths")
    return _extreme(g, kind, x, None, result_spec(op).shape)


@onnx("aten.amax", "aten.amin")
def extremes(g: Graph, op: Operation, x: Value, dims: Any, keep: bool) -> Value:
    """The largest or smallest along dimensions."""
    kind = "ReduceMax" if op.name.endswith("max") else "ReduceMin"
    need(x.dtype != "bool", "of truths")
    return _extreme(g, kind, x, dims, result_spec(op).shape)


@onnx("aten.max.dim", "aten.min.dim")
def extreme_and_place(
    g: Graph, op: Operation, x: Value, dim: int, keep: bool
) -> list[Value]:
    """The largest or smallest along a dimension, and its index."""
    name = "Max" if ".max." in op.name else "Min"
    shape = result_spec(op).shape
    found = _extreme(g, f"Reduce{name}", x, dim, shape)
    return [found, _place(g, f"Arg{name}", x, dim, shape)]


@onnx("aten.argmax", "aten.argmin")
def place(g: Graph, op: Operation, x: Value, dim: Any, keep: bool) -> Value:
    """The index of the largest or smallest; `dim` None: among all elements."""
    kind = "ArgMax" if op.name.endswith("max") else "ArgMin"
    if dim is None:
        x, dim = g.reshape(x, [math.prod(x.shape)]), 0
    return _place(g, kind, x, dim, result_spec(op).shape)


@onnx("aten.all", "aten.any", "aten.all.dim", "aten.any.dim")
def quantified(g: Graph, op: Operation, x: Value, dim: Any = None, *_: Any) -> Value:
    """Whether all, or any, are true."""
    need(x.dtype == "bool", "of numbers")
    kind = "ReduceMin" if ".all" in op.name else "ReduceMax"
    found = _reduced(g, kind, g.cast(x, "int32"), dim, result_spec(op).shape)
    return g.cast(found, "bool")


@onnx("aten.cumsum")
def cumsum(g: Graph, op: Operation, x: Value, dim: int, *_: Any) -> Value:
    """Running sums."""
    dtype = result_spec(op).dtype
    axis = g.constant(np.array(dim, np.int64))
    return g.add("CumSum", [g.cast(x, dtype), axis], dtype, x.shape)


@onnx("aten.softmax.int", "aten._softmax", "aten.log_softmax.int")
def softmax(g: Graph, op: Operation, x: Value, dim: int, *_: Any) -> Value:
    """Softmax along a dimension, or its logarithm."""
    need(x.dtype == "float32" and x.shape, "of other than f32")
    kind = "LogSoftmax" if "log_" in op.name else "Softmax"
    return g.add(kind, [x], x.dtype, x.shape, axis=dim)


def _pairs(given: Any, count: int) -> list[int]:
    sizes = [int(v) for v in given]
    return sizes * count if len(sizes) == 1 else sizes


def _pool(g: Graph, kind: str, x: Value, shape: Any, **attributes: Any) -> Value:
    found = g.add(kind, [x], x.dtype, shape, **attributes)
    if kind == "AveragePool":
        return found
    # 2: one is NaN. 0: all are -inf, of which engines make the least finite number.
    least = g.constant(np.float32(-math.inf))
    more = g.cast(g.add("Greater", [x, least], "bool", x.shape), "float32")
    nan = _is_nan(g, x)
    marks = g.add(
        "Add", [g.add("Add", [nan, nan], "float32", x.shape), more], "float32", x.shape
    )
    marks = g.add(kind, [marks], "float32", shape, **attributes)
    one = g.constant(np.float32(1))
    is_finite = g.add("GreaterOrEqual", [marks, one], "bool", shape)
    found = g.add("Where", [is_finite, found, least], "float32", shape)
    return _nan_where(g, g.add("Greater", [marks, one], "bool", shape), found)


@onnx("aten.max_pool2d")
def max_pool(
    g: Graph, op: Operation, x: Value, size: Any, step: Any, pad: Any, by: Any, up: bool
) -> Value:
    """The largest of each window; what is around the image is not in any."""
    need(x.is_float and len(x.shape) == 4, "of one image alone")
    need(not up, "with windows that end outside")
    around, window = _pairs(pad, 2), _pairs(size, 2)
    return _pool(
        *(g, "MaxPool", x, result_spec(op).shape),
        kernel_shape=window,
        strides=_pairs(step, 2) if step else window,
        pads=around * 2,
        dilations=_pairs(by, 2),
    )


@onnx("aten.avg_pool2d")
def avg_pool(
    g: Graph,
    op: Operation,
    x: Value,
    size: Any,
    step: Any,
    pad: Any,
    up: bool,
    include: bool,
    divisor: Any,
) -> Value:
    """The mean of each window."""
    need(len(x.shape) == 4 and divisor is None, "with a divisor, or of one image alone")
    need(not up, "with windows that end outside")
    around, window = _pairs(pad, 2), _pairs(size, 2)
    return _pool(
        *(g, "AveragePool", x, result_spec(op).shape),
        kernel_shape=window,
        strides=_pairs(step, 2) if step else window,
        pads=around * 2,
        count_include_pad=int(include),
    )


@onnx("aten.adaptive_avg_pool2d", "aten.adaptive_max_pool2d")
def adaptive_pool(g: Graph, op: Operation, x: Value, *_: Any) -> Value | list[Value]:
    """Windows that cut the image into so many parts of one size."""
    shape = result_spec(op).shape
    need(len(x.shape) == 4, "of one image alone")
    pairs = list(zip(x.shape[2:], shape[2:], strict=True))
    need(all(had % wanted == 0 for had, wanted in pairs), "windows of several sizes")
    window = [had // wanted for had, wanted in pairs]
    kind = "AveragePool" if "avg" in op.name else "MaxPool"
    found = _pool(g, kind, x, shape, kernel_shape=window, strides=window)
    if kind == "AveragePool":
        return found
    need(not op.results[1].uses, "whose indices are used")
    return [found, Value(UNUSED, "int64", shape)]
