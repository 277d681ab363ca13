"""Methods of lists and dicts, as `dycl-scalarize-aggregates` takes them.

Before                              After
------                              -----
%d = dycl.dict(%one, %a, %two, %b)  %v = dycl.tuple(%a, %b)
%v = dycl.invoke %d "values"()      dycl.return %v, %b
%x = dycl.invoke %d "get"(%two)
dycl.return %v, %x
"""

from collections.abc import Sequence
from functools import partial

from xdsl.ir import SSAValue

from dycl.ir import (
    CallOp,
    ConstantOp,
    DictOp,
    InvokeOp,
    ListOp,
    TupleOp,
    UnpackOp,
)
from dycl.ir.constant_values import MISSING, constant_value
from dycl.ir.rewriting import insert_before, replace
from dycl.ir.values import GlobalRef, to_attr
from dycl.passes.aggregates.items import (
    DICT_METHODS,
    Items,
    Method,
    dict_item,
    is_dict,
    key_of,
    keys_of,
    merged,
    with_key,
)
from dycl.passes.aggregates.state import Aggregates, State

_PLAIN = (bool, int, float, str, type(None))


class Methods(Aggregates):
    """What methods do with what is followed."""

    def method(self, op: InvokeOp, method: Method | None, state: State) -> None:
        """A method that changes a list or dict; one that is not known loses it."""
        receiver, items = op.receiver, state[op.receiver]
        if is_dict(receiver):
            new = method and method(op, items, lambda value: self.items(value, state))
        else:
            new = method and method(op, items, lambda v: self.gone_over(op, v, state))
        if new is None:
            self.escape(op, state)
            return
        result: Sequence[SSAValue] = op.results
        if op.result.uses:
            result = (
                [new[1]] if new[1] is not None else self.constants(op, [None]) or ()
            )
        self.change(op, receiver, new[0], result, state)

    def is_found(self, op: InvokeOp, state: State) -> bool:
        """`v.index(w)`, `v.count(w)` of plain data; whether it was replaced."""
        name = op.method.data
        if name not in ("index", "count") or len(op.operands) != 2:
            return False
        wanted, *values = map(constant_value, (op.arguments[0], *state[op.receiver]))
        if not all(isinstance(value, _PLAIN) for value in (wanted, *values)):
            return False
        if name == "index" and wanted not in values:
            return False  # it raises, if a run gets here
        result = values.count(wanted) if name == "count" else values.index(wanted)
        self.known_now(op, result)
        return True

    def sort(self, op: InvokeOp, state: State) -> None:
        """`v.sort(key=..., reverse=...)`: the items that `sorted` gives, one by one."""
        receiver, items = op.receiver, state[op.receiver]
        if op.positional:
            self.escape(op, state)
            return
        keywords = op.keyword_arguments
        function = ConstantOp(to_attr(GlobalRef("builtins.sorted")))
        whole = ListOp(items)
        arguments = [whole.result, *keywords.values()]
        ordered = CallOp(function.result, arguments, list(keywords))
        parts = UnpackOp(ordered.result, len(items))
        self.written[op] = (function, whole, ordered, parts)
        insert_before(op, *self.written[op])
        self.change(op, receiver, tuple(parts.items), self._none(op), state)

    def _none(self, op: InvokeOp) -> Sequence[SSAValue]:
        return (self.constants(op, [None]) or ()) if op.result.uses else op.results

    def dict_method(self, op: InvokeOp, state: State) -> None:
        """`d.items()`, `d.keys()`, `d.values()`, `d.get(k)`."""
        items = state[op.receiver]
        pairs = list(zip(items[::2], items[1::2], strict=True))
        name, arguments = op.method.data, op.arguments
        if name == "items" and not arguments:
            rows = [self.add(op, TupleOp(pair)) for pair in pairs]
            self.view(op, rows)
        elif name in ("keys", "values") and not arguments:
            column = 0 if name == "keys" else 1
            self.view(op, [p[column] for p in pairs])
        elif name == "get" and arguments and not op.keyword_names:
            self.dict_get(op, items, state)
        elif name == "copy" and not arguments:
            self.build(op, DictOp, items, state)
        elif name == "update" and op.keyword_names:
            self.update(op, state)
        else:
            method = DICT_METHODS.get(name)
            self.method(op, method and partial(method, self.environment), state)

    def update(self, op: InvokeOp, state: State) -> None:
        """`d.update(e, a=1)`."""
        items: Items | None = state[op.receiver]
        if len(op.positional) > 1:
            items = None
        for other in op.positional:
            entries = self.items(other, state) if is_dict(other) else None
            union = (
                None
                if items is None or entries is None
                else merged(self.environment, items, entries)
            )
            items = None if union is None else union[0]
        for name, value in op.keyword_arguments.items():
            key = self.constants(op, [name])
            items = items and key and with_key(self.environment, items, key[0], value)
        self.change(op, op.receiver, items, self.constants(op, [None]) or (), state)

    def view(self, op: InvokeOp, items: list[SSAValue]) -> None:
        """A view of a dict is a tuple as long as the dict stays as it is."""
        self.view_ops[op] = None
        self.views[op.result] = tuple(items)

    def dict_get(self, op: InvokeOp, items: Items, state: State) -> None:
        key = key_of(self.environment, op.arguments[0])
        value = dict_item(self.environment, items, key)
        if value is not None:
            replace(op, [value])
        elif key is MISSING or keys_of(self.environment, items) is None:
            self.escape_value(op.receiver, state)
        elif len(op.arguments) == 2:
            replace(op, [op.arguments[1]])
        else:
            self.known_now(op, None)
