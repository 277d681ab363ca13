"""The launches of a host, numbered in the order of the program: of what, and where."""

from collections.abc import Mapping
from dataclasses import dataclass

from xdsl.ir import Operation

from dycl.diag import SourceLoc
from dycl.host.lines import short_file
from dycl.ir import host
from dycl.ir.walking import walk


@dataclass(frozen=True)
class LaunchEntry:
    """One line of the printed table LAUNCHES."""

    kernel: str
    file: str
    """The user's file without folders, or ""."""
    line: int


def launch_entries(func: host.FuncOp) -> Mapping[Operation, LaunchEntry]:
    """All launches of a host function, in order; the number of one is its place."""
    entries: dict[Operation, LaunchEntry] = {}
    for op in walk(func.body):
        if isinstance(op, host.LaunchOp):
            found = SourceLoc.of(op)
            file, line = ("", 0) if found is None else (short_file(found), found.line)
            entries[op] = LaunchEntry(op.kernel_name, file, line)
    return entries
