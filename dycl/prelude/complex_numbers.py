"""Complex tensors, as two real ones of one shape; `complex_functions` has the rest."""

from dataclasses import dataclass
from typing import Any

import torch

from dycl.prelude.refusals import NotCompiled


@dataclass(frozen=True, eq=False)
class Complex:
    """What `torch.fft.rfft` gives, and what is made of it element by element.

    What is written to one of its parts is seen where eager's tensors share memory:
    parts that are new there are new here.
    """

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

    @property
    def dtype(self) -> Any:
        """complex64 or complex128."""
        is_single = self.real.dtype == torch.float32
        return torch.complex64 if is_single else torch.complex128

    @property
    def data(self) -> Any:
        """The same memory."""
        return self.detach()

    def is_complex(self) -> Any:
        """True."""
        return True

    def numel(self) -> Any:
        """How many elements there are."""
        return self.real.numel()

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
        """With the other sign of the imaginary part, and in the same memory."""
        imag = torch._neg_view(self.imag)  # pyright: ignore
        return Complex(self.real, imag)

    def __bool__(self) -> bool:
        raise NotCompiled("the truth of a complex tensor", "ask `z.abs() != 0`")

    def __eq__(self, other: object) -> Any:
        if isinstance(other, Complex):
            return (self.real == other.real) & (self.imag == other.imag)
        return (self.real == other) & (self.imag == 0)

    def __ne__(self, other: object) -> Any:
        return ~(self == other)

    def __neg__(self) -> Any:
        return Complex(-self.real, -self.imag)

    def __abs__(self) -> Any:
        return self.abs()

    def __add__(self, other: Any) -> Any:
        if isinstance(other, Complex):
            return Complex(self.real + other.real, self.imag + other.imag)
        real = self.real + other
        return Complex(real, self.imag + torch.zeros_like(real))

    def __radd__(self, other: Any) -> Any:
        return self + other

    def __iadd__(self, other: Any) -> Any:
        return self.copy_(self + other)

    def __sub__(self, other: Any) -> Any:
        if isinstance(other, Complex):
            return Complex(self.real - other.real, self.imag - other.imag)
        real = self.real - other
        return Complex(real, self.imag - torch.zeros_like(real))

    def __rsub__(self, other: Any) -> Any:
        return -self + other

    def __isub__(self, other: Any) -> Any:
        return self.copy_(self - other)

    def __mul__(self, other: Any) -> Any:
        if isinstance(other, Complex):
            return product_of(torch.mul, self, other)
        # As of a complex number without an imaginary part: NaN is in both parts.
        real = self.real * other - self.imag * 0.0
        return Complex(real, self.imag * other + self.real * 0.0)

    def __rmul__(self, other: Any) -> Any:
        return self * other

    def __imul__(self, other: Any) -> Any:
        return self.copy_(self * other)

    def __matmul__(self, other: Any) -> Any:
        return matmul(self, other)

    def __rmatmul__(self, other: Any) -> Any:
        return matmul(other, self)

    def __truediv__(self, other: Any) -> Any:
        if not isinstance(other, Complex):
            real = (self.real + self.imag * 0.0) / other
            return Complex(real, (self.imag - self.real * 0.0) / other)
        # No square of the divisor overflows.
        scale = torch.maximum(other.real.abs(), other.imag.abs())
        c, d = other.real / scale, other.imag / scale
        a, b = self.real / scale, self.imag / scale
        size = c * c + d * d
        return Complex((a * c + b * d) / size, (b * c - a * d) / size)

    def __itruediv__(self, other: Any) -> Any:
        return self.copy_(self / other)

    def __getitem__(self, index: Any) -> Any:
        return Complex(self.real[index], self.imag[index])

    def __setitem__(self, index: Any, value: Any) -> Any:
        if isinstance(value, Complex):
            self.real[index] = value.real
            self.imag[index] = value.imag
        else:
            self.real[index] = value
            self.imag[index] = 0.0

    def copy_(self, value: Any) -> Any:
        """The elements of another complex tensor, in the same memory."""
        self.real.copy_(value.real)
        self.imag.copy_(value.imag)
        return self

    def clone(self) -> Any:
        """A copy."""
        return Complex(self.real.clone(), self.imag.clone())

    def detach(self) -> Any:
        """The same memory: there are no gradients."""
        return Complex(self.real.detach(), self.imag.detach())

    def sum(self, dim: Any = None, keepdim: bool = False) -> Any:
        """Both parts, added up."""
        real = self.real.sum(dim, keepdim)
        return Complex(real, self.imag.sum(dim, keepdim))

    def mean(self, dim: Any = None, keepdim: bool = False) -> Any:
        """The means of both parts."""
        real = self.real.mean(dim, keepdim)
        return Complex(real, self.imag.mean(dim, keepdim))

    def roll(self, shifts: Any, dims: Any = None) -> Any:
        """Both parts, rolled; flat, without dims."""
        if dims is None:
            return Complex(self.real.roll(shifts), self.imag.roll(shifts))
        return Complex(self.real.roll(shifts, dims), self.imag.roll(shifts, dims))

    def flip(self, *dims: Any) -> Any:
        """Both parts, turned round."""
        return Complex(self.real.flip(*dims), self.imag.flip(*dims))

    def repeat(self, *sizes: Any) -> Any:
        """Both parts, several times."""
        return Complex(self.real.repeat(*sizes), self.imag.repeat(*sizes))

    def movedim(self, source: Any, destination: Any) -> Any:
        """Both parts, with dims in other places."""
        real = self.real.movedim(source, destination)
        return Complex(real, self.imag.movedim(source, destination))

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


def is_complex(input: Any) -> Any:
    """`torch.is_complex`, and `torch.is_tensor`, of a complex tensor."""
    return True


def product_of(product: Any, one: Any, other: Any) -> Any:
    """What a bilinear function gives of two complex tensors."""
    real = product(one.real, other.real) - product(one.imag, other.imag)
    imag = product(one.real, other.imag) + product(one.imag, other.real)
    return Complex(real, imag)


def matmul(input: Any, other: Any) -> Any:
    """`torch.matmul` of complex tensors. Raises RuntimeError: one is real."""
    check_both(input, other)
    return product_of(torch.matmul, input, other)


def check_both(one: Any, other: Any) -> Any:
    """RuntimeError: of a real and a complex tensor eager has no such product."""
    if not isinstance(one, Complex) or not isinstance(other, Complex):
        raise RuntimeError("expected m1 and m2 to have the same dtype")


def complex_of(real: Any, imag: Any) -> Any:
    """`torch.complex`: of two real tensors that broadcast.

    Raises RuntimeError: they are of two dtypes, or not of floats.
    """
    check_parts("torch.complex", real, imag)
    real, imag = torch.broadcast_tensors(real, imag)
    return Complex(real.clone(), imag.clone())


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
