"""What a dict is asked that an attribute of a node holds: two lists say it.

Before                               After
------                               -----
%d = dycl.getattr %node "kids"       %k = dycl.field %node "kids.keys()"
%x = dycl.subscript %d[%i]           %v = dycl.field %node "kids.values()"
%n = dycl.call %len(%d)              %x = dycl.call %item_of(%k, %v, %i)
dycl.return %x, %n                   %l = dycl.field %node "kids.keys()"
                                     %n = dycl.call %len(%l)
                                     dycl.return %x, %n

The functions are those of `dycl.prelude.tables`, which go through the keys. The lists
are read where the dict is used, since it may be None where its name is bound. A use
that is not among these leaves the dict as it is, and is refused later.
"""

from xdsl.ir import Operation, Region, SSAValue, Use

from dycl.diag import remark
from dycl.ir import (
    CallOp,
    CompareOp,
    ConstantOp,
    DictOp,
    FieldOp,
    ForOp,
    GetattrOp,
    HasFieldOp,
    IfOp,
    InvokeOp,
    SliceOp,
    SubscriptOp,
    ToBoolOp,
    UnaryOp,
    UnpackOp,
)
from dycl.ir.builtin_nodes import BASES, DICT, KEYS, VALUES
from dycl.ir.constant_values import constant_name, constant_value
from dycl.ir.datatypes import datatype_around
from dycl.ir.rewriting import erase, insert_before, insert_value, replace
from dycl.ir.torch import BoolT
from dycl.ir.values import FunctionRef, to_attr
from dycl.passes.dicts.uses import called, ours
from dycl.passes.nodes.members import class_name, yielding
from dycl.prelude import is_ours

_VIEWS = ("items", "keys", "values")
_READERS = frozenset(
    f"builtins.{name}"
    for name in (
        *("all", "any", "enumerate", "filter", "frozenset", "iter", "len", "list"),
        *("map", "max", "min", "reversed", "set", "sorted", "sum", "tuple", "zip"),
    )
)
"""Functions that go over what they are given, and keep it not."""


def of_table(read: GetattrOp) -> None:
    """Ask the two lists wherever something is asked of a dict that a node holds."""
    table = _Table(read)
    for use in list(read.result.uses):
        if use.operation.parent is None:
            continue  # `d.get(k) == d.get(k)` is two uses of one op
        if not table.rewrite(use):
            remark(use.operation, "not matched", "a dict of a node is handed on")
    if not read.result.uses:
        erase(read)


