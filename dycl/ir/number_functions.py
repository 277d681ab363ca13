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

_NUMPY_OF_ANY = (
    *("arccos", "arcsin", "arctan", "cbrt", "cos", "cosh", "exp", "exp2", "expm1"),
    *("log", "log10", "log1p", "log2", "sin", "sinh", "sqrt", "tan", "tanh"),
)
_NUMPY_OF_FLOATS = (
    *("absolute", "ceil", "fabs", "float64", "floor", "rint", "sign", "square"),
    *("trunc", "arctan2", "clip", "fmax", "fmin", "hypot", "maximum", "minimum"),
)
_NUMPY_TESTS = ("isfinite", "isinf", "isnan")
_NUMPY_OF_LISTS = (
    *("amax", "amin", "max", "mean", "median", "min", "prod", "std", "sum", "var"),
    *("argmax", "argmin"),
)
NUMPY_OF_LISTS = frozenset(f"numpy.{name}" for name in _NUMPY_OF_LISTS)
"""Functions of NumPy of one list; here its items are the arguments."""
NUMPY = NUMPY_OF_LISTS.union(
    f"numpy.{name}" for name in (*_NUMPY_OF_ANY, *_NUMPY_OF_FLOATS, *_NUMPY_TESTS)
)
"""Functions of NumPy. They give a Python number, where NumPy's gives its own."""

NAMES = frozenset(
    (
        *NUMPY,
        *(*_TO_INT, *_OF_INTS, *_TO_BOOL, *_TO_FLOAT),
        *("builtins.abs", "builtins.round", SUM),
    )
)


def function(name: str) -> Callable[..., Any]:
    """The function of one of the names."""
    if name == SUM:
        return lambda start, *items: sum(items, start)
    module, _, attribute = name.rpartition(".")
    if module == "numpy":
        import numpy

        called = getattr(numpy, attribute)
        if name in NUMPY_OF_LISTS:
            return lambda *items: called(items).item()
        return lambda *arguments: called(*arguments).item()
    return getattr(math if module == "math" else builtins, attribute)


def python_text(name: str, arguments: Sequence[str]) -> str:
    """A call as a Python expression, where the modules are imported."""
    if name == SUM:
        start, *items = arguments
        return f"sum([{', '.join(items)}], {start})"
    listed = ", ".join(arguments)
    if name in NUMPY:
        return f"{name}({f'[{listed}]' if name in NUMPY_OF_LISTS else listed}).item()"
    return f"{name.removeprefix('builtins.')}({listed})"


def result_kind(name: str, kinds: Sequence[str]) -> Kind | None:
    """The kind that a function gives of arguments of these kinds; None: unclear."""
    whole = all(kind in ("int", "bool") for kind in kinds)
    if name in NUMPY:
        return _numpy_kind(name.removeprefix("numpy."), kinds)
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


def _numpy_kind(name: str, kinds: Sequence[str]) -> Kind | None:
    """The kind that a function of NumPy gives, where that is sure."""
    if not kinds or "bool" in kinds:
        return None
    floats = all(kind == "float" for kind in kinds)
    if name in _NUMPY_OF_LISTS:
        result: Kind = "int" if name.startswith("arg") else "float"
        return result if floats else None
    if name == "clip" and len(kinds) == 3:
        return "float" if kinds[0] == "float" else None
    if name in ("arctan2", "fmax", "fmin", "hypot", "maximum", "minimum"):
        return "float" if len(kinds) == 2 and "float" in kinds else None
    if len(kinds) > 1:
        return None
    if name in _NUMPY_TESTS:
        return "bool"
    return "float" if floats or name in _NUMPY_OF_ANY else None
