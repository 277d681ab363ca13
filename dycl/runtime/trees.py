"""Trees that a network is called with: their nodes as the host reads them.

What a node may be is data, part of a network's signature:

    {"tree": "root", "constructors": ["net.Leaf", "net.Fork"], "read": [0, 2],
     "fields": [["word", "int", [0]], ["left", "node", [1]], ["value", KIND, [0, 1]]]}

A kind is "node", "int", "float", "bool", ["float32", [300]], {"items": kind} of a list,
or {"members": ["net.Op.ADD", ...]} of an enum, each a node without fields; `read` are
the places of the fields that the network reads, and no other is looked at; `asked`, if
there are any, of those of which it asks whether a node has them. A node that several
others lead to is one node. Of a dict that an attribute holds there are two fields, both
lists: "children.keys()" and "children.values()".
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from enum import Enum
from typing import Any, cast

from dycl.runtime.builtin_nodes import (
    BUILTIN,
    DICT,
    KEYS,
    attribute_of,
    class_name_of,
    fields_of,
    member_name,
    missing,
)
from dycl.runtime.inputs import InputError, InputSpec, accept_one, is_torch_tensor
from dycl.runtime.items import Items
from dycl.runtime.node_attributes import MISSING, methods_of

NODE = "node"
"""The kind of a field that holds a node, and of an input that is one."""


class EnumKind:
    """An enum, as the nodes that are its members have it."""

    def __init__(self, constructors: Sequence[str]):
        """`constructors` are its members: the name of the class, and theirs."""
        self.constructors = constructors


class Node:
    """A node, as a host in Python reads it.

    A field is None, or `MISSING`: the object has no such attribute.
    """

    __slots__ = ("constructor", "fields", "kind")

    def __init__(self, kind: TreeKind | EnumKind, constructor: int, fields: list[Any]):
        self.kind = kind
        self.constructor = constructor
        self.fields = fields

    def __repr__(self) -> str:
        """The class, for debuggers."""
        return f"Node({self.kind.constructors[self.constructor]})"


class TreeKind:
    """What the nodes of one input may be."""

    def __init__(self, name: str, data: Mapping[str, Any]):
        """`name` is how the user reaches the root; `data` as above."""
        self.name = name
        self.constructors: tuple[str, ...] = tuple(data["constructors"])
        self.fields = tuple((n, k, tuple(of)) for n, k, of in data["fields"])
        self.read: tuple[int, ...] = tuple(data["read"])
        self.asked: tuple[int, ...] = tuple(data.get("asked", ()))
        self.builtin = {
            place: name
            for place, name in enumerate(self.constructors)
            if name in BUILTIN
        }
        """The constructors that are Python's own, by place."""
        self.read_of = tuple(
            tuple(at for at in self.read if place in self.fields[at][2])
            for place in range(len(self.constructors))
        )
        """Of each constructor, the places of the fields that are read. Of another's
        there may be something that is none: a named tuple has a method `count`."""
        self.has_tensors = any(_has_tensor(kind) for _, kind, _ in self.fields)
        self._places = {name: place for place, name in enumerate(self.constructors)}
        self.classes: dict[type, int] = {}
        """The places of those that nodes were of so far."""
        self.enums: dict[type, None] = {}
        """The enums that members were of so far."""
        self.methods: dict[type, frozenset[str]] = {}
        """Of each of these, what no node may have of its own."""
        self._specs = {
            place: InputSpec(f"{name} ... .{n}", *_spec(kind))
            for place, (n, kind, _) in enumerate(self.fields)
            if _is_leaf(kind)
        }
        self._enums: dict[int, EnumKind] = {}
        """By the places of fields."""

    def constructor_of(self, node: object) -> int:
        """The place of a node's class. InputError: it is none of those compiled for,
        or the node has something of its own in the place of a method."""
        cls = type(node)
        place = self.classes.get(cls)
        if place is None:
            place = self._places.get(class_name_of(node))
            if place is None:
                known = ", ".join(name.rpartition(".")[2] for name in self.constructors)
                raise InputError(
                    f"the tree `{self.name}` has a node of the class "
                    f"{cls.__qualname__}; the network was compiled for nodes of the "
                    f"classes {known}"
                )
            if isinstance(node, Enum):
                return place  # its class has other members
            unseen = self._unseen(place)
            self._check_unseen(unseen.intersection(dir(cls)), cls)
            own = unseen if cls.__dictoffset__ else frozenset[str]()
            self.methods[cls] = methods_of(cls) | own
            self.classes[cls] = place
        methods = self.methods[cls]
        if methods and not methods.isdisjoint(node.__dict__):
            names = methods.intersection(node.__dict__)
            self._check_unseen(names & self._unseen(place), cls)
            name = min(names)
            raise InputError(
                f"the tree `{self.name}` has a node with a `{name}` of its own, which "
                f"is a method of the class {cls.__qualname__}"
            )
        return place

    def _unseen(self, constructor: int) -> frozenset[str]:
        """What the network asks for by `hasattr`, and no node of a class had in the
        example: there is no field for it."""
        fields = [self.fields[place] for place in self.asked]
        lacking = (name for name, _, of in fields if constructor not in of)
        return frozenset(map(attribute_of, lacking))

    def _check_unseen(self, names: frozenset[str], cls: type) -> None:
        """InputError: there are such."""
        if names:
            raise InputError(
                f"the tree `{self.name}` has a node of the class {cls.__qualname__} "
                f"with a `{min(names)}`, which none had in the example: compile with "
                "an example in which one has"
            )

    def held(self, constructor: int, node: object) -> Iterator[tuple[int, object]]:
        """What a node holds that the network reads, with the places of the fields:
        nothing for None, and `MISSING` where it has no such attribute."""
        name = self.builtin.get(constructor)
        found = None if name is None else fields_of(node, name)
        if name == DICT and (key := _key_of_none(found or {})) is not None:
            raise InputError(
                f"the tree `{self.name}` has a dict with None for {key}: leave the key "
                "out"
            )
        for place in self.read_of[constructor]:
            field = self.fields[place][0]
            is_builtin = found is not None
            value = found.get(field) if is_builtin else self.read_from(node, place)
            if value is not None:
                yield place, value

    def read_from(self, node: object, place: int) -> object:
        """What a node of a class has for a field; None, or `MISSING`.

        InputError: the keys or values of a dict, which it is not, or of others.
        """
        name, kind, _ = self.fields[place]
        attribute = attribute_of(name)
        value: Any = getattr(node, attribute, MISSING)
        if attribute == name or value is None or value is MISSING:
            return value
        what = f"the input `{self.name} ... .{attribute}`"
        if type(value) is not dict:
            raise InputError(
                f"{what} is a {type(value).__name__}; the network was compiled for a "
                "dict"
            )
        if not name.endswith(KEYS):
            return list(cast("dict[object, object]", value).values())
        wanted = {"str": str, "int": int}[kind["items"]]
        for key in cast("dict[object, object]", value):
            if type(key) is not wanted:
                raise InputError(
                    f"{what} has the key {key!r}; the network was compiled for keys "
                    f"that are {'texts' if wanted is str else 'ints'}"
                )
        return list(cast("dict[object, object]", value))

    def leaf(self, place: int, value: object) -> Any:
        """A number, or the buffer of a tensor. InputError: it is of another kind."""
        name, kind, _ = self.fields[place]
        if isinstance(kind, dict):
            kind = innermost(kind)
        spec = self._specs.get(place)
        if spec is None:
            spec = InputSpec(f"{self.name} ... .{name}", *_spec(kind))
            self._specs[place] = spec
        return accept_one(spec, value)

    def member(self, place: int, value: object) -> int:
        """The place of an enum's member in it. InputError: it is no member of that."""
        name, kind, _ = self.fields[place]
        known: list[str] = innermost(kind)["members"]
        found = member_name(value)
        if found is None or found not in known:
            raise InputError(
                f"the input `{self.name} ... .{name}` is {value!r}; the network was "
                f"compiled for a member of {known[0].rpartition('.')[0]}"
            )
        self.enums[type(value)] = None
        return known.index(found)

    def member_node(self, place: int, value: object) -> Node:
        """An enum's member, for a host in Python. InputError: it is no member of it."""
        if (kind := self._enums.get(place)) is None:
            members: list[str] = innermost(self.fields[place][1])["members"]
            kind = self._enums[place] = EnumKind(members)
        return Node(kind, self.member(place, value), [])

    def items(self, place: int, value: object) -> Sequence[object]:
        """The items of a list. InputError: it is none."""
        if not isinstance(value, (list, tuple)):
            name, _, _ = self.fields[place]
            raise InputError(
                f"the input `{self.name} ... .{name}` is a {type(value).__name__}; the "
                "network was compiled for a list"
            )
        return cast("Sequence[object]", value)


