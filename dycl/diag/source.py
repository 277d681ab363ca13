"""Places in the user's files: from an op's location to a frame with a caret."""

import linecache
from dataclasses import dataclass

from xdsl.dialects.builtin import (
    ArrayAttr,
    CallSiteLoc,
    FileLineColLoc,
    FusedLoc,
    IntAttr,
    NameLoc,
    StringAttr,
)
from xdsl.ir import Attribute, Operation

from dycl.diag.spans import end_column


@dataclass(frozen=True)
class SourceLoc:
    """A span on one line of a file. Lines and columns count from 1, in characters."""

    file: str
    line: int
    col: int
    end_col: int | None = None
    """One past the last column; None: found by parsing the file when it is needed."""
    called_from: "SourceLoc | None" = None
    """The call that led here, for code that was inlined; calls form a chain."""

    @staticmethod
    def of(op: Operation) -> "SourceLoc | None":
        """The location of `op`, or of the nearest op around it that has one."""
        node: Operation | None = op
        while node is not None:
            if (location := SourceLoc.from_attr(node.location)) is not None:
                return location
            node = node.parent_op()
        return None

    @staticmethod
    def from_attr(loc: Attribute) -> "SourceLoc | None":
        """Read a location attribute; None if it names no file.

        Names are looked through, the first known part of a fused location counts,
        and a call site gives the location in the callee with `called_from` set.
        """
        match loc:
            case FileLineColLoc():
                return SourceLoc(loc.filename.data, loc.line.data, loc.column.data)
            case NameLoc():
                return SourceLoc.from_attr(loc.location)
            case FusedLoc(locations=ArrayAttr(data=parts)):
                locations = (SourceLoc.from_attr(part) for part in parts)
                return next(
                    (location for location in locations if location is not None), None
                )
            case CallSiteLoc():
                callee = SourceLoc.from_attr(loc.callee)
                caller = SourceLoc.from_attr(loc.caller)
                return caller if callee is None else callee._called_from(caller)
            case _:
                return None

    def to_attr(self) -> FileLineColLoc | CallSiteLoc:
        """The location attribute for an op made at this location."""
        here = FileLineColLoc(
            StringAttr(self.file), IntAttr(self.line), IntAttr(self.col)
        )
        if self.called_from is None:
            return here
        return CallSiteLoc(here, self.called_from.to_attr())

    def __str__(self) -> str:
        """`file:line:col`, as editors and terminals link it."""
        return f"{self.file}:{self.line}:{self.col}"

    def text(self) -> str:
        """The source text of the span; empty if the file cannot be read."""
        return self._source_line()[self.col - 1 : self._end() - 1]

    def frame(self) -> str:
        """Arrow line, source line and carets, then one note for each call above.

        Without the file at hand only the arrow line (and the notes) are given.
        """
        pad = " " * len(str(self.line))
        lines = [f"{pad} --> {self}"]
        if source := self._source_line():
            lines += [
                f"{pad}  |",
                f" {self.line} | {source}",
                f"{pad}  | {self._carets(source)}",
            ]
        caller = self.called_from
        while caller is not None:
            code = f", `{text}`" if (text := caller.text()) else ""
            lines.append(f"{pad}  = note: called from {caller}{code}")
            caller = caller.called_from
        return "\n".join(lines)

    def _called_from(self, caller: "SourceLoc | None") -> "SourceLoc":
        """This location with `caller` put at the outer end of its call chain."""
        outer = caller if self.called_from is None else self.called_from
        if self.called_from is not None:
            outer = self.called_from._called_from(caller)
        return SourceLoc(self.file, self.line, self.col, self.end_col, outer)

    def _source_line(self) -> str:
        linecache.checkcache(self.file)  # it may have been edited, or be another file
        return linecache.getline(self.file, self.line).rstrip("\n")

    def _end(self) -> int:
        end = self.end_col or end_column(self.file, self.line, self.col)
        return max(end or 0, self.col + 1)

    def _carets(self, source: str) -> str:
        # Tabs are repeated, so that the carets stand under the text in any terminal.
        before = source[: self.col - 1].ljust(self.col - 1)
        indent = "".join("\t" if c == "\t" else " " for c in before)
        return indent + "^" * (self._end() - self.col)
