"""The walk behind `dycl-scalarize-aggregates`: what each op does with a list.

Before                                After
------                                -----
%l = dycl.list(%a)                    %x = dycl.if %p -> (T) {
dycl.if %p {                            dycl.yield %b
  dycl.store_subscript %l[%zero], %b  } else {
}                                       dycl.yield %a
%x = dycl.subscript %l[%zero]         }
dycl.return %x                        dycl.return %x

`dycl.passes.aggregates.state` says how lists are followed.
"""

from collections.abc import Callable, Sequence
from functools import partial

from xdsl.ir import Block, Operation, SSAValue

from dycl.ir import (
    BinaryOp,
    CallOp,
    CompareOp,
    DictOp,
    ForOp,
    IfOp,
    InplaceOp,
    InvokeOp,
    ListOp,
    LocalFunctionOp,
    RecordOp,
    ReturnOp,
    ScopeOp,
    SetattrOp,
    StoreSubscriptOp,
    SubscriptOp,
    SwitchOp,
    ToBoolOp,
    TryOp,
    TupleOp,
    UnpackOp,
    WhileOp,
)
from dycl.ir.environment import Environment
from dycl.ir.interfaces import RegionTerminator, is_inside
from dycl.ir.rewriting import insert_before
from dycl.passes.aggregates.calls import Calls
from dycl.passes.aggregates.carrying import carried_items, carry
from dycl.passes.aggregates.items import Items, first_keys, is_dict, keys_of
from dycl.passes.aggregates.joins import Joins, continuing_blocks
from dycl.passes.aggregates.names import (
    changed_inside,
    is_led_to_inside,
    is_or_holds_list,
    read_items_inside,
    sets_values_only,
)
from dycl.passes.aggregates.objects import Objects
from dycl.passes.aggregates.operators import Operators
from dycl.passes.aggregates.state import State
from dycl.passes.aggregates.subscripts import Subscripts
from dycl.passes.aggregates.uses import extended, is_done_with


