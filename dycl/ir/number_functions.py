"""Functions of Python's on numbers that the host calls as they are.

They depend on nothing but their arguments, keep none of them, and raise what Python's
raise: `math.log` of 0, `int` of NaN. `result_kind` is the kind of number that each
gives.
"""

import builtins
import math
from collections.abc import Callable, Sequence
from typing import Any, Literal

Kind = Literal["int", "float", "bool"]

_TO_INT = ("math.ceil", "math.floor", "math.trunc", "builtins.int")
_OF_INTS = ("math.comb", "math.factorial", "math.gcd", "math.isqrt", "math.lcm")
_TO_BOOL = ("math.isfinite", "math.isinf", "math.isnan")
_TO_FLOAT = (
    "builtins.float",
    *(
        f"math.{name}"
        for name in (
            *("acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh"),
            *("copysign", "cos", "cosh", "degrees", "dist", "erf", "erfc", "exp"),
            *("exp2", "expm1", "fabs", "fmod", "gamma", "hypot", "ldexp", "lgamma"),
            *("log", "log10", "log1p", "log2", "pow", "radians", "remainder"),
            *("sin", "sinh", "sqrt", "tan", "tanh", "cbrt"),
        )
    ),
)
SUM = "builtins.sum"
"""`sum` of the arguments after the first, starting with that."""

NAMES = frozenset(
    (
        *(*_TO_INT, *_OF_INTS, *_TO_BOOL, *_TO_FLOAT),
        *("builtins.abs", "builtins.round", SUM),
    )
)


def function(name: str) -> Callable[..., Any]:
    """The function of one of the names."""
    if name == SUM:
        return lambda start, *items: sum(items, start)
    module, _, attribute = name.rpartition(".")
    return getattr(math if module == "math" else builtins, attribute)


def result_kind(name: str, kinds: Sequence[str]) -> Kind | None:
    """The kind that a function gives of arguments of these kinds; None: unclear."""
    whole = all(kind in ("int", "bool") for kind in kinds)
    if name in _TO_INT and len(kinds) == 1:
        return "int"
    if name in _OF_INTS and kinds and whole:
        return "int"
    if name in _TO_BOOL and len(kinds) == 1:
        return "bool"
    if name in _TO_FLOAT and kinds:
        return "float"
    match name, len(kinds):
        case "builtins.abs", 1:
            return "int" if whole else "float"
        case "builtins.round", 1:
            return "int"
        case "builtins.round", 2 if kinds[1] != "float":
            return "float" if kinds[0] == "float" else "int"
        case "builtins.sum", _ if kinds:
            return "int" if whole else "float"
        case _:
            return None
