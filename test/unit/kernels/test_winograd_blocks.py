"""Convolutions in blocks of tiles: the bits are those of the whole image."""

import re
from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch.nn.functional as F

from dycl.kernels.cpu import CpuBackend
from dycl.kernels.cpu.nests.shared_sums import sharing
from dycl.runtime.targets import why_not_here
from dycl.schedules import winograd


def randn(*shape: int) -> torch.Tensor:
    generator = torch.Generator().manual_seed(sum(shape))
    return torch.randn(shape, generator=generator)


@pytest.mark.parametrize(
    ("tiles", "whole", "block"),
    [
        ((64, 64), (True, True), (1, 16)),
        ((14, 14), (True, True), (1, 14)),
        ((8, 8), (True, True), (2, 8)),
        ((7, 7), (True, True), (7, 7)),
        ((3, 3), (True, True), (3, 3)),
        ((16, 5), (False, True), (16, 1)),
        ((6, 10), (True, False), (2, 10)),
        ((6, 10), (False, False), (6, 10)),
        ((59, 59), (True, True), (1, 59)),
    ],
)
def test_blocks_divide_the_tiles(tiles: Any, whole: Any, block: Any) -> None:
    assert winograd.block_of((1, *tiles), whole) == (1, *block)
    assert winograd.block_of((1, *tiles), whole, 1000) == (1, *block), "of one image"


@pytest.mark.parametrize(
    ("tiles", "least", "block"),
    [
        ((32, 16, 16), 14, (1, 1, 16)),
        ((32, 2, 2), 14, (4, 2, 2)),
        ((3, 2, 2), 14, (3, 2, 2)),
        ((6, 3, 3), 14, (2, 3, 3)),
        ((32, 7, 7), 64, (2, 7, 7)),
        ((32, 14, 14), 64, (1, 7, 14)),
        ((4, 4, 4), 128, (4, 4, 4)),
        ((1, 2, 2), 14, (1, 2, 2)),
    ],
)
def test_blocks_of_a_batch_are_parts_of_an_image_or_small_images(
    tiles: Any, least: int, block: Any
) -> None:
    assert winograd.block_of(tiles, (True, True), least) == block


def test_a_block_has_more_tiles_where_weights_leave_the_cache() -> None:
    assert winograd.tiles_of_batch(64, 64, 36) == 14
    assert winograd.tiles_of_batch(128, 128, 36) == 64
    assert winograd.tiles_of_batch(512, 512, 36) == 256


def residual(x: Any, w1: Any, b: Any, w2: Any) -> Any:
    y = F.relu(F.conv2d(x, w1, b, padding=1))
    return F.relu(F.conv2d(y, w2, padding=1) + x), y.mean((2, 3))


def fork(x: Any, w1: Any, w2: Any) -> Any:
    return F.conv2d(x, w1, padding=1), F.conv2d(x, w2, padding=1).sigmoid()


@pytest.fixture
def runs(
    monkeypatch: pytest.MonkeyPatch,
    torch_text: Callable[..., str],
    weights_of: Callable[..., str],
    run_prepared: Callable[..., list[torch.Tensor]],
) -> Callable[..., list[torch.Tensor]]:
    """Results of a function in blocks, which are those of the whole image."""

    def run(
        function: Any,
        tensors: list[torch.Tensor],
        target: str = "native",
        within: float = 0.0,
    ) -> Any:
        text = weights_of(torch_text(function, *tensors), range(1, len(tensors)))
        monkeypatch.setattr(winograd, "tile_of", lambda *_: 4)
        found: list[list[torch.Tensor]] = []
        for whole in (False, True):
            with monkeypatch.context() as patched:
                if whole:
                    patched.setattr(winograd, "block_of", lambda tiles, *_: tiles)
                library = CpuBackend(target=target, cache=False).compile(text)
                assert library.plain == ()
                found.append(run_prepared(library["kernel"], tensors))
        for one, other in zip(*found, strict=True):
            torch.testing.assert_close(
                one, other, rtol=within, atol=within, equal_nan=True
            )
        return found[0]

    return run


