"""Records: dataclasses and named tuples that a network makes while it runs.

    #dycl.record_type<@"class models.Output", "dataclass", ["logits", "loss"]>
    #dycl.record<"models.Output", "dataclass", ["logits", "loss"], [value, value]>

The class is an object of the module as long as its methods may be asked for.
"""

import dataclasses
import importlib
from collections import OrderedDict, namedtuple
from collections.abc import Sequence
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any, cast

from xdsl.dialects.builtin import ArrayAttr, StringAttr, SymbolRefAttr
from xdsl.ir import Attribute, ParametrizedAttribute
from xdsl.irdl import irdl_attr_definition, param_def

from dycl.ir.classes import ByType
from dycl.prelude import ENTRIES

DATACLASS, NAMEDTUPLE, MAPPING = "dataclass", "namedtuple", "mapping"
"""A mapping is a dataclass, and a dict of those of its fields that are not None."""
OBJECT = "object"
"""Any other class: the fields are the attributes that an instance has."""
CALL = "call"
"""Any other class: the fields are what it is called with, by position."""
ROWS = "rows"
"""No class, but a list: the fields are lists, of what each of its items has there, or
what all of them have there, if that is no list."""


@irdl_attr_definition
class RecordTypeAttr(ParametrizedAttribute, metaclass=ByType):
    """The class of a record, an object of the module; what it is; its fields."""

    name = "dycl.record_type"
    class_object: SymbolRefAttr = param_def()
    kind: StringAttr = param_def()
    fields: ArrayAttr[StringAttr] = param_def()


@irdl_attr_definition
class RecordAttr(ParametrizedAttribute, metaclass=ByType):
    """A record of constants, or in a structure one with leaves."""

    name = "dycl.record"
    class_name: StringAttr = param_def()
    kind: StringAttr = param_def()
    fields: ArrayAttr[StringAttr] = param_def()
    items: ArrayAttr[Attribute] = param_def()


@dataclass(frozen=True)
class RecordType:
    """The class of a record."""

    name: str
    """Its full name."""
    kind: str
    """"dataclass", "namedtuple", "mapping", "object", "call" or "rows"."""
    fields: tuple[str, ...]

    @property
    def path(self) -> str:
        """The path of the class among the objects of the module."""
        return f"class {self.name}"

    @property
    def attr(self) -> RecordTypeAttr:
        """The attribute that stands for this."""
        return RecordTypeAttr(
            SymbolRefAttr(self.path), StringAttr(self.kind), _texts(self.fields)
        )

    @staticmethod
    def of(attr: RecordTypeAttr) -> "RecordType":
        """What an attribute stands for."""
        name = attr.class_object.root_reference.data.removeprefix("class ")
        return RecordType(name, attr.kind.data, tuple(f.data for f in attr.fields))


@dataclass(frozen=True)
class Record:
    """An instance: one value for each field, in order."""

    type: RecordType
    items: tuple[object, ...]

    def attr(self, items: Sequence[Attribute]) -> RecordAttr:
        """The attribute with these items."""
        kind = self.type
        return RecordAttr(
            StringAttr(kind.name),
            StringAttr(kind.kind),
            _texts(kind.fields),
            ArrayAttr(items),
        )

    @property
    def entries(self) -> dict[str, object]:
        """The fields that are not None, by name."""
        pairs = zip(self.type.fields, self.items, strict=True)
        return {name: item for name, item in pairs if item is not None}

    @staticmethod
    def of(attr: RecordAttr, items: Sequence[object]) -> "Record":
        """What an attribute stands for, with these items."""
        fields = tuple(f.data for f in attr.fields)
        kind = RecordType(attr.class_name.data, attr.kind.data, fields)
        return Record(kind, tuple(items))


def _texts(texts: Sequence[str]) -> ArrayAttr[StringAttr]:
    return ArrayAttr(StringAttr(t) for t in texts)


def instance(record: Record) -> object:
    """The Python object that a record stands for.

    Where its class cannot be imported, or has other fields, a named tuple of the same
    name and fields stands in for it, of a mapping a dict, of any other object a
    namespace, as in a compiled network.
    """
    if record.type.kind == OBJECT:
        return _object(_imported(record.type.name), record)
    if record.type.kind == ROWS:
        return _rows(record.type.name, record.items)
    if record.type.kind == CALL:
        return _imported(record.type.name)(*record.items)
    if record.type.kind == MAPPING and not isinstance(
        _imported(record.type.name), type
    ):
        return record.entries
    cls, kind = _class_of(record.type)
    if kind == NAMEDTUPLE:
        return cls._make(record.items)
    return cls(**dict(zip(record.type.fields, record.items, strict=True)))


def _rows(what: str, parts: Sequence[object]) -> list[object]:
    """The list of "tuples", "lists", "dicts" or "records" that `parts` are given for.

    The runtime makes it in the same way (`dycl.runtime.columns`).
    """
    given = {"dicts": 1, "records": 3}.get(what, 0)
    (*first, _), columns = (*parts[:given], None), parts[given:]
    count = next(len(cast("list[object]", c)) for c in columns if type(c) is list)
    same = [c if type(c) is list else [c] * count for c in columns]
    rows = zip(*cast("list[list[object]]", same), strict=True)
    match what:
        case "tuples":
            return list(rows)
        case "lists":
            return [list(row) for row in rows]
        case "dicts":
            (keys,) = cast("list[tuple[object, ...]]", first)
            return [dict(zip(keys, row, strict=True)) for row in rows]
        case _:
            kind = RecordType(*cast("tuple[str, str, tuple[str, ...]]", tuple(first)))
            return [instance(Record(kind, row)) for row in rows]


def _object(cls: Any, record: Record) -> object:
    """An instance whose `__init__` has not run; a namespace where there is no class,
    or the dict that it was."""
    attributes = dict(zip(record.type.fields, record.items, strict=True))
    if not isinstance(cls, type):
        return attributes.get(ENTRIES, SimpleNamespace(**attributes))
    new: Any = cls.__new__(cls) if issubclass(cls, dict) else object.__new__(cls)
    if isinstance(new, dict):
        own = cast("dict[object, object]", attributes.pop(ENTRIES, {}))
        base: Any = OrderedDict if isinstance(new, OrderedDict) else dict
        for key, value in own.items():
            base.__setitem__(new, key, value)
    for name, value in attributes.items():
        object.__setattr__(new, name, value)
    return new


def _class_of(wanted: RecordType) -> tuple[Any, str]:
    cls = _imported(wanted.name)
    if _fields(cls, wanted.kind) == wanted.fields:
        return cls, wanted.kind
    name = wanted.name.rpartition(".")[2]
    make = cast(Any, namedtuple)  # noqa: PYI024
    return make(name, wanted.fields, rename=True), NAMEDTUPLE


def _imported(name: str) -> Any:
    parts = name.split(".")
    for count in range(len(parts) - 1, 0, -1):
        try:
            result: Any = importlib.import_module(".".join(parts[:count]))
        except ImportError:
            continue
        for part in parts[count:]:
            result = getattr(result, part, None)
        return result
    return None


def _fields(cls: Any, kind: str) -> tuple[str, ...] | None:
    if not isinstance(cls, type):
        return None
    if kind == NAMEDTUPLE:
        return cast("tuple[str, ...] | None", getattr(cls, "_fields", None))
    if not dataclasses.is_dataclass(cls):
        return None
    return tuple(f.name for f in dataclasses.fields(cls))
