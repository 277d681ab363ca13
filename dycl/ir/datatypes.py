"""Data types of trees: inputs whose structure comes with the data.

    !dycl.node<"net.Node">                       a node, or None
    dycl.datatypes = [#dycl.datatype<"net.Node", ["net.Leaf", "net.Fork"],
        ["word" !torch.int of 0, "left" !dycl.node<"net.Node"> of 1]>]

A data type is a sum of constructors, which are the user's classes, and has one field
for each name; `of` says which constructors have it, counted from 0. A field that may be
None in some node is read by `dycl.field` where `dycl.has_field` says that it is not.
The attribute is that of the entry function and, after `dycl-lower-host`, of the host
function.

The members of an enum are the constructors of a data type without fields:

    #dycl.datatype<"net.Op", ["net.Op.ADD", "net.Op.MUL"], []>

What `id(node)` gives is of a type of its own, `!dycl.node<"id of net.Node">`, which has
no data type: nothing is asked of it but whether another one is the same.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import ArrayAttr, IntAttr, StringAttr
from xdsl.ir import Attribute, Operation, ParametrizedAttribute, TypeAttribute
from xdsl.irdl import irdl_attr_definition, param_def
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from dycl.ir.builtin_nodes import KEYS
from dycl.ir.classes import ByType

DATATYPES = "dycl.datatypes"
"""The attribute of the entry function, or of the host function."""
MOST_FIELDS = 63
"""A node says in one word which of its fields are there."""


@irdl_attr_definition
class NodeType(ParametrizedAttribute, TypeAttribute, metaclass=ByType):
    """A node of a data type, or None."""

    name = "dycl.node"
    datatype: StringAttr = param_def()

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        """Parse `<"name">`."""
        with parser.in_angle_brackets():
            return [StringAttr(parser.parse_str_literal())]

    def print_parameters(self, printer: Printer) -> None:
        """Print `<"name">`."""
        with printer.in_angle_brackets():
            printer.print_string_literal(self.datatype.data)


@dataclass(frozen=True)
class Field:
    """An attribute of nodes."""

    name: str
    type: Attribute
    """What it holds where it is not None."""
    constructors: tuple[int, ...]
    """The places of the classes that have it."""


@dataclass(frozen=True)
class Datatype:
    """The classes of a tree's nodes, and their fields."""

    name: str
    constructors: tuple[str, ...]
    """The full names of the classes."""
    fields: tuple[Field, ...]

    @property
    def is_enum(self) -> bool:
        """Whether the constructors are the members of an enum."""
        return all(one.startswith(f"{self.name}.") for one in self.constructors)

    def place(self, name: str) -> int | None:
        """Which field has a name; None: there is none."""
        names = [field.name for field in self.fields]
        return names.index(name) if name in names else None

    def has_table(self, attribute: str) -> bool:
        """Whether an attribute holds dicts, of which nodes have keys and values."""
        return self.place(attribute + KEYS) is not None

    def has_all(self, field: Field) -> bool:
        """Whether every class has a field."""
        return len(field.constructors) == len(self.constructors)

    def to_attr(self) -> "DatatypeAttr":
        """`#dycl.datatype<...>`."""
        return DatatypeAttr(
            StringAttr(self.name),
            ArrayAttr(map(StringAttr, self.constructors)),
            ArrayAttr(StringAttr(field.name) for field in self.fields),
            ArrayAttr(field.type for field in self.fields),
            ArrayAttr(
                ArrayAttr(map(IntAttr, field.constructors)) for field in self.fields
            ),
        )


