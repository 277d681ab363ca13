"""Which ops on numbers a thread of the device computes, as Python would.

What Python raises for (a division by zero, an int that leaves 64 bits) stops the run.
"""

from collections.abc import Iterator

from xdsl.dialects.builtin import MemRefType, f64, i1, i64
from xdsl.ir import Attribute, Operation

from dycl.ir import dialect as d
from dycl.ir import host
from dycl.ir.host.types import NUMBERS, dtype_of, is_float

_OF_FLOATS = ("add", "sub", "mul", "truediv")
_OF_INTS = (*_OF_FLOATS, "floordiv", "mod")
_OF_BITS = ("and", "or", "xor")
ORDERS = ("lt", "le", "gt", "ge", "eq", "ne")
"""Comparisons of any two numbers."""
FUNCTIONS = {
    "builtins.int": i64,
    "builtins.float": f64,
    "builtins.abs": None,
    "builtins.round": i64,
    "math.ceil": i64,
    "math.floor": i64,
    "math.trunc": i64,
    "math.fabs": f64,
    "math.sqrt": f64,
    "math.isnan": i1,
    "math.isinf": i1,
    "math.isfinite": i1,
}
"""Functions of one number, and what they give; None: a number of the same kind."""


def why_not_on_device(op: Operation) -> str | None:
    """Why a thread cannot compute an op on numbers, as a sentence; None: it can."""
    for problem in _problems(op):
        return problem
    return None


def computes(op: Operation) -> bool:
    """Whether an op computes one number from numbers, or reads it."""
    kinds = (
        *(d.BinaryOp, d.UnaryOp, d.CompareOp, d.ToBoolOp, d.SelectOp),
        *(d.CheckedOp, d.PositionOp, d.BuiltinOp, host.ReadOp),
    )
    return isinstance(op, kinds)


def may_stop(op: Operation) -> bool:
    """Whether an op stops runs for what Python raises for often."""
    if isinstance(op, d.BinaryOp):
        return op.kind_name in ("truediv", "floordiv", "mod")
    if isinstance(op, d.BuiltinOp):
        return op.function.data not in ("builtins.float", "builtins.abs")
    return isinstance(op, (d.CheckedOp, d.PositionOp))


def _problems(op: Operation) -> Iterator[str]:
    types = set(op.operand_types)
    match op:
        case d.BinaryOp():
            yield from _binary(op, types)
        case d.UnaryOp():
            if op.kind_name == "invert" and types != {i64}:
                yield "`~` of a bool is computed by the host"
        case d.CompareOp():
            is_identity = op.kind_name in ("is", "is_not") and types == {i1}
            if not is_identity and (
                op.kind_name not in ORDERS or not types <= {*NUMBERS}
            ):
                yield f"`{op.operator}` of these is computed by the host"
        case d.PositionOp():
            keys = op.known_keys
            if op.key.type != i64 or not (
                isinstance(keys, int)
                or (isinstance(keys, tuple) and all(type(k) is int for k in keys))
            ):
                yield "the place of a key that is no int is found by the host"
        case d.BuiltinOp():
            name = op.function.data
            if name not in FUNCTIONS or len(op.operands) != 1:
                yield f"`{name}` is computed by the host"
        case host.ReadOp():
            yield from _read(op)
        case d.SelectOp() | d.CheckedOp() | d.ToBoolOp():
            kinds: list[Attribute] = [*op.result_types, *op.operand_types]
            if any(k not in NUMBERS and not isinstance(k, MemRefType) for k in kinds):
                yield f"{op.name} of these is computed by the host"
        case _:
            yield f"{op.name} is an op of the host"


def _binary(op: d.BinaryOp, types: set[Attribute]) -> Iterator[str]:
    kind = op.kind_name
    if not types <= {*NUMBERS}:
        yield f"`{op.operator}` of these is computed by the host"
    elif kind in _OF_BITS:
        if types not in ({i1}, {i64}):
            yield f"`{op.operator}` of an int and a bool is computed by the host"
    elif kind not in (_OF_FLOATS if f64 in types else _OF_INTS):
        yield f"`{op.operator}` of these is computed by the host"


def _read(op: host.ReadOp) -> Iterator[str]:
    assert isinstance(op.operand.type, MemRefType)
    dtype = dtype_of(op.operand.type)
    kind = f64 if is_float(dtype) else i1 if dtype == "bool" else i64
    if kind != op.result.type:
        yield f"a {dtype} is read as another kind of number by the host"
