"""How many samples of a batch go through layers together.

One by one, each sample reads all weights of its layers, and where these are more than a
core has of the last cache, it reads them from memory. In a group each layer is computed
for all samples before the next: its weights are read once. Images, on the other hand,
may leave the second cache between two layers.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from dycl.schedules.schedule import LANES, SECOND_CACHE
from dycl.schedules.winograd import WINDOW, tile_of, work_of

GROUPS = (2, 4, 8)
"""How many samples may be a group: a batch of fewer gains nothing by it."""
NEAR = 1 << 24
"""Bytes of weights that stay in the last cache from one sample to the next."""
_FAR, _LEFT = 12, 4
"""What a vector from memory takes, of a weight, and one of an image that has left the
second cache, in products of 16 lanes. Fitted to a network of ResNet-18's size."""
_WORTH = 0.85
"""A group has to take less than that part of what its samples take one by one: its
functions are compiled for it."""
_AS_GOOD = 1.05
"""So much longer may a smaller group take: larger ones leave more samples alone."""


@dataclass(frozen=True)
class Layer:
    """A convolution with weights, of one sample."""

    weights: int
    """Elements of them."""
    pixels: int
    """Of a result."""
    memory: int
    """Bytes of image and result."""
    square: tuple[int, int, int, int] | None = None
    """Channels, filters, height and width, if Winograd's tiles may compute it."""


def together(layers: Sequence[Layer]) -> int:
    """How many samples are to go through these layers at once."""
    alone = _cost(layers, 1)
    costs = {group: _cost(layers, group) for group in GROUPS}
    best = min(costs.values())
    if best >= _WORTH * alone:
        return 1
    return next(group for group in GROUPS if costs[group] <= _AS_GOOD * best)


def _cost(layers: Sequence[Layer], group: int) -> float:
    """What a sample takes in a group of so many, in products of 16 lanes."""
    is_far = 4 * sum(layer.weights for layer in layers) > NEAR
    total = 0.0
    for layer in layers:
        work, vectors = _work(layer, group)
        total += work
        if is_far:
            total += _FAR * vectors / group
        if group * layer.memory > SECOND_CACHE:
            total += _LEFT * layer.memory / (4 * LANES)
    return total


_LOADS, _FAR_LOADS = 4, 12
"""What a vector of weights takes that are read for a group, in products of 16 lanes;
of all layers together up to `NEAR` bytes, or more."""
_BEYOND = ((1 << 22, 16), (SECOND_CACHE, 8))
"""What a vector of an image takes, if images of a group are more than so many bytes.
Fitted to convolutions, three in a row, by groups of 1 to 32."""


def group_of(layers: Sequence[Layer], count: int) -> int:
    """How many of `count` samples are to go through these layers at once; all of them
    do if smaller groups gain nothing."""
    groups = sorted({2**n for n in range(count.bit_length())} | {*_divisors(count)})
    costs = {group: _cost_of_all(layers, count, group) for group in groups}
    best = min(costs.values())
    if best >= _WORTH_IT * costs[count]:
        return count
    return next(group for group in groups if costs[group] <= _AS_GOOD * best)


_WORTH_IT = 0.98
"""A smaller group has to take less than that part of what all samples at once take."""


def _cost_of_all(layers: Sequence[Layer], count: int, group: int) -> float:
    """What `count` samples take in groups, and those that are left one by one."""
    left = count % group
    cost = (count - left) * _cost_in_group(layers, group)
    return cost + (left * _cost_in_group(layers, 1) if left else 0.0)


def _cost_in_group(layers: Sequence[Layer], group: int) -> float:
    """What a sample of a batch of a known size takes, in products of 16 lanes."""
    is_far = 4 * sum(layer.weights for layer in layers) > NEAR
    loads = _FAR_LOADS if is_far else _LOADS
    total = 0.0
    for layer in layers:
        work, vectors = _work(layer, group)
        memory = group * layer.memory
        beyond = next((each for most, each in _BEYOND if memory > most), 0)
        total += work + loads * vectors / group + beyond * layer.memory / (4 * LANES)
    return total


def _work(layer: Layer, group: int) -> tuple[float, float]:
    """The products of a sample in a group, and the vectors of weights in their form."""
    work, vectors = layer.weights * layer.pixels / LANES, layer.weights / LANES
    if layer.square is not None and (tile := tile_of(*layer.square, group)):
        work = work_of(tile, *layer.square)
        vectors *= (tile + WINDOW - 1) ** 2 / WINDOW**2
    return work, vectors


def _divisors(count: int) -> Iterator[int]:
    return (group for group in range(1, count + 1) if count % group == 0)