@pytest.mark.parametrize(
    ("size", "channels"),
    [((22, 40), 24), ((24, 39), 32), ((24, 40), 16), ((24, 40), 48)],
)
def test_two_layers_and_what_is_added(runs: Any, size: Any, channels: int) -> None:
    x, b = randn(1, channels, *size), randn(channels)
    weights = [randn(channels, channels, 3, 3) / 15 for _ in range(2)]
    tensors = [x, weights[0], b, weights[1]]
    target = "x86-64-v3" if channels == 32 else "native"
    results = runs(residual, tensors, target)
    for got, want in zip(results, residual(*tensors), strict=True):
        torch.testing.assert_close(got, want, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize(
    ("batch", "size", "channels", "filters", "target"),
    [
        (12, (8, 8), 16, 16, "native"),  # Four images are a block.
        (6, (9, 11), 24, 40, "native"),
        (3, (24, 40), 16, 32, "native"),  # A row of tiles is one.
        (5, (7, 7), 32, 32, "x86-64-v3"),
        (2, (28, 28), 128, 128, "native"),
        (4, (14, 14), 128, 96, "native"),
    ],
)
def test_a_batch_has_the_bits_of_all_images_as_one_block(
    runs: Any, batch: int, size: Any, channels: int, filters: int, target: str
) -> None:
    def function(x: Any, w1: Any, b: Any, w2: Any) -> Any:
        y = F.relu(F.conv2d(x, w1, b, padding=1))
        return F.relu(F.conv2d(y, w2, padding=1) + x), y.sum((1, 2, 3))

    x, b = randn(batch, channels, *size), randn(filters)
    w1 = randn(filters, channels, 3, 3) / 15
    w2 = randn(channels, filters, 3, 3) / 15
    results = runs(function, [x, w1, b, w2], target)
    for got, want in zip(results, function(x, w1, b, w2), strict=True):
        torch.testing.assert_close(got, want, rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("size", [(8, 8), (24, 40)])
def test_what_is_not_finite_stays_in_its_image(runs: Any, size: Any) -> None:
    x, w = randn(8, 20, *size), randn(20, 20, 3, 3) / 12
    x[5, 3, 6, 6], x[7, 0, 0, 0] = float("nan"), float("inf")

    def function(x: Any, w: Any) -> Any:
        return F.conv2d(x, w, padding=1)

    # With eight lanes the last bits of a block and of the whole image differ.
    within = 1e-4 if why_not_here("x86-64-v4") else 0.0
    (got,) = runs(function, [x, w], within=within)
    torch.testing.assert_close(
        got, function(x, w), rtol=1e-4, atol=1e-4, equal_nan=True
    )


def test_a_convolution_of_a_batch_is_one_nest(
    torch_text: Any, weights_of: Any, monkeypatch: Any
) -> None:
    monkeypatch.setattr(winograd, "tile_of", lambda *_: 4)
    tensors = [randn(8, 16, 8, 8), randn(16, 16, 3, 3)]
    text = torch_text(lambda x, w: F.conv2d(x, w, padding=1), *tensors)
    stages = CpuBackend(cache=False).compile(weights_of(text, [1])).stages()
    assert len(re.findall(r"call @nest", stages["memref"])) == 1, "three nests are one"


def test_what_is_not_finite_stays_in_its_windows(runs: Any) -> None:
    x, w = randn(1, 20, 24, 40), randn(20, 20, 3, 3) / 12
    x[0, 3, 17, 29] = float("nan")

    def function(x: Any, w: Any) -> Any:
        return F.conv2d(x, w, padding=1)

    (got,) = runs(function, [x, w])
    torch.testing.assert_close(
        got, function(x, w), rtol=1e-4, atol=1e-4, equal_nan=True
    )
    assert got.isnan().sum() == 20 * 9


def test_pixels_that_two_convolutions_share_stay_whole_and_others_do_not(
    torch_text: Any, weights_of: Any, run_prepared: Any, monkeypatch: Any
) -> None:
    monkeypatch.setattr(winograd, "tile_of", lambda *_: 4)
    tensors = [randn(1, 16, 24, 40), *(randn(16, 16, 3, 3) / 12 for _ in range(2))]
    text = weights_of(torch_text(fork, *tensors), [1, 2])
    library = CpuBackend(cache=False).compile(text)
    assert len(re.findall(r"call @nest", library.stages()["memref"])) == 5
    alone = weights_of(
        torch_text(lambda x, w: F.conv2d(x, w, padding=1), *tensors[:2]), [1]
    )
    memrefs = CpuBackend(cache=False).compile(alone).stages()["memref"]
    assert len(re.findall(r"call @nest", memrefs)) == 1, "three nests are one"
    results = run_prepared(library["kernel"], tensors)
    for got, want in zip(results, fork(*tensors), strict=True):
        torch.testing.assert_close(got, want, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize(
    ("channels", "filters", "rooms"),
    [(16, 16, 1), (20, 30, 1), (16, 32, 2), (32, 16, 2), (64, 64, 2)],
)
def test_sums_take_the_place_of_pixels_that_all_filters_have_seen(
    channels: int,
    filters: int,
    rooms: int,
    torch_text: Any,
    weights_of: Any,
    run_prepared: Any,
    monkeypatch: Any,
) -> None:
    monkeypatch.setattr(winograd, "tile_of", lambda *_: 4)
    tensors = [randn(1, channels, 24, 40), randn(filters, channels, 3, 3) / 12]

    def function(x: Any, w: Any) -> Any:
        return F.conv2d(x, w, padding=1)

    text = weights_of(torch_text(function, *tensors), [1])
    library = CpuBackend(target="x86-64-v4", cache=False).compile(text)
    [call] = re.findall(r"call @nest.*?\(.*?\)", library.stages()["memref"])
    # Transforms and products see a room in a shape of their own.
    assert len(set(re.findall(r"%reinterpret_cast\w*", call))) == 2 * rooms
    if why_not_here("x86-64-v4"):
        return
    (got,) = run_prepared(library["kernel"], tensors)
    torch.testing.assert_close(got, function(*tensors), rtol=1e-4, atol=1e-4)


def test_rows_of_a_tile_that_share_sums_are_stored_before_others_are_read(
    torch_text: Any, weights_of: Any, monkeypatch: Any
) -> None:
    monkeypatch.setattr(winograd, "tile_of", lambda *_: 4)
    pixels = winograd.transforms(4).pixels
    assert sharing(pixels) == [[0], [1, 2], [3, 4], [5]]
    tensors = [randn(1, 16, 24, 40), randn(16, 16, 3, 3)]
    text = torch_text(lambda x, w: F.conv2d(x, w, padding=1), *tensors)
    stages = CpuBackend(cache=False).compile(weights_of(text, [1])).stages()
    nest = stages["memref"].partition("func.func private @nest")[2]
    read = [part.count("vector.load") for part in nest.split("vector.store")[:37]]
    rows_needed = [
        sum(any(pixels[i][j] for i in rows) for j in range(6))
        for rows in sharing(pixels)
    ]
    assert [n for n in read[:36] if n] == [6 * n for n in rows_needed]
