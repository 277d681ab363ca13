"""`dycl-carry-lists`: a list that data-dependent code changes becomes a carried value.

Before                              After
------                              -----
%l = dycl.list()                    %l = dycl.sequence()
dycl.while {                        %l_1 = dycl.while carry(%l_2 = %l) {
  dycl.condition %p                   dycl.condition %p, %l_2
} do {                              } do(%l_3) {
  %n = dycl.invoke %l "append"(%y)    %l_4 = dycl.append %l_3, %y
}                                     dycl.yield %l_4
%s = dycl.call %stack(%l)           }
dycl.return %s                      %s = dycl.call %stack(%l_1)
                                    dycl.return %s

A Python list is an object with any number of names; a sequence is a value that nobody
changes. Each `append`, `extend`, `insert`, `pop`, `remove`, `clear`, `del l[i]`,
`l[i] = x` and `+=` gives a new one, and branches, scopes and loops forward what the
list is by then. A copy, `list(l)` or `l[1:]`, is a list of its own.

Needs:  the rounds of `normalise` are over: a list whose items are known in the end is
        better taken apart (`dycl-scalarize-aggregates`).
Leaves: no change of a list that is followed to its end.
Skips:  a list that goes where it cannot be followed (a user's function, an attribute,
        another list), that a tuple holds while it is changed, or that is changed by
        other methods: `dycl-check-normal` says so.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import cast

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, BlockArgument, Operation, SSAValue
from xdsl.passes import ModulePass

from dycl.analysis.manager import environment_of
from dycl.diag import remark
from dycl.ir import (
    AppendOp,
    BinaryOp,
    CallOp,
    ExtendOp,
    InplaceOp,
    InvokeOp,
    ListOp,
    LocalCallOp,
    LocalFunctionOp,
    SequenceOp,
    StoreSubscriptOp,
)
from dycl.ir.changes import GIVEN
from dycl.ir.constant_values import constant_name, constant_value
from dycl.ir.dialect.syntax import VALUE
from dycl.ir.environment import Environment
from dycl.ir.functions import entry_function
from dycl.ir.interfaces import LoopOp, RegionBranchOp, RegionTerminator
from dycl.ir.rewriting import (
    append_results,
    erase,
    insert_constant,
    insert_constant_like,
    insert_value,
    replace,
)
from dycl.ir.values import to_attr
from dycl.ir.walking import walk
from dycl.passes.builtins.items import Site
from dycl.passes.lists.holders import sink_holders
from dycl.passes.lists.methods import spell_out
from dycl.passes.lists.names import (
    ListVariable,
    fixed_items,
    is_tuple_of_sequence,
    lists_to_carry,
    tuples_behind,
)
from dycl.passes.lists.recursions import given_back, return_given
from dycl.passes.lists.writes import copied, is_write, make_copy, written
from dycl.passes.return_lists import refuse_change


@dataclass(frozen=True)
class CarryListsPass(ModulePass):
    """A list that data-dependent code changes becomes a carried value."""

    name = "dycl-carry-lists"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Change the entry function; raises nothing."""
        entry = entry_function(op)
        if entry is None:
            return
        if spell_out(entry):
            return  # the bodies of these functions change the lists
        for call in [o for o in walk(entry) if isinstance(o, CallOp)]:
            _take_over(call)
        sink_holders(entry)
        return_given(entry)
        environment = environment_of(ctx, op)
        followed, lost = lists_to_carry(entry)
        for where in lost:
            remark(where, "list not carried", "here it cannot be followed")
        for group in followed:
            for variable in group:
                given = variable.definition.owner
                if isinstance(given, Operation) and GIVEN in given.attributes:
                    for write in variable.writes:
                        refuse_change(write, given)
                elif variable.writes:
                    _Carrier(variable, environment).run()
            # Sums first: they take the items of a display that nobody writes.
            definitions = [variable.definition for variable in group]
            for value in sorted(definitions, key=lambda v: isinstance(v.owner, ListOp)):
                _make_sequence(value, environment)


def _take_over(call: CallOp) -> None:
    """A written `list(t)` of tuples that meet here only: these are lists themselves.

    `dycl-scalarize-aggregates` leaves it so where the lists of two sides meet.
    """
    if constant_name(call.callee) != "builtins.list" or len(call.operands) != 2:
        return
    tuples = tuples_behind(call.operands[1])
    written = any(is_write(use.operation, use.index) for use in call.result.uses)
    if tuples is None or not (written or any(map(is_tuple_of_sequence, tuples))):
        return
    for item in tuples:
        if isinstance(item, CallOp):
            replace(item, [item.positional[0]])
        else:
            replace(item, ListOp(item.items) if written else SequenceOp(item.items))
    replace(call, [call.operands[1]])


