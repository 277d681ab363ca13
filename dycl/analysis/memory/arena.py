"""Does each buffer of a host function have memory of its own while it is in use?

What `dycl-plan-memory` has written may be edited, so it is checked and not believed: by
`dycl-check-host`.
"""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from xdsl.dialects.builtin import IntegerAttr, MemRefType
from xdsl.ir import Operation, SSAValue

from dycl.analysis.control.launches import Problem
from dycl.analysis.memory.lifetimes import Function, Lifetimes, bits, lifetimes_of
from dycl.ir import host
from dycl.ir.dialect.local_functions import own_ops
from dycl.ir.host.types import ARENA, OFFSET, arena_size
from dycl.support.placement import ALIGNMENT, aligned


class _Interval(NamedTuple):
    """The memory of a root, by its number."""

    start: int
    end: int
    number: int
    op: Operation

    def overlaps(self, other: "_Interval") -> bool:
        return self.start < other.end and other.start < self.end

    def __str__(self) -> str:
        return f"bytes {self.start} to {self.end} of the arena"


def memory_problems(func: Function, workspaces: Mapping[str, int]) -> Iterator[Problem]:
    """What is wrong with where buffers lie, and with what launches fill.

    `workspaces`: the kernels that take one, and its size in bytes.
    """
    lifetimes = lifetimes_of(func, workspaces)
    lifetimes.find_roots()
    yield from _fill_problems(func, lifetimes)
    intervals: list[_Interval] = []
    for number, (op, size) in enumerate(_owners(lifetimes, workspaces)):
        start = op.attributes.get(OFFSET)
        if start is None:
            continue  # It gets memory of its own, behind the arena.
        if why := _why_no_offset(start):
            yield Problem(op, f"`{OFFSET}` is {start}, but it must be {why}")
            continue
        assert isinstance(start, IntegerAttr)
        first = start.value.data
        intervals.append(_Interval(first, first + size, number, op))
    yield from _arena_problems(func, max((i.end for i in intervals), default=0))
    yield from _overlap_problems(lifetimes, intervals)


def _owners(
    found: Lifetimes, workspaces: Mapping[str, int]
) -> Iterator[tuple[Operation, int]]:
    """The ops that own the roots, in order, and the bytes of each."""
    for root in found.roots:
        assert isinstance(root.owner, Operation)
        assert isinstance(root.type, MemRefType)
        count = 2 if isinstance(root.owner, host.KeepOp) else 1
        yield root.owner, count * arena_size(root.type)
    for launch, _ in found.launches:
        yield launch, aligned(workspaces[launch.kernel_name])


def _why_no_offset(attribute: object) -> str | None:
    if not isinstance(attribute, IntegerAttr):
        return "an integer"
    if attribute.value.data < 0 or attribute.value.data % ALIGNMENT:
        return f"a multiple of {ALIGNMENT}, not below zero"
    return None


def _arena_problems(func: Function, needed: int) -> Iterator[Problem]:
    arena = func.attributes.get(ARENA)
    if arena is None:
        if needed:
            yield Problem(
                func, f"buffers have an `{OFFSET}`, but there is no `{ARENA}`"
            )
    elif not isinstance(arena, IntegerAttr):
        yield Problem(func, f"`{ARENA}` is {arena}, but it must be an integer")
    elif arena.value.data < needed:
        yield Problem(
            func,
            f"the arena has {arena.value.data} bytes, but buffers take {needed} of it",
        )


def _overlap_problems(
    found: Lifetimes, intervals: list[_Interval]
) -> Iterator[Problem]:
    """Buffers in use at the same time that share memory; each told once."""
    hulls = found.hulls()
    turns = sorted(intervals, key=lambda one: hulls[one.number])
    active: list[_Interval] = []
    suspects: list[tuple[_Interval, _Interval]] = []
    for one in turns:
        first, _ = hulls[one.number]
        active = [other for other in active if hulls[other.number][1] >= first]
        suspects += [(other, one) for other in active if other.overlaps(one)]
        active.append(one)
    if not suspects:
        return  # To ask each pair exactly costs more.
    conflicts = found.conflicts()
    told: set[int] = set()
    for other, one in suspects:
        if one.number not in told and conflicts[one.number] >> other.number & 1:
            told.add(one.number)
            yield Problem(
                one.op,
                f"this is in {one}, and {_name(other.op)}, which is in use at the same "
                f"time, is in {other}: run dycl-plan-memory",
            )


def _fill_problems(func: Function, found: Lifetimes) -> Iterator[Problem]:
    """A launch fills buffers of its own that it does not read."""
    for op in own_ops(func):
        if not isinstance(op, host.LaunchOp):
            continue
        filled: set[SSAValue] = set()
        roots = 0
        for value in op.outputs:
            if not isinstance(value.owner, host.AllocOp):
                what = f"it fills {_value(value)}, which is not from a host.alloc"
                yield Problem(op, what)
            elif value in filled:
                yield Problem(op, f"it fills {_value(value)} twice")
            filled.add(value)
            roots |= found.leads_to.get(value, 0)
        for value in op.inputs:
            source = found.source_of(value)
            if source in filled:
                yield Problem(op, f"it reads {_value(value)}, which it also fills")
            elif shared := found.leads_to.get(source, 0) & roots:
                root = found.roots[next(bits(shared))]
                yield Problem(
                    op,
                    f"it reads {_value(value)}, which may be {_value(root)}, which it "
                    "also fills: a loop passes tensors on by host.keep",
                )


def _value(value: SSAValue) -> str:
    return f"`%{value.name_hint}`" if value.name_hint else "a buffer"


def _name(op: Operation) -> str:
    """How a message calls what an op makes."""
    if isinstance(op, host.LaunchOp):
        return f"the workspace of @{op.kernel_name}"
    return _value(op.results[0])
