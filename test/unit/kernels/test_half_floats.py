"""Half floats are computed as eager does, on every number that there is."""

import pytest
import torch

import dycl

NUMBERS = (0.1, 0.7, -0.3, 3, -2.5)


def by_numbers(x: torch.Tensor) -> list[torch.Tensor]:
    """Eager keeps the number in f32 on the right, and rounds it on the left."""
    right = [x // number for number in NUMBERS]
    down = [torch.div(x, number, rounding_mode="floor") for number in NUMBERS]
    return [*right, *down, *(number // x for number in NUMBERS[:3])]


def by_halves(x: torch.Tensor) -> list[torch.Tensor]:
    """Each step of a quotient, and the logarithm in a product, is rounded."""
    y = x.flip(0)
    quotients = x // y, x // x[17], torch.div(y, x, rounding_mode="floor")
    logarithms = torch.xlogy(x, y), torch.xlogy(x, 0.7), torch.special.entr(x)
    return [*quotients, *logarithms, torch.logit(x, 0.1), torch.logit(x, 0.7)]


def rounded_once(x: torch.Tensor) -> list[torch.Tensor]:
    y = x.flip(0)
    sums = (
        torch.add(x, y, alpha=0.7),
        torch.sub(x, y, alpha=-0.3),
        torch.rsub(x, 0.7, alpha=3),
    )
    return [*sums, x.sigmoid(), torch.special.expit(x)]


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
@pytest.mark.parametrize("function", [by_numbers, by_halves, rounded_once])
def test_on_every_number(function, dtype: torch.dtype) -> None:
    x = torch.arange(-(2**15), 2**15).to(torch.int16).view(dtype)
    x = x[x.abs() < 1e35]  # beyond, some of eager's functions for vectors give NaN
    net = dycl.compile(function, (x,))
    for place, (ours, eager) in enumerate(zip(net(x), function(x), strict=True)):
        assert ours.dtype == eager.dtype
        same = (ours == eager) | (ours.isnan() & eager.isnan())
        assert same.all(), (place, x[~same][:3], ours[~same][:3], eager[~same][:3])


def test_large_results_are_not_infinite() -> None:
    """What an op has on the way may be no half float, though its result is one."""
    x = torch.linspace(10, 12, 99).half()
    net = dycl.compile(lambda x: torch.i0(x), (x,))
    torch.testing.assert_close(net(x), torch.i0(x), rtol=1e-3, atol=0)
