"""What calls another function or module, and has an effect in training alone.

`nn.DataParallel.forward`, `torch.utils.checkpoint.checkpoint` and
`checkpoint_sequential`: of a network that runs on one device, and keeps nothing for a
backward pass, nothing is left of them but the call.
"""

from typing import Any

from torch import nn

from dycl.prelude.refusals import NotCompiled


def data_parallel(self: Any, *inputs: Any, **kwargs: Any) -> Any:
    """`nn.DataParallel.forward`, which adds nothing on one device."""
    return self.module(*inputs, **kwargs)


def checkpoint(
    function: Any,
    *args: Any,
    use_reentrant: bool | None = None,
    context_fn: Any = None,
    determinism_check: str = "default",
    debug: bool = False,
    early_stop: bool = True,
    preserve_rng_state: bool = True,
    **kwargs: Any,
) -> Any:
    """`torch.utils.checkpoint.checkpoint`: what the function gives."""
    if context_fn is not None:
        raise NotCompiled("`checkpoint` with `context_fn`", "call the function itself")
    return function(*args, **kwargs)


def checkpoint_sequential(
    functions: Any,
    segments: int,
    input: Any,
    use_reentrant: bool | None = None,
    **kwargs: Any,
) -> Any:
    """`torch.utils.checkpoint.checkpoint_sequential`: one function after the other."""
    if isinstance(functions, nn.Sequential):
        functions = list(functions.children())
    for function in functions:
        input = function(input)
    return input
