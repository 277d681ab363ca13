"""What is known of a function that is made where the network runs.

A function in a function that reads its variables is a `functools.partial` in the IR, as
one that the user makes is: a new object, which is callable and true.
"""

from collections.abc import Callable, Sequence

from xdsl.ir import Operation, SSAValue

from dycl.ir import CallOp, CompareOp, ToBoolOp
from dycl.ir.constant_values import constant_name
from dycl.ir.values import FunctionRef, GlobalRef, MethodRef

_SAME = {"is": True, "eq": True, "is_not": False, "ne": False}
_BY_IDENTITY = (bool, int, float, str, type(None), FunctionRef, GlobalRef, MethodRef)
"""What is equal to no new function."""


def function_fact(
    op: Operation, operands: Sequence[object], is_known: Callable[[object], bool]
) -> bool | None:
    """`f is None`, `if f:`, `callable(f)`; None: it is no such question, or not known.

    `operands` are the values known at compile time, as `is_known` says.
    """
    match op:
        case ToBoolOp() if is_partial(op.operand):
            return True
        case CallOp() if operands[0] == GlobalRef("builtins.callable"):
            one = len(operands) == 2 and is_partial(op.operands[1])
            return True if one else None
        case CompareOp() if op.kind_name in _SAME:
            for value, other in ((op.lhs, operands[1]), (op.rhs, operands[0])):
                if not is_partial(value) or not is_known(other):
                    continue
                if "is" in op.kind_name or isinstance(other, _BY_IDENTITY):
                    return not _SAME[op.kind_name]
            if op.lhs is op.rhs and is_partial(op.lhs):
                return _SAME[op.kind_name]
            return None
        case _:
            return None


def is_partial(value: SSAValue) -> bool:
    """Whether a value is what a call of `functools.partial` gives."""
    owner = value.owner
    if not isinstance(owner, CallOp):
        return False
    return constant_name(owner.callee) == "functools.partial"
