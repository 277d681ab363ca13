"""`cpu-winograd`: convolutions with windows of 3x3 and fewer products.

Tiles of pixels and the weights are transformed, multiplied and summed up, and the sums
are transformed back: `dycl.schedules.winograd` says how, why, and for which shapes. The
weights are transformed once, when they are prepared.

Before:
    // 1x64x58x58, 64x64x3x3 -> 1x64x56x56
    %y = linalg.conv_2d_nchw_fchw ins(%x, %w) outs(%i)

After:
    %wt = linalg.generic {dycl.nest = "winograd-weights"} ins(%wb, %g, %g)
          // k l f c u v | p q: 6x6x4x4x16x16, seen as 36x4x4x16x16
    %xt = linalg.generic {dycl.nest = "winograd-pixels"} ins(%xb, %b, %b)
          // k l c n y x u | i j: 6x6x4x1x14x14x16, seen as 36x4x196x16
    %m = linalg.generic {dycl.nest = "conv"} ins(%xt, %wt)
          // k f t v | c u: 36x4x196x16, seen as 6x6x4x1x14x14x16
    %yb = linalg.generic {dycl.nest = "winograd-results"} ins(%m, %a, %a, %xb, %wb)
          // n f h w v | k l
    %y = linalg.unpack %yb

Needs:  linalg on tensors, named ops; `dycl.weights`; before `cpu-block-contractions`.
Leaves: each of the four says all that it computes, so what is no nest later becomes
        plain loops.
Skips:  other windows, strides and dilations; weights that a kernel computes; other
        dtypes than f32; any number of samples; fewer than 16 channels; shapes for which
        the products of the definition are faster. Where a run decides the height and
        width of an image, that is guessed from its channels, for a large one: smaller
        ones are computed by the definition then (`winograd_any.py`).

`cpu-generate-nests` makes one function of the three that a call runs, a block of tiles
after the other, where it can (`winograd_blocks.py`).

Infinities and NaN would reach all results of their tile, not only those whose window
has them. So the last nest computes a tile that has one by the definition, for which it
is given the pixels and weights that the transforms were given.
"""

from collections.abc import Sequence
from typing import Any

from dycl.kernels.cpu import tensor_ops as build
from dycl.kernels.cpu.blocks.block_contractions import (
    LANES,
    NEST,
    VALID,
    can_be_blocked,
    pack,
    unpack,
)
from dycl.kernels.cpu.build import UNO, compare, constant, i64, index
from dycl.kernels.cpu.mlir import functions, ir
from dycl.kernels.cpu.tensor_sizes import (
    empty_of,
    expand_to,
    plus,
    shape_of,
    size_of,
)
from dycl.kernels.cpu.weights.origins import PREPARED, WeightValues
from dycl.schedules import winograd as schedule

PIXELS, RESULTS = "winograd-pixels", "winograd-results"
"""Kinds of nests."""
TILE = "dycl.tile"
"""On both: how many results a tile has in each direction."""


def winograd(module: Any) -> None:
    """Rewrite every convolution of `module` for which it is faster."""
    for func in functions(module):
        body = [op.operation for op in func.regions[0].blocks[0].operations]
        ops = [op for op in body if op.name == "linalg.conv_2d_nchw_fchw"]
        if not ops:
            continue
        weights = WeightValues(func)
        for op in ops:
            if tile := _tile(op, weights):
                with ir.InsertionPoint(op), op.location:
                    result = unpack(_rewritten(op, tile), op.results[0].type)
                op.results[0].replace_all_uses_with(result)
                op.erase()


def may_be_square(op: Any, weights: WeightValues) -> bool:
    """Whether a convolution may be computed in tiles, with known samples."""
    if op.name != "linalg.conv_2d_nchw_fchw" or not can_be_blocked(op):
        return False
    window = op.operands[1]
    steps = [*op.attributes["strides"], *op.attributes["dilations"]]
    _, channels, *size = window.type.shape
    return (
        size == [schedule.WINDOW] * 2
        and all(int(step) == 1 for step in steps)
        and channels >= LANES
        and 0 not in op.results[0].type.shape
        and window in weights
    )


def _tile(op: Any, weights: WeightValues) -> int:
    """The size of tiles for a convolution; 0: it stays as it is."""
    if op.results[0].type.is_dynamic_dim(0) or not may_be_square(op, weights):
        return 0
    filters, channels, *_ = op.operands[1].type.shape
    batch, _, height, width = op.results[0].type.shape
    if min(height, width) < 0:
        down, across = (None if n < 0 else n for n in (height, width))
        return schedule.tile_of_any(channels, filters, down, across, batch)
    return schedule.tile_of(channels, filters, height, width, batch)


