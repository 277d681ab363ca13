"""`cpu-lower-blocks`: packing and unpacking become copies that read out of order.

Before:
    // 1x32x8x8 -> 1x2x8x8x16
    %xb = linalg.pack %x inner_dims_pos = [1] inner_tiles = [16]
    %y = linalg.unpack %yb inner_dims_pos = [1] inner_tiles = [16]

After:
    %xb = linalg.generic {dycl.nest = "pack"} ins(%x) outs(%e)
          // (n, b, h, w, v) -> (n, b * 16 + v, h, w)
    %y = linalg.generic {dycl.nest = "unpack"} ins(%yb) outs(%e)
          // (n, c, h, w) -> (n, c floordiv 16, h, w, c mod 16)

Needs:  linalg on tensors.
Leaves: no `linalg.pack` and `linalg.unpack` of dimensions of static size. A pack that
        pads reads its source by `tensor.extract`, at an index that is always inside.
Skips:  dimensions of dynamic size that are cut into blocks.
"""

from typing import Any

from dycl.kernels.cpu import tensor_ops as build
from dycl.kernels.cpu.blocks.block_contractions import LANES, NEST
from dycl.kernels.cpu.build import constant, i64, is_below
from dycl.kernels.cpu.mlir import ir, ops

CHANNELS = "dycl.channels"
"""On the copy of an image: how many channels it has."""


def lower_blocks(module: Any) -> None:
    """Rewrite every pack and unpack of `module` whose blocks have static sizes."""
    rewrites = {"linalg.pack": _pack, "linalg.unpack": _unpack}
    for op in ops(module.operation):
        rewrite = rewrites.get(op.name)
        if rewrite is None or _cuts_dynamic(op):
            continue
        with ir.InsertionPoint(op), op.location:
            result = rewrite(op)
        op.results[0].replace_all_uses_with(result)
        op.erase()


def _cuts_dynamic(op: Any) -> bool:
    """Whether a run decides the size of a dimension that is cut into blocks."""
    plain = op.operands[0] if op.name == "linalg.pack" else op.operands[1]
    return any(plain.type.is_dynamic_dim(dim) for dim, _ in _tiles(op))


def _pack(op: Any) -> Any:
    source, into = op.operands[0], op.operands[1]
    rank = source.type.rank
    places = _places(op, rank)
    tiles = _tiles(op)
    sizes = source.type.shape
    loops = [f"d{i}" for i in range(into.type.rank)]
    inner = {dim: rank + i for i, (dim, _) in enumerate(tiles)}
    reads = [
        f"d{places[dim]} * {dict(tiles)[dim]} + d{inner[dim]}"
        if dim in inner
        else f"d{places[dim]}"
        for dim in range(rank)
    ]
    whole = f"({', '.join(loops)}) -> ({', '.join(loops)})"
    iterators = "p" * len(loops)
    mark = {NEST: ir.StringAttr.get("pack"), **_image(op, source)}
    if all(sizes[dim] % tile == 0 for dim, tile in tiles):
        reading = f"({', '.join(loops)}) -> ({', '.join(reads)})"
        maps = [reading, whole]
        return build.generic([source], into, maps, iterators, lambda x, _: x, **mark)
    padding = op.operands[2]

    def body(_: Any) -> Any:
        index = ir.IndexType.get()
        at: list[Any] = []
        real: Any = None
        for dim in range(rank):
            place = _index(places[dim])
            if dim not in inner:
                at.append(place)
                continue
            tile = constant(dict(tiles)[dim], index)
            start = build.op("arith.muli", [place, tile], index)
            position = build.op("arith.addi", [start, _index(inner[dim])], index)
            size = constant(sizes[dim], index)
            here = is_below(position, size)
            if real is not None:
                here = build.op("arith.andi", [real, here], here.type)
            real = here
            last = constant(sizes[dim] - 1, index)
            at.append(build.op("arith.minui", [position, last], index))
        element = source.type.element_type
        value = build.op("tensor.extract", [source, *at], element)
        return build.op("arith.select", [real, value, padding], element)

    return build.generic([], into, [whole], iterators, body, **mark)


def _unpack(op: Any) -> Any:
    source, into = op.operands[0], op.operands[1]
    rank = into.type.rank
    places = _places(op, rank)
    tiles = dict(_tiles(op))
    loops = [f"d{i}" for i in range(rank)]
    reads = [""] * rank
    for dim in range(rank):
        tiled = f" floordiv {tiles[dim]}" if dim in tiles else ""
        reads[places[dim]] = loops[dim] + tiled
    reads += [f"{loops[dim]} mod {tile}" for dim, tile in _tiles(op)]
    maps = [
        f"({', '.join(loops)}) -> ({', '.join(results)})" for results in (reads, loops)
    ]
    mark = {NEST: ir.StringAttr.get("unpack"), **_image(op, into)}
    return build.generic([source], into, maps, "p" * rank, lambda x, _: x, **mark)


def _image(op: Any, plain: Any) -> dict[str, Any]:
    """The mark of an image whose channels are packed, and nothing else."""
    is_image = (
        plain.type.rank > 2
        and _tiles(op) == [(1, LANES)]
        and "outer_dims_perm" not in op.attributes
    )
    return {CHANNELS: i64(plain.type.shape[1])} if is_image else {}


def _places(op: Any, rank: int) -> list[int]:
    """Where each dimension of the plain tensor stands among the outer ones."""
    if "outer_dims_perm" not in op.attributes:
        return list(range(rank))
    order = list(op.attributes["outer_dims_perm"]) or list(range(rank))
    return [order.index(dim) for dim in range(rank)]


def _tiles(op: Any) -> list[tuple[int, int]]:
    dims = op.attributes["inner_dims_pos"]
    return list(zip(dims, op.attributes["static_inner_tiles"], strict=True))


def _index(dim: int) -> Any:
    return build.op("linalg.index", [], ir.IndexType.get(), dim=i64(dim))
