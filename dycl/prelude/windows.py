"""Windows of as many elements as the run decides, and `torch.stft`."""

import math
from typing import Any

import torch
from torch.nn import functional as F

from dycl.prelude.fourier import fft, rfft


def hann_window(window_length: int, periodic: bool = True, **kwargs: Any) -> Any:
    """`torch.hann_window`: [length]. Raises RuntimeError: it is below zero."""
    return _cosines("hann", window_length, periodic, [0.5, -0.5], kwargs)


def hamming_window(
    window_length: int,
    periodic: bool = True,
    alpha: float = 0.54,
    beta: float = 0.46,
    **kwargs: Any,
) -> Any:
    """`torch.hamming_window`: [length]. Raises RuntimeError: it is below zero."""
    return _cosines("hamming", window_length, periodic, [alpha, -beta], kwargs)


def blackman_window(window_length: int, periodic: bool = True, **kwargs: Any) -> Any:
    """`torch.blackman_window`: [length]. Raises RuntimeError: it is below zero."""
    factors = [0.42, -0.5, 0.08]
    return _cosines("blackman", window_length, periodic, factors, kwargs)


def bartlett_window(window_length: int, periodic: bool = True, **kwargs: Any) -> Any:
    """`torch.bartlett_window`: [length]. Raises RuntimeError: it is below zero."""
    places, last = _places("bartlett", window_length, periodic, kwargs)
    if window_length == 1:
        return torch.ones_like(places)
    return 1 - (places * (2 / max(last, 1)) - 1).abs()


def _cosines(name: str, length: int, periodic: bool, factors: Any, kwargs: Any) -> Any:
    """The sum of cosines of so many periods, each with its factor."""
    places, last = _places(name, length, periodic, kwargs)
    if length == 1:
        return torch.ones_like(places)
    angle = places * (2 * math.pi / max(last, 1))
    window = torch.full_like(places, factors[0])
    for i in range(1, len(factors)):
        window = window + factors[i] * torch.cos(i * angle)
    return window


def _places(name: str, length: int, periodic: bool, kwargs: Any) -> Any:
    """Numbers from zero on, as floats, and where the window would end."""
    if length < 0:
        raise RuntimeError(
            f"{name}_window requires non-negative window_length, got "
            f"window_length={length}"
        )
    dtype = kwargs.get("dtype", None)
    places = torch.arange(length).to(torch.float32 if dtype is None else dtype)
    return places, length if periodic else length - 1


def stft(
    input: Any,
    n_fft: int,
    hop_length: Any = None,
    win_length: Any = None,
    window: Any = None,
    center: bool = True,
    pad_mode: str = "reflect",
    normalized: bool = False,
    onesided: Any = None,
    return_complex: Any = None,
    align_to_window: Any = None,
) -> Any:
    """`torch.stft`: [time] or [batch, time] -> complex [.., frequencies, frames].

    Raises RuntimeError: a length does not fit, or `return_complex` is not given.
    """
    if return_complex is None:
        raise RuntimeError(
            "stft requires the return_complex parameter be given for real inputs, and "
            "will further require that return_complex=True in a future PyTorch release."
        )
    step = n_fft // 4 if hop_length is None else hop_length
    length = n_fft if win_length is None else win_length
    rows = input if input.dim() == 2 else input.unsqueeze(0)
    if center:
        side = n_fft // 2
        if align_to_window:
            raise RuntimeError(
                "stft align_to_window should only be set when center = false"
            )
        rows = F.pad(rows.unsqueeze(1), [side, side], pad_mode).squeeze(1)
    size = rows.size(1)
    if n_fft <= 0 or n_fft > size:
        raise RuntimeError(f"stft: expected 0 < n_fft < {size}, but got n_fft={n_fft}")
    if step <= 0:
        raise RuntimeError(f"stft: expected hop_length > 0, but got hop_length={step}")
    if length <= 0 or length > n_fft:
        raise RuntimeError(
            f"stft: expected 0 < win_length <= n_fft, but got win_length={length}"
        )
    frames = rows.unfold(1, n_fft, step)
    if window is not None or length < n_fft:
        if window is None:
            window = torch.ones(length, dtype=input.dtype)
        if window.dim() != 1 or window.size(0) != length:
            raise RuntimeError(
                f"expected a 1D window tensor of size equal to win_length={length}, "
                f"but got window with size {list(window.shape)}"
            )
        left = (n_fft - length) // 2
        frames = frames * F.pad(window, [left, n_fft - length - left])
    is_half = onesided is None or onesided
    norm = "ortho" if normalized else "backward"
    found = rfft(frames, norm=norm) if is_half else fft(frames, norm=norm)
    found = found.transpose(1, 2)
    if input.dim() == 1:
        found = found[0]
    return found if return_complex else torch.stack([found.real, found.imag], -1)
