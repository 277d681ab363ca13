"""`torch.fft` in real arithmetic: transforms are products with sines and cosines.

A transform of a * b elements is b transforms of a elements, factors, and a transforms
of b elements. What has no factor up to 64, or no more than 64 elements, is a product of
matrices: that is what a fast one takes, too. The angles are multiples of 2 pi / n below
n, in f64, so that each sine is within its own rounding. What is not finite gives NaN
everywhere.
"""

import math
from typing import Any

import torch
from torch.nn import functional as F

from dycl.prelude.complex_numbers import Complex


def fft(input: Any, n: Any = None, dim: int = -1, norm: Any = None) -> Any:
    """`torch.fft.fft`: of a real or complex tensor, n elements along a dim."""
    return _transform(input, n, dim, -1, norm, False)


def ifft(input: Any, n: Any = None, dim: int = -1, norm: Any = None) -> Any:
    """`torch.fft.ifft`."""
    return _transform(input, n, dim, 1, norm, True)


def rfft(input: Any, n: Any = None, dim: int = -1, norm: Any = None) -> Any:
    """`torch.fft.rfft`: n // 2 + 1 elements of a real tensor."""
    count = input.size(dim) if n is None else n
    return _of_real(input, count, count // 2 + 1, dim, -1, _factor(norm, count, False))


def ihfft(input: Any, n: Any = None, dim: int = -1, norm: Any = None) -> Any:
    """`torch.fft.ihfft`: n // 2 + 1 elements of a real tensor."""
    count = input.size(dim) if n is None else n
    return _of_real(input, count, count // 2 + 1, dim, 1, _factor(norm, count, True))


def irfft(input: Any, n: Any = None, dim: int = -1, norm: Any = None) -> Any:
    """`torch.fft.irfft`: n real elements."""
    return _to_real(input, n, dim, 1, norm, True)


def hfft(input: Any, n: Any = None, dim: int = -1, norm: Any = None) -> Any:
    """`torch.fft.hfft`: n real elements."""
    return _to_real(input, n, dim, -1, norm, False)


def fftn(input: Any, s: Any = None, dim: Any = None, norm: Any = None) -> Any:
    """`torch.fft.fftn`: one dim after the other."""
    for place, n in _along(input, s, dim):
        input = _transform(input, n, place, -1, norm, False)
    return input


def ifftn(input: Any, s: Any = None, dim: Any = None, norm: Any = None) -> Any:
    """`torch.fft.ifftn`."""
    for place, n in _along(input, s, dim):
        input = _transform(input, n, place, 1, norm, True)
    return input


def rfftn(input: Any, s: Any = None, dim: Any = None, norm: Any = None) -> Any:
    """`torch.fft.rfftn`: the last dim first, of which half is left."""
    pairs = _along(input, s, dim)
    place, n = pairs[-1]
    found = rfft(input, n, place, norm)
    for place, n in pairs[:-1]:
        found = _transform(found, n, place, -1, norm, False)
    return found


def irfftn(input: Any, s: Any = None, dim: Any = None, norm: Any = None) -> Any:
    """`torch.fft.irfftn`: the last dim last."""
    pairs = _along(input, s, dim)
    for place, n in pairs[:-1]:
        input = _transform(input, n, place, 1, norm, True)
    place, n = pairs[-1]
    return _to_real(input, n if s is not None else None, place, 1, norm, True)


def hfftn(input: Any, s: Any = None, dim: Any = None, norm: Any = None) -> Any:
    """`torch.fft.hfftn`: the last dim last."""
    pairs = _along(input, s, dim)
    for place, n in pairs[:-1]:
        input = _transform(input, n, place, -1, norm, False)
    place, n = pairs[-1]
    return _to_real(input, n if s is not None else None, place, -1, norm, False)


def fft2(input: Any, s: Any = None, dim: Any = (-2, -1), norm: Any = None) -> Any:
    """`torch.fft.fft2`."""
    return fftn(input, s, dim, norm)


def ifft2(input: Any, s: Any = None, dim: Any = (-2, -1), norm: Any = None) -> Any:
    """`torch.fft.ifft2`."""
    return ifftn(input, s, dim, norm)


def rfft2(input: Any, s: Any = None, dim: Any = (-2, -1), norm: Any = None) -> Any:
    """`torch.fft.rfft2`."""
    return rfftn(input, s, dim, norm)


def irfft2(input: Any, s: Any = None, dim: Any = (-2, -1), norm: Any = None) -> Any:
    """`torch.fft.irfft2`."""
    return irfftn(input, s, dim, norm)


def hfft2(input: Any, s: Any = None, dim: Any = (-2, -1), norm: Any = None) -> Any:
    """`torch.fft.hfft2`."""
    return hfftn(input, s, dim, norm)


def _along(input: Any, s: Any, dim: Any) -> Any:
    """The dims of a transform, and how many elements each has.

    Raises RuntimeError: a dim is named twice, or there are fewer than sizes.
    """
    if s is not None and isinstance(s, int):
        s = (s,)
    if dim is not None and isinstance(dim, int):
        dim = (dim,)
    if dim is None:
        rank = input.dim()
        first = 0 if s is None else rank - len(s)
        if first < 0:
            raise RuntimeError(f"{rank - first} sizes for a tensor of {rank} dims")
        dim = [i for i in range(first, rank)]
    if s is not None and len(s) != len(dim):
        raise RuntimeError(f"{len(s)} sizes for {len(dim)} dims")
    sizes = [input.size(i) for i in dim]
    if len({i % input.dim() for i in dim}) != len(dim):
        raise RuntimeError("FFT dims must be unique")
    if s is not None:
        sizes = [sizes[i] if s[i] == -1 else s[i] for i in range(len(s))]
    return [(dim[i], sizes[i]) for i in range(len(dim))]


def _transform(
    input: Any, n: Any, dim: int, sign: int, norm: Any, is_inverse: bool
) -> Any:
    """n elements of a sum with exp(sign * 2 pi i j k / n)."""
    count = input.size(dim) if n is None else n
    factor = _factor(norm, count, is_inverse)
    if not isinstance(input, Complex):
        return _of_real(input, count, count, dim, sign, factor)
    real = _rows(input.real, count, dim)
    real, imag = _sums(real, _rows(input.imag, count, dim), sign, count, count)
    return Complex((real * factor).movedim(-1, dim), (imag * factor).movedim(-1, dim))


def _of_real(
    input: Any, count: int, results: int, dim: int, sign: int, factor: float
) -> Any:
    """The first `results` of `count` elements."""
    real, imag = _sums(_rows(input, count, dim), None, sign, count, results)
    # A real tensor has no sine at 0 and in the middle, whatever its elements.
    is_real = torch.arange(results) * 2 % count == 0
    imag = torch.where(is_real, 0.0, imag)
    return Complex((real * factor).movedim(-1, dim), (imag * factor).movedim(-1, dim))


def _to_real(
    input: Any, n: Any, dim: int, sign: int, norm: Any, is_inverse: bool
) -> Any:
    """n elements of a sum whose other half is the conjugate of the first one."""
    size = input.size(dim)
    count = 2 * (size - 1) if n is None else n
    factor = _factor(norm, count, is_inverse)
    half, others = count // 2 + 1, (count - 1) // 2
    is_complex = isinstance(input, Complex)
    real = _rows(input.real if is_complex else input, half, dim)
    real = torch.cat([real, real[..., 1 : others + 1].flip(-1)], -1)
    imag = None
    if is_complex:
        imag = _rows(input.imag, half, dim)
        imag = torch.cat([imag, -imag[..., 1 : others + 1].flip(-1)], -1)
    real, _ = _sums(real, imag, sign, count, count, is_real=True)
    return (real * factor).movedim(-1, dim)


def _rows(input: Any, count: int, dim: int) -> Any:
    """A dim as the last one, with as many elements."""
    return _fitted(_as_float(input).movedim(dim, -1), count)


_MOST = 64
"""Elements of a transform that is a product of matrices, if they have a divisor."""


def _sums(
    real: Any,
    imag: Any,
    sign: int,
    count: int,
    results: int,
    depth: int = 3,
    is_real: bool = False,
) -> Any:
    """The first results of a transform of the last dim: real and imaginary parts.

    `imag`: None, where all of it is 0; `is_real`: only the real parts are looked at,
    and stand for the others, too.
    """
    a = _divisor(count)
    if depth == 0 or a == 1:
        return _products(real, imag, sign, results, is_real)
    # The element at (j, k) of a * b is x[j * b + k], the result r[j + a * k].
    b = count // a
    real, imag = _columns(
        real.unflatten(-1, (a, b)),
        None if imag is None else imag.unflatten(-1, (a, b)),
        sign,
    )
    cosines, sines = _waves(a, b, real.dtype, count)
    sines = sign * sines
    real, imag = real * cosines - imag * sines, real * sines + imag * cosines
    first = min(b, results // a + 1)
    real, imag = _sums(real, imag, sign, b, first, depth - 1, is_real)
    real, imag = real.transpose(-1, -2).flatten(-2), imag.transpose(-1, -2).flatten(-2)
    return real[..., :results], imag[..., :results]


def _divisor(count: int) -> int:
    """The largest one that is not above the others; 1: a product does it."""
    if count > _MOST:
        for d in range(_MOST, 1, -1):
            if count % d == 0 and d * d <= count:
                return d
    return 1


def _columns(real: Any, imag: Any, sign: int) -> Any:
    """A transform of the last dim but one."""
    count = real.size(-2)
    cosines, sines = _waves(count, count, real.dtype)
    sines = sign * sines
    waves = torch.cat([cosines, sines])
    if imag is not None:
        waves = torch.cat([waves, torch.cat([-sines, cosines])], -1)
        real = torch.cat([real, imag], -2)
    found = waves @ real
    return found[..., :count, :], found[..., count:, :]


def _products(real: Any, imag: Any, sign: int, results: int, is_real: bool) -> Any:
    """A transform of the last dim."""
    cosines, sines = _waves(real.size(-1), results, real.dtype)
    sines = sign * sines
    waves = cosines if is_real else torch.cat([cosines, sines], -1)
    if imag is not None:
        others = -sines if is_real else torch.cat([-sines, cosines], -1)
        waves = torch.cat([waves, others])
        real = torch.cat([real, imag], -1)
    if real.dim() > 2:
        # One product of two matrices, however many rows there are.
        found = (real.flatten(0, -2) @ waves).unflatten(0, (-1, *real.shape[1:-1]))
    else:
        found = real @ waves
    return found[..., :results], found[..., (0 if is_real else results) :]


def _waves(rows: int, columns: int, dtype: Any, period: Any = None) -> Any:
    """cos and sin of 2 pi j k / period: [rows, columns] each."""
    period = rows if period is None else period
    count = rows * columns
    # So many that none are literals: the kernel makes the table, once.
    numbers = torch.arange(count + 4096)[:count].reshape(rows, columns)
    steps = (numbers // columns) * (numbers % columns)
    angles = (steps % period).to(torch.float64) * (2 * math.pi / period)
    return angles.cos().to(dtype), angles.sin().to(dtype)


def _fitted(rows: Any, count: int) -> Any:
    """As many elements in the last dim, with zeros behind."""
    size = rows.size(-1)
    if size == count:
        return rows
    return rows[..., :count] if size > count else F.pad(rows, (0, count - size))


def _as_float(input: Any) -> Any:
    """Raises RuntimeError: half floats, for which eager has no transform."""
    if input.dtype == torch.float16:
        raise RuntimeError("Unsupported dtype Half")
    if input.dtype == torch.bfloat16:
        raise RuntimeError("Unsupported dtype BFloat16")
    return input if input.is_floating_point() else input.to(torch.get_default_dtype())


def _factor(norm: Any, count: int, is_inverse: bool) -> float:
    """What a transform of so many elements is multiplied by.

    Raises RuntimeError: there is no element, or no such normalisation.
    """
    if count < 1:
        raise RuntimeError(f"Invalid number of data points ({count}) specified")
    if norm not in (None, "backward", "forward", "ortho"):
        raise RuntimeError(f'Invalid normalization mode: "{norm}"')
    if norm == "ortho":
        return 1 / math.sqrt(count)
    is_whole = (norm == "forward") == is_inverse
    return 1.0 if is_whole else 1 / count
