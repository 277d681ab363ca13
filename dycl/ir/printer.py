"""xDSL's printer, faster: every level of a compilation is printed, in full."""

from dataclasses import dataclass, field
from functools import cache
from io import StringIO
from typing import Any

from xdsl.dialects.builtin import UnregisteredOp
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.printer import Printer
from xdsl.traits import IsolatedFromAbove

_ESCAPES = {
    byte: f"\\{byte:02X}" for byte in range(256) if not 0x20 <= byte <= 0x7E
} | {0x22: "\\22", 0x5C: "\\\\"}

_QUOTED = {'"', "\\"}


@cache
def _has_own_names(cls: type[Operation]) -> bool:
    """Whether names inside of such ops may be those of values outside."""
    return cls.has_trait(IsolatedFromAbove)


class _Delimited:
    """What `BasePrinter.delimited` gives, without a generator for each pair."""

    __slots__ = ("end", "printer", "start")

    def __init__(self, printer: Printer, start: str, end: str):
        self.printer, self.start, self.end = printer, start, end

    def __enter__(self) -> None:
        self.printer.print_string(self.start)

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        if error is None:
            self.printer.print_string(self.end)


class Texts(dict[int, tuple[Attribute, str]]):
    """What attributes are printed as; printers that share it print each of them once.

    By identity, with the attribute, so that no other takes its place in memory.
    """


@dataclass(eq=False, repr=False)
class FastPrinter(Printer):
    """Prints what `Printer` prints; strings in one piece, and attributes once each."""

    texts: Texts = field(default_factory=Texts, kw_only=True)

    def print_op(self, op: Operation) -> None:
        """Print an op; that none has a message, and what its class has, is known."""
        cls = type(op)
        own_syntax = cls.print is not Operation.print and not self.print_generic_format
        if not own_syntax or cls is UnregisteredOp or self.diagnostic.op_messages:
            super().print_op(op)
            return
        self._print_results(op)
        if scope := _has_own_names(cls):
            self.enter_scope()
        self.print_string(op.name)
        op.print(self)
        if self.print_debuginfo:
            self.print_string(" ")
            self.print_attribute(op.location)
        if scope:
            self.exit_scope()

    def print_string(self, text: str, *, indent: int | None = None) -> None:
        """Print text; most has no line break to indent after."""
        if "\n" in text:
            super().print_string(text, indent=indent)
            return
        self._current_column += len(text)
        assert self.stream is not None
        self.stream.write(text)

    def print_ssa_value(self, value: SSAValue) -> str:
        """Print a value by its name, which most have by now; gives the name."""
        name = self._ssa_values.get(value)
        if name is None:
            return super().print_ssa_value(value)
        self.print_string(f"%{name}")
        return name

    def _print_new_line(
        self, indent: int | None = None, print_message: bool = True
    ) -> None:
        if indent is not None or self._next_line_callback:
            super()._print_new_line(indent, print_message)
            return
        self._current_line += 1
        self._current_column = spaces = self._indent * self.indent_num_spaces
        assert self.stream is not None
        self.stream.write("\n" + " " * spaces)

    def delimited(self, start: str, end: str) -> Any:
        """Print `start` before what is printed in `with`, and `end` behind it."""
        return _Delimited(self, start, end)

    def print_string_literal(self, string: str) -> None:
        """Print a string in quotes; letters beyond ASCII as they are.

        xDSL would write them as bytes, and read these as no string.
        """
        if not string.isascii() and string.isprintable() and not _QUOTED & {*string}:
            self.print_string(f'"{string}"')
        else:
            super().print_string_literal(string)

    def print_bytes_literal(self, bytestring: bytes) -> None:
        """Print a string in quotes, with what is not printable as hex digits."""
        self.print_string(f'"{bytestring.decode("latin-1").translate(_ESCAPES)}"')

    def print_attribute(self, attribute: Attribute) -> None:
        """Print an attribute; its text is kept, as networks repeat types and values."""
        if self.printing_location:  # where a location is written otherwise
            super().print_attribute(attribute)
            return
        known = self.texts.get(id(attribute))
        if known is None:
            known = self.texts[id(attribute)] = (attribute, self._text(attribute))
        self.print_string(known[1])

    def _text(self, attribute: Attribute) -> str:
        """What an attribute is printed as, wherever it stands."""
        stream, column = self.stream, self._current_column
        self.stream = out = StringIO()
        super().print_attribute(attribute)
        self.stream, self._current_column = stream, column
        return out.getvalue()
