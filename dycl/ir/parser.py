"""xDSL's parser, faster: a program from the cache is read at each compilation."""

import contextlib
import re
from collections.abc import Callable
from typing import TypeVar

from xdsl.context import Context
from xdsl.dialects.builtin import LocationAttr
from xdsl.ir import TypeAttribute
from xdsl.parser import Parser
from xdsl.utils.mlir_lexer import MLIRTokenKind, StringLiteral

from dycl.ir.torch.parsing import TorchParserMixin

T = TypeVar("T")

_STRING = r'"(?:[^"\\]|\\.)*"'
_FLAT = rf'(?:{_STRING}|[^()"#])*'
_LOCATION = re.compile(rf'loc\((?:{_STRING}|[^()"#]|\({_FLAT}\))*\)')
"""A location that names no alias; one in another at most."""
_TYPE = re.compile(r'!\w+(?:\.\w+)+<[^<>"#!]*>')
"""A type of a dialect, with parameters that are no such types."""


class FastParser(TorchParserMixin, Parser):
    """Parses what `Parser` does, and the bits of floats; the texts of locations and
    types once each.

    A network says `!torch.vtensor<[1,16,32,32],f32>` hundreds of times, and an op's
    location is that of all ops of its line.
    """

    def __init__(self, ctx: Context, text: str):
        """`ctx`: the dialects that the text may use."""
        super().__init__(ctx, text)
        self._locations: dict[str, LocationAttr] = {}
        self._types: dict[str, TypeAttribute] = {}

    def parse_optional_location(self) -> LocationAttr | None:
        """The location that is next, if one is."""
        parse = super().parse_optional_location
        return self._once(_LOCATION, self._locations, parse)

    def parse_optional_type(self) -> TypeAttribute | None:
        """The type that is next, if one is."""
        return self._once(_TYPE, self._types, super().parse_optional_type)

    def parse_optional_str_literal(self) -> str | None:
        """The string that is next, if one is; with letters beyond ASCII, too."""
        result = super().parse_optional_str_literal()
        if result is None and self._current_token.kind == MLIRTokenKind.BYTES_LIT:
            with contextlib.suppress(UnicodeDecodeError):
                literal = StringLiteral.from_span(self._current_token.span)
                result = literal.bytes_contents.decode()
                self._consume_token()
        return result

    def _once(
        self, form: re.Pattern[str], known: dict[str, T], parse: Callable[[], T | None]
    ) -> T | None:
        """What `parse` says of the text here, if that has this form and is new."""
        content = self.lexer.input.content
        start = self.pos
        if (match := form.match(content, start)) is None:
            return parse()
        text, end = match.group(), match.end()
        if (result := known.get(text)) is not None:
            self._resume_from(end)
            return result
        result = parse()
        if result is not None and not content[end : self.pos].strip():
            known[text] = result
        return result
