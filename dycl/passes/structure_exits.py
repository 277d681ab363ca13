"""`dycl-structure-exits`: guard form: exits stand flat, scopes only where they must.

Before                        After
------                        -----
%r = dycl.scope "f" -> (T) {  %r = dycl.if %c -> (T) {
  dycl.if %c {                  dycl.yield %a
    dycl.leave "f" %a         } else {
  }                             %b = dycl.unary neg %x
  %b = dycl.unary neg %x        dycl.yield %b
  dycl.leave "f" %b           }
}                             %y = dycl.call %f(%r)
%y = dycl.call %f(%r)         dycl.return %y
dycl.return %y

A scope that only leaves at its end is its body. One that is followed by nothing but a
return hands its exits on: `dycl.leave` becomes `dycl.return`, however deep it stands,
so 500 exits stay 500 flat guards. One with a single guard is an `if` with two sides.

Needs:  nothing.
Leaves: scopes only around two or more guards in the middle of other code.
Skips:  scopes with a leave inside a loop that stays.
"""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.passes import ModulePass

from dycl.diag import remark
from dycl.ir import (
    IfOp,
    LeaveOp,
    ReturnOp,
    ScopeOp,
    UnreachableOp,
    YieldOp,
)
from dycl.ir.dialect.syntax import VALUE
from dycl.ir.functions import entry_function
from dycl.ir.interfaces import RegionTerminator
from dycl.ir.rewriting import append, erase, erase_from, insert_before, replace
from dycl.ir.walking import blocks_of, walk


@dataclass(frozen=True)
class StructureExitsPass(ModulePass):
    """Guard form: exits stand flat, scopes only where they must."""

    name = "dycl-structure-exits"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        entry = entry_function(op)
        if entry is None:
            return
        scopes = [o for o in walk(entry) if isinstance(o, ScopeOp)]
        for scope in reversed(scopes):
            if scope.parent is not None:
                _structure(scope)
        for block in list(blocks_of(entry)):
            if _is_inside(block, entry):  # an outer block may have lost it
                _end_after_exits(block)


def _structure(scope: ScopeOp) -> None:
    leaves = scope.exits
    last = scope.body.block.last_op
    if leaves == [last]:
        _dissolve(scope, leaves[0])
    elif not leaves:
        # Nothing leaves it: what follows is not reached.
        insert_before(scope, *scope.body.block.ops)
        erase_from(scope)
    elif _is_tail(scope):
        _forward(scope, leaves)
    elif (why := _cannot(scope, leaves)) is not None:
        remark(scope, "scope kept", why)
    else:
        _to_if(scope, leaves)


def _cannot(scope: ScopeOp, leaves: list[RegionTerminator]) -> str | None:
    """The reason why a scope is no `if` with two sides, or None."""
    if len(leaves) != 2 or leaves[1] is not scope.body.block.last_op:
        return f"it is left at {len(leaves)} places"
    guard = leaves[0].parent_op()
    if not isinstance(guard, IfOp) or guard.parent is not scope.body.block:
        return "it is left from inside a loop, or of a branch in a branch"
    if not guard.exits:
        return "no side of its guard goes on"
    return None


def _dissolve(scope: ScopeOp, end: RegionTerminator) -> None:
    values = list(end.operands)
    erase(end)
    insert_before(scope, *scope.body.block.ops)
    replace(scope, values)


def _is_tail(scope: ScopeOp) -> bool:
    """Whether what follows only hands values on, out of this block."""
    return isinstance(scope.next_op, (ReturnOp, LeaveOp))


def _forward(scope: ScopeOp, leaves: list[RegionTerminator]) -> None:
    next_op = scope.next_op
    assert next_op is not None
    results: dict[SSAValue, int] = {r: i for i, r in enumerate(scope.results)}
    for leave in leaves:
        values = [
            leave.operands[results[v]] if v in results else v for v in next_op.operands
        ]
        if isinstance(next_op, LeaveOp):
            replace(leave, LeaveOp(next_op.label.data, values))
            continue
        replace(leave, ReturnOp(values, next_op.attributes.get("structure")))
    insert_before(scope, *scope.body.block.ops)
    erase_from(scope)


def _to_if(scope: ScopeOp, leaves: list[RegionTerminator]) -> None:
    """One guard, then the rest: an `if` with two sides that yield."""
    guard = leaves[0].parent_op()
    assert isinstance(guard, IfOp)
    sides = [guard.then_region.block, guard.else_region.block]
    side = sides.index(_block_of(leaves[0]))
    other = sides[1 - side]
    end = guard.end_of(other)
    assert end is not None
    _sink_rest(guard, other, end)
    for leave in leaves:
        replace(leave, YieldOp(leave.operands))
    new_if = guard.rebuilt(_result_types(scope, guard))
    insert_before(guard, new_if)
    erase(guard)
    insert_before(scope, *scope.body.block.ops)
    replace(scope, new_if.results)


def _result_types(scope: ScopeOp, guard: IfOp) -> list[Attribute]:
    """The scope's types, where both sides have them by now."""
    return [
        wanted if all(e.forwarded[i].type == wanted for e in guard.exits) else VALUE
        for i, wanted in enumerate(scope.result_types)
    ]


def _sink_rest(guard: IfOp, other: Block, end: RegionTerminator) -> None:
    """Move what follows the guard into the side that falls through."""
    for result, value in zip(guard.results, end.forwarded, strict=True):
        result.replace_all_uses_with(value)
    erase(end)
    op = guard.next_op
    while op is not None:
        following = op.next_op
        op.detach()
        other.add_op(op)
        op = following


def _block_of(op: Operation) -> Block:
    assert op.parent is not None
    return op.parent


def _is_inside(block: Block, function: Operation) -> bool:
    above = block.parent_op()
    while above is not None and above is not function:
        above = above.parent_op()
    return above is function


def _end_after_exits(block: Block) -> None:
    """What follows an `if` both of whose sides leave is not reached."""
    for op in list(block.ops):
        if not isinstance(op, IfOp) or isinstance(op.next_op, UnreachableOp):
            continue
        if op.exits:
            continue
        erase_from(op.next_op)
        append(block, UnreachableOp(), source=op)
        return
