"""Convolutions of volumes, through the nests, against eager: sums are taken in another
order, so they agree to 1e-4 of unit-variance data."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch.nn.functional as F

from dycl.kernels.cpu import CpuBackend

pytestmark = pytest.mark.each_target

Agree = Callable[..., None]


def randn(*shape: int) -> torch.Tensor:
    generator = torch.Generator().manual_seed(sum(shape))
    return torch.randn(shape, generator=generator)


@pytest.mark.parametrize(
    ("channels", "filters", "size", "batch"),
    [(16, 32, (4, 8, 9), 2), (3, 20, (3, 7, 5), 1), (40, 17, (1, 5, 31), 1)],
)
@pytest.mark.parametrize(
    ("kernel", "options"),
    [
        ((3, 3, 3), {"padding": 1}),
        ((3, 1, 1), {"padding": (1, 0, 0)}),
        ((1, 3, 3), {"padding": (0, 1, 1)}),
        ((1, 1, 1), {}),
        ((1, 1, 1), {"stride": (2, 1, 1)}),
        ((2, 3, 1), {"padding": (2, 1, 1), "stride": (2, 1, 3), "dilation": (3, 1, 2)}),
    ],
)
def test_convolution(
    channels: int,
    filters: int,
    size: tuple[int, int, int],
    batch: int,
    kernel: tuple[int, int, int],
    options: dict[str, Any],
    agree: Agree,
) -> None:
    x = randn(batch, channels, *size)
    x[0, 1, 0, 1, 2], x[-1, 0, -1, 0, 0] = float("inf"), float("nan")
    agree(
        lambda x, w, b: F.conv3d(x, w, b, **options).relu(),
        x,
        randn(filters, channels, *kernel) / channels**0.5,
        randn(filters),
    )


@pytest.mark.parametrize(
    ("kernel", "options"),
    [
        (2, {"stride": 2}),
        ((3, 4, 3), {"stride": (2, 2, 1), "padding": 1, "output_padding": (1, 0, 0)}),
        ((2, 1, 3), {"stride": (2, 1, 3), "dilation": (3, 1, 2)}),
        (3, {"padding": 1}),
    ],
)
@pytest.mark.parametrize("filters", [8, 20])
def test_transposed_convolution(
    kernel: Any, options: dict[str, Any], filters: int, agree: Agree
) -> None:
    window = (kernel,) * 3 if isinstance(kernel, int) else kernel
    agree(
        lambda x, w, b: F.conv_transpose3d(x, w, b, **options),
        randn(2, 16, 3, 5, 4),
        randn(16, filters, *window) / 4,
        randn(filters),
    )


def factored(x: Any, space: Any, time: Any, point: Any, b: Any) -> Any:
    """A block of R(2+1)D: planes, depth, and a shortcut."""
    y = F.conv3d(x, space, b, padding=(0, 1, 1)).relu()
    y = F.conv3d(y, time, padding=(1, 0, 0))
    return F.max_pool3d((y + F.conv3d(x, point)).relu(), (1, 2, 2))


def test_a_block_of_a_video_network(
    agree: Agree,
    torch_text: Callable[..., str],
    alike_by_threads: Callable[..., None],
) -> None:
    given = (
        randn(1, 32, 6, 20, 22),
        randn(40, 32, 1, 3, 3) / 17,
        randn(48, 40, 3, 1, 1) / 11,
        randn(48, 32, 1, 1, 1) / 6,
        randn(40),
    )
    agree(factored, *given)
    text = torch_text(factored, *given)
    alike_by_threads(text, *given)
    library = CpuBackend().compile(text)
    assert library.plain == ()
    # Blocks go from one to the next: packed is what comes in, unpacked what goes out.
    stage = library.stages()["memref"]
    assert stage.count("call @copy.") == 2
