"""Convolutions in tiles: the same values as by the definition, also where some are
infinite or NaN."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
import torch
import torch.nn.functional as F

from dycl.kernels.cpu import CpuBackend
from dycl.kernels.cpu.engine import CpuKernel
from dycl.kernels.cpu.lower import named_steps
from dycl.schedules import winograd

NAN, INF = float("nan"), float("inf")
Compile = Callable[..., torch.Tensor]


def randn(*shape: int) -> torch.Tensor:
    generator = torch.Generator().manual_seed(sum(shape))
    return torch.randn(shape, generator=generator)


@pytest.fixture(params=[2, 4])
def tile(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    """Take tiles of that size for every convolution."""
    monkeypatch.setattr(winograd, "tile_of", lambda *_: request.param)
    return request.param


@pytest.fixture
def compiled(
    target: str, torch_text: Callable[..., str], weights_of: Callable[..., str]
) -> Callable[..., CpuKernel]:
    """The kernel of a function of an image and weights; in tiles, nothing is plain."""

    def compile_it(function: Any, tensors: list[torch.Tensor]) -> CpuKernel:
        text = weights_of(torch_text(function, *tensors), range(1, len(tensors)))
        library = CpuBackend(target=target, cache=False).compile(text)
        assert "winograd-pixels" in library.stages()["linalg"]
        assert library.plain == ()
        return library["kernel"]

    return compile_it


@pytest.mark.each_target
@pytest.mark.parametrize("tile", [2, 4], indirect=True)
@pytest.mark.parametrize(
    ("channels", "filters", "height", "width", "batch"),
    [(16, 16, 8, 8, 1), (24, 40, 7, 9, 2), (32, 10, 1, 13, 1), (48, 32, 5, 3, 3)],
)
def test_the_same_values(
    channels: int,
    filters: int,
    height: int,
    width: int,
    batch: int,
    tile: int,
    compiled: Callable[..., CpuKernel],
    run_prepared: Callable[..., list[torch.Tensor]],
) -> None:
    tensors = [
        randn(batch, channels, height, width),
        randn(filters, channels, 3, 3) / channels**0.5 / 3,
        randn(filters),
        randn(batch, filters, height, width),
    ]

    def function(x: Any, w: Any, b: Any, y: Any) -> Any:
        return F.relu(F.conv2d(x, w, b, padding=1) + y)

    kernel = compiled(function, tensors)
    (got,) = run_prepared(kernel, tensors)
    torch.testing.assert_close(got, function(*tensors), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("padding", [0, (2, 0), (0, 3)])
def test_other_paddings(
    padding: Any,
    tile: int,
    compiled: Callable[..., CpuKernel],
    run_prepared: Callable[..., list[torch.Tensor]],
) -> None:
    tensors = [randn(1, 16, 9, 6), randn(32, 16, 3, 3) / 12]

    def function(x: Any, w: Any) -> Any:
        return F.conv2d(x, w, padding=padding)

    (got,) = run_prepared(compiled(function, tensors), tensors)
    torch.testing.assert_close(got, function(*tensors), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(
    ("where", "value"),
    [("pixel", NAN), ("pixel", INF), ("pixel", 3e38), ("weight", -INF)],
)
def test_what_is_not_finite_stays_in_its_windows(
    where: str,
    value: float,
    tile: int,
    compiled: Callable[..., CpuKernel],
    run_prepared: Callable[..., list[torch.Tensor]],
) -> None:
    x, w = randn(1, 20, 11, 11), randn(20, 20, 3, 3) / 12
    if where == "pixel":
        x[0, 3, 6, 6] = value
    else:
        w[5, 3, 1, 1] = value

    def function(x: Any, w: Any) -> Any:
        return F.conv2d(x, w, padding=1)

    (got,) = run_prepared(compiled(function, [x, w]), [x, w])
    exact = function(x.double(), w.double()).float()
    is_far = exact.abs() > 1e37
    torch.testing.assert_close(
        got[~is_far], exact[~is_far], rtol=1e-4, atol=1e-4, equal_nan=True
    )
    assert not got[is_far & ~exact.isnan()].isnan().any()
    if where == "pixel":
        assert got.isfinite().sum() >= 20 * (121 - 9)


@pytest.mark.parametrize("size", [2, 4])
def test_the_matrices_give_the_definition_exactly(size: int) -> None:
    found = winograd.transforms(size)
    pixels = [Fraction(n * n - 3 * n, 7) for n in range(size + 2)]
    weights = [Fraction(2), Fraction(-5, 3), Fraction(1, 11)]

    def times(matrix: winograd.Matrix, vector: list[Fraction]) -> list[Fraction]:
        return [
            sum((m * v for m, v in zip(row, vector, strict=True)), Fraction(0))
            for row in matrix
        ]

    left, right = times(found.pixels, pixels), times(found.weights, weights)
    products = [a * b for a, b in zip(left, right, strict=True)]
    wanted = [
        sum((pixels[i + k] * weights[k] for k in range(3)), Fraction(0))
        for i in range(size)
    ]
    assert times(found.results, products) == wanted


def test_few_pixels_are_no_tiles() -> None:
    assert winograd.tile_of(64, 64, 1, 1, 1) == 0
    assert winograd.tile_of(64, 64, 56, 56, 1) == 4
    assert winograd.tile_of(64, 64, 8, 8, 1) == 2
    assert winograd.tile_of(64, 64, 4, 4, 1) == 0


def test_weights_that_a_kernel_computes_stay_as_they_are(
    tile: int, torch_text: Callable[..., str]
) -> None:
    tensors = randn(1, 16, 9, 9), randn(16, 16, 3, 3)
    text = torch_text(lambda x, w: F.conv2d(x, w), *tensors)
    assert "winograd" not in CpuBackend(cache=False).compile(text).stages()["linalg"]


def test_it_may_be_left_out(
    torch_text: Callable[..., str], weights_of: Callable[..., str]
) -> None:
    assert set(CpuBackend.OPTIONAL_STEPS) <= set(named_steps())
    tensors = randn(1, 16, 20, 20), randn(16, 16, 3, 3)
    text = weights_of(torch_text(lambda x, w: F.conv2d(x, w), *tensors), [1])
    with_it = CpuBackend(cache=False).compile(text)
    without = CpuBackend(cache=False, without=("cpu-winograd",)).compile(text)
    assert "winograd" in with_it.stages()["linalg"]
    assert "winograd" not in without.stages()["linalg"]
