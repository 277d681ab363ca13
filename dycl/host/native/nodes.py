"""Nodes of trees as lines of C: `const dycl_node *`, NULL for None.

A node belongs to the caller and stays what it is during a run, so its tensors are read
where they are.
"""

from dataclasses import dataclass

from xdsl.ir import Operation

import dycl.ir as d
from dycl.host.native.heap_values import Printer
from dycl.host.native.types import CannotPrint, c_type, declared, member
from dycl.ir.builtin_nodes import attribute_of, is_attribute, missing
from dycl.ir.datatypes import Datatype, Field, datatype_around
from dycl.ir.dialect.nodes import NONE_NAME

_FieldOp = d.FieldOp | d.HasFieldOp | d.HasAttributeOp
_NodeOp = _FieldOp | d.IdentityOp | d.IsNodeOp | d.SameNodeOp


@dataclass
class Nodes:
    """Prints ops on nodes."""

    printer: Printer

    def lines(self, op: Operation) -> list[str] | None:
        """The lines for an op; None: it is about no node. CannotPrint."""
        match op:
            case d.FieldOp():
                return self._field(op)
            case d.HasFieldOp():
                datatype, field, place = _field_of(op)
                node = self._text(op)
                return [
                    *self._guard(op, datatype, field),
                    *self._guard_attribute(op, field, place),
                    *self._value(op, f"{node}->present >> {place} & 1"),
                ]
            case d.HasAttributeOp():
                return self._value(op, self._has(op))
            case d.IsNodeOp():
                return self._value(op, self._test(op))
            case d.IdentityOp():
                return self._value(op, self._text(op))
            case d.SameNodeOp():
                other = self.printer.texts[op.other]
                return self._value(op, f"{self._text(op)} == {other}")
            case _:
                return None

    def _text(self, op: _NodeOp) -> str:
        return self.printer.texts[op.node]

    def _value(self, op: _NodeOp, expression: str) -> list[str]:
        kind = c_type(op.result.type)
        const = "" if kind.startswith("const ") else "const "
        left = f"{const}{declared(kind, self.printer.local(op.result))}"
        return [f"{left} = {expression};"]

    def _field(self, op: d.FieldOp) -> list[str]:
        datatype, field, place = _field_of(op)
        lines = self._guard(op, datatype, field)
        node = self._text(op)
        if not isinstance(field.type, d.NodeType):
            what = attribute_of(field.name)
            text = f"the attribute '{what}' of a node is None, or not there"
            error = self._error(op, field.name, text)
            lines.append(f"if (!({node}->present >> {place} & 1)) RAISE({error});")
        else:
            lines += self._guard_attribute(op, field, place)
        slot = f"{node}->fields[{place}].{member(op.result.type)}"
        return [*lines, *self._value(op, slot)]

    def _guard(
        self, op: d.FieldOp | d.HasFieldOp, datatype: Datatype, field: Field
    ) -> list[str]:
        """Raise where a node is not there, or is of a class that lacks a field."""
        node, name = self._text(op), field.name
        attribute = attribute_of(name)
        what = f"'NoneType' object has no attribute '{attribute}'"
        error = self._error(op, name, what)
        lines = [f"if ({node} == NULL) RAISE({error});"]
        if not datatype.has_all(field):
            what = f"a node of this class has no attribute '{attribute}'"
            error = self._error(op, name, what)
            tests = [f"{node}->constructor != {one}" for one in field.constructors]
            lines.append(f"if ({' && '.join(tests)}) RAISE({error});")
        return lines

    def _guard_attribute(
        self, op: d.FieldOp | d.HasFieldOp, field: Field, place: int
    ) -> list[str]:
        """Raise where a node lacks what others of its class have, if None be it."""
        if not is_attribute(field.name):
            return []
        what = f"this node has no attribute '{attribute_of(field.name)}'"
        error = self._error(op, field.name, what)
        return [f"if ({self._lacks(op, place)}) RAISE({error});"]

    def _lacks(self, op: _FieldOp, place: int) -> str:
        """Whether a node lacks what others of its class have."""
        node = self._text(op)
        test = f"{node}->fields[{place}].integer == DYCL_NO_ATTRIBUTE"
        return f"!({node}->present >> {place} & 1) && {test}"

    def _has(self, op: d.HasAttributeOp) -> str:
        """Whether a node is there, of a class that has an attribute, and has it."""
        datatype, field, place = _field_of(op)
        node = self._text(op)
        tests = [f"{node} != NULL"]
        if not datatype.has_all(field):
            of = [f"{node}->constructor == {one}" for one in field.constructors]
            tests.append(f"({' || '.join(of)})")
        return " && ".join([*tests, f"!({self._lacks(op, place)})"])

    def _error(self, op: Operation, name: str, what: str) -> int:
        error, text = missing(name, what)
        return self.printer.tables.add_error(op, error, [text])

    def _test(self, op: d.IsNodeOp) -> str:
        node, names = self._text(op), op.names
        datatype = datatype_around(op, op.node.type)
        if datatype is None:
            raise CannotPrint(f"`{op.name}` of an unknown data type")
        places = [i for i, n in enumerate(datatype.constructors) if n in names]
        tests = [f"{node}->constructor == {place}" for place in places]
        if NONE_NAME in names:
            return " || ".join([f"{node} == NULL", *tests])
        if not tests:
            return "false"
        return f"{node} != NULL && ({' || '.join(tests)})"


def _field_of(op: _FieldOp) -> tuple[Datatype, Field, int]:
    datatype = datatype_around(op, op.node.type)
    place = None if datatype is None else datatype.place(op.field_name)
    if datatype is None or place is None:
        raise CannotPrint(f"a node without the field `{op.field_name}`")
    return datatype, datatype.fields[place], place
