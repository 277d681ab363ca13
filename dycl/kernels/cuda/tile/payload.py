"""One op of a loop's body as an expression of Triton.

A value is the name of a variable, or a literal; along which axes of the tile it differs
says which shape it has.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dycl.kernels.cpu.mlir import ir

TYPES = {
    "f64": "tl.float64",
    "f32": "tl.float32",
    "f16": "tl.float16",
    "bf16": "tl.bfloat16",
    "i64": "tl.int64",
    "i32": "tl.int32",
    "i16": "tl.int16",
    "i8": "tl.int8",
    "i1": "tl.int1",
    "index": "tl.int32",
}
"""Element types of MLIR by their names in Triton."""

FLOATS = ("f64", "f32", "f16", "bf16")
_UNSIGNED = {
    "i8": "tl.uint8",
    "i16": "tl.uint16",
    "i32": "tl.uint32",
    "i64": "tl.uint64",
    "index": "tl.uint32",
}


@dataclass(frozen=True)
class Value:
    """What a body computes with: a variable's name, or a literal."""

    text: str
    dtype: str
    axes: frozenset[str] = frozenset()
    number: float | int | bool | None = None
    """Of a literal: what it is."""
    zero_outside: frozenset[str] = frozenset()
    """Conditions: where one of them does not hold, the value is 0."""


def literal(number: float | bool, dtype: str) -> Value:
    """A number as it is written in Python."""
    if dtype in FLOATS:
        number = float(number)
        if dtype != "f64":
            number = float((np.float16 if dtype == "f16" else np.float32)(number))
        if math.isnan(number):
            text = 'float("nan")'
        elif math.isinf(number):
            text = 'float("inf")' if number > 0 else 'float("-inf")'
        else:
            text = repr(number)
    elif dtype == "i1":
        number = bool(number)
        text = repr(number)
    else:
        text = repr(int(number))
    return Value(text, dtype, number=number)


def maximum(a: str, b: str) -> str:
    """The greater one; a NaN, if there is one."""
    return f"tl.maximum({a}, {b}, propagate_nan=tl.PropagateNan.ALL)"


def minimum(a: str, b: str) -> str:
    """The lesser one; a NaN, if there is one."""
    return f"tl.minimum({a}, {b}, propagate_nan=tl.PropagateNan.ALL)"


_BINARY = {
    "arith.addf": "{} + {}",
    "arith.addi": "{} + {}",
    "arith.subf": "{} - {}",
    "arith.subi": "{} - {}",
    "arith.mulf": "{} * {}",
    "arith.muli": "{} * {}",
    "arith.andi": "{} & {}",
    "arith.ori": "{} | {}",
    "arith.xori": "{} ^ {}",
    "arith.divsi": "{} // {}",
    "arith.remsi": "{} % {}",
    "arith.shli": "{} << {}",
    "arith.shrsi": "{} >> {}",
    "arith.maximumf": maximum("{}", "{}"),
    "arith.minimumf": minimum("{}", "{}"),
    "arith.maxsi": "tl.maximum({}, {})",
    "arith.minsi": "tl.minimum({}, {})",
    "math.powf": "libdevice.pow({}, {})",
    "math.atan2": "libdevice.atan2({}, {})",
    "math.copysign": "libdevice.copysign({}, {})",
    "arith.remf": "libdevice.fmod({}, {})",
}
_BINARY_UNSIGNED = {
    "arith.minui": "tl.minimum({}, {})",
    "arith.maxui": "tl.maximum({}, {})",
    "arith.divui": "{} // {}",
    "arith.remui": "{} % {}",
    "arith.shrui": "{} >> {}",
}
"""Of numbers without a sign, which Triton tells by their types alone."""
_UNARY = {
    "arith.negf": "-{}",
    "math.absf": "tl.abs({})",
    "math.absi": "tl.abs({})",
    "math.ceil": "tl.ceil({})",
    "math.floor": "tl.floor({})",
    "math.cbrt": "libdevice.cbrt({})",
    "math.erf": "libdevice.erf({})",
    "math.erfc": "libdevice.erfc({})",
    "math.exp": "libdevice.exp({})",
    "math.exp2": "libdevice.exp2({})",
    "math.expm1": "libdevice.expm1({})",
    "math.log": "libdevice.log({})",
    "math.log10": "libdevice.log10({})",
    "math.log1p": "libdevice.log1p({})",
    "math.log2": "libdevice.log2({})",
    "math.roundeven": "libdevice.rint({})",
    "math.rsqrt": "libdevice.rsqrt({})",
    "math.sqrt": "libdevice.sqrt({})",
    "math.sin": "libdevice.sin({})",
    "math.cos": "libdevice.cos({})",
    "math.tan": "libdevice.tan({})",
    "math.asin": "libdevice.asin({})",
    "math.acos": "libdevice.acos({})",
    "math.atan": "libdevice.atan({})",
    "math.sinh": "libdevice.sinh({})",
    "math.cosh": "libdevice.cosh({})",
    "math.tanh": "libdevice.tanh({})",
    "math.asinh": "libdevice.asinh({})",
    "math.acosh": "libdevice.acosh({})",
    "math.atanh": "libdevice.atanh({})",
    "math.trunc": "libdevice.trunc({})",
}
"""Of floats by libdevice where Triton has approximations only: eager's are exact to
some units in the last place."""

