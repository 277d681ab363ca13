"""Which types the shared ops take on the host.

Until `dycl-lower-host` an op of `dycl` may stand for any Python value. On the host its
types are concrete: numbers mix as in Python, a condition is an `i1`, `is` needs an
identity that the host has. `dycl-check-host` asks here for each op.
"""

from collections.abc import Iterator, Sequence

from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    FloatAttr,
    IntegerAttr,
    MemRefType,
    StringAttr,
    f64,
    i1,
    i64,
)
from xdsl.ir import Attribute, Operation

from dycl.ir import dialect as d
from dycl.ir import torch
from dycl.ir.attributes import NoneValueAttr
from dycl.ir.datatypes import datatype_around, identity_type
from dycl.ir.host.convert import host_type
from dycl.ir.host.memories import in_memory, memory_of
from dycl.ir.host.types import NONE, NUMBERS, SCALARS, STR
from dycl.ir.interfaces import RegionTerminator, edges

_FieldOp = d.FieldOp | d.HasFieldOp | d.HasAttributeOp
_NodeOp = _FieldOp | d.IdentityOp | d.IsNodeOp | d.SameNodeOp
_ListOp = d.SequenceOp | d.AppendOp | d.ExtendOp | d.TakeOp | d.LengthOp | d.GetOp


def constant_type(value: Attribute) -> Attribute | None:
    """The type of a constant on the host; None: the host cannot hold it."""
    match value:
        case DenseIntOrFPElementsAttr():
            return MemRefType(value.get_element_type(), value.get_shape())
        case IntegerAttr() if value.type in (i1, i64):
            return value.type
        case FloatAttr() if value.type == f64:
            return f64
        case StringAttr():
            return STR
        case NoneValueAttr():
            return NONE
        case _:
            return None


def type_problems(op: Operation) -> Iterator[str]:
    """What is wrong with the types of a shared op, each as a sentence."""
    match op:
        case d.ConstantOp():
            yield from _constant(op)
        case d.UnaryOp():
            yield from _unary(op)
        case d.BinaryOp():
            if op.kind_name == "matmul":
                yield "`@` needs tensors, which the host does not compute with"
            yield from _scalars(op)
            if set(op.operand_types) != {STR} or op.kind_name != "add":
                yield from _numbers(f"`{op.operator}`", op.operand_types)
        case d.CompareOp():
            yield from _compare(op)
        case d.ToBoolOp():
            yield from _scalars(op)
            yield from _gives(op, i1)
        case d.ScalarOp():
            types = [*op.operand_types, *op.result_types]
            yield from _numbers(op.spelling, types)
        case d.PositionOp():
            yield from _scalars(op)
            yield from _gives(op, i64)
        case d.SelectOp():
            yield from _condition(op, op.condition.type)
            yield from _same(op, op.if_true.type, op.if_false.type, op.result.type)
        case d.CheckedOp():
            yield from _condition(op, op.condition.type)
            yield from _same(op, op.value.type, op.result.type)
        case d.FormatOp():
            yield from _scalars(op)
            yield from _gives(op, STR)
        case d.EffectOp() | d.RaiseOp():
            yield from _scalars(op)
        case d.DimOp():
            if not isinstance(op.operand.type, MemRefType):
                yield f"{op.name} needs a buffer, not {op.operand.type}"
            elif op.dimension >= op.operand.type.get_num_dims():
                yield f"{op.operand.type} has no dimension {op.dimension}"
            yield from _gives(op, i64)
        case _ if isinstance(op, _ListOp):
            yield from _list(op)
        case d.ConcatOp():
            yield from _concat(op)
        case _ if isinstance(op, _NodeOp):
            yield from _node(op)
        case d.ToListOp():
            if not _holds(op.result.type, op.operand.type):
                yield f"{op.operand.type} is no {op.result.type}"
        case d.IfOp():
            yield from _condition(op, op.condition.type)
        case d.ConditionOp():
            yield from _condition(op, op.condition.type)
            yield from _forwards(op)
        case d.WhileOp() | RegionTerminator():
            yield from _forwards(op)
        case _:
            pass


def _forwards(op: Operation) -> Iterator[str]:
    """A value has the same type on both ends of an edge."""
    for given, becomes in edges(op):
        if given.type != becomes.type:
            yield f"{op.name} gives {given.type} where {becomes.type} is wanted"


def _constant(op: d.ConstantOp) -> Iterator[str]:
    want, found = constant_type(op.value), op.result.type
    if want == NONE and isinstance(found, d.NodeType):
        return  # None is a node, too
    if isinstance(want, MemRefType):
        want = in_memory(want, memory_of(found))
    if want is None:
        yield f"the host cannot hold the constant {op.value}"
    elif want != op.result.type:
        yield f"the constant {op.value} is of type {want}, not {op.result.type}"