@irdl_attr_definition
class DatatypeAttr(ParametrizedAttribute, metaclass=ByType):
    """A data type: its name, its constructors, and their fields."""

    name = "dycl.datatype"
    symbol: StringAttr = param_def()
    constructors: ArrayAttr[StringAttr] = param_def()
    fields: ArrayAttr[StringAttr] = param_def()
    types: ArrayAttr[Attribute] = param_def()
    owners: ArrayAttr[ArrayAttr[IntAttr]] = param_def()

    def datatype(self) -> Datatype:
        """What it says."""
        parts = zip(self.fields, self.types, self.owners, strict=True)
        fields = [Field(n.data, t, tuple(o.data for o in of)) for n, t, of in parts]
        names = tuple(one.data for one in self.constructors)
        return Datatype(self.symbol.data, names, tuple(fields))

    def verify(self) -> None:
        """Raise VerifyException for fields of no constructor, of one name, too many."""
        names = [field.data for field in self.fields]
        count = len(self.constructors)
        what = f"the data type `{self.symbol.data}` has"
        if count == 0 or len(set(self.constructors.data)) < count:
            raise VerifyException(f"{what} no constructors, or two of one name")
        if len(set(names)) < len(names) or len(names) > MOST_FIELDS:
            raise VerifyException(
                f"{what} two fields of one name, or more than {MOST_FIELDS}"
            )
        for name, of in zip(names, self.owners, strict=True):
            places = [one.data for one in of]
            if not places or not all(0 <= place < count for place in places):
                raise VerifyException(f"{what} a field `{name}` of no constructor")

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        """Parse `<"name", ["class", ...], ["field" type of 0 1, ...]>`."""
        square = parser.Delimiter.SQUARE

        def field() -> tuple[str, Attribute, list[int]]:
            name, kind = parser.parse_str_literal(), parser.parse_type()
            parser.parse_keyword("of")
            owners = [parser.parse_integer(allow_negative=False)]
            while (
                one := parser.parse_optional_integer(allow_negative=False)
            ) is not None:
                owners.append(one)
            return name, kind, owners

        with parser.in_angle_brackets():
            symbol = parser.parse_str_literal()
            parser.parse_punctuation(",")
            names = parser.parse_comma_separated_list(square, parser.parse_str_literal)
            parser.parse_punctuation(",")
            fields = parser.parse_comma_separated_list(square, field)
        return [
            StringAttr(symbol),
            ArrayAttr(map(StringAttr, names)),
            ArrayAttr(StringAttr(name) for name, _, _ in fields),
            ArrayAttr(kind for _, kind, _ in fields),
            ArrayAttr(ArrayAttr(map(IntAttr, owners)) for _, _, owners in fields),
        ]

    def print_parameters(self, printer: Printer) -> None:
        """Print what `parse_parameters` reads."""
        known = self.datatype()

        def field(one: Field) -> None:
            printer.print_string_literal(one.name)
            printer.print_string(" ")
            printer.print_attribute(one.type)
            printer.print_string(f" of {' '.join(map(str, one.constructors))}")

        with printer.in_angle_brackets():
            printer.print_string_literal(known.name)
            printer.print_string(", ")
            with printer.in_square_brackets():
                printer.print_list(known.constructors, printer.print_string_literal)
            printer.print_string(", ")
            with printer.in_square_brackets():
                printer.print_list(known.fields, field)


_ID_OF = "id of "


def identity_type(node: NodeType) -> NodeType:
    """The type of what `id(node)` gives."""
    return NodeType(StringAttr(_ID_OF + node.datatype.data))


def is_identity(found: Attribute) -> bool:
    """Whether a type is that of what `id(node)` gives."""
    return isinstance(found, NodeType) and found.datatype.data.startswith(_ID_OF)


def datatypes_of(function: Operation) -> dict[str, Datatype]:
    """The data types of an entry or host function, by name."""
    found = function.attributes.get(DATATYPES)
    if not isinstance(found, ArrayAttr):
        return {}
    known = [one.datatype() for one in found if isinstance(one, DatatypeAttr)]
    return {one.name: one for one in known}


def datatypes_attr(datatypes: Sequence[Datatype]) -> ArrayAttr[Attribute]:
    """The attribute `dycl.datatypes`."""
    return ArrayAttr(one.to_attr() for one in datatypes)


def datatype_around(op: Operation, found: Attribute) -> Datatype | None:
    """What the function that an op is in says of the type of a node."""
    if not isinstance(found, NodeType):
        return None
    around: Operation | None = op
    while around is not None:
        if DATATYPES in around.attributes:
            return datatypes_of(around).get(found.datatype.data)
        around = around.parent_op()
    return None
