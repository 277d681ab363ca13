"""Running sums and products along rows: eager's bits, for any number of rows."""

from typing import Any

import pytest
import torch

import dycl

NAN, INF = float("nan"), float("inf")


class Scans(torch.nn.Module):
    """Of rows, of one row, of doubles and of integers."""

    def forward(self, x: torch.Tensor, n: torch.Tensor) -> Any:
        sums = x.cumsum(-1), x[0].cumsum(-1), x.double().cumsum(-1), n.cumsum(-1)
        return *sums, x.cumprod(-1), n.cumprod(-1)


@pytest.mark.parametrize("shape", [(19, 37), (2, 3, 9, 5), (8, 1), (1, 7)])
def test_bits_of_eager(shape: tuple[int, ...]) -> None:
    generator = torch.Generator().manual_seed(len(shape))
    x = torch.randn(shape, generator=generator)
    x.view(-1)[2], x.view(-1)[4:6] = INF, torch.tensor([-INF, -0.0])
    x.view(-1)[6] = NAN
    n = torch.randint(-3, 4, shape, generator=generator)
    model = Scans().eval()
    got = dycl.compile(model, (x, n))(x, n)
    for ours, wanted in zip(got, model(x, n), strict=True):
        assert ours.dtype == wanted.dtype
        torch.testing.assert_close(ours, wanted, rtol=0, atol=0, equal_nan=True)


def test_median_of_ties_nan_and_infinities() -> None:
    class Medians(torch.nn.Module):
        def forward(self, x: torch.Tensor) -> Any:
            value, place = x.median(-1, keepdim=True)
            there = x.gather(-1, place)
            return value, there, x.median(), x.median(0)[0], x.abs().median(1)[0]

    x = torch.randn((19, 13), generator=torch.Generator().manual_seed(1))
    x[3, 4], x[6, 2], x[7, :7], x[5], x[8] = NAN, INF, -INF, 1.0, -0.0
    x[9, :6] = 2.0
    for given in (x, torch.nan_to_num(x), x[:, :12].contiguous()):
        net = dycl.compile(Medians().eval(), (given,))
        for ours, wanted in zip(net(given), Medians()(given), strict=True):
            torch.testing.assert_close(ours, wanted, rtol=0, atol=0, equal_nan=True)
