"""How a group of ops runs along a row: in which pass what is computed.

A pass goes through the elements of a row once. What waits for the result of a
reduction comes in a later pass, so softmax has three: the maximum; the exponentials and
their sum; the quotients. Between passes comes what there is once for each row.

Stage 2 k is pass k, stage 2 k + 1 what follows it; stage -1 comes before pass 0.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from dycl.kernels.cpu.buffers.memory import PURE
from dycl.kernels.cpu.loops.flat_access import FlatAccess, mergeable
from dycl.kernels.cpu.loops.vector_body import lane_ops
from dycl.kernels.cpu.mlir import ir
from dycl.kernels.cpu.rows.row_groups import RowGroup

LANES = 16
"""Elements that are computed at a time."""

_EXPENSIVE = ("math.", "arith.div", "arith.rem")


@dataclass(frozen=True, eq=False)
class Part:
    """One op of a row program; accesses have a factor for each loop of the space."""

    op: Any
    is_wide: bool
    reduces: bool
    inputs: tuple[FlatAccess | None, ...]
    output: FlatAccess
    place: FlatAccess | None
    """Where a search puts the place of the best element, which is its output."""
    stage: int

    @property
    def outputs(self) -> tuple[FlatAccess, ...]:
        """All that is written."""
        return (self.output,) if self.place is None else (self.output, self.place)

    @property
    def body(self) -> Any:
        """The block that is run for each element; None for a copy."""
        return self.op.regions[0].blocks[0] if len(self.op.regions) else None


@dataclass(frozen=True)
class Plan:
    """A row program, ready to be written down."""

    sizes: tuple[int, ...]
    reduced: tuple[bool, ...]
    parts: tuple[Part, ...]
    """In the order of stages, within a stage in that of the kernel."""
    lanes: int
    """The loop whose neighbours are the lanes of a vector."""
    private: frozenset[Any]
    """Buffers that no one else looks at: they need no memory."""

    @property
    def along(self) -> bool:
        """Whether vectors lie along a row; if not, their lanes are rows."""
        return self.reduced[self.lanes]

    @property
    def stepped(self) -> int | None:
        """The innermost loop over rows, or over vectors of rows; None: there is one."""
        if not self.along:
            return self.lanes
        rows = [loop for loop, flag in enumerate(self.reduced) if not flag]
        return rows[-1] if rows else None

    @property
    def row_step(self) -> int:
        """How far one row, or one vector of rows, is from the next in that loop."""
        return 1 if self.along else LANES

    @property
    def row_size(self) -> int:
        """The elements of a row."""
        pairs = zip(self.sizes, self.reduced, strict=True)
        return math.prod(size for size, flag in pairs if flag)

    @property
    def last_stage(self) -> int:
        """The last stage that has a part."""
        return self.parts[-1].stage

    def read_later(self, part: Part) -> bool:
        """Whether a later pass reads what `part` writes for each element."""
        return any(
            part.output in other.inputs and other.stage > part.stage
            for other in self.parts
        )

    def is_narrow(self, access: FlatAccess) -> bool:
        """Whether an access is to the same place for all elements of a row."""
        pairs = zip(access.factors, self.reduced, strict=True)
        return not any(factor for factor, flag in pairs if flag)

    def is_cheap(self, part: Part) -> bool:
        """Whether it costs no more to compute it again than to keep the result.

        What is the same along a row is computed once for the row.
        """
        if part.body is None:
            return True
        same = [a is None or self.is_narrow(a) for a in part.inputs]
        names = lane_ops(part.body, [*same, *[False] * len(part.outputs)])
        return len(names) <= 6 and not any(n.startswith(_EXPENSIVE) for n in names)

    def is_repeatable(self, part: Part) -> bool:
        """Whether a later pass computes a wide part again rather than to read it."""
        return self.is_cheap(part) and all(
            access is None
            or self.is_narrow(access)
            or not self.is_written(access.buffer)
            for access in part.inputs
        )

    def is_kept(self, part: Part) -> bool:
        """Whether what a part writes goes to memory for a later pass alone."""
        return (
            part.is_wide
            and not part.reduces
            and part.output.buffer in self.private
            and self.read_later(part)
            and not self.is_repeatable(part)
        )

    def is_written(self, buffer: Any) -> bool:
        """Whether some part writes to `buffer`."""
        return any(a.buffer == buffer for part in self.parts for a in part.outputs)


def plan_of(group: RowGroup) -> Plan | None:
    """How the group runs; None if no loop has its elements side by side.

    Nor is there a plan where a place in a row is asked for that is not one number.
    """
    members = [member for _, member in sorted(group.members.items())]
    parts = _staged(
        [
            Part(
                member.op,
                group.is_wide(member),
                member.reduces,
                tuple(
                    None if access is None else group.in_space(member, access)
                    for access in member.inputs
                ),
                group.in_space(member, member.outputs[0]),
                group.in_space(member, member.outputs[1])
                if len(member.outputs) == 2
                else None,
                0,
            )
            for member in members
        ]
    )
    sizes, reduced, parts = _merged(group.sizes, group.reduced, parts)
    lanes = _lanes(sizes, reduced, parts)
    if lanes is None:
        return None
    if sum(reduced) != 1 and any(part.place is not None for part in parts):
        return None
    everyone = [part.op for part in parts]
    private = frozenset(
        access.buffer
        for part in parts
        for access in part.outputs
        if _is_private(access.buffer, everyone)
    )
    ordered = sorted(parts, key=lambda part: part.stage)
    return Plan(sizes, reduced, tuple(ordered), lanes, private)


def _staged(parts: Sequence[Part]) -> list[Part]:
    """Each part as early as what it waits for allows."""
    done: list[Part] = []
    for part in parts:
        stage = 0 if part.is_wide else -1
        for other in done:
            if not _depends(part, other):
                continue
            # The result of a reduction is there when its pass is over.
            ready = other.stage + (other.reduces and part.output != other.output)
            stage = max(stage, ready)
            if part.reduces and other.reduces and part.output == other.output:
                stage = max(stage, other.stage + 1)
        if (stage % 2 == 0) != part.is_wide:
            stage += 1
        done.append(replace(part, stage=stage))
    return done


def _depends(part: Part, before: Part) -> bool:
    mine, others = (
        {a.buffer for a in (*item.inputs, *item.outputs) if a is not None}
        for item in (part, before)
    )
    return any(a.buffer in mine for a in before.outputs) or any(
        a.buffer in others for a in part.outputs
    )


def _merged(
    sizes: tuple[int, ...], reduced: tuple[bool, ...], parts: Sequence[Part]
) -> tuple[tuple[int, ...], tuple[bool, ...], list[Part]]:
    """Two loops become one where that is so for every access of every part."""
    merged = [
        a for part in parts for a in (*part.inputs, *part.outputs) if a is not None
    ]
    joined = [
        can and reduced[i] == reduced[i + 1]
        for i, can in enumerate(mergeable(merged, sizes))
    ]
    ends = [i for i in range(len(sizes)) if i == len(sizes) - 1 or not joined[i]]
    starts = [0, *(end + 1 for end in ends[:-1])]

    def merge(access: FlatAccess | None) -> FlatAccess | None:
        if access is None:
            return None
        factors = tuple(access.factors[end] for end in ends)
        return FlatAccess(access.buffer, access.offset, factors)

    made: list[Part] = []
    for part in parts:
        output = merge(part.output)
        assert output is not None
        inputs, place = tuple(map(merge, part.inputs)), merge(part.place)
        made.append(replace(part, inputs=inputs, output=output, place=place))
    new_sizes = tuple(
        math.prod(sizes[start : end + 1])
        for start, end in zip(starts, ends, strict=True)
    )
    return new_sizes, tuple(reduced[end] for end in ends), made


def _lanes(
    sizes: tuple[int, ...], reduced: tuple[bool, ...], parts: Sequence[Part]
) -> int | None:
    """The loop for the lanes: the innermost of a row, or else one over rows."""
    wide = [part for part in parts if part.is_wide]
    row = max(i for i, flag in enumerate(reduced) if flag)
    for loop in (row, *(i for i in reversed(range(len(sizes))) if not reduced[i])):
        lanes = [
            access
            for part in (wide if reduced[loop] else parts)
            for access in (*part.inputs, *part.outputs)
            if access is not None
        ]
        factors = {access.factors[loop] for access in lanes}
        if factors <= {0, 1} and 1 in factors and all(map(_has_lanes, lanes)):
            return loop
    return None


def _has_lanes(access: FlatAccess) -> bool:
    """Whether elements of a buffer can be read as a vector: bits have no address."""
    element = access.buffer.type.element_type
    return not isinstance(element, ir.IntegerType) or element.width % 8 == 0


def _is_private(buffer: Any, members: Sequence[Any]) -> bool:
    """Whether a buffer is made in the kernel, and only `members` look at it."""
    owner = buffer.owner
    if isinstance(owner, ir.Block) or owner.name != "memref.alloc":
        return False
    waiting = [buffer]
    while waiting:
        for use in waiting.pop().uses:
            user = use.owner.operation
            if user.name in PURE:
                waiting.extend(user.results)
            elif user not in members:
                return False
    return True
