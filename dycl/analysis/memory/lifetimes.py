"""When the host needs the memory of each buffer, and which buffers exclude each other.

The places of a host function are numbered in the order of its text; an op with regions
has a second place at its end. A *root* is memory: a `host.alloc` or `host.keep`. Any
other buffer is a pointer, which may lead to several roots: a join leads to what either
side has given it. While two different pointers are of use at one place, the roots of
one must not lie where those of the other do; roots of the *same* pointer may, since it
leads to one of them at a time.

A launch that is given a workspace is a root, too, of use at its own place only. A set
of roots is an int whose bits are their numbers: see `dycl.support.placement`.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Block, Operation, Region, SSAValue

import dycl.ir as d
from dycl.ir import host
from dycl.ir.dialect.local_functions import own_ops
from dycl.ir.host.types import is_static
from dycl.ir.interfaces import LoopOp, edges

Function = host.FuncOp | d.LocalFunctionOp
"""What has an arena of its own."""

Span = tuple[int, int]
"""First and last place, both included."""


@dataclass
class Lifetimes:
    """Facts on the buffers of one host function."""

    roots: list[SSAValue] = field(default_factory=list[SSAValue])
    """Results of `host.alloc` and `host.keep` of known size, in order."""
    launches: list[tuple[host.LaunchOp, int]] = field(
        default_factory=list[tuple[host.LaunchOp, int]]
    )
    """Launches that are given a workspace, and their places: the roots behind."""
    spans: dict[SSAValue, list[Span]] = field(
        default_factory=dict[SSAValue, list[Span]]
    )
    """Where each buffer is of use. Views count as what they are views of."""
    leads_to: dict[SSAValue, int] = field(default_factory=dict[SSAValue, int])
    """The set of roots of each buffer."""
    flows: dict[SSAValue, list[SSAValue]] = field(
        default_factory=dict[SSAValue, list[SSAValue]]
    )
    """From a buffer to the pointers that it may be handed to."""
    views: dict[SSAValue, SSAValue] = field(default_factory=dict[SSAValue, SSAValue])
    """Views: what they are views of."""

    def source_of(self, value: SSAValue) -> SSAValue:
        """What a view is a view of; anything else is itself."""
        return self.views.get(value, value)

    def find_roots(self) -> None:
        """Fill in `leads_to`: costs the number of roots times that of buffers."""
        for number, root in enumerate(self.roots):
            self.leads_to[root] = 1 << number
        changed = True
        while changed:
            # In the order of the text one round does it, but for what loops carry.
            changed = False
            for value, targets in self.flows.items():
                ours = self.leads_to.get(value, 0)
                for target in targets:
                    known = self.leads_to.get(target, 0)
                    if ours & ~known:
                        self.leads_to[target] = known | ours
                        changed = True

    def conflicts(self) -> list[int]:
        """For each root the set of those that must not share its memory."""
        count = len(self.roots)
        masks = [0] * (count + len(self.launches))
        uses = [
            (start, end, number, self.leads_to[value])
            for number, (value, spans) in enumerate(self.spans.items())
            for start, end in spans
            if value in self.leads_to
        ]
        uses += [
            (place, place, -1 - number, 1 << count + number)
            for number, (_, place) in enumerate(self.launches)
        ]
        active: list[tuple[int, int, int]] = []
        for start, end, key, ours in sorted(uses):
            active = [item for item in active if item[0] >= start]
            theirs = 0
            for _, other, roots in active:
                if other != key:
                    theirs |= roots
            for root in bits(ours) if theirs else ():
                masks[root] |= theirs
            for root in bits(theirs):
                masks[root] |= ours
            active.append((end, key, ours))
        return [others & ~(1 << number) for number, others in enumerate(masks)]

    def hulls(self) -> list[Span]:
        """For each root the span from its first use to its last, by any pointer."""
        whole = {
            value: (min(s for s, _ in spans), max(e for _, e in spans))
            for value, spans in self.spans.items()
        }
        changed = True
        while changed:
            changed = False
            for value, targets in reversed(self.flows.items()):
                spans = [whole[v] for v in (value, *targets) if v in whole]
                if not spans:
                    continue
                wider = (min(s for s, _ in spans), max(e for _, e in spans))
                if whole.get(value) != wider:
                    whole[value] = wider
                    changed = True
        never = (0, 0)
        roots = [whole.get(root, never) for root in self.roots]
        return [*roots, *((place, place) for _, place in self.launches)]


def bits(members: int) -> Iterator[int]:
    """The numbers in a set."""
    while members:
        lowest = members & -members
        yield lowest.bit_length() - 1
        members ^= lowest


def roots_of(func: Function) -> list[SSAValue]:
    """Results of `host.alloc` and `host.keep` of known size, in order."""
    return [
        op.results[0]
        for op in own_ops(func)
        if isinstance(op, host.AllocOp | host.KeepOp) and is_static(op.results[0].type)
    ]


def lifetimes_of(func: Function, workspaces: Mapping[str, int]) -> Lifetimes:
    """The facts on a host function that verifies; `find_roots` adds more.

    The local functions in it have memory of their own, and facts of their own.

    `workspaces`: the kernels that take one.
    """
    walk = _Walk()
    walk.number(func.body.block)
    walk.block(func.body.block)
    result = walk.found
    result.roots = roots_of(func)
    result.launches = [
        (op, start)
        for op, (start, _) in walk.places.items()
        if isinstance(op, host.LaunchOp) and op.kernel_name in workspaces
    ]
    return result


def _regions(op: Operation) -> Sequence[Region]:
    """The regions of an op that are run where it stands."""
    return () if isinstance(op, d.LocalFunctionOp) else op.regions


class _Walk:
    """Walks backwards; `live` holds the last place where a buffer is of use."""

    def __init__(self) -> None:
        self.found = Lifetimes()
        self.places: dict[Operation, Span] = {}
        self._starts: dict[Block, int] = {}
        self._next = 0

    def number(self, block: Block) -> None:
        """Give each op its places, and find views and flows."""
        self._starts[block] = self._place()
        for op in block.ops:
            start = self._place()
            self._flow(op)
            for region in _regions(op):
                self.number(region.block)
            self.places[op] = start, self._place() if op.regions else start

    def _place(self) -> int:
        self._next += 1
        return self._next

    def _of(self, value: SSAValue) -> SSAValue:
        return self.found.source_of(value)

    def _flow(self, op: Operation) -> None:
        match op:
            case host.ViewOp() | host.CastOp():
                self.found.views[op.results[0]] = self._of(op.operands[0])
            case d.CheckedOp() if isinstance(op.value.type, MemRefType):
                self.found.views[op.result] = self._of(op.value)
            case d.LocalCallOp():
                # What it gives may be what it was given.
                for argument in op.arguments:
                    for result in op.results:
                        self._hand(argument, result)
            case d.SelectOp():
                self._hand(op.if_true, op.result)
                self._hand(op.if_false, op.result)
            case _:
                for value, target in edges(op):
                    self._hand(value, target)

    def _hand(self, value: SSAValue, target: SSAValue) -> None:
        if isinstance(target.type, MemRefType):
            self.found.flows.setdefault(self._of(value), []).append(target)

    # ---- backwards

    def block(self, block: Block) -> set[SSAValue]:
        """Walk a block; the buffers from outside that it uses."""
        live: dict[SSAValue, int] = {}
        for op in reversed(list(block.ops)):
            self._op(op, live)
        for value, end in live.items():
            self._span(value, self._starts[block], end)
        return {value for value in live if value not in block.args}

    def _op(self, op: Operation, live: dict[SSAValue, int]) -> None:
        start, end = self.places[op]
        for result in op.results:
            if result in live:
                self._span(result, end, live.pop(result))
        if isinstance(op, LoopOp):
            # An iteration needs what the one before has needed.
            for argument in (a for inner in op.entered for a in inner.args):
                self._span(argument, start, end)
        for region in _regions(op):
            for value in self.block(region.block):
                live.setdefault(value, end if isinstance(op, LoopOp) else start)
        if isinstance(op, host.LaunchOp):
            for value in op.outputs:
                # Nobody needs what was in it before.
                if isinstance(value.owner, host.AllocOp):
                    self._span(value, start, live.pop(value, start))
        for value in op.operands:
            is_filled = isinstance(op, host.LaunchOp) and value in op.outputs
            if isinstance(value.type, MemRefType) and not (
                is_filled and isinstance(value.owner, host.AllocOp)
            ):
                live.setdefault(self._of(value), start)

    def _span(self, value: SSAValue, start: int, end: int) -> None:
        if isinstance(value.type, MemRefType):
            self.found.spans.setdefault(value, []).append((start, end))
