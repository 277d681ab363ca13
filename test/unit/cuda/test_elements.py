"""Elements as eager has them, of networks on the driver without a GPU."""

import pytest
import torch
from torch import nn
from torch.nn import functional as F

import dycl

pytest.importorskip("triton")


class Unsigned(nn.Module):
    """Numbers of 8 bits that have no sign."""

    def forward(self, x, y):
        if x.max() > 200:
            return x // y, x % y, x < y, x >> 1, x.float()
        return x < 200, x >= 200, x.clamp(100, 200), torch.maximum(x, y), x.fmod(y)


class Rests(nn.Module):
    """Rests with the sign of either side."""

    def forward(self, x, y):
        if x[0] > 0:
            return x % 0.75, x.fmod(y), x.fmod(-0.3), x % -y
        return x.half() % y.half(), x.double() % 0.7, x.half().fmod(0.3)


class Chosen(nn.Module):
    """Of two integers one, which leaves 32 bits when it is multiplied."""

    def forward(self, x):
        many = torch.where(x > 0, 100000, 200000) * torch.where(x > 1, 100000, 300000)
        if x.sum() > 0:
            return many
        return many + 1


class Accurate(nn.Module):
    """What functions of doubles are given is no float."""

    def forward(self, x):
        if x[0] > 0:
            return torch.special.ndtri(x.sigmoid()), torch.special.erfcx(x)
        return (x.double().abs() + 0.5) ** 0.1, x.double().lgamma(), x.digamma()


class Looked(nn.Module):
    """A table, beside columns that are numbered as tables are."""

    def forward(self, x, y):
        if x[0, 0] > 0:
            return F.multi_margin_loss(x, y)
        return F.multi_margin_loss(-x, y, reduction="sum")


_X = torch.tensor([0.7, -3.5, -1, 0, 2.5, float("nan"), float("inf"), 1e4])
_BYTES = torch.tensor([0, 1, 127, 128, 199, 200, 201, 255], dtype=torch.uint8)
_OTHERS = torch.tensor([1, 2, 3, 200, 199, 200, 7, 255], dtype=torch.uint8)
_ROWS, _CLASSES = torch.arange(15.0).view(3, 5) / 7 - 1, torch.tensor([1, 0, 4])
_WHOLE = torch.tensor([-3, 1, 2, -4, 5])
_SMALL = torch.tensor([0.3, -0.5, 1.5, -2.25, 3])
CASES = {
    "unsigned": (
        Unsigned(),
        [(_BYTES, _OTHERS), (_BYTES.clamp(max=200), _OTHERS)],
    ),
    "rests": (Rests(), [(_X, _X.flip(0)), (-_X, _X.flip(0))]),
    "chosen": (Chosen(), [(_WHOLE,), (-_WHOLE,)]),
    "accurate": (Accurate(), [(_SMALL,), (-_SMALL,)]),
    "looked-up": (Looked(), [(_ROWS, _CLASSES), (-_ROWS, _CLASSES)]),
}


@pytest.mark.parametrize("name", CASES)
def test_both_sides_are_eagers(gpu, name):
    model, cases = CASES[name]
    net = dycl.compile(model.eval(), cases[0], backend="cuda")
    sides = set()
    for given in cases:
        found, expected = net(*given), model(*given)
        torch.testing.assert_close(
            found, expected, equal_nan=True, rtol=2e-5, atol=2e-6
        )
        sides |= {d.taken for d in net.path}
    assert sides == {True, False}
    assert gpu.launches
