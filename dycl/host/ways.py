"""Where control may go from a place in printed Python, and by which statement.

Python leaves and repeats the nearest loop only, and its own function: what goes further
sets a flag, for which each loop and each part in between asks.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from xdsl.ir import Operation, Region

import dycl.ir as d
from dycl.ir.interfaces import LoopTerminator, RegionSuccessor, RegionTerminator
from dycl.ir.walking import walk


@dataclass(eq=False)
class Function:
    """One Python function: the host's, or a part's."""

    is_part: bool
    parts: list[str] = field(default_factory=list[str])
    """Definitions of the parts inside it."""
    nonlocals: set[str] = field(default_factory=set[str])
    """Names of the functions around it that it assigns."""


@dataclass(eq=False)
class Way:
    """Where control may jump from the current place.

    That is the end of a scope or loop around it, or (`again`) a loop's next iteration.
    """

    op: d.ScopeOp | d.WhileOp
    function: Function
    is_loop: bool
    """Whether Python's `break` leads there; else it is where control goes anyway."""
    again: bool = False
    flag: str = ""


@dataclass(frozen=True)
class Place:
    """Where lines go."""

    function: Function
    level: int = 0
    loops: int = 0
    ways: tuple[Way, ...] = ()

    def deeper(self) -> "Place":
        """One level further in."""
        return replace(self, level=self.level + 1)


def way_out(way: Way, at: Place) -> str:
    """The statement that leads towards `way`, from here."""
    if way.function is not at.function:
        return "return None"
    return "continue" if way.again and way.op is nearest_loop(at) else "break"


def pass_on(regions: Iterable[Region], at: Place) -> list[str]:
    """After a loop or a part: go on with the jumps out of it."""
    targets = {
        target_of(op)
        for region in regions
        for op in walk(region)
        if isinstance(op, RegionTerminator) and is_jump(op)
    }
    lines: list[str] = []
    for way in at.ways:
        if way.is_loop and (way.op, way.again) in targets:
            lines += [f"if {way.flag}:", f"    {way_out(way, at)}"]
    return lines


def successor(op: RegionTerminator) -> RegionSuccessor:
    """Where a terminator with one way leads; what its values become there."""
    assert op.target is not None
    [only] = op.target.region_successors(op)
    return only


def is_jump(op: RegionTerminator) -> bool:
    """Whether a terminator means a scope, or a loop around it from any depth.

    All others hand over to the op that they stand in, where lines just end.
    """
    return isinstance(op, LoopTerminator) or isinstance(op.target, d.ScopeOp)


def target_of(op: RegionTerminator) -> tuple[Operation | None, bool]:
    """The scope or loop that a jump means, and whether its next iteration."""
    return op.target, successor(op).region is not None


def nearest_loop(at: Place) -> Operation | None:
    """What Python's `break` leaves at this place."""
    return next((way.op for way in reversed(at.ways) if way.is_loop), None)


def flag_name(way: Way) -> str:
    """The name that a way's flag should have."""
    if isinstance(way.op, d.ScopeOp):
        return f"left_{way.op.label.data}"
    return "next_iteration" if way.again else "left_loop"
