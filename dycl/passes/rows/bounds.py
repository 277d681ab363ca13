"""How large an int of the host is: whether those of many rows fit into a tensor.

one row                                     bits
-------                                     ----
%k = dycl.item (torch.aten.argmax %x)       a place: few
%m = dycl.binary add %k, %one               few, in every iteration of a loop
%n = dycl.item %i                           64, of `!torch.vtensor<[],si64>`
%d = dycl.binary mod %n, %ten               4

Python's ints have no end. A *counter* begins with a constant, or with a number of
elements, and is changed by such numbers, so that no run is long enough for it to become
large. What differs from row to row is computed by a group, which looks at it where it
may be too large. What all rows share is computed on the host, as large as it gets.
"""

from collections.abc import Container
from math import prod

from xdsl.dialects.builtin import IntegerType, i1
from xdsl.ir import Operation, SSAValue

from dycl.ir import (
    BinaryOp,
    BuiltinOp,
    IfOp,
    ItemOp,
    PositionOp,
    ScopeOp,
    SelectOp,
    UnaryOp,
    WhileOp,
)
from dycl.ir.constant_values import constant_value
from dycl.ir.torch import DYNAMIC, BoolT, FloatT, IntT, VTensorType
from dycl.passes.rows.batches import dtype_in

SMALL = 31
"""Bits of the ints that counters are made of."""
CHANGES = 32
"""Bits of how often a counter is changed: at a million times a second, that is longer
than anybody waits."""
WIDE = 62
"""Bits of two ints whose sum fits into a tensor."""
UNKNOWN = 64
FLOAT = 53
"""Bits of an int that a float is equal to."""

TO_INT = ("builtins.int", "math.trunc", "math.floor", "math.ceil", "builtins.round")
"""Functions that make an int of a float; in a group, one of at most `SMALL` bits."""

_PLACES = ("torch.aten.argmax", "torch.aten.argmin")


def _is_int_of_float(op: Operation, varying: Container[SSAValue]) -> bool:
    """Whether an op makes an int of a float, which a group looks at."""
    return (
        isinstance(op, BuiltinOp)
        and op.result in varying
        and op.function.data in TO_INT
        and len(op.arguments) == 1
        and op.arguments[0].type == FloatT
    )


def constant_of(value: SSAValue) -> int | float | None:
    """A number that the compiler knows."""
    known = constant_value(value)
    return known if type(known) is int or type(known) is float else None


def bits_of(value: SSAValue, varying: Container[SSAValue]) -> int:
    """An int is less than 2 to the power of this, and more than the negative of that;
    `UNKNOWN`: it may be any. `varying` are the values that differ from row to row."""
    if value.type == BoolT:
        return 1
    if type(known := constant_of(value)) is int:
        return known.bit_length()
    if (bits := _bits_of_small(value, varying)) is not None:
        return bits
    steps: dict[SSAValue, int] = {}
    if _counts(value, steps, varying):
        return max(steps.values()) + CHANGES
    match value.owner:
        case BinaryOp() as op:
            return _of_binary(op, varying)
        case UnaryOp() as op:
            return min(bits_of(op.operand, varying) + 1, UNKNOWN)
        case SelectOp() as op:
            return max(bits_of(v, varying) for v in (op.if_true, op.if_false))
        case BuiltinOp() as op if _keeps_size(op):
            return bits_of(op.arguments[0], varying)
        case ItemOp() as op:
            dtype = dtype_in(op.operand.type)
            return dtype.bitwidth if isinstance(dtype, IntegerType) else UNKNOWN
        case _:
            return UNKNOWN


def _keeps_size(op: BuiltinOp) -> bool:
    """Whether what a function gives of an int is as large as that."""
    is_known = op.function.data in ("builtins.abs", *TO_INT)
    return is_known and len(op.arguments) == 1 and op.arguments[0].type == IntT


def _of_binary(op: BinaryOp, varying: Container[SSAValue]) -> int:
    """Of what an op gives; in a group, its operands are checked."""
    left, right = (bits_of(value, varying) for value in (op.lhs, op.rhs))
    match op.kind.data:
        case "add" | "sub":
            return min(max(left, right), WIDE) + 1
        case "mul":
            most = WIDE if op.result in varying else UNKNOWN
            return min(left + right, most)
        case "mod":
            return right
        case "floordiv":
            return min(left + 1, UNKNOWN)
        case _:
            return UNKNOWN


def is_place(value: SSAValue, length: int) -> bool:
    """Whether an int is a place among at most so many elements."""
    item = value.owner
    found = item.operand.owner if isinstance(item, ItemOp) else None
    if not isinstance(found, Operation) or found.name not in _PLACES:
        return False
    kind = found.operands[0].type
    sizes = kind.sizes() if isinstance(kind, VTensorType) else None
    return sizes is not None and DYNAMIC not in sizes and prod(sizes) <= length


def _counts(
    value: SSAValue, steps: dict[SSAValue, int], varying: Container[SSAValue]
) -> bool:
    """Whether an int begins with small numbers and is changed by such; `steps` gets
    the bits of each small number, and 0 for what is met."""
    if value in steps:
        return True
    bits = _bits_of_small(value, varying)
    steps[value] = bits or 0
    if bits is not None:
        return True
    owner = value.owner
    if isinstance(owner, BinaryOp):
        pair = (owner.lhs, owner.rhs)
        changes = any(_bits_of_small(one, varying) is not None for one in pair)
        changes = changes and owner.kind.data in ("add", "sub")
        return changes and all(_counts(one, steps, varying) for one in pair)
    if isinstance(owner, UnaryOp):
        return owner.kind.data == "neg" and _counts(owner.operand, steps, varying)
    if isinstance(owner, SelectOp):
        sides = (owner.if_true, owner.if_false)
        return all(_counts(one, steps, varying) for one in sides)
    around = owner if isinstance(owner, Operation) else owner.parent_op()
    if isinstance(around, (IfOp, ScopeOp, WhileOp)) and value.type == IntT:
        incoming = around.incoming(value)
        met = all(_counts(one, steps, varying) for one in incoming)
        return bool(incoming) and met
    return False


def _bits_of_small(value: SSAValue, varying: Container[SSAValue]) -> int | None:
    """Bits of an int that is small: a constant, a number of elements, made of a float
    in a group, or what is left by a small one. None: it is none of these."""
    owner = value.owner
    if isinstance(owner, PositionOp):
        length = owner.known_keys
        return length.bit_length() if isinstance(length, int) else None
    if isinstance(owner, ItemOp) and isinstance(owner.operand.owner, Operation):
        return _bits_of_count(owner.operand.owner)
    if isinstance(owner, BinaryOp) and owner.kind.data == "mod":
        is_int = type(constant_of(owner.rhs)) is int
        return _bits_of_small(owner.rhs, varying) if is_int else None
    if isinstance(owner, Operation) and _is_int_of_float(owner, varying):
        return SMALL
    known = constant_of(value)
    if isinstance(known, int) and abs(known) < 2**SMALL:
        return known.bit_length()
    return None


def _bits_of_count(op: Operation) -> int | None:
    """The same where an op gives places of elements, or how many truths there are."""
    kind = op.operands[0].type if op.operands else None
    if not isinstance(kind, VTensorType):
        return None
    is_sum = op.name in ("torch.aten.sum", "torch.aten.sum.dim_IntList")
    if op.name not in _PLACES and not (is_sum and kind.element_type() == i1):
        return None
    sizes = kind.sizes()
    if sizes is None or DYNAMIC in sizes:
        return SMALL
    return min(prod(sizes).bit_length(), SMALL)
