"""Tensors that functions under `functools.cache` give, and who may write to them.

Eager has one tensor for all calls with the same arguments: what is written to it the
next call sees. A network computes it at each call, so a write from outside of the
function is one that would be seen elsewhere. Its own body makes the tensor, and may
write to it. Where the bodies stand in the files `dycl-inline-calls` has noted.
"""

from collections.abc import Iterator
from typing import NamedTuple

from xdsl.dialects.builtin import ArrayAttr, CallSiteLoc, FileLineColLoc, StringAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Operation

from dycl.analysis.tensors.structures import Known, Leaf, Structures
from dycl.ir.functions import MEMOISED
from dycl.ir.walking import walk


class _Extent(NamedTuple):
    file: str
    first: int
    last: int

    def __str__(self) -> str:
        return f"{self.file}:{self.first}:{self.last}"

    @classmethod
    def of(cls, text: str) -> "_Extent":
        file, first, last = text.rsplit(":", 2)
        return cls(file, int(first), int(last))


def note_memoised(entry: FuncOp, function: FuncOp) -> None:
    """Write down that the body of a memoised function is part of the entry function."""
    places = [op.location for op in walk(function)]
    here = [p for p in places if isinstance(p, FileLineColLoc)]
    if not isinstance(function.location, FileLineColLoc):
        return
    file = function.location.filename.data
    lines = [p.line.data for p in here if p.filename.data == file]
    text = StringAttr(str(_Extent(file, min(lines), max(lines))))
    noted = entry.attributes.get(MEMOISED)
    known = [*noted] if isinstance(noted, ArrayAttr) else []
    if text not in known:
        entry.attributes[MEMOISED] = ArrayAttr([*known, text])


class Memoised:
    """The bodies of memoised functions in one entry function."""

    def __init__(self, entry: FuncOp):
        noted = entry.attributes.get(MEMOISED)
        texts = noted.data if isinstance(noted, ArrayAttr) else ()
        self._extents = [_Extent.of(t.data) for t in texts if isinstance(t, StringAttr)]

    def leaves(self, entry: FuncOp, structures: Structures) -> Iterator[Leaf]:
        """All tensors that the ops of these bodies give."""
        for op in walk(entry) if self._extents else ():
            if self.holds(op):
                for value in op.results:
                    found = structures.leaves(value)
                    yield from (v for v in found if not isinstance(v, Known))

    def holds(self, op: Operation) -> bool:
        """Whether an op is of such a body, or of a function that one calls."""
        location: Attribute = op.location
        while isinstance(location, CallSiteLoc):
            if self._is_inside(location.callee):
                return True
            location = location.caller
        return self._is_inside(location)

    def _is_inside(self, place: Attribute) -> bool:
        return isinstance(place, FileLineColLoc) and any(
            place.filename.data == e.file and e.first <= place.line.data <= e.last
            for e in self._extents
        )
