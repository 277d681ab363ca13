"""`dycl-guard-nodes`: makes of ifs around a few nodes nodes that ask for themselves.

Before                                  After
------                                  -----
graph.func @f(%x) {                     graph.func @f(%x) {
                                          %q = host.alloc
  %y = host.alloc                         %y = host.alloc
  %p = host.alloc                         %p = host.alloc
  %c = graph.condition
  graph.scalars {                         graph.scalars {
    %v = host.read %p                       %v = host.read %p
    graph.set %c, %v                        graph.write %v to %q
  }                                       }
  graph.if %c {                           graph.launch @k ins(%x) outs(%y) when %q
    graph.launch @k ins(%x) outs(%y)
  }
  graph.return %y as [#dycl.leaf<0>]      graph.return %y as [#dycl.leaf<0>]
}                                       }

Needs:  `dycl-form-graph`.
Leaves: no `graph.if` whose arms hold a few kernels, copies and numbers alone: on an
        H100 a kernel that looks at a byte and ends takes 0.9 us, a conditional node
        5 us that is not taken, and 8 that is.
Skips:  an if with a decision in an arm, or with more than `most` nodes in one.
"""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import MemRefType, ModuleOp, i1
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass

from dycl.diag import remark
from dycl.ir import graph, host
from dycl.ir.rewriting import erase, insert_before, relocate, replace
from dycl.ir.walking import walk


@dataclass(frozen=True)
class GuardNodesPass(ModulePass):
    """Makes of ifs around a few nodes nodes that ask for themselves."""

    name = "dycl-guard-nodes"

    most: int = 4
    """Nodes that an arm may hold."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Replace each small if; raises nothing."""
        for func in [f for f in op.ops if isinstance(f, graph.FuncOp)]:
            for each in [o for o in walk(func.body) if isinstance(o, graph.IfOp)]:
                if (why := self._cannot(each)) is not None:
                    remark(each, "kept as a conditional node", why)
                else:
                    _guard(each, func)

    def _cannot(self, op: graph.IfOp) -> str | None:
        for region in op.regions:
            nodes = [o for o in region.block.ops if not isinstance(o, graph.EndOp)]
            if len(nodes) > self.most:
                return f"an arm holds {len(nodes)} nodes, more than {self.most}"
            for node in nodes:
                if not isinstance(node, graph.NodeOp) or _sets(node):
                    return "an arm holds a decision"
                if node.guard_slot is not None:
                    return "an arm holds a node that asks already"
        return None


def _sets(node: Operation) -> bool:
    """Whether a node sets the condition of another one."""
    return isinstance(node, graph.ScalarsOp) and any(
        isinstance(o, graph.SetOp) for o in node.body.block.ops
    )


def _guard(op: graph.IfOp, func: graph.FuncOp) -> None:
    condition = op.condition.owner
    assert isinstance(condition, graph.ConditionOp)
    slot = host.AllocOp(MemRefType(i1, []))
    first = func.body.block.first_op
    assert first is not None
    insert_before(first, slot, source=op)
    for use in list(condition.result.uses):
        if isinstance(use.operation, graph.SetOp):
            replace(use.operation, graph.WriteOp(use.operation.value, slot.result))
    for number, region in enumerate(op.regions):
        for node in list(region.block.ops):
            if isinstance(node, graph.NodeOp):
                insert_before(op, _guarded(node, slot.result, bool(number)))
    erase(op)
    erase(condition)


def _guarded(node: graph.NodeOp, slot: SSAValue, negated: bool) -> graph.NodeOp:
    """A node that asks a slot."""
    new: graph.NodeOp
    match node:
        case graph.LaunchOp():
            outputs = list(node.outputs)
            new = graph.LaunchOp(node.kernel_name, list(node.inputs), outputs, [slot])
        case graph.CopyOp():
            new = graph.CopyOp(node.source, node.target, [slot])
        case _:
            assert isinstance(node, graph.ScalarsOp)
            new = graph.ScalarsOp(node.detach_region(node.body), [slot])
    if negated:
        new.negate()
    new.attributes.update(node.attributes)
    relocate(new, node)
    return new
