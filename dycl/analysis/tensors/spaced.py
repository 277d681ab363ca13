"""`torch.linspace` of as many numbers as a run decides, as torch can reckon with it.

torch's own takes the very number it is asked with. torch is imported in the functions.
"""

from typing import Any

from dycl.analysis.torch_fixes.division import as_tensor, is_open

NAME = "torch.linspace"


def linspace(start: Any, end: Any, steps: Any, **kind: Any) -> Any:
    """`torch.linspace`: each half is counted from its end, as eager does."""
    import torch

    dtype = kind.get("dtype") or torch.get_default_dtype()
    if type(steps) is int or not dtype.is_floating_point:
        return torch.linspace(start, end, steps, **kind)
    if is_open():
        start, end = as_tensor(start, dtype), as_tensor(end, dtype)
    return counted(start, end, steps, dtype)


def counted(start: Any, end: Any, steps: Any, dtype: Any) -> Any:
    """The numbers, of a floating-point `dtype`; the ends may be tensors of rank 0."""
    import torch

    at = torch.arange(steps)
    step = (end - start) / torch.full((), steps - 1, dtype=dtype).clamp(min=1)
    ahead, behind = start + at * step, end - (steps - 1 - at) * step
    return torch.where((at < steps // 2) | (at == 0), ahead, behind)
