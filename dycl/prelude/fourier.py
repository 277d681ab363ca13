"""`torch.fft` in real arithmetic: transforms are products with sines and cosines.

A transform of n elements is n * n products for each row: for short rows that is what
a fast one takes, too. The angles are multiples of 2 pi / n below n, in f64, so that
each sine is within its own rounding. What is not finite gives NaN everywhere.
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
    return _products(input, count, count // 2 + 1, dim, -1, _factor(norm, count, False))


def ihfft(input: Any, n: Any = None, dim: int = -1, norm: Any = None) -> Any:
    """`torch.fft.ihfft`: n // 2 + 1 elements of a real tensor."""
    count = input.size(dim) if n is None else n
    return _products(input, count, count // 2 + 1, dim, 1, _factor(norm, count, True))


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
        return _products(input, count, count, dim, sign, factor)
    real = _products(input.real, count, count, dim, sign, factor)
    imag = _products(input.imag, count, count, dim, sign, factor)
    return Complex(real.real - imag.imag, real.imag + imag.real)


def _products(
    input: Any, count: int, results: int, dim: int, sign: int, factor: float
) -> Any:
    """Of a real tensor."""
    rows = _fitted(_as_float(input).movedim(dim, -1), count)
    cosines, sines = _waves(count, results, rows.dtype)
    real, imag = rows @ cosines, rows @ sines
    # A real tensor has no sine at 0 and in the middle, whatever its elements.
    is_real = torch.arange(results) * 2 % count == 0
    imag = torch.where(is_real, 0.0, imag if sign > 0 else -imag)
    return Complex((real * factor).movedim(-1, dim), (imag * factor).movedim(-1, dim))


def _to_real(
    input: Any, n: Any, dim: int, sign: int, norm: Any, is_inverse: bool
) -> Any:
    """n elements of a sum whose other half is the conjugate of the first one."""
    size = input.size(dim)
    count = 2 * (size - 1) if n is None else n
    half = count // 2 + 1
    is_complex = isinstance(input, Complex)
    real = _fitted(
        _as_float(input.real if is_complex else input).movedim(dim, -1), half
    )
    cosines, sines = _waves(half, count, real.dtype, count)
    place = torch.arange(half)
    is_once = (place == 0) | (place * 2 == count)
    weights = torch.where(is_once, 1.0, 2.0).to(real.dtype) * _factor(
        norm, count, is_inverse
    )
    found = (real * weights) @ cosines
    if is_complex:
        imag = _fitted(_as_float(input.imag).movedim(dim, -1), half)
        found = found - sign * ((imag * weights) @ sines)
    return found.movedim(-1, dim)


def _waves(rows: int, columns: int, dtype: Any, period: Any = None) -> Any:
    """cos and sin of 2 pi j k / period: [rows, columns] each."""
    period = rows if period is None else period
    steps = torch.arange(rows).unsqueeze(1) * torch.arange(columns)
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
