"""Inputs whose structure comes with the data: `dycl.Tree`, and what it says.

    net = dycl.compile(model, (dycl.Tree(root),))
    net(other_root)

The example says of which classes nodes are, and what each attribute holds: another
node, a list of such, a tensor of one shape and dtype, a number, a text, a member of an
enum, which is a data type of its own. What it holds in some node may be None in
another. Tuples, lists and dicts are nodes, too, and so is what an attribute holds that
has several kinds (`dycl.ir.builtin_nodes`); a dict that attributes hold, with values of
one kind, is two lists (`dycl.driver.tree_tables`). An attribute that holds anything
else is left to the user: a network that reads it is refused.
"""

import dataclasses
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from types import FunctionType
from typing import Any, cast

from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.ir import Attribute

from dycl.driver.tree_enums import constructor_name, is_plain_enum
from dycl.driver.tree_tables import (
    ANY_LIST,
    Kinds,
    are_mixed,
    is_table,
    merge_tables,
    no_tables,
    parts_of,
)
from dycl.ir.builtin_nodes import DICT, ITEMS, KEYS, LEAVES, TENSOR
from dycl.ir.datatypes import MOST_FIELDS, Datatype, Field, NodeType
from dycl.ir.dialect import FieldOp, HasAttributeOp, HasFieldOp, SequenceType
from dycl.ir.dtypes import dtype_name
from dycl.ir.torch import BoolT, FloatT, IntT, OptionalType, StrT, VTensorType
from dycl.ir.walking import walk
from dycl.runtime.builtin_nodes import BUILTIN, class_name_of
from dycl.runtime.node_attributes import attributes_of, methods_of
from dycl.runtime.signature import Signature


@dataclass(frozen=True)
class Tree:
    """An example input whose structure each call decides: the root of a tree."""

    root: Any


class TreeError(TypeError):
    """An example tree is of no form that a network takes."""


def datatype_of(
    root: object, name: str, type_of: Any
) -> tuple[Datatype, dict[str, Datatype], dict[str, type]]:
    """The data type of the nodes that a root leads to, the enums whose members they
    hold, and all of their classes by name.

    `type_of` gives the type of a tensor or number, or None. TreeError: the example is
    no node, or one attribute holds different things in two nodes.
    """
    if class_name_of(root) in LEAVES or not _is_node(root):
        raise TreeError(
            f"the input `{name}` is a {type(root).__name__}: a tree is a tuple, a "
            "list, a dict, or an instance of a class of yours"
        )
    mixed: set[str] = set()
    records: set[str] = set()
    while True:
        reader = _Reader(type_of, class_name_of(root), mixed, records)
        reader.read(root)
        if found := no_tables(reader.fields):
            records |= found
        elif found := reader.mixed():
            mixed |= found
        else:
            merge_tables(reader.fields)
            return reader.datatype(), reader.enums, reader.classes


def _is_record(value: object) -> bool:
    return isinstance(value, tuple) and hasattr(value, "_fields")


def _is_node(value: object) -> bool:
    """Whether a value that is no leaf and no member of an enum may be a node."""
    if isinstance(value, dict):
        return type(value) is dict and _are_fields(cast("dict[object, Any]", value))
    if type(value) in (tuple, list):
        return True
    return not isinstance(value, (Enum, bytes, set, frozenset, list)) and (
        not callable(value) and _has_attributes(value)
    )


def _are_fields(table: dict[object, Any]) -> bool:
    """Whether a dict has few keys, all of them texts."""
    return len(table) <= _MOST_KEYS and all(isinstance(key, str) for key in table)


_MOST_KEYS = 16
"""A dict with more keys is a table, and no node."""


