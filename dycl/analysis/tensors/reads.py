"""Where Python asks a tensor for a number: `t.item()`, `float(t)`, `if t:`, `not t`."""

from collections.abc import Sequence
from math import prod
from typing import cast

from xdsl.ir import Operation

from dycl.analysis.tensors.abstract import Kind, Tensor
from dycl.ir import CallOp, InvokeOp, ItemOp, ToBoolOp, UnaryOp
from dycl.ir.dtypes import dtype_name
from dycl.ir.values import GlobalRef

_CASTS: dict[str, Kind] = {
    "builtins.float": "float",
    "builtins.int": "int",
    "builtins.bool": "bool",
}


def cast_kind(op: Operation, operands: Sequence[object]) -> Kind | None:
    """Of which kind of number `op` makes its operand: `float(v)`, `if v:`, `not v`."""
    match op, operands:
        case ToBoolOp(), _:
            return "bool"
        case UnaryOp(), _ if op.kind_name == "not":
            return "bool"
        case CallOp(), [GlobalRef(function), _]:
            return _CASTS.get(function)
        case _:
            return None


def read_kind(op: Operation, operands: Sequence[object]) -> Kind | None:
    """The kind of number that `op` reads from a tensor; None if it reads none."""
    if not any(isinstance(operand, Tensor) for operand in operands):
        return None
    tensor = operand_of(op, operands)
    if (kind := cast_kind(op, operands)) is not None:
        return kind if isinstance(tensor, Tensor) else None
    item = isinstance(op, InvokeOp) and op.method.data == "item" and len(operands) == 1
    if isinstance(tensor, Tensor) and (item or isinstance(op, ItemOp)):
        return natural_kind(tensor)
    return None


def operand_of(op: Operation, operands: Sequence[object]) -> object:
    """The operand that a cast or an `item` is of."""
    return operands[1 if isinstance(op, CallOp) and len(operands) > 1 else 0]


def natural_kind(tensor: Tensor) -> Kind:
    """The kind of number that `tensor.item()` gives."""
    name = dtype_name(tensor.dtype)
    if name == "bool":
        return "bool"
    return "float" if "float" in name else "int"


def cannot_read(op: Operation, operands: Sequence[object]) -> str | None:
    """Why the tensor has no single number, or None."""
    tensor = cast(Tensor, operand_of(op, operands))
    if not tensor.is_static:
        return f"{tensor} may have more or fewer elements than one"
    if (count := prod(tensor.sizes)) == 1:
        return None
    if isinstance(op, (ToBoolOp, UnaryOp)) or cast_kind(op, operands) == "bool":
        return f"the truth value of a tensor with {count} elements is ambiguous"
    return f"a tensor with {count} elements cannot be made one Python number"
