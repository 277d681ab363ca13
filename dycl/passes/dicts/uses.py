"""What each use of a dict is, where it is two lists: its keys, and their values.

Before                        After
------                        -----
%d = dycl.dict()              %0 = dycl.sequence()
%v = dycl.subscript %d[%x]    %k = dycl.call %list(%0)
dycl.return %v                %1 = dycl.sequence()
                              %l = dycl.call %list(%1)
                              %v = dycl.call %item_of(%k, %l, %x)
                              dycl.return %v

A use that is not among these leaves the dict as it is.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import cast

from xdsl.dialects.builtin import ArrayAttr, DenseArrayBase, i64
from xdsl.ir import Block, Operation, SSAValue, Use

from dycl.ir import (
    CallOp,
    CompareOp,
    ConstantOp,
    DictOp,
    ForOp,
    InvokeOp,
    LocalCallOp,
    LocalFunctionOp,
    RecordOp,
    SequenceOp,
    SliceOp,
    StoreSubscriptOp,
    SubscriptOp,
    ToBoolOp,
    TupleOp,
    UnaryOp,
)
from dycl.ir.constant_values import constant_name, constant_value
from dycl.ir.dialect.local_functions import LISTS
from dycl.ir.dialect.syntax import VALUE
from dycl.ir.interfaces import forwarded_from, forwarded_to
from dycl.ir.records import CALL, ROWS, RecordType
from dycl.ir.rewriting import (
    erase,
    insert_before,
    insert_constant,
    insert_value,
    relocate,
    replace,
)
from dycl.ir.values import FunctionRef, GlobalRef
from dycl.passes.aggregates.uses import is_returned
from dycl.passes.calls.specializations import GIVEN
from dycl.passes.dicts.tables import (
    COUNTER,
    DEFAULT,
    DICT,
    REMOVING,
    Table,
)

Rewrite = Callable[[], None]
_ROWS = RecordType("tuples", ROWS, ("_0", "_1"))
_CLASSES = {
    DICT: RecordType("builtins.dict", CALL, ("items",)),
    DEFAULT: RecordType("collections.defaultdict", CALL, ("default_factory", "items")),
    COUNTER: RecordType("collections.Counter", CALL, ("items",)),
}
_STARTS = {"builtins.int": 0, "builtins.float": 0.0, "builtins.bool": False}
_READERS = frozenset(
    f"builtins.{name}"
    for name in (
        *("all", "any", "bool", "len", "list", "max", "min", "sorted", "sum"),
        *("tuple",),
    )
)
"""Functions that have read all keys when they return."""
_ITERATORS = frozenset(f"builtins.{n}" for n in ("enumerate", "iter", "zip"))
_VIEWS = ("items", "keys", "values")
_METHODS: dict[tuple[str, int], str] = {
    ("__delitem__", 1): "remove",
    ("clear", 0): "clear",
    ("get", 1): "item_or",
    ("get", 2): "item_or",
    ("pop", 1): "taken",
    ("pop", 2): "taken_or",
    ("popitem", 0): "last_taken",
    ("setdefault", 1): "item_or_set",
    ("setdefault", 2): "item_or_set",
}
"""Methods by their number of arguments -> our functions."""


def ours(at: Operation, name: str, *given: SSAValue) -> SSAValue:
    """A call of a function of `dycl.prelude.tables`, in front of an op."""
    function = insert_constant(at, FunctionRef(f"dycl.prelude.tables.{name}"))
    return insert_value(at, CallOp(function, given))


def called(at: Operation, name: str, *given: SSAValue) -> SSAValue:
    """A call of a function of Python, in front of an op."""
    return insert_value(at, CallOp(insert_constant(at, GlobalRef(name)), given))


@dataclass
class Pairs:
    """The two lists of each name of a table."""

    table: Table
    lists: dict[SSAValue, tuple[SSAValue, SSAValue]]

    def how(self, use: Use, name: SSAValue) -> Rewrite | None:
        """What writes a use anew; None: it is of another kind."""
        op, index = use.operation, use.index
        match op:
            case SubscriptOp() if index == 0 and not isinstance(
                op.index.owner, SliceOp
            ):
                return self._read(op, name)
            case StoreSubscriptOp() if index == 0:
                return lambda: self._call(op, name, "put", *op.operands[1:])
            case InvokeOp() if index == 0 and not op.keyword_names:
                return self._method(op, name)
            case CompareOp() if index == 1 and op.kind_name in ("in", "not_in"):
                return lambda: self._contains(op, name)
            case ToBoolOp():
                return lambda: self._set(use, self.lists[name][0])
            case ForOp() if index == 0:
                return self._loop(op, op, name, "keys")
            case CallOp() if index > 0 and not op.takes_apart(index):
                return self._function(op, use, name)
            case LocalCallOp():
                return self._hand_over(op, use, name)
            case _ if is_returned(use):
                return self._returned(use, name)
            case _ if forwarded_to(op, index) and forwarded_from(name):
                return lambda: None  # it is a tuple by now
            case _ if forwarded_to(op, index):
                return lambda: self._set(
                    use, insert_value(op, TupleOp(self.lists[name]))
                )
            case _:
                return None

    def _hand_over(self, op: LocalCallOp, use: Use, name: SSAValue) -> Rewrite | None:
        """A function of a recursion is given both lists (`take_lists`)."""
        is_given = op.function.params[use.index] in self.table.names
        if not is_given or sum(v in self.table.names for v in op.arguments) > 1:
            return None

        def rewrite() -> None:
            given = list(op.operands)
            at = given.index(name)
            op.operands = [*given[:at], *self.lists[name], *given[at + 1 :]]

        return rewrite

    def _set(self, use: Use, value: SSAValue) -> None:
        use.operation.operands[use.index] = value

    def _call(self, op: Operation, name: SSAValue, ours_: str, *given: SSAValue):
        result = ours(op, ours_, *self.lists[name], *given)
        replace(op, [result] * len(op.results))

    def _read(self, op: SubscriptOp, name: SSAValue) -> Rewrite | None:
        if self.table.kind == DICT:
            return lambda: self._call(op, name, "item", op.index)
        if self.table.kind == COUNTER:
            return lambda: self._call(
                op, name, "item_or", op.index, insert_constant(op, 0)
            )
        factory = self._factory()
        if constant_name(factory) not in _STARTS:
            return None
        start = _STARTS[constant_name(factory)]
        return lambda: self._call(
            op, name, "item_or_set", op.index, insert_constant(op, start)
        )

    def _factory(self) -> SSAValue:
        maker = self.table.makers[0]
        assert isinstance(maker, CallOp)
        return maker.positional[0]

    def _method(self, op: InvokeOp, name: SSAValue) -> Rewrite | None:
        method, given = op.method.data, list(op.arguments)
        if (known := _METHODS.get((method, len(given)))) is not None:
            return lambda: self._call(op, name, known, *given)
        if method in _VIEWS and not given:
            return self._view(op, name)
        if method == "copy" and not given and self.table.kind == DICT:
            return lambda: self._copy(op, name)
        if method == "update" and len(given) == 1:
            if self.table.kind == COUNTER:
                return lambda: self._call(op, name, "add_counts", *given)
            return lambda: self._update(op, name, given[0])
        if method == "most_common" and self.table.kind == COUNTER and len(given) < 2:
            return lambda: self._call(op, name, "most_common", *given)
        return None

    def _update(self, op: InvokeOp, name: SSAValue, given: SSAValue) -> None:
        if given in self.lists:
            self._call(op, name, "put_all", *self.lists[given])
        elif isinstance(given.owner, DictOp):
            items = given.owner.operands
            for key, value in zip(items[::2], items[1::2], strict=True):
                ours(op, "put", *self.lists[name], key, value)
            replace(op, [insert_constant(op, None)])
        else:
            self._call(op, name, "put_each", given)

    def _copy(self, op: Operation, name: SSAValue) -> None:
        """Another dict, of which the next round sees what it is filled with."""
        pairs = ours(op, "pairs", *self.lists[name])
        new = insert_value(op, DictOp([]))
        insert_before(op, InvokeOp(new, "update", [pairs]))
        replace(op, [new])

    def _contains(self, op: CompareOp, name: SSAValue) -> None:
        found = ours(op, "has", self.lists[name][0], op.lhs)
        if op.kind_name == "not_in":
            found = insert_value(op, UnaryOp("not", found))
        replace(op, [found])

    def _view(self, op: InvokeOp, name: SSAValue) -> Rewrite | None:
        """`d.items()` and its like, where the whole is read, or gone over, at once."""
        view = op.method.data
        loops: list[Rewrite] = []
        for use in op.result.uses:
            reader = use.operation
            if isinstance(reader, ForOp) and use.index == 0:
                loop = self._loop(reader, op, name, view)
                if loop is None:
                    return None
                loops.append(loop)
            elif not self._reads_view(use):
                return None

        def rewrite() -> None:
            for loop in loops:
                loop()
            if op.result.uses:
                replace(op, [self._snapshot(op, name, view)])
            else:
                erase(op)

        return rewrite

    def _reads_view(self, use: Use) -> bool:
        op = use.operation
        if isinstance(op, CompareOp):
            return use.index == 1 and op.kind_name in ("in", "not_in")
        if isinstance(op, InvokeOp):
            return use.index > 0 and op.method.data in ("extend", "update")
        if not isinstance(op, CallOp) or op.takes_apart(use.index):
            return False
        function = constant_name(op.callee)
        if function in _ITERATORS:
            return self._is_gone_over(op)
        ours_ = getattr(constant_value(op.callee), "symbol", "")
        is_ours = isinstance(ours_, str) and ours_.startswith("dycl.prelude.")
        return is_ours or function in (*_READERS, "builtins.dict", "builtins.set")

    def _is_gone_over(self, op: CallOp) -> bool:
        """Whether a loop goes over this and changes none of these dicts."""
        loops = [use.operation for use in op.result.uses]
        return all(isinstance(loop, ForOp) for loop in loops) and not any(
            loop.is_ancestor(write) for loop in loops for write in self.table.writes
        )

    def _snapshot(self, op: Operation, name: SSAValue, view: str) -> SSAValue:
        keys, values = self.lists[name]
        if view == "items":
            return ours(op, "pairs", keys, values)
        return keys if view == "keys" else values

    def _loop(
        self, loop: ForOp, at: Operation, name: SSAValue, view: str
    ) -> Rewrite | None:
        """A loop over the keys, the values, or both."""
        writes = [w for w in self.table.writes if loop.is_ancestor(w)]
        removed = [
            w for w in writes if isinstance(w, InvokeOp) and w.method.data in REMOVING
        ]
        if removed:
            return None  # which entries Python goes over is its own affair

        def rewrite() -> None:
            keys, values = self.lists[name]
            if writes:
                each = {"keys": "each_key", "values": "each_value"}
                given = (keys,) if view == "keys" else (keys, values)
                new = ours(loop, each.get(view, "each_pair"), *given)
            elif view == "items":
                new = called(loop, "builtins.zip", keys, values)
            else:
                new = keys if view == "keys" else values
            loop.operands[0] = new

        return rewrite

    def _function(self, op: CallOp, use: Use, name: SSAValue) -> Rewrite | None:
        function = constant_name(op.callee)
        if function == "builtins.dict" and len(op.operands) == 2:
            return lambda: self._copy(op, name)
        if function in _ITERATORS and not self._is_gone_over(op):
            return None
        if function not in _READERS and function not in _ITERATORS:
            return None
        return lambda: self._set(use, self.lists[name][0])

    def _returned(self, use: Use, name: SSAValue) -> Rewrite:
        def rewrite() -> None:
            op = use.operation
            rows = RecordOp(insert_value(op, TupleOp(self.lists[name])), _ROWS)
            items = [insert_value(op, rows)]
            if self.table.kind == DEFAULT:
                items.insert(0, self._factory())
            if self.table.kind == COUNTER:
                plain = RecordOp(insert_value(op, TupleOp(items)), _CLASSES[DICT])
                items = [insert_value(op, plain)]
            parts = insert_value(op, TupleOp(items))
            self._set(use, insert_value(op, RecordOp(parts, _CLASSES[self.table.kind])))

        return rewrite


def make_lists(maker: Operation) -> tuple[SSAValue, SSAValue]:
    """The lists in the place of what makes a dict, in front of it."""
    keys, values = new_list(maker), new_list(maker)
    if isinstance(maker, DictOp):
        for key, value in zip(maker.operands[::2], maker.operands[1::2], strict=True):
            ours(maker, "put", keys, values, key, value)
    elif isinstance(maker, ConstantOp):
        known = cast("dict[object, object]", constant_value(maker.result))
        for entry in known.items():
            key, value = (insert_constant(maker, part) for part in entry)
            ours(maker, "put", keys, values, key, value)
    elif isinstance(maker, CallOp) and maker.positional:
        name = constant_name(maker.callee)
        if name == "collections.Counter":
            ours(maker, "add_counts", keys, values, maker.positional[0])
        elif name == "builtins.dict":
            ours(maker, "put_each", keys, values, maker.positional[0])
    return keys, values


def new_list(at: Operation) -> SSAValue:
    """An empty list of which nobody takes it that its length is known.

    A list display would have its items followed path by path.
    """
    return called(at, "builtins.list", insert_value(at, SequenceOp([])))


def read_lists(name: SSAValue, at: Operation) -> tuple[SSAValue, SSAValue]:
    """The lists of a name that control flow gives: parts of the tuple in its place."""
    keys, values = (
        insert_value(at, SubscriptOp(name, insert_constant(at, number)))
        for number in (0, 1)
    )
    return keys, values


def take_lists(param: SSAValue) -> tuple[SSAValue, SSAValue]:
    """The two parameters of a function of a recursion, in the place of a dict."""
    block = param.owner
    assert isinstance(block, Block)
    function = block.parent_op()
    assert isinstance(function, LocalFunctionOp)
    at = list[SSAValue](block.args).index(param)
    values = block.insert_arg(VALUE, at + 1)
    relocate(values, block.args[at])
    values.name_hint = param.name_hint
    lists = sorted([at + 1, *(n + (n > at) for n in function.lists)])
    function.attributes[LISTS] = DenseArrayBase.from_list(i64, lists)
    function.attributes[GIVEN] = ArrayAttr([])  # no further call fits it
    return param, values


def place_behind(name: SSAValue) -> Operation:
    """The op in front of which the parts of a forwarded name are read."""
    owner = name.owner
    at = owner.first_op if isinstance(owner, Block) else owner.next_op
    assert at is not None
    return at