class _Reader:
    def __init__(
        self, type_of: Any, name: str, mixed: Collection[str], records: Collection[str]
    ):
        self.type_of = type_of
        self.node = NodeType(StringAttr(name))
        self.name = name
        self.mixed_fields = mixed
        """Fields that hold values of several kinds, which are nodes there."""
        self.records = records
        """Attributes that hold dicts which are nodes, and no tables."""
        self.constructors: dict[str, None] = {}
        self.classes: dict[str, type] = {}
        """Those of the constructors that are the user's, and of enums."""
        self.enums: dict[str, Datatype] = {}
        self.fields: dict[str, Kinds] = {}

    def read(self, root: object) -> None:
        """Look at all nodes that a root leads to."""
        seen = {id(root)}
        waiting = [root]
        while waiting:
            node = waiting.pop()
            for child in self.node_of(node):
                if id(child) not in seen:
                    seen.add(id(child))
                    waiting.append(child)

    def node_of(self, node: object) -> list[object]:
        """Note the attributes of a node; those that are nodes."""
        cls = type(node)
        name = class_name_of(node)
        self.constructors.setdefault(name)
        place = list(self.constructors).index(name)
        children: list[object] = []
        if name not in BUILTIN:
            if self.classes.setdefault(name, cls) is not cls:
                raise TreeError(f"two classes of nodes have the name {name}")
            _check_class(cls)
        hidden = methods_of(cls).intersection(getattr(node, "__dict__", ()))
        if hidden:
            raise TreeError(
                f"a node has a `{min(hidden)}` of its own, which is a method of the "
                f"class {cls.__name__}"
            )
        for attribute, value in attributes_of(node).items():
            if type(value) is dict and is_table(name, attribute, self.records):
                for part, listed in parts_of(attribute, value):
                    kinds = self.fields.setdefault(part, Kinds())
                    kinds.owners[place] = None
                    self.note(kinds, self.list_kind(listed, children))
                continue
            kinds = self.fields.setdefault(attribute, Kinds())
            kinds.owners[place] = None
            kinds.is_key |= name == DICT
            if value is None and name == DICT:
                raise TreeError(
                    f"a dict of the tree has None for {attribute[1:-1]}: leave the key "
                    "out"
                )
            if value is None:
                kinds.has_none = True
                continue
            if attribute == ITEMS:
                found = self.items(cast("Sequence[object]", value), children)
            else:
                is_mixed = attribute in self.mixed_fields
                found = (self.value if is_mixed else self.kind)(value, children)
            self.note(kinds, found)
        return children

    def note(self, kinds: Kinds, found: object) -> None:
        """Note the type of what an attribute holds; None: it has none."""
        if found is None:
            kinds.has_other = True
        elif found is _MIXED:
            kinds.is_mixed = True
        elif found is not _EMPTY:
            kinds.types[cast(Attribute, found)] = None
        else:
            kinds.types.setdefault(ANY_LIST)

    def value(self, value: object, children: list[object]) -> Attribute | None:
        """The type of a node, which any value is here that a node may be."""
        if isinstance(value, Enum):
            if self.enum(type(value)) is None:
                return None
            self.constructors.update(dict.fromkeys(map(constructor_name, type(value))))
        elif value is not None:
            is_leaf = self.type_of(value) is not None or isinstance(value, str)
            if not is_leaf and not _is_node(value):
                return None
            children.append(value)
        return self.node

    def items(
        self, values: Sequence[object], children: list[object]
    ) -> Attribute | None:
        """The type of a tuple's items, each of which is a node."""
        kinds = [self.value(item, children) for item in values]
        return None if None in kinds else SequenceType(self.node)

    def kind(self, value: object, children: list[object]) -> object:
        """The type of what an attribute holds; None: it has none."""
        if isinstance(value, Enum):
            return self.enum(type(value))
        if (known := self.type_of(value)) is not None:
            return known
        if isinstance(value, str):
            return StrT
        if isinstance(value, (list, tuple)) and not _is_record(value):
            return self.list_kind(cast("Sequence[object]", value), children)
        if not _is_node(value):
            return None
        children.append(value)
        return self.node

    def enum(self, cls: type[Enum]) -> Attribute | None:
        """The type of an enum's members; None: they are more than that."""
        name = f"{cls.__module__}.{cls.__qualname__}"
        if not is_plain_enum(cls) or self.classes.setdefault(name, cls) is not cls:
            return None
        if name not in self.enums:
            self.enums[name] = Datatype(name, tuple(map(constructor_name, cls)), ())
        return NodeType(StringAttr(name))

    def list_kind(self, items: Sequence[object], children: list[object]) -> object:
        """The type of a list whose items are alike."""
        kinds = dict.fromkeys(
            self.kind(item, children) for item in items if item is not None
        )
        if not kinds and not items:
            return _EMPTY
        if None in kinds or list(kinds) == [_EMPTY]:
            return None
        kinds.pop(_EMPTY, None)
        if len(kinds) != 1 or _MIXED in kinds:
            return _MIXED
        found = cast(Attribute, next(iter(kinds)))
        is_node = isinstance(found, NodeType)
        return SequenceType(found) if is_node or None not in items else _MIXED

    def mixed(self) -> set[str]:
        """Fields that are found to hold values of several kinds."""
        return {
            name
            for name, kinds in self.fields.items()
            if name not in self.mixed_fields
            and name != LEAVES[TENSOR]
            and not kinds.has_other
            and (kinds.is_mixed or are_mixed(list(kinds.types), kinds.has_none))
        }

    def datatype(self) -> Datatype:
        """What all nodes agree on."""
        fields: list[Field] = []
        for name, kinds in self.fields.items():
            types = [one for one in kinds.types if one != ANY_LIST]
            if ANY_LIST in kinds.types and not types:
                types = [SequenceType(StrT if name.endswith(KEYS) else self.node)]
            if kinds.has_none and not types:
                types = [self.node]  # of which the example has none
            if kinds.has_other or not types:
                continue
            if len(types) > 1 and name == LEAVES[TENSOR] and self.classes:
                continue  # a class may hold more than the network looks at
            if len(types) > 1:
                shown = " and ".join(map(str, types[:2]))
                what = f"the attribute `{name}` of the tree's nodes holds"
                if name == LEAVES[TENSOR]:
                    what = "the tensors of the tree are"
                raise TreeError(
                    f"{what} {shown}: it has to be of one shape and dtype in all of "
                    "them"
                )
            kind = types[0]
            may_lack = kinds.has_none or kinds.is_key
            if may_lack and not isinstance(kind, (NodeType, SequenceType)):
                kind = OptionalType(kind)
            fields.append(Field(name, kind, tuple(kinds.owners)))
        if len(fields) > MOST_FIELDS:
            raise TreeError(f"nodes with more than {MOST_FIELDS} attributes")
        return Datatype(self.name, tuple(self.constructors), tuple(fields))


