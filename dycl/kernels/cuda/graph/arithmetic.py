"""Ops on numbers as PTX, each what Python means by it.

An int is a `.s64`, a float an `.f64`, a bool a predicate. What Python raises for, and
what an int of 64 bits does not hold, stops the run.
"""

import struct
from collections.abc import Callable

from xdsl.dialects.builtin import f64, i1, i64
from xdsl.ir import Attribute

_LARGEST_EXACT = 1 << 53
"""Ints up to here are floats, too."""
_PREFIX: dict[Attribute, str] = {i64: "rd", f64: "fd", i1: "p"}
_ORDERED = {"eq": "eq", "ne": "neu", "lt": "lt", "le": "le", "gt": "gt", "ge": "ge"}


class Arithmetic:
    """Lines of PTX that compute, and the registers they need."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.counts = {"rd": 0, "fd": 0, "p": 0, "r": 0, "f": 0, "rs": 0}
        """Registers by prefix."""
        self.stopped = self.new("p")
        """Whether the run has stopped."""

    def new(self, prefix: str) -> str:
        """A register that is not in use."""
        self.counts[prefix] += 1
        return f"%{prefix}{self.counts[prefix]}"

    def line(self, text: str) -> None:
        """Add an instruction."""
        self.lines.append(f"{text};")

    def made(self, prefix: str, instruction: str, *operands: str) -> str:
        """A new register that an instruction fills."""
        register = self.new(prefix)
        self.line(f"{instruction} {', '.join([register, *operands])}")
        return register

    def stop_if(self, predicate: str) -> None:
        """Stop the run where a predicate is true."""
        self.line(f"or.pred {self.stopped}, {self.stopped}, {predicate}")

    # ---- constants and kinds

    def constant(self, value: float, kind: Attribute) -> str:
        """A number that is known."""
        if kind == i1:
            return self.made("p", "mov.pred", str(int(value)))
        if kind == f64:
            [bits] = struct.unpack("<Q", struct.pack("<d", value))
            return self.made("fd", "mov.f64", f"0d{bits:016X}")
        return self.made("rd", "mov.s64", str(int(value)))

    def as_int(self, value: str, kind: Attribute) -> str:
        """An int or a bool as an int."""
        if kind == i1:
            return self.made("rd", "selp.s64", "1", "0", value)
        return value

    def as_float(self, value: str, kind: Attribute) -> str:
        """A number as a float, rounded as Python rounds."""
        if kind == f64:
            return value
        return self.made("fd", "cvt.rn.f64.s64", self.as_int(value, kind))

    def exact(self, value: str, kind: Attribute) -> str:
        """A number as a float; an int that is none stops the run."""
        if kind == i64:
            for how, limit in (("gt", _LARGEST_EXACT), ("lt", -_LARGEST_EXACT)):
                self.stop_if(self.made("p", f"setp.{how}.s64", value, str(limit)))
        return self.as_float(value, kind)

    def truth(self, value: str, kind: Attribute) -> str:
        """`bool(value)`."""
        if kind == i1:
            return value
        if kind == f64:
            return self.made("p", "setp.neu.f64", value, "0d0000000000000000")
        return self.made("p", "setp.ne.s64", value, "0")

    def select(self, holds: str, one: str, other: str, kind: Attribute) -> str:
        """One of two numbers of a kind."""
        if kind != i1:
            name = "f64" if kind == f64 else "s64"
            return self.made(_PREFIX[kind], f"selp.{name}", one, other, holds)
        left = self.made("p", "and.pred", holds, one)
        right = self.made("p", "and.pred", self.negated(holds), other)
        return self.made("p", "or.pred", left, right)

    def negated(self, predicate: str) -> str:
        """The opposite of a bool."""
        return self.made("p", "not.pred", predicate)

    # ---- operators

    def binary(self, kind: str, one: str, other: str, types: list[Attribute]) -> str:
        """`one op other`."""
        if kind in ("and", "or", "xor"):
            is_bool = types[0] == i1
            name = "pred" if is_bool else "b64"
            return self.made("p" if is_bool else "rd", f"{kind}.{name}", one, other)
        if kind == "truediv":
            floats = [self.exact(*p) for p in zip((one, other), types, strict=True)]
            zero = "0d0000000000000000"
            self.stop_if(self.made("p", "setp.eq.f64", floats[1], zero))
            return self.made("fd", "div.rn.f64", *floats)
        if f64 in types:
            floats = [self.as_float(*p) for p in zip((one, other), types, strict=True)]
            name = {"add": "add", "sub": "sub", "mul": "mul"}[kind]
            return self.made("fd", f"{name}.rn.f64", *floats)
        ints = [self.as_int(*p) for p in zip((one, other), types, strict=True)]
        return self._of_ints(kind)(*ints)

    def _of_ints(self, kind: str) -> Callable[[str, str], str]:
        return {
            "add": self._add,
            "sub": self._subtract,
            "mul": self._multiply,
            "floordiv": self._quotient,
            "mod": lambda a, b: self._divide(a, b)[1],
        }[kind]

    def _add(self, a: str, b: str) -> str:
        total = self.made("rd", "add.s64", a, b)
        self._stop_by_signs((a, total), (b, total))
        return total

    def _subtract(self, a: str, b: str) -> str:
        rest = self.made("rd", "sub.s64", a, b)
        self._stop_by_signs((a, b), (a, rest))
        return rest

    def _stop_by_signs(self, *pairs: tuple[str, str]) -> None:
        """Stop where the signs of both pairs differ: the sum has left 64 bits."""
        differ = [self.made("rd", "xor.b64", *pair) for pair in pairs]
        both = self.made("rd", "and.b64", *differ)
        self.stop_if(self.made("p", "setp.lt.s64", both, "0"))

    def _multiply(self, a: str, b: str) -> str:
        low = self.made("rd", "mul.lo.s64", a, b)
        high = self.made("rd", "mul.hi.s64", a, b)
        sign = self.made("rd", "shr.s64", low, "63")
        self.stop_if(self.made("p", "setp.ne.s64", high, sign))
        return low

    def _quotient(self, a: str, b: str) -> str:
        least = self.made("p", "setp.eq.s64", a, str(-(1 << 63)))
        by_one = self.made("p", "setp.eq.s64", b, "-1")
        self.stop_if(self.made("p", "and.pred", least, by_one))
        return self._divide(a, b)[0]

    def _divide(self, a: str, b: str) -> tuple[str, str]:
        """Quotient and rest, rounded down."""
        self.stop_if(self.made("p", "setp.eq.s64", b, "0"))
        quotient = self.made("rd", "div.s64", a, b)
        rest = self.made("rd", "sub.s64", a, self.made("rd", "mul.lo.s64", quotient, b))
        differ = self.made("rd", "xor.b64", rest, b)
        is_low = self.made(
            "p",
            "and.pred",
            self.made("p", "setp.ne.s64", rest, "0"),
            self.made("p", "setp.lt.s64", differ, "0"),
        )
        lower = self.made("rd", "sub.s64", quotient, "1")
        higher = self.made("rd", "add.s64", rest, b)
        return (
            self.select(is_low, lower, quotient, i64),
            self.select(is_low, higher, rest, i64),
        )

    def unary(self, kind: str, value: str, of: Attribute) -> str:
        """`op value`."""
        if kind == "not":
            return self.negated(self.truth(value, of))
        if of == f64:
            return self.made("fd", "neg.f64", value) if kind == "neg" else value
        value = self.as_int(value, of)
        if kind == "neg":
            return self._subtract(self.constant(0, i64), value)
        return self.made("rd", "not.b64", value) if kind == "invert" else value

    def compare(self, kind: str, one: str, other: str, types: list[Attribute]) -> str:
        """`one op other`, exact for an int and a float too."""
        if kind in ("is", "is_not"):
            differ = self.made("p", "xor.pred", one, other)
            return differ if kind == "is_not" else self.negated(differ)
        pairs = list(zip((one, other), types, strict=True))
        if f64 in types:
            floats = [self.exact(*pair) for pair in pairs]
            return self.made("p", f"setp.{_ORDERED[kind]}.f64", *floats)
        ints = [self.as_int(*pair) for pair in pairs]
        return self.made("p", f"setp.{kind}.s64", *ints)

    # ---- functions

    def function(self, name: str, value: str, of: Attribute) -> str:
        """`name(value)`, of `dycl.ir.graph.rules.FUNCTIONS`."""
        name = name.rpartition(".")[2]
        if name in ("isnan", "isinf", "isfinite"):
            return self._test(name, self.as_float(value, of))
        if name == "sqrt":
            number = self.as_float(value, of)
            below = self.made("p", "setp.lt.f64", number, "0d0000000000000000")
            self.stop_if(below)
            return self.made("fd", "sqrt.rn.f64", number)
        if name in ("float", "fabs"):
            number = self.as_float(value, of)
            return number if name == "float" else self.made("fd", "abs.f64", number)
        if name == "abs":
            if of == f64:
                return self.made("fd", "abs.f64", value)
            number = self.as_int(value, of)
            is_low = self.made("p", "setp.lt.s64", number, "0")
            return self.select(is_low, self.unary("neg", number, i64), number, i64)
        if of != f64:
            return self.as_int(value, of)
        limit = self.made("fd", "abs.f64", value)
        fits = self.made("p", "setp.lt.f64", limit, "0d43E0000000000000")
        self.stop_if(self.negated(fits))
        rounding = {"floor": "rmi", "ceil": "rpi", "round": "rni"}.get(name, "rzi")
        return self.made("rd", f"cvt.{rounding}.s64.f64", value)

    def _test(self, name: str, value: str) -> str:
        if name == "isnan":
            return self.made("p", "setp.nan.f64", value, value)
        size = self.made("fd", "abs.f64", value)
        how = "eq" if name == "isinf" else "lt"
        return self.made("p", f"setp.{how}.f64", size, "0d7FF0000000000000")

    def position(self, key: str, keys: int | tuple[int, ...], raises: bool) -> str:
        """Where a key stands; where it does not, behind the last, or a stop."""
        if isinstance(keys, int):
            from_end = self.made("rd", "add.s64", key, str(keys))
            is_low = self.made("p", "setp.lt.s64", key, "0")
            place = self.select(is_low, from_end, key, i64)
            found = self.made(
                "p",
                "and.pred",
                self.made("p", "setp.ge.s64", place, "0"),
                self.made("p", "setp.lt.s64", place, str(keys)),
            )
            behind = str(0 if raises else keys)
            place = self.made("rd", "selp.s64", place, behind, found)
        else:
            place = self.constant(0 if raises else len(keys), i64)
            found = self.constant(False, i1)
            for number, known in reversed(list(enumerate(keys))):
                same = self.made("p", "setp.eq.s64", key, str(known))
                place = self.made("rd", "selp.s64", str(number), place, same)
                found = self.made("p", "or.pred", found, same)
        if raises:
            self.stop_if(self.negated(found))
        return place
