"""`cpu-split-phases`: a transposed convolution is one convolution for each phase.

torch-mlir spreads the image out, with zeros between its pixels, and convolves that.
Every `stride`-th pixel of the result reads the image at the same taps of the window:
these pixels are a phase, a convolution of the image as it is by those taps alone.

Before:
    // stride 2: 1x32x7x9 among the zeros of 1x32x16x20, by 3x3
    %z = tensor.insert_slice %x into %zeros[0, 0, 1, 1] [1, 32, 7, 9] [1, 1, 2, 2]
    %y = linalg.conv_2d_nchw_fchw ins(%z, %w) outs(%i)            // 1x24x14x18

After:
    // four of these: 1x1, 1x2, 2x1 and 2x2 taps, each for 7x9 pixels
    %w1 = tensor.extract_slice %w[0, 0, 0, 0] [24, 32, 2, 2] [1, 1, 2, 2]
    %y1 = linalg.conv_2d_nchw_fchw ins(%xp, %w1) outs(%i1)
    %y = tensor.insert_slice %y1 into %y0[0, 0, 1, 1] [1, 24, 7, 9] [1, 1, 2, 2]

Needs:  linalg on tensors, named ops; before `cpu-winograd` and
        `cpu-block-contractions`.
Leaves: convolutions of stride 1 of the image, cut and padded as each needs it. The
        products with the zeros in between are gone, also those that would be NaN.
Skips:  dynamic sizes, other dtypes than f32 and f64, windows that
        read no pixel of the image in some phase; start values other than one number
        or one for each channel.
"""

import itertools
import math
from dataclasses import dataclass
from typing import Any

from dycl.kernels.cpu import tensor_ops as build
from dycl.kernels.cpu.blocks.pad_groups import GROUPED, together
from dycl.kernels.cpu.mlir import ir, ops

_CONVOLUTIONS = (
    *("linalg.conv_3d_ncdhw_fcdhw", "linalg.conv_2d_nchw_fchw"),
    *("linalg.conv_1d_ncw_fcw", GROUPED),
)


@dataclass(frozen=True)
class Phase:
    """Along one dimension: the results `first + stride * t`, and what they read.

    Tap `k` of the window `taps` meets pixel `t + offset + k * dilation`.
    """

    first: int
    stride: int
    count: int
    """How many results there are."""
    taps: range
    dilation: int
    offset: int

    @property
    def reads(self) -> range:
        """The pixels from the first that is read to the last; some may not exist."""
        last = self.count - 1 + (len(self.taps) - 1) * self.dilation
        return range(self.offset, self.offset + last + 1)


