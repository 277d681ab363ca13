"""Threads that share kernels whose sizes a call decides: what eager gives, at each."""

import pytest
import torch
from torch import nn

import dycl

SIZES = (0, 1, 2, 8, 23, 24, 25, 64, 130)
NETWORKS = {
    "a narrow layer": (nn.Linear(512, 10), lambda n: torch.randn(n, 512), 0),
    "layers": (
        nn.Sequential(nn.Linear(256, 40), nn.GELU(), nn.Linear(40, 24)),
        lambda n: torch.randn(1, n, 256),
        1,
    ),
}


class Net(nn.Module):
    def __init__(self, layers):
        super().__init__()
        self.layers = layers

    def forward(self, x):
        return self.layers(x)


@pytest.mark.parametrize("name", NETWORKS)
def test_two_threads_compute_all_rows(name):
    torch.manual_seed(0)
    layers, make, dim = NETWORKS[name]
    sizes = {"x": {dim: dycl.Dim("n", max=200)}}
    model, example = Net(layers).eval(), (make(4),)
    net = dycl.compile(model, example, dynamic_shapes=sizes, threads=2)
    for size in SIZES:
        x = make(size)
        with torch.no_grad():
            torch.testing.assert_close(net(x), model(x), rtol=1e-4, atol=1e-5)
