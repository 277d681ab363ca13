"""Whether an op draws random numbers: of torch's, it is asked what they call.

Needs torch; imports it in the functions.
"""

from collections.abc import Sequence
from typing import Any, cast

from xdsl.ir import Operation

from dycl.analysis.tensors.abstract import Tensor, leaves, map_leaves
from dycl.analysis.tensors.fakes import concrete, quiet, run_on_tensors
from dycl.analysis.tensors.single_runs import SAMPLES
from dycl.ir import CallOp, InvokeOp
from dycl.ir.constant_values import constant_name
from dycl.ir.dtypes import torch_dtype
from dycl.ir.environment import Environment
from dycl.ir.library import draws_numbers
from dycl.ir.torch import TensorType

_DRAWING = frozenset(
    {
        *("bernoulli", "binomial", "cauchy", "exponential", "geometric", "log_normal"),
        *("multinomial", "normal", "normal_functional", "poisson", "rand"),
        *("rand_like", "randint", "randint_like", "randn", "randn_like", "random"),
        *("randperm", "uniform"),
    }
)
"""The operators that draw whatever they are given."""


def draws(
    op: Operation, operands: Sequence[object], environment: Environment
) -> str | None:
    """By what an op draws random numbers; None: by nothing, or not known."""
    if isinstance(op, CallOp) and draws_numbers(name := constant_name(op.callee)):
        return name
    if not _may_draw(op):
        return None
    tensors = [leaf for leaf in leaves(tuple(operands)) if isinstance(leaf, Tensor)]
    if not all(t.is_static for t in tensors):
        return None
    import torch
    from torch.utils._python_dispatch import TorchDispatchMode

    found: list[str] = []

    class Listener(TorchDispatchMode):
        def __torch_dispatch__(
            self, func: Any, types: Any, args: Any = (), kwargs: Any = None
        ) -> Any:
            name = func._schema.name.removeprefix("aten::")
            if name.removesuffix("_") in _DRAWING:
                found.append(f"torch op aten.{name}")
            return func(*args, **(kwargs or {}))

    def real(leaf: object) -> object:
        if not isinstance(leaf, Tensor):
            return concrete(leaf, SAMPLES[0])
        return torch.zeros(leaf.sizes, dtype=torch_dtype(leaf.dtype), device="meta")

    given = cast("tuple[object, ...]", map_leaves(tuple(operands), real))
    try:
        with torch.no_grad(), quiet(), Listener():
            run_on_tensors(op, given, environment, lambda *_: None)
    except Exception:  # whatever it raises is said where it is compiled
        return found[0] if found else None
    return found[0] if found else None


def _may_draw(op: Operation) -> bool:
    """Whether the name of a function or method is that of one that may draw."""
    match op:
        case CallOp():
            whole = constant_name(op.callee)
            if not whole.startswith("torch."):
                return False
            name = whole.rpartition(".")[2]
        case InvokeOp() if isinstance(op.receiver.type, TensorType):
            name = op.method.data
        case _:
            return False
    is_mixed = "dropout" in name or name == "gumbel_softmax"
    return is_mixed or name.removesuffix("_") in _DRAWING
