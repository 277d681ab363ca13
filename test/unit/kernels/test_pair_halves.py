"""Products of bf16: of every shape they are eager's, to the rounding of the result."""

import math
from pathlib import Path
from typing import Any

import pytest
import torch
import torch.nn.functional as F

import dycl
from dycl.runtime.targets import NATIVE, why_no_bf16

pytestmark = pytest.mark.skipif(
    bool(why_no_bf16(NATIVE)), reason="this processor has no products of bf16"
)


def randn(*shape: int) -> torch.Tensor:
    generator = torch.Generator().manual_seed(sum(shape))
    return torch.randn(shape, generator=generator).bfloat16()


def close(got: torch.Tensor, want: torch.Tensor) -> None:
    """A sum in another order may be rounded to the next bf16."""
    assert got.dtype == want.dtype == torch.bfloat16
    torch.testing.assert_close(got, want, rtol=2**-7, atol=1e-2, equal_nan=True)


class Layers(torch.nn.Module):
    def __init__(self, inner: int, columns: int):
        super().__init__()
        self.first = torch.nn.Linear(inner, columns)
        self.second = torch.nn.Linear(columns, 48, bias=False)

    def forward(self, x: Any) -> Any:
        y = F.relu(self.first(x))
        return y, self.second(y) + 1


@pytest.mark.parametrize(
    ("rows", "inner", "columns"),
    [((1,), 70, 300), ((2,), 6, 17), ((13,), 64, 130), ((3, 7), 96, 1), ((5,), 9, 64)],
)
def test_with_weights(rows: tuple[int, ...], inner: int, columns: int) -> None:
    torch.manual_seed(0)
    net = Layers(inner, columns).bfloat16().eval()
    x = randn(*rows, inner)
    compiled = dycl.compile(net, (x,))
    x.flatten()[:3] = torch.tensor([math.nan, math.inf, 1e-39])
    for given in (x, randn(*rows, inner)):
        for got, want in zip(compiled(given), net(given), strict=True):
            close(got, want)


def products(x: Any, y: Any) -> Any:
    z = torch.bmm(x, y)
    return z, torch.sigmoid(x[0] @ y[1]), z + z


@pytest.mark.parametrize("columns", [16, 80, 192, 33])
def test_of_inputs(columns: int, tmp_path: Path) -> None:
    x, y = randn(3, 11, 34), randn(3, 34, columns)
    compiled = dycl.compile(products, (x, y), keep=tmp_path)
    text = (tmp_path / "50-kernels" / "memref.mlir").read_text()
    assert ("avx512.dot" in text) == (columns % 16 == 0)
    x[0, 0, :2], y[1, 3, 5] = torch.tensor([math.inf, -0.0]), math.nan
    for got, want in zip(compiled(x, y), products(x, y), strict=True):
        close(got, want)


def test_denormals_are_eagers() -> None:
    x, y = torch.full((8, 32), 1e-39).bfloat16(), torch.full((32, 32), 1e38).bfloat16()
    assert torch.equal(dycl.compile(lambda x, y: x @ y, (x, y))(x, y), x @ y)


@pytest.mark.parametrize("target", ["x86-64-v3", "x86-64-v4"])
def test_other_processors_have_the_same_answer(target: str, tmp_path: Path) -> None:
    x, y = randn(3, 11, 34), randn(3, 34, 80)
    compiled = dycl.compile(products, (x, y), target=target, keep=tmp_path)
    assert "avx512.dot" not in (tmp_path / "50-kernels" / "memref.mlir").read_text()
    for got, want in zip(compiled(x, y), products(x, y), strict=True):
        close(got, want)
