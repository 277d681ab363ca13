"""What the items of a list of a run are made of, where all are made alike.

Tuples of one length, lists of one length that nobody changes, dicts with the same keys,
named tuples and dataclasses of one class.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import cast

from xdsl.ir import Attribute, Operation, SSAValue, Use

from dycl.ir import (
    CallOp,
    ConstantOp,
    DictOp,
    GetattrOp,
    ListOp,
    RecordOp,
    ReturnOp,
    SubscriptOp,
    TupleOp,
    UnpackOp,
)
from dycl.ir.constant_values import MISSING, constant_name, constant_value
from dycl.ir.records import RecordType
from dycl.ir.values import to_attr

Put = Callable[[Operation], SSAValue]
"""Puts an op where code is made; gives its result."""


@dataclass(frozen=True)
class Structure:
    """What an item is: its class, and the keys of its parts."""

    kind: str
    """"tuple", "list", "dict" or "record"."""
    keys: tuple[object, ...]
    """The number of each part, the key of a dict, the name of a field."""
    record: RecordType | None = None
    fixed: tuple[Attribute | None, ...] = ()
    """Of each part the constant that all items have there, if they do."""

    def with_fixed(self, items: Sequence[Sequence[SSAValue]]) -> "Structure":
        """The structure with what all items have in common; one part is left to vary.

        `items` are the parts of each item.
        """
        columns = list(zip(*items, strict=True))
        fixed = [_in_common(column) for column in columns]
        if None not in fixed:
            fixed[-1:] = [None]
        return replace(self, fixed=tuple(fixed))

    @property
    def varying(self) -> list[int]:
        """The numbers of the parts that items have of their own."""
        numbers = range(len(self.keys))
        return [i for i in numbers if not self.fixed or self.fixed[i] is None]

    def all_parts(self, varying: Iterable[SSAValue], put: Put) -> list[SSAValue]:
        """The parts of an item, of those that vary."""
        own, fixed = iter(varying), self.fixed or (None,) * len(self.keys)
        return [next(own) if a is None else put(ConstantOp(a)) for a in fixed]

    def make(self, varying: Iterable[SSAValue], put: Put) -> SSAValue:
        """An item of these parts."""
        parts = self.all_parts(varying, put)
        match self.kind:
            case "tuple":
                return put(TupleOp(parts))
            case "list":
                return put(ListOp(parts))
            case "dict":
                keys = [put(ConstantOp(to_attr(key))) for key in self.keys]
                pairs = zip(keys, parts, strict=True)
                return put(DictOp([value for pair in pairs for value in pair]))
            case _:
                return put(RecordOp(put(TupleOp(parts)), cast(RecordType, self.record)))

    def parts(self, item: SSAValue, put: Put) -> list[SSAValue]:
        """The parts of an item of this structure, those that vary."""
        parts = self._parts(item, put)
        return [parts[i] for i in self.varying]

    def _parts(self, item: SSAValue, put: Put) -> list[SSAValue]:
        if (found := parts_of(item)) is not None:
            return found
        if self.kind == "record":
            return [put(GetattrOp(item, str(name))) for name in self.keys]
        keys = [put(ConstantOp(to_attr(key))) for key in self.keys]
        return [put(SubscriptOp(item, key)) for key in keys]


NOTHING = Structure("tuple", ())
"""The structure of an empty tuple."""


def structure_of(item: SSAValue) -> Structure | None:
    """What an item is, if it shows here; None: that is not known."""
    owner, constant = item.owner, constant_value(item)
    if isinstance(owner, TupleOp):
        return Structure("tuple", tuple(range(len(owner.items))))
    if type(constant) is tuple:
        return Structure("tuple", tuple(range(len(cast("tuple[object]", constant)))))
    if isinstance(owner, ListOp) and item.has_one_use():
        return Structure("list", tuple(range(len(owner.items))))
    if isinstance(owner, DictOp) and item.has_one_use():
        keys = [constant_value(key) for key in owner.items[::2]]
        if MISSING in keys or len(set(map(repr, keys))) < len(keys):
            return None
        return Structure("dict", tuple(keys))
    if isinstance(owner, RecordOp) and isinstance(owner.fields.owner, TupleOp):
        return Structure("record", owner.record_type.fields, owner.record_type)
    return None


def parts_of(item: SSAValue) -> list[SSAValue] | None:
    """The parts of an item that is made here; None: it is a constant, or read."""
    owner = item.owner
    match owner:
        case TupleOp() | ListOp():
            return list(owner.items)
        case DictOp():
            return list(owner.items[1::2])
        case RecordOp() if isinstance(owner.fields.owner, TupleOp):
            return list(owner.fields.owner.items)
        case _:
            return None


def _in_common(column: Sequence[SSAValue]) -> Attribute | None:
    owners = [value.owner for value in column]
    constants = [o.value for o in owners if isinstance(o, ConstantOp)]
    is_same = len(constants) == len(column) and len(dict.fromkeys(constants)) == 1
    return constants[0] if is_same else None


def only_reads(use: Use, structure: Structure) -> bool:
    """Whether nobody can tell what reads an item from what the list holds.

    A tuple cannot be changed: what is read may go anywhere.
    """
    op, index = use.operation, use.index
    match op:
        case _ if structure.kind == "tuple":
            return True
        case SubscriptOp() | UnpackOp() | GetattrOp() | ReturnOp():
            return index == 0 or isinstance(op, ReturnOp)
        case CallOp():
            return index > 0 and constant_name(op.callee) in _READERS
        case _:
            return False


_READERS = {
    *("builtins.len", "builtins.list", "builtins.sum", "builtins.tuple", "torch.cat"),
    "torch.stack",
}
