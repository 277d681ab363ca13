"""Where the largest element of a window stands: of equal ones, of NaN, of -inf."""

import pytest
import torch
from torch import nn
from torch.nn import functional as F

import dycl


class Rows(nn.Module):
    def forward(self, x):
        return (
            *F.max_pool1d(x, 3, 2, 1, return_indices=True),
            *F.max_pool1d(x, 2, ceil_mode=True, return_indices=True),
            *F.adaptive_max_pool1d(x, 3, return_indices=True),
        )


class Images(nn.Module):
    def forward(self, x):
        return (
            *F.max_pool2d(x, 3, 2, 1, return_indices=True),
            *F.max_pool2d(x, (2, 3), (2, 1), (1, 0), (1, 2), return_indices=True),
            *F.max_pool2d(x, 3, 3, 1, ceil_mode=True, return_indices=True),
            *F.adaptive_max_pool2d(x, (3, 7), return_indices=True),
            *F.adaptive_max_pool2d(x, (2, 5), return_indices=True),
        )


class Open(nn.Module):
    def forward(self, x):
        return (
            *F.max_pool2d(x, 3, 2, 1, return_indices=True),
            *F.adaptive_max_pool2d(x, (2, 3), return_indices=True),
        )


class Volumes(nn.Module):
    def forward(self, x):
        return (
            *F.max_pool3d(x, 2, (2, 1, 2), 1, return_indices=True),
            *F.adaptive_max_pool3d(x, 2, return_indices=True),
        )


def images(shape):
    """Different numbers, ties, many NaN, many -inf, nothing else, and all of these."""
    torch.manual_seed(0)
    yield torch.randn(shape)
    yield torch.randn(shape).round()
    for nans, least in ((0.3, 0.0), (0.0, 0.7), (0.0, 1.0), (1.0, 0.0), (0.2, 0.4)):
        x = torch.randn(shape).round()
        x[torch.rand(shape) < nans] = float("nan")
        x[torch.rand(shape) < least] = -float("inf")
        yield x


@pytest.mark.parametrize("backend", ["cpu", "reference"])
@pytest.mark.parametrize(
    ("model", "shape"),
    [
        (Rows, (2, 9)),
        (Images, (1, 2, 9, 7)),
        (Images, (2, 6, 7)),
        (Volumes, (2, 4, 5, 3)),
    ],
)
def test_places_are_those_of_eager(model, shape, backend) -> None:
    model = model().eval()
    net = dycl.compile(model, (torch.zeros(shape),), backend=backend)
    for x in images(shape):
        torch.testing.assert_close(net(x), model(x), rtol=0, atol=0, equal_nan=True)


def test_of_an_image_as_large_as_a_call_decides() -> None:
    model = Open().eval()
    sizes = {"x": {2: dycl.Dim("height", min=4, max=32)}}
    net = dycl.compile(model, (torch.zeros(1, 2, 9, 7),), dynamic_shapes=sizes)
    for height in (4, 9, 12):
        for x in images((1, 2, height, 7)):
            torch.testing.assert_close(net(x), model(x), rtol=0, atol=0, equal_nan=True)
