"""`torch.special`'s polynomials: a loop as often as the largest degree says."""

import pytest
import torch

import dycl
from dycl.prelude import FUNCTIONS, polynomials

NAMES = [n.rpartition(".")[2] for n in FUNCTIONS.values() if "polynomials" in n]


def all_pairs(dtype):
    """Edges, and what torch takes by arcs; degrees below 0, and no integers."""
    x = torch.tensor([-3.0, -1.0, -0.7, 0.0, 0.3, 0.999, 1.0, 2.5, torch.inf])
    n = torch.tensor([-1.0, 0.0, 1.0, 2.0, 3.0, 6.0, 7.0, 8.0, 9.0, 10.7, 12.0])
    x, n = torch.meshgrid(x.to(dtype), n.to(dtype), indexing="ij")
    return x, n


@pytest.mark.parametrize("name", NAMES)
def test_what_is_compiled_is_what_torch_computes(name):
    ours, eager = getattr(polynomials, name), getattr(torch.special, name)
    for dtype in (torch.float32, torch.float64, torch.int64):
        x, n = all_pairs(torch.float32 if dtype == torch.int64 else dtype)
        x = x.clamp(-9, 9) if dtype == torch.int64 else x
        x = x.to(dtype)
        torch.testing.assert_close(ours(x, n), eager(x, n), equal_nan=True)


def test_compiled_with_degrees_as_data():
    def several(x, n):
        one = torch.special.chebyshev_polynomial_u(x, n)
        other = torch.special.hermite_polynomial_he(n, 3)
        return one, other, torch.special.laguerre_polynomial_l(2.0, n)

    x, n = all_pairs(torch.float32)
    net = dycl.compile(several, (x, n.long()))
    rounds = []
    for degree in (n.long(), n.long().clamp(max=1)):
        for ours, eager in zip(net(x, degree), several(x, degree), strict=True):
            torch.testing.assert_close(ours, eager, equal_nan=True)
        rounds.append(sum(d.taken for d in net.path))
    assert rounds[0] - rounds[1] == 22  # of two loops, the second left at once
