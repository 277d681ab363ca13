"""Functions of torch that are given complex tensors, or a complex dtype."""

from typing import Any

import torch
from torch.nn import functional as F

from dycl.prelude.complex_numbers import Complex, check_both, product_of
from dycl.prelude.refusals import NotCompiled


def bmm(input: Any, mat2: Any) -> Any:
    """`torch.bmm` of complex tensors. Raises RuntimeError: one is real."""
    check_both(input, mat2)
    return product_of(torch.bmm, input, mat2)


def add(input: Any, other: Any) -> Any:
    """`torch.add`, one of them complex."""
    return input + other


def sub(input: Any, other: Any) -> Any:
    """`torch.sub`, one of them complex."""
    return input - other


def mul(input: Any, other: Any) -> Any:
    """`torch.mul`, one of them complex."""
    return input * other


def div(input: Any, other: Any) -> Any:
    """`torch.div` of a complex tensor."""
    return input / other


def einsum(equation: Any, *given: Any) -> Any:
    """`torch.einsum` of one or two tensors."""
    operands: Any = given
    if len(given) == 1 and isinstance(given[0], (list, tuple)):
        operands = given[0]
    if not isinstance(equation, str) or len(operands) > 2:
        raise NotCompiled(
            "torch.einsum of more than two complex tensors, or with lists of dims",
            "multiply two at a time, with an equation in a string",
        )
    one = operands[0]
    if len(operands) == 1:
        real = torch.einsum(equation, one.real)
        return Complex(real, torch.einsum(equation, one.imag))
    other = operands[1]
    if not isinstance(one, Complex) or not isinstance(other, Complex):
        raise NotCompiled(
            "torch.einsum of a real and a complex tensor",
            "make both complex: `torch.complex(x, torch.zeros_like(x))`",
        )
    real = torch.einsum(equation, one.real, other.real)
    imag = torch.einsum(equation, one.real, other.imag)
    real = real - torch.einsum(equation, one.imag, other.imag)
    return Complex(real, imag + torch.einsum(equation, one.imag, other.real))


def cat(tensors: Any, dim: int = 0) -> Any:
    """`torch.cat`, some of them complex."""
    real, imag = _parts(tensors)
    return Complex(torch.cat(real, dim), torch.cat(imag, dim))


def stack(tensors: Any, dim: int = 0) -> Any:
    """`torch.stack`, some of them complex."""
    real, imag = _parts(tensors)
    return Complex(torch.stack(real, dim), torch.stack(imag, dim))


def _parts(tensors: Any) -> Any:
    """The real and the imaginary parts of tensors."""
    real = [z.real if isinstance(z, Complex) else z for z in tensors]
    imag = [z.imag if isinstance(z, Complex) else torch.zeros_like(z) for z in tensors]
    return real, imag


def pad(input: Any, pad: Any, mode: str = "constant", value: Any = None) -> Any:
    """`F.pad` of a complex tensor."""
    if mode != "constant":
        raise NotCompiled(
            f"padding of a complex tensor by `{mode}`",
            "pad its `real` and its `imag`",
        )
    real = F.pad(input.real, pad, "constant", 0.0 if value is None else value)
    return Complex(real, F.pad(input.imag, pad))


def zeros_like(input: Any) -> Any:
    """`torch.zeros_like` of a complex tensor."""
    return Complex(torch.zeros_like(input.real), torch.zeros_like(input.imag))


def ones_like(input: Any) -> Any:
    """`torch.ones_like` of a complex tensor."""
    return Complex(torch.ones_like(input.real), torch.zeros_like(input.imag))


def empty_like(input: Any) -> Any:
    """`torch.empty_like` of a complex tensor."""
    return Complex(torch.empty_like(input.real), torch.empty_like(input.imag))


def zeros(*size: Any, dtype: Any, device: Any = None) -> Any:
    """`torch.zeros` of a complex dtype."""
    real = torch.zeros(*size, dtype=_of_parts(dtype))
    return Complex(real, torch.zeros_like(real))


def ones(*size: Any, dtype: Any, device: Any = None) -> Any:
    """`torch.ones` of a complex dtype."""
    real = torch.ones(*size, dtype=_of_parts(dtype))
    return Complex(real, torch.zeros_like(real))


def empty(*size: Any, dtype: Any, device: Any = None) -> Any:
    """`torch.empty` of a complex dtype."""
    real = torch.empty(*size, dtype=_of_parts(dtype))
    return Complex(real, torch.empty_like(real))


def _of_parts(dtype: Any) -> Any:
    return torch.float32 if dtype == torch.complex64 else torch.float64


def fftshift(input: Any, dim: Any = None) -> Any:
    """`torch.fft.fftshift` of a complex tensor."""
    dims = _dims(input, dim)
    return input.roll([input.size(i) // 2 for i in dims], dims)


def ifftshift(input: Any, dim: Any = None) -> Any:
    """`torch.fft.ifftshift` of a complex tensor."""
    dims = _dims(input, dim)
    return input.roll([(input.size(i) + 1) // 2 for i in dims], dims)


def _dims(input: Any, dim: Any) -> Any:
    """The dims that are shifted: all, where none is named."""
    if dim is None:
        return [i for i in range(input.dim())]
    return [dim] if isinstance(dim, int) else dim