_NAN_LEFT, _NAN_RIGHT = "({0} != {0})", "({1} != {1})"
_CMPF = {
    1: "{0} == {1}",
    2: "{0} > {1}",
    3: "{0} >= {1}",
    4: "{0} < {1}",
    5: "{0} <= {1}",
    6: "({0} < {1}) | ({0} > {1})",
    7: "({0} == {0}) & ({1} == {1})",
    8: f"({{0}} == {{1}}) | {_NAN_LEFT} | {_NAN_RIGHT}",
    9: f"({{0}} > {{1}}) | {_NAN_LEFT} | {_NAN_RIGHT}",
    10: f"({{0}} >= {{1}}) | {_NAN_LEFT} | {_NAN_RIGHT}",
    11: f"({{0}} < {{1}}) | {_NAN_LEFT} | {_NAN_RIGHT}",
    12: f"({{0}} <= {{1}}) | {_NAN_LEFT} | {_NAN_RIGHT}",
    13: "{0} != {1}",
    14: f"{_NAN_LEFT} | {_NAN_RIGHT}",
}
_CMPI = ("==", "!=", "<", "<=", ">", ">=")
_WIDENED = ("math.", "arith.divf", "arith.remf")
"""Ops that have no version for half floats: they are done in f32."""


def expression(op: Any, given: Sequence[Value]) -> str | Value | None:
    """The op as text, or as a literal; None: there is no template for it."""
    name = str(op.name)
    kind = str(op.results[0].type)
    texts = [v.text for v in given]
    if name.startswith(_WIDENED) and kind in ("f16", "bf16"):
        texts = [
            v.text if v.number is not None else f"{v.text}.to(tl.float32)"
            for v in given
        ]
        text = _plain(name, "f32", texts)
        return None if text is None else f"({text}).to({TYPES[kind]})"
    if name == "arith.select" or "(" in _BINARY.get(name, ""):
        texts = [_argument(v, given) for v in given]
    if name in _CASTS:
        return _cast(name, given[0], kind)
    if name == "arith.cmpf":
        number = int(ir.IntegerAttr(op.attributes["predicate"]).value)
        text = _CMPF.get(number) if number else None
        return None if text is None else text.format(*texts)
    if name == "arith.cmpi":
        return _compared(int(ir.IntegerAttr(op.attributes["predicate"]).value), given)
    if name == "arith.select":
        return f"tl.where({', '.join(texts)})"
    if name in _BINARY_UNSIGNED:
        sides = _unsigned(given, is_call="(" in _BINARY_UNSIGNED[name])
        if sides is None:
            return None
        text = _BINARY_UNSIGNED[name].format(*sides)
        return f"({text}).to({TYPES[kind]}, bitcast=True)"
    return _plain(name, kind, texts)


