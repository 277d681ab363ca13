"""What the lines of C that compute numbers are made of: values, and what may fail."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from xdsl.dialects.builtin import i1
from xdsl.ir import Attribute, Operation, SSAValue

from dycl.host.native.tables import Tables, raised
from dycl.host.native.types import c_type, declared

RaisingCall = Callable[[], object]
"""A call that raises in Python what a host in C is to raise."""
TOO_LARGE = "an int does not fit in 64 bits"
NO_INT: Sequence[RaisingCall | str] = (
    lambda: int(math.nan),
    lambda: int(math.inf),
    TOO_LARGE,
)
"""Why a float is no int, in the order of `dycl_to_int`."""


class Printer(Protocol):
    """What is needed of the printer of the whole body."""

    texts: dict[SSAValue, str]
    tables: Tables

    def local(self, value: SSAValue) -> str:
        """A new local variable's name, which stands for the value from now on."""
        ...

    def with_arguments(
        self, values: Sequence[SSAValue], head: str, use: Callable[[str], list[str]]
    ) -> list[str]:
        """A block with the values in an array, after the line `head`."""
        ...


@dataclass
class Pieces:
    """Values as text, and lines that give a value or raise."""

    printer: Printer

    def _text(self, value: SSAValue) -> str:
        return self.printer.texts[value]

    def as_type(self, value: SSAValue, wanted: Attribute) -> str:
        """A number as another kind of number, as Python converts it."""
        text = self._text(value)
        if value.type == wanted:
            return text
        if wanted == i1:
            return f"({text} != 0)"
        return f"({c_type(wanted)}){text}"

    def _value(self, result: SSAValue, expression: str) -> list[str]:
        name = self.printer.local(result)
        kind = c_type(result.type)
        const = "" if kind.startswith("const ") else "const "
        return [f"{const}{declared(kind, name)} = {expression};"]

    def _fallible(
        self,
        op: Operation,
        result: SSAValue,
        call: str,
        errors: Sequence[RaisingCall | str],
    ) -> list[str]:
        """`T r; if (f(a, b, &r)) RAISE(n);`: what it gives is the place in `errors`.

        An error is what Python raises for a call, or a text: an OverflowError's.
        """
        name = self.printer.local(result)
        head = f"{declared(c_type(result.type), name)};"
        numbers = [self._error(op, error) for error in errors]
        call = f"{call}, &{name})"
        if len(numbers) == 1:
            return [head, f"if ({call}) RAISE({numbers[0]});"]
        lines = [head, f"switch ({call}) {{"]
        lines += [f"case {i}: RAISE({n});" for i, n in enumerate(numbers, 1)]
        return [*lines, "}"]

    def _error(self, op: Operation, error: RaisingCall | str) -> int:
        if isinstance(error, str):
            return self.printer.tables.add_error(op, "builtins.OverflowError", [error])
        name, arguments = raised(error)
        return self.printer.tables.add_error(op, name, arguments)
