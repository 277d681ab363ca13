"""Images of a height and width that a run decides: blocks, tiles, and what is left."""

from functools import partial

import pytest
import torch
import torch.nn.functional as F
from any_size import ANY, OTHER, weight
from hypothesis import given, settings
from hypothesis import strategies as st

from dycl.schedules import winograd

SIZES = ((1, 1), (2, 3), (5, 14), (7, 15), (13, 29), (31, 27))
"""Rows and columns: fewer than a tile, whole tiles and parts of them; eager's
convolutions refuse images without pixels."""


def conv(x, w, b):
    return F.relu(F.conv2d(x, w, b, padding=w.shape[-1] // 2))


def strided(x, w, b):
    return F.relu6(F.conv2d(x, w, b, stride=2, padding=1))


def depthwise(x, w, b):
    return F.conv2d(x, w, b, padding=1, groups=w.shape[0])


def residual(x, w, b, v):
    y = F.relu(F.conv2d(x, w, b, padding=1))
    return F.relu(x + F.conv2d(y, v, padding=1)), y.mean((2, 3))


def pooled(x, w, b):
    return F.max_pool2d(F.relu(F.conv2d(x, w, b, padding=1)), 3, 2, 1)


def joined(x, w, b, v):
    y = F.relu(F.conv2d(x, w, b, padding=1))
    return F.conv2d(torch.cat([y, x, y], 1), v)


FUNCTIONS = {
    "3x3": (conv, 16, [weight(32, 16, 3, 3), weight(32)]),
    "1x1": (conv, 32, [weight(48, 32, 1, 1), weight(48)]),
    "some channels": (conv, 24, [weight(20, 24, 3, 3), weight(20)]),
    "few channels": (conv, 3, [weight(16, 3, 5, 5), weight(16)]),
    "strided": (strided, 16, [weight(16, 16, 3, 3), weight(16)]),
    "depthwise": (depthwise, 40, [weight(40, 1, 3, 3), weight(40)]),
    "residual": (
        residual,
        16,
        [weight(16, 16, 3, 3), weight(16), weight(16, 16, 3, 3)],
    ),
    "pool": (pooled, 16, [weight(16, 16, 3, 3), weight(16)]),
    "joined": (
        joined,
        16,
        [weight(32, 16, 3, 3), weight(32), weight(16, 80, 1, 1)],
    ),
}


@pytest.mark.each_target
@pytest.mark.parametrize("kind", FUNCTIONS)
def test_images_of_any_size(any_size, kind):
    function, channels, weights = FUNCTIONS[kind]
    kernel = any_size(function, [(1, channels, ANY, OTHER)], weights)
    assert not kernel.library.plain
    for height, width in SIZES:
        kernel.agrees(height, width)


def test_random_sizes_of_several_samples(any_size):
    function, channels, weights = FUNCTIONS["residual"]
    kernel = any_size(function, [(3, channels, ANY, OTHER)], weights)

    @settings(max_examples=40, deadline=None)
    @given(st.integers(1, 40), st.integers(1, 40))
    def check(height: int, width: int) -> None:
        kernel.agrees(height, width)

    check()


@pytest.mark.parametrize("kind", ["3x3", "1x1", "depthwise", "residual"])
def test_two_threads(any_size, kind):
    function, channels, weights = FUNCTIONS[kind]
    kernel = any_size(function, [(1, channels, ANY, OTHER)], weights, threads=2)
    assert not kernel.library.plain
    for height, width in SIZES:
        kernel.agrees(height, width)


def test_any_batch_of_any_height(any_size):
    function, channels, weights = FUNCTIONS["strided"]
    kernel = any_size(function, [(ANY, channels, OTHER, 9)], weights)
    assert not kernel.library.plain
    for size, height in ((0, 5), (1, 1), (2, 8), (5, 20)):
        kernel.agrees(size, height)


def test_rows_that_are_known_and_columns_that_are_not(any_size):
    function, channels, weights = FUNCTIONS["3x3"]
    kernel = any_size(function, [(1, channels, 6, OTHER)], weights)
    assert not kernel.library.plain
    for width in (1, 13, 14, 40):
        kernel.agrees(0, width)


def test_signals_of_any_length(any_size):
    def function(x, w, b, v):
        return F.conv1d(F.relu(F.conv1d(x, w, b, padding=2)), v, stride=2)

    weights = [weight(32, 16, 5), weight(32), weight(16, 32, 3)]
    kernel = any_size(function, [(1, 16, ANY)], weights)
    assert not kernel.library.plain
    for length in (3, 4, 14, 29, 3000):
        kernel.agrees(length)


def test_nan_at_the_border_stays_there(any_size):
    function, channels, weights = FUNCTIONS["3x3"]
    kernel = any_size(function, [(1, channels, ANY, OTHER)], weights)
    (x,) = kernel.inputs(9, 17)
    x[0, 0, 8, 16] = torch.nan
    x[0, 1, 0, 3] = torch.inf
    wanted = function(x, *weights)
    torch.testing.assert_close(
        kernel([x])[0], wanted, rtol=1e-4, atol=1e-5, equal_nan=True
    )


@pytest.mark.each_target
@pytest.mark.parametrize(("batch", "channels"), [(1, 120), (2, 40)])
def test_small_images_are_of_the_definition_and_large_ones_of_tiles(
    any_size, batch, channels, monkeypatch
):
    def function(x, w, b):
        return F.relu(F.conv2d(x, w, b, padding=1) + x)

    if batch > 1:
        few = winograd.Crossing(1, 2, 20)
        monkeypatch.setattr(winograd, "crossing_of", lambda *_: few)
    tile = winograd.tile_of_any(channels, channels, None, None, batch)
    crossing = winograd.crossing_of(tile, channels, channels, batch)
    weights = [weight(channels, channels, 3, 3), weight(channels)]
    shapes = [(batch, channels, ANY, OTHER)]
    kernel = any_size(function, shapes, weights, cache=False)
    plain = any_size(function, shapes, weights, without=("cpu-winograd",))
    assert not kernel.library.plain
    sides = set()
    for height, width in ((1, 1), (3, 3), (2, 19), (7, 6), (9, 14), (17, 30)):
        kernel.agrees(height, width)
        tiles = -(-height // tile) * -(-width // tile)
        in_tiles = crossing.is_worth(height * width, tiles)
        inputs = kernel.inputs(height, width)
        same = torch.equal(kernel(inputs)[0], plain(inputs)[0])
        assert same is not in_tiles, "tiles round otherwise"
        sides.add(in_tiles)
        inputs[0][-1, 7, -1, -1] = torch.nan
        inputs[0][0, 8, 0, 0] = torch.inf
        wanted = function(*inputs, *weights)
        close = partial(torch.testing.assert_close, rtol=1e-4, atol=1e-5)
        close(kernel(inputs)[0], wanted, equal_nan=True)
    assert sides == {True, False}


def test_where_tiles_of_any_image_begin_to_be_worth_it():
    for channels in (128, 256, 512):
        tile = winograd.tile_of_any(channels, channels, None, None, 1)
        crossing = winograd.crossing_of(tile, channels, channels, 1)
        for side in range(1, 60):
            is_worth = crossing.is_worth(side**2, (-(-side // tile)) ** 2)
            fixed = winograd.tile_of(channels, channels, side, side, 1)
            assert not is_worth or fixed, "tiles are worth it for the known size, too"
            assert is_worth or fixed != tile
    tile = winograd.tile_of_any(16, 16, None, None, 1)
    assert winograd.crossing_of(tile, 16, 16, 1) is None, "few images are so small"
