"""Functions of numbers in C: those of `builtins`, `math` and NumPy."""

import math
from collections.abc import Mapping

from xdsl.dialects.builtin import f64, i1, i64

import dycl.ir as d
from dycl.host.native.pieces import NO_INT, TOO_LARGE, Pieces
from dycl.host.native.types import CannotPrint
from dycl.ir.number_functions import SUM

_TO_INT: Mapping[str, str] = {
    "int": "{}",
    "trunc": "{}",
    "floor": "floor({})",
    "ceil": "ceil({})",
    "round": "dycl_round({})",
}
_AS_NUMPYS = ("fabs", "isfinite", "isinf", "isnan")
_MAY_OVERFLOW = ("cosh", "exp", "exp2", "expm1", "sinh")
_OF_FLOAT = (
    *("acos", "acosh", "asin", "asinh", "atan", "atanh", "cbrt", "cos", "erf", "erfc"),
    *("log", "log10", "log1p", "log2", "sin", "sqrt", "tan", "tanh"),
    *_MAY_OVERFLOW,
)


class Functions(Pieces):
    """Prints calls of functions on numbers."""

    def _builtin(self, op: d.BuiltinOp) -> list[str]:
        name, arguments = op.function.data, op.arguments
        kinds = [a.type for a in arguments]
        whole = f64 not in kinds
        module, _, short = name.rpartition(".")
        if name == SUM:
            return self._sum(op)
        if module == "numpy" and short not in _AS_NUMPYS:
            raise CannotPrint(f"`{name}`")
        if len(arguments) == 2:
            return self._two(op, short)
        if len(arguments) != 1:
            raise CannotPrint(f"`{name}` of {len(arguments)} numbers")
        [value] = arguments
        if name == "builtins.float":
            return self._value(op.result, self.as_type(value, f64))
        if short in _TO_INT:
            if whole:
                return self._value(op.result, self.as_type(value, i64))
            call = f"dycl_to_int({_TO_INT[short].format(self._text(value))}"
            return self._fallible(op, op.result, call, NO_INT)
        if name == "builtins.abs" and whole:
            text = self.as_type(value, i64)
            call = f"dycl_sub({text} < 0 ? 0 : {text}, {text} < 0 ? {text} : 0"
            return self._fallible(op, op.result, call, [TOO_LARGE])
        text = self.as_type(value, f64)
        if short in ("abs", "fabs"):
            return self._value(op.result, f"fabs({text})")
        if short in ("isnan", "isinf", "isfinite"):
            return self._value(op.result, f"{short}({text}) != 0")
        if short in ("degrees", "radians"):
            factor = "180.0 / pi" if short == "degrees" else "pi / 180.0"
            factor = factor.replace("pi", repr(math.pi))
            return self._value(op.result, f"{text} * ({factor})")
        if module != "math" or short not in _OF_FLOAT:
            raise CannotPrint(f"`{name}`")
        may_overflow = short in _MAY_OVERFLOW
        call = f"dycl_checked({text}, {short}({text}), {int(may_overflow)}"
        errors = [lambda: math.sqrt(-1.0)]
        errors += [lambda: math.exp(1e9)] * may_overflow
        return self._fallible(op, op.result, call, errors)

    def _two(self, op: d.BuiltinOp, short: str) -> list[str]:
        a, b = (self.as_type(value, f64) for value in op.arguments)
        if short in ("copysign", "atan2"):
            return self._value(op.result, f"{short}({a}, {b})")
        if short == "fmod":
            call = f"dycl_checked2({a}, {b}, fmod({a}, {b})"
            return self._fallible(op, op.result, call, [lambda: math.sqrt(-1.0)])
        raise CannotPrint(f"`{op.function.data}` of 2 numbers")

    def _sum(self, op: d.BuiltinOp) -> list[str]:
        if f64 in op.arguments.types:
            if i64 in op.arguments.types[1:] or i1 in op.arguments.types[1:]:
                raise CannotPrint("`sum` of ints and floats")
            texts = [self.as_type(value, f64) for value in op.arguments]
            return self._value(op.result, " + ".join(texts))
        first, *rest = [self.as_type(value, i64) for value in op.arguments]
        error = self._error(op, TOO_LARGE)
        name = self.printer.local(op.result)
        lines = [f"int64_t {name} = {first};"]
        for text in rest:
            lines.append(f"if (dycl_add({name}, {text}, &{name})) RAISE({error});")
        return lines
