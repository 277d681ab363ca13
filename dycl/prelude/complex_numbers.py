"""Complex tensors, as two real ones of one shape."""

from dataclasses import dataclass
from typing import Any

import torch

from dycl.prelude.refusals import NotCompiled


@dataclass(frozen=True)
class Complex:
    """What `torch.fft.rfft` gives, and what is made of it element by element."""

    real: Any
    imag: Any

    @property
    def shape(self) -> Any:
        """The shape of both parts."""
        return self.real.shape

    @property
    def ndim(self) -> Any:
        """How many dims both parts have."""
        return self.real.dim()

    @property
    def device(self) -> Any:
        """Where both parts are."""
        return self.real.device

    def size(self, dim: Any = None) -> Any:
        """The shape, or one size of it."""
        return self.real.shape if dim is None else self.real.shape[dim]

    def dim(self) -> Any:
        """How many dims both parts have."""
        return self.real.dim()

    def abs(self) -> Any:
        """The real tensor of distances from 0."""
        return torch.hypot(self.real, self.imag)

    def angle(self) -> Any:
        """The real tensor of angles, from -pi to pi."""
        return torch.atan2(self.imag, self.real)

    def conj(self) -> Any:
        """With the other sign of the imaginary part."""
        return Complex(self.real, -self.imag)

    def __neg__(self) -> Any:
        return Complex(-self.real, -self.imag)

    def __add__(self, other: Any) -> Any:
        if isinstance(other, Complex):
            return Complex(self.real + other.real, self.imag + other.imag)
        return Complex(self.real + other, self.imag)

    def __sub__(self, other: Any) -> Any:
        if isinstance(other, Complex):
            return Complex(self.real - other.real, self.imag - other.imag)
        return Complex(self.real - other, self.imag)

    def __mul__(self, other: Any) -> Any:
        if isinstance(other, Complex):
            real = self.real * other.real - self.imag * other.imag
            return Complex(real, self.real * other.imag + self.imag * other.real)
        return Complex(self.real * other, self.imag * other)

    def __truediv__(self, other: Any) -> Any:
        if isinstance(other, Complex):
            size = other.real * other.real + other.imag * other.imag
            return self * other.conj() / size
        return Complex(self.real / other, self.imag / other)

    def __getitem__(self, index: Any) -> Any:
        return Complex(self.real[index], self.imag[index])

    def transpose(self, dim0: Any, dim1: Any) -> Any:
        """Both parts, transposed."""
        return Complex(self.real.transpose(dim0, dim1), self.imag.transpose(dim0, dim1))

    def permute(self, *dims: Any) -> Any:
        """Both parts, permuted."""
        return Complex(self.real.permute(*dims), self.imag.permute(*dims))

    def reshape(self, *shape: Any) -> Any:
        """Both parts, reshaped."""
        return Complex(self.real.reshape(*shape), self.imag.reshape(*shape))

    def view(self, *shape: Any) -> Any:
        """Both parts, of another shape."""
        return Complex(self.real.view(*shape), self.imag.view(*shape))

    def flatten(self, start_dim: Any = 0, end_dim: Any = -1) -> Any:
        """Both parts, some dims of which are one."""
        real = self.real.flatten(start_dim, end_dim)
        return Complex(real, self.imag.flatten(start_dim, end_dim))

    def unsqueeze(self, dim: Any) -> Any:
        """Both parts, with one more dim."""
        return Complex(self.real.unsqueeze(dim), self.imag.unsqueeze(dim))

    def squeeze(self, dim: Any) -> Any:
        """Both parts, without a dim of size 1."""
        return Complex(self.real.squeeze(dim), self.imag.squeeze(dim))

    def expand(self, *sizes: Any) -> Any:
        """Both parts, repeated."""
        return Complex(self.real.expand(*sizes), self.imag.expand(*sizes))

    def contiguous(self) -> Any:
        """Both parts, contiguous."""
        return Complex(self.real.contiguous(), self.imag.contiguous())

    def to(self, device: Any) -> Any:
        """The same: there is one device."""
        if not isinstance(device, (torch.device, str)):
            raise NotCompiled(
                "a conversion of a complex tensor", "convert its `real` and its `imag`"
            )
        return self


def magnitude(input: Any) -> Any:
    """`torch.abs` of a complex tensor."""
    return input.abs()


def angle(input: Any) -> Any:
    """`torch.angle` of a complex tensor."""
    return input.angle()


def real(input: Any) -> Any:
    """`torch.real` of a complex tensor."""
    return input.real


def imag(input: Any) -> Any:
    """`torch.imag`."""
    return input.imag


def conjugate(input: Any) -> Any:
    """`torch.conj` of a complex tensor."""
    return input.conj()


def view_as_real(input: Any) -> Any:
    """`torch.view_as_real`: a copy, [..., 2]."""
    return torch.stack([input.real, input.imag], -1)


def complex_of(real: Any, imag: Any) -> Any:
    """`torch.complex`: of two real tensors that broadcast.

    Raises RuntimeError: they are of two dtypes, or not of floats.
    """
    check_parts("torch.complex", real, imag)
    real, imag = torch.broadcast_tensors(real, imag)
    return Complex(real, imag)


def polar(abs: Any, angle: Any) -> Any:
    """`torch.polar`: of two real tensors that broadcast.

    Raises RuntimeError: they are of two dtypes, or not of floats.
    """
    check_parts("torch.polar", abs, angle)
    return Complex(abs * torch.cos(angle), abs * torch.sin(angle))


def check_parts(function: Any, one: Any, other: Any) -> Any:
    """RuntimeError: no complex tensor is made of these."""
    if one.dtype != other.dtype or not one.is_floating_point():
        raise RuntimeError(f"{function} takes two tensors of one dtype of floats")
    if one.dtype in (torch.float16, torch.bfloat16):
        raise NotCompiled(
            "a complex tensor of half floats", "convert them first, with `x.float()`"
        )


def view_as_complex(input: Any) -> Any:
    """`torch.view_as_complex`: of a real tensor [..., 2], a copy.

    Raises RuntimeError: the last dim is another one, or the tensor is not of floats.
    """
    if input.dim() == 0 or input.size(-1) != 2 or not input.is_floating_point():
        raise RuntimeError(
            "view_as_complex takes a tensor of floats whose last dim is of size 2"
        )
    return Complex(input[..., 0], input[..., 1])
