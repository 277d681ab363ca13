"""Tuples that modules and functions of torch return: `out, state = lstm(x, state)`.

Before                           After
------                           -----
%r = dycl.call %chunk(%x, %two)  %r = dycl.call %chunk(%x, %two)
%y = dycl.if %p -> (T) {         %v, %w = dycl.unpack %r -> 2
  dycl.yield %r                  %u = dycl.tuple(%v, %w)
} else {                         %y = dycl.if %p -> (T) {
  dycl.yield %t                    dycl.yield %u
}                                } else {
dycl.return %y                     dycl.yield %t
                                 }
                                 dycl.return %y

A loop or branch forwards a known tuple item by item (`dycl-scalarize-aggregates`). That
a module returns a tuple, shape inference is the first to know.
"""

from typing import cast

from xdsl.ir import Operation, OpResult, SSAValue

from dycl.analysis.tensors.abstract import Tensor, leaves
from dycl.analysis.tensors.shapes import Inference
from dycl.ir import (
    CallOp,
    InvokeOp,
    TupleOp,
    UnpackOp,
)
from dycl.ir.interfaces import forwarded_to
from dycl.ir.rewriting import insert_after

_GIVES = (CallOp, InvokeOp, UnpackOp)
_CUTS = (CallOp, InvokeOp)


def spread(value: SSAValue, inference: Inference) -> None:
    """Take a tuple that is forwarded apart, and put it together again."""
    if not isinstance(value, OpResult) or not isinstance(value.op, _GIVES):
        return
    abstract = inference.of(value)
    if type(abstract) is not tuple or length_is_assumed(value, inference):
        return
    items = cast("tuple[object, ...]", abstract)
    if not items or not all(isinstance(v, (Tensor, tuple)) for v in items):
        return
    if not any(forwarded_to(use.operation, use.index) for use in value.uses):
        return
    apart = UnpackOp(value, len(items))
    tuple_op = TupleOp(apart.items)
    tuple_op.result.name_hint = value.name_hint
    _put_behind(value.op, apart, tuple_op)
    value.replace_uses_with_if(tuple_op.result, lambda use: use.operation is not apart)


def length_is_assumed(value: SSAValue, inference: Inference) -> bool:
    """Whether a tuple has views of a tensor, as many as torch took its size to give.

    Of `x.split(4)` the run decides how many: `dycl-expand-builtins` cuts them.
    """
    op = value.owner
    outcome = inference.outcomes.get(op) if isinstance(op, _CUTS) else None
    if outcome is None or not outcome.requires:
        return False
    views = {result for result, _ in outcome.aliases}
    parts = list(leaves(inference.of(value)))
    return bool(parts) and views.issuperset(range(len(parts)))


def _put_behind(op: Operation, *new: Operation) -> None:
    insert_after(op, *new)
