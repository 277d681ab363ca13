"""Numbers of the host that differ from row to row: tensors with one for each.

one row                             many rows
-------                             ---------
%c = dycl.item %t                   (%t with a truth for each row)
%n = dycl.unary not %c              %n = torch.aten.logical_not %tb
%y = dycl.select %n, %a, %b         %y = torch.aten.where.self %n, %ab, %bb

Floats are added, subtracted and multiplied as Python does it. Python's ints have no
end, and those of tensors do: arithmetic is left to a run row by row, unless it counts.
A counter begins with a constant, or with a number of elements, and is changed by such
numbers, so that no run is long enough for it to come to an end.
"""

from collections.abc import Callable, Sequence
from math import prod
from typing import cast

from xdsl.dialects.builtin import f64, i1
from xdsl.ir import Operation, SSAValue

from dycl.ir import (
    BinaryOp,
    CompareOp,
    ConstantOp,
    IfOp,
    ItemOp,
    PositionOp,
    ScopeOp,
    SelectOp,
    UnaryOp,
    WhileOp,
)
from dycl.ir.torch import DYNAMIC, BoolT, FloatT, IntT, VTensorType
from dycl.ir.values import from_attr
from dycl.passes.rows.batches import batch_of, si64, tail_in
from dycl.passes.rows.emission import NUMBERS_OF_DTYPES
from dycl.passes.rows.operands import Operands

AsBatch = Callable[[SSAValue], SSAValue]
ScalarRule = Callable[[Operands, AsBatch], Sequence[SSAValue]]

_TRUTHS = batch_of((), i1)
_INTS = batch_of((), si64)
_FLOATS = batch_of((), f64)
_OF_FLOATS = ("add", "sub", "mul")
"""Python's operations on floats that never raise, as none of tensors' do."""


def _unary(given: Operands, batch: AsBatch) -> list[SSAValue]:
    op = cast(UnaryOp, given.op)
    if op.kind.data == "neg" and op.operand.type == FloatT:
        return [given.emit.aten("neg", [batch(op.operand)], _FLOATS)]
    if op.kind.data == "neg" and is_counter(op.operand):
        return [given.emit.aten("neg", [batch(op.operand)], _INTS)]
    if op.kind.data != "not" or op.operand.type != BoolT:
        raise given.cannot("its number differs from row to row")
    return [given.emit.aten("logical_not", [batch(op.operand)], _TRUTHS)]


def _binary(given: Operands, batch: AsBatch) -> list[SSAValue]:
    op = cast(BinaryOp, given.op)
    if op.kind.data in ("add", "sub") and is_counter(op.result):
        name = f"{op.kind.data}.Tensor"
        return [given.emit.aten(name, [batch(op.lhs), batch(op.rhs), 1], _INTS)]
    if op.kind.data in _OF_FLOATS and FloatT in (op.lhs.type, op.rhs.type):
        alpha = [] if op.kind.data == "mul" else [1]
        pair = [_as_float(given, batch, one) for one in (op.lhs, op.rhs)]
        name = f"{op.kind.data}.Tensor"
        return [given.emit.aten(name, [*pair, *alpha], _FLOATS)]
    if op.kind.data == "truediv" and op.lhs.type == FloatT and _is_divisor(op.rhs):
        pair = [batch(op.lhs), _as_float(given, batch, op.rhs)]
        return [given.emit.aten("div.Tensor", pair, _FLOATS)]
    names = {"and": "logical_and", "or": "logical_or", "xor": "logical_xor"}
    if op.kind.data not in names or {op.lhs.type, op.rhs.type} != {BoolT}:
        raise given.cannot("its number differs from row to row")
    pair = [batch(op.lhs), batch(op.rhs)]
    return [given.emit.aten(names[op.kind.data], pair, _TRUTHS)]


def _is_divisor(value: SSAValue) -> bool:
    """Whether a number is known not to be 0, by which Python does not divide."""
    owner = value.owner
    known = from_attr(owner.value) if isinstance(owner, ConstantOp) else 0
    return isinstance(known, (int, float)) and known != 0


def _as_float(given: Operands, batch: AsBatch, value: SSAValue) -> SSAValue:
    """A float; or an int that is surely small enough to be one."""
    if value.type == FloatT:
        return batch(value)
    if value.type != IntT or not is_counter(value):
        raise given.cannot("it takes numbers of different kinds")
    operands = [batch(value), NUMBERS_OF_DTYPES["f64"], False, False, None]
    return given.emit.aten("to.dtype", operands, _FLOATS)


def _compare(given: Operands, batch: AsBatch) -> list[SSAValue]:
    op = cast(CompareOp, given.op)
    kinds = {op.lhs.type, op.rhs.type}
    is_order = op.kind.data in ("lt", "le", "gt", "ge", "eq", "ne")
    if not is_order or not kinds <= {IntT, FloatT}:
        raise given.cannot("it compares numbers of different kinds")
    pair = [batch(op.lhs), batch(op.rhs)]
    if len(kinds) > 1:
        pair = [_as_float(given, batch, one) for one in (op.lhs, op.rhs)]
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
    if _is_place(op.key, length):
        return [key]
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


def _is_place(value: SSAValue, length: int) -> bool:
    """Whether an int is a place among at most so many elements."""
    item = value.owner
    found = item.operand.owner if isinstance(item, ItemOp) else None
    if not isinstance(found, Operation) or found.name not in _PLACES:
        return False
    kind = found.operands[0].type
    sizes = kind.sizes() if isinstance(kind, VTensorType) else None
    return sizes is not None and DYNAMIC not in sizes and prod(sizes) <= length


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
_PLACES = ("torch.aten.argmax", "torch.aten.argmin")


def is_counter(value: SSAValue, met: set[SSAValue] | None = None) -> bool:
    """Whether an int begins with small numbers and is changed by such."""
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
    if isinstance(owner, UnaryOp):
        return owner.kind.data == "neg" and is_counter(owner.operand, met)
    if isinstance(owner, SelectOp):
        return is_counter(owner.if_true, met) and is_counter(owner.if_false, met)
    around = owner if isinstance(owner, Operation) else owner.parent_op()
    if isinstance(around, (IfOp, ScopeOp, WhileOp)) and value.type == IntT:
        incoming = around.incoming(value)
        return bool(incoming) and all(is_counter(one, met) for one in incoming)
    return False


def _counts_elements(op: Operation) -> bool:
    """Whether an op gives places of elements, or how many truths there are."""
    if op.name in _PLACES:
        return True
    kind = op.operands[0].type if op.operands else None
    is_sum = op.name in ("torch.aten.sum", "torch.aten.sum.dim_IntList")
    return is_sum and isinstance(kind, VTensorType) and kind.element_type() == i1


def _is_small(value: SSAValue) -> bool:
    """Whether an int is a small constant, or counts elements of a tensor."""
    owner = value.owner
    if isinstance(owner, PositionOp):
        return isinstance(owner.known_keys, int)
    if isinstance(owner, ItemOp) and isinstance(owner.operand.owner, Operation):
        return _counts_elements(owner.operand.owner)
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
