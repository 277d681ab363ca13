"""Nodes of trees: which constructor made one, and what its fields are.

A node is never changed while a network runs. What data type it is of, its type says;
the function around has the data type's constructors and fields (`dycl.ir.datatypes`).
"""

from typing import Any, cast

from xdsl.dialects.builtin import ArrayAttr, StringAttr
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from dycl.ir.datatypes import NodeType
from dycl.ir.dialect.syntax import (
    VALUE,
    PlainOp,
    RunsOnHost,
    ValueOp,
    string_property,
)

NONE_NAME = "None"
"""What `dycl.is_node` calls a node that is not there."""


def _verify_node(op: Operation, node: SSAValue) -> None:
    if node.type != VALUE and not isinstance(node.type, NodeType):
        raise VerifyException(f"{op.name} needs a node, not {node.type}")


class _FieldOp(ValueOp):
    """`op %node "field"`."""

    field = prop_def(StringAttr)
    node = operand_def()
    result = result_def()

    def __init__(self, node: SSAValue, field: str, result_type: Attribute = VALUE):
        super().__init__(
            operands=[node],
            properties={"field": StringAttr(field)},
            result_types=[result_type],
        )

    @property
    def field_name(self) -> str:
        """The attribute of the node."""
        return string_property(self, "field")

    def print_body(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_operand(self.node)
        printer.print_string(f' "{self.field_name}"')

    @classmethod
    def parse_body(
        cls, parser: Parser, properties: dict[str, Attribute]
    ) -> list[UnresolvedOperand]:
        operand = parser.parse_unresolved_operand()
        properties["field"] = StringAttr(parser.parse_str_literal())
        return [operand]

    def verify_(self) -> None:
        _verify_node(self, self.node)


@irdl_op_definition
class FieldOp(_FieldOp):
    """An attribute of a node, which is not None unless it is a node itself.

    Not Pure: as in Python there may be no such attribute, which raises AttributeError.
    """

    name = "dycl.field"
    traits = traits_def(RunsOnHost())


@irdl_op_definition
class HasFieldOp(_FieldOp):
    """Whether an attribute of a node is not None. Raises as `dycl.field`."""

    name = "dycl.has_field"
    traits = traits_def(RunsOnHost())


@irdl_op_definition
class HasAttributeOp(_FieldOp):
    """Whether a node has an attribute, be it None. False where there is no node."""

    name = "dycl.has_attribute"
    traits = traits_def(Pure(), RunsOnHost())


@irdl_op_definition
class IsNodeOp(ValueOp):
    """Whether a node was made by one of these constructors; "None": it is not there."""

    name = "dycl.is_node"
    constructors = prop_def(ArrayAttr)
    node = operand_def()
    result = result_def()
    traits = traits_def(Pure(), RunsOnHost())

    def __init__(
        self, node: SSAValue, constructors: list[str], result_type: Attribute = VALUE
    ):
        super().__init__(
            operands=[node],
            properties={"constructors": ArrayAttr(map(StringAttr, constructors))},
            result_types=[result_type],
        )

    @property
    def names(self) -> list[str]:
        """The full names of the classes, or "None"."""
        return [cast(Any, one).data for one in self.constructors]

    def print_body(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_operand(self.node)
        printer.print_string(" ")
        printer.print_attribute(self.constructors)

    @classmethod
    def parse_body(
        cls, parser: Parser, properties: dict[str, Attribute]
    ) -> list[UnresolvedOperand]:
        operand = parser.parse_unresolved_operand()
        properties["constructors"] = parser.parse_attribute()
        return [operand]

    def verify_(self) -> None:
        _verify_node(self, self.node)
        if not all(isinstance(one, StringAttr) for one in self.constructors):
            raise VerifyException(f"{self.name} names its constructors")


@irdl_op_definition
class IdentityOp(PlainOp):
    """Which node it is, as `id(node)` says: a key that only `dycl.same_node` asks."""

    name = "dycl.identity"
    node = operand_def()
    result = result_def()
    traits = traits_def(Pure(), RunsOnHost())

    def __init__(self, node: SSAValue, result_type: Attribute = VALUE):
        super().__init__(operands=[node], result_types=[result_type])

    def verify_(self) -> None:
        _verify_node(self, self.node)


@irdl_op_definition
class SameNodeOp(PlainOp):
    """Whether two nodes of one tree are one and the same, or both not there."""

    name = "dycl.same_node"
    node = operand_def()
    other = operand_def()
    result = result_def()
    traits = traits_def(Pure(), RunsOnHost())

    def __init__(self, node: SSAValue, other: SSAValue, result_type: Attribute = VALUE):
        super().__init__(operands=[node, other], result_types=[result_type])

    def verify_(self) -> None:
        _verify_node(self, self.node)
        _verify_node(self, self.other)


NODE_OPS = (FieldOp, HasFieldOp, HasAttributeOp, IdentityOp, IsNodeOp, SameNodeOp)
