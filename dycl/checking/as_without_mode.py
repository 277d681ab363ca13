"""Torch's modules take the way under a torch function mode that they take without one.

`nn.TransformerEncoder`, its layers and `nn.MultiheadAttention` ask whether anything
overrides torch's functions, and a mode does. Of a padded batch they then compute what
eager leaves at zero, so a run that is recorded would give other values.
"""

import threading
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from typing import Any

_LOCK = threading.Lock()
_BEFORE: list[Any] = []
"""Torch's own function, once for each thread that has asked for ours by now."""


@contextmanager
def as_without_mode() -> Generator[None]:
    """Have modules see tensors of classes that override torch's functions, no modes."""
    import torch.overrides

    overrides: Any = torch.overrides
    with _LOCK:
        own = _BEFORE[0] if _BEFORE else overrides.has_torch_function
        _BEFORE.append(own)
        overrides.has_torch_function = _overrides_itself
    try:
        yield
    finally:
        with _LOCK:
            _BEFORE.pop()
            if not _BEFORE:
                overrides.has_torch_function = own


def _overrides_itself(arguments: Iterable[object]) -> bool:
    """Whether the class of an argument overrides torch's functions."""
    import torch

    none: Any = torch.Tensor.__torch_function__
    off: Any = torch.nn.Parameter.__torch_function__  # that of classes without one
    found: Iterable[Any] = (
        getattr(type(one), "__torch_function__", off) for one in arguments
    )
    return any(one is not off and one != none for one in found)