def _unary(op: d.UnaryOp) -> Iterator[str]:
    yield from _scalars(op)
    if op.kind_name == "not":
        yield from _gives(op, i1)
    else:
        yield from _numbers(f"`{op.operator}`", op.operand_types)


def _compare(op: d.CompareOp) -> Iterator[str]:
    yield from _scalars(op)
    yield from _gives(op, i1)
    types = set(op.operand_types)
    match op.kind_name:
        case "lt" | "le" | "gt" | "ge" if types != {STR}:
            yield from _numbers(f"`{op.operator}`", op.operand_types)
        case "is" | "is_not" if NONE not in types and types != {i1}:
            yield (
                "`is` has a meaning for None and bools only: numbers and texts "
                "have no identity on the host"
            )
        case "in" | "not_in" if types != {STR}:
            yield "`in` needs two texts"
        case _:
            pass


def _list(op: _ListOp) -> Iterator[str]:
    listed = op.result.type if isinstance(op, d.SequenceOp) else op.sequence.type
    if not isinstance(listed, d.SequenceType):
        yield f"{op.name} works on lists, not on {listed}"
        return
    match op:
        case d.SequenceOp():
            items, result = op.items.types, listed
        case d.AppendOp():
            items, result = (op.value.type,), listed
        case d.ExtendOp():
            items, result = (), listed
            yield from _same(op, listed, op.other.type)
        case d.TakeOp():
            items, result = (), listed
            for bound in (op.start, op.stop):
                if bound.type != i64:
                    yield f"a bound is an i64, not {bound.type}"
        case d.LengthOp():
            items, result = (), i64
        case d.GetOp():
            items, result = (), listed.element
            if op.index.type != i64:
                yield f"an index is an i64, not {op.index.type}"
    for item in items:
        if item != listed.element:
            yield f"{listed} cannot hold {item}"
    yield from _gives(op, result)


def _node(op: _NodeOp) -> Iterator[str]:
    if isinstance(op, (d.IsNodeOp, d.SameNodeOp)):
        yield from _gives(op, i1)
        return
    if isinstance(op, d.IdentityOp):
        assert isinstance(op.node.type, d.NodeType)
        yield from _gives(op, identity_type(op.node.type))
        return
    datatype = datatype_around(op, op.node.type)
    place = None if datatype is None else datatype.place(op.field_name)
    if datatype is None or place is None:
        yield f"{op.node.type} has no field `{op.field_name}`"
        return
    held = datatype.fields[place].type
    if isinstance(held, torch.OptionalType):
        held = held.element
    want = host_type(held) if isinstance(op, d.FieldOp) else i1
    yield from _gives(op, want or op.result.type)


def _concat(op: d.ConcatOp) -> Iterator[str]:
    items, of_numbers = op.sequence.type, op.kind_name in ("tensor", "index")
    if not isinstance(items, d.SequenceType) or (
        (items.element in NUMBERS) != of_numbers
    ):
        yield f"{op.name} cannot {op.kind_name} {items}"
    elif isinstance(items.element, MemRefType):
        rank = items.element.get_num_dims() + (op.kind_name == "stack")
        if op.dimension >= rank:
            yield f"{op.name} cannot {op.kind_name} {items} along {op.dimension}"
    if not isinstance(op.result.type, MemRefType):
        yield f"{op.name} gives a buffer, not {op.result.type}"


def _holds(listed: Attribute, buffer: Attribute) -> bool:
    """Whether a list of lists is as deep as a buffer has dimensions."""
    if not isinstance(buffer, MemRefType):
        return False
    for _ in buffer.get_shape():
        if not isinstance(listed, d.SequenceType):
            return False
        listed = listed.element
    return listed in NUMBERS


def _scalars(op: Operation) -> Iterator[str]:
    for operand_type in (*op.operand_types, *op.result_types):
        if operand_type not in SCALARS:
            yield f"{op.name} works on scalars, not on {operand_type}"


def _numbers(what: str, types: Sequence[Attribute]) -> Iterator[str]:
    for number in types:
        if number not in NUMBERS:
            yield f"{what} needs numbers, not {SCALARS.get(number, number)}"


def _condition(op: Operation, found: Attribute) -> Iterator[str]:
    if found != i1:
        yield f"the condition of {op.name} is an i1, not {found}"


def _gives(op: Operation, want: Attribute) -> Iterator[str]:
    for result_type in op.result_types:
        if result_type != want:
            yield f"{op.name} gives {want}, not {result_type}"


def _same(op: Operation, *types: Attribute) -> Iterator[str]:
    if len(set(types)) > 1:
        yield f"{op.name} joins values of one type, not {', '.join(map(str, types))}"
