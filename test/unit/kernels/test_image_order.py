"""Images of a batch: each step of large weights is for all of them."""

from collections.abc import Callable
from dataclasses import replace

import pytest
import torch
import torch.nn.functional as F

from dycl.schedules.schedule import NARROW, WIDE, Registers, Shape
from dycl.schedules.tiles import convolution

N, FILTERS, ROWS, WIDTH, LANES = range(5)


@pytest.mark.parametrize("registers", [WIDE, NARROW])
def test_the_order_of_images_and_filters(registers: Registers) -> None:
    trips = {N: 8, FILTERS: 32, ROWS: 3, WIDTH: 3, LANES: 16}
    trips |= {5: 32, 6: 3, 7: 3, 8: 16}
    image, weights = 4 * 8 * 512 * 25, 4 * 512 * 512 * 9
    shape = Shape(range(5), trips, range(5, 9), 0, image, weights, is_batch=True)
    assert convolution(shape, registers).order[:2] == (FILTERS, N)
    for other in (
        replace(shape, is_batch=False),
        replace(shape, image=weights, weights=image),
    ):
        assert convolution(other, registers).order[0] == N


@pytest.mark.each_target
@pytest.mark.parametrize(
    ("shape", "window", "stride"),
    [
        ((3, 64, 3, 3), (64, 64, 3, 3), 1),
        ((5, 48, 5, 4), (80, 48, 3, 3), 2),
        ((2, 48, 3, 2), (64, 48, 1, 1), 1),
        ((4, 32, 3), (64, 32, 3), 1),
        ((2, 32, 2, 3, 2), (64, 32, 1, 3, 3), 1),
    ],
)
def test_few_pixels_of_several_images(
    shape: tuple[int, ...],
    window: tuple[int, ...],
    stride: int,
    agree: Callable[..., None],
    alike_by_threads: Callable[..., None],
    torch_text: Callable[..., str],
) -> None:
    torch.manual_seed(0)
    conv = {3: F.conv1d, 4: F.conv2d, 5: F.conv3d}[len(shape)]
    padding = [size // 2 for size in window[2:]]

    def function(x: torch.Tensor, w: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return F.relu(conv(x, w, b, stride, padding))

    given = torch.randn(shape), torch.randn(window) / 20, torch.randn(window[0])
    agree(function, *given)
    alike_by_threads(torch_text(function, *given), *given)
