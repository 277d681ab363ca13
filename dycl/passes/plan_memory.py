"""`dycl-plan-memory`: gives every buffer of the host an offset in one arena.

Before                             After
------                             -----
host.func @f(%x) {                 host.func @f(%x) attributes {arena = 128 : i64} {
  %a = host.alloc                    %a = host.alloc {offset = 0 : i64}
  host.launch @k ins(%x) outs(%a)    host.launch @k ins(%x) outs(%a)
  %b = host.alloc                    %b = host.alloc {offset = 64 : i64}
  host.launch @k ins(%a) outs(%b)    host.launch @k ins(%a) outs(%b)
  %c = host.alloc                    %c = host.alloc {offset = 0 : i64}
  host.launch @k ins(%b) outs(%c)    host.launch @k ins(%b) outs(%c)
  dycl.return %c                     dycl.return %c
}                                  }

Needs:  `dycl-lower-host`.
Leaves: `offset` in bytes on each `host.alloc` and `host.keep` (two adjacent areas)
        of known size, a multiple of 64, and on each launch of a kernel that takes a
        workspace (`dycl.workspace`); on the function `arena`, how many there are. A
        local function has an arena of its own, which each of its calls gets anew.
        Memory is shared where no run needs both: in exclusive branches, or one
        after the other. What the two sides of a join fill is put at one offset.
Skips:  buffers whose size a run decides. In a host with more than `max-buffers` of
        them, one lives from its first use to its last, whatever lies between.
"""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import IntegerAttr, MemRefType, ModuleOp, i64
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass

from dycl.analysis.memory.lifetimes import Function, Lifetimes, bits, lifetimes_of
from dycl.diag import remark
from dycl.ir import host
from dycl.ir.dialect.local_functions import local_functions
from dycl.ir.host.types import ARENA, OFFSET, arena_size
from dycl.ir.host.workspaces import workspaces_of
from dycl.support.placement import aligned, place, place_in_turn


@dataclass(frozen=True)
class PlanMemoryPass(ModulePass):
    """Gives every buffer of the host an offset in one arena."""

    name = "dycl-plan-memory"

    max_buffers: int = 2000
    """In hosts with more buffers exclusive branches do not share: to ask each pair of
    buffers whether a pointer may lead to either takes the square of their number."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Set attributes; raises nothing."""
        workspaces = workspaces_of(op)
        for func in op.ops:
            if isinstance(func, host.FuncOp):
                for body in (func, *local_functions(func)):
                    self._plan(body, workspaces)

    def _plan(self, func: Function, workspaces: dict[str, int]) -> None:
        lifetimes = lifetimes_of(func, workspaces)
        owners = [*map(_owner, lifetimes.roots), *(op for op, _ in lifetimes.launches)]
        sizes = [
            *map(_size, lifetimes.roots),
            *(aligned(workspaces[op.kernel_name]) for op, _ in lifetimes.launches),
        ]
        if reason := self._cannot(sizes):
            remark(func, "planned roughly", reason)
            offsets = place_in_turn(sizes, lifetimes.hulls())
        else:
            lifetimes.find_roots()
            offsets = place(
                sizes, lifetimes.conflicts(), _siblings(lifetimes, len(sizes))
            )
        ends = (o + s for o, s in zip(offsets, sizes, strict=True))
        func.attributes[ARENA] = IntegerAttr(max(ends, default=0), i64)
        for owner, offset in zip(owners, offsets, strict=True):
            owner.attributes[OFFSET] = IntegerAttr(offset, i64)

    def _cannot(self, sizes: list[int]) -> str | None:
        count = len(sizes)
        if count > self.max_buffers:
            return f"it has {count} buffers, more than {self.max_buffers}"
        return None


def _owner(root: SSAValue) -> Operation:
    assert isinstance(root.owner, Operation)
    return root.owner


def _size(root: SSAValue) -> int:
    assert isinstance(root.type, MemRefType)
    size = arena_size(root.type)
    return 2 * size if isinstance(root.owner, host.KeepOp) else size


def _siblings(lifetimes: Lifetimes, count: int) -> list[int]:
    """For each root those that some pointer may lead to as well."""
    result = [0] * count
    for roots in lifetimes.leads_to.values():
        for root in bits(roots) if roots & (roots - 1) else ():
            result[root] |= roots
    return result
