"""What a copy knows of the value that its path gives, folded at once.

Before                              After
------                              -----
%h = dycl.if %p -> (T) {            %r = dycl.if %p -> (T) {
  dycl.yield %none                    %one = dycl.constant 1 : i64
} else {                              dycl.yield %one
  dycl.yield %x                     } else {
}                                     %y = dycl.call %f(%x)
%t = dycl.compare is %h, %none        dycl.yield %y
%r = dycl.if %t -> (T) {            }
  %one = dycl.constant 1 : i64      dycl.return %r
  dycl.yield %one
} else {
  %y = dycl.call %f(%h)
  dycl.yield %y
}
dycl.return %r

In the copy of a path that gives None, `h is None` holds, and the side of an `if` that
is not taken is gone. So a value that is None or a tensor, and is asked for that in each
step of a long loop, is followed through all steps in one run of the pass: another round
of all passes for each step takes time that grows with the square of their number.
"""

from collections.abc import Sequence

from xdsl.ir import Block, Operation

from dycl.analysis.tensors.abstract import (
    Scalar,
    Tensor,
    Unjoined,
    Unknown,
    dynamic_sizes,
    leaves,
)
from dycl.analysis.tensors.revised import Revised
from dycl.ir import (
    BinaryOp,
    CallOp,
    CompareOp,
    ConstantOp,
    GetattrOp,
    IfOp,
    InvokeOp,
    ScopeOp,
    SelectOp,
    SubscriptOp,
    ToBoolOp,
    TupleOp,
    UnaryOp,
)
from dycl.ir.constant_values import constant_value
from dycl.ir.interfaces import RegionTerminator
from dycl.ir.rewriting import inline_region, insert_constant, replace


def is_optional(values: Sequence[object]) -> bool:
    """Whether some paths give None, and the others tensors of known sizes, or numbers.

    Nothing but a test for None makes one value out of these again.
    """
    return None in values and all(
        v is None or (isinstance(v, _PLAIN_VALUES) and not dynamic_sizes(v))
        for v in values
    )


def first_behind(before: Operation | None, block: Block) -> Operation | None:
    """The op that stands behind another by now; behind None, the block's first."""
    return block.first_op if before is None else before.next_op


def settle(first: Operation, inference: Revised) -> bool:
    """Fold what is known of an op, and of those behind it in its block.

    False: another pass may do something with them.
    """
    block, before = first.parent, first.prev_op
    assert block is not None
    is_plain = True
    while (op := first_behind(before, block)) is not None:
        if isinstance(op, IfOp) and isinstance(constant_value(op.condition), bool):
            taken = op.then_region if constant_value(op.condition) else op.else_region
            inline_region(op, taken)
            continue
        before = op
        if isinstance(op, (IfOp, ScopeOp)):
            inner = [b.first_op for region in op.regions for b in region.blocks]
            is_plain &= all([settle(o, inference) for o in inner if o is not None])
        inference.revise(op)
        if isinstance(op, _TESTS) and isinstance(
            known := inference.of(op.results[0]), bool
        ):
            constant = insert_constant(op, known, op.results[0].type)
            replace(op, [constant])
            assert isinstance(constant.owner, ConstantOp)
            inference.revise(before := constant.owner)
            continue
        is_plain &= _is_plain(op, inference)
    return is_plain


def _is_plain(op: Operation, inference: Revised) -> bool:
    """Whether no other pass is waiting for what is known of an op now."""
    if isinstance(op, RegionTerminator):
        return True
    values = [leaf for r in op.results for leaf in leaves(inference.of(r))]
    if isinstance(op, (IfOp, ScopeOp, SelectOp)):
        return all(
            not isinstance(v, Unknown) or isinstance(v, Unjoined) for v in values
        )
    return isinstance(op, _PLAIN) and not any(isinstance(v, Unknown) for v in values)


_PLAIN_VALUES = (Tensor, Scalar, bool, int, float, str)
_TESTS = (CompareOp, ToBoolOp, UnaryOp)
_PLAIN = (
    *(ConstantOp, CallOp, InvokeOp, BinaryOp, UnaryOp, CompareOp, ToBoolOp),
    *(SelectOp, GetattrOp, SubscriptOp, TupleOp),
)
