"""Numbers of the host that differ from row to row: tensors with one for each.

Before                              After
------                              -----
%c = dycl.item %t                   (%t with a truth for each row)
%n = dycl.unary not %c              %n = torch.aten.logical_not %tb
%y = dycl.select %n, %a, %b         %y = torch.aten.where.self %n, %ab, %bb

Python's ints have no end, and those of tensors do: arithmetic is left to a run row by
row.
"""

from collections.abc import Callable, Sequence
from typing import cast

from xdsl.dialects.builtin import i1
from xdsl.ir import Operation, SSAValue

from dycl.ir import BinaryOp, CompareOp, PositionOp, SelectOp, UnaryOp
from dycl.ir.torch import BoolT, FloatT, IntT, VTensorType
from dycl.passes.rows.batches import batch_of, si64, tail_in
from dycl.passes.rows.operands import Operands

AsBatch = Callable[[SSAValue], SSAValue]
ScalarRule = Callable[[Operands, AsBatch], Sequence[SSAValue]]

_TRUTHS = batch_of((), i1)
_INTS = batch_of((), si64)


def _unary(given: Operands, batch: AsBatch) -> list[SSAValue]:
    op = cast(UnaryOp, given.op)
    if op.kind.data != "not" or op.operand.type != BoolT:
        raise given.cannot("its number differs from row to row")
    return [given.emit.aten("logical_not", [batch(op.operand)], _TRUTHS)]


def _binary(given: Operands, batch: AsBatch) -> list[SSAValue]:
    op = cast(BinaryOp, given.op)
    names = {"and": "logical_and", "or": "logical_or", "xor": "logical_xor"}
    if op.kind.data not in names or {op.lhs.type, op.rhs.type} != {BoolT}:
        raise given.cannot("its number differs from row to row")
    pair = [batch(op.lhs), batch(op.rhs)]
    return [given.emit.aten(names[op.kind.data], pair, _TRUTHS)]


def _compare(given: Operands, batch: AsBatch) -> list[SSAValue]:
    op = cast(CompareOp, given.op)
    kinds = {op.lhs.type, op.rhs.type}
    is_order = op.kind.data in ("lt", "le", "gt", "ge", "eq", "ne")
    if not is_order or len(kinds) != 1 or not kinds <= {IntT, FloatT}:
        raise given.cannot("it compares numbers of different kinds")
    pair = [batch(op.lhs), batch(op.rhs)]
    return [given.emit.aten(f"{op.kind.data}.Tensor", pair, _TRUTHS)]


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
    if op.error.data:
        _check(given, op, key, length)
    zero = emit.operand(0)
    below = emit.aten("lt.Scalar", [key, zero], _TRUTHS)
    from_end = emit.aten("add.Scalar", [key, length, 1], _INTS)
    place = emit.aten("where.self", [below, from_end, key], _INTS)
    if op.error.data:
        return [place]
    outside = _outside(given, key, length)
    return [emit.aten("masked_fill.Scalar", [place, outside, length], _INTS)]


def _outside(given: Operands, key: SSAValue, length: int) -> SSAValue:
    emit = given.emit
    low = emit.aten("lt.Scalar", [key, -length], _TRUTHS)
    high = emit.aten("ge.Scalar", [key, length], _TRUTHS)
    return emit.aten("logical_or", [low, high], _TRUTHS)


def _check(given: Operands, op: PositionOp, key: SSAValue, length: int) -> None:
    """Let the host look at one key: the first that is out of range, if any is."""
    emit = given.emit
    outside = _outside(given, key, length)
    kept = emit.aten("logical_not", [outside], _TRUTHS)
    bad = emit.aten("masked_fill.Scalar", [key, kept, 0], _INTS)
    one = VTensorType.of((1,), si64)
    none = emit.aten("zeros", [[1], 4, None, None, None], one)
    all_of_them = emit.aten("cat", [[none, bad], 0], _INTS)
    truths = emit.aten("to.dtype", [outside, 4, False, False, None], _INTS)
    flags = emit.aten("cat", [[none, truths], 0], _INTS)
    first = emit.aten("argmax", [flags, 0, False], VTensorType.of((), si64))
    place = emit.aten("unsqueeze", [first, 0], one)
    chosen = emit.aten("index_select", [all_of_them, 0, place], one)
    looked_at = PositionOp(emit.item(chosen, IntT), op.keys, op.error.data)
    looked_at.results[0]._type = op.result.type  # pyright: ignore
    emit.put(looked_at)


SCALARS: dict[type[Operation], ScalarRule] = {
    UnaryOp: _unary,
    BinaryOp: _binary,
    CompareOp: _compare,
    SelectOp: _select,
    PositionOp: _position,
}
