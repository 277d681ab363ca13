"""Nodes in other nodes, for engines that make of them something else than eager does.

    Relu(x)   is  Where(x < 0, 0, x)
    Exp(x)    is  Where(IsNaN(x), x, Exp(x))

Comparisons with NaN do not hold, so that a NaN is the `x` of the first.
"""

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from dycl.kernels.onnx.building import Graph
from dycl.kernels.onnx.table import CAREFUL, Value

Writer = Callable[..., Value]
Inputs = Sequence[Value]
Shape = Sequence[int]

_SMALLEST = np.finfo(np.float32).tiny
_SCALE = 2.0**24


def careful(*kinds: str) -> Callable[[Writer], Writer]:
    """A function that writes nodes of these kinds in others."""

    def register(function: Writer) -> Writer:
        for kind in kinds:
            assert kind not in CAREFUL, kind
            CAREFUL[kind] = function
        return function

    return register


def _where(g: Graph, test: Value, a: Value, b: Value, shape: Shape) -> Value:
    return g.add("Where", [test, a, b], a.dtype, shape)


@careful("Relu")
def relu(g: Graph, given: Inputs, dtype: str, shape: Shape) -> Value:
    """`Where(x < 0, 0, x)`."""
    zero = g.constant(np.array(0, dtype))
    test = g.add("Less", [given[0], zero], "bool", shape)
    return _where(g, test, zero, given[0], shape)


@careful("Clip")
def clip(g: Graph, given: Inputs, dtype: str, shape: Shape) -> Value:
    """`Where(x < low, low, x)`, and so for the other bound."""
    found, low, high = given
    below = g.add("Less", [found, low], "bool", shape)
    found = _where(g, below, low, found, shape)
    above = g.add("Less", [high, found], "bool", shape)
    return _where(g, above, high, found, shape)


@careful("Exp")
def exp(g: Graph, given: Inputs, dtype: str, shape: Shape) -> Value:
    """`Where(IsNaN(x), x, Exp(x))`."""
    found = g.add_as_is("Exp", given, dtype, shape)
    return _where(g, g.add("IsNaN", given, "bool", shape), given[0], found, shape)


@careful("Greater")
def greater(g: Graph, given: Inputs, dtype: str, shape: Shape) -> Value:
    """`b < a`."""
    return g.add("Less", given[::-1], dtype, shape)


@careful("GreaterOrEqual")
def greater_or_equal(g: Graph, given: Inputs, dtype: str, shape: Shape) -> Value:
    """`b <= a`."""
    return g.add("LessOrEqual", given[::-1], dtype, shape)


@careful("Cast")
def cast(g: Graph, given: Inputs, dtype: str, shape: Shape, to: int) -> Value:
    """To truths: whether it is not equal to 0."""
    if dtype != "bool" or not given[0].is_float:
        return g.add_as_is("Cast", given, dtype, shape, to=to)
    zero = g.constant(np.array(0, given[0].dtype))
    is_zero = g.add("Equal", [given[0], zero], "bool", shape)
    return g.add("Not", [is_zero], "bool", shape)


@careful("Div")
def divide(g: Graph, given: Inputs, dtype: str, shape: Shape) -> Value:
    """Both are scaled where the divisor is so small that its reciprocal is infinite."""
    if dtype != "float32":
        return g.add_as_is("Div", given, dtype, shape)
    one, scale, least = (
        g.constant(np.array(v, dtype)) for v in (1.0, _SCALE, _SMALLEST)
    )
    size = g.add("Abs", [given[1]], dtype, given[1].shape)
    test = g.add("Less", [size, least], "bool", given[1].shape)
    factor = _where(g, test, scale, one, given[1].shape)
    above = g.add("Mul", [given[0], factor], dtype, shape)
    below = g.add("Mul", [given[1], factor], dtype, given[1].shape)
    return g.add_as_is("Div", [above, below], dtype, shape)


def _reduction(kind: str) -> Writer:
    """An extreme of f32, infinite if all elements are."""
    edge = -math.inf if kind == "ReduceMax" else math.inf

    def write(
        g: Graph, given: Inputs, dtype: str, shape: Shape, **attributes: Any
    ) -> Value:
        found = g.add_as_is(kind, given, dtype, shape, **attributes)
        if dtype != "float32":
            return found
        x = given[0]
        bound = g.constant(np.array(edge, dtype))
        is_at_edge = g.add("Equal", [x, bound], "bool", x.shape)
        marks = g.cast(is_at_edge, "float32")
        least = g.add_as_is("ReduceMin", [marks], dtype, shape, **attributes)
        return _where(g, g.cast(least, "bool"), bound, found, shape)

    return write


def _softmax(kind: str) -> Writer:
    """With NaN in rows whose largest element is NaN or infinite."""

    def write(g: Graph, given: Inputs, dtype: str, shape: Shape, *, axis: int) -> Value:
        found = g.add_as_is(kind, given, dtype, shape, axis=axis)
        dim = axis % len(shape)
        ones = [1 if i == dim else size for i, size in enumerate(shape)]
        attributes = {"axes": [dim], "keepdims": 1}
        largest = g.add("ReduceMax", given, dtype, ones, **attributes)
        nan = g.cast(g.add("IsNaN", given, "bool", shape), dtype)
        has_nan = g.add_as_is("ReduceMax", [nan], dtype, ones, **attributes)
        # NaN where the largest is infinite, else 0.
        more = g.add("Sub", [largest, largest], dtype, ones)
        bad = g.constant(np.array(math.nan, dtype))
        more = _where(g, g.cast(has_nan, "bool"), bad, more, ones)
        return g.add("Add", [found, more], dtype, shape)

    return write


for _kind in ("ReduceMax", "ReduceMin"):
    CAREFUL[_kind] = _reduction(_kind)
for _kind in ("Softmax", "LogSoftmax"):
    CAREFUL[_kind] = _softmax(_kind)
