"""Elementwise work of dynamic size on two threads: the bits of one, at each size."""

import numpy as np
import pytest
import torch
from torch import nn

import dycl

SIZES = (0, 1, 2, 3, 4, 33, 64, 257)


class Gates(nn.Module):
    """An LSTM's: parts of one tensor, and rows of another one that an index names."""

    def forward(self, x, old, order):
        i, f, g, o = x.chunk(4, 1)
        c = torch.sigmoid(f) * old[order] + torch.sigmoid(i) * torch.tanh(g)
        return torch.sigmoid(o) * torch.tanh(c), c


class Columns(nn.Module):
    """A run decides the inner loop; with three rows, two threads share that one."""

    def forward(self, x, bias):
        return torch.tanh(x) * torch.exp(-x * x) + bias


class Scaled(nn.Module):
    """By numbers that lie in a workspace, whose size is known."""

    def forward(self, x, weight, v):
        scale = (weight @ v).exp()
        return torch.tanh(x * scale) - scale.sum() * torch.sin(x)


class Decides(nn.Module):
    """A value that lies on the constant, and NaN, on both sides of a decision."""

    def forward(self, x):
        y = torch.tanh(x) * torch.sigmoid(x)
        if y.sum() > 0:
            return torch.nn.functional.gelu(x) * torch.cos(x)
        return y + torch.arange(x.shape[0])[:, None]


def _columns(rows):
    return lambda n: (torch.randn(rows, n) * 3, torch.randn(rows, 1))


def _gates(n):
    return torch.randn(n, 256) * 4, torch.randn(n, 64), torch.randperm(n)


N = dycl.Dim("n", max=300)
NETWORKS = {
    "gates": (Gates(), _gates, {"x": {0: N}, "old": {0: N}, "order": {0: N}}),
    "64 rows": (Columns(), _columns(64), {"x": {1: N}}),
    "3 rows": (Columns(), _columns(3), {"x": {1: dycl.Dim("n", max=4000)}}),
    "a workspace": (
        Scaled(),
        lambda n: (torch.randn(n, 96), torch.randn(96, 40) / 8, torch.randn(40)),
        {"x": {0: N}},
    ),
    "a decision": (Decides(), lambda n: (torch.randn(n, 512) * 5,), {"x": {0: N}}),
}


def _bits(values):
    values = values if isinstance(values, tuple) else (values,)
    return [np.asarray(value).tobytes() for value in values]


@pytest.mark.parametrize("name", NETWORKS)
def test_two_threads_give_the_bits_of_one(name):
    model, make, sizes = NETWORKS[name]
    torch.manual_seed(0)
    one, two = (
        dycl.compile(model.eval(), make(5), dynamic_shapes=sizes, threads=count)
        for count in (1, 2)
    )
    assert "@loop.0.task" in two.kernel_stages["llvm"]
    assert "@loop.0" not in one.kernel_stages["llvm"]
    sides = set()
    for size in (*SIZES, *((1999,) if name == "3 rows" else ())):
        for scale in (1.0, -1.0, float("nan")):
            given = list(make(size))
            if scale == scale:
                given[0] = given[0].abs() * scale
            elif size:
                given[0].view(-1)[size // 2] = scale
            for _ in range(8):
                got = two(*given)
                assert _bits(got) == _bits(one(*given)), (size, scale)
            with torch.no_grad():
                wanted = model(*given)
            torch.testing.assert_close(
                got, wanted, rtol=1e-4, atol=1e-5, equal_nan=True
            )
            sides |= {d.taken for d in two.path}
    assert sides == ({True, False} if name == "a decision" else set())