def _make_sequence(value: SSAValue, environment: Environment) -> None:
    """What makes a list makes a sequence."""
    owner = value.owner
    if isinstance(owner, ListOp):
        replace(owner, SequenceOp(owner.items))
    elif isinstance(owner, BinaryOp):
        first = _as_sequence(owner.lhs, owner)
        replace(owner, [_extended(first, owner.rhs, owner)])
    elif isinstance(owner, Operation) and copied(owner) is not None:
        make_copy(owner, Site(owner, environment))


def _as_sequence(value: SSAValue, anchor: Operation) -> SSAValue:
    """A list display, or a tuple, as a sequence of its own."""
    items = _items(value, anchor)
    return value if items is None else insert_value(anchor, SequenceOp(items))


def _extended(first: SSAValue, rest: SSAValue, anchor: Operation) -> SSAValue:
    """`first + rest`, in front of `anchor`."""
    items = _items(rest, anchor)
    if items is None:
        return insert_value(anchor, ExtendOp(first, rest))
    for item in items:
        first = insert_value(anchor, AppendOp(first, item))
    return first


def _items(value: SSAValue, anchor: Operation) -> list[SSAValue] | None:
    """The items of a tuple, of a list that nobody writes, or of a constant."""
    constant = constant_value(value)
    if isinstance(constant, (list, tuple)):
        items = cast("Sequence[object]", constant)
        return [insert_constant(anchor, item) for item in items]
    return fixed_items(value)


@dataclass
class _Carrier:
    """Threads one list through the control flow below its definition."""

    variable: ListVariable
    environment: Environment
    carriers: set[Operation | None] = field(default_factory=set[Operation | None])
    """The ops around the current place that forward the list."""

    def run(self) -> None:
        """Rewrite all that can see the list."""
        definition = self.variable.definition
        owner = definition.owner
        if isinstance(owner, Block) and isinstance(owner.parent_op(), LocalFunctionOp):
            self._ops(owner.first_op, definition)
        elif isinstance(owner, Block):
            self._loop_carried(owner.parent_op(), definition)
        else:
            self._ops(owner.next_op, definition)

    def _loop_carried(self, loop: Operation | None, made: SSAValue) -> None:
        """The list is one that a loop carries anyway: under its names there."""
        assert isinstance(loop, LoopOp)
        assert isinstance(made, BlockArgument)
        for block in loop.entered:
            self._ops(block.first_op, block.args[made.index])
        self._ops(loop.next_op, loop.results[made.index - loop.ARGUMENTS_FROM])

    def _ops(self, op: Operation | None, current: SSAValue) -> None:
        """Rewrite the rest of a block, where the list is `current`."""
        while op is not None:
            following = op.next_op
            for i, operand in enumerate(op.operands):
                if operand in self.variable.names:
                    op.operands[i] = current
            if isinstance(op, RegionBranchOp):
                current = self._control(op, current)
            elif op in self.variable.writes:
                current = self._write(op, current)
            elif isinstance(op, RegionTerminator) and op.target in self.carriers:
                op.forward([*op.forwarded, current])
            op = following

    def _write(self, op: Operation, current: SSAValue) -> SSAValue:
        """The list after a write; the op goes."""
        if isinstance(op, LocalCallOp):
            return given_back(op, current)
        assert isinstance(op, InvokeOp | InplaceOp | StoreSubscriptOp)
        value, given = op.operands[-1], None
        if isinstance(op, InvokeOp) and op.method.data == "append":
            new = insert_value(op, AppendOp(current, value))
        elif isinstance(op, InplaceOp) or (
            isinstance(op, InvokeOp) and op.method.data == "extend"
        ):
            new = _extended(current, value, op)
        else:
            new, given = written(op, current, Site(op, self.environment))
        new.name_hint = new.name_hint or self.variable.definition.name_hint
        if isinstance(op, InplaceOp):
            self.variable.names.add(new)
            self.variable.names.discard(op.result)
            given = new
        elif given is None and op.results and op.results[0].uses:
            given = insert_constant_like(op, to_attr(None), op.results[0])
        if given is not None and op.results:
            op.results[0].replace_all_uses_with(given)
        self._forget(op)
        return new

    def _forget(self, op: Operation) -> None:
        erase(op)

    def _control(self, op: RegionBranchOp, current: SSAValue) -> SSAValue:
        writes = any(op.is_ancestor(write) for write in self.variable.writes)
        # A loop's own name for the list is one more that it carries: it stays.
        inside = [current] * len(op.regions)
        name = self.variable.definition.name_hint
        if writes:
            self.carriers.add(op)
            if op.entered:
                inside = [new for (new,) in op.append_arguments([VALUE], [name])]
        for region, value in zip(op.regions, inside, strict=True):
            self._ops(region.block.first_op, value)
        self.carriers.discard(op)
        if not writes:
            return current
        initial = [] if op.FORWARDED_FROM is None else [current]
        names, olds = self.variable.names, list(op.results)
        new = append_results(op, [VALUE], [name], initial)
        pairs = zip(olds, new.results, strict=False)
        names |= {result for old, result in pairs if old in names}
        return new.results[-1]
