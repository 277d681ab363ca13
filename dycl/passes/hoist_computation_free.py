"""`dycl-hoist-computation-free`: what computes nothing leaves the kernels for the host.

Before                                    After
------                                    -----
%y = torch.aten.relu %x                   %one = torch.vtensor.literal(dense<1.0>)
%c = torch.aten.clone %y, %none           %y = torch.aten.relu %x
%one = torch.vtensor.literal(dense<1.0>)  %f = dycl.view %y
%z = dycl.if %p -> (T) {                  dycl.return %f, %one, %y
  dycl.yield %c
} else {
  dycl.yield %y
}
%f = torch.aten.unsqueeze %y, %int0
dycl.return %f, %one, %z

Needs:  `dycl-check-typed`. Best before `dycl-outline-branches`.
Leaves: no copy, no cast to the same type, no multiplication by one; every literal
        once, at the top; no `if` result that is the same on both sides; a reshape
        that meets the host (operand or result) is a `dycl.view`.
Skips:  reshapes between two computations: inside a kernel they cost nothing. Views
        that reorder elements (transpose, slices) are computation.

These are the two graph optimisations of the DyCL paper (identity copies, constants)
and one it lacks (views). Values that a branch does not change need no rule: they are
not passed through kernels in the first place.
"""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Block, Operation, SSAValue, Use
from xdsl.passes import ModulePass

from dycl.analysis.control.computation import identity_of, is_free, is_reshape
from dycl.analysis.control.runs import run_numbers
from dycl.ir import IfOp, ItemOp, ViewOp
from dycl.ir.functions import entry_function
from dycl.ir.interfaces import is_inside
from dycl.ir.rewriting import erase, insert_after
from dycl.ir.torch import VTensorLiteralOp
from dycl.ir.walking import walk


@dataclass(frozen=True)
class HoistComputationFreePass(ModulePass):
    """What computes nothing leaves the kernels for the host."""

    name = "dycl-hoist-computation-free"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Change the entry function; raises nothing."""
        entry = entry_function(op)
        if entry is None or not entry.body.blocks:
            return
        _hoist_literals(entry)
        blocks = _blocks(entry)
        for block in blocks:
            for inner in list(block.ops):
                _drop_identity(inner)
        for block in reversed(blocks):
            for if_op in [o for o in block.ops if isinstance(o, IfOp)]:
                _drop_equal_results(if_op)
        for block in blocks:
            runs = run_numbers(block)
            for inner in [o for o in block.ops if is_reshape(o)]:
                _raise_view(inner, runs)
            for inner in [o for o in reversed(list(block.ops)) if is_reshape(o)]:
                _sink_view(inner, runs)


def _blocks(entry: FuncOp) -> list[Block]:
    """The blocks of the function, outer before inner."""
    result: list[Block] = []
    todo = [entry.body.block]
    while todo:
        block = todo.pop()
        result.append(block)
        inner = [b for op in block.ops for r in op.regions for b in r.blocks]
        todo += reversed(inner)
    return result


def _hoist_literals(entry: FuncOp) -> None:
    top = entry.body.block
    literals: dict[tuple[Attribute, Attribute], SSAValue] = {}
    last: Operation | None = None
    for op in [o for o in walk(entry) if isinstance(o, VTensorLiteralOp)]:
        key = (op.value, op.result.type)
        if key in literals:
            op.result.replace_all_uses_with(literals[key])
            erase(op)
            continue
        literals[key] = op.result
        op.detach()
        if last is not None:
            top.insert_op_after(op, last)
        elif top.first_op is not None:
            top.insert_op_before(op, top.first_op)
        else:
            top.add_op(op)
        last = op


def _drop_identity(op: Operation) -> None:
    source = identity_of(op)
    if source is None:
        return
    op.results[0].replace_all_uses_with(source)
    erase(op)


def _drop_equal_results(op: IfOp) -> None:
    """A result that is the same outer value on every side is that value."""
    for i, result in enumerate(op.results):
        given = {end.forwarded[i] for end in op.exits}
        if len(given) == 1:
            (value,) = given
            if not is_inside(value, op) and value.type == result.type:
                result.replace_all_uses_with(value)


def _raise_view(op: Operation, runs: dict[Operation, int]) -> None:
    """A reshape of what comes from outside of its kernel is done by the host."""
    owner = op.operands[0].owner
    if isinstance(owner, Operation) and runs.get(owner) == runs[op]:
        return
    _replace_uses(op, list(op.results[0].uses))
    erase(op)


def _sink_view(op: Operation, runs: dict[Operation, int]) -> None:
    """Outside of its kernel a reshape is done by the host."""
    outside = [use for use in op.results[0].uses if runs.get(use.operation) != runs[op]]
    _replace_uses(op, [use for use in outside if not is_free(use.operation)])
    if not op.results[0].uses:
        erase(op)


def _replace_uses(op: Operation, uses: list[Use]) -> None:
    """Put a `dycl.view` beside a reshape for these uses of its result."""
    source, result = op.operands[0], op.results[0]
    while isinstance(source.owner, ViewOp):
        source = source.owner.operand
    reads = [use for use in uses if isinstance(use.operation, ItemOp)]
    for use in reads:  # one element has one place in any shape
        use.operation.operands[use.index] = source
    others = [use for use in uses if not isinstance(use.operation, ItemOp)]
    if not others:
        return
    if source.type == result.type:
        value = source
    else:
        view = ViewOp(source, result.type)
        view.result.name_hint = result.name_hint
        insert_after(op, view)
        value = view.result
    for use in others:
        use.operation.operands[use.index] = value
