"""`dycl-return-inputs`: what a run writes to its inputs is returned beside the output.

Before                         After
------                         -----
%y = dycl.invoke %x "relu_"()  %y = dycl.invoke %x "relu_"()
dycl.return %y                 %0 = dycl.tuple(%x)
                               %1 = dycl.tuple(%y, %0)
                               dycl.return %1

In eager the caller's tensor changes. In the IR a tensor is a value, so the runtime is
told what the caller's tensor is to hold after the call, and copies it there. That is
how state is given back (`dycl.ir.state`), and the inputs follow it in the same tuple.
Each return names the input as it was given: `dycl-follow-writes` makes that the value
after the writes on the path to it.

Needs:  types (`dycl-infer-shapes`) and normal form.
Leaves: every return gives `(output, (state, ..., input, ...))`, and `dycl.state` has a
        variable for each of the inputs.
Skips:  inputs of unknown size, and those whose shape or memory an op replaces, such as
        `x.t_()`: `dycl-expand-modules` refuses these writes.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ArrayAttr, ModuleOp, StringAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass

from dycl.analysis.manager import analyses_of
from dycl.analysis.memory.inputs import inputs_written
from dycl.analysis.tensors.shapes import infer
from dycl.analysis.tensors.structures import structures_of
from dycl.ir import ReturnOp, TupleOp
from dycl.ir.functions import entry_function
from dycl.ir.rewriting import insert_before
from dycl.ir.state import STATE, Mode, State, Variable, state_of
from dycl.ir.values import LeafRef
from dycl.ir.walking import walk
from dycl.passes.writes.renaming import use_last_version


@dataclass(frozen=True)
class ReturnInputsPass(ModulePass):
    """What a run writes to its inputs is returned beside the output."""

    name = "dycl-return-inputs"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Change the entry function; raises nothing."""
        entry = entry_function(op)
        if entry is None or not entry.body.blocks:
            return
        before = state_of(entry)
        return_ops = [end for end in walk(entry) if isinstance(end, ReturnOp)]
        if before is not None and before.written:
            return
        if not all(_is_open(end, before) for end in return_ops):
            return
        inputs = len(entry.body.block.args) if before is None else before.inputs
        analyses = analyses_of(ctx)
        inference = analyses.get(infer, op)
        structures = analyses.ask(structures_of, op)
        found = inputs_written(entry, inputs, inference, structures)
        if not found:
            return
        given = [entry.body.block.args[place] for place in found]
        for end in return_ops:
            _give_back(end, given, before)
        for argument in given:
            use_last_version(entry, argument, inference)
        names = _names(entry)
        variables = tuple(
            Variable(names[place], _MODES[needs_order], (), (LeafRef(place),))
            for place, needs_order in found.items()
        )
        kind, kept = (None, ()) if before is None else (before.kind, before.variables)
        entry.attributes[STATE] = State(inputs, kind, (*kept, *variables)).to_attr()


_MODES: dict[bool, Mode] = {False: "write", True: "write contiguous"}


def _is_open(end: ReturnOp, state: State | None) -> bool:
    """Whether a return can be given more."""
    if len(end.values) != 1 or end.structure is not None:
        return False
    if state is None:
        return True
    both = end.values[0].owner
    return (
        isinstance(both, TupleOp)
        and len(both.operands) == 2
        and isinstance(both.operands[1].owner, TupleOp)
    )


def _give_back(end: ReturnOp, inputs: Sequence[SSAValue], state: State | None) -> None:
    """Have a return give the inputs behind the state."""
    output, kept = end.values[0], list[SSAValue]()
    if state is not None:
        both = output.owner
        assert isinstance(both, TupleOp)
        left = both.operands[1].owner
        assert isinstance(left, TupleOp)
        output, kept = both.operands[0], list(left.operands)
    after = TupleOp([*kept, *inputs])
    tuple_op = TupleOp([output, after.result])
    insert_before(end, after, tuple_op)
    end.operands = [tuple_op.result]


def _names(entry: FuncOp) -> list[str]:
    """The names of the arguments, as the user wrote them."""
    names = entry.attributes.get("dycl.params")
    if not isinstance(names, ArrayAttr):
        return [a.name_hint or f"x{a.index}" for a in entry.body.block.args]
    return [name.data for name in names if isinstance(name, StringAttr)]
