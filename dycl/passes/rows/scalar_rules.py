"""Numbers of the host that differ from row to row: tensors with one for each.

one row                             many rows
-------                             ---------
%c = dycl.item %t                   (%t with a truth for each row)
%n = dycl.unary not %c              %n = torch.aten.logical_not %tb
%y = dycl.select %n, %a, %b         %y = torch.aten.where.self %n, %ab, %bb

Floats are computed as Python does it (`float_rules`), and ints as long as those of
tensors do (`int_rules`).
"""

from collections.abc import Callable, Sequence
from typing import cast

from xdsl.ir import Operation, SSAValue

from dycl.ir import (
    BinaryOp,
    BuiltinOp,
    CompareOp,
    PositionOp,
    SelectOp,
    ToBoolOp,
    UnaryOp,
)
from dycl.ir.torch import BoolT, FloatT, IntT, VTensorType
from dycl.passes.rows.batches import si64, tail_in
from dycl.passes.rows.bounds import WIDE, is_place
from dycl.passes.rows.float_rules import of_floats
from dycl.passes.rows.function_rules import function
from dycl.passes.rows.int_rules import (
    FLOATS,
    INTS,
    TRUTHS,
    AsBatch,
    as_float,
    as_int,
    demand_within,
    of_ints,
)
from dycl.passes.rows.operands import Operands

ScalarRule = Callable[[Operands, AsBatch], Sequence[SSAValue]]

_OF_TRUTHS = {"and": "logical_and", "or": "logical_or", "xor": "logical_xor"}


def _unary(given: Operands, batch: AsBatch) -> list[SSAValue]:
    op = cast(UnaryOp, given.op)
    emit, kind, value = given.emit, op.kind.data, op.operand
    if kind == "not" and value.type == BoolT:
        return [emit.aten("logical_not", [batch(value)], TRUTHS)]
    if kind == "not" and value.type in (IntT, FloatT):
        return [emit.aten("eq.Scalar", [batch(value), 0], TRUTHS)]
    if kind == "neg" and value.type == FloatT:
        return [emit.aten("neg", [batch(value)], FLOATS)]
    if kind == "neg" and value.type == IntT:
        if given.bits(value) > WIDE:
            demand_within(emit, batch(value), WIDE)
        # torch-mlir negates ints as floats (`dycl/analysis/torch_fixes`).
        return [emit.aten("mul.Scalar", [batch(value), -1], INTS)]
    if kind == "invert" and value.type in (IntT, BoolT):
        turned = emit.aten("mul.Scalar", [as_int(emit, batch, value), -1], INTS)
        return [emit.aten("sub.Scalar", [turned, 1, 1], INTS)]  # wraps to what it is
    raise given.cannot("its number differs from row to row")


def _to_bool(given: Operands, batch: AsBatch) -> list[SSAValue]:
    """Whether a number is not 0; NaN is not."""
    op = cast(ToBoolOp, given.op)
    if op.operand.type not in (IntT, FloatT):
        raise given.cannot("its value differs from row to row")
    return [given.emit.aten("ne.Scalar", [batch(op.operand), 0], TRUTHS)]


def _binary(given: Operands, batch: AsBatch) -> list[SSAValue]:
    op = cast(BinaryOp, given.op)
    kinds, name = {op.lhs.type, op.rhs.type}, _OF_TRUTHS.get(op.kind.data)
    if kinds == {BoolT} and name is not None:
        return [given.emit.aten(name, [batch(op.lhs), batch(op.rhs)], TRUTHS)]
    if not kinds <= {BoolT, IntT, FloatT}:
        raise given.cannot("its number differs from row to row")
    if FloatT in kinds or op.kind.data == "truediv":
        return [of_floats(given, batch)]
    return [of_ints(given, batch)]


def _compare(given: Operands, batch: AsBatch) -> list[SSAValue]:
    op = cast(CompareOp, given.op)
    kinds = {op.lhs.type, op.rhs.type}
    is_order = op.kind.data in ("lt", "le", "gt", "ge", "eq", "ne")
    if not is_order or not kinds <= {IntT, FloatT}:
        raise given.cannot("it compares numbers of different kinds")
    pair = [batch(op.lhs), batch(op.rhs)]
    if len(kinds) > 1:
        pair = [as_float(given, batch, one) for one in (op.lhs, op.rhs)]
    return [given.emit.aten(f"{op.kind.data}.Tensor", pair, TRUTHS)]


def _select(given: Operands, batch: AsBatch) -> list[SSAValue]:
    op = cast(SelectOp, given.op)
    kind = given.result_type()
    sides = [batch(op.if_true), batch(op.if_false)]
    if any(side.type != kind for side in sides):
        raise given.cannot("its sides are of different shapes")
    condition = batch(op.condition)
    tail = tail_in(kind)
    if tail:
        condition = given.emit.seen_as(condition, (1,) * len(tail))
    return [given.emit.aten("where.self", [condition, *sides], kind)]


def _position(given: Operands, batch: AsBatch) -> list[SSAValue]:
    """An index of a sequence: one that is out of range raises, as the host does."""
    op = cast(PositionOp, given.op)
    length = op.known_keys
    if not isinstance(length, int) or op.key.type != IntT:
        raise given.cannot("a key differs from row to row")
    emit, key = given.emit, batch(op.key)
    if is_place(op.key, length):
        return [key]
    if op.error.data:
        _check(given, op, key, length)
    zero = emit.operand(0)
    below = emit.aten("lt.Scalar", [key, zero], TRUTHS)
    from_end = emit.aten("add.Scalar", [key, length, 1], INTS)
    place = emit.aten("where.self", [below, from_end, key], INTS)
    if op.error.data:
        return [place]
    outside = _outside(given, key, length)
    return [emit.aten("masked_fill.Scalar", [place, outside, length], INTS)]


def _outside(given: Operands, key: SSAValue, length: int) -> SSAValue:
    emit = given.emit
    low = emit.aten("lt.Scalar", [key, -length], TRUTHS)
    high = emit.aten("ge.Scalar", [key, length], TRUTHS)
    return emit.aten("logical_or", [low, high], TRUTHS)


def _check(given: Operands, op: PositionOp, key: SSAValue, length: int) -> None:
    """Let the host look at one key: the first that is out of range, if any is."""
    emit = given.emit
    outside = _outside(given, key, length)
    kept = emit.aten("logical_not", [outside], TRUTHS)
    bad = emit.aten("masked_fill.Scalar", [key, kept, 0], INTS)
    one = VTensorType.of((1,), si64)
    none = emit.aten("zeros", [[1], 4, None, None, None], one)
    all_of_them = emit.aten("cat", [[none, bad], 0], INTS)
    truths = emit.as_dtype(outside, si64)
    flags = emit.aten("cat", [[none, truths], 0], INTS)
    first = emit.aten("argmax", [flags, 0, False], VTensorType.of((), si64))
    place = emit.aten("unsqueeze", [first, 0], one)
    chosen = emit.aten("index_select", [all_of_them, 0, place], one)
    looked_at = PositionOp(emit.item(chosen, IntT), op.keys, op.error.data)
    looked_at.results[0]._type = op.result.type  # pyright: ignore
    emit.put(looked_at)


SCALARS: dict[type[Operation], ScalarRule] = {
    UnaryOp: _unary,
    ToBoolOp: _to_bool,
    BuiltinOp: function,
    BinaryOp: _binary,
    CompareOp: _compare,
    SelectOp: _select,
    PositionOp: _position,
}