class Scalarizer(Calls, Objects, Operators, Subscripts):
    """Walks blocks in order, keeping the items of every list that can be followed."""

    def __init__(self, environment: Environment):
        super().__init__(environment)
        self.joins = Joins()

    def block(self, block: Block, state: State) -> State:
        """Rewrite a block; gives the state at its end."""
        state = dict(state)
        for op in list(block.ops):
            if op.parent is not None:
                self.before(op, state)
                _handler(op)(self, op, state)
                self.visited.add(op)
        return state

    def list_op(self, op: ListOp | DictOp, state: State) -> None:
        """A new list or dict: its items are known from here on.

        Two keys that are not known may be equal: then it has fewer items.
        """
        items = tuple(op.operands)
        if is_dict(op.result) and keys_of(self.environment, items) is not None:
            items = first_keys(self.environment, items)
        elif is_dict(op.result) and len(items) > 2:
            return
        state[op.result] = items

    def keep(self, op: Operation, state: State) -> None:
        """A tuple or record holds its lists by reference: wait until it is used."""

    def if_op(self, op: IfOp, state: State) -> None:
        """Both sides start from here; a list that they leave alike stays known."""
        blocks = [op.then_region.block, op.else_region.block]
        ends = [self.block(b, state) for b in blocks]
        self.same_list(op, state)
        falls = continuing_blocks(op)
        reached = [e for b, e in zip(blocks, ends, strict=True) if b in falls]
        for value in list(state):
            after = [e.get(value) for e in reached]
            if not after or value not in state:  # lost with what it is inside of
                continue
            items = self.joined(op, value, after)
            if items is None and is_done_with(value, op, self.changes):
                del state[value]
            elif items is None:
                del state[value]
                self.lose(value)
                for item in {item for row in after for item in row or ()}:
                    self.escape_value(item, state)
            else:
                state[value] = items
        for value, items in state.items():
            state[value] = self.joins.now(items)

    def end_of_side(self, op: RegionTerminator, state: State) -> None:
        """A list that both sides of an `if` hand over stays that list."""
        assert isinstance(op.target, IfOp)
        for index, operand in enumerate(op.forwarded):
            if not self.is_same(op.target, index, state):
                self.escape_value(operand, state)

    def is_same(self, op: IfOp, index: int, state: State) -> bool:
        """Whether all sides that yield give the same list from before the `if`."""
        ends = [b.last_op for b in continuing_blocks(op)]
        values = {extended(e.operands[index]) for e in ends if e is not None}
        return len(values) == 1 and not any(is_inside(value, op) for value in values)

    def same_list(self, op: IfOp, state: State) -> None:
        for index, result in enumerate(op.results):
            if continuing_blocks(op) and self.is_same(op, index, state):
                (end, *_) = (b.last_op for b in continuing_blocks(op))
                assert end is not None
                value = extended(end.operands[index])
                if value in state:
                    result.replace_all_uses_with(value)

    def joined(
        self, op: IfOp, value: SSAValue, after: Sequence[Items | None]
    ) -> Items | None:
        """A list's items after an `if`; None when they cannot be said."""
        first = after[0]
        if first is not None and len(after) == 1:
            return self.joins.forward_items(op, first)
        if first is None or all(a == first for a in after):
            return first
        second = after[1]
        if second is None:
            return None
        if is_dict(value) and first[::2] != second[::2]:
            return None
        if any(
            a is not b
            and is_or_holds_list(v)
            and not is_inside(v, self.joins.current(op))
            for a, b in zip(first, second, strict=False)
            for v in (a, b)
        ):
            return None  # the item after the `if` would be a second name of the list
        return self.joins.join(op, (first, second))

    def nested(
        self, op: ForOp | WhileOp | ScopeOp | SwitchOp | TryOp, state: State
    ) -> None:
        """A scope or loop: what it changes is not known inside (loops) and after.

        The body of a `try` begins as what is in front of it; a handler may begin
        wherever the body has got to.
        """
        if isinstance(op, ForOp | WhileOp):
            self.before_loop(op, state)
        here = partial(self.items, state=state)
        if isinstance(op, ForOp) and sets_values_only(op):
            self.go_over_keys(op, state)
        if isinstance(op, (ForOp, WhileOp)):
            read_items_inside(op, here, self.environment)
        if isinstance(op, (ScopeOp, WhileOp)):
            op = self.carried(op, state)
        changed = list(changed_inside(op, here))
        if isinstance(op, TryOp):
            self.block(op.body.block, state)
        for value in changed:
            self.forget(value, state)
        if isinstance(op, ForOp):
            self.go_over_held(op, state)
            self.escape_inside(op.iterable, state)
            self.snapshot_one(op, 0, state)
        for operand in op.operands:
            if not (isinstance(op, ForOp) and operand is op.iterable):
                self.forget(operand, state)
        for region in op.handlers if isinstance(op, TryOp) else op.regions:
            block = self.block(region.block, state)
            for value in list(state):
                if value in state and block.get(value) != state[value]:
                    self.forget(value, state)  # and the lists inside

    def local_function(self, op: LocalFunctionOp, state: State) -> None:
        """A function that is kept is closed: it knows lists of its own only."""
        self.block(op.body.block, {})

    def go_over_keys(self, op: ForOp, state: State) -> None:
        """A loop over a dict whose keys stay goes over the keys that it has before."""
        items = self.items(op.iterable, state=state)
        if items is not None and is_dict(op.iterable):
            keys = TupleOp(items[::2])
            insert_before(op, keys)
            op.operands[0] = keys.result

    def carried(self, op: ScopeOp | WhileOp, state: State) -> ScopeOp | WhileOp:
        """The op, which forwards the items that it sets of lists from before it."""
        for value in list(state):
            positions = carried_items(
                self.environment, op, value, state[value], self.changes
            )
            if positions and not is_led_to_inside(op, value, state | self.views):
                before: list[SSAValue] = list(op.results)
                op, state[value], stores = carry(op, value, state[value], positions)
                self.changes |= dict.fromkeys(stores, value)
                now = dict(zip(before, op.results, strict=False))
                for other, items in state.items():
                    state[other] = tuple(now.get(item, item) for item in items)
        return op


_HANDLERS: dict[type[Operation], Callable[..., None]] = {
    BinaryOp: Scalarizer.binary,
    CallOp: Scalarizer.call,
    CompareOp: Scalarizer.compare,
    DictOp: Scalarizer.list_op,
    ForOp: Scalarizer.nested,
    IfOp: Scalarizer.if_op,
    InplaceOp: Scalarizer.inplace,
    InvokeOp: Scalarizer.invoke,
    ListOp: Scalarizer.list_op,
    LocalFunctionOp: Scalarizer.local_function,
    RecordOp: Scalarizer.keep,
    ReturnOp: Scalarizer.snapshot,
    ScopeOp: Scalarizer.nested,
    SetattrOp: Scalarizer.set_attribute,
    StoreSubscriptOp: Scalarizer.store,
    SubscriptOp: Scalarizer.subscript,
    SwitchOp: Scalarizer.nested,
    ToBoolOp: Scalarizer.to_bool,
    TryOp: Scalarizer.nested,
    TupleOp: Scalarizer.keep,
    UnpackOp: Scalarizer.unpack,
    WhileOp: Scalarizer.nested,
}


def _handler(op: Operation) -> Callable[..., None]:
    """What follows lists through an op; what is not known lets them escape."""
    if isinstance(op, RegionTerminator) and isinstance(op.target, IfOp):
        return Scalarizer.end_of_side
    return _HANDLERS.get(type(op), Scalarizer.escape)
