"""Steps that may be left out: kernels are slower without them, and as right."""

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from dycl.kernels.cpu import CpuBackend
from dycl.kernels.cpu.lower import named_steps


class Small(nn.Module):
    """Two convolutions, a pool, a row by a matrix, a softmax."""

    def __init__(self):
        super().__init__()
        self.first = nn.Conv2d(3, 16, 3, padding=1)
        self.second = nn.Conv2d(16, 32, 3, padding=1)
        self.last = nn.Linear(32, 2048)

    def forward(self, x):
        x = F.relu(self.first(x))
        x = torch.tanh(self.second(x)).mean((2, 3))
        return F.softmax(self.last(x), -1)


def test_they_are_steps():
    assert set(CpuBackend.OPTIONAL_STEPS) <= set(named_steps())


@pytest.mark.parametrize("step", CpuBackend.OPTIONAL_STEPS)
def test_a_network_without_one_equals_eager(step):
    import dycl

    torch.manual_seed(0)
    model, x = Small().eval(), torch.randn(1, 3, 16, 16)
    net = dycl.compile(model, (x,), cache=False, without=(step,))
    with torch.no_grad():
        torch.testing.assert_close(net(x), model(x), rtol=1e-4, atol=1e-6)
    assert CpuBackend(without=(step,)).settings.without == (step,)
