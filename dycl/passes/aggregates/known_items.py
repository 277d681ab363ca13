"""What goes over a tensor, a tuple or a size of a run goes over items that are known.

Before                          After
------                          -----
%u = dycl.invoke %x "unbind"()  %u = dycl.invoke %x "unbind"()
%l = dycl.call %list(%u)        %0, %1, %2 = dycl.unpack %u -> 3
dycl.return %l                  %3 = dycl.tuple(%0, %1, %2)
                                %l = dycl.call %list(%3)
                                dycl.return %l

How many items there are, the rank of a tensor says, or its first size.
"""

from collections.abc import Sequence
from typing import cast

from xdsl.ir import Block, Operation, SSAValue

from dycl.analysis.folding.items import MOST_ROWS
from dycl.analysis.folding.iterators import ITERATORS
from dycl.analysis.tensors.abstract import OpenSizes, Scalar, Tensor
from dycl.analysis.tensors.shapes import Inference
from dycl.ir import (
    BinaryOp,
    CallOp,
    CompareOp,
    ForOp,
    InvokeOp,
    SubscriptOp,
    TupleOp,
    UnpackOp,
)
from dycl.ir.constant_values import constant_name
from dycl.ir.rewriting import insert_before
from dycl.passes.aggregates.torch_tuples import length_is_assumed

READERS = (ForOp, CallOp, InvokeOp, UnpackOp, BinaryOp, CompareOp, SubscriptOp)
"""Ops of which some go over items."""
_MAKERS = ITERATORS | {"builtins.list", "builtins.tuple"}
"""What makes something else of items: one that is made of another has its items."""
_FOLDS = frozenset(
    (
        *("builtins.all", "builtins.any", "builtins.max", "builtins.min"),
        *("builtins.sorted", "builtins.sum", "math.prod"),
    )
)
_SEARCHES = ("count", "index")
"""Methods of tuples."""


def take_operands_apart(op: Operation, inference: Inference) -> None:
    """Where an op goes over a tensor or tuple, make it go over its items."""
    match op:
        case ForOp():
            _take_apart(op, 0, inference)
        case CallOp() if _is_iterator(op):
            for index, operand in enumerate(op.operands):
                given = isinstance(inference.of(operand), tuple)
                if given and not _is_iterator(operand.owner):
                    _take_apart(op, index, inference)
        case CallOp() if constant_name(op.callee) in _FOLDS:
            if len(op.positional) and _is_open_size(op.positional[0], inference):
                _take_apart(op, 1, inference)
        case InvokeOp() if op.method.data in _SEARCHES:
            if _is_open_size(op.receiver, inference):
                _take_apart(op, 0, inference)
        case UnpackOp() if op.star is not None:
            if _is_open_size(op.operand, inference):
                _take_apart(op, 0, inference)
        case BinaryOp() | CompareOp() | SubscriptOp():
            _take_shapes_apart(op, inference)
        case _:
            pass


def _is_iterator(op: Operation | Block) -> bool:
    """Whether an op makes something of items: `zip`, `map`, `list` and their like."""
    return isinstance(op, CallOp) and constant_name(op.callee) in _MAKERS


def _is_open_size(value: SSAValue, inference: Inference) -> bool:
    return isinstance(inference.of(value), OpenSizes)


def _take_apart(op: Operation, index: int, inference: Inference) -> None:
    """A loop over a tensor, or what `x.unbind()` gives, goes over known items.

    So does `zip` with what a module gives.
    """
    iterable = op.operands[index]
    is_apart = isinstance(iterable.owner, TupleOp)
    if is_apart or length_is_assumed(iterable, inference):
        return
    whole = inference.of(iterable)
    if isinstance(whole, Tensor) and whole.shape:
        count = whole.shape[0]
    elif isinstance(whole, tuple) and (
        any(isinstance(v, Tensor | Scalar) for v in whole)
        or (not whole and isinstance(iterable.owner, CallOp | InvokeOp))
    ):
        count = len(cast("tuple[object, ...]", whole))
    else:
        return
    if not isinstance(count, int) or not 0 <= count <= MOST_ROWS:
        return
    if count == 0:
        nothing = TupleOp([])
        insert_before(op, nothing)
        op.operands[index] = nothing.result
        return
    unpack = UnpackOp(iterable, count)
    items = TupleOp(unpack.items)
    insert_before(op, unpack, items)
    op.operands[index] = items.result


def _take_shapes_apart(
    op: BinaryOp | CompareOp | SubscriptOp, inference: Inference
) -> None:
    """`y.shape == (n, 2)` and `y.shape[1:]` are about sizes, some of a run."""
    operands: Sequence[SSAValue] = op.operands
    if isinstance(op, SubscriptOp):  # a part of a `torch.Size` is one as well
        whole, index = inference.of(op.operand), inference.of(op.index)
        is_part = isinstance(index, slice) and not isinstance(whole, OpenSizes)
        operands = [op.operand] if is_part else []
    for index, operand in enumerate(operands):
        whole = inference.of(operand)
        if isinstance(whole, tuple) and any(isinstance(v, Scalar) for v in whole):
            _take_apart(op, index, inference)