def _key_of_none(fields: Mapping[str, object]) -> str | None:
    """The first key that holds None; None: there is none."""
    return next((name[1:-1] for name, v in fields.items() if v is None), None)


def _has_tensor(kind: Any) -> bool:
    return isinstance(innermost(kind), (list, tuple))


def innermost(kind: Any) -> Any:
    """What the items of lists of lists are; of anything else, the kind itself."""
    while isinstance(kind, dict) and "members" not in kind:
        kind = cast("dict[str, Any]", kind)["items"]
    return kind


def _is_leaf(kind: Any) -> bool:
    return kind != NODE and not isinstance(kind, dict)


def _spec(kind: Any) -> tuple[str, tuple[int, ...] | None]:
    return (kind, None) if isinstance(kind, str) else (kind[0], tuple(kind[1]))


# ---- for a host in Python


def plain_nodes(kind: TreeKind, root: object) -> tuple[Node | None, set[bool]]:
    """The nodes that a root leads to, and of its tensors whether they are torch's.

    InputError: one is of another class, or holds something of another kind.
    """
    made: dict[int, Node] = {}
    waiting: list[tuple[object, Node]] = []
    saw: set[bool] = set()

    def node_of(value: object) -> Node | None:
        if value is None:
            return None
        node = made.get(id(value))
        if node is None:
            node = Node(kind, kind.constructor_of(value), [None] * len(kind.fields))
            made[id(value)] = node
            waiting.append((value, node))
        return node

    def made_of(place: int, wanted: Any, value: object) -> Any:
        if wanted == NODE:
            return node_of(value)
        if isinstance(wanted, dict) and "members" in wanted:
            return None if value is None else kind.member_node(place, value)
        if isinstance(wanted, dict):
            inner = cast("dict[str, Any]", wanted)["items"]
            items = kind.items(place, value)
            return Items(made_of(place, inner, item) for item in items)
        if not isinstance(wanted, str):
            saw.add(is_torch_tensor(value))
        return kind.leaf(place, value)

    first = node_of(root)
    while waiting:
        value, node = waiting.pop()
        for place, held in kind.held(node.constructor, value):
            is_there = held is not MISSING
            wanted = kind.fields[place][1]
            node.fields[place] = made_of(place, wanted, held) if is_there else held
    return first, saw


