"""Arithmetic on ints of the host that differ from row to row.

one row                          many rows
-------                          ---------
%n = dycl.binary mul %a, %b      dycl.effect "torch._check"(%fits, "..")
                                 %n = torch.aten.mul.Tensor %ab, %bb

Python's ints have no end, and those of tensors do. Where a result may not fit
(`dycl.passes.rows.bounds`), or a divisor may be 0, the host looks at all rows first. If
one of them fails the check, the group raises, and the runtime runs its rows one by one:
so each has what Python gives.
"""

from collections.abc import Callable, Container
from typing import cast

from xdsl.dialects.builtin import f64, i1
from xdsl.ir import Operation, SSAValue

from dycl.ir import BinaryOp, BuiltinOp, ConstantOp, EffectOp
from dycl.ir.dialect.effects import CHECKS
from dycl.ir.torch import BoolT, FloatT, IntT, StrT, VTensorType
from dycl.ir.values import to_attr
from dycl.passes.rows.batches import batch_of, si64
from dycl.passes.rows.bounds import FLOAT, WIDE, bits_of, constant_of
from dycl.passes.rows.emission import Emitter
from dycl.passes.rows.operands import Operands

AsBatch = Callable[[SSAValue], SSAValue]

TRUTHS, INTS, FLOATS = batch_of((), i1), batch_of((), si64), batch_of((), f64)
TOO_LARGE = "an int of some row is too large for the rows to be computed together"
NO_DIVISOR = "some row divides by 0"


def demand(emit: Emitter, holds: SSAValue, why: str) -> None:
    """End the run of a group unless a batch of truths is true of all rows."""
    whole = emit.aten("all", [holds], VTensorType.of((), i1))
    text = emit.value(ConstantOp(to_attr(why), StrT))
    check = CHECKS["RuntimeError"]
    emit.put(EffectOp(check, [emit.item(whole, BoolT), text], {}))


def demand_within(emit: Emitter, numbers: SSAValue, bits: int) -> None:
    """Of ints or floats; a NaN is not."""
    above = emit.aten("gt.Scalar", [numbers, -(2**bits)], TRUTHS)
    below = emit.aten("lt.Scalar", [numbers, 2**bits], TRUTHS)
    demand(emit, emit.aten("logical_and", [above, below], TRUTHS), TOO_LARGE)


def as_int(emit: Emitter, batch: AsBatch, value: SSAValue) -> SSAValue:
    """An int, or a bool as one."""
    found = batch(value)
    if value.type != BoolT:
        return found
    return emit.as_dtype(found, si64)


def as_float(given: Operands, batch: AsBatch, value: SSAValue) -> SSAValue:
    """A float, or an int that is equal to one."""
    if value.type == FloatT:
        return batch(value)
    if value.type not in (IntT, BoolT):
        raise given.cannot("it takes numbers of different kinds")
    emit, numbers = given.emit, batch(value)
    if given.bits(value) > FLOAT:
        demand_within(emit, numbers, FLOAT)
    return emit.as_dtype(numbers, f64)


def of_ints(given: Operands, batch: AsBatch) -> SSAValue:
    """An operation on two ints."""
    op = cast(BinaryOp, given.op)
    emit, kind = given.emit, op.kind.data
    if kind == "pow" and constant_of(op.rhs) == 2:
        number = as_int(emit, batch, op.lhs)
        return _product(given, number, number)
    if kind == "pow" and constant_of(op.rhs) == 3:
        return _cube(given, as_int(emit, batch, op.lhs))
    if kind not in _INTS:
        raise given.cannot("its number differs from row to row")
    pair = [as_int(emit, batch, one) for one in (op.lhs, op.rhs)]
    return _INTS[kind](given, *pair)


def _sum(given: Operands, lhs: SSAValue, rhs: SSAValue) -> SSAValue:
    op, emit = cast(BinaryOp, given.op), given.emit
    for value, numbers in ((op.lhs, lhs), (op.rhs, rhs)):
        if given.bits(value) > WIDE:
            demand_within(emit, numbers, WIDE)
    return emit.aten(f"{op.kind.data}.Tensor", [lhs, rhs, 1], INTS)


def _product(given: Operands, lhs: SSAValue, rhs: SSAValue) -> SSAValue:
    op, emit = cast(BinaryOp, given.op), given.emit
    other = op.lhs if lhs is rhs else op.rhs
    if given.bits(op.lhs) + given.bits(other) > WIDE:
        floats = [emit.as_dtype(numbers, f64) for numbers in (lhs, rhs)]
        # One bit to spare: a float may be less than the int that it is made of.
        demand_within(emit, emit.aten("mul.Tensor", floats, FLOATS), WIDE - 1)
    return emit.aten("mul.Tensor", [lhs, rhs], INTS)


