"""Tensors and a number of each row: powers, bounds, and new tensors of one number."""

import math

import pytest
import torch
from row_groups import in_groups
from torch import nn

from dycl.tools.same import value_difference


class Powers(nn.Module):
    def forward(self, x):
        n = x[0, 0].item()
        if n > 0.5:
            return x**n, 2**x, torch.lerp(x, x * 2, n)
        return x.abs() ** n, n**x, torch.full((2, 3), n)


class Bounds(nn.Module):
    def forward(self, x):
        n = int(x[0, 0] * 2)
        if n > 0:
            return x.clamp(max=n), x.clamp(-1, n), x.clamp(n, 3)
        return x.long().clamp(min=n), x.clamp_max(x[0, 0].item()), x // (n - 1)


class Products(nn.Module):
    def forward(self, x):
        n = int(x[0, 0] * 2)
        if n > 0:
            return torch.addcmul(x, x, x, value=n)
        return torch.addcmul(x, torch.ones(1, 3), x.new_ones(3), value=n)


class Spread(nn.Module):
    """Tensors in one shape: of each row, and the same for all."""

    def forward(self, x):
        if x[0, 0] > 0:
            a, b = torch.broadcast_tensors(x, torch.full((2, 1), x[0, 1].item()))
            return a + b, b
        a, b, c = torch.broadcast_tensors(x[0], torch.ones(2, 1), x[0, 0])
        return a * b, b, c


CASES = (Powers, Bounds, Products, Spread)


@pytest.fixture(scope="module")
def compiled():
    return in_groups((torch.ones(1, 3),))


@pytest.mark.parametrize("backend", ["cpu", "reference"])
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.__name__)
def test_each_row_has_what_eager_gives(compiled, case, backend):
    net, model, paths = compiled(case, backend), case().eval(), set()
    rows = torch.tensor(
        [
            *([2.0, 1.0, 3.0], [0.0, 0.0, 1.0], [1.5, -2.5, 4.0], [-1.0, 2.0, 0.0]),
            *([2.0, math.nan, math.inf], [0.5, -math.inf, -0.0], [1.0, 1.0, 1.0]),
            *([-0.5, 0.25, -2.0], [-2.0, math.nan, 7.0], [3.0, 3.0, -3.0]),
        ]
    )
    for x in rows, rows[:1], rows[:2], rows[1:2], rows[:0]:
        parts = net.rows.split(net(x), len(x))
        wanted = [model(x[k : k + 1]) for k in range(len(x))]
        for part, one in zip(parts, wanted, strict=True):
            assert value_difference(one, part, 1e-5) is None
        paths |= {tuple(d.taken for d in path) for path in net.paths}
    assert len(paths) == 2
