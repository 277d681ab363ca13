"""Numbers of the host that differ from row to row: tensors with one for each.

one row                             many rows
-------                             ---------
%c = dycl.item %t                   (%t with a truth for each row)
%n = dycl.unary not %c              %n = torch.aten.logical_not %tb
%y = dycl.select %n, %a, %b         %y = torch.aten.where.self %n, %ab, %bb

Python's ints have no end, and those of tensors do: arithmetic is left to a run row by
row, unless it counts. A counter begins with a constant and is changed by constants, so
that no run is long enough for it to come to an end.
"""

from collections.abc import Callable, Sequence
from typing import cast

from xdsl.dialects.builtin import i1
from xdsl.ir import Operation, SSAValue

from dycl.ir import (
    BinaryOp,
    CompareOp,
    ConstantOp,
    IfOp,
    PositionOp,
    ScopeOp,
    SelectOp,
    UnaryOp,
    WhileOp,
)
from dycl.ir.torch import BoolT, FloatT, IntT, VTensorType
from dycl.ir.values import from_attr
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
    if op.kind.data in ("add", "sub") and is_counter(op.result):
        name = f"{op.kind.data}.Tensor"
        return [given.emit.aten(name, [batch(op.lhs), batch(op.rhs), 1], _INTS)]
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


_SMALL = 2**31


def is_counter(value: SSAValue, met: set[SSAValue] | None = None) -> bool:
    """Whether an int begins with constants and is changed by constants."""
    met = set() if met is None else met
    if value in met:
        return True
    met.add(value)
    owner = value.owner
    if _is_small(value):
        return True
    if isinstance(owner, BinaryOp):
        pair = (owner.lhs, owner.rhs)
        changes = owner.kind.data in ("add", "sub") and any(map(_is_small, pair))
        return changes and all(is_counter(one, met) for one in pair)
    if isinstance(owner, SelectOp):
        return is_counter(owner.if_true, met) and is_counter(owner.if_false, met)
    around = owner if isinstance(owner, Operation) else owner.parent_op()
    if isinstance(around, (IfOp, ScopeOp, WhileOp)) and value.type == IntT:
        incoming = around.incoming(value)
        return bool(incoming) and all(is_counter(one, met) for one in incoming)
    return False


def _is_small(value: SSAValue) -> bool:
    owner = value.owner
    if not isinstance(owner, ConstantOp):
        return False
    known = from_attr(owner.value)
    return type(known) is int and abs(known) < _SMALL


SCALARS: dict[type[Operation], ScalarRule] = {
    UnaryOp: _unary,
    BinaryOp: _binary,
    CompareOp: _compare,
    SelectOp: _select,
    PositionOp: _position,
}
