"""Methods that give a tensor another shape in place: `y.squeeze_(0)`.

They write no element. Of a trace, only what they give is used, since a tensor that is
used under its old name afterwards is refused before; so it is that of `y.squeeze(0)`.
"""

from collections.abc import Sequence

from xdsl.ir import Operation

from dycl.ir import InvokeOp
from dycl.ir.environment import Environment
from dycl.ir.unpacking import split_arguments

PLAIN = {
    f"{name}_": name
    for name in (
        *("as_strided", "squeeze", "swapaxes", "swapdims", "t", "transpose"),
        "unsqueeze",
    )
}
"""Name of a method -> of the one that gives the same, as a view."""


def reshaped(
    op: Operation, operands: Sequence[object], environment: Environment
) -> list[object] | None:
    """What such a method gives on a tensor; None: it is another."""
    if not isinstance(op, InvokeOp) or (name := PLAIN.get(op.method.data)) is None:
        return None
    receiver = operands[0]
    if not hasattr(receiver, "untyped_storage"):
        return None
    args, kwargs = split_arguments(op, operands[1:], environment)
    named = {key: environment.resolve(value) for key, value in kwargs.items()}
    method = getattr(receiver, name)
    return [method(*map(environment.resolve, args), **named)]
