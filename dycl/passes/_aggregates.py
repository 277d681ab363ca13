"""The walk behind `dycl-scalarize-aggregates`: each list's items, op by op.

`State` maps a list or dict (the SSA value that made it) to its items here. Tuples never
change and need no state. A list is followed everywhere or not at all: the walk is first
run on a copy, and the lists that it loses there are `excluded` from the real run, so
that their ops stay as they are.
"""

from collections.abc import Callable, Sequence

from xdsl.ir import Block, Operation, SSAValue

from dycl.ir import (
    CallOp,
    ConstantOp,
    DictOp,
    ForOp,
    GetattrOp,
    IfOp,
    InplaceOp,
    InvokeOp,
    ListOp,
    ReturnOp,
    SliceOp,
    StoreSubscriptOp,
    SubscriptOp,
    TupleOp,
    UnpackOp,
    WhileOp,
    YieldOp,
)
from dycl.ir.dialect.syntax import VALUE
from dycl.ir.values import GlobalRef, NotAConstant, from_attr, to_attr
from dycl.ir.world import World
from dycl.passes import _edit as edit

Items = tuple[SSAValue, ...]
State = dict[SSAValue, Items]

_MISSING = object()


def known(value: SSAValue) -> object:
    """The value of a constant, or a marker that equals nothing."""
    owner = value.owner
    return from_attr(owner.value) if isinstance(owner, ConstantOp) else _MISSING


