"""`cpu-expand-math`: mathematical functions of f32 become polynomials in arith.

It replaces exp, expm1, log, log1p, tanh, erf, powers, exp2, log2, log10 (`powers.py`),
sin, cos, tan (`trigonometry.py`), asin, acos, atan, atan2 (`arcs.py`), sinh, cosh,
asinh, acosh and atanh (`hyperbolic.py`) in the math dialect by sums and products, on
scalars and vectors with the same code: an element has the same bits in a loop's main
part and in its tail, and LLVM can vectorise a loop that has no call in it. Powers with
a constant exponent become what eager computes for them; expm1 of f64 (`doubles.py`) a
series near 0, where MLIR's exp(x) - 1 has no digits left.

Before:
    %e = math.exp %x : vector<16xf32>

After (shortened):
    %n = math.fma %x, %c0, %c1 : vector<16xf32>
    %r = math.fma %m, %c2, %x : vector<16xf32>
    %p = math.fma %p7, %r, %c3 : vector<16xf32>
    %e = arith.mulf %p, %scale : vector<16xf32>

Needs:  FMA in the target.
Leaves: no call for these functions of f32, no `math.fpowi` with a constant exponent.
        no expm1 of f64.
Skips:  other element types and other functions, which libm computes.

Errors in units in the last place (ulp) of the exact result, over all of f32 (denormals,
too, arguments and results); test/unit/kernels/test_expand_math.py measures them:
exp 2, expm1 2, log 1, log1p 2, tanh 3, erf 2, all others 1. NaN gives NaN; infinities,
zeros and arguments out of range give what eager gives.
"""

import math
from collections.abc import Callable
from typing import Any

from dycl.kernels.cpu.build import (
    OEQ,
    OGT,
    OLT,
    ULT,
    add,
    compare,
    constant,
    divide,
    element_type,
    fma,
    like,
    multiply,
    op,
    select,
    subtract,
)
from dycl.kernels.cpu.loops import arcs, doubles, hyperbolic, powers, trigonometry
from dycl.kernels.cpu.loops.polynomial import by_halves
from dycl.kernels.cpu.mlir import ir, ops


def expand_math(module: Any) -> None:
    """Replace the functions of `FUNCTIONS`, and constant powers, everywhere."""
    for operation in ops(module.operation):
        if not operation.name.startswith("math."):
            continue
        kind = element_type(operation.results[0].type)
        is_f32, is_f64 = isinstance(kind, ir.F32Type), isinstance(kind, ir.F64Type)
        of_doubles = doubles.FUNCTIONS.get(operation.name) if is_f64 else None
        if not (is_f32 or of_doubles or operation.name == "math.fpowi"):
            continue
        with ir.InsertionPoint(operation), operation.location:
            if of_doubles is not None:
                value = of_doubles(*operation.operands)
            else:
                value = _expanded(operation, is_f32)
        if value is not None:
            operation.results[0].replace_all_uses_with(value)
            operation.erase()


def _expanded(operation: Any, is_f32: bool) -> Any:
    argument = operation.operands[0]
    if operation.name in ("math.powf", "math.fpowi"):
        exponent = _constant_of(operation.operands[1])
        if exponent is None:
            if is_f32 and _constant_of(argument) == 2:
                return powers.power_of_two(operation.operands[1])
            is_powf = is_f32 and operation.name == "math.powf"
            return powers.power(argument, operation.operands[1]) if is_powf else None
        value = _power(argument, exponent) if is_f32 else None
        if value is not None:
            return value
        # LLVM has no `powi` of vectors, and eager computes it by `pow`, too.
        float_exponent = constant(exponent, argument.type)
        if is_f32:
            return powers.power(argument, float_exponent)
        if operation.name == "math.fpowi":
            return op("math.powf", [argument, float_exponent], argument.type)
        return None
    function = FUNCTIONS.get(operation.name)
    return None if function is None else function(*operation.operands)


_LN2_HIGH, _LN2_LOW = 0.693359375, -2.12194440e-4
"""ln 2 in two parts: a small integer times the first is exact."""
_MAGIC = 12582912.0
"""1.5 * 2**23: a float of that size has the ulp 1, so adding it rounds to an integer,
which then stands in the lowest bits."""

_EXP = (
    0.00019611344032455236,
    0.0014104676665738225,
    0.008336109109222889,
    0.04166125878691673,
    0.16666613519191742,
    0.5000003576278687,
)
"""(e**r - 1 - r) / r**2 for |r| <= ln 2, highest power first."""


