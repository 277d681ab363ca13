"""What a parser needs to read torch IR fast and right; mix it in before `Parser`."""

import re
from functools import cached_property

from xdsl.dialects.builtin import AnyFloat, ComplexType, IndexType, IntegerType
from xdsl.ir import TypeAttribute
from xdsl.parser import AttrParser

# The text of one type with at most two levels of `<...>` inside its own. It neither
# gives characters back nor stops in front of parameters or a comment, so that a match
# never is the beginning of a longer type.
_TYPE = re.compile(
    r"!torch\.[\w$.]++(?:<(?:[^<>\"/]|<(?:[^<>\"/]|<[^<>\"/]*>)*>)*>)?+(?!\s*[</])"
)


class TorchParserMixin(AttrParser):
    """Parses each text of a torch type once, and the bits of floats as bits."""

    @cached_property
    def _bits_element(self):
        element = self._TensorLiteralElement

        class BitsElement(element):
            def to_type(
                self,
                parser: AttrParser,
                type: AnyFloat | IntegerType | IndexType | ComplexType,
            ):
                if isinstance(type, ComplexType):
                    parser.raise_error("complex bits are not supported", self.span)
                if not isinstance(type, AnyFloat) or not isinstance(self.value, int):
                    return super().to_type(parser, type)
                size = type.compile_time_size
                if not 0 <= self.value < 1 << (8 * size):
                    parser.raise_error(f"these are not the bits of {type}", self.span)
                return type.unpack(self.value.to_bytes(size, "little"), 1)[0]

        return BitsElement

    def _parse_tensor_literal_element(self):
        # xDSL 0.74 reads 0x7F800000, MLIR's infinity, as the number 2139095040.
        element = super()._parse_tensor_literal_element()
        if "0x" not in element.span.text.lower():
            return element
        return self._bits_element(element.is_negative, element.value, element.span)

    @cached_property
    def _torch_types(self) -> dict[str, TypeAttribute]:
        return {}

    def parse_optional_type(self) -> TypeAttribute | None:
        """Parse a type, if present."""
        start = self.pos
        content = self.lexer.input.content
        match = _TYPE.match(content, start)
        if match is None:
            return super().parse_optional_type()
        text = match.group()
        torch_type = self._torch_types.get(text)
        if torch_type is not None:
            self._resume_from(match.end())
            return torch_type
        parsed = super().parse_optional_type()
        # Keep it only if the parser agrees on where the type ends.
        if parsed is not None and not content[match.end() : self.pos].strip():
            self._torch_types[text] = parsed
        return parsed