_EMPTY = object()
"""A list without items."""
_MIXED = object()
"""A list whose items are of several kinds."""


def _has_attributes(value: object) -> bool:
    cls = type(value)
    return (
        hasattr(value, "__dict__")
        or dataclasses.is_dataclass(cls)
        or bool(getattr(cls, "__slots__", ()) or getattr(cls, "_fields", ()))
    )


def _check_class(cls: type) -> None:
    """TreeError: a node of this class is more than its attributes."""
    for name in ("__bool__", "__len__", "__getattr__", "__getattribute__", "__eq__"):
        owner = next((c for c in cls.__mro__ if name in vars(c)), object)
        if owner in (object, tuple) or _is_generated(vars(owner)[name]):
            continue
        if name == "__len__" and isinstance(vars(owner)[name], FunctionType):
            continue
        raise TreeError(
            f"nodes of the class {cls.__name__} are not taken: it has a `{name}` of "
            "its own"
        )


def _is_generated(method: Any) -> bool:
    code = getattr(method, "__code__", None)
    return code is not None and code.co_filename == "<string>"


def signature_of(datatype: Datatype, enums: Mapping[str, Datatype]) -> dict[str, Any]:
    """A data type as `dycl.runtime.trees` has it; all fields are read."""
    return {
        "datatype": datatype.name,
        "constructors": list(datatype.constructors),
        "fields": [
            [f.name, _kind(f.type, enums), list(f.constructors)]
            for f in datatype.fields
        ],
        "read": list(range(len(datatype.fields))),
    }


def _kind(found: Attribute, enums: Mapping[str, Datatype]) -> Any:
    if isinstance(found, OptionalType):
        return _kind(found.element, enums)
    if isinstance(found, NodeType):
        enum = enums.get(found.datatype.data)
        return "node" if enum is None else {"members": list(enum.constructors)}
    if isinstance(found, SequenceType):
        return {"items": _kind(found.element, enums)}
    if isinstance(found, VTensorType):
        element, sizes = found.element_type(), found.sizes()
        assert element is not None
        return [dtype_name(element), list(sizes or ())]
    scalars: dict[Attribute, str] = {
        IntT: "int",
        FloatT: "float",
        BoolT: "bool",
        StrT: "str",
    }
    return scalars[found]


def read_only(signature: Signature | None, module: ModuleOp) -> Signature | None:
    """The signature of a network at the level `host`, with the fields that it reads,
    and those of which it asks whether a node has them."""
    if signature is None:
        return None
    names: dict[str, dict[str, bool]] = {}
    for op in walk(module):
        if isinstance(op, (FieldOp, HasFieldOp, HasAttributeOp)):
            assert isinstance(op.node.type, NodeType)
            read = names.setdefault(op.node.type.datatype.data, {})
            is_asked = isinstance(op, HasAttributeOp)
            read[op.field_name] = is_asked or read.get(op.field_name, False)
    arguments = {n: _narrowed(one, names) for n, one in signature.arguments.items()}
    return Signature.of({**signature.data, "arguments": list(arguments.items())})


def _narrowed(
    structure: Mapping[str, Any], names: Mapping[str, Mapping[str, bool]]
) -> Any:
    if "tree" in structure:
        read = names.get(structure["datatype"], {})
        fields = structure["fields"]
        places = [i for i, (name, _, _) in enumerate(fields) if name in read]
        asked = [i for i in places if read[fields[i][0]]]
        return {**structure, "read": places, **({"asked": asked} if asked else {})}
    changed = dict(structure)
    for key in ("tuple", "list"):
        if key in structure:
            changed[key] = [_narrowed(one, names) for one in structure[key]]
    if "dict" in structure:
        changed["dict"] = [[k, _narrowed(v, names)] for k, v in structure["dict"]]
    if "fields" in structure:
        inner = structure["fields"].items()
        changed["fields"] = {k: _narrowed(v, names) for k, v in inner}
    return changed
