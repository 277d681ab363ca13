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
after the writes on the path to it. Lists and dicts of the caller's, which
`dycl-return-lists` has put around the output, go the same way. What in them is an
argument itself is not returned: the record `Given` says which it is.

Needs:  types (`dycl-infer-shapes`) and normal form.
Leaves: every return gives `(output, (state, ..., list, ..., input, ...))`, and
        `dycl.state` has a variable for each of the lists and inputs.
Skips:  inputs of unknown size, and those whose shape or memory an op replaces, such as
        `x.t_()`: `dycl-expand-modules` refuses these writes.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ArrayAttr, ModuleOp, StringAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import BlockArgument, Operation, SSAValue
from xdsl.passes import ModulePass

from dycl.analysis.manager import analyses_of
from dycl.analysis.memory.inputs import inputs_written
from dycl.analysis.tensors.shapes import infer
from dycl.analysis.tensors.structures import structures_of
from dycl.ir import DictOp, ListOp, ReturnOp, TupleOp, UnsupportedOp
from dycl.ir.changes import GIVEN
from dycl.ir.functions import entry_function, returns_in
from dycl.ir.refilled import given, refilled_by
from dycl.ir.rewriting import insert_before, insert_constant, insert_value
from dycl.ir.state import STATE, Mode, State, Variable, state_of
from dycl.ir.values import LeafRef
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
        return_ops = returns_in(entry.body)
        if before is not None and before.returned:
            return
        if not all(_is_open(end, before) for end in return_ops):
            return
        inputs = len(entry.body.block.args) if before is None else before.inputs
        refilled = refilled_by(entry)
        lists = {end: _lists_in(end, refilled, before) for end in return_ops}
        if hidden := [end for end, values in lists.items() if values is None]:
            _refuse(hidden)
            return
        analyses = analyses_of(ctx)
        inference = analyses.get(infer, op)
        structures = analyses.ask(structures_of, op)
        found = inputs_written(entry, inputs, inference, structures)
        if not found and not refilled:
            return
        written = [entry.body.block.args[place] for place in found]
        for end in return_ops:
            contents = [_with_given(v, end, inputs) for v in lists[end] or []]
            _give_back(end, written, before, contents)
        for argument in written:
            use_last_version(entry, argument, inference)
        names = _names(entry)
        variables = tuple(Variable(name, "refill", ()) for name in refilled)
        variables += tuple(
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


def _refuse(ends: Sequence[ReturnOp]) -> None:
    what = "what this leaves in a list or dict of the caller's is not known"
    for end in ends:
        hint = "change a copy of it: `xs = list(xs)`"
        insert_before(end, UnsupportedOp("DY206", what, hint))


def _lists_in(
    end: ReturnOp, refilled: Sequence[str], state: State | None
) -> list[SSAValue] | None:
    """The lists that a return gives around its output; None: they are not in sight."""
    output = end.values[0] if state is None else _first_item(end.values[0])
    lists: list[SSAValue] = []
    for _ in refilled:
        pair = output.owner
        if not isinstance(pair, TupleOp) or len(pair.operands) != 2:
            return None
        output, inner = pair.operands
        lists.append(inner)
    return lists[::-1]


def _first_item(value: SSAValue) -> SSAValue:
    assert isinstance(value.owner, TupleOp)
    return value.owner.operands[0]


def _give_back(
    end: ReturnOp,
    inputs: Sequence[SSAValue],
    state: State | None,
    lists: Sequence[SSAValue],
) -> None:
    """Have a return give the lists and the inputs behind the state."""
    output, kept = end.values[0], list[SSAValue]()
    if state is not None:
        both = output.owner
        assert isinstance(both, TupleOp)
        left = both.operands[1].owner
        assert isinstance(left, TupleOp)
        output, kept = both.operands[0], list(left.operands)
    for _ in lists:
        output = _first_item(output)
    after = TupleOp([*kept, *lists, *inputs])
    tuple_op = TupleOp([output, after.result])
    insert_before(end, after, tuple_op)
    end.operands = [tuple_op.result]


def _with_given(value: SSAValue, end: ReturnOp, inputs: int) -> SSAValue:
    """What a list is to hold: what is an argument is the caller's own object."""
    if isinstance(value, BlockArgument):
        of_entry = isinstance(value.owner.parent_op(), FuncOp)
        is_input = of_entry and value.index < inputs
        return insert_constant(end, given(value.index)) if is_input else value
    owner = value.owner
    assert isinstance(owner, Operation)
    if isinstance(name := owner.attributes.get(GIVEN), StringAttr):
        return insert_constant(end, given(name.data))
    match owner:
        case ListOp() | TupleOp():
            items = [_with_given(item, end, inputs) for item in owner.items]
            return insert_value(end, type(owner)(items))
        case DictOp():
            pairs = zip(owner.items[::2], owner.items[1::2], strict=True)
            entries = [
                v for k, item in pairs for v in (k, _with_given(item, end, inputs))
            ]
            return insert_value(end, DictOp(entries))
        case _:
            return value


def _names(entry: FuncOp) -> list[str]:
    """The names of the arguments, as the user wrote them."""
    names = entry.attributes.get("dycl.params")
    if not isinstance(names, ArrayAttr):
        return [a.name_hint or f"x{a.index}" for a in entry.body.block.args]
    return [name.data for name in names if isinstance(name, StringAttr)]
