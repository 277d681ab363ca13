"""Lines of printed text: how deep they stand, and what is noted beside them."""

from collections.abc import Iterable, Sequence

from xdsl.ir import Operation

from dycl.diag import SourceLoc


def indent(lines: Iterable[str]) -> list[str]:
    """The lines one level deeper; empty lines stay empty."""
    return [f"    {line}" if line else "" for line in lines]


def noted(line: str, note: str) -> str:
    """The line with a comment, if there is something to say."""
    return f"{line}  # {note}" if note else line


def location_text(op: Operation) -> str:
    """`net.py:31`, or "" where the place is unknown."""
    location = SourceLoc.of(op)
    return "" if location is None else f"{short_file(location)}:{location.line}"


def short_file(found: SourceLoc) -> str:
    """The user's file without the folders of the machine that compiles."""
    return found.file.replace("\\", "/").rpartition("/")[2]


def is_one_if(lines: Sequence[str]) -> bool:
    """Whether the lines are one `if` statement and nothing else."""
    return (
        bool(lines)
        and lines[0].startswith("if ")
        and all(line.startswith(("    ", "elif ", "else:")) for line in lines[1:])
    )
