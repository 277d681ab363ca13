"""Transforms of many lengths, as Python runs them, against eager's."""

from typing import Any

import pytest
import torch

from dycl.prelude import fourier
from dycl.prelude.complex_numbers import Complex


def _numbers(found: Any) -> torch.Tensor:
    return (
        torch.complex(found.real, found.imag) if isinstance(found, Complex) else found
    )


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("count", [1, 2, 64, 65, 66, 67, 96, 121, 130, 243, 256, 1000])
def test_lengths_with_and_without_divisors(count: int, dtype: Any) -> None:
    torch.manual_seed(count)
    x, y = torch.randn(2, 3, count, dtype=dtype)
    both = Complex(x, y)
    whole = torch.complex(x, y)
    half = Complex(x[:, : count // 2 + 1], y[:, : count // 2 + 1])
    start = torch.complex(half.real, half.imag)
    pairs = [
        (fourier.rfft(x), torch.fft.rfft(x)),
        (fourier.ihfft(x), torch.fft.ihfft(x)),
        (fourier.fft(x), torch.fft.fft(x)),
        (fourier.fft(x[0]), torch.fft.fft(x[0])),
        (fourier.fft(both), torch.fft.fft(whole)),
        (fourier.ifft(both, norm="ortho"), torch.fft.ifft(whole, norm="ortho")),
        (fourier.fft(both, dim=0), torch.fft.fft(whole, dim=0)),
        (fourier.irfft(half, count), torch.fft.irfft(start, count)),
        (fourier.hfft(half, count), torch.fft.hfft(start, count)),
        (fourier.irfft(half.real, count), torch.fft.irfft(start.real, count)),
    ]
    for found, wanted in pairs:
        off = (_numbers(found) - wanted).abs().max() / wanted.abs().max()
        assert off < 16 * torch.finfo(dtype).eps
