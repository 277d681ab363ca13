"""Ops on lists whose length the data decides, as the host has them.

Before                         After
------                         -----
%l = dycl.sequence()           %l = dycl.sequence()
%m = dycl.append %l, %x        %m = dycl.append %l, %x
%y = dycl.subscript %m[%zero]  %y = dycl.get %m[%zero]
%n = dycl.call %len(%m)        %n = dycl.length %m
dycl.return %y, %n             dycl.return %y, %n
"""

from collections.abc import Sequence
from typing import cast

from xdsl.ir import Operation, SSAValue

from dycl.analysis.tensors.abstract import Sequence as ListOf
from dycl.analysis.tensors.abstract import Tensor, type_of
from dycl.analysis.tensors.sequences import CONCAT, concat_dim
from dycl.analysis.tracing.graph import Untraceable
from dycl.ir import (
    CallOp,
    CompareOp,
    ConcatOp,
    ConstantOp,
    GetOp,
    LengthOp,
    SubscriptOp,
    ToBoolOp,
    UnaryOp,
)
from dycl.ir.rewriting import insert_value
from dycl.ir.torch import BoolT, IntT
from dycl.ir.values import GlobalRef, to_attr


def expand_list(
    op: Operation, operands: Sequence[object], values: Sequence[SSAValue]
) -> SSAValue:
    """Emit what an op on a sequence does, before `op`. Raises Untraceable."""
    match op:
        case SubscriptOp():
            element = cast(ListOf, operands[0]).element
            return insert_value(op, GetOp(values[0], values[1], type_of(element)))
        case ToBoolOp():
            return _has_items(values[0], "ne", op)
        case UnaryOp():
            return _has_items(values[0], "eq", op)
        case CallOp() if isinstance(operands[0], GlobalRef):
            return _call(op, operands[0].name, operands, values[1])
        case _:
            raise Untraceable("this cannot be done with a list of unknown length")


def _call(
    op: CallOp, function: str, operands: Sequence[object], items: SSAValue
) -> SSAValue:
    if function == "builtins.len":
        return insert_value(op, LengthOp(items, IntT))
    if function == "builtins.bool":
        return _has_items(items, "ne", op)
    if function == "builtins.list":
        return items
    kind = CONCAT.get(function)
    element = cast(ListOf, operands[1]).element
    if kind is None:
        raise Untraceable(f"`{function}` of a list of unknown length")
    dim = 0
    if isinstance(element, Tensor):
        dimension = concat_dim(op, operands, len(element.shape) + (kind == "stack"))
        assert dimension is not None
        dim = dimension
    return insert_value(op, ConcatOp(kind, items, dim, op.result.type))


def _has_items(items: SSAValue, kind: str, op: Operation) -> SSAValue:
    length = insert_value(op, LengthOp(items, IntT))
    zero = insert_value(op, ConstantOp(to_attr(0), IntT))
    return insert_value(op, CompareOp(kind, length, zero, BoolT))
