"""Paddings of dynamic sizes: of widths that a run decides, and what they cut off."""

import pytest
import torch
import torch.nn.functional as F
from torch import nn

import dycl
from tools.size_sweep.comparing import same_at_every_size

SIZES = (9, 0, 1, 2, 3, 4, 5, 8)


def by_less_than_nothing(x):
    """`F.pad` cuts off where a width that is reckoned from a size is below zero."""
    more = x.size(0) - 3
    return F.pad(x, (more, 0)), F.pad(x, (0, 0, 1, more), value=float("-inf"))


def cut_at_one_end(x):
    more = x.size(0) - 4
    return F.pad(x, (more, -more)), F.pad(x, (0, 0, 0, -more), value=2.0)


def cut_and_filled(x):
    """torch cuts first, and raises where less than nothing would be left."""
    return F.pad(x, (x.size(0) - 5, 5 - x.size(0)))


def to_the_largest(x):
    return F.pad(x[None], (0, 0, 0, 40 - x.size(0)))


def masks(x):
    more = x.size(0) - 2
    return F.pad(x > 0, (1, 0), value=True), F.pad(x > 0, (more, 0, 0, 1), value=True)


def in_tensors(x):
    """As U-Nets keep what two images differ by."""
    rows = torch.tensor([x.size()[0] - 2])
    columns = torch.tensor(x.size(0)) % 3
    y = F.pad(x[:2], [columns, 0, rows // 2, rows - rows // 2])
    return y, F.pad(x, [0, torch.tensor(1), rows, columns - 1])


def in_tensors_that_change(x):
    """What is padded by is what is in the tensor then."""
    rows = torch.tensor([x.size(0) - 2])
    rows += 1
    y = F.pad(x, [0, 0, rows // 2, rows])
    rows.view(1).mul_(2)
    return y, F.pad(x, [0, 0, rows, 1])


@pytest.mark.parametrize(
    "function",
    [
        *(by_less_than_nothing, cut_at_one_end, cut_and_filled, to_the_largest, masks),
        *(in_tensors, in_tensors_that_change),
    ],
    ids=lambda function: function.__name__,
)
def test_widths_that_a_run_decides(function):
    same_at_every_size(function, ("n", 3), SIZES)


def zeros(x):
    return nn.ZeroPad2d((-1, 2, 1, -1))(x), nn.ZeroPad3d((-1, 0, -2, 1, 1, -1))(x[None])


def constants(x):
    return nn.ConstantPad1d((2, -3), 1.5)(x[:, 0]), nn.ConstantPad2d(-1, True)(x > 0)


class Reflected(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv3d(1, 2, 3, padding=1, padding_mode="reflect")

    def forward(self, x):
        return self.conv(x), F.pad(x, (1, 2, 2, 1, 0, 1), mode="reflect")


@pytest.mark.parametrize(
    ("model", "shape"),
    [
        (zeros, (2, "n", "n")),
        (constants, (2, 2, "n")),
        (Reflected().eval(), (1, 1, 4, "n", 4)),
        (Reflected().eval(), (1, 1, "n", 4, "n")),
    ],
)
def test_modules_that_cut_or_reflect(model, shape):
    same_at_every_size(model, shape, SIZES)


def whole_windows(x):
    """What is left of a window of 4 is 0 or 1 for the largest sizes."""
    height, width = x.shape[1:]
    right, below = (4 - width % 4) % 4, -height % 4
    x = F.pad(x, (0, right, 0, below))
    return x.view(2, -1, 4, x.size(2) // 4, 4).sum((2, 4)), x[:, :height, :width]


def test_images_of_whole_windows():
    n, m = dycl.Dim("n", min=4, max=20), dycl.Dim("m", min=4, max=20)
    net = dycl.compile(
        whole_windows, (torch.randn(2, 13, 20),), dynamic_shapes=({1: n, 2: m},)
    )
    for size in ((4, 4), (5, 19), (20, 20), (7, 6), (8, 17)):
        x = torch.randn(2, *size)
        for run in (net, net.with_python_host()):
            for found, wanted in zip(run(x), whole_windows(x), strict=True):
                torch.testing.assert_close(found, wanted)