def _reduced(x: Any) -> tuple[Any, Any, Any]:
    """x = 2 m ln 2 + r with |r| <= ln 2: (r, 2**m, 2**-m). NaN is kept in r.

    Twice, so that 2**m never leaves the range of f32, not for any result of exp.
    """
    x = _clamped(x, 104.0)
    integers = like(x.type, ir.IntegerType.get_signless(32))
    # The exponent's bias is in the sum, so that its bits only need to be shifted.
    magic = constant(_MAGIC + 127, x.type)
    shifted = fma(x, constant(0.5 / math.log(2), x.type), magic)
    m = subtract(shifted, magic)
    r = fma(m, constant(-2 * _LN2_HIGH, x.type), x)
    r = fma(m, constant(-2 * _LN2_LOW, x.type), r)
    places = constant(23, integers)
    bits = op("arith.bitcast", [shifted], integers)
    scale = op("arith.bitcast", [op("arith.shli", [bits, places], integers)], x.type)
    negated = op("arith.subi", [constant(254, integers), bits], integers)
    inverse = op("arith.shli", [negated, places], integers)
    return r, scale, op("arith.bitcast", [inverse], x.type)


def _exp(x: Any) -> Any:
    r, scale, _ = _reduced(x)
    squared = multiply(r, r)
    p = fma(by_halves(r, squared, _EXP), squared, r)
    return multiply(fma(p, scale, scale), scale)


def _expm1(x: Any) -> Any:
    r, scale, inverse = _reduced(x)
    squared = multiply(r, r)
    p = fma(by_halves(r, squared, _EXP), squared, r)
    rest = fma(p, scale, subtract(scale, inverse))
    return select(compare(OEQ, x, _zero(x)), x, multiply(rest, scale))


_LOG = (
    -0.07635651528835297,
    0.1276332587003708,
    -0.1316058337688446,
    0.14201553165912628,
    -0.16623298823833466,
    0.20001234114170074,
    -0.250008225440979,
    0.3333333134651184,
)
"""(log(1 + f) - f + f**2 / 2) / f**3, 1 + f between the roots of 1/2 and 2."""
_ROOT_OF_HALF = 0x3F3504F3
"""The bits of sqrt(1/2) as f32."""


def _split(x: Any) -> tuple[Any, Any]:
    """A positive normal x = 2**e (1 + f), sqrt(1/2) <= 1 + f < sqrt(2): (e, f)."""
    integers = like(x.type, ir.IntegerType.get_signless(32))
    bits = op("arith.bitcast", [x], integers)
    above = op("arith.subi", [bits, constant(_ROOT_OF_HALF, integers)], integers)
    places = constant(23, integers)
    e = op("arith.shrsi", [above, places], integers)
    exponent = op("arith.shli", [e, places], integers)
    mantissa = op("arith.subi", [bits, exponent], integers)
    f = subtract(op("arith.bitcast", [mantissa], x.type), _one(x))
    return e, f


def _log_of(e: Any, f: Any) -> Any:
    """e ln 2 + log(1 + f)."""
    squared = multiply(f, f)
    y = multiply(multiply(by_halves(f, squared, _LOG), f), squared)
    y = fma(e, constant(_LN2_LOW, f.type), y)
    y = fma(squared, constant(-0.5, f.type), y)
    return fma(e, constant(_LN2_HIGH, f.type), add(f, y))


def _log_borders(x: Any, result: Any, pole: float) -> Any:
    """`result`, but -inf at the pole, NaN below it and for NaN, inf for inf."""
    infinity = constant(math.inf, x.type)
    at = constant(pole, x.type)
    result = select(compare(OEQ, x, infinity), infinity, result)
    result = select(compare(OEQ, x, at), constant(-math.inf, x.type), result)
    return select(compare(ULT, x, at), constant(math.nan, x.type), result)


def _log(x: Any) -> Any:
    smallest_normal = constant(2.0**-126, x.type)
    denormal = compare(OLT, x, smallest_normal)
    lifted = multiply(x, constant(2.0**23, x.type))
    e, f = _split(select(denormal, lifted, x))
    e = op("arith.sitofp", [e], x.type)
    e = select(denormal, subtract(e, constant(23.0, x.type)), e)
    return _log_borders(x, _log_of(e, f), 0.0)


