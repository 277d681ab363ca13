"""The parser of texts that people edit: every op without `loc(..)` gets its place."""

import re
from bisect import bisect_right
from typing import Any, NoReturn

from xdsl.context import Context
from xdsl.dialects.builtin import FileLineColLoc, IntAttr, ModuleOp, StringAttr
from xdsl.ir import Operation
from xdsl.parser import Parser
from xdsl.utils.exceptions import DiagnosticException, ParseError

from dycl.ir.torch import TorchParserMixin
from dycl.ir.verify import is_known


class NotUtf8(DiagnosticException):
    """A file is no text; the message has file, line and column."""


def decode(data: bytes, name: str) -> str:
    """The text of a file. NotUtf8: it has bytes that are no UTF-8."""
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        before = data[: error.start]
        line = before.count(b"\n") + 1
        column = len(before) - (before.rfind(b"\n") + 1) + 1
        raise NotUtf8(
            f"{name}:{line}:{column}: error: the byte 0x{data[error.start]:02x} is not "
            "UTF-8, as text has to be"
        ) from error


class PlacingParser(TorchParserMixin, Parser):
    """xDSL's parser, with file:line:col on every op, as `mlir-opt` does it.

    Texts of tensor types are read once, and the bits of floats as bits.
    """

    def __init__(self, ctx: Context, text: str, name: str, line_offset: int = 0):
        """Parse `text` as lines `line_offset` and on of the file `name`."""
        super().__init__(ctx, text, name)
        self._file = StringAttr(name)
        self._line_offset = line_offset
        # Indexed once: xDSL's Span.get_location reads the text from the start.
        self._line_starts = [0, *(m.end() for m in re.finditer("\n", text))]

    def raise_error(self, msg: str, *at: Any, **place: Any) -> NoReturn:
        """ParseError: with a sentence where xDSL's own says where it is only."""
        if msg == " in block definition":
            msg = "an op, a block or the end of the region is expected here"
        super().raise_error(msg, *at, **place)

    def parse_operation(self) -> Operation:
        """Parse one op. ParseError: the text is not an op."""
        start = self.pos
        try:
            op = super().parse_operation()
        except (ParseError, RecursionError):
            raise
        except Exception as error:
            # Constructors of ops and attributes raise for what text may say, too.
            what = str(error) or type(error).__name__
            if what.startswith("zip()"):
                what = "an attribute or a type has too few or too many parameters"
            self.raise_error(f"this op cannot be read: {what}", start, self.pos)
        if not is_known(op.location):
            line = bisect_right(self._line_starts, start)
            column = start - self._line_starts[line - 1] + 1
            op.location = FileLineColLoc(
                self._file, IntAttr(line + self._line_offset), IntAttr(column)
            )
        for region in op.regions:
            for block in region.blocks:
                last = block.last_op
                if last is not None and not is_known(last.location):
                    last.location = op.location  # a terminator the syntax leaves out
        return op


def parse_text(
    ctx: Context, text: str, name: str, line_offset: int = 0, *, implicit: bool = True
) -> ModuleOp:
    """The module that `text` says; an empty text is an empty module.

    `implicit`: ops outside a module are put into one. ParseError: not valid IR.
    """
    if not text.strip():
        return ModuleOp([])
    return PlacingParser(ctx, text, name, line_offset).parse_module(implicit)
