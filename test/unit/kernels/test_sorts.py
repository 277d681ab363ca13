"""Sorts merge runs: any length, dimension and dtype, in eager's order, ties as well."""

from collections.abc import Callable
from typing import Any

import pytest
import torch


def numbers(*shape: int) -> torch.Tensor:
    """Few different ones, so that many are equal."""
    generator = torch.Generator().manual_seed(sum(shape))
    return torch.randint(-9, 9, shape, generator=generator).float()


@pytest.mark.parametrize("size", [1, 2, 3, 7, 8, 31, 100])
@pytest.mark.parametrize("descending", [False, True])
def test_equal_elements_stay_in_order(
    size: int, descending: bool, torch_text: Any, call: Any
) -> None:
    def sort(x: torch.Tensor) -> Any:
        return torch.sort(x, dim=1, descending=descending)

    x = numbers(3, size)
    stable = torch.sort(x, dim=1, descending=descending, stable=True)
    for one, want in zip(_run(sort, [x], torch_text, call), stable, strict=True):
        torch.testing.assert_close(one, want, rtol=0, atol=0)


@pytest.mark.parametrize(
    "sort",
    [
        lambda x: torch.sort(x, dim=0)[0],
        lambda x: torch.sort(x, dim=1)[0],
        lambda x: torch.sort(x.long(), dim=2, descending=True)[0],
    ],
)
def test_any_dimension(sort: Callable[..., Any], torch_text: Any, call: Any) -> None:
    x = numbers(5, 6, 7)
    (one,) = _run(sort, [x], torch_text, call)
    torch.testing.assert_close(one, sort(x), rtol=0, atol=0)


def test_the_largest_of_many_with_what_is_no_number(torch_text: Any, call: Any) -> None:
    x = torch.randn(2, 999)
    x[0, 17], x[1, 3], x[1, 900] = torch.nan, torch.inf, -torch.inf

    def largest(x: torch.Tensor) -> Any:
        return torch.topk(x, 5, dim=1)

    for one, want in zip(_run(largest, [x], torch_text, call), largest(x), strict=True):
        torch.testing.assert_close(one, want, rtol=0, atol=0, equal_nan=True)


def _run(function: Any, tensors: Any, torch_text: Any, call: Any) -> list[torch.Tensor]:
    from dycl.kernels.cpu import CpuBackend

    kernel = CpuBackend().compile(torch_text(function, *tensors))["kernel"]
    return call(kernel, *tensors)
