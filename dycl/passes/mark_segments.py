"""`dycl-mark-segments`: marks the parts of a host that can be graphs, each as long as
it can be.

Before                                  After
------                                  -----
host.func @f(%x) {                      host.func @f(%x) {
  dycl.effect "builtins.print"(%x)      dycl.effect "builtins.print"(%x)
                                          %w = dycl.scope "segment 0" {
  %y = host.alloc                           %y = host.alloc
  %z = host.alloc                           %z = host.alloc
  host.launch @k ins(%x) outs(%y)           host.launch @k ins(%x) outs(%y)
  host.launch @k ins(%y) outs(%z)           host.launch @k ins(%y) outs(%z)
                                            dycl.leave "segment 0" %z
                                          } {segment = 0 : i64}
  dycl.return %z                          dycl.return %w
}                                       }

Needs:  `dycl-lower-host`.
Leaves: a host of the same meaning, whose longest runs of ops that a device can do are
        scopes. What they make and others use are results of the scope; a return inside
        still ends the whole.
Skips:  a host that can be one graph as a whole, what runs in functions that call
        themselves, and runs of ops with fewer than `least` launches.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, i64
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.passes import ModulePass

import dycl.ir as d
from dycl.diag import remark
from dycl.ir import host
from dycl.ir.host.segments import SEGMENT, launches_filling, segments_of
from dycl.ir.interfaces import RegionTerminator, is_inside
from dycl.ir.rewriting import append, insert_before
from dycl.ir.walking import walk
from dycl.passes.graph.reasons import reasons, reasons_of


@dataclass(frozen=True)
class MarkSegmentsPass(ModulePass):
    """Marks the parts of a host that can be graphs, each as long as it can be."""

    name = "dycl-mark-segments"

    least: int = 2
    """Launches that a segment has at least."""
    limited: bool = False
    """Whether loops have a limit of iterations, which the host counts to."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Mark the segments of each host function; raises nothing."""
        for func in [f for f in op.ops if isinstance(f, host.FuncOp)]:
            is_done = next(segments_of(func), None) is not None
            if is_done or next(reasons(func, self.limited), None) is None:
                continue  # If nothing is in the way, it is one graph as a whole.
            found: list[list[Operation]] = []
            for run in self._runs(func.body.block):
                if (why := self._cannot(run)) is not None:
                    remark(run[0], "no graph of its own", why)
                else:
                    found.append(run)
            for number, run in enumerate(found):
                _wrap(run, number)

    def _cannot(self, run: Sequence[Operation]) -> str | None:
        count = sum(isinstance(o, host.LaunchOp) for op in run for o in walk(op))
        if count < self.least:
            return f"launches here: {count}; a graph pays from {self.least} on"
        return None

    def _runs(self, block: Block) -> Iterator[list[Operation]]:
        """The longest runs of ops that a device can do, with a launch in each."""
        run: list[Operation] = []
        for op in list(block.ops):
            if self._is_held(op, block):
                run.append(op)
                continue
            yield from _trimmed(run)
            run = []
            if not isinstance(op, d.LocalFunctionOp):
                for region in op.regions:
                    yield from self._runs(region.block)
        yield from _trimmed(run)

    def _is_held(self, op: Operation, block: Block) -> bool:
        """Whether a graph may hold an op of a block, with what is inside."""
        if isinstance(op, RegionTerminator | host.KeepOp):
            return False
        if next(reasons_of(op, self.limited), None) is not None:
            return False
        return all(
            _is_own(output, block, op)
            for launch in walk(op)
            if isinstance(launch, host.LaunchOp)
            for output in launch.outputs
        )


def _is_own(output: SSAValue, block: Block, op: Operation) -> bool:
    """Whether a buffer that is filled in an op of a block may go into a segment."""
    if len(launches_filling(output)) != 1:
        return False
    return is_inside(output, op) or output.owner.parent_block() is block


def _trimmed(run: list[Operation]) -> Iterator[list[Operation]]:
    """A run from its first launch on, if it has one."""
    for start, op in enumerate(run):
        if any(isinstance(o, host.LaunchOp) for o in walk(op)):
            yield run[start:]
            return


def _wrap(run: Sequence[Operation], number: int) -> None:
    """Put a run into a scope; what is the same in all runs stays ahead of it."""
    first, label = run[0], f"segment {number}"
    filled = _filled_in(run)
    inside = [*filled, *(op for op in run if not _is_fixed(op) and op not in filled)]
    for op in run:
        if op not in inside:
            insert_before(first, op, source=op)
    values = [v for op in inside for v in op.results if _is_used_behind(v, inside)]
    block = Block()
    scope = d.ScopeOp(label, [value.type for value in values], Region(block))
    scope.attributes[SEGMENT] = IntegerAttr(number, i64)
    insert_before(first, scope, source=_launch_in(run))
    for op in inside:
        op.detach()
        block.add_op(op)
    for value, result in zip(values, scope.results, strict=True):
        result.name_hint = value.name_hint
        value.replace_uses_with_if(
            result, lambda use: not scope.is_ancestor(use.operation)
        )
    append(block, d.LeaveOp(label, values), source=run[-1])


def _launch_in(run: Sequence[Operation]) -> Operation:
    """The first launch, which has the user's line."""
    return next(o for op in run for o in walk(op) if isinstance(o, host.LaunchOp))


def _filled_in(run: Sequence[Operation]) -> list[Operation]:
    """The memory of the block that launches of a run fill, also if made ahead of it."""
    block = run[0].parent
    found: dict[Operation, None] = {}
    for op in run:
        for launch in walk(op):
            if isinstance(launch, host.LaunchOp):
                for output in launch.outputs:
                    owner = output.owner
                    if isinstance(owner, host.AllocOp) and owner.parent is block:
                        found[owner] = None
    return list(found)


def _is_fixed(op: Operation) -> bool:
    return isinstance(op, d.ConstantOp | host.ParamOp | host.AllocOp)


def _is_used_behind(value: SSAValue, inside: Sequence[Operation]) -> bool:
    users = [use.operation for use in value.uses]
    return any(all(not op.is_ancestor(user) for op in inside) for user in users)
