"""Arithmetic on floats of the host that differ from row to row.

one row                          many rows
-------                          ---------
%q = dycl.binary mod %a, %b      dycl.effect "torch._check"(%not_zero, "..")
                                 %q = torch.aten.remainder.Tensor %ab, %bb

Python raises where a divisor is 0, and where a power of finite floats is none: it is
too large, 0 is raised to a power below 0, or a number below 0 to one that is not whole.
The host looks at all rows first, as in `int_rules`.
"""

from typing import cast

from xdsl.dialects.builtin import f64
from xdsl.ir import SSAValue

from dycl.ir import BinaryOp
from dycl.passes.rows.bounds import constant_of
from dycl.passes.rows.emission import Emitter
from dycl.passes.rows.int_rules import (
    FLOATS,
    NO_DIVISOR,
    TRUTHS,
    AsBatch,
    as_float,
    demand,
    is_below,
)
from dycl.passes.rows.operands import Operands

_DIVISIONS = ("truediv", "floordiv", "mod")
_SUMS = ("add", "sub")
NO_POWER = "a power of some row is no float"


def of_floats(given: Operands, batch: AsBatch) -> SSAValue:
    """An operation on two floats, or on a float and an int."""
    op = cast(BinaryOp, given.op)
    emit, kind = given.emit, op.kind.data
    if kind not in (*_DIVISIONS, *_SUMS, "mul", "pow"):
        raise given.cannot("its number differs from row to row")
    lhs, rhs = (as_float(given, batch, one) for one in (op.lhs, op.rhs))
    if kind == "pow":
        if constant_of(op.rhs) == 2:
            rhs = None
        return power(emit, lhs, rhs)
    if kind in _DIVISIONS and constant_of(op.rhs) in (None, 0):
        divides = emit.aten("ne.Scalar", [rhs, 0.0], TRUTHS)
        demand(emit, divides, NO_DIVISOR)
    match kind:
        case "truediv":
            return emit.aten("div.Tensor", [lhs, rhs], FLOATS)
        case "floordiv":
            return _quotient(emit, lhs, rhs)
        case "mod":
            return _rest(emit, lhs, rhs)
        case _:
            alpha = [1] if kind in _SUMS else []
            return emit.aten(f"{kind}.Tensor", [lhs, rhs, *alpha], FLOATS)


def _quotient(emit: Emitter, lhs: SSAValue, rhs: SSAValue) -> SSAValue:
    """As CPython computes it: what is left is taken away before the division."""
    rest = truncated_rest(emit, lhs, rhs)
    most = emit.aten("sub.Tensor", [lhs, rest, 1], FLOATS)
    whole = emit.aten("div.Tensor", [most, rhs], FLOATS)
    below = emit.as_dtype(is_below(emit, rest, rhs), f64)
    whole = emit.aten("sub.Tensor", [whole, below, 1], FLOATS)
    floor = emit.aten("floor", [whole], FLOATS)
    lost = emit.aten("sub.Tensor", [whole, floor, 1], FLOATS)
    more = emit.as_dtype(emit.aten("gt.Scalar", [lost, 0.5], TRUTHS), f64)
    floor = emit.aten("add.Tensor", [floor, more, 1], FLOATS)
    # A zero has the sign of the quotient, which is finite then.
    quotient = emit.aten("div.Tensor", [lhs, rhs], FLOATS)
    zero = emit.aten("mul.Scalar", [quotient, 0.0], FLOATS)
    nothing = emit.aten("eq.Scalar", [whole, 0.0], TRUTHS)
    return emit.aten("where.self", [nothing, zero, floor], FLOATS)


def _rest(emit: Emitter, lhs: SSAValue, rhs: SSAValue) -> SSAValue:
    """What is left; a zero has the sign of the divisor, which torch's has not."""
    rest = emit.aten("remainder.Tensor", [lhs, rhs], FLOATS)
    nothing = emit.aten("eq.Scalar", [rest, 0.0], TRUTHS)
    below = emit.aten("lt.Scalar", [rhs, 0.0], TRUTHS)
    zero = emit.aten("zeros_like", [rhs, *[None] * 5], FLOATS)
    zero = emit.aten("masked_fill.Scalar", [zero, below, -0.0], FLOATS)
    return emit.aten("where.self", [nothing, zero, rest], FLOATS)


def truncated_rest(emit: Emitter, lhs: SSAValue, rhs: SSAValue) -> SSAValue:
    """What is left of a division that rounds towards 0, with the sign of `lhs`.

    torch-mlir's `fmod` is not exact (`dycl.analysis.torch_fixes.division`).
    """
    sizes = [emit.aten("abs", [one], FLOATS) for one in (lhs, rhs)]
    rest = emit.aten("remainder.Tensor", sizes, FLOATS)
    below = emit.aten("lt.Scalar", [lhs, 0.0], TRUTHS)
    negative = emit.aten("mul.Scalar", [rest, -1.0], FLOATS)
    signed = emit.aten("where.self", [below, negative, rest], FLOATS)
    nothing = emit.aten("eq.Scalar", [rest, 0.0], TRUTHS)
    zero = emit.aten("mul.Scalar", [lhs, 0.0], FLOATS)
    return emit.aten("where.self", [nothing, zero, signed], FLOATS)


def power(emit: Emitter, lhs: SSAValue, rhs: SSAValue | None) -> SSAValue:
    """One float to the power of another; None: of 2."""
    operands = [lhs] if rhs is None else [lhs, rhs]
    if rhs is None:
        result = emit.aten("mul.Tensor", [lhs, lhs], FLOATS)
    else:
        result = emit.aten("pow.Tensor_Tensor", operands, FLOATS)
    holds = is_finite(emit, result)
    for operand in operands:
        beyond = emit.aten("logical_not", [is_finite(emit, operand)], TRUTHS)
        holds = emit.aten("logical_or", [holds, beyond], TRUTHS)
    demand(emit, holds, NO_POWER)
    return result


def is_finite(emit: Emitter, number: SSAValue) -> SSAValue:
    """Whether floats are neither NaN nor infinite."""
    # torch-mlir has no lowering for `isfinite`.
    other = [emit.aten(name, [number], TRUTHS) for name in ("isnan", "isinf")]
    beyond = emit.aten("logical_or", other, TRUTHS)
    return emit.aten("logical_not", [beyond], TRUTHS)