def _rewritten(op: Any, tile: int) -> Any:
    image, window, init = op.operands
    batch = op.results[0].type.shape[0]
    filters, channels, *_ = window.type.shape
    down, across = (_tiles(init, dim, tile) for dim in (2, 3))
    element = image.type.element_type
    matrices = schedule.transforms(tile)
    pixels, weights, results = (
        _constant(matrix, element)
        for matrix in (matrices.pixels, matrices.weights, matrices.results)
    )
    side = tile + schedule.WINDOW - 1
    blocks = {"f": -(-filters // LANES), "c": -(-channels // LANES)}

    plain = pack(window, (1, 0))
    products = _products(
        [plain, weights, weights],
        [side, side, blocks["f"], blocks["c"], LANES, LANES],
        "k l f c u v p q",
        ["f, c, p, q, u, v", "k, p", "l, q"],
        **{PREPARED: ir.UnitAttr.get()},
    )
    shape = [side * side, blocks["f"], blocks["c"], LANES, LANES]
    transformed = build.collapse(products, shape, [2, 1, 1, 1, 1])

    spread = pack(_padded(image, [_side(down, tile), _side(across, tile)]))
    products = _products(
        [spread, pixels, pixels],
        [side, side, blocks["c"], batch, down, across, LANES],
        "k l c n y x u i j",
        [f"n, c, y * {tile} + i, x * {tile} + j, u", "k, i", "l, j"],
        **{NEST: ir.StringAttr.get(PIXELS), TILE: i64(tile)},
    )
    tiles = _times(_times(down, across), batch)
    shape = shape_of([side * side, blocks["c"], tiles, LANES])
    values = build.collapse(products, shape, [2, 1, 3, 1])

    valid = {} if channels % LANES == 0 else {VALID: i64(channels)}
    sums = _products(
        [values, transformed],
        [side * side, blocks["f"], tiles, LANES],
        "k f t v c u",
        ["k, c, t, u", "k, f, c, u, v"],
        **{NEST: ir.StringAttr.get("conv"), **valid},
    )
    shape = [side, side, blocks["f"], batch, down, across, LANES]
    apart = expand_to(sums, shape, [2, 1, 3, 1])
    return _products(
        [apart, results, results],
        pack(init),
        "n f h w v k l",
        [
            f"k, l, f, n, h floordiv {tile}, w floordiv {tile}, v",
            f"h mod {tile}, k",
            f"w mod {tile}, l",
        ],
        [spread, plain],
        **{NEST: ir.StringAttr.get(RESULTS), TILE: i64(tile), **valid},
    )


def _products(
    inputs: list[Any],
    into: Any,
    loops: str,
    reads: list[str],
    aside: Sequence[Any] = (),
    **attributes: Any,
) -> Any:
    """Sums of products of all inputs; of a shape, from zero.

    `loops`: as many as the result has dimensions are parallel. `aside`: tensors that
    the nest asks when a sum is NaN; here their first elements stand for them, and the
    sum stays what it is.
    """
    if isinstance(into, list):
        element = inputs[0].type.element_type
        into = build.fill(constant(0.0, element), empty_of(into, element))
    names = loops.split()
    rank = into.type.rank

    def body(*values: Any) -> Any:
        first, *others, total = (*values[: len(inputs)], values[-1])
        for other in others:
            first = build.op("arith.mulf", [first, other], first.type)
        total = build.op("arith.addf", [total, first], first.type)
        for other in values[len(inputs) : -1]:
            is_nan = compare(UNO, total, total)
            nan = build.op("arith.addf", [total, other], total.type)
            total = build.op("arith.select", [is_nan, nan, total], total.type)
        return total

    zeros = [f"({', '.join(['0'] * value.type.rank)})" for value in aside]
    head = f"({', '.join(names)})"
    return build.generic(
        [*inputs, *aside],
        into,
        [
            *(f"{head} -> ({read})" for read in reads),
            *(f"{head} -> {zero}" for zero in zeros),
            f"{head} -> ({', '.join(names[:rank])})",
        ],
        "p" * rank + "r" * (len(names) - rank),
        body,
        **attributes,
    )


def _tiles(result: Any, dim: int, tile: int) -> Any:
    """How many tiles are side by side: a number or an index."""
    if not result.type.is_dynamic_dim(dim):
        return -(-result.type.get_dim_size(dim) // tile)
    size = size_of(result, dim)
    return build.op("arith.ceildivui", [size, index(tile)], size.type)


def _times(one: Any, other: Any) -> Any:
    """The product of numbers or indices."""
    if isinstance(one, int) and isinstance(other, int):
        return one * other
    left, right = (index(n) if isinstance(n, int) else n for n in (one, other))
    return build.op("arith.muli", [left, right], left.type)


def _side(tiles: Any, tile: int) -> Any:
    """Pixels that tiles side by side are computed from."""
    size = _times(tiles, tile)
    return size + 2 if isinstance(size, int) else plus(size, 2)


def _padded(image: Any, space: list[Any]) -> Any:
    """The image with zeros below and to the right; of a padding of zeros, more."""
    if list(image.type.shape[2:]) == space:
        return image
    source, low = image, [0, 0, 0, 0]
    producer = build.owner(image)
    if producer is not None and producer.name == "tensor.pad" and _is_zeros(producer):
        source = producer.operands[0]
        low = [int(n) for n in producer.attributes["static_low"]]
    high: list[Any] = [0, 0]
    for dim, wanted in enumerate(space, start=2):
        has = source.type.get_dim_size(dim)
        if isinstance(wanted, int) and has >= 0:
            high.append(wanted - low[dim] - has)
            continue
        wanted = index(wanted) if isinstance(wanted, int) else wanted
        before = plus(size_of(source, dim), low[dim])
        high.append(build.op("arith.subi", [wanted, before], before.type))
    return build.pad(source, low, high, constant(0.0, image.type.element_type))


def _is_zeros(pad: Any) -> bool:
    """Whether a padding of known sizes pads with the constant 0."""
    value = list(pad.regions[0].blocks[0].operations)[-1].operation.operands[0]
    return (
        len(pad.operands) == 1
        and not any(list(pad.attributes["static_high"])[:2])
        and not any(list(pad.attributes["static_low"])[:2])
        and build.is_zero(value)
        and min(min(pad.attributes["static_low"]), min(pad.attributes["static_high"]))
        >= 0
    )


def _constant(matrix: schedule.Matrix, element: Any) -> Any:
    """A matrix as a constant tensor."""
    rows = ", ".join(f"[{', '.join(f'{float(x)!r}' for x in row)}]" for row in matrix)
    kind = ir.RankedTensorType.get([len(matrix), len(matrix[0])], element)
    value = ir.Attribute.parse(f"dense<[{rows}]> : {kind}")
    return build.op("arith.constant", [], kind, value=value)
