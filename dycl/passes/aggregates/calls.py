"""Calls that get aggregates, as `dycl-scalarize-aggregates` takes them.

Before                       After
------                       -----
%t = dycl.tuple(%a, %b)      %l = dycl.list(%a, %b)
%n = dycl.call %len(%t)      %y = dycl.call %f(%a, %b)
%l = dycl.call %list(%t)     dycl.return %two, %l, %y
%y = dycl.call %f("*" = %t)
dycl.return %n, %l, %y
"""

from xdsl.ir import Operation, SSAValue

from dycl.analysis.folding.iteration import items_of
from dycl.analysis.folding.iterators import ITERATORS, is_read_at_once
from dycl.ir import CallOp, DictOp, InvokeOp, ListOp, TupleOp
from dycl.ir.constant_values import constant_name, constant_value
from dycl.ir.rewriting import insert_before, replace
from dycl.passes.aggregates.items import LIST_METHODS, is_dict, keys_of
from dycl.passes.aggregates.methods import Methods
from dycl.passes.aggregates.names import exposes_no_items
from dycl.passes.aggregates.state import State


class Calls(Methods):
    """What functions and methods do with what is followed."""

    def call(self, op: CallOp, state: State) -> None:
        """`len(v)`, `list(v)`, `tuple(v)`; other calls use the list as it is here."""
        if self.expand_stars(op, state):
            return
        name = constant_name(op.callee)
        argument = (
            op.positional[0]
            if len(op.positional) == len(op.operands) - 1 == 1
            else None
        )
        items = None if argument is None else self.items(argument, state)
        if argument is not None and items is not None:
            if is_dict(argument):
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
        if name == "builtins.tuple" and argument is not None:
            iterated = items_of(argument, self.environment)
            if iterated is not None:
                self.build(op, TupleOp, self.materialised(op, iterated), state)
                return
        is_kept = name in ("", "functools.partial")
        if is_kept or (name in ITERATORS and not self.is_read_at_once(op, state)):
            self.escape(op, state)
        elif exposes_no_items(op):
            self.snapshot(op, state)
        else:
            self.alias_items(op, state)

    def is_read_at_once(self, op: CallOp, state: State) -> bool:
        """Whether no list may change before an iterator is gone over.

        `zip(v, w)` goes over the items that there are by then.
        """
        lists = any(self.items(operand, state) is not None for operand in op.operands)
        return not lists or is_read_at_once(
            op, lambda value: self.items(value, state) is not None
        )

    def expand_stars(self, op: CallOp | InvokeOp, state: State) -> bool:
        """`f(*t, **d)` with known items and keys; says whether the op is replaced."""
        if not op.is_starred:
            return False
        args, keywords = list(op.positional), dict[str, SSAValue]()
        values = op.operands[1 + len(args) :]
        for name, value in zip(op.keyword_names, values, strict=True):
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
        if isinstance(new, CallOp):
            self.call(new, state)
        else:
            self.invoke(new, state)
        return True

    def star_entries(
        self, op: Operation, name: str, value: SSAValue, state: State
    ) -> dict[str, list[SSAValue]] | None:
        """What one argument stands for: by name, or by place under `*`."""
        if name not in ("*", "**"):
            return {name: [value]}
        items, constant = self.items(value, state), constant_value(value)
        if name == "*":
            if isinstance(constant, (tuple, list)):
                items = self.constants(op, constant)
            return None if items is None or is_dict(value) else {"*": list(items)}
        if isinstance(constant, dict):
            items = self.constants(op, [x for kv in constant.items() for x in kv])
        elif not is_dict(value):
            return None
        keys = None if items is None else keys_of(self.environment, items)
        if items is None or keys is None or not all(isinstance(k, str) for k in keys):
            return None
        values = [[v] for v in items[1::2]]
        return dict(zip(map(str, keys), values, strict=True))

    def invoke(self, op: InvokeOp, state: State) -> None:
        """A method of a list or dict; other receivers may see lists as arguments."""
        if self.expand_stars(op, state):
            return
        receiver = op.receiver
        if receiver not in state:
            plain = exposes_no_items(op)
            (self.snapshot if plain else self.escape_or_copy)(op, state)
            return
        if is_dict(receiver):
            self.dict_method(op, state)
            return
        if self.is_found(op, state):
            return
        if op.method.data == "sort":
            self.sort(op, state)
            return
        if op.method.data == "copy" and not op.arguments:
            self.build(op, ListOp, state[receiver], state)
            return
        self.method(op, LIST_METHODS.get(op.method.data), state)
