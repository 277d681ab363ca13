"""One value op of the host as a Python expression: its operands are atoms."""

from collections.abc import Mapping

from xdsl.dialects.builtin import MemRefType, i1
from xdsl.ir import Operation, SSAValue

import dycl.ir as d
from dycl.diag import InternalError
from dycl.host.effects import text_expression
from dycl.host.literals import literal, quoted, tuple_text
from dycl.ir import host
from dycl.ir.datatypes import datatype_around
from dycl.ir.host.types import NUMBERS, dtype_of, is_float, is_static


def expression(op: Operation, texts: Mapping[SSAValue, str]) -> str:
    """The Python text of what `op` computes. InternalError: the op is unknown."""
    match op:
        case host.ReadOp():
            return _read(op, texts[op.operand])
        case host.ViewOp():
            assert isinstance(op.result.type, MemRefType)
            return f"{texts[op.operand]}.view({literal(op.result.type.get_shape())})"
        case d.UnaryOp():
            operand = texts[op.operand]
            if op.kind_name == "invert" and op.operand.type == i1:
                operand = f"int({operand})"  # Python 3.12 deprecates `~` on a bool
            return f"{op.operator}{operand}"
        case d.BinaryOp() | d.CompareOp():
            return f"{texts[op.lhs]} {op.operator} {texts[op.rhs]}"
        case d.FormatOp():
            return text_expression(op, texts)
        case d.ScalarOp():
            return op.python_text([texts[v] for v in op.operands])
        case d.ToBoolOp():
            return f"bool({texts[op.operand]})"
        case host.CastOp():
            assert isinstance(op.result.type, MemRefType)
            if is_static(op.operand.type) or not is_static(op.result.type):
                return texts[op.operand]
            return f"{texts[op.operand]}.view({literal(op.result.type.get_shape())})"
        case d.DimOp():
            return f"{texts[op.operand]}.dim({op.dimension})"
        case d.CheckedOp():
            value, condition = texts[op.value], texts[op.condition]
            return f"rt.checked({value}, {condition}, {quoted(op.message.data)})"
        case d.SequenceOp():
            return f"rt.list({', '.join(texts[v] for v in op.items)})"
        case d.AppendOp():
            return f"{texts[op.sequence]}.append({texts[op.value]})"
        case d.ExtendOp():
            return f"{texts[op.sequence]}.extend({texts[op.other]})"
        case d.TakeOp():
            return f"{texts[op.sequence]}.take({texts[op.start]}, {texts[op.stop]})"
        case d.LengthOp():
            return f"len({texts[op.sequence]})"
        case d.GetOp():
            return f"{texts[op.sequence]}[{texts[op.index]}]"
        case d.FieldOp() | d.HasFieldOp() | d.HasAttributeOp():
            return _field(op, texts[op.node])
        case d.IdentityOp() | d.IsNodeOp() | d.SameNodeOp():
            return _which(op, texts)
        case d.ConcatOp():
            return _concat(op, texts[op.sequence])
        case d.ToListOp():
            return f"rt.tolist({texts[op.operand]})"
        case d.SelectOp():
            one, other = texts[op.if_true], texts[op.if_false]
            return f"{one} if {texts[op.condition]} else {other}"
        case _:
            raise InternalError(f"host.py has no text for `{op.name}`")


def _which(
    op: d.IdentityOp | d.IsNodeOp | d.SameNodeOp, texts: Mapping[SSAValue, str]
) -> str:
    """Which node one is."""
    node = texts[op.node]
    match op:
        case d.IsNodeOp():
            names = tuple_text([quoted(name) for name in op.names])
            return f"rt.is_node({node}, {names})"
        case d.SameNodeOp():
            return f"{node} is {texts[op.other]}"
        case d.IdentityOp():
            return node


def _field(op: d.FieldOp | d.HasFieldOp | d.HasAttributeOp, node: str) -> str:
    """What a node has in a place."""
    datatype = datatype_around(op, op.node.type)
    place = None if datatype is None else datatype.place(op.field_name)
    if datatype is None or place is None:
        raise InternalError(f"no node has the field `{op.field_name}`")
    field, name = datatype.fields[place], quoted(op.field_name)
    of = [] if datatype.has_all(field) else [literal(field.constructors)]
    function = op.name.removeprefix("dycl.")
    if function == "field" and isinstance(field.type, d.NodeType):
        function = "child"
    return f"rt.{function}({', '.join([node, str(place), name, *of])})"


def _read(op: host.ReadOp, buffer: str) -> str:
    """`p.read()`, converted where the number is of another kind than the element."""
    assert isinstance(op.operand.type, MemRefType)
    dtype, wanted = dtype_of(op.operand.type), NUMBERS[op.result.type]
    kind = "float" if is_float(dtype) else dtype if dtype == "bool" else "int"
    read = f"rt.read_bf16({buffer})" if dtype == "bfloat16" else f"{buffer}.read()"
    return read if kind == wanted else f"{wanted}({read})"


def _concat(op: d.ConcatOp, items: str) -> str:
    assert isinstance(op.result.type, MemRefType)
    arguments = [str(op.dimension)]
    if op.kind_name == "tensor":
        arguments = [quoted(dtype_of(op.result.type))]
    elif op.kind_name == "index":
        arguments = []
    return f"{items}.{op.kind_name}({', '.join(arguments)})"
