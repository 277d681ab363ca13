"""A segment of a host function as a function of its own, of which a tree is made.

Before                               After
------                               -----
host.func @f(%x) {                   graph.func @f_segment_0(%x) {
  dycl.effect "builtins.print"(%x)
  %w = dycl.scope "segment 0" {
    %y = host.alloc                    %y = host.alloc
    host.launch @k ins(%x) outs(%y)    graph.launch @k ins(%x) outs(%y)
    dycl.leave "segment 0" %y          graph.scalars { graph.exit 0 }
  } {segment = 0 : i64}                graph.return %y as [#dycl.tuple<[#dycl.leaf<0>]>]
  dycl.return %w
}                                    }
"""

from xdsl.dialects.builtin import IntegerAttr, i64
from xdsl.ir import Block, Operation, Region, SSAValue

import dycl.ir as d
from dycl.ir import graph, host
from dycl.ir.cloning import clone
from dycl.ir.graph.function import BEHIND
from dycl.ir.host.segments import SEGMENT, given_to, number_in
from dycl.ir.interfaces import is_inside
from dycl.ir.rewriting import append, relocate
from dycl.ir.values import LeafRef, to_attr
from dycl.ir.walking import walk
from dycl.passes.graph.control import Tree, decisions


def graph_of(segment: d.ScopeOp, func: host.FuncOp) -> graph.FuncOp:
    """The graph of a segment of a host function, with the attributes `segment`, its
    number, and `behind`, the number of the exit that leads on."""
    alone = _alone(segment, func)
    numbers = decisions(func)
    own = [numbers[op] for op in walk(segment) if op in numbers]
    tree = Tree(alone, min(own, default=0))
    made = tree.build()
    end = alone.body.block.last_op
    assert isinstance(end, d.ReturnOp)
    made.attributes[SEGMENT] = segment.attributes[SEGMENT]
    made.attributes[BEHIND] = IntegerAttr(tree.ends(end), i64)
    return made


def _alone(segment: d.ScopeOp, func: host.FuncOp) -> host.FuncOp:
    given = given_to(segment)
    block = Block(arg_types=[value.type for value in given])
    values: dict[SSAValue, SSAValue] = {}
    for value, argument in zip(given, block.args, strict=True):
        values[value] = argument
        argument.name_hint = value.name_hint
    for op in walk(segment.body):
        for value in op.operands:
            if not is_inside(value, segment):
                _copy_fixed(value, block, values)
    for op in segment.body.block.ops:
        if isinstance(op, d.LeaveOp):
            left = [values.get(value, value) for value in op.values]
            structure = to_attr(tuple(LeafRef(i) for i in range(len(left))))
            append(block, d.ReturnOp(left, structure), source=op)
        else:
            block.add_op(clone(op, values))
    names = [value.name_hint or "value" for value in given]
    name = f"{func.sym_name.data}_segment_{number_in(segment, SEGMENT)}"
    made = host.FuncOp(name, names, Region(block))
    relocate(made, segment)
    return made


def _copy_fixed(
    value: SSAValue, block: Block, values: dict[SSAValue, SSAValue]
) -> None:
    """Make what is the same in all runs anew, ahead of the ops of the segment."""
    if value in values:
        return
    owner = value.owner
    assert isinstance(owner, Operation)
    for operand in owner.operands:
        _copy_fixed(operand, block, values)
    block.add_op(clone(owner, values))
