"""Products with constant matrices: the values of the definition, also where some are
infinite or NaN."""

import math
from collections.abc import Callable
from typing import Any

import pytest
import torch

from dycl.kernels.cpu import CpuBackend
from dycl.kernels.cpu.nests.shared_sums import operations

NAN, INF = float("nan"), float("inf")


def fourier(count: int) -> torch.Tensor:
    """The cosines and sines of so many elements, zeros and twins exact."""
    steps = torch.arange(count).unsqueeze(1) * torch.arange(count) % count
    angles = steps.double() * (2 * math.pi / count)
    waves = torch.cat([angles.cos(), angles.sin()])
    return torch.round(waves, decimals=12).float()


def text(matrix: torch.Tensor, batch: int, columns: int) -> str:
    """The product of a constant matrix with each sample, in the torch dialect."""
    rows, depth = matrix.shape
    left = f"!torch.vtensor<[{rows},{depth}],f32>"
    right, out = (f"!torch.vtensor<[{batch},{n},{columns}],f32>" for n in (depth, rows))
    numbers = str(matrix.tolist())
    return f"""
    func.func @kernel(%x: {right}) -> {out} attributes {{dycl.kernel}} {{
      %w = torch.vtensor.literal(dense<{numbers}> : tensor<{rows}x{depth}xf32>) : {left}
      %y = torch.aten.matmul %w, %x : {left}, {right} -> {out}
      return %y : {out}
    }}"""


@pytest.mark.each_target
@pytest.mark.parametrize(("count", "columns"), [(16, 16), (6, 21), (12, 5)])
def test_the_same_values(
    count: int, columns: int, target: str, run_prepared: Callable[..., Any]
) -> None:
    matrix = fourier(count)
    library = CpuBackend(target=target, cache=False).compile(text(matrix, 3, columns))
    assert '"factored"' in library.stages()["linalg"]
    assert library.plain == ()
    x = torch.randn(3, count, columns, generator=torch.Generator().manual_seed(count))
    (got,) = run_prepared(library["kernel"], [x])
    torch.testing.assert_close(got, matrix @ x, rtol=1e-5, atol=1e-5)
    # A product with 0 is NaN, too; other columns have nothing of it.
    x[1, 1, 2], x[1, 3, 2], x[2, 0, 1], x[2, 2, 1], x[0, 1, 4] = INF, INF, NAN, 1, -INF
    (got,) = run_prepared(library["kernel"], [x])
    torch.testing.assert_close(got, matrix @ x, rtol=1e-5, atol=1e-5, equal_nan=True)


def test_fourier_matrices_take_few_operations() -> None:
    rows = [tuple(row) for row in fourier(16).tolist()]
    assert operations(rows) < 80 < len(rows) * len(rows[0]) / 6
