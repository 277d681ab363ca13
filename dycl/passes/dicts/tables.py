"""Which dicts and sets have keys that a run decides, and by which names.

%d = dycl.dict()                   the dict is made here
dycl.store_subscript %d[%k], %v    %k depends on the data
%r = dycl.if %p { dycl.yield %d }  %r is another name of it, or of one like it
dycl.local_call "f"(%d)            so is the parameter of a function that adds to it
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue, Use

from dycl.ir import (
    BinaryOp,
    CallOp,
    CompareOp,
    ConstantOp,
    DictOp,
    InplaceOp,
    InvokeOp,
    LocalCallOp,
    StoreSubscriptOp,
    SubscriptOp,
    TupleOp,
)
from dycl.ir.changes import GIVEN
from dycl.ir.constant_values import MISSING, constant_name, constant_value
from dycl.ir.interfaces import forwarded_from, forwarded_to
from dycl.ir.values import FunctionRef
from dycl.ir.walking import walk
from dycl.passes.lists.kinds import is_list, is_of_run
from dycl.passes.lists.recursions import given_lists
from dycl.prelude import is_ours as is_prelude

DICT, DEFAULT, COUNTER, SET = "dict", "defaultdict", "Counter", "set"
_KINDS = {
    "builtins.dict": DICT,
    "builtins.set": SET,
    "collections.Counter": COUNTER,
    "collections.defaultdict": DEFAULT,
}
SET_OPERATORS = {"and": "common", "or": "united", "sub": "without", "xor": "in_one"}
"""Operators that make a set of two -> our functions."""
COMPARED = {"eq": "same_members", "le": "is_within", "ne": "same_members"}
"""Comparisons of two sets -> our functions."""
_KEYED = ("__delitem__", "add", "discard", "get", "pop", "remove", "setdefault")
_CHANGING = frozenset(
    {
        *("__delitem__", "add", "clear", "discard", "pop", "popitem", "remove"),
        *("setdefault", "subtract", "update"),
    }
)
"""Methods that change a dict or set."""
REMOVING = frozenset(("__delitem__", "clear", "discard", "pop", "popitem", "remove"))
"""Methods that take entries away."""


@dataclass
class Table:
    """Dicts that meet by control flow, or sets that are made of one another."""

    kind: str
    makers: list[Operation] = field(default_factory=list[Operation])
    names: dict[SSAValue, None] = field(default_factory=dict[SSAValue, None])

    @property
    def uses(self) -> Iterator[Use]:
        """All uses of all names."""
        for name in self.names:
            yield from name.uses

    @property
    def writes(self) -> list[Operation]:
        """The ops that change one of these."""
        return [u.operation for u in self.uses if u.index == 0 and _writes(u)]


def tables_of(entry: FuncOp) -> list[Table]:
    """The dicts and sets whose keys are the data's, in the order of the program."""
    found: list[Table] = []
    seen: set[SSAValue] = set()
    given = given_lists(entry)
    for op in walk(entry):
        kind = _kind_made(op)
        if kind is None or op.results[0] in seen:
            continue
        table = _followed(op, kind, given)
        if table is None:
            seen.add(op.results[0])
            continue
        seen.update(table.names)
        if any(map(_is_of_run, table.makers)) or any(map(_has_key_of_run, table.uses)):
            found.append(table)
    return found


def _kind_made(op: Operation) -> str | None:
    """What an op makes, by itself."""
    if GIVEN in op.attributes:
        return None
    if isinstance(op, DictOp):
        return DICT
    if not isinstance(op, CallOp) or op.keyword_names:
        return None
    kind = _KINDS.get(constant_name(op.callee))
    if kind in (DEFAULT, None) or len(op.positional) > 1:
        return kind if len(op.positional) == 1 else None
    return kind if all(map(_is_listed, op.positional)) else None