def _cube(given: Operands, number: SSAValue) -> SSAValue:
    op, emit = cast(BinaryOp, given.op), given.emit
    if 3 * given.bits(op.lhs) > WIDE:
        demand_within(emit, number, WIDE // 3)
    square = emit.aten("mul.Tensor", [number, number], INTS)
    return emit.aten("mul.Tensor", [square, number], INTS)


def _shifted(given: Operands, lhs: SSAValue, rhs: SSAValue) -> SSAValue:
    """By as many bits as a tensor's int has. Python raises of fewer than none."""
    op, emit = cast(BinaryOp, given.op), given.emit
    most, bits = _MOST_SHIFTED[op.kind.data], constant_of(op.rhs)
    if bits is None or not 0 <= bits <= most:
        fits = [emit.aten("ge.Scalar", [rhs, 0], TRUTHS)]
        fits.append(emit.aten("le.Scalar", [rhs, most], TRUTHS))
        demand(emit, emit.aten("logical_and", fits, TRUTHS), TOO_LARGE)
        rhs = emit.aten("clamp", [rhs, 0, most], INTS)
    if op.kind.data == "rshift":
        return emit.aten("bitwise_right_shift.Tensor", [lhs, rhs], INTS)
    if given.bits(op.lhs) + (most if bits is None else int(bits)) > WIDE:
        # What is left of 62 bits; a number of fewer stays within them.
        room = emit.aten("rsub.Scalar", [rhs, WIDE, 1], INTS)
        beyond = emit.aten("bitwise_right_shift.Tensor", [lhs, room], INTS)
        inside = [emit.aten("eq.Scalar", [beyond, end], TRUTHS) for end in (0, -1)]
        demand(emit, emit.aten("logical_or", inside, TRUTHS), TOO_LARGE)
    return emit.aten("bitwise_left_shift.Tensor", [lhs, rhs], INTS)


def _quotient(given: Operands, lhs: SSAValue, rhs: SSAValue) -> SSAValue:
    emit = given.emit
    quotient, rest, divisor = _divided(given, lhs, rhs)
    below = is_below(emit, rest, divisor)
    return emit.aten("sub.Tensor", [quotient, emit.as_dtype(below, si64), 1], INTS)


def _rest(given: Operands, lhs: SSAValue, rhs: SSAValue) -> SSAValue:
    emit = given.emit
    _, rest, divisor = _divided(given, lhs, rhs)
    more = emit.aten("add.Tensor", [rest, divisor, 1], INTS)
    below = is_below(emit, rest, divisor)
    return emit.aten("where.self", [below, more, rest], INTS)


def _divided(
    given: Operands, lhs: SSAValue, rhs: SSAValue
) -> tuple[SSAValue, SSAValue, SSAValue]:
    """The quotient rounded towards 0, what is left, and the divisor.

    A processor ends the process on a division by 0, and of the smallest int by -1: no
    kernel does either, as kernels run before the host looks.
    """
    op, emit = cast(BinaryOp, given.op), given.emit
    if constant_of(op.rhs) in (None, 0, -1):
        is_zero = emit.aten("eq.Scalar", [rhs, 0], TRUTHS)
        demand(emit, emit.aten("logical_not", [is_zero], TRUTHS), NO_DIVISOR)
        rhs = emit.aten("masked_fill.Scalar", [rhs, is_zero, 1], INTS)
        if given.bits(op.lhs) > WIDE:
            demand_within(emit, lhs, WIDE)
            lhs = emit.aten("clamp", [lhs, -(2**WIDE), 2**WIDE], INTS)
    quotient = emit.aten("div.Tensor_mode", [lhs, rhs, "trunc"], INTS)
    whole = emit.aten("mul.Tensor", [quotient, rhs], INTS)
    return quotient, emit.aten("sub.Tensor", [lhs, whole, 1], INTS), rhs


def is_below(emit: Emitter, rest: SSAValue, divisor: SSAValue) -> SSAValue:
    """Where the floor is one less than the quotient rounded towards 0."""
    some = emit.aten("ne.Scalar", [rest, 0], TRUTHS)
    signs = [emit.aten("lt.Scalar", [one, 0], TRUTHS) for one in (rest, divisor)]
    differ = emit.aten("logical_xor", signs, TRUTHS)
    return emit.aten("logical_and", [some, differ], TRUTHS)


def _bits(given: Operands, lhs: SSAValue, rhs: SSAValue) -> SSAValue:
    kind = cast(BinaryOp, given.op).kind.data
    return given.emit.aten(f"bitwise_{kind}.Tensor", [lhs, rhs], INTS)


_INTS: dict[str, Callable[[Operands, SSAValue, SSAValue], SSAValue]] = {
    **dict.fromkeys(("add", "sub"), _sum),
    "mul": _product,
    "floordiv": _quotient,
    "mod": _rest,
    **dict.fromkeys(("and", "or", "xor"), _bits),
    **dict.fromkeys(("lshift", "rshift"), _shifted),
}
"""Operations on two ints that give an int."""
_MOST_SHIFTED = {"lshift": WIDE, "rshift": 63}
"""By how many bits the ints of a tensor are shifted."""


def checks_of(op: Operation, varying: Container[SSAValue]) -> int:
    """How often the host looks at all rows for an op, at most; `varying` are the values
    that differ from row to row."""
    if isinstance(op, BuiltinOp):
        return 1
    if not isinstance(op, BinaryOp):
        return 0
    kind, pair = op.kind.data, (op.lhs, op.rhs)
    divides = kind in ("truediv", "floordiv", "mod")
    count = int(divides and constant_of(op.rhs) in (None, 0, -1))
    sizes = [bits_of(value, varying) for value in pair if value.type == IntT]
    if FloatT in (op.result.type, op.lhs.type, op.rhs.type):
        count += kind == "pow"
        return count + sum(size > FLOAT for size in sizes)
    if kind in ("lshift", "rshift"):
        return _checks_of_shift(op, bits_of(op.lhs, varying))
    if kind == "pow" and constant_of(op.rhs) == 3:
        return int(3 * bits_of(op.lhs, varying) > WIDE)
    if kind in ("mul", "pow"):
        return count + (sum(sizes) > WIDE)
    if kind in ("add", "sub"):
        return count + sum(size > WIDE for size in sizes)
    return count


def _checks_of_shift(op: BinaryOp, size: int) -> int:
    kind, bits = op.kind.data, constant_of(op.rhs)
    most = _MOST_SHIFTED[kind]
    count = int(bits is None or not 0 <= bits <= most)
    if kind == "rshift":
        return count
    return count + (size + (most if bits is None else int(bits)) > WIDE)