def child(
    node: Node | None, place: int, name: str, of: Sequence[int] | None = None
) -> Any:
    """An attribute that may be None. Raises as `missing` says."""
    what = attribute_of(name)
    if node is None:
        raise missing(name, f"'NoneType' object has no attribute '{what}'")
    if of is not None and node.constructor not in of:
        raise missing(name, f"a node of this class has no attribute '{what}'")
    value = node.fields[place]
    if value is MISSING:
        raise missing(name, f"this node has no attribute '{what}'")
    return value


def field(
    node: Node | None, place: int, name: str, of: Sequence[int] | None = None
) -> Any:
    """An attribute that is no node. AttributeError: the node has none, or None."""
    value = child(node, place, name, of)
    if value is None:
        what = attribute_of(name)
        raise missing(name, f"the attribute '{what}' of a node is None, or not there")
    return value


def has_field(
    node: Node | None, place: int, name: str, of: Sequence[int] | None = None
) -> bool:
    """Whether an attribute is not None. AttributeError: the node has none."""
    return child(node, place, name, of) is not None


def has_attribute(
    node: Node | None, place: int, name: str, of: Sequence[int] | None = None
) -> bool:
    """Whether a node has an attribute, be it None."""
    is_of = node is not None and (of is None or node.constructor in of)
    return node is not None and is_of and node.fields[place] is not MISSING


def is_node(node: Node | None, names: Sequence[str]) -> bool:
    """Whether a node is of one of these classes; "None": whether it is not there."""
    if node is None:
        return "None" in names
    return node.kind.constructors[node.constructor] in names
