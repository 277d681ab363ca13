"""What is said of context managers that no pass has taken away."""

from xdsl.dialects.builtin import StringAttr

from dycl.ir import CallOp, InvokeOp, UnsupportedOp
from dycl.ir.constant_values import constant_value
from dycl.ir.contexts import AUTOCASTS, EXIT, TEXT
from dycl.ir.values import GlobalRef


def left_manager(op: InvokeOp) -> tuple[str, str, str] | None:
    """Code, what, and the way out, of a manager that is entered; None: it is left."""
    if op.method.data == EXIT or isinstance(op.receiver.owner, UnsupportedOp):
        return None
    manager = op.receiver.owner
    callee = constant_value(manager.callee) if isinstance(manager, CallOp) else None
    if isinstance(callee, GlobalRef) and callee.name in AUTOCASTS:
        return (
            "DY108",
            "autocast chooses dtypes, which a compiled network must state itself",
            "pass enabled=False, and convert tensors yourself: `x.bfloat16()`",
        )
    text = op.attributes.get(TEXT)
    what = f" `{text.data}`" if isinstance(text, StringAttr) else ""
    return (
        "DY108",
        f"the context manager{what} cannot be compiled",
        "call what it does before and after the body",
    )
