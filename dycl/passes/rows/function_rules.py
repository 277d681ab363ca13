"""Python's functions on numbers of the host that differ from row to row.

one row                                 many rows
-------                                 ---------
%n = dycl.builtin "builtins.int"(%a)    dycl.effect "torch._check"(%fits, "..")
                                        %n = torch.aten.to.dtype %ab, %int4, ..
%r = dycl.builtin "math.sqrt"(%a)       dycl.effect "torch._check"(%not_below_0, "..")
                                        %r = torch.aten.sqrt %ab

Where a function raises in Python (`int` of NaN, `math.sqrt` of -1), or gives an int
that may be large, the host looks at all rows first, as in `int_rules`.
"""

from collections.abc import Callable, Sequence
from typing import cast

from xdsl.ir import SSAValue

from dycl.ir import BuiltinOp
from dycl.ir.torch import BoolT, FloatT, IntT
from dycl.passes.rows.batches import si64
from dycl.passes.rows.bounds import SMALL, TO_INT, WIDE
from dycl.passes.rows.emission import Emitter
from dycl.passes.rows.float_rules import is_finite, power, truncated_rest
from dycl.passes.rows.int_rules import (
    FLOATS,
    INTS,
    TRUTHS,
    AsBatch,
    as_float,
    as_int,
    demand,
    demand_within,
)
from dycl.passes.rows.operands import Operands

_ROUNDED = {"math.floor": "floor", "math.ceil": "ceil", "builtins.round": "round"}
"""Functions that make an int -> what makes a whole number of a float before."""

_OF_ANY = ("atan", "tanh", "erf")
_OF_FINITE = ("sin", "cos", "tan")
_OF_POSITIVE = ("log", "log2", "log10")
_TESTS = ("isnan", "isinf")
OUTSIDE = "some row calls a function with a number that it raises for"


def function(given: Operands, batch: AsBatch) -> Sequence[SSAValue]:
    """A function of one number, or of two. CannotRegroup: it has no rule."""
    op = cast(BuiltinOp, given.op)
    name = op.function.data
    if len(op.arguments) == 2 and name in _OF_TWO:
        first, second = (as_float(given, batch, one) for one in op.arguments)
        return [_OF_TWO[name](given.emit, first, second)]
    if len(op.arguments) != 1:
        raise given.cannot(f"`{name}` is not computed for many rows")
    (value,) = op.arguments
    if name in TO_INT:
        return [_to_int(given, batch, value, name)]
    if name == "builtins.float":
        return [as_float(given, batch, value)]
    if name == "builtins.abs" and value.type != FloatT:
        number = as_int(given.emit, batch, value)
        if given.bits(value) > WIDE:
            demand_within(given.emit, number, WIDE)
        return [given.emit.aten("abs", [number], INTS)]
    return [_of_float(given, as_float(given, batch, value), name)]


def _angle(emit: Emitter, y: SSAValue, x: SSAValue) -> SSAValue:
    return emit.aten("atan2", [y, x], FLOATS)


def _fmod(emit: Emitter, lhs: SSAValue, rhs: SSAValue) -> SSAValue:
    """Python raises of what is left of infinity, or by 0."""
    is_zero = emit.aten("eq.Scalar", [rhs, 0.0], TRUTHS)
    is_endless = emit.aten("isinf", [lhs], TRUTHS)
    raises = emit.aten("logical_or", [is_zero, is_endless], TRUTHS)
    demand(emit, emit.aten("logical_not", [raises], TRUTHS), OUTSIDE)
    return truncated_rest(emit, lhs, rhs)


_OF_TWO: dict[str, Callable[[Emitter, SSAValue, SSAValue], SSAValue]] = {
    "math.atan2": _angle,
    "math.fmod": _fmod,
    "math.pow": power,
}
"""Functions of two floats."""


def _to_int(given: Operands, batch: AsBatch, value: SSAValue, name: str) -> SSAValue:
    emit = given.emit
    if value.type in (IntT, BoolT):
        return as_int(emit, batch, value)
    number = batch(value)
    if name in _ROUNDED:
        number = emit.aten(_ROUNDED[name], [number], FLOATS)
    demand_within(emit, number, SMALL)
    return emit.as_dtype(number, si64)


def _of_float(given: Operands, number: SSAValue, name: str) -> SSAValue:
    emit, short = given.emit, name.partition(".")[2]
    if name in ("builtins.abs", "math.fabs"):
        return emit.aten("abs", [number], FLOATS)
    if not name.startswith("math."):
        raise given.cannot(f"`{name}` is not computed for many rows")
    if short in _TESTS:
        return emit.aten(short, [number], TRUTHS)
    if short == "isfinite":
        return is_finite(emit, number)
    if short in _OF_ANY:
        return emit.aten(short, [number], FLOATS)
    if short in _OF_FINITE:
        raises = emit.aten("isinf", [number], TRUTHS)
    elif short in _OF_POSITIVE:
        raises = emit.aten("le.Scalar", [number, 0.0], TRUTHS)
    elif short == "sqrt":
        raises = emit.aten("lt.Scalar", [number, 0.0], TRUTHS)
    elif short == "exp":
        raises = emit.aten("gt.Scalar", [number, 709.0], TRUTHS)
    else:
        raise given.cannot(f"`{name}` is not computed for many rows")
    demand(emit, emit.aten("logical_not", [raises], TRUTHS), OUTSIDE)
    return emit.aten(short, [number], FLOATS)