class Scalarizer:
    """Walks blocks in order, keeping the items of every list that can be followed."""

    def __init__(self, world: World, excluded: set[SSAValue]):
        self.world = world
        self.excluded = excluded
        self.lost: set[SSAValue] = set()
        self.joined: dict[IfOp, IfOp] = {}

    def block(self, block: Block, state: State) -> State:
        """Rewrite a block; gives the state at its end."""
        state = dict(state)
        for op in list(block.ops):
            if op.parent is None:
                continue
            handler = _HANDLERS.get(type(op))
            if handler is not None:
                handler(self, op, state)
            else:
                self.escape(op, state)
        return state

    # Reading

    def items(self, value: SSAValue, state: State) -> Items | None:
        """The items of a tuple, or of a list followed up to here."""
        owner = value.owner
        if isinstance(owner, TupleOp):
            return tuple(owner.items)
        return state.get(value)

    def subscript(self, op: SubscriptOp, state: State) -> None:
        """`v[i]` with a constant index or slice."""
        items = self.items(op.operand, state)
        if items is None:
            return
        if _is_dict(op.operand):
            found = _dict_item(items, known(op.index))
            if found is not None:
                edit.replace(op, [found])
            return
        index = known(op.index)
        if isinstance(index, int):
            if -len(items) <= index < len(items):
                edit.replace(op, [items[index]])
            return
        part = self.slice_of(op.index)
        if part is not None:
            kind = TupleOp if isinstance(op.operand.owner, TupleOp) else ListOp
            self.build(op, kind, items[part], state)

    def slice_of(self, index: SSAValue) -> slice | None:
        """The slice of a `dycl.slice` of constants."""
        owner = index.owner
        if not isinstance(owner, SliceOp):
            return None
        parts = [known(p) for p in owner.items]
        if not all(p is None or isinstance(p, int) for p in parts):
            return None
        return slice(*parts)

    def build(
        self,
        op: Operation,
        kind: type[TupleOp] | type[ListOp],
        items: Sequence[SSAValue],
        state: State,
    ) -> None:
        """Replace an op by a new tuple or list of these items."""
        new = kind(items)
        new.location = op.location
        edit.move_before(op, [new])
        if kind is ListOp:
            state[new.result] = tuple(items)
        edit.replace(op, [new.result])

    def unpack(self, op: UnpackOp, state: State) -> None:
        """`a, b = v`, also of a constant tuple."""
        items = self.items(op.operand, state)
        constant = known(op.operand)
        if items is None and isinstance(constant, (tuple, list)):
            items = self.constants(op, list(constant))
        if items is not None and len(items) == len(op.items):
            edit.replace(op, items)

    def constants(self, op: Operation, values: list[object]) -> Items | None:
        """Constants in front of an op."""
        made: list[SSAValue] = []
        for value in values:
            try:
                constant = ConstantOp(to_attr(value))
            except NotAConstant:
                return None
            constant.location = op.location
            _insert(op, constant)
            made.append(constant.result)
        return tuple(made)

    def call(self, op: CallOp, state: State) -> None:
        """`len(v)`, `list(v)`, `tuple(v)`; other calls use the list as it is here."""
        callee = known(op.callee)
        name = callee.name if isinstance(callee, GlobalRef) else ""
        one = op.positional[0] if len(op.operands) == 2 else None
        items = None if one is None else self.items(one, state)
        if one is not None and items is not None and not _is_dict(one):
            if name == "builtins.len":
                (length,) = self.constants(op, [len(items)]) or (None,)
                assert length is not None
                edit.replace(op, [length])
                return
            if name in ("builtins.list", "builtins.tuple"):
                kind = ListOp if name == "builtins.list" else TupleOp
                self.build(op, kind, items, state)
                return
        if isinstance(callee, GlobalRef):
            self.snapshot(op, state)
        else:
            self.escape(op, state)

    def binary(self, op: Operation, state: State) -> None:
        """`v + w`, `v * n` of tuples and lists: a new one."""
        self.snapshot(op, state)
        if op.properties["kind"].data not in ("add", "mul"):  # pyright: ignore
            return
        lhs, rhs = (self.items(o, state) for o in op.operands)
        kinds = [type(o.owner) for o in op.operands]
        if lhs is not None and rhs is not None and kinds[0] is kinds[1]:
            kind = TupleOp if kinds[0] is TupleOp else ListOp
            self.build(op, kind, [*lhs, *rhs], state)
            return
        count = known(op.operands[1])
        if lhs is not None and isinstance(count, int) and _kind(op) == "mul":
            kind = TupleOp if kinds[0] is TupleOp else ListOp
            self.build(op, kind, list(lhs) * count, state)

    # Changing

    def list_op(self, op: Operation, state: State) -> None:
        """A new list or dict: its items are known from here on."""
        if op.results[0] not in self.excluded:
            state[op.results[0]] = tuple(op.operands)

    def invoke(self, op: InvokeOp, state: State) -> None:
        """A method of a list or dict; other receivers may see lists as arguments."""
        receiver = op.receiver
        if receiver not in state:
            self.snapshot(op, state)
            return
        method = _LIST_METHODS.get(op.method.data)
        if method is None or _is_dict(receiver):
            self.dict_method(op, state)
            return
        new = method(self, op, state[receiver], state)
        if new is None:
            self.forget(receiver, state)
            return
        state[receiver] = new[0]
        result = new[1]
        if result is None:
            (result,) = self.constants(op, [None]) or (op.receiver,)
        edit.replace(op, [result])

    def dict_method(self, op: InvokeOp, state: State) -> None:
        items = state[op.receiver]
        pairs = list(zip(items[::2], items[1::2], strict=True))
        name = op.method.data
        if not _is_dict(op.receiver):
            self.forget(op.receiver, state)
        elif name == "items" and not op.arguments:
            made: list[SSAValue] = []
            for pair in pairs:
                row = TupleOp(pair)
                row.location = op.location
                _insert(op, row)
                made.append(row.result)
            self.build(op, TupleOp, made, state)
        elif name in ("keys", "values") and not op.arguments:
            column = 0 if name == "keys" else 1
            self.build(op, TupleOp, [p[column] for p in pairs], state)
        elif name == "get" and op.arguments:
            found = _dict_item(items, known(op.arguments[0]))
            if found is not None:
                edit.replace(op, [found])
        else:
            self.forget(op.receiver, state)

    def store(self, op: StoreSubscriptOp, state: State) -> None:
        """`v[i] = w` with a constant index."""
        self.snapshot_one(op, 2, state)
        items = state.get(op.operand)
        if items is None:
            return
        index = known(op.index)
        if _is_dict(op.operand):
            new = _with_key(items, op.index, index, op.value)
        elif isinstance(index, int) and -len(items) <= index < len(items):
            changed = list(items)
            changed[index] = op.value
            new = tuple(changed)
        else:
            new = None
        if new is None:
            self.forget(op.operand, state)
            return
        state[op.operand] = new
        op.detach()
        op.erase()

    def inplace(self, op: InplaceOp, state: State) -> None:
        """`v += w` of a list extends it; the name keeps meaning the same list."""
        if op.lhs not in state or op.kind_name != "add":
            self.snapshot(op, state)
            return
        other = self.items(op.rhs, state)
        if other is None:
            self.forget(op.lhs, state)
            return
        state[op.lhs] = (*state[op.lhs], *other)
        edit.replace(op, [op.lhs])

    # Where a list is not followed any more

    def forget(self, value: SSAValue, state: State) -> None:
        """This list cannot be followed any further, so it may not be followed at all."""
        if state.pop(value, None) is not None:
            self.lost.add(value)

    def keep(self, op: Operation, state: State) -> None:
        """A tuple holds its lists by reference: nothing to do until it is used."""

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
        if items is None or not isinstance(owner, (ListOp, DictOp, TupleOp)):
            return value
        here = tuple(self.as_here(i, op, state) for i in items)
        if tuple(owner.operands) == here:
            return value
        new = type(owner)(here)
        new.location = op.location
        _insert(op, new)
        if not isinstance(new, TupleOp):
            state[new.result] = here
        return new.result

    def escape(self, op: Operation, state: State) -> None:
        """Somebody else may keep the list and change it: it cannot be followed."""
        for operand in op.operands:
            self.escape_value(operand, state)

    def escape_value(self, value: SSAValue, state: State) -> None:
        """A list, and all lists inside it, or inside a tuple."""
        for item in self.items(value, state) or ():
            self.escape_value(item, state)
        self.forget(value, state)

    # Control

    def if_op(self, op: IfOp, state: State) -> None:
        """Both sides start from here; a list that they leave alike stays known."""
        blocks = [op.then_region.block, op.else_region.block]
        ends = [self.block(b, state) for b in blocks]
        reached = [
            (b, e)
            for b, e in zip(blocks, ends, strict=True)
            if isinstance(b.last_op, YieldOp)
        ]
        for value in list(state):
            after = [e.get(value) for _, e in reached]
            if after and all(a == after[0] for a in after) and after[0] is not None:
                state[value] = after[0]
            elif after:
                del state[value]
                self.join_changed(op, reached, value, state)
        self.join_tuples(self.current(op))

    def join_changed(
        self,
        op: IfOp,
        reached: list[tuple[Block, State]],
        value: SSAValue,
        state: State,
    ) -> None:
        """A list that the sides leave with as many, other items: join them."""
        rows = [end.get(value) for _, end in reached]
        first = rows[0]
        if len(rows) != 2 or first is None or rows[1] is None or _is_dict(value):
            self.lost.add(value)
            return
        if len(first) != len(rows[1]):
            self.lost.add(value)
            return
        (then, _), (els, _) = reached
        pairs = [p for p in zip(first, rows[1], strict=True) if p[0] is not p[1]]
        new = self.current(op)
        new = _with_results(new, then, els, pairs)
        self.joined[op] = new
        joined = iter(new.results[len(new.results) - len(pairs) :])
        state[value] = tuple(
            a if a is b else next(joined) for a, b in zip(first, rows[1], strict=True)
        )

    def current(self, op: IfOp) -> IfOp:
        """The op that now stands for this one (joins add results to an `if`)."""
        return self.joined.get(op, op)

    def join_tuples(self, op: IfOp) -> None:
        """A tuple that both sides build with one length is joined item by item."""
        if op.parent is None:
            return
        ends = [op.then_region.block.last_op, op.else_region.block.last_op]
        if not all(isinstance(e, YieldOp) for e in ends):
            return
        for index, result in enumerate(op.results):
            values = [e.operands[index] for e in ends if e is not None]
            owners = [v.owner for v in values]
            if not result.uses or not all(isinstance(o, TupleOp) for o in owners):
                continue
            rows = [tuple(o.operands) for o in owners if isinstance(o, TupleOp)]
            if len(rows[0]) != len(rows[1]):
                continue
            new = _with_results(
                op,
                op.then_region.block,
                op.else_region.block,
                list(zip(*rows, strict=True)),
            )
            items = new.results[len(new.results) - len(rows[0]) :]
            joined = TupleOp(items)
            joined.location = new.location
            assert new.parent is not None
            new.parent.insert_op_after(joined, new)
            new.results[index].replace_all_uses_with(joined.result)
            self.join_tuples(new)
            return

    def nested(self, op: Operation, state: State) -> None:
        """A scope or loop: what it changes is not known inside (loops) and after."""
        changed = _changed_inside(op, state)
        for value in changed:
            self.forget(value, state)
        for operand in op.operands:
            self.forget(operand, state)
        for region in op.regions:
            self.block(region.block, state)


