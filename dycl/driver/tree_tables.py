"""Dicts that attributes of nodes hold, in an example: tables, or nodes of their own.

    node.children = {"a": Node(...), "b": Node(...)}     a table: keys, and values
    node.parts = {"left": Node(...), "size": 3}          a node: a field for each key

A table has texts or ints as keys, and values of one kind, in all nodes of the example;
None may be among values that are nodes. It is two fields of the node that holds it
(`dycl.ir.builtin_nodes`), so which keys there are comes with the data.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Attribute

from dycl.ir.builtin_nodes import KEYS, VALUES, attribute_of
from dycl.ir.dialect import SequenceType
from dycl.ir.torch import IntT, StrT, VTensorType
from dycl.runtime.builtin_nodes import BUILTIN

ANY_LIST = StringAttr("a list without items")
_KEY_TYPES = (StrT, IntT)


@dataclass
class Kinds:
    """What one attribute was seen to hold."""

    types: dict[Attribute, None] = field(default_factory=dict[Attribute, None])
    has_none: bool = False
    has_other: bool = False
    is_mixed: bool = False
    is_key: bool = False
    """Of a dict, while others may lack it."""
    owners: dict[int, None] = field(default_factory=dict[int, None])


def is_table(constructor: str, attribute: str, records: Collection[str]) -> bool:
    """Whether a dict that a node of this class has under a name may be a table."""
    return constructor not in BUILTIN and attribute not in records


def parts_of(
    attribute: str, table: Mapping[object, object]
) -> Iterator[tuple[str, list[object]]]:
    """The fields of a table, each with what it lists."""
    yield attribute + KEYS, [*table]
    values = [*table.values()]
    is_known = any(value is not None for value in values)
    yield attribute + VALUES, values if is_known else []


def no_tables(fields: Mapping[str, Kinds]) -> set[str]:
    """Attributes that were read as tables, and hold something else in some node, keys
    that are neither texts nor ints, or values of several kinds."""
    found: set[str] = set()
    for name, kinds in fields.items():
        if (attribute := attribute_of(name)) == name:
            continue
        types = [one for one in kinds.types if one != ANY_LIST]
        is_whole = attribute not in fields or not _holds(fields[attribute])
        is_one = not (kinds.has_other or kinds.is_mixed) and len(types) < 2
        if name.endswith(KEYS) and types:
            known = [SequenceType(one) for one in _KEY_TYPES]
            is_one = is_one and types[0] in known
        if not is_whole or not is_one:
            found.add(attribute)
    return found


def _holds(kinds: Kinds) -> bool:
    """Whether something but None was seen."""
    return bool(kinds.types) or kinds.has_other or kinds.is_mixed


def merge_tables(fields: dict[str, Kinds]) -> None:
    """Nodes that hold None in the place of a table have no table."""
    for name in [name for name in fields if attribute_of(name) != name]:
        plain = fields.get(attribute_of(name))
        if plain is not None:
            fields[name].owners.update(plain.owners)
    for attribute in {attribute_of(n) for n in fields if attribute_of(n) != n}:
        fields.pop(attribute, None)


def are_mixed(types: Sequence[Attribute], has_none: bool) -> bool:
    """Whether values of these types are of several kinds, and no tensors alone."""
    if has_none and any(isinstance(one, SequenceType) for one in types):
        return True
    if ANY_LIST in types:
        others = [one for one in types if one != ANY_LIST]
        return has_none or any(not isinstance(one, SequenceType) for one in others)
    return len(types) > 1 and not all(isinstance(one, VTensorType) for one in types)
