"""Products and convolutions of torch in ONNX, and the norms that go with them."""

import math
from typing import Any

import numpy as np
from xdsl.ir import Operation

from dycl.kernels.onnx.building import Graph, result_spec
from dycl.kernels.onnx.shapes import transposed
from dycl.kernels.onnx.table import Value, need, onnx


def _floats(*values: Value | None) -> None:
    """Unfit: not all are f32."""
    need(all(v is None or v.dtype == "float32" for v in values), "of other than f32")


@onnx("aten.linear")
def linear(g: Graph, op: Operation, x: Value, weight: Value, bias: Any) -> Value:
    """`x @ weight.T + bias`, over the last dimension."""
    _floats(x, weight, bias)
    need(len(weight.shape) == 2, "with a vector of weights")
    shape = result_spec(op).shape
    rows = math.prod(x.shape[:-1])
    flat = g.reshape(x, [rows, x.shape[-1]])
    given = [flat, weight] if bias is None else [flat, weight, bias]
    product = g.add("Gemm", given, "float32", [rows, weight.shape[0]], transB=1)
    return g.reshape(product, shape)


@onnx("aten.addmm")
def addmm(
    g: Graph, op: Operation, c: Value, a: Value, b: Value, beta: Any, alpha: Any
) -> Value:
    """`beta * c + alpha * a @ b`."""
    _floats(a, b, c)
    need(beta == 1 and alpha == 1, "with factors")
    return g.add("Gemm", [a, b, c], "float32", result_spec(op).shape)


@onnx("aten.matmul", "aten.mm", "aten.bmm")
def matmul(g: Graph, op: Operation, a: Value, b: Value) -> Value:
    """The product of matrices, or of batches of them."""
    _floats(a, b)
    return g.add("MatMul", [a, b], "float32", result_spec(op).shape)


@onnx("aten.scaled_dot_product_attention")
def attention(
    g: Graph, op: Operation, query: Value, key: Value, value: Value, *more: Any
) -> Value:
    """Products around a softmax; a query that may look at no key gets zeros."""
    mask, dropout, is_causal, scale, _ = more
    _floats(query, key, value)
    outer, count, places = query.shape[:-2], query.shape[-2], key.shape[-2]
    is_plain = outer == key.shape[:-2] == value.shape[:-2]
    need(is_plain, "of heads that are shared, or broadcast")
    need(dropout == 0, "with dropout")
    shape = [*outer, count, places]
    order = [*range(len(outer)), len(outer) + 1, len(outer)]
    scores = g.add("MatMul", [query, transposed(g, key, order)], "float32", shape)
    factor = query.shape[-1] ** -0.5 if scale is None else scale
    scores = g.add("Mul", [scores, g.constant(np.float32(factor))], "float32", shape)
    lowest, zero = (g.constant(np.float32(v)) for v in (-math.inf, 0.0))
    if mask is not None:
        scores = g.add("Add", [scores, _as_numbers(g, mask)], "float32", shape)
    if is_causal:  # A later key that is NaN is not looked at.
        reached = g.constant(np.tril(np.ones((count, places), np.bool_)))
        scores = g.add("Where", [reached, scores, lowest], "float32", shape)
    weights = g.add("Softmax", [scores], "float32", shape, axis=-1)
    # NaN is no such score, and engines differ in what is the largest beside it.
    left_out = g.cast(g.add("Equal", [scores, lowest], "bool", shape), "float32")
    each = [*outer, count, 1]
    fewest = g.add("ReduceMin", [left_out], "float32", each, axes=[-1], keepdims=1)
    is_empty = g.add("Greater", [fewest, zero], "bool", each)
    weights = g.add("Where", [is_empty, zero, weights], "float32", shape)
    return g.add("MatMul", [weights, value], "float32", result_spec(op).shape)


def _as_numbers(g: Graph, mask: Value) -> Value:
    """A mask to be added: of bits, 0 where they are set and -inf elsewhere."""
    if mask.dtype != "bool":
        _floats(mask)
        return mask
    numbers = [g.constant(np.float32(v)) for v in (0.0, -math.inf)]
    return g.add("Where", [mask, *numbers], "float32", mask.shape)


def _convolution(
    g: Graph, op: Operation, x: Value, weight: Value, bias: Any, *places: Any
) -> Value:
    step, pad, by, groups = places
    _floats(x, weight, bias)
    count = len(weight.shape) - 2
    need(len(x.shape) == count + 2, "of one image alone")
    need(isinstance(pad, list), "with padding by name")
    step, pad, by = (list(v) * count if len(v) == 1 else v for v in (step, pad, by))
    return g.add(
        "Conv",
        [x, weight] if bias is None else [x, weight, bias],
        "float32",
        result_spec(op).shape,
        kernel_shape=list(weight.shape[2:]),
        strides=step,
        pads=[*pad, *pad],
        dilations=by,
        group=groups,
    )


onnx("aten.conv1d", "aten.conv2d", "aten.conv3d")(_convolution)


@onnx("aten.convolution")
def convolution(
    g: Graph, op: Operation, x: Value, weight: Value, bias: Any, *places: Any
) -> Value:
    """A convolution of any rank that is not transposed."""
    step, pad, by, is_transposed, _, groups = places
    need(not is_transposed, "transposed")
    return _convolution(g, op, x, weight, bias, step, pad, by, groups)


@onnx("aten.batch_norm")
def batch_norm(
    g: Graph, op: Operation, x: Value, scale: Any, bias: Any, *more: Any
) -> Value:
    """By what is known of all images: mean and variance are given."""
    mean, variance, training, _, epsilon, _ = more
    _floats(x, scale, bias, mean, variance)
    need(not training and mean is not None, "by the images themselves")
    count = [x.shape[1]]
    scale = g.constant(np.ones(count, np.float32)) if scale is None else scale
    bias = g.constant(np.zeros(count, np.float32)) if bias is None else bias
    given = [x, scale, bias, mean, variance]
    kind = "BatchNormalization"
    return g.add(kind, given, "float32", x.shape, epsilon=float(epsilon))


@onnx("aten.layer_norm")
def layer_norm(g: Graph, op: Operation, x: Value, size: list[int], *more: Any) -> Value:
    """Over the last dimensions."""
    scale, bias, epsilon, _ = more
    _floats(x, scale, bias)
    scale = g.constant(np.ones(size, np.float32)) if scale is None else scale
    given = [x, scale] if bias is None else [x, scale, bias]
    attributes = {"axis": -len(size), "epsilon": float(epsilon)}
    return g.add("LayerNormalization", given, "float32", x.shape, **attributes)


@onnx("aten.bilinear")
def bilinear(
    g: Graph, op: Operation, a: Value, b: Value, weight: Value, bias: Any
) -> Value:
    """`a W[k] b` for each k: as one product of a with all W, then sums with b."""
    _floats(a, b, weight, bias)
    need(len(a.shape) == 2, "of more dimensions")
    rows, (count, left, right) = a.shape[0], weight.shape
    flat = g.reshape(transposed(g, weight, [1, 0, 2]), [left, count * right])
    product = g.add("MatMul", [a, flat], "float32", [rows, count * right])
    by_result = g.reshape(product, [rows, count, right])
    other = g.reshape(b, [rows, right, 1])
    sums = g.add("MatMul", [by_result, other], "float32", [rows, count, 1])
    result = g.reshape(sums, [rows, count])
    if bias is None:
        return result
    return g.add("Add", [result, bias], "float32", result.shape)