def _changed_inside(op: Operation, state: State) -> list[SSAValue]:
    """Lists that ops inside may change."""
    found: list[SSAValue] = []
    for inner in op.walk():
        if inner is op or isinstance(inner, (SubscriptOp, UnpackOp, GetattrOp)):
            continue
        found += [o for o in inner.operands if o in state and o not in found]
    return found


def _insert(anchor: Operation, op: Operation) -> None:
    assert anchor.parent is not None
    anchor.parent.insert_op_before(op, anchor)


def _kind(op: Operation) -> str:
    return str(op.properties["kind"]).strip('"')


def _is_dict(value: SSAValue) -> bool:
    return isinstance(value.owner, DictOp)


def _dict_item(items: Items, key: object) -> SSAValue | None:
    found = None
    for name, value in zip(items[::2], items[1::2], strict=True):
        if known(name) is _MISSING:
            return None
        if known(name) == key:
            found = value
    return found


def _with_key(
    items: Items, key_value: SSAValue, key: object, value: SSAValue
) -> Items | None:
    keys = [known(k) for k in items[::2]]
    if key is _MISSING or _MISSING in keys:
        return None
    if key in keys:
        changed = list(items)
        changed[2 * keys.index(key) + 1] = value
        return tuple(changed)
    return (*items, key_value, value)


