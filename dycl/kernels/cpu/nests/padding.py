"""Zeros around an image: a nest need not read them, nor anybody write them.

    linalg.fill ins(%zero) outs(%top) ...          // the border of %padded
    memref.copy %x, %inside                        // or an op that writes there
    linalg.generic {dycl.nest} ins(%padded, %w)

A nest that leaves out the products with the border reads `%inside`, or `%x` itself,
and then neither the fills nor the copy are needed. Such a product is zero, but for
weights that are infinite or NaN: the NaN that they would give is left out, too.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dycl.kernels.cpu import tensor_ops as build
from dycl.kernels.cpu.buffers.fill_borders import INSIDE
from dycl.kernels.cpu.buffers.memory import Effects, has_unit_stride
from dycl.kernels.cpu.loops.accesses import Access, Index, accesses, reductions, sizes

_WINDOW = 3
"""The largest window of which the edges are written out, one by one."""


@dataclass(frozen=True)
class Window:
    """Where along one dimension a window lies: `out * stride + tap * step - low`."""

    out: int
    """The loop over the result."""
    tap: int
    """The loop over the window."""
    stride: int
    step: int
    low: int
    size: int
    """Of the image without its border."""
    outs: int
    taps: int
    """The trips of both loops."""

    def is_inside(self, out: int, tap: int) -> bool:
        """Whether a tap reads the image and not the border."""
        return 0 <= out * self.stride + tap * self.step - self.low < self.size

    def is_whole(self, out: int) -> bool:
        """Whether all taps do."""
        return self.is_inside(out, 0) and self.is_inside(out, self.taps - 1)

    @property
    def share(self) -> float:
        """The part of the taps that reads the image."""
        inside = sum(
            self.is_inside(out, tap)
            for out in range(self.outs)
            for tap in range(self.taps)
        )
        return inside / (self.outs * self.taps)


@dataclass(frozen=True)
class Padding:
    """What a nest reads in place of a padded image."""

    padded: Any
    image: Any
    """The source of the copy into the inside, or the inside."""
    unneeded: tuple[Any, ...]
    """Ops that nobody needs if all who read `padded` read `image` instead."""
    low: tuple[int, ...]
    windows: tuple[Window, ...]
    """Those of dimensions that are padded."""

    def access(self, access: Access) -> Access:
        """Where the image has what the padded image has at `access`."""
        return tuple(
            Index(index.terms, index.constant - low)
            for index, low in zip(access, self.low, strict=True)
        )

    @property
    def saves_copy(self) -> bool:
        """Whether the image is read where it is before it is padded."""
        return any(op.name == "memref.copy" for op in self.unneeded)

    @property
    def share(self) -> float:
        """The part of the products that is not with the border."""
        return math.prod(window.share for window in self.windows)


def padding_of(op: Any, effects: Effects, until: int) -> Padding | None:
    """What a contraction may read instead of its padded image, up to place `until`.

    None: it is not padded with zeros, or not as is known here.
    """
    padded = op.operands[0]
    owner = build.owner(padded)
    if owner is None or INSIDE not in owner.attributes:
        return None
    bounds = list(owner.attributes[INSIDE])
    rank = len(bounds) // 2
    low, size = bounds[:rank], bounds[rank:]
    windows = _windows(op, low, size)
    writers = [i for i in range(len(effects.ops)) if effects.writes(i, padded)]
    sides = [i for i in writers if _writes(effects.ops[i], padded, low, size) < 0]
    inner = [i for i in writers if _writes(effects.ops[i], padded, low, size) > 0]
    if windows is None or not inner or len(sides) + len(inner) != len(writers):
        return None
    last = effects.ops[inner[-1]]
    inside = last.operands[len(last.operands) - 1]
    unneeded = [effects.ops[i] for i in sides]
    if last.name == "memref.copy" and len(inner) == 1:
        source = last.operands[0]
        if has_unit_stride(source) and not any(
            effects.writes(i, source) for i in range(inner[0] + 1, until + 1)
        ):
            inside = source
            unneeded.append(last)
    return Padding(padded, inside, tuple(unneeded), tuple(low), windows)


def _writes(op: Any, padded: Any, low: list[int], size: list[int]) -> int:
    """Where in a padded buffer an op writes: 1: what is inside; -1: a side; 0: else."""
    if op.name != "memref.copy" and (
        not op.name.startswith("linalg.") or _results(op) != 1
    ):
        return 0
    written = op.operands[len(op.operands) - 1]
    view = build.owner(written)
    if (
        view is None
        or view.name != "memref.subview"
        or view.operands[0] != padded
        or len(view.operands) != 1
        or set(view.attributes["static_strides"]) != {1}
    ):
        return 0
    offsets = list(view.attributes["static_offsets"])
    extents = list(view.attributes["static_sizes"])
    if (offsets, extents) == (low, size):
        return 1
    is_beside = any(
        at + extent <= begin or begin + whole <= at
        for at, extent, begin, whole in zip(offsets, extents, low, size, strict=True)
    )
    return -1 if op.name == "linalg.fill" and is_beside else 0


def _results(op: Any) -> int:
    return int(op.attributes["operandSegmentSizes"][1])


def _windows(
    op: Any, low: Sequence[int], size: Sequence[int]
) -> tuple[Window, ...] | None:
    """The padded dimensions; None: something else than a small window is."""
    image, *_ = accesses(op)
    trips, sums = sizes(op), reductions(op)
    result: list[Window] = []
    for index, padded, before, inside in zip(
        image, op.operands[0].type.shape, low, size, strict=True
    ):
        if padded == inside:
            continue
        outs = [term for term in index.terms if term.loop not in sums]
        taps = [term for term in index.terms if term.loop in sums]
        if len(outs) != 1 or len(taps) != 1 or index.constant:
            return None
        (out,), (tap,) = outs, taps
        if out.kind != "loop" or tap.kind != "loop" or trips[tap.loop] > _WINDOW:
            return None
        result.append(
            Window(
                out.loop,
                tap.loop,
                out.factor,
                tap.factor,
                before,
                inside,
                trips[out.loop],
                trips[tap.loop],
            )
        )
    return tuple(result)


def unneeded(skipping: Mapping[Any, Padding], effects: Effects) -> list[Any]:
    """What may go, of what fills padded images, if these ops do not read the border."""
    result: list[Any] = []
    for padded in dict.fromkeys(item.padded for item in skipping.values()):
        readers = [
            op
            for i, op in enumerate(effects.ops)
            if effects.touches(i, padded) and not effects.writes(i, padded)
        ]
        if all(op in skipping for op in readers):
            first, *others = (skipping[op].unneeded for op in readers)
            result += [op for op in first if all(op in other for other in others)]
    return result