def _plain(name: str, kind: str, texts: Sequence[str]) -> str | None:
    if name == "arith.divf":
        return (
            f"tl.div_rn({texts[0]}, {texts[1]})" if kind == "f32" else "{} / {}"
        ).format(*texts)
    if name == "arith.floordivsi":
        a, b = texts
        return f"{a} // {b} - (({a} % {b} != 0) & (({a} < 0) != ({b} < 0)))"
    if name == "math.rsqrt" and kind == "f32":
        return f"tl.rsqrt({texts[0]})"
    if name == "math.fpowi" and texts[1].lstrip("-").isdigit():
        power = literal(float(texts[1]), kind)
        return f"libdevice.pow({texts[0]}, {_argument(power, ())})"
    text = _BINARY.get(name) or _UNARY.get(name)
    return None if text is None else text.format(*texts)


def _compared(number: int, given: Sequence[Value]) -> str | None:
    if number < len(_CMPI):
        return f"{given[0].text} {_CMPI[number]} {given[1].text}"
    sides = _unsigned(given)
    sign = ("<", "<=", ">", ">=")[number - len(_CMPI)]
    return None if sides is None else f"{sides[0]} {sign} {sides[1]}"


def _argument(value: Value, given: Sequence[Value]) -> str:
    """What a function is called with. Triton takes a literal there for an i32 or an
    f32, and what is computed of it for the same, unless it says its type."""
    if value.number is None or value.dtype in ("f32", "i32", "i1", "index"):
        return value.text
    if value.dtype == "i64" and any(v.number is None for v in given[-2:]):
        return value.text  # it is widened to the type of the other
    return f"tl.full((), {value.text}, {TYPES[value.dtype]})"


def _unsigned(given: Sequence[Value], is_call: bool = False) -> list[str] | None:
    """Both sides without a sign, one of which is no literal; None: that cannot be."""
    if given[0].dtype not in _UNSIGNED or None not in [v.number for v in given]:
        return None
    kind = _UNSIGNED[given[0].dtype]
    width = int(kind.removeprefix("tl.uint"))
    literals = "tl.full((), {}, {})" if is_call else "{}"
    return [
        _bits(v, kind)
        if v.number is None
        else literals.format(int(v.number) % 2**width, kind)
        for v in given
    ]


def _bits(value: Value, kind: str) -> str:
    return f"{value.text}.to({kind}, bitcast=True)"


_CASTS = (
    *("arith.extf", "arith.truncf", "arith.sitofp", "arith.uitofp", "arith.fptosi"),
    *("arith.extsi", "arith.extui", "arith.trunci", "arith.index_cast"),
    *("arith.fptoui", "arith.bitcast"),
)


def _cast(name: str, value: Value, kind: str) -> str | Value | None:
    if value.number is not None:
        is_plain = name not in ("arith.bitcast", "arith.trunci")
        return (
            literal(value.number, kind)
            if (is_plain and value.number >= 0)
            or (
                name
                in ("arith.extf", "arith.truncf", "arith.sitofp", "arith.index_cast")
            )
            else None
        )
    source = value.dtype
    if source == "i1" and name in ("arith.sitofp", "arith.extsi"):
        return None
    if name == "arith.bitcast":
        return _bits(value, TYPES[kind])
    if name in ("arith.extui", "arith.uitofp") and source in _UNSIGNED:
        return f"{_bits(value, _UNSIGNED[source])}.to({TYPES[kind]})"
    if name == "arith.trunci" and kind == "i1":
        return f"({value.text} & 1) != 0"
    return f"{value.text}.to({TYPES[kind]})"
