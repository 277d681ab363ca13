"""Inputs whose structure comes with the data: `dycl.Tree`, and what it says.

    net = dycl.compile(model, (dycl.Tree(root),))
    net(other_root)

The example says of which classes nodes are, and what each attribute holds: another
node, a list of such, a tensor of one shape and dtype, a number. What it holds in some
node may be None in another. An attribute that holds anything else is left to the user:
a network that reads it is refused.
"""

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.ir import Attribute

from dycl.ir.datatypes import MOST_FIELDS, Datatype, Field, NodeType
from dycl.ir.dialect import FieldOp, HasFieldOp, SequenceType
from dycl.ir.dtypes import dtype_name
from dycl.ir.torch import BoolT, FloatT, IntT, OptionalType, VTensorType
from dycl.ir.walking import walk
from dycl.runtime.signature import Signature
from dycl.runtime.trees import attributes_of, class_name_of, methods_of


@dataclass(frozen=True)
class Tree:
    """An example input whose structure each call decides: the root of a tree."""

    root: Any


class TreeError(TypeError):
    """An example tree is of no form that a network takes."""


def datatype_of(
    root: object, name: str, type_of: Any
) -> tuple[Datatype, dict[str, type]]:
    """The data type of the nodes that a root leads to, and their classes by name.

    `type_of` gives the type of a tensor or number, or None. TreeError: the example is
    no node, or one attribute holds different things in two nodes.
    """
    if _is_leaf(root, type_of) or (
        isinstance(root, _CONTAINERS) and not _is_record(root)
    ):
        raise TreeError(
            f"the input `{name}` is a {type(root).__name__}: the nodes of a tree are "
            "instances of classes of yours"
        )
    reader = _Reader(type_of, class_name_of(root))
    reader.read(root)
    return reader.datatype(), reader.classes


@dataclass
class _Kinds:
    """What one attribute was seen to hold."""

    types: dict[Attribute, None] = field(default_factory=dict[Attribute, None])
    has_none: bool = False
    has_other: bool = False
    owners: dict[int, None] = field(default_factory=dict[int, None])


_CONTAINERS = (tuple, list, dict, set, str, bytes)


def _is_record(value: object) -> bool:
    return isinstance(value, tuple) and hasattr(value, "_fields")


def _is_leaf(value: object, type_of: Any) -> bool:
    return value is None or isinstance(value, str) or type_of(value) is not None


class _Reader:
    def __init__(self, type_of: Any, name: str):
        self.type_of = type_of
        self.node = NodeType(StringAttr(name))
        self.name = name
        self.classes: dict[str, type] = {}
        self.fields: dict[str, _Kinds] = {}

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
        if self.classes.setdefault(name, cls) is not cls:
            raise TreeError(f"two classes of nodes have the name {name}")
        place = list(self.classes).index(name)
        _check_class(cls)
        children: list[object] = []
        hidden = methods_of(cls).intersection(getattr(node, "__dict__", ()))
        if hidden:
            raise TreeError(
                f"a node has a `{min(hidden)}` of its own, which is a method of the "
                f"class {cls.__name__}"
            )
        for attribute, value in attributes_of(node).items():
            kinds = self.fields.setdefault(attribute, _Kinds())
            kinds.owners[place] = None
            if value is None:
                kinds.has_none = True
                continue
            found = self.kind(value, children)
            if found is None:
                kinds.has_other = True
            elif found is not _EMPTY:
                kinds.types[cast(Attribute, found)] = None
            else:
                kinds.types.setdefault(_ANY_LIST)
        return children

    def kind(self, value: object, children: list[object]) -> object:
        """The type of what an attribute holds; None: it has none."""
        if (known := self.type_of(value)) is not None:
            return known
        if isinstance(value, (list, tuple)) and not _is_record(value):
            items = cast("list[object]", value)
            kinds = {self.kind(item, children) for item in items}
            if not kinds:
                return _EMPTY
            found = kinds.pop()
            if kinds or found is None or found is _EMPTY:
                return None
            return SequenceType(cast(Attribute, found))
        if isinstance(value, (str, bytes, dict, set, frozenset)) or callable(value):
            return None
        if not _has_attributes(value):
            return None
        children.append(value)
        return self.node

    def datatype(self) -> Datatype:
        """What all nodes agree on."""
        fields: list[Field] = []
        for name, kinds in self.fields.items():
            types = [one for one in kinds.types if one != _ANY_LIST]
            if _ANY_LIST in kinds.types and not types:
                types = [SequenceType(self.node)]
            if _ANY_LIST in kinds.types and not isinstance(types[0], SequenceType):
                continue
            if kinds.has_other or not types:
                continue
            if len(types) > 1:
                shown = " and ".join(map(str, types[:2]))
                raise TreeError(
                    f"the attribute `{name}` of the tree's nodes holds {shown}: it has "
                    "to be of one kind, shape and dtype in all of them"
                )
            kind = types[0]
            if kinds.has_none and not isinstance(kind, NodeType):
                kind = OptionalType(kind)
            fields.append(Field(name, kind, tuple(kinds.owners)))
        if len(fields) > MOST_FIELDS:
            raise TreeError(f"nodes with more than {MOST_FIELDS} attributes")
        return Datatype(self.name, tuple(self.classes), tuple(fields))


_EMPTY = object()
"""A list without items."""
_ANY_LIST = StringAttr("a list without items")


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
        raise TreeError(
            f"nodes of the class {cls.__name__} are not taken: it has a `{name}` of "
            "its own"
        )


def _is_generated(method: Any) -> bool:
    code = getattr(method, "__code__", None)
    return code is not None and code.co_filename == "<string>"


def signature_of(datatype: Datatype) -> dict[str, Any]:
    """A data type as `dycl.runtime.trees` has it; all fields are read."""
    return {
        "datatype": datatype.name,
        "constructors": list(datatype.constructors),
        "fields": [
            [f.name, _kind(f.type), list(f.constructors)] for f in datatype.fields
        ],
        "read": list(range(len(datatype.fields))),
    }


def _kind(found: Attribute) -> Any:
    if isinstance(found, OptionalType):
        return _kind(found.element)
    if isinstance(found, NodeType):
        return "node"
    if isinstance(found, SequenceType):
        return {"items": _kind(found.element)}
    if isinstance(found, VTensorType):
        element, sizes = found.element_type(), found.sizes()
        assert element is not None
        return [dtype_name(element), list(sizes or ())]
    numbers: dict[Attribute, str] = {IntT: "int", FloatT: "float", BoolT: "bool"}
    return numbers[found]


def read_only(signature: Signature | None, module: ModuleOp) -> Signature | None:
    """The signature of a network at the level `host`, with the fields that it reads."""
    read = {
        (op.node.type, op.field_name)
        for op in walk(module)
        if isinstance(op, (FieldOp, HasFieldOp))
    }
    if signature is None:
        return None
    names: dict[str, set[str]] = {}
    for kind, name in read:
        assert isinstance(kind, NodeType)
        names.setdefault(kind.datatype.data, set()).add(name)
    arguments = {n: _narrowed(one, names) for n, one in signature.arguments.items()}
    return Signature.of({**signature.data, "arguments": list(arguments.items())})


def _narrowed(structure: Mapping[str, Any], names: Mapping[str, set[str]]) -> Any:
    if "tree" in structure:
        read = names.get(structure["datatype"], set())
        fields = structure["fields"]
        places = [i for i, (name, _, _) in enumerate(fields) if name in read]
        return {**structure, "read": places}
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
