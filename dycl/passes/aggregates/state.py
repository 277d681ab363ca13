"""Which lists are followed, and what is in them: the ground of the walk.

Before                            After
------                            -----
%l = dycl.list(%a)                %l = dycl.list(%a, %b)
%n = dycl.invoke %l "append"(%b)  %y = dycl.call %stack(%l)
%y = dycl.call %stack(%l)         dycl.return %none, %y
dycl.return %n, %y

`State` maps a list or dict (the SSA value that made it) to its items here. Tuples never
change and need no state. What reads a list is replaced at once, which is right whatever
comes. The ops that change it stay until the walk has come to its end (`finish`), which
erases them unless the list was lost on the way: then real ops use it, and those have to
see its changes.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import cast

from xdsl.ir import Operation, SSAValue

from dycl.analysis.folding.items import Item, materialise
from dycl.analysis.folding.iteration import items_of
from dycl.ir import (
    CallOp,
    ConstantOp,
    DictOp,
    ForOp,
    InvokeOp,
    ListOp,
    RecordOp,
    SubscriptOp,
    TupleOp,
    UnpackOp,
)
from dycl.ir.changes import GIVEN
from dycl.ir.constant_values import constant_value
from dycl.ir.environment import Environment
from dycl.ir.rewriting import erase, insert_before, insert_value, replace
from dycl.ir.values import NotAConstant, to_attr
from dycl.passes.aggregates.items import Items, is_dict
from dycl.passes.aggregates.names import State, is_last_use, lists_in


class Aggregates:
    """The lists that a walk follows."""

    def __init__(self, environment: Environment):
        self.environment = environment
        self.lost: dict[SSAValue, None] = {}
        """Lists that cannot be followed to their end: real ops use them."""
        self.changes: dict[Operation, SSAValue] = {}
        """The ops that change a list: dead, unless it is lost."""
        self.written: dict[Operation, tuple[Operation, ...]] = {}
        """What was put in front of such an op in its place, to no use if it stays."""
        self.views: dict[SSAValue, Items] = {}
        """What `d.items()` and its like give: in Python these see later changes."""
        self.view_ops: dict[InvokeOp, None] = {}
        self.visited: set[Operation] = set()
        """Ops that the walk has behind it."""

    def items(self, value: SSAValue, state: State) -> Items | None:
        """The items of a tuple or view, or of a list followed up to here."""
        owner = value.owner
        if isinstance(owner, TupleOp):
            return tuple(owner.items)
        return self.views[value] if value in self.views else state.get(value)

    def build(
        self,
        op: Operation,
        kind: type[TupleOp] | type[ListOp] | type[DictOp],
        items: Sequence[SSAValue],
        state: State,
    ) -> SSAValue:
        """Replace an op by a new tuple or list of these items."""
        new = self.add(op, kind(items))
        if kind is not TupleOp:
            state[new] = tuple(items)
        replace(op, [new])
        return new

    def add(self, op: Operation, new: TupleOp | ListOp | DictOp | RecordOp) -> SSAValue:
        """Put a new aggregate in front of an op."""
        return insert_value(op, new)

    def constants(self, op: Operation, values: Sequence[object]) -> Items | None:
        """Constants in front of an op."""
        result: list[SSAValue] = []
        for value in values:
            try:
                constant = ConstantOp(to_attr(value))
            except NotAConstant:
                return None
            insert_before(op, constant)
            result.append(constant.result)
        return tuple(result)

    def materialised(self, op: Operation, items: Sequence[Item]) -> Items:
        """What an iteration gives, as values in front of an op."""
        put = partial(insert_value, op)
        return tuple(materialise(item, put) for item in items)

    def gone_over(
        self,
        op: Operation,
        value: SSAValue,
        state: State,
        fits: Callable[[int], bool] = lambda count: True,
    ) -> Items | None:
        """The items that Python takes from a value, in front of an op.

        None: they are not known, or as many as do not fit.
        """
        items = self.items(value, state)
        constant = constant_value(value)
        if is_dict(value) and items is not None:
            items = items[::2]
        if items is None and isinstance(constant, (tuple, list)):
            known_items = cast("Sequence[object]", constant)
            if fits(len(known_items)):
                items = self.constants(op, list(known_items))
        if items is None and isinstance(value.owner, CallOp):
            iterated = items_of(value, self.environment)
            if iterated is not None and fits(len(iterated)):
                items = self.materialised(op, iterated)
        return items

    def known_now(self, op: Operation, value: object) -> None:
        """Replace an op by plain data."""
        constants = self.constants(op, [value])
        assert constants is not None
        replace(op, constants)

    def change(
        self,
        op: Operation,
        value: SSAValue,
        new: Items | None,
        result: Sequence[SSAValue],
        state: State,
    ) -> None:
        """`op` gives a list these items, and has this result."""
        if isinstance(value.owner, Operation) and GIVEN in value.owner.attributes:
            self.escape(op, state)  # `dycl-return-lists` is first
            return
        if new is None or any(map(self.is_live, self.views_of(value))):
            self.escape(op, state)
            return
        state[value] = new
        for old, now in zip(op.results, result, strict=True):
            old.replace_all_uses_with(now)
        self.changes[op] = value

    def views_of(self, value: SSAValue) -> list[SSAValue]:
        """The views of a dict, as long as they are known."""
        return [op.result for op in self.view_ops if op.receiver is value]

    def is_live(self, view: SSAValue) -> bool:
        """Whether a view of a dict is used from here on (or something may hold it)."""
        readers = (ForOp, SubscriptOp, UnpackOp)
        return any(
            use.operation not in self.visited or not isinstance(use.operation, readers)
            for use in view.uses
        )

    def forget(self, value: SSAValue, state: State) -> None:
        """This list cannot be followed any further, so its changes have to stay.

        Nor can the lists inside: what reads it will lead to them.
        """
        items = state.pop(value, None)
        if items is not None:
            self.lose(value)
            for item in items:
                self.escape_value(item, state)

    def lose(self, value: SSAValue) -> None:
        """The changes of a list have to stay, and views of it to see them."""
        self.lost[value] = None
        for view in self.views_of(value):
            self.views.pop(view, None)

    def alias_items(self, op: Operation, state: State) -> None:
        """The op reads, and its result may be an item: a second name of a list."""
        for operand in op.operands:
            self.escape_inside(operand, state)
        self.snapshot(op, state)

    def escape_or_copy(self, op: Operation, state: State) -> None:
        """The op may keep its operands; a list without other uses may be a copy."""
        for operand in op.operands:
            self.escape_inside(operand, state)
            inside = any(operand in items for items in state.values())
            if operand in state and (
                inside or not is_last_use(operand, op, self.changes)
            ):
                self.forget(operand, state)
        self.snapshot(op, state)

    def snapshot(self, op: Operation, state: State) -> None:
        """The op only reads: give it the items as they are here."""
        for index in range(len(op.operands)):
            self.snapshot_one(op, index, state)

    def snapshot_one(self, op: Operation, index: int, state: State) -> None:
        """Give one operand the items as they are here, at any depth."""
        value = op.operands[index]
        here = self.as_here(value, op, state)
        if here is not value:
            here.name_hint = value.name_hint
            op.operands[index] = here

    def as_here(self, value: SSAValue, op: Operation, state: State) -> SSAValue:
        """A new aggregate in front of `op` if this one, or one inside, has changed."""
        owner = value.owner
        items = self.items(value, state)
        if isinstance(owner, RecordOp):
            fields = self.as_here(owner.fields, op, state)
            if fields is owner.fields:
                return value
            return self.add(op, RecordOp(fields, owner.record_type))
        if items is None:
            return value
        here = tuple(self.as_here(i, op, state) for i in items)
        if not isinstance(owner, (ListOp, DictOp, TupleOp)):
            return self.add(op, TupleOp(here))  # a view, which the op only reads
        if tuple(owner.operands) == here:
            return value
        new = self.add(op, type(owner)(here))
        if not isinstance(owner, TupleOp):
            state[new] = here
        return new

    def escape(self, op: Operation, state: State) -> None:
        """Somebody else may keep the list and change it: it cannot be followed."""
        for operand in op.operands:
            self.escape_value(operand, state)

    def escape_value(self, value: SSAValue, state: State) -> None:
        """A list, and all lists inside it, or inside a tuple or record."""
        self.escape_inside(value, state)
        self.forget(value, state)

    def escape_inside(self, value: SSAValue, state: State) -> None:
        """All lists inside a list, tuple or record, and not itself."""
        for item in self.items(value, state) or ():
            self.escape_value(item, state)
        if isinstance(value.owner, RecordOp):
            self.escape_value(value.owner.fields, state)

    # ---- the end of the walk

    def finish(self) -> None:
        """Erase the changes of lists that were followed to their end, and their views.

        What a lost list holds, or is given, is lost too.
        """
        changes: dict[SSAValue, list[Operation]] = {}
        for op, value in self.changes.items():
            changes.setdefault(value, []).append(op)
        waiting = list(self.lost)
        while waiting:
            value = waiting.pop()
            for op in (value.owner, *changes.get(value, ())):
                assert isinstance(op, Operation)
                for held in lists_in(op.operands):
                    if held not in self.lost:
                        self.lost[held] = None
                        waiting.append(held)
        for op in self.view_ops:
            if op.result in self.views:
                replace(op, [self.add(op, TupleOp(self.views[op.result]))])
            elif not op.result.uses:
                erase(op)
        for op, value in reversed(self.changes.items()):
            if value not in self.lost:
                erase(op)
        for op, written in self.written.items():
            for new in reversed(written) if op.parent is not None else ():
                if not any(result.uses for result in new.results):
                    erase(new)
