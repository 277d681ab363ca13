"""`dycl-plan-memory`: gives every buffer of the host its place in one arena.

Before                                  After
------                                  -----
host.func @f(..) params [..] {          host.func @f(..) params [..]
                                          attributes {arena = 64 : i64} {
  %z = host.if %c -> (T) {                %z = host.if %c -> (T) {
    %a = host.alloc : T                     %a = host.alloc {offset = 0 : i64} : T
  } else {                                } else {
    %b = host.alloc : T                     %b = host.alloc {offset = 0 : i64} : T
  }                                       }

Needs:  `dycl-lower-host`.
Leaves: `offset` in bytes on each `host.alloc` and `host.keep` (two places in a row)
        of known size, a multiple of 64; on the function `arena`, how many there are.
        Buffers share memory where no run needs both: in exclusive branches, or one
        after the other. What the two sides of a join fill is put into one place.
Skips:  buffers whose size a run decides; a host with more than `max-buffers` of them,
        of which each gets a place of its own.
"""

from dataclasses import dataclass
from itertools import accumulate

from xdsl.context import Context
from xdsl.dialects.builtin import IntegerAttr, MemRefType, ModuleOp, i64
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass

from dycl.analysis.lifetimes import Lifetimes, lifetimes_of, roots_of
from dycl.diag import remark
from dycl.ir import host
from dycl.ir.host.types import ARENA, OFFSET, arena_size


@dataclass(frozen=True)
class PlanMemoryPass(ModulePass):
    """Gives every buffer of the host its place in one arena."""

    name = "dycl-plan-memory"

    max_buffers: int = 400
    """Hosts with more buffers are not searched for what may share memory: in a chain
    of joins each buffer may live to the end, so the search is quadratic."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Set attributes; raises nothing."""
        for func in op.ops:
            if isinstance(func, host.FuncOp):
                self._plan(func)

    def _plan(self, func: host.FuncOp) -> None:
        roots = roots_of(func)
        sizes = [_size(root) for root in roots]
        if reason := self._cannot(roots):
            remark(func, "not planned", reason)
            offsets = [0, *accumulate(sizes)][: len(sizes)]
        else:
            offsets = _placed(lifetimes_of(func), sizes)
        ends = (o + s for o, s in zip(offsets, sizes, strict=True))
        func.attributes[ARENA] = IntegerAttr(max(ends, default=0), i64)
        for root, offset in zip(roots, offsets, strict=True):
            assert isinstance(root.owner, Operation)
            root.owner.attributes[OFFSET] = IntegerAttr(offset, i64)

    def _cannot(self, roots: list[SSAValue]) -> str | None:
        count = len(roots)
        if count > self.max_buffers:
            return f"it has {count} buffers, more than {self.max_buffers}"
        return None


def _size(root: SSAValue) -> int:
    assert isinstance(root.type, MemRefType)
    size = arena_size(root.type)
    return 2 * size if isinstance(root.owner, host.KeepOp) else size


def _placed(lifetimes: Lifetimes, sizes: list[int]) -> list[int]:
    """Offsets: large buffers first, each where it fits, best where its siblings lie."""
    conflicts = lifetimes.conflicts()
    siblings: list[set[int]] = [set() for _ in sizes]
    for roots in lifetimes.leads_to.values():
        for root in roots:
            siblings[root] |= roots
    placed: dict[int, int] = {}
    for root in sorted(range(len(sizes)), key=lambda i: (-sizes[i], i)):
        taken = sorted(
            (placed[other], placed[other] + sizes[other])
            for other in conflicts[root]
            if other in placed
        )
        wanted = sorted({placed[s] for s in siblings[root] if s in placed})
        placed[root] = next(
            (offset for offset in wanted if _fits(offset, sizes[root], taken)),
            _first_gap(sizes[root], taken),
        )
    return [placed[i] for i in range(len(sizes))]


def _fits(offset: int, size: int, taken: list[tuple[int, int]]) -> bool:
    return all(end <= offset or offset + size <= start for start, end in taken)


def _first_gap(size: int, taken: list[tuple[int, int]]) -> int:
    offset = 0
    for start, end in taken:
        if offset + size <= start:
            break
        offset = max(offset, end)
    return offset