def phases(
    stride: int, begin: int, dilation: int, taps: int, results: int
) -> list[Phase] | None:
    """The phases of one dimension of an image spread out by `stride` from `begin` on.

    None: some phase has no tap.
    """
    step = stride // math.gcd(stride, dilation)
    result: list[Phase] = []
    for first in range(min(stride, results)):
        meets = [t for t in range(taps) if (first + t * dilation - begin) % stride == 0]
        if not meets:
            return None
        result.append(
            Phase(
                first,
                stride,
                -(-(results - first) // stride),
                range(meets[0], taps, step),
                step * dilation // stride,
                (first + meets[0] * dilation - begin) // stride,
            )
        )
    return result


def split_phases(module: Any) -> None:
    """Rewrite every convolution of a spread image in `module`."""
    for op in ops(module.operation):
        if op.name not in _CONVOLUTIONS:
            continue
        spread = _spread(op)
        if (
            spread is None
            or spread.name != "tensor.insert_slice"
            or not _is_spread(spread)
            or not all(map(_is_plain, op.operands))
        ):
            continue
        dims = _dims(op, spread)
        if dims is None:
            continue
        with ir.InsertionPoint(op), op.location:
            result = _by_phases(op, spread.operands[0], dims)
        if result is not None:
            op.results[0].replace_all_uses_with(result)
            op.erase()


def _spread(op: Any) -> Any:
    """The op that makes the image of a convolution, before it is put into groups."""
    whole = together(op.operands[0]) if op.name == GROUPED else op.operands[0]
    return None if whole is None else build.owner(whole)


def _is_plain(value: Any) -> bool:
    kind = value.type
    return kind.has_static_shape and str(kind.element_type) in ("f32", "f64")


def _is_spread(op: Any) -> bool:
    """Whether an image is put among zeros, all of its channels."""
    source, into = op.operands[0].type, op.operands[1]
    zeros = build.owner(into)
    offsets, strides = (list(op.attributes[f"static_{n}"]) for n in _PLACE)
    return (
        len(op.operands) == 2
        and source.has_static_shape
        and source.rank == into.type.rank
        and list(source.shape[:2]) == list(into.type.shape[:2])
        and (offsets[:2], strides[:2]) == ([0, 0], [1, 1])
        and zeros is not None
        and zeros.name == "linalg.fill"
        and build.is_zero(zeros.operands[0])
    )


_PLACE = ("offsets", "strides")


def _dims(op: Any, spread: Any) -> list[list[Phase]] | None:
    """The phases of each dimension; None: they are not all convolutions."""
    begins, steps = (list(spread.attributes[f"static_{n}"])[2:] for n in _PLACE)
    if any(int(stride) != 1 for stride in op.attributes["strides"]):
        return None
    dilations = [int(d) for d in op.attributes["dilations"]]
    result: list[list[Phase]] = []
    for step, begin, dilation, taps, results, size in zip(
        steps,
        begins,
        dilations,
        op.operands[1].type.shape[-len(dilations) :],
        op.results[0].type.shape[-len(dilations) :],
        spread.operands[0].type.shape[2:],
        strict=True,
    ):
        some = phases(step, begin, dilation, taps, results)
        if some is None or not all(_cut(phase, size) for phase in some):
            return None
        result.append(some)
    return result


def _cut(phase: Phase, size: int) -> range:
    """The pixels of an image of that size that a phase may read."""
    return range(max(phase.reads.start, 0), min(phase.reads.stop, size))


def _by_phases(op: Any, image: Any, dims: list[list[Phase]]) -> Any:
    """The result, phase by phase; None: the start value is of another kind."""
    weights, start = op.operands[1], op.operands[2]
    kind = op.results[0].type
    channels = list(kind.shape[: -len(dims)])
    zero = build.owner(_spread(op).operands[1]).operands[0]
    parts: list[tuple[tuple[Phase, ...], Any]] = []
    for phase in itertools.product(*dims):
        shape = [*channels, *(item.count for item in phase)]
        begun = start_of(start, shape)
        if begun is None:
            return None
        dilations = [item.dilation for item in phase]
        read = _read(image, phase, zero)
        if op.name == GROUPED:
            read = _in_groups(read, weights)
        ones = [1] * len(dims)
        taps = _taps(weights, phase)
        part = build.convolution(read, taps, begun, ones, dilations)
        parts.append((phase, part))
    if len(parts) == 1:
        return parts[0][1]
    result = build.empty(kind.shape, kind.element_type)
    for phase, part in parts:
        result = build.insert_slice(
            part,
            result,
            [0] * len(channels) + [item.first for item in phase],
            [1] * len(channels) + [item.stride for item in phase],
        )
    return result


def _in_groups(image: Any, weights: Any) -> Any:
    """An image whose channels are in the groups of these weights."""
    groups, _, channels, *_ = weights.type.shape
    batch, _, *space = image.type.shape
    return build.expand(image, [batch, groups, channels, *space], [1, 2, 1, 1])


def start_of(start: Any, shape: list[int]) -> Any:
    """What sums begin with, of another shape; None: it is not one for all or for each
    channel."""
    if (whole := together(start)) is not None:
        batch, groups, filters, *space = shape
        whole = start_of(whole, [batch, groups * filters, *space])
        return None if whole is None else build.expand(whole, shape, [1, 2, 1, 1])
    owner = build.owner(start)
    into = build.empty(shape, start.type.element_type)
    given = [d for d in range(start.type.rank) if d != 1]
    if owner is not None and owner.name == "linalg.fill":
        return build.fill(owner.operands[0], into)
    others = [d for d in range(len(shape)) if d != 1]
    if (
        owner is not None
        and owner.name == "linalg.broadcast"
        and list(owner.attributes["dimensions"]) == given
    ):
        return build.broadcast(owner.operands[0], into, others)
    return None


def _read(image: Any, phase: tuple[Phase, ...], zero: Any) -> Any:
    """The pixels that a phase reads, with zeros for those that do not exist."""
    shape = list(image.type.shape)
    cuts = [_cut(axis, size) for axis, size in zip(phase, shape[2:], strict=True)]
    low = [cut.start - axis.reads.start for axis, cut in zip(phase, cuts, strict=True)]
    high = [axis.reads.stop - cut.stop for axis, cut in zip(phase, cuts, strict=True)]
    sizes = [*shape[:2], *map(len, cuts)]
    if sizes != shape:
        offsets = [0, 0, *(cut.start for cut in cuts)]
        image = build.extract_slice(image, offsets, sizes, [1] * len(sizes))
    if any((*low, *high)):
        image = build.pad(image, [0, 0, *low], [0, 0, *high], zero)
    return image


def _taps(weights: Any, phase: tuple[Phase, ...]) -> Any:
    """The part of a window that a phase takes."""
    shape = list(weights.type.shape)
    channels = shape[: -len(phase)]
    sizes = [*channels, *(len(item.taps) for item in phase)]
    if sizes == shape:
        return weights
    offsets = [0] * len(channels) + [item.taps.start for item in phase]
    strides = [1] * len(channels) + [item.taps.step for item in phase]
    return build.extract_slice(weights, offsets, sizes, strides)
