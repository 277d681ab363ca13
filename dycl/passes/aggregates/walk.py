"""The walk behind `dycl-scalarize-aggregates`: what each op does with a list.

`dycl.passes.aggregates.state` says how lists are followed.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import cast

from xdsl.ir import Block, Operation, SSAValue

from dycl.analysis.folding.iteration import Item, items_of, materialise
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
    RecordOp,
    ReturnOp,
    ScopeOp,
    StoreSubscriptOp,
    SubscriptOp,
    SwitchOp,
    TruthOp,
    TryOp,
    TupleOp,
    UnpackOp,
    WhileOp,
    YieldOp,
)
from dycl.ir.interfaces import is_inside
from dycl.ir.known import known, known_name
from dycl.ir.rewriting import insert_before, insert_value, replace
from dycl.ir.semantics import starred
from dycl.ir.world import World
from dycl.passes.aggregates.carrying import carried_items, carry
from dycl.passes.aggregates.choices import is_chosen, with_chosen
from dycl.passes.aggregates.handing import extended, is_done_with
from dycl.passes.aggregates.handing import split_tuples as split_scope
from dycl.passes.aggregates.items import (
    LIST_METHODS,
    Items,
    dict_item,
    first_keys,
    is_dict,
    keys_of,
    kind_of,
    known_slice,
    with_item,
    with_key,
)
from dycl.passes.aggregates.joins import Joins, ends_of
from dycl.passes.aggregates.loops import split_tuples
from dycl.passes.aggregates.methods import Methods
from dycl.passes.aggregates.names import (
    changed_inside,
    hands_on_nothing,
    is_led_to_inside,
    is_or_holds_list,
    read_items_inside,
)
from dycl.passes.aggregates.operators import Operators
from dycl.passes.aggregates.state import State


class Scalarizer(Operators, Methods):
    """Walks blocks in order, keeping the items of every list that can be followed."""

    def __init__(self, world: World, kept: set[SSAValue]):
        super().__init__(world, kept)
        self.joins = Joins()

    def block(self, block: Block, state: State) -> State:
        """Rewrite a block; gives the state at its end."""
        state = dict(state)
        for op in list(block.ops):
            if op.parent is not None:
                _HANDLERS.get(type(op), Scalarizer.escape)(self, op, state)
                self.visited.add(op)
        return state

    def subscript(self, op: SubscriptOp, state: State) -> None:
        """`v[i]` with a constant index or slice."""
        items = self.items(op.operand, state)
        if items is None:
            self.snapshot_one(op, 1, state)  # `x[indices]`
            return
        index = known(op.index)
        found = None
        if is_dict(op.operand):
            found = dict_item(items, index)
        elif isinstance(index, int):
            if -len(items) <= index < len(items):
                found = items[index]
        elif (part := known_slice(op.index)) is not None:
            self.build(op, kind_of(op.operand), items[part], state)
            return
        if found is not None:
            replace(op, [found])
        else:
            # Also where the index is found only later, the items are those of now.
            self.hand_on(op, state)

    def unpack(self, op: UnpackOp, state: State) -> None:
        """`a, b = v`, also of a constant tuple."""
        items = self.items(op.operand, state)
        constant = known(op.operand)
        if is_dict(op.operand) and items is not None:
            items = items[::2]
        if items is None and isinstance(constant, (tuple, list)):
            known_items = cast("Sequence[object]", constant)
            if op.fits(len(known_items)):
                items = self.constants(op, list(known_items))
        if items is None and isinstance(op.operand.owner, CallOp):
            found = items_of(op.operand, self.world)
            if found is not None and op.fits(len(found)):
                items = self.materialised(op, found)
        if items is None or not op.fits(len(items)):
            self.hand_on(op, state)
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
        self.begin(rest, parts[star], state)
        replace(op, [*parts[:star], rest, *parts[star + 1 :]])

    def call(self, op: CallOp, state: State) -> None:
        """`len(v)`, `list(v)`, `tuple(v)`; other calls use the list as it is here."""
        if self.expand_stars(op, state):
            return
        name = known_name(op.callee)
        one = (
            op.positional[0]
            if len(op.positional) == len(op.operands) - 1 == 1
            else None
        )
        items = None if one is None else self.items(one, state)
        if one is not None and items is not None:
            if is_dict(one):
                if name == "builtins.dict":
                    self.build(op, DictOp, items, state)
                    return
                items = items[::2]
            if name == "builtins.len":
                self.known_now(op, len(items))
                return
            if name in ("builtins.list", "builtins.tuple"):
                kind = ListOp if name == "builtins.list" else TupleOp
                self.build(op, kind, items, state)
                return
        if name == "builtins.tuple" and one is not None:
            found = items_of(one, self.world)
            if found is not None:
                self.build(op, TupleOp, self.materialised(op, found), state)
                return
        if name in ("", "functools.partial"):
            self.escape(op, state)
        elif hands_on_nothing(op):
            self.snapshot(op, state)
        else:
            self.hand_on(op, state)

    def materialised(self, op: Operation, items: Sequence[Item]) -> Items:
        """What an iteration gives, as values in front of an op."""
        put = partial(insert_value, op)
        return tuple(materialise(item, put) for item in items)

    def expand_stars(self, op: CallOp | InvokeOp, state: State) -> bool:
        """`f(*t, **d)` with known items and keys; says whether the op is replaced."""
        if not op.is_starred:
            return False
        args, keywords = list(op.positional), dict[str, SSAValue]()
        given = op.operands[1 + len(args) :]
        for name, value in zip(op.keyword_names, given, strict=True):
            entries = self.star_entries(op, name, value, state)
            if entries is None or not keywords.keys().isdisjoint(entries):
                return False
            args += entries.pop("*", [])
            keywords.update({k: v for k, (v,) in entries.items()})
        arguments, names = [*args, *keywords.values()], list(keywords)
        first = op.operands[0]
        new = (
            CallOp(first, arguments, names)
            if isinstance(op, CallOp)
            else InvokeOp(first, op.method.data, arguments, names)
        )
        new.result.name_hint = op.result.name_hint
        insert_before(op, new)
        replace(op, [new.result])
        _HANDLERS[type(new)](self, new, state)
        return True

    def star_entries(
        self, op: Operation, name: str, value: SSAValue, state: State
    ) -> dict[str, list[SSAValue]] | None:
        """What one argument stands for: by name, or by place under `*`."""
        if name not in ("*", "**"):
            return {name: [value]}
        items, constant = self.items(value, state), known(value)
        if name == "*":
            if isinstance(constant, (tuple, list)):
                items = self.constants(op, constant)
            return None if items is None or is_dict(value) else {"*": list(items)}
        if isinstance(constant, dict):
            items = self.constants(op, [x for kv in constant.items() for x in kv])
        elif not is_dict(value):
            return None
        keys = None if items is None else keys_of(items)
        if items is None or keys is None or not all(isinstance(k, str) for k in keys):
            return None
        values = [[v] for v in items[1::2]]
        return dict(zip(map(str, keys), values, strict=True))

    def list_op(self, op: ListOp | DictOp, state: State) -> None:
        """A new list or dict: its items are known from here on."""
        items = tuple(op.operands)
        if is_dict(op.result) and keys_of(items) is not None:
            items = first_keys(items)
        state[op.result] = items
        if op.result in self.kept:
            self.escape(op, state)

    def invoke(self, op: InvokeOp, state: State) -> None:
        """A method of a list or dict; other receivers may see lists as arguments."""
        if self.expand_stars(op, state):
            return
        receiver = op.receiver
        if receiver not in state:
            plain = hands_on_nothing(op)
            (self.snapshot if plain else self.hand_over)(op, state)
            return
        if is_dict(receiver):
            self.dict_method(op, state)
            return
        if op.method.data == "sort":
            self.sort(op, state)
            return
        self.method(op, LIST_METHODS.get(op.method.data), state)

    def store(self, op: StoreSubscriptOp, state: State) -> None:
        """`v[i] = w`; a list `w` is held by reference, at a constant index."""
        items = state.get(op.operand)
        if items is None:
            self.hand_over(op, state)
            return
        if is_chosen(op, items) and op.operand not in self.kept:
            self.change(op, op.operand, with_chosen(op, items), [], state)
            return
        change = with_key if is_dict(op.operand) else with_item
        self.change(op, op.operand, change(items, op.index, op.value), [], state)

    def keep(self, op: Operation, state: State) -> None:
        """A tuple or record holds its lists by reference: wait until it is used."""

    def if_op(self, op: IfOp, state: State) -> None:
        """Both sides start from here; a list that they leave alike stays known."""
        blocks = [op.then_region.block, op.else_region.block]
        ends = [self.block(b, state) for b in blocks]
        self.same_list(op, state)
        falls = ends_of(op)
        reached = [e for b, e in zip(blocks, ends, strict=True) if b in falls]
        for value in list(state):
            after = [e.get(value) for e in reached]
            if not after:
                continue
            items = self.joined(op, value, after)
            if items is None and is_done_with(value, op):
                del state[value]
            elif items is None:
                del state[value]
                self.lost.add(value)
                for item in {item for row in after for item in row or ()}:
                    self.escape_value(item, state)
            else:
                state[value] = items
        self.joins.join_tuples(op)
        for value, items in state.items():
            state[value] = self.joins.now(items)

    def yield_op(self, op: YieldOp, state: State) -> None:
        """A list that both sides of an `if` yield stays that list."""
        around = op.parent_op()
        for index, operand in enumerate(op.operands):
            if not isinstance(around, IfOp) or not self.is_same(around, index, state):
                self.escape_value(operand, state)

    def is_same(self, op: IfOp, index: int, state: State) -> bool:
        """Whether all sides that yield give the same list from before the `if`."""
        ends = [b.last_op for b in ends_of(op)]
        values = {extended(e.operands[index]) for e in ends if e is not None}
        return len(values) == 1 and not any(is_inside(value, op) for value in values)

    def same_list(self, op: IfOp, state: State) -> None:
        for index, result in enumerate(op.results):
            if ends_of(op) and self.is_same(op, index, state):
                (end, *_) = (b.last_op for b in ends_of(op))
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
            if value not in self.kept:
                return self.joins.hand_on(op, first)
            now = self.joins.current(op)
            return None if any(is_inside(item, now) for item in first) else first
        if first is None or all(a == first for a in after):
            return first
        second = after[1]
        if second is None or value in self.kept:
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
        """A scope or loop: what it changes is not known inside (loops) and after."""
        here = partial(self.items, state=state)
        if isinstance(op, WhileOp):
            op = split_tuples(op)
        if isinstance(op, (ForOp, WhileOp)):
            read_items_inside(op, here)
        if isinstance(op, (ScopeOp, WhileOp)):
            op = self.carried(op, state)
        for value in changed_inside(op, here):
            self.forget(value, state)
        if isinstance(op, ForOp):
            self.escape_inside(op.iterable, state)
            self.snapshot_one(op, 0, state)
        for operand in op.operands:
            if not (isinstance(op, ForOp) and operand is op.iterable):
                self.forget(operand, state)
        for region in op.regions:
            end = self.block(region.block, state)
            for value in list(state):
                if end.get(value) != state[value]:
                    self.forget(value, state)
        if isinstance(op, ScopeOp):
            split_scope(op)

    def carried(self, op: ScopeOp | WhileOp, state: State) -> ScopeOp | WhileOp:
        """The op, which hands on the items that it sets of lists from before it."""
        for value in [v for v in state if v not in self.kept]:
            positions = carried_items(op, value, state[value])
            if positions and not is_led_to_inside(op, value, state):
                before: list[SSAValue] = list(op.results)
                op, state[value], made = carry(op, value, state[value], positions)
                self.kept.update(made)  # the next walk follows them
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
    RecordOp: Scalarizer.keep,
    ReturnOp: Scalarizer.snapshot,
    ScopeOp: Scalarizer.nested,
    StoreSubscriptOp: Scalarizer.store,
    SubscriptOp: Scalarizer.subscript,
    SwitchOp: Scalarizer.nested,
    TruthOp: Scalarizer.truth,
    TryOp: Scalarizer.nested,
    TupleOp: Scalarizer.keep,
    UnpackOp: Scalarizer.unpack,
    WhileOp: Scalarizer.nested,
    YieldOp: Scalarizer.yield_op,
}