class _Table:
    """A dict that a node holds."""

    def __init__(self, read: GetattrOp):
        self.node, self.name = read.operand, read.attribute.data
        datatype = datatype_around(read, read.operand.type)
        assert datatype is not None
        self.types = {
            part: datatype.fields[place].type
            for part in (KEYS, VALUES)
            if (place := datatype.place(self.name + part)) is not None
        }

    def part(self, at: Operation, part: str) -> SSAValue:
        """The keys or the values, in front of an op."""
        return insert_value(at, FieldOp(self.node, self.name + part, self.types[part]))

    def parts(self, at: Operation) -> tuple[SSAValue, SSAValue]:
        """The keys and the values."""
        return self.part(at, KEYS), self.part(at, VALUES)

    def has(self, at: Operation) -> SSAValue:
        """Whether there is a dict, and not None."""
        return insert_value(at, HasFieldOp(self.node, self.name + KEYS, BoolT))

    def rewrite(self, use: Use) -> bool:
        """Write a use anew; whether it is one that is known."""
        op, index = use.operation, use.index
        match op:
            case SubscriptOp() if index == 0 and not isinstance(
                op.index.owner, SliceOp
            ):
                replace(op, [ours(op, "item", *self.parts(op), op.index)])
            case InvokeOp() if index == 0 and not op.keyword_names:
                return self._method(op)
            case CompareOp() if index == 1 and op.kind_name in ("in", "not_in"):
                self._contains(op)
            case CompareOp() if constant_value(op.operands[1 - index]) is None:
                has, is_none = self.has(op), op.kind_name in ("is", "eq")
                replace(op, [_not(op, has) if is_none else has])
            case ToBoolOp():
                replace(op, [self._truth(op)])
            case UnaryOp() if op.kind_name == "not":
                replace(op, [_not(op, self._truth(op))])
            case ForOp() | UnpackOp() if index == 0:
                op.operands[0] = self.part(op, KEYS)
            case CallOp() if index > 0 and not op.takes_apart(index):
                return self._function(op, index)
            case _:
                return False
        return True

    def _contains(self, op: CompareOp) -> None:
        found = ours(op, "has", self.part(op, KEYS), op.lhs)
        replace(op, [found if op.kind_name == "in" else _not(op, found)])

    def _truth(self, op: Operation) -> SSAValue:
        """Whether there is a dict, and a key in it."""
        keys = FieldOp(self.node, self.name + KEYS, self.types[KEYS])
        truth, false = ToBoolOp(keys.result), ConstantOp(to_attr(False))
        some = yielding(op, [keys, truth], truth.results[0])
        none = yielding(op, [false], false.result)
        texts = {"test": to_attr(f"`{self.name}` is not None")}
        regions = Region(some), Region(none)
        return insert_value(op, IfOp(self.has(op), [BoolT], *regions, texts))

    def _method(self, op: InvokeOp) -> bool:
        method, given = op.method.data, list(op.arguments)
        if method == "get" and len(given) in (1, 2):
            replace(op, [ours(op, "item_or", *self.parts(op), *given)])
        elif method == "__getitem__" and len(given) == 1:
            replace(op, [ours(op, "item", *self.parts(op), *given)])
        elif method == "__contains__" and len(given) == 1:
            replace(op, [ours(op, "has", self.part(op, KEYS), *given)])
        elif method == "copy" and not given:
            replace(op, [self._copy(op)])
        elif method in _VIEWS and not given:
            return self._view(op)
        else:
            return False
        return True

    def _view(self, op: InvokeOp) -> bool:
        """`d.items()` and its like, where it is gone over."""
        uses = list(op.results[0].uses)
        if not all(map(_goes_over, uses)):
            return False
        method = op.method.data
        for use in uses:
            at = use.operation
            if method == "keys" and isinstance(at, CompareOp):
                self._contains(at)
                continue
            if method == "keys":
                listed = self.part(at, KEYS)
            elif method == "values":
                listed = self.part(at, VALUES)
            elif _is_plain_sort(at):
                given = at.operands[2:]  # `reverse`
                replace(at, [ours(at, "ordered_pairs", *self.parts(at), *given)])
                continue
            elif isinstance(at, ForOp):
                listed = called(at, "builtins.zip", *self.parts(at))
            else:
                listed = ours(at, "pairs", *self.parts(at))
            at.operands[use.index] = listed
        erase(op)
        return True

    def _function(self, op: CallOp, index: int) -> bool:
        name = constant_name(op.callee)
        if name in _READERS:
            op.operands[index] = self.part(op, KEYS)
        elif name == "builtins.bool":
            replace(op, [self._truth(op)])
        elif name == "builtins.dict" and len(op.operands) == 2:
            replace(op, [self._copy(op)])
        elif name == "builtins.isinstance" and index == 1:
            return self._is_instance(op)
        else:
            return False
        return True

    def _copy(self, op: Operation) -> SSAValue:
        """A dict of the network's own, with the same entries."""
        pairs = ours(op, "pairs", *self.parts(op))
        new = insert_value(op, DictOp([]))
        insert_before(op, InvokeOp(new, "update", [pairs]))
        return new

    def _is_instance(self, op: CallOp) -> bool:
        wanted = constant_value(op.operands[2])
        several = wanted if isinstance(wanted, tuple) else (wanted,)
        names = {class_name(one) for one in several}
        is_dict = not names.isdisjoint(BASES[DICT])
        if not is_dict and not names <= {*BASES}:
            return False  # of what else a dict is one, is not asked here
        false = ConstantOp(to_attr(False))
        replace(op, [self.has(op) if is_dict else insert_value(op, false)])
        return True


def _not(op: Operation, value: SSAValue) -> SSAValue:
    return insert_value(op, UnaryOp("not", value, BoolT))


def _is_plain_sort(op: Operation) -> bool:
    """Whether entries are put in the order of their keys."""
    if not isinstance(op, CallOp) or constant_name(op.callee) != "builtins.sorted":
        return False
    return set(op.keyword_names) <= {"reverse"}


def _goes_over(use: Use) -> bool:
    """Whether a view is gone over here, and asked nothing that a list is not."""
    op = use.operation
    match op:
        case ForOp():
            return use.index == 0
        case CompareOp():
            return use.index == 1 and op.kind_name in ("in", "not_in")
        case InvokeOp():
            return use.index > 0 and op.method.data in ("extend", "update")
        case CallOp():
            function = constant_value(op.callee)
            if isinstance(function, FunctionRef):
                return is_ours(function.symbol)
            name = constant_name(op.callee)
            return name in _READERS or name == "builtins.dict"
        case _:
            return False
