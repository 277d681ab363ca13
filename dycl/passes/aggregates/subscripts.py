"""Items that are read, unpacked and set, as `dycl-scalarize-aggregates` takes them.

Before                        After
------                        -----
%t = dycl.tuple(%a, %b)       dycl.return %b, %a, %b
%x = dycl.subscript %t[%one]
%u, %v = dycl.unpack %t -> 2
dycl.return %x, %u, %v
"""

from xdsl.ir import Block, Operation, Region

from dycl.ir import (
    IfOp,
    ListOp,
    RaiseOp,
    SliceOp,
    StoreSubscriptOp,
    SubscriptOp,
    UnpackOp,
    YieldOp,
)
from dycl.ir.constant_values import constant_value
from dycl.ir.rewriting import insert_before, insert_constant, replace
from dycl.ir.unpacking import starred
from dycl.passes.aggregates.choices import is_chosen, with_chosen
from dycl.passes.aggregates.chosen_keys import chosen_value, with_chosen_value
from dycl.passes.aggregates.items import (
    Items,
    dict_item,
    is_dict,
    key_of,
    kind_of,
    known_slice,
    with_item,
    with_key,
    with_slice,
)
from dycl.passes.aggregates.state import Aggregates, State


class Subscripts(Aggregates):
    """What `v[i]`, `a, b = v` and `v[i] = w` do with what is followed."""

    def subscript(self, op: SubscriptOp, state: State) -> None:
        """`v[i]` with a constant index or slice."""
        items = self.items(op.operand, state)
        if items is None:
            self.snapshot_one(op, 1, state)  # `x[indices]`
            return
        index, objects = constant_value(op.index), self.environment
        item = None
        if is_dict(op.operand):
            item = dict_item(objects, items, key_of(objects, op.index))
            item = item or chosen_value(objects, op, items)
        elif isinstance(index, int):
            if -len(items) <= index < len(items):
                item = items[index]
        elif (part := known_slice(op.index)) is not None:
            self.build(op, kind_of(op.operand), items[part], state)
            return
        if item is not None:
            replace(op, [item])
        else:
            # Also where the index is found only later, the items are those of now.
            self.alias_items(op, state)

    def unpack(self, op: UnpackOp, state: State) -> None:
        """`a, b = v`, also of a constant tuple."""
        items = self.gone_over(op, op.operand, state, op.fits)
        if items is None or not op.fits(len(items)):
            self.alias_items(op, state)
        elif op.star is not None:
            self.unpack_starred(op, items, op.star.data, state)
        else:
            replace(op, items)

    def unpack_starred(
        self, op: UnpackOp, items: Items, star: int, state: State
    ) -> None:
        """`a, *b = v`: the rest is a new list."""
        parts = starred(items, len(op.items), star)
        rest = self.add(op, ListOp(parts[star]))
        state[rest] = tuple(parts[star])
        replace(op, [*parts[:star], rest, *parts[star + 1 :]])

    def store(self, op: StoreSubscriptOp, state: State) -> None:
        """`v[i] = w`; a list `w` is held by reference, at a constant index.

        `v[a:b] = w` takes the items that `w` has now.
        """
        items = state.get(op.operand)
        if items is None:
            self.escape_or_copy(op, state)
            return
        if isinstance(op.index.owner, SliceOp) and not is_dict(op.operand):
            new = self.gone_over(op, op.value, state)
            try:
                changed = None if new is None else with_slice(items, op.index, new)
            except ValueError as error:
                _raise_in_front(op, "builtins.ValueError", str(error))
                changed = items
            self.change(op, op.operand, changed, [], state)
            return
        if is_chosen(op, items):
            self.change(op, op.operand, with_chosen(op, items), [], state)
            return
        if is_dict(op.operand):
            new = with_chosen_value(self.environment, op, items)
            new = new or with_key(self.environment, items, op.index, op.value)
        else:
            new = with_item(items, op.index, op.value)
        self.change(op, op.operand, new, [], state)


def _raise_in_front(op: Operation, error: str, text: str) -> None:
    """Raise in front of an op, behind which the walk still finds what it expects."""
    words, sure = insert_constant(op, text), insert_constant(op, True)
    raises, goes_on = Block([RaiseOp(error, [words])]), Block([YieldOp()])
    insert_before(op, IfOp(sure, [], Region(raises), Region(goes_on)))