def _with_results(
    op: IfOp,
    then: Block,
    els: Block,
    pairs: Sequence[tuple[SSAValue, ...]],
) -> IfOp:
    """The same `if` with further results, yielded from each side."""
    for side, block in enumerate((then, els)):
        end = block.last_op
        assert isinstance(end, YieldOp)
        new_end = YieldOp([*end.operands, *(p[side] for p in pairs)])
        new_end.location = end.location
        block.insert_op_before(new_end, end)
        end.detach()
        end.erase()
    types = [*op.result_types, *([VALUE] * len(pairs))]
    regions = [op.detach_region(op.regions[0]), op.detach_region(op.regions[0])]
    new = IfOp(op.condition, types, regions[0], regions[1], dict(op.attributes))
    new.location = op.location
    _insert(op, new)
    for old, result in zip(op.results, new.results, strict=False):
        result.name_hint = old.name_hint
        old.replace_all_uses_with(result)
    op.detach()
    op.erase()
    return new


_Change = tuple[Items, SSAValue | None]


def _append(s: Scalarizer, op: InvokeOp, items: Items, state: State) -> _Change | None:
    if len(op.arguments) != 1:
        return None
    return (*items, op.arguments[0]), None


def _extend(s: Scalarizer, op: InvokeOp, items: Items, state: State) -> _Change | None:
    other = s.items(op.arguments[0], state) if len(op.arguments) == 1 else None
    return None if other is None else ((*items, *other), None)


def _pop(s: Scalarizer, op: InvokeOp, items: Items, state: State) -> _Change | None:
    index = known(op.arguments[0]) if op.arguments else -1
    if not isinstance(index, int) or not -len(items) <= index < len(items):
        return None
    rest = list(items)
    taken = rest.pop(index)
    return tuple(rest), taken


def _insert_item(
    s: Scalarizer, op: InvokeOp, items: Items, state: State
) -> _Change | None:
    index = known(op.arguments[0]) if len(op.arguments) == 2 else None
    if not isinstance(index, int):
        return None
    rest = list(items)
    rest.insert(index, op.arguments[1])
    return tuple(rest), None


def _reverse(s: Scalarizer, op: InvokeOp, items: Items, state: State) -> _Change | None:
    return tuple(reversed(items)), None


def _clear(s: Scalarizer, op: InvokeOp, items: Items, state: State) -> _Change | None:
    return (), None


_LIST_METHODS: dict[
    str, Callable[[Scalarizer, InvokeOp, Items, State], _Change | None]
] = {
    "append": _append,
    "extend": _extend,
    "pop": _pop,
    "insert": _insert_item,
    "reverse": _reverse,
    "clear": _clear,
}

_HANDLERS: dict[type[Operation], Callable[..., None]] = {}


def _register() -> None:
    from dycl.ir import BinaryOp, CompareOp, ScopeOp, TruthOp

    _HANDLERS.update(
        {
            SubscriptOp: Scalarizer.subscript,
            UnpackOp: Scalarizer.unpack,
            CallOp: Scalarizer.call,
            BinaryOp: Scalarizer.binary,
            CompareOp: Scalarizer.snapshot,
            TruthOp: Scalarizer.snapshot,
            ListOp: Scalarizer.list_op,
            DictOp: Scalarizer.list_op,
            TupleOp: Scalarizer.keep,
            ReturnOp: Scalarizer.snapshot,
            InvokeOp: Scalarizer.invoke,
            StoreSubscriptOp: Scalarizer.store,
            InplaceOp: Scalarizer.inplace,
            IfOp: Scalarizer.if_op,
            ForOp: Scalarizer.nested,
            WhileOp: Scalarizer.nested,
            ScopeOp: Scalarizer.nested,
        }
    )


_register()
