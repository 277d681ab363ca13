"""`squeeze` of a size that a run decides: the rank of what it gives is a decision.

Until that decision is in the program (`dycl/passes/builtins/single.py`), nothing is
known of the result: neither rank is the right one. In a loop that the data ends there
will be none, as what is carried has one rank: the run tests that nothing is dropped.
"""

from collections.abc import Sequence
from typing import cast

from xdsl.ir import Operation

from dycl.ir import CallOp, InvokeOp, WhileOp
from dycl.ir.constant_values import MISSING, constant_name, constant_value
from dycl.ir.interfaces import nearest


def is_undecided(op: Operation, is_open: Sequence[bool]) -> bool:
    """Whether this is a `squeeze` that may drop a dimension which is open."""
    if not isinstance(op, CallOp | InvokeOp) or not is_squeeze(op):
        return False
    dims = dropped_dims(op, len(is_open))
    return any(is_open[dim] for dim in dims) and not is_in_while(op)


def is_squeeze(op: CallOp | InvokeOp) -> bool:
    """Whether this is `x.squeeze(...)` or `torch.squeeze(x, ...)`."""
    if isinstance(op, InvokeOp):
        return op.method.data == "squeeze"
    return constant_name(op.callee) == "torch.squeeze"


def dropped_dims(op: CallOp | InvokeOp, rank: int) -> tuple[int, ...]:
    """Which dimensions `squeeze` is asked to drop; none: that is not known."""
    given = op.operands[1:] if isinstance(op, InvokeOp) else op.operands[2:]
    if not given:
        return tuple(range(rank))
    found = constant_value(given[0])
    if len(given) > 1 or set(op.keyword_arguments) - {"dim"} or found is MISSING:
        return ()
    dims = list(
        cast("Sequence[object]", found if isinstance(found, tuple) else [found])
    )
    if not all(type(dim) is int and -rank <= dim < rank for dim in dims):
        return ()
    return tuple(dict.fromkeys(cast(int, dim) % rank for dim in dims))


def is_in_while(op: Operation) -> bool:
    """Whether a loop that the data ends is around an op."""
    return nearest(op, WhileOp) is not None
