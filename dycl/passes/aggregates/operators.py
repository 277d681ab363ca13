"""Operators on lists, tuples and dicts, as `dycl-scalarize-aggregates` takes them.

Before                          After
------                          -----
%t = dycl.tuple(%a)             %u = dycl.tuple(%a, %a)
%l = dycl.list(%b)              dycl.return %u, %true, %false
%u = dycl.binary mul %t, %two
%p = dycl.to_bool %l
%q = dycl.compare is %l, %none
dycl.return %u, %p, %q
"""

from typing import cast

from xdsl.ir import Operation, SSAValue

from dycl.ir import (
    BinaryOp,
    CompareOp,
    DictOp,
    InplaceOp,
    ListOp,
    RecordOp,
    ToBoolOp,
    TupleOp,
)
from dycl.ir.constant_values import MISSING, constant_value
from dycl.passes.aggregates.items import (
    Items,
    is_dict,
    key_of,
    keys_of,
    kind_of,
    merged,
)
from dycl.passes.aggregates.state import Aggregates, State


class Operators(Aggregates):
    """What `+`, `*`, `|`, comparisons and truth do with what is followed."""

    def binary(self, op: BinaryOp, state: State) -> None:
        """`v + w`, `v * n` of tuples and lists: a new one."""
        lhs, rhs = (self.items(o, state) for o in op.operands)
        kind = kind_of(op.lhs)
        if is_dict(op.lhs) or is_dict(op.rhs):
            pair = [self.dict_items(op, operand, state) for operand in op.operands]
            one, other = pair if op.kind_name == "or" else (None, None)
            both = one is not None and other is not None
            union = merged(self.environment, one or (), other or ()) if both else None
            if union is not None:
                self.build(op, DictOp, union[0], state)
            else:
                self.alias_items(op, state)
            return
        if op.kind_name == "add" and (lhs is not None or rhs is not None):
            lhs = self.constant_items(op, op.lhs) if lhs is None else lhs
            rhs = self.constant_items(op, op.rhs) if rhs is None else rhs
            if lhs is not None and rhs is not None and kind is kind_of(op.rhs):
                self.build(op, kind, [*lhs, *rhs], state)
                return
        if op.kind_name == "mul" and (repeated := self.repeated(op, lhs, rhs)):
            self.build(op, *repeated, state)
        else:
            self.alias_items(op, state)

    def repeated(
        self, op: BinaryOp, lhs: Items | None, rhs: Items | None
    ) -> tuple[type[TupleOp] | type[ListOp], Items] | None:
        """`[0] * 3`, `3 * [0]`: the kind and the items of what it gives."""
        for value, items, count in (
            (op.lhs, lhs, constant_value(op.rhs)),
            (op.rhs, rhs, constant_value(op.lhs)),
        ):
            if not isinstance(count, int):
                continue
            constant = constant_value(value)
            if items is None and isinstance(constant, (tuple, list)):
                row = cast("list[object]", constant)
                if any(isinstance(item, (list, dict)) for item in row):
                    return None
                items = self.constants(op, row)
            if items is not None:
                return kind_of(value), items * count
        return None

    def constant_items(self, op: Operation, value: SSAValue) -> Items | None:
        """The items of a list or tuple that the model holds."""
        constant = constant_value(value)
        if not isinstance(constant, (tuple, list)):
            return None
        return self.constants(op, cast("list[object]", constant))

    def dict_items(self, op: Operation, value: SSAValue, state: State) -> Items | None:
        """The keys and values of a dict that is followed, or whose items are known."""
        if is_dict(value):
            return self.items(value, state)
        constant = constant_value(value)
        if not isinstance(constant, dict):
            return None
        pairs = cast("dict[object, object]", constant).items()
        return self.constants(op, [part for pair in pairs for part in pair])

    def compare(self, op: CompareOp, state: State) -> None:
        """`k in d`, `a is b`; other comparisons are of the items as they are here."""
        kind = op.kind_name
        if kind in ("is", "is_not"):
            self.identity(op, state)
            return
        if kind in ("in", "not_in") and op.rhs in state and is_dict(op.rhs):
            keys = keys_of(self.environment, state[op.rhs])
            key = key_of(self.environment, op.lhs)
            if keys is not None and key is not MISSING:
                self.known_now(op, (key in keys) == (kind == "in"))
                return
        self.snapshot(op, state)

    def identity(self, op: CompareOp, state: State) -> None:
        """An aggregate made here is no other value but itself."""
        is_new = self.items(op.lhs, state) is not None
        is_new = is_new or isinstance(op.lhs.owner, RecordOp)
        if is_new and (op.rhs in state or constant_value(op.rhs) is not MISSING):
            self.known_now(op, (op.lhs is op.rhs) == (op.kind_name == "is"))
        else:
            self.escape(op, state)

    def to_bool(self, op: ToBoolOp, state: State) -> None:
        """`if v:` asks whether there are items."""
        items = self.items(op.operand, state)
        if items is not None:
            self.known_now(op, len(items) > 0)

    def inplace(self, op: InplaceOp, state: State) -> None:
        """`v += w` of a list extends it; the name keeps meaning the same list."""
        wanted = "or" if is_dict(op.lhs) else "add"
        if op.lhs not in state or op.kind_name != wanted:
            self.alias_items(op, state)
            return
        if is_dict(op.lhs):
            other = self.dict_items(op, op.rhs, state)
            union = (
                None
                if other is None
                else merged(self.environment, state[op.lhs], other)
            )
            self.change(op, op.lhs, union and union[0], [op.lhs], state)
            return
        other = self.gone_over(op, op.rhs, state)
        new = None if other is None else (*state[op.lhs], *other)
        self.change(op, op.lhs, new, [op.lhs], state)
