"""What a program names that is Python's or a library's, and not of the model."""

import builtins
import importlib
from collections.abc import Sequence
from typing import Any

from dycl.ir.values import GlobalRef, Partial, TensorConstant


def resolve_global(name: str) -> object:
    """Import what a full name such as `torch.nn.functional.relu` means."""
    head, *rest = name.split(".")
    if head == "builtins" and len(rest) == 1:
        return getattr(builtins, rest[0])
    result: Any = importlib.import_module(head)
    path = head
    for part in rest:
        path = f"{path}.{part}"
        if not hasattr(result, part):
            importlib.import_module(path)
        result = getattr(result, part)
    return result


def canonical_name(name: str) -> str:
    """The full name under which a class was defined, for one imported elsewhere."""
    target = resolve_global(name)
    if isinstance(target, type):
        return f"{target.__module__}.{target.__qualname__}"
    return name


def tensor_of(value: TensorConstant) -> object:
    """The torch tensor of a constant."""
    import torch

    from dycl.ir.dtypes import torch_dtype

    flat = torch.tensor(list(value.data), dtype=torch_dtype(value.dtype))
    return flat.reshape(value.shape)


def member_of_library(value: GlobalRef, name: object, *default: object) -> object:
    """`getattr(torch.nn.functional, "relu")`."""
    wanted = f"{value.name}.{name}"
    try:
        resolve_global(wanted)
    except (AttributeError, ModuleNotFoundError):
        if default:
            return default[0]
        raise AttributeError(f"{value.name} has no attribute '{name}'") from None
    return GlobalRef(wanted)


def draws_numbers(name: str) -> bool:
    """Whether a function draws from the generator of `random` or of `numpy.random`."""
    module, _, function = name.rpartition(".")
    return module in ("random", "numpy.random") and function in _DRAWING


UNFOLLOWED_ITERATOR = "how far an iterator has gone is not known here"
"""Why `next` is not evaluated, and what a value that is an iterator is not."""

_DRAWING = frozenset(
    (
        *("betavariate", "choices", "expovariate", "gammavariate", "gauss"),
        *("getrandbits", "lognormvariate", "normalvariate", "randrange", "triangular"),
        *("beta", "binomial", "bytes", "choice", "exponential", "gamma", "normal"),
        *("permutation", "poisson", "rand", "randint", "randn", "random"),
        *("random_sample", "sample", "standard_normal", "uniform"),
    )
)

MODES = {
    "torch.distributed.distributed_c10d.is_initialized",
    "torch.distributed.is_available",
    "torch.compiler.is_compiling",
    "torch.compiler.is_dynamo_compiling",
    "torch.compiler.is_exporting",
    "torch._C._get_tracing_state",
    "torch._C._is_tracing",
    "torch.cuda.graphs.is_current_stream_capturing",
    "torch.is_autocast_cache_enabled",
    "torch.is_autocast_cpu_enabled",
    "torch.is_autocast_enabled",
    "torch.is_grad_enabled",
    "torch.jit._trace.is_tracing",
    "torch._jit_internal.is_scripting",
    "torch.xpu.graphs.is_current_stream_capturing",
}
"""What is asked of torch itself: a network runs without gradients and autocast, as it
is, alone, and on the CPU, where no stream captures a graph."""


def partial(callee: object, *args: object, **kwargs: object) -> Partial:
    """`functools.partial(callee, ...)`; a partial of a partial is one."""
    if isinstance(callee, Partial):
        kwargs = {**callee.kwargs, **kwargs}
        return Partial(callee.callee, (*callee.args, *args), kwargs)
    return Partial(callee, args, kwargs)


def class_of_library(classes: Sequence[str], name: str) -> str | None:
    """The class of torch, or `object`, from which an object has an attribute.

    `classes` are the names of the object's classes; its own attributes are not asked.
    """
    for path in (*classes, "builtins.object"):
        if path.partition(".")[0] not in ("torch", "builtins"):
            continue
        try:
            cls: Any = resolve_global(path)
        except (ImportError, AttributeError):
            continue  # made by a function, without a place of its own
        if name in vars(cls):
            return str(cls.__name__)
    return None
