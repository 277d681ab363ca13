"""Sizes and relations between them, computed by the host.

Before                            After
------                            -----
%s = dycl.getattr %batch "shape"  %n = dycl.dim %batch 0
%n = dycl.subscript %s[%zero]     %m = dycl.binary mul %n, %two
%m = dycl.binary mul %n, %two     dycl.return %m
dycl.return %m
"""

import ast
from collections.abc import Callable

from xdsl.ir import Operation, SSAValue

from dycl.ir import BinaryOp, CompareOp, ConstantOp, DimOp, SelectOp
from dycl.ir.rewriting import insert_value
from dycl.ir.torch import BoolT, IntT
from dycl.ir.values import to_attr

Named = Callable[[str, Operation], SSAValue]
"""The int that a name stands for, in front of an op."""

_BINARY: dict[type[ast.operator], str] = {
    ast.Add: "add",
    ast.Sub: "sub",
    ast.Mult: "mul",
    ast.FloorDiv: "floordiv",
    ast.Mod: "mod",
}
_COMPARE: dict[type[ast.cmpop], str] = {
    ast.Eq: "eq",
    ast.NotEq: "ne",
    ast.Lt: "lt",
    ast.LtE: "le",
    ast.Gt: "gt",
    ast.GtE: "ge",
}


def emit_size(text: str, anchor: Operation, named: Named) -> SSAValue:
    """The int or bool that a text of `dynamic_sizes` says, before `anchor`."""
    return _emit(ast.parse(text, mode="eval").body, anchor, named)


def emit_dim(tensor: SSAValue, dimension: int, anchor: Operation) -> SSAValue:
    """The size of a dimension, before `anchor`."""
    return insert_value(anchor, DimOp(tensor, dimension, IntT))


def _emit(node: ast.expr, anchor: Operation, named: Named) -> SSAValue:
    match node:
        case ast.Name(id=name):
            return named(name, anchor)
        case ast.Constant(value=int(value)):
            return insert_value(anchor, ConstantOp(to_attr(value), IntT))
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int(value))):
            return insert_value(anchor, ConstantOp(to_attr(-value), IntT))
        case ast.BinOp(left=left, op=kind, right=right):
            one, other = (_emit(side, anchor, named) for side in (left, right))
            return insert_value(anchor, BinaryOp(_BINARY[type(kind)], one, other, IntT))
        case ast.Compare(left=left, ops=[kind], comparators=[right]):
            one, other = (_emit(side, anchor, named) for side in (left, right))
            return insert_value(
                anchor, CompareOp(_COMPARE[type(kind)], one, other, BoolT)
            )
        case ast.BoolOp(op=kind, values=[first, *rest]):
            result = _emit(first, anchor, named)
            for side in rest:
                other = _emit(side, anchor, named)
                sides = (result, other) if isinstance(kind, ast.Or) else (other, result)
                result = insert_value(anchor, SelectOp(result, *sides))
            return result
        case ast.Call(func=ast.Name(id="Max" | "Min" as which), args=[first, *rest]):
            result = _emit(first, anchor, named)
            for side in rest:
                other = _emit(side, anchor, named)
                kind = "lt" if which == "Min" else "gt"
                test = insert_value(anchor, CompareOp(kind, result, other, BoolT))
                result = insert_value(anchor, SelectOp(test, result, other))
            return result
        case _:
            raise ValueError(f"{ast.unparse(node)} is no size")
