"""Which numbers a dtype takes: eager raises where a number of a run does not fit.

    x.fill_(n)    torch.full((3,), n, dtype=torch.int32)    x[1] = n    x.clamp(max=n)

Not everywhere: `x + n` wraps around, `torch.tensor(f)` rounds to infinity. `BECOMES`
says which operands of which ops become elements, and how eager converts them.
"""

import math
from dataclasses import dataclass

AS_ELEMENT, AS_NEGATED, AS_PAD, AS_WIDE = "element", "negated", "pad", "wide"
AS_EXPONENT, AS_STORED, AS_LISTED = "exponent", "stored", "listed"
"""How a number is converted: to the dtype; to it after its sign was changed; to it, and
no byte without a sign of an int below zero; to the dtype that is computed in, which is
f32 for half floats; as an exponent, which f32 takes as it is; to the dtype, where half
floats are rounded, as for `x[1] = n`; as in `torch.tensor`, where all floats are."""

_VALUE = {"value": AS_ELEMENT}
_FILLING = {"fill_value": AS_ELEMENT, **_VALUE}
_BOUNDS = {"min": AS_ELEMENT, "max": AS_ELEMENT}
_FACTORS = {"alpha": AS_ELEMENT, "beta": AS_ELEMENT}
_OF_PRODUCTS = {"alpha": AS_WIDE, "beta": AS_WIDE}
_LESS = {"alpha": AS_NEGATED}

BECOMES: dict[str, dict[str, str]] = {
    **{name: _FILLING for name in ("fill", "full_like", "full", "new_full")},
    **{name: _VALUE for name in ("masked_fill", "index_fill", "scatter")},
    **{name: _BOUNDS for name in ("clamp", "clip", "clamp_min", "clamp_max")},
    **{name: _FACTORS for name in ("add", "index_add", "addmv", "addr")},
    **{name: _LESS for name in ("sub", "rsub", "subtract")},
    **{name: _OF_PRODUCTS for name in ("addmm", "baddbmm", "addbmm")},
    **{name: {"value": AS_WIDE} for name in ("addcmul", "addcdiv")},
    **{name: {"value": AS_PAD} for name in ("pad", "constant_pad_nd")},
    "hardtanh": {"min_val": AS_ELEMENT, "max_val": AS_ELEMENT},
    "hardshrink": {"lambd": AS_ELEMENT},
    "linspace": {"start": AS_ELEMENT, "end": AS_ELEMENT},
    **{name: {"eps": AS_ELEMENT} for name in ("logit", "special_logit")},
    "hinge_embedding_loss": {"margin": AS_PAD},
    "threshold": {"threshold": AS_WIDE, "value": AS_ELEMENT},
    "leaky_relu": {"negative_slope": AS_WIDE},
    "elu": {"alpha": AS_WIDE},
    "celu": {"alpha": AS_WIDE},
    "softplus": {"beta": AS_WIDE, "threshold": AS_WIDE},
    "pow": {"exponent": AS_EXPONENT},
    "lerp": {"weight": AS_WIDE},
    "where": {"self": AS_STORED, "other": AS_STORED},
    "scalar_tensor": {"s": AS_STORED},
    "fill_diagonal": {"fill_value": AS_STORED},
}
"""Name of an aten op -> the operands that become elements of its result, and how."""

OVERFLOW = "without overflow"
"""How the text of the error ends."""
_FLOATS = {
    "float16": (65504.0, "c10::Half"),
    "bfloat16": (float.fromhex("0x1.fep127"), "c10::BFloat16"),
    "float32": (float.fromhex("0x1.fffffep127"), "float"),
}
_BITS = {"int8": 8, "int16": 16, "int32": 32, "int64": 64, "uint8": 8}


@dataclass(frozen=True)
class NumberRange:
    """What a number has to be, or the run raises a RuntimeError."""

    low: float
    high: float
    takes_infinity: bool
    """Of floats: also NaN."""
    error: str


def range_of(kind: str, dtype: str, how: str) -> NumberRange | None:
    """What an int or float (`kind`) has to be to become a `dtype`; None: anything.

    `how` is one of those above. An int below zero wraps around to bytes without a sign,
    a float does not.
    """
    is_half = dtype in ("float16", "bfloat16")
    if (how == AS_LISTED and dtype in _FLOATS) or (how == AS_STORED and is_half):
        return None
    if how == AS_EXPONENT and dtype == "float32":
        return None
    if how == AS_WIDE and is_half:
        dtype = "float32"
    if dtype in _FLOATS:
        most, name = _FLOATS[dtype]
        if kind == "int":
            whole = int(min(most, 2.0**63))
            return None if whole == 2**63 else _range(-whole, whole, False, name)
        return _range(-most, most, True, name)
    if dtype not in _BITS or (kind, dtype) == ("int", "int64"):
        return None
    bits, is_signed = _BITS[dtype], dtype != "uint8"
    name = dtype if how == AS_LISTED else _C_NAMES.get(dtype, f"{dtype}_t")
    high = 2 ** (bits - is_signed) - 1
    low = -high - 1 if is_signed else -high
    if not is_signed and (kind == "float" or how == AS_PAD):
        low = 0
    if how == AS_NEGATED:
        low, high = -high, -low
    if kind == "int":
        return _range(low, high, False, name)
    return _range(float(low), float(high), False, name)


_C_NAMES = {"int32": "int"}


def _range(low: float, high: float, takes_infinity: bool, name: str) -> NumberRange:
    error = f"value cannot be converted to type {name} {OVERFLOW}"
    return NumberRange(low, high, takes_infinity, error)


def fits(number: float, found: NumberRange | None) -> bool:
    """Whether a number is one of a range."""
    if found is None or (found.takes_infinity and not math.isfinite(number)):
        return True
    return found.low <= number <= found.high
