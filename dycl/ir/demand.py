"""Functions that are put into a module when a call first needs them.

The frontend lowers a function only when some pass meets a call of it that is sure to
run, or that still stands when all else is settled. Until then the module names the
function and does not have it. A program that is read from a text has all it ever will.

Where they come from is a `Provider`, which the context of the passes has.
"""

from collections.abc import Callable

from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.ir import Operation

from dycl.ir.dialect import (
    ForOp,
    IfOp,
    LeaveOp,
    RaiseOp,
    ReturnOp,
    SwitchOp,
    TryOp,
    UnreachableOp,
    WhileOp,
)
from dycl.ir.not_evaluated import NotEvaluated
from dycl.ir.walking import walk

Provider = Callable[[ModuleOp, str], bool]
"""Puts a function into a module, with the objects it mentions; False: it has none."""


def nowhere(module: ModuleOp, symbol: str) -> bool:
    """The provider of a program that has all its functions."""
    return False


class Absent(NotEvaluated):
    """A call of a function that the module names, and does not have yet."""

    def __init__(self, symbol: str):
        """`symbol` is the function's."""
        super().__init__(f"@{symbol}, which is not in the module")
        self.symbol = symbol


def await_function(op: Operation, symbol: str | None) -> None:
    """Write down which function a call waits for; None: it waits for none."""
    if symbol is not None:
        op.attributes[_AWAITED] = StringAttr(symbol)
    elif _AWAITED in op.attributes:
        del op.attributes[_AWAITED]


def awaited(op: Operation) -> str | None:
    """The function that a call waits for, as `dycl-inline-calls` last saw it."""
    attribute = op.attributes.get(_AWAITED)
    return attribute.data if isinstance(attribute, StringAttr) else None


def is_sure_to_run(op: Operation) -> bool:
    """Whether a run that ends well gets to an op, whatever is still undecided.

    What is inside an `if` or a loop may not be, nor what is behind one that may leave.
    """
    inner: Operation | None = op
    while (outer := inner.parent_op()) is not None:
        before = inner.prev_op
        while before is not None:
            if before.regions and _may_leave(before):
                return False
            before = before.prev_op
        if isinstance(outer, _UNDECIDED):
            return False
        inner = outer
    return True


def ifs_around(op: Operation) -> int:
    """How many things that are still undecided an op is inside of."""
    count, outer = 0, op.parent_op()
    while outer is not None:
        count += isinstance(outer, _UNDECIDED) and not isinstance(outer, TryOp)
        outer = outer.parent_op()
    return count


_AWAITED = "dycl.awaits"
_UNDECIDED = (IfOp, ForOp, WhileOp, SwitchOp, TryOp)
_LEAVING = (LeaveOp, RaiseOp, ReturnOp, UnreachableOp)


def _may_leave(op: Operation) -> bool:
    """Whether some op inside ends more than what is around it."""
    return any(isinstance(inner, _LEAVING) for inner in walk(op))
