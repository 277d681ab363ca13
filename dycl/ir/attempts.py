"""How a `try` is marked while it is not known whether its body completes."""

from xdsl.ir import Operation, SSAValue

from dycl.ir.dialect import IfOp, UnsupportedOp

TRY = "try"
"""The `test` of the `dycl.if` that stands for a `try`; no condition reads like it."""
HANDLERS = "handlers"
"""Which exceptions each handler catches; it marks the question itself."""
ONE_STATEMENT = "one_statement"
"""The body binds nothing before it may raise."""


def attempt_of(value: SSAValue) -> UnsupportedOp | None:
    """The question that a condition is, if it is one of a `try`."""
    owner = value.owner
    if isinstance(owner, UnsupportedOp) and HANDLERS in owner.attributes:
        return owner
    return None


def is_try(op: Operation | None) -> bool:
    """Whether an op is the `dycl.if` of a `try` about which nothing is settled yet."""
    return (
        isinstance(op, IfOp) and op.test == TRY and attempt_of(op.condition) is not None
    )
