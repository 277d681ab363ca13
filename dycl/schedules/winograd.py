"""Winograd's convolutions with a window of 3x3: which tiles, and where they win.

A tile of m x m results is computed from (m + 2)^2 pixels with as many products instead
of 9 m^2: pixels and weights are transformed by small matrices, multiplied one by one
and summed up over channels, and the sums are transformed back (Lavin and Gray, 2016).
The matrices follow from m + 1 points at which polynomials are evaluated; their choice
decides how much rounding grows. With those here the largest error against f64 is that
of sums taken in order: measured on 256 channels of unit variance, 2e-6 for m = 2 and
7e-6 for m = 4, and 6e-6 for the products and sums of the definition.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

Matrix = tuple[tuple[Fraction, ...], ...]

POINTS = {
    2: (Fraction(0), Fraction(1), Fraction(-1)),
    4: (Fraction(0), *(Fraction(s * n, 4) for n in (3, 6) for s in (1, -1))),
}
"""Size of a tile -> the points; pairs of opposite signs share half of their sums."""

WINDOW = 3


@dataclass(frozen=True)
class Transforms:
    """The matrices of one size of tiles."""

    pixels: Matrix
    """B^T: from m + 2 pixels to m + 2 values."""
    weights: Matrix
    """G: from three weights to m + 2 values."""
    results: Matrix
    """A^T: from m + 2 sums to m results."""


@lru_cache
def transforms(tile: int) -> Transforms:
    """The matrices for tiles of that size. KeyError: there are no such tiles."""
    points = POINTS[tile]
    zero, one = Fraction(0), Fraction(1)
    pixels: list[tuple[Fraction, ...]] = []
    weights: list[tuple[Fraction, ...]] = []
    for point in points:
        others = [other for other in points if other != point]
        scale = one
        for other in others:
            scale *= point - other
        weights.append(tuple(point**k / scale for k in range(WINDOW)))
        pixels.append((*_product(others), zero))
    weights.append((zero, zero, one))
    pixels.append(tuple(_product(points)))
    results = [
        (*(point**i for point in points), one if i == tile - 1 else zero)
        for i in range(tile)
    ]
    return Transforms(tuple(pixels), tuple(weights), tuple(results))


_PIXELS, _RESULTS = 250, 185
"""What the transforms of one tile of 4x4 take, of 16 channels each."""
_LOADS, _NEAR, _FAR_LOADS = 16, 1 << 24, 40
"""What loading a weight takes, in products with it; up to how many bytes of them, and
from there on. In a network, other layers have been in the cache since the last call."""
_WORTH = 0.85
"""Tiles have to take less than that part of what the definition takes."""


def tile_of(channels: int, filters: int, height: int, width: int, batch: int) -> int:
    """The size of tiles that is fastest for a convolution; 0: none is.

    A model of what each takes, in products of 16 lanes, fitted to the kernels of
    networks and to what `python -m bench.winograd` measures, where weights stay in the
    cache. Transforms cost what is saved where channels are few; where maps are small,
    weights, which grow to (m + 2)^2 / 9 of what they were, are loaded for few pixels.
    """

    def cost(tile: int) -> float:
        work = work_of(tile, channels, filters, height, width)
        return batch * work + _loading(tile, channels, filters)

    best = min((2, 4), key=cost)
    return best if cost(best) < _WORTH * cost(0) else 0


def _loading(tile: int, channels: int, filters: int) -> float:
    """What loading the weights takes, in products of 16 lanes."""
    weights = -(-channels // 16) * -(-filters // 16) * 16
    window = (tile + WINDOW - 1) ** 2 if tile else WINDOW**2
    is_near = 4 * 16 * weights * window <= _NEAR
    return window * weights * (_LOADS if is_near else _FAR_LOADS)


def work_of(tile: int, channels: int, filters: int, height: int, width: int) -> float:
    """What one image takes in tiles of that size, in products of 16 lanes, without what
    loading its weights takes; 0: by the definition."""
    blocks = -(-channels // 16), -(-filters // 16)
    weights = blocks[0] * blocks[1] * 16
    if not tile:
        return WINDOW**2 * weights * height * width
    tiles = -(-height // tile) * -(-width // tile)
    window = (tile + WINDOW - 1) ** 2
    transformed = blocks[0] * _PIXELS + blocks[1] * _RESULTS
    return window * weights * tiles + tiles * transformed * window / 36


_PIXELS_OF_CHANNELS = 3584
"""Channels times rows of an image of which a run decides how large it is: networks have
half as many of one where they have twice as many of the other."""
_LARGE, _SMALL = 2, 4
"""Tiles are chosen for images of so many times as many rows: smaller ones may take the
definition, where it wins from a part of that size on."""


def tile_of_any(
    channels: int, filters: int, height: int | None, width: int | None, batch: int
) -> int:
    """The size of tiles for an image of which a run decides the height, the width or
    both (None); 0: the definition, always. See `crossing_of`."""
    guess = _LARGE * _side_of(channels, filters)
    return tile_of(channels, filters, height or guess, width or guess, batch)


def _side_of(channels: int, filters: int) -> int:
    """The guess, for a convolution whose image may be of any size."""
    return max(1, _PIXELS_OF_CHANNELS // max(channels, filters))


@dataclass(frozen=True)
class Crossing:
    """From which images on tiles are worth it, where a run decides how large these are:
    if `pixel` times the pixels is at least `tile` times the tiles and `weights`."""

    pixel: int
    tile: int
    weights: int

    def is_worth(self, pixels: int, tiles: int) -> bool:
        """Whether an image is to be computed in tiles."""
        return self.pixel * pixels >= self.tile * tiles + self.weights


def crossing_of(tile: int, channels: int, filters: int, batch: int) -> Crossing | None:
    """Which images are to be computed in tiles of that size rather than by the
    definition, whose code is needed besides; None: all but very small ones are."""
    pixel = _WORTH * batch * work_of(0, channels, filters, 1, 1)
    weights = _loading(tile, channels, filters) - _WORTH * _loading(
        0, channels, filters
    )
    one = batch * work_of(tile, channels, filters, tile, tile)
    found = Crossing(round(pixel), round(one), round(weights))
    side = -(-_side_of(channels, filters) // _SMALL)
    return None if found.is_worth(side**2, (-(-side // tile)) ** 2) else found


_MANY_TILES, _NEAR_WEIGHTS = 28, 1 << 20
"""Tiles of a block, where its weights do not stay in the second cache; up to how many
bytes of them do."""


def tiles_of_block(channels: int, filters: int, window: int) -> int:
    """How many tiles to transform, multiply and transform back together, at most, where
    a run decides how many there are."""
    return _TILES if 4 * channels * filters * window <= _NEAR_WEIGHTS else _MANY_TILES


_TILES = 14
"""Tiles at least, of a block: they keep the multipliers busy, and the weights of a step
are loaded for each of them. More gain nothing, and leave the first cache."""


def tiles_of_batch(channels: int, filters: int, window: int) -> int:
    """How many tiles of a batch to transform, multiply and transform back together, at
    least. Where weights do not stay in the second cache, so many that what is made of
    the tiles takes as much memory: a quarter or twice of it takes as long."""
    if 4 * channels * filters * window <= _NEAR_WEIGHTS:
        return _TILES
    return max(_TILES, channels * filters // (channels + filters))


def block_of(
    tiles: tuple[int, int, int], whole: tuple[bool, bool], least: int = _TILES
) -> tuple[int, int, int]:
    """Images, and rows and columns of tiles of each, to transform, multiply and
    transform back together.

    `tiles`: how many there are of all; where results do not fill the last rows or
    columns (`whole`), such a direction is not divided. `least`: tiles that a block of
    several images has, if there are so many; of one image, `_TILES`.
    """
    images, down, across = tiles
    rows, columns = (
        _divisors(size) if may else [size]
        for size, may in zip((down, across), whole, strict=True)
    )
    least = least if images > 1 else _TILES
    fits = [(1, h, w) for h in rows for w in columns if h * w >= least]
    several = [(n, down, across) for n in _divisors(images)]
    fits += [block for block in several if math.prod(block) >= least]
    return min(fits, key=lambda block: (math.prod(block), block[1]), default=tiles)


def _divisors(size: int) -> list[int]:
    return [n for n in range(1, size + 1) if size % n == 0]


def _product(roots: Sequence[Fraction]) -> list[Fraction]:
    """The coefficients of the polynomial with these roots, lowest power first."""
    result = [Fraction(1)]
    for root in roots:
        raised = [Fraction(0), *result]
        result = [
            a - root * b for a, b in zip(raised, [*result, Fraction(0)], strict=True)
        ]
    return result
