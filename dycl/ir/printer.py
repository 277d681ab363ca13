"""xDSL's printer, faster: every level of a compilation is printed, in full."""

from dataclasses import dataclass, field
from functools import cache

from xdsl.ir import Attribute, TypeAttribute
from xdsl.printer import Printer

_ESCAPES = {
    byte: f"\\{byte:02X}" for byte in range(256) if not 0x20 <= byte <= 0x7E
} | {0x22: "\\22", 0x5C: "\\\\"}

_QUOTED = {'"', "\\"}


@cache
def _is_type(cls: type[Attribute]) -> bool:
    return issubclass(cls, TypeAttribute)


@dataclass(eq=False, repr=False)
class FastPrinter(Printer):
    """Prints what `Printer` prints; strings in one piece, and types once each."""

    _types: dict[int, tuple[Attribute, str]] = field(
        default_factory=dict[int, tuple[Attribute, str]], init=False
    )
    # By identity, with the type itself, so that no other can take its place in memory.

    def print_string(self, text: str, *, indent: int | None = None) -> None:
        """Print text; most has no line break to indent after."""
        if "\n" in text:
            super().print_string(text, indent=indent)
            return
        self._current_column += len(text)
        assert self.stream is not None
        self.stream.write(text)

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
        """Print an attribute; the text of a type is kept, as networks repeat types."""
        if not _is_type(type(attribute)):
            super().print_attribute(attribute)
            return
        known = self._types.get(id(attribute))
        if known is None:
            known = self._types[id(attribute)] = (attribute, str(attribute))
        self.print_string(known[1])