def _log1p(x: Any) -> Any:
    u = add(_one(x), x)
    lost = subtract(x, subtract(u, _one(x)))
    e, f = _split(u)
    integers = e.type
    bits = op("arith.subi", [constant(127, integers), e], integers)
    bits = op("arith.maxsi", [bits, constant(0, integers)], integers)
    bits = op("arith.shli", [bits, constant(23, integers)], integers)
    # What rounding 1 + x lost, to the scale of f; from 2**127 on, nothing.
    f = fma(lost, op("arith.bitcast", [bits], x.type), f)
    result = _log_of(op("arith.sitofp", [e], x.type), f)
    result = select(compare(OEQ, x, _zero(x)), x, result)
    return _log_borders(x, result, -1.0)


def _tanh(x: Any) -> Any:
    magnitude = op("math.absf", [x], x.type)
    twice = add(magnitude, magnitude)
    # From there on the result is 1.
    end = constant(18.04, x.type)
    e = _expm1(select(compare(OLT, end, twice), end, twice))
    result = divide(e, add(e, constant(2.0, x.type)))
    return op("math.copysign", [result, x], x.type)


_ERF_BORDER = 1.2
_ERF_BELOW = (
    6.527336518047377e-05,
    -0.0007562168756431209,
    0.00513127027079463,
    -0.026820167899131775,
    0.11282685399055481,
    -0.37612536549568176,
    0.12837915122509003,
)
"""erf(x) / x - 1 in powers of x**2, highest first, up to the border."""
_ERF_ABOVE = (
    0.00016851790132932365,
    -0.002674265531823039,
    0.013840636238455772,
    -0.013512738980352879,
    -0.05866564065217972,
    -0.14692643284797668,
    1.0013511180877686,
)
"""(1 - erf(x)) ** (1 / 8) from the border to 3.93, from where on erf is 1."""


def _erf(x: Any) -> Any:
    magnitude = op("math.absf", [x], x.type)
    end = constant(3.93, x.type)
    far = compare(OGT, magnitude, constant(_ERF_BORDER, x.type))
    near = select(compare(OLT, end, magnitude), end, magnitude)
    # One polynomial: choosing its coefficients costs less than computing another.
    variable = select(far, near, multiply(x, x))
    first, *rest = (
        select(far, constant(above, x.type), constant(below, x.type))
        for above, below in zip(_ERF_ABOVE, _ERF_BELOW, strict=True)
    )
    value = first
    for coefficient in rest:
        value = fma(value, variable, coefficient)
    # To the 8th power: the error of a small number becomes less, and then one of 1.
    power = multiply(value, value)
    power = multiply(power, power)
    less = fma(op("arith.negf", [power], x.type), power, _one(x))
    above = op("math.copysign", [less, x], x.type)
    return select(far, above, fma(x, value, x))


def _clamped(x: Any, end: float) -> Any:
    """x between -end and end; in this form NaN stays, and each is one instruction."""
    low, high = constant(-end, x.type), constant(end, x.type)
    x = select(compare(OGT, low, x), low, x)
    return select(compare(OLT, high, x), high, x)


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "math.erf": _erf,
    "math.exp": _exp,
    "math.expm1": _expm1,
    "math.log": _log,
    "math.log1p": _log1p,
    "math.tanh": _tanh,
    "math.log2": powers.logarithm(2),
    "math.log10": powers.logarithm(10),
    "math.exp2": powers.power_of_two,
    **arcs.FUNCTIONS,
    **hyperbolic.FUNCTIONS,
    **trigonometry.FUNCTIONS,
}
"""Op -> what builds its expansion from the arguments."""


def _power(x: Any, exponent: float) -> Any:
    """x ** exponent where eager takes the same way; None for other exponents."""
    if abs(exponent) == 0.5:
        return op("math.sqrt" if exponent > 0 else "math.rsqrt", [x], x.type)
    if exponent not in (1, 2, 3, -1, -2):
        return None
    value = x
    for _ in range(abs(int(exponent)) - 1):
        value = multiply(value, x)
    return value if exponent > 0 else divide(_one(x), value)


def _constant_of(value: Any) -> float | None:
    owner = value.owner
    if isinstance(owner, ir.Block) or owner.name != "arith.constant":
        return None
    attribute = owner.attributes["value"]
    if isinstance(attribute, ir.DenseElementsAttr):
        if not attribute.is_splat:
            return None
        attribute = attribute.get_splat_value()
    return float(attribute.value)


def _one(x: Any) -> Any:
    return constant(1.0, x.type)


def _zero(x: Any) -> Any:
    return constant(0.0, x.type)
