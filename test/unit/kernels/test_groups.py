"""A batch of any size in groups of samples, which read weights once, and the rest."""

from collections.abc import Callable

import pytest
import torch
import torch.nn.functional as F
from any_size import ANY, OTHER, AnySize, weight

from dycl.kernels.cpu.samples import outline_samples
from dycl.schedules import winograd
from dycl.schedules.samples import Layer, together

SIZES = (0, 1, 2, 7, 8, 9, 17, 32)
Compile = Callable[..., AnySize]
Tensor = torch.Tensor


@pytest.fixture(params=[2, 8])
def group(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    """Every loop over samples has groups of so many."""
    monkeypatch.setattr(outline_samples, "together", lambda _: request.param)
    return request.param


def residual(x: Tensor, w: Tensor, b: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
    y = F.relu(F.conv2d(x, w, b, padding=1))
    return F.relu(x + F.conv2d(y, v, padding=1)), y.mean((2, 3))


RESIDUAL = [weight(32, 32, 3, 3), weight(32), weight(32, 32, 3, 3)]


@pytest.mark.each_target
@pytest.mark.parametrize("threads", [1, 2])
def test_whole_groups_and_the_rest(any_size: Compile, group: int, threads: int) -> None:
    kernel = any_size(
        residual, [(ANY, 32, 5, 5)], RESIDUAL, threads=threads, cache=False
    )
    assert f"dycl.sample_group = {group}" in kernel.stage("linalg")
    assert not kernel.library.plain
    for size in SIZES:
        kernel.agrees(size)


def test_groups_in_tiles_and_the_rest_by_the_definition(
    any_size: Compile, group: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(winograd, "tile_of", lambda *a: 2 if a[-1] == group else 0)
    kernel = any_size(residual, [(ANY, 32, 5, 5)], RESIDUAL, cache=False)
    assert "winograd-pixels" in kernel.stage("linalg")
    for size in SIZES:
        kernel.agrees(size)


def test_nan_of_one_sample_stays_there(any_size: Compile, group: int) -> None:
    kernel = any_size(residual, [(ANY, 32, 5, 5)], RESIDUAL, cache=False)
    (x,) = kernel.inputs(17)
    x[3, 0], x[9, 1, 2], x[16, 31, 4, 4] = torch.nan, torch.inf, -torch.inf
    wanted = residual(x, *RESIDUAL)
    for got, one in zip(kernel([x]), wanted, strict=True):
        torch.testing.assert_close(got, one, rtol=1e-4, atol=1e-5, equal_nan=True)


def test_a_sample_is_the_same_in_every_place(any_size: Compile, group: int) -> None:
    kernel = any_size(residual, [(ANY, 32, 5, 5)], RESIDUAL, cache=False)
    (x,) = kernel.inputs(9)
    together = kernel([x])[0]
    alone = torch.cat([kernel([x[i : i + 1]])[0] for i in range(9)])
    torch.testing.assert_close(together, alone, rtol=1e-5, atol=1e-5)
    moved = kernel([x.roll(1, 0)])[0].roll(-1, 0)
    torch.testing.assert_close(together, moved, rtol=1e-5, atol=1e-5)


@pytest.mark.usefixtures("group")
def test_what_sees_all_samples_parts_groups(any_size: Compile) -> None:
    def function(x: Tensor, y: Tensor, w: Tensor) -> tuple[Tensor, ...]:
        z = F.conv2d(x, w, padding=1)
        again = F.conv2d(z - z.sum(0), w, padding=1)
        return again, F.conv2d(y, w), F.max_pool2d(x, 2, return_indices=True)[1]

    shapes = [(ANY, 16, 6, 6), (OTHER, 16, 6, 6)]
    kernel = any_size(function, shapes, [weight(16, 16, 3, 3)], cache=False)
    for sizes in ((0, 2), (9, 1), (1, 8), (17, 7)):
        kernel.agrees(*sizes)


def test_groups_are_for_weights_that_no_cache_keeps() -> None:
    late = Layer(512 * 512 * 9, 9, 2 * 4 * 512 * 9)
    assert together([late]) == 1
    assert together([late] * 4) == 8
    early = Layer(64 * 64 * 9, 56 * 56, 2 * 4 * 64 * 56 * 56)
    assert together([early] * 4) == 1
    assert together([]) == 1
