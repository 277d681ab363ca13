"""Products of the rows of one layer of several, of a number that a run decides."""

import pytest
import torch
from torch import nn

import dycl


class States(nn.Module):
    """What two layers have kept, each of which is multiplied where it stands."""

    def __init__(self):
        super().__init__()
        self.one, self.other = nn.Linear(48, 64), nn.Linear(48, 64, bias=False)

    def forward(self, h):
        y = self.one(h[1])
        if y.sum() > 0:
            return torch.relu(y + self.other(h[0]))
        return self.other(h[2, :, :48]) * y - self.one(h[0])


class Recurrent(nn.Module):
    """Two layers over a batch of any size, from zeros."""

    def __init__(self, kind):
        super().__init__()
        self.layers = kind(24, 32, num_layers=2, batch_first=True)

    def forward(self, x):
        y = self.layers(x)[0]
        if y[:, -1].sum() > 0:
            return y * 2
        return y - 1


def differs_nowhere(model, given, dims, calls):
    """Equal to eager, on both sides of the decision."""
    net = dycl.compile(model, given, dynamic_shapes=(dims,))
    sides = set()
    with torch.no_grad():
        for x in calls:
            torch.testing.assert_close(net(x), model(x), atol=1e-5, rtol=1e-4)
            sides.add(net.path[0].taken)
    assert sides == {True, False}


def test_rows_of_one_layer():
    torch.manual_seed(0)
    model, n = States().eval(), dycl.Dim("n", min=1, max=99)
    calls = [
        sign * torch.randn(3, size, 48) + sign * model.one.weight.sum(0).detach()
        for size in (1, 2, 5, 6, 7, 13, 99)
        for sign in (1, -1)
    ]
    differs_nowhere(model, (torch.ones(3, 4, 48),), {1: n}, calls)


@pytest.mark.parametrize("kind", [nn.LSTM, nn.GRU])
def test_two_layers(kind):
    torch.manual_seed(0)
    model, n = Recurrent(kind).eval(), dycl.Dim("n", min=1, max=40)
    calls = [torch.randn(size, 5, 24) * 3 for size in (1, 2, 3, 7, 8, 13, 40)]
    calls += [-x for x in calls]
    differs_nowhere(model, (torch.ones(4, 5, 24),), {0: n}, calls)
