"""Pools that say where the largest element of each window stands, dim after dim.

torch is imported in the functions.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from dycl.analysis.torch_fixes.indices import unchecked


@dataclass(frozen=True)
class _Windows:
    """Those along one dim."""

    size: int
    step: int
    padding: int
    spread: int
    """From one element of a window to the next."""

    def count(self, length: Any, ceil: bool) -> Any:
        """How many there are of so many elements; `ceil`: the last may stick out."""
        reach = self.spread * (self.size - 1) + 1
        if not ceil:
            return (length + 2 * self.padding - reach) // self.step + 1
        # As many as reach the end, or begin ahead of the padding behind it: fewer.
        more = min(self.padding - reach + self.step, 0)
        return (length + self.padding + self.step - 1 + more) // self.step


def largest_with_places(
    op: Any,
    x: Any,
    size: Any,
    stride: Any = (),
    padding: Any = 0,
    dilation: Any = 1,
    ceil_mode: bool = False,
) -> Any:
    """`max_pool2d_with_indices`, of one to three dims: the largest elements, and their
    numbers in the image, of equal ones the first, and of NaN, as in eager, the last."""
    rank = int(op._schema.name[len("aten::max_pool")])
    given = (size, stride or size, padding, dilation)
    sides = zip(*(_each(number, rank) for number in given), strict=True)
    return _largest_of_all(x, [_Windows(*side) for side in sides], ceil_mode)


def largest_of_equal(x: Any, counts: Sequence[int]) -> tuple[Any, Any]:
    """The same for windows that divide the last dims, so many along each."""
    from torch.nn import functional

    lengths = x.shape[-len(counts) :]
    sizes = [length // n for length, n in zip(lengths, counts, strict=True)]
    pool = functional.max_pool2d if len(counts) == 2 else functional.max_pool3d
    places = _largest_of_all(x, [_Windows(n, n, 0, 1) for n in sizes], False)[1]
    return pool(x, sizes, sizes), places


def _largest_of_all(x: Any, sides: Sequence[_Windows], ceil: bool) -> tuple[Any, Any]:
    rank = len(sides)
    lengths = x.shape[-rank:]
    values, places = x, None
    for dim, windows in reversed([*enumerate(sides, -rank)]):
        values, at = _largest(values, dim, windows, ceil)
        with unchecked():
            places = at if places is None else places.gather(dim, at)
        if dim != -1:
            places = places + at * _product(lengths[dim + 1 :])
    return values, places


def _each(number: Any, rank: int) -> list[int]:
    numbers = [number] if isinstance(number, int) else [*number]
    return numbers * rank if len(numbers) == 1 else numbers


def _product(sizes: Sequence[Any]) -> Any:
    result = 1
    for size in sizes:
        result = result * size
    return result


def _largest(x: Any, dim: int, windows: _Windows, ceil: bool) -> tuple[Any, Any]:
    """The largest element of each window along a dim, and its place there."""
    import torch

    count = windows.count(x.shape[dim], ceil)
    span = (count - 1) * windows.step + 1
    behind = windows.padding + (windows.step - 1 if ceil else 0)
    if windows.padding or behind:
        sides = [0, 0] * (-dim - 1) + [windows.padding, behind]
        is_float = x.is_floating_point()
        least = float("-inf") if is_float else torch.iinfo(x.dtype).min
        x = torch.nn.functional.pad(x, sides, value=least)
    start = torch.arange(count, device=x.device) * windows.step - windows.padding
    start = start.reshape(-1, *[1] * (-dim - 1))
    # What is outside is the least, which is greater than nothing: no place is outside.
    place: Any = start
    if windows.padding:
        place = torch.where(start < 0, start % windows.spread, start)
    best: Any = None
    for number in range(windows.size):
        first = number * windows.spread
        index = [slice(None)] * (-dim - 1)
        value = x[(..., slice(first, first + span, windows.step), *index)]
        if best is None:
            best = value
            place = place.expand(value.shape)
            continue
        is_better = (value > best) | (value != value)
        best = torch.where(is_better, value, best)
        place = torch.where(is_better, start + first, place)
    return best, place


NAMES = tuple(f"max_pool{rank}d_with_indices" for rank in (1, 2, 3))