def _is_listed(value: SSAValue) -> bool:
    """Whether a value is surely no dict, of which a dict is made in another way."""
    owner, constant = value.owner, constant_value(value)
    if isinstance(constant, (list, tuple, str)) or is_of_run(value) or is_list(value):
        return True
    match owner:
        case TupleOp():
            return True
        case CallOp():
            function = constant_value(owner.callee)
            is_ours = isinstance(function, FunctionRef) and is_prelude(function.symbol)
            return is_ours or constant_name(owner.callee) in _LISTING
        case InvokeOp():
            return owner.method.data in ("items", "keys", "most_common", "values")
        case _:
            return False


_LISTING = frozenset(
    f"builtins.{name}"
    for name in (
        *("enumerate", "filter", "list", "map", "range", "reversed", "sorted"),
        *("tuple", "zip"),
    )
)
"""Functions that give no dict."""


def _followed(
    maker: Operation, kind: str, given: Mapping[SSAValue, Sequence[SSAValue]]
) -> Table | None:
    """The table of a dict, with all that may be in its place; None: not known."""
    table = Table(kind)
    waiting = [maker.results[0]]
    while waiting:
        value = waiting.pop()
        if value in table.names:
            continue
        table.names[value] = None
        owner = value.owner
        if sources := forwarded_from(value) or list(given.get(value, ())):
            waiting += sources
        elif isinstance(owner, BinaryOp | InplaceOp) and kind == SET:
            if isinstance(owner, BinaryOp) and owner.kind_name not in SET_OPERATORS:
                return None
            both = isinstance(owner, BinaryOp)
            waiting += [owner.lhs, owner.rhs] if both else [owner.lhs]
        elif isinstance(owner, Operation) and _is_made(owner, kind):
            table.makers.append(owner)
        else:
            return None
        for use in value.uses:
            op = use.operation
            waiting += forwarded_to(op, use.index)
            if isinstance(op, LocalCallOp) and use.index in op.function.lists:
                waiting.append(op.function.params[use.index])
            is_changed = isinstance(op, InplaceOp) and use.index == 0
            if kind == SET and (is_changed or isinstance(op, BinaryOp)):
                waiting.append(op.results[0])
            elif kind == SET and isinstance(op, CompareOp) and op.kind_name in COMPARED:
                waiting += [op.lhs, op.rhs]
    return table


def _is_made(op: Operation, kind: str) -> bool:
    """Whether an op makes a dict or set of a kind; of a constant that is a new one."""
    if isinstance(op, ConstantOp):
        return kind == DICT and type(constant_value(op.result)) is dict
    return _kind_made(op) == kind


def _is_of_run(maker: Operation) -> bool:
    """Whether a dict is made of what only a run knows."""
    if isinstance(maker, DictOp):
        return any(map(is_key_of_run, maker.operands[::2]))
    if isinstance(maker, CallOp) and constant_name(maker.callee) in (
        "collections.Counter",
        "builtins.set",
    ):
        return True  # no other pass takes these
    return isinstance(maker, CallOp) and any(
        constant_value(v) is MISSING for v in maker.positional
    )


def _has_key_of_run(use: Use) -> bool:
    """Whether an op asks for an entry under a key that only a run knows."""
    op = use.operation
    match op:
        case SubscriptOp() | StoreSubscriptOp():
            return use.index == 0 and is_key_of_run(op.operands[1])
        case InvokeOp() if use.index == 0 and op.arguments:
            keyed = op.method.data in _KEYED
            return op.method.data == "update" or (
                keyed and is_key_of_run(op.arguments[0])
            )
        case CompareOp():
            is_in = op.kind_name in ("in", "not_in")
            return is_in and use.index == 1 and is_key_of_run(op.lhs)
        case _:
            return False


def is_key_of_run(key: SSAValue) -> bool:
    """Whether a key, or a part of it, is not known now."""
    if isinstance(key.owner, TupleOp):
        return any(map(is_key_of_run, key.owner.items))
    return constant_value(key) is MISSING


def _writes(use: Use) -> bool:
    op = use.operation
    if isinstance(op, InvokeOp):
        return op.method.data in _CHANGING
    return isinstance(op, InplaceOp | StoreSubscriptOp)
