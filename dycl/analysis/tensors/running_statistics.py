"""Which operands a batch norm writes to: torch's schema and versions do not say it.

F.batch_norm(x, mean, var, training=True)   ->   mean, var
"""

from collections.abc import Sequence

from xdsl.ir import Operation

from dycl.ir import CallOp
from dycl.ir.environment import Environment
from dycl.ir.unpacking import split_arguments
from dycl.ir.values import GlobalRef

_F = ("input", "running_mean", "running_var", "weight", "bias", "training")
_TORCH = ("input", "weight", "bias", "running_mean", "running_var", "training")
_PARAMETERS = {
    "torch.nn.functional.batch_norm": _F,
    "torch.batch_norm": _TORCH,
    "torch.native_batch_norm": _TORCH,
}
STATISTICS = ("running_mean", "running_var")


def written_statistics(
    op: Operation, operands: Sequence[object], environment: Environment
) -> list[object]:
    """The running statistics that a call changes, as they are among its operands."""
    callee = operands[0] if operands else None
    if not isinstance(op, CallOp) or not isinstance(callee, GlobalRef):
        return []
    if (names := _PARAMETERS.get(callee.name)) is None:
        return []
    args, kwargs = split_arguments(op, operands[1:], environment)
    given = {**dict(zip(names, args, strict=False)), **kwargs}
    if not given.get("training", False):
        return []
    return [given[name] for name in STATISTICS if given.get(name) is not None]
