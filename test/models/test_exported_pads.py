"""Exported programs: pads of dynamic sizes, and numbers beside tensors."""

import pytest
import torch
import torch.nn.functional as F
from torch import nn

import dycl

pytestmark = pytest.mark.filterwarnings("ignore::FutureWarning")
"""torch's, about its own code."""


class Pad(nn.Module):
    def __init__(self, widths):
        super().__init__()
        self.widths = widths

    def forward(self, x):
        return F.pad(x, self.widths, mode="reflect") * 2


class Numbers(nn.Module):
    """The size is the first operand: decompositions of torch's write it so."""

    def forward(self, x):
        n, places = x.shape[0], torch.arange(x.shape[0])
        return n - x, n / x, n % (places + 1), n == places, 2 - places, n - 1.5 * x


def same_at(sizes, model, shape, is_decomposed):
    dims = {
        d: torch.export.Dim("n", min=5, max=16) for d, s in enumerate(shape) if not s
    }

    def draw(size):
        return torch.rand([s or size for s in shape])

    exported = torch.export.export(
        model, (draw(6),), dynamic_shapes=(dims,), strict=False
    )
    if is_decomposed:
        exported = exported.run_decompositions()
    net = dycl.compile(exported, (draw(6),))
    for x in map(draw, sizes):
        torch.testing.assert_close(net(x), model(x))
        torch.testing.assert_close(net.with_python_host()(x), model(x))


@pytest.mark.parametrize("is_decomposed", [False, True])
@pytest.mark.parametrize(
    ("widths", "shape"),
    [
        ((2, -1), (2, 3, None)),
        ((-2, -1), (2, 3, None)),
        ((-1, 2), (None, 3, 7)),
        ((-1, 1, -2, 1), (None, 2, 6, 6)),
    ],
)
def test_reflections_beside_what_is_cut_off(widths, shape, is_decomposed):
    same_at((5, 6, 16), Pad(widths), shape, is_decomposed)


@pytest.mark.parametrize("is_decomposed", [False, True])
def test_numbers_before_tensors(is_decomposed):
    same_at((5, 6, 16), Numbers(), (None, 2), is_decomposed)
