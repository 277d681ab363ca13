"""The zeta function, called on tensors, against torch's: poles, halves, far numbers."""

import pytest
import torch

from dycl.analysis.torch_fixes import zetas

INF, NAN = float("inf"), float("nan")
X = (0.5, 1.0, 1.0000001, 2.0, 3.0, 10.0, 50.0, 1e3, 1e6, 2.5, -2.0, INF, NAN)
Q = (0.0, -1.0, 1.0, 0.1, 1e-30, 100.0, 1e20, -0.5, -0.25, -7.3, -23.2, INF, -INF, NAN)


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
def test_zeta(dtype):
    given = torch.meshgrid(torch.tensor(X), torch.tensor(Q), indexing="ij")
    x, q = (one.to(dtype) for one in given)
    close = 1e-11 if dtype == torch.float64 else 1e-6
    torch.testing.assert_close(
        zetas.zeta(None, x, q),
        torch.special.zeta(x, q),
        rtol=close,
        atol=0,
        equal_nan=True,
    )


@pytest.mark.parametrize("order", [2, 3, 4, 7, 30])
def test_polygamma(order):
    x = torch.cat([torch.tensor(Q), torch.linspace(-9.9, 9.8, 23)]).double()
    torch.testing.assert_close(
        zetas.polygamma(order, x),
        torch.polygamma(order, x),
        rtol=1e-10,
        atol=0,
        equal_nan=True,
    )


def test_numbers_and_ints():
    whole = torch.arange(1, 6)
    for x, q in ((2, whole), (whole, 0.5), (whole, whole)):
        torch.testing.assert_close(zetas.zeta(None, x, q), torch.special.zeta(x, q))
