"""`dycl-form-graph`: makes of a host function one graph, with its decisions.

Before                                  After
------                                  -----
host.func @f(%x) {                      graph.func @f(%x) {
  %y = host.alloc                         %y = host.alloc
  host.launch @k ins(%x) outs(%y)         graph.launch @k ins(%x) outs(%y)
  dycl.return %y                          graph.scalars { graph.exit 0 }
}                                         graph.return %y as [#dycl.leaf<0>]
                                        }

Needs:  `dycl-lower-host`, and what `dycl-check-host` checks.
Leaves: a `graph.func` in place of the `host.func`. A number that outlives the thread
        that computes it is in memory of one element. What joins values has memory, into
        which either side puts its own: by the launch itself, if it can. A function that
        stays on the host has one beside it for each of its segments. What the sizes of
        arguments decide is computed with the memory, ahead of runs.
Skips:  a function with an op that only the host can run: an effect on each path, lists
        that grow, texts, recursion, a loop that hands on a tensor of dynamic size. What
        a device cannot do in a branch (`print`, `raise`) ends the run, and the host
        does it again.
"""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from dycl.diag import remark
from dycl.ir import host
from dycl.ir.host.segments import segments_of
from dycl.ir.rewriting import erase, insert_before
from dycl.passes.graph.control import Tree
from dycl.passes.graph.reasons import Reason, reasons
from dycl.passes.graph.segments import graph_of


@dataclass(frozen=True)
class FormGraphPass(ModulePass):
    """Makes of a host function one graph, with its decisions."""

    name = "dycl-form-graph"

    limited: bool = False
    """Whether loops have a limit of iterations, which the host counts to."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Replace each host function; raises nothing."""
        for func in [f for f in op.ops if isinstance(f, host.FuncOp)]:
            found = self._cannot(func)
            for at, why in found:
                remark(at, "not on the device", why)
            if found:
                trees = [graph_of(segment, func) for segment in segments_of(func)]
                insert_before(func, *trees)
            else:
                insert_before(func, Tree(func).build())
                erase(func)

    def _cannot(self, func: host.FuncOp) -> list[Reason]:
        return list(reasons(func, self.limited))
