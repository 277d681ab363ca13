"""What is only moved: transposed in squares, and rows that the data name."""

import itertools
import math
from collections.abc import Callable
from typing import Any

import pytest
import torch

from dycl.kernels.cpu import CpuBackend

pytestmark = pytest.mark.each_target

Agree = Callable[..., None]


def numbers(*shape: int) -> torch.Tensor:
    """All different, with a NaN, an infinity and a denormal."""
    x = torch.arange(math.prod(shape), dtype=torch.float32).reshape(shape)
    x.flatten()[:3] = torch.tensor([math.nan, math.inf, 1e-40])
    return x


@pytest.mark.parametrize("shape", [(16, 33), (8, 100), (3, 17, 20), (2, 9, 5, 12)])
def test_every_permutation(shape: tuple[int, ...], agree: Agree) -> None:
    x = numbers(*shape)
    orders = list(itertools.permutations(range(len(shape))))[1::2]

    def moved(x: Any) -> Any:
        return tuple(x.permute(order).contiguous() for order in orders)

    agree(moved, x)


def test_part_of_a_tensor(agree: Agree) -> None:
    def moved(x: Any) -> Any:
        part = torch.ops.aten.clone(x[:, 2:, 3:20])
        return x[1:, :, 1:].transpose(1, 2).contiguous() * 2, part.transpose(1, 2) + 1

    agree(moved, numbers(3, 20, 21))


def test_squares_are_calls(torch_text: Callable[..., str]) -> None:
    text = torch_text(
        lambda x: x.permute(0, 2, 3, 1).contiguous(), numbers(1, 24, 5, 5)
    )
    assert "call @transpose." in CpuBackend().compile(text).stages()["memref"]


@pytest.mark.parametrize("width", [7, 8, 16, 37])
def test_rows_that_an_index_names(width: int, agree: Agree) -> None:
    def rows(table: Any, index: Any, weight: Any) -> Any:
        found = table[index]
        return found, torch.where(weight[:, None] > 0, found * weight[:, None], 0.0)

    agree(rows, numbers(30, width), torch.arange(29, -1, -3), torch.arange(10.0) - 4)
