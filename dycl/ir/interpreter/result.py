"""What a run gives back."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from xdsl.dialects.builtin import (
    ArrayAttr,
    CallSiteLoc,
    FileLineColLoc,
    FusedLoc,
    NameLoc,
)
from xdsl.ir import Attribute


class Decision(NamedTuple):
    """One `dycl.if`, or one test of a `dycl.while`, that was run."""

    test: str
    """The condition in the user's words, else the decision's name, else ""."""
    taken: bool
    """Whether the condition was true."""
    location: str
    """`file:line:col` of the user's `if`; "" where it is not known."""


@dataclass(frozen=True)
class Result:
    """What one run computed, and how it went."""

    value: object
    """What `forward` returns: tensors, numbers, and the structure around them."""
    path: tuple[Decision, ...]
    """Every such decision, in order; an `if` on a constant too."""
    kernels: Mapping[str, int]
    """How often each kernel was launched, in order of the first launch."""

    state: Mapping[str, object] = field(default_factory=dict[str, object])
    """The attributes of the model that the run has set or changed, by name."""

    refilled: Mapping[str, object] = field(default_factory=dict[str, object])
    """What lists and dicts of the caller's are to hold, by how the user reaches each.

    Before `dycl-return-lists` they are changed themselves."""

    @property
    def launches(self) -> int:
        """How many kernels were launched."""
        return sum(self.kernels.values())


def location_of(location: Attribute) -> str:
    """`file:line:col` of a location; that of the callee for inlined code.

    An empty string when the location leads to no file.
    """
    match location:
        case FileLineColLoc():
            file, line = location.filename.data, location.line.data
            return f"{file}:{line}:{location.column.data}"
        case NameLoc():
            return location_of(location.location)
        case CallSiteLoc():
            return location_of(location.callee) or location_of(location.caller)
        case FusedLoc(locations=ArrayAttr(data=parts)):
            return next(filter(None, map(location_of, parts)), "")
        case _:
            return ""
