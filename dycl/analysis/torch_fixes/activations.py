"""Activations that torch-mlir lowers to something else, written as eager computes them.

NaN stays NaN and -0.0 stays -0.0; torch-mlir's `softshrink` is wrong for negative
numbers. torch is imported in the functions.
"""

import math
from typing import Any

from dycl.analysis.torch_fixes.division import as_tensor, demand, is_open


def elu(op: Any, x: Any, alpha: Any = 1, scale: Any = 1, input_scale: Any = 1) -> Any:
    """`torch.nn.functional.elu`, `celu` and `selu`."""
    import torch

    factor = _factor(alpha, x) * scale
    below = torch.expm1(x * input_scale) * factor
    return torch.where(x < 0, below, x if scale == 1 else x * scale)


def soft_shrink(op: Any, x: Any, lambd: Any = 0.5) -> Any:
    """What lies between the bounds is a zero with the sign of `x`."""
    import torch

    lambd = _factor(lambd, x)
    inside = torch.where(x < -lambd, x + lambd, x * 0)
    return torch.where(x > lambd, x - lambd, inside)


def hard_shrink(op: Any, x: Any, lambd: Any = 0.5) -> Any:
    """Bounds are inside."""
    import torch

    lambd = _factor(lambd, x)
    return torch.where((x >= -lambd) & (x <= lambd), torch.zeros_like(x), x)


def leaky(op: Any, x: Any, slope: Any = 0.01) -> Any:
    """torch-mlir multiplies zeros by the slope, which may be infinite or NaN."""
    import torch

    if not is_open() and math.isfinite(slope):
        return NotImplemented
    return torch.where(x > 0, x, x * slope)


def _factor(number: Any, x: Any) -> Any:
    """A number to compute with: one of a run's as a tensor of rank 0."""
    return as_tensor(number, x.dtype) if is_open() else number


def threshold(op: Any, x: Any, threshold: Any, value: Any) -> Any:
    """`value` up to the threshold."""
    import torch

    return torch.where(x <= threshold, torch.full_like(x, value), x)


def log_sigmoid(op: Any, x: Any) -> Any:
    """torch-mlir's is -inf from -100 on."""
    import torch

    return x.clamp(max=0) - torch.log1p(torch.exp(-x.abs()))


def hard_swish(op: Any, x: Any) -> Any:
    """Eager divides last."""
    return x * (x + 3).clamp(0, 6) / 6


def hard_tanh(op: Any, x: Any, low: Any = -1, high: Any = 1) -> Any:
    """torch-mlir's hardtanh loses a NaN; its clamp is right. Ints have int bounds."""
    import torch

    if not x.is_floating_point():
        low, high = int(low), int(high)
    return torch.clamp(x, low, high)


def hard_tanh_in_place(op: Any, x: Any, low: Any = -1, high: Any = 1) -> Any:
    """The same, to its operand."""
    import torch

    return torch.clamp_(x, low, high)


def relu6(op: Any, x: Any) -> Any:
    """As `hard_tanh`."""
    return hard_tanh(op, x, 0, 6)


def relu6_in_place(op: Any, x: Any) -> Any:
    """The same, to its operand."""
    return hard_tanh_in_place(op, x, 0, 6)


def selu(op: Any, x: Any) -> Any:
    """As `elu`."""
    return elu(op, x, _SELU_ALPHA, _SELU_SCALE)


def celu(op: Any, x: Any, alpha: Any = 1.0) -> Any:
    """As `elu`."""
    import torch

    if is_open():
        alpha = as_tensor(alpha, torch.float64)
        demand(
            alpha != 0, "RuntimeError: ZeroDivisionError: alpha cannot be 0 for CELU"
        )
        return elu(op, x, alpha.to(x.dtype), 1, (1 / alpha).to(x.dtype))
    return elu(op, x, alpha, 1, 1 / alpha)


_SELU_ALPHA, _SELU_SCALE = 1.6732632423543772, 1.0507009873554805


def leak(
    op: Any,
    x: Any,
    noise: Any,
    lower: Any = 1 / 8,
    upper: Any = 1 / 3,
    training: bool = False,
    *_: Any,
) -> Any:
    """`rrelu_with_noise`, which outside of training draws none: of the mean slope."""
    import torch

    if training:
        return NotImplemented
    return torch.nn.functional.leaky_relu(x, (lower + upper) / 2)
