"""Elementwise ops of torch in ONNX: arithmetic, functions, comparisons, masks.

Operands are converted as torch's type promotion has it: to the dtype of the result, or
of the tensor that a number is compared with.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from xdsl.ir import Operation

from dycl.kernels.onnx.building import Graph, result_spec
from dycl.kernels.onnx.table import TABLE, Row, Unfit, Value, need, onnx

_BINARY = {"add": "Add", "sub": "Sub", "mul": "Mul", "div": "Div"}
_FUNCTIONS = {
    **{"sigmoid": "Sigmoid", "tanh": "Tanh", "exp": "Exp", "log": "Log"},
    **{"sqrt": "Sqrt", "erf": "Erf", "floor": "Floor", "ceil": "Ceil"},
    **{"sin": "Sin", "cos": "Cos", "reciprocal": "Reciprocal"},
}
"""Of floating-point numbers alone."""
_COMPARISONS = {
    **{"eq": "Equal", "lt": "Less", "le": "LessOrEqual", "gt": "Greater"},
    "ge": "GreaterOrEqual",
}


def operand(g: Graph, given: Any, dtype: str) -> Value:
    """A tensor or a Python number as a tensor of this dtype. Unfit: it is neither."""
    if isinstance(given, Value):
        whole = dtype.startswith("int")
        need(not (given.is_number and given.is_float and whole), "a float of a run")
        return g.cast(given, dtype)
    need(isinstance(given, bool | int | float), "a number is not known")
    if isinstance(given, float) and not dtype.startswith("float"):
        raise Unfit("a float among integers")
    need(dtype != "bool" or isinstance(given, bool), "a number among truths")
    try:
        return g.constant(np.array(given, dtype))
    except OverflowError:
        raise Unfit(f"{given} is no {dtype}") from None


def _binary(kind: str) -> Callable[..., Value]:
    def write(g: Graph, op: Operation, a: Any, b: Any, alpha: Any = 1) -> Value:
        spec = result_spec(op)
        need(spec.dtype != "bool", "of truths")
        if kind == "Div":
            need(spec.dtype == "float32", "integers")
        left, right = operand(g, a, spec.dtype), operand(g, b, spec.dtype)
        if isinstance(alpha, Value) or alpha != 1:
            scale = operand(g, alpha, spec.dtype)
            right = g.add("Mul", [right, scale], spec.dtype, right.shape)
        return g.add(kind, [left, right], spec.dtype, spec.shape)

    return write


for _name, _kind in _BINARY.items():
    onnx(f"aten.{_name}.Tensor", f"aten.{_name}.Scalar")(_binary(_kind))


@onnx("aten.rsub.Scalar")
def rsub(g: Graph, op: Operation, x: Value, other: Any, alpha: Any) -> Value:
    """`other - alpha * x`."""
    spec = result_spec(op)
    need(not isinstance(alpha, Value) and alpha == 1, "with a factor")
    left, right = operand(g, other, spec.dtype), operand(g, x, spec.dtype)
    return g.add("Sub", [left, right], spec.dtype, spec.shape)


def _function(kind: str) -> Callable[..., Value]:
    def write(g: Graph, op: Operation, x: Value) -> Value:
        need(x.is_float, "of integers")
        return g.add(kind, [x], x.dtype, x.shape)

    return write


for _name, _kind in _FUNCTIONS.items():
    onnx(f"aten.{_name}")(_function(_kind))


@onnx("aten.relu")
def relu(g: Graph, op: Operation, x: Value) -> Value:
    """The larger of x and 0."""
    need(x.is_float, "of integers")
    return g.add("Relu", [x], x.dtype, x.shape)


@onnx("aten.neg", "aten.abs")
def signs(g: Graph, op: Operation, x: Value) -> Value:
    """`-x`, `|x|`."""
    kind = "Neg" if op.name.endswith("neg") else "Abs"
    return g.add(kind, [x], x.dtype, x.shape)


@onnx("aten.rsqrt")
def rsqrt(g: Graph, op: Operation, x: Value) -> Value:
    """`1 / sqrt(x)`."""
    need(x.is_float, "of integers")
    root = g.add("Sqrt", [x], x.dtype, x.shape)
    return g.add("Reciprocal", [root], x.dtype, x.shape)


@onnx("aten.silu")
def silu(g: Graph, op: Operation, x: Value) -> Value:
    """`x * sigmoid(x)`."""
    gate = g.add("Sigmoid", [x], x.dtype, x.shape)
    return g.add("Mul", [x, gate], x.dtype, x.shape)


@onnx("aten.gelu")
def gelu(g: Graph, op: Operation, x: Value, approximate: Any) -> Value:
    """By erf: ONNX has an op of its own from opset 20 only, and engines know this."""
    need(approximate == "none", "by tanh")
    root = g.constant(np.float32(1 / math.sqrt(2)))
    scaled = g.add("Mul", [x, root], x.dtype, x.shape)
    erf = g.add("Erf", [scaled], x.dtype, x.shape)
    one, half = g.constant(np.float32(1)), g.constant(np.float32(0.5))
    more = g.add("Add", [erf, one], x.dtype, x.shape)
    whole = g.add("Mul", [x, more], x.dtype, x.shape)
    return g.add("Mul", [whole, half], x.dtype, x.shape)


@onnx("aten.clamp")
def clamp(g: Graph, op: Operation, x: Value, low: Any, high: Any) -> Value:
    """Neither below `low` nor above `high`; None: no such bound.

    Both are given: engines take the largest finite number for one that is left out.
    """
    need(x.is_float, "of integers")
    low = -math.inf if low is None else low
    high = math.inf if high is None else high
    bounds = [operand(g, v, x.dtype) for v in (low, high)]
    return g.add("Clip", [x, *bounds], x.dtype, x.shape)


def _comparison(name: str) -> Callable[..., Value]:
    def write(g: Graph, op: Operation, a: Value, b: Any) -> Value:
        dtype = a.dtype
        if isinstance(b, Value):
            same = a.is_float if b.is_number else a.dtype == b.dtype
            need(same or a.dtype == b.dtype, "of two dtypes")
        elif isinstance(b, float) and not a.is_float:
            dtype = "float32"
        need(dtype != "bool" or name in ("eq", "ne"), "of truths")
        left, right = operand(g, a, dtype), operand(g, b, dtype)
        shape = result_spec(op).shape
        if name == "ne":
            same = g.add("Equal", [left, right], "bool", shape)
            return g.add("Not", [same], "bool", shape)
        return g.add(_COMPARISONS[name], [left, right], "bool", shape)

    return write


for _name in (*_COMPARISONS, "ne"):
    onnx(f"aten.{_name}.Tensor", f"aten.{_name}.Scalar")(_comparison(_name))


def _logic(kind: str) -> Callable[..., Value]:
    def write(g: Graph, op: Operation, *operands: Value) -> Value:
        need(all(v.dtype == "bool" for v in operands), "of bits")
        return g.add(kind, operands, "bool", result_spec(op).shape)

    return write


for _name, _kind in {"and": "And", "or": "Or", "xor": "Xor"}.items():
    onnx(f"aten.bitwise_{_name}.Tensor", f"aten.logical_{_name}")(_logic(_kind))
for _name in ("bitwise_not", "logical_not"):
    TABLE[f"torch.aten.{_name}"] = Row(17, _logic("Not"))


@onnx("aten.where.self")
def where(g: Graph, op: Operation, test: Value, a: Value, b: Value) -> Value:
    """Elements of a where the test holds, of b elsewhere."""
    spec = result_spec(op)
    given = [test, operand(g, a, spec.dtype), operand(g, b, spec.dtype)]
    return g.add("Where", given, spec.dtype, spec.shape)


@onnx("aten.masked_fill.Scalar")
def masked_fill(g: Graph, op: Operation, x: Value, mask: Value, filled: Any) -> Value:
    """`filled` where the mask holds, x elsewhere."""
    spec = result_spec(op)
    given = [mask, operand(g, filled, spec.dtype), x]
    return g.add("Where", given, spec.dtype, spec.shape)


@onnx("aten.to.dtype")
def to_dtype(g: Graph, op: Operation, x: Value, *_: Any) -> Value:
    """The elements as another dtype; floats to integers are rounded to zero."""
    dtype = result_spec(op).dtype
    need(not x.is_float or dtype in ("float32", "bool"), "floats to integers")
    return g.cast(x, dtype)
