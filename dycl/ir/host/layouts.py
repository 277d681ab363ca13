"""Blocked layouts of buffers: where in memory the element of an index stands.

A buffer is row-major, unless its type has a layout. In a *blocked* layout one dimension
is cut into blocks, and the place in the block is the innermost dimension of the memory:

    memref<1x64x8x8xf32, affine_map<(d0, d1, d2, d3) ->
                                    (d0, d1 floordiv 16, d2, d3, d1 mod 16)>>

has 64 channels in 4 blocks of 16, and its memory is 1x4x8x8x16. Shape and indices stay
those of the program: a layout changes nothing of what a buffer means.
"""

from collections.abc import Sequence
from typing import NamedTuple

from xdsl.dialects.builtin import (
    AffineMapAttr,
    DenseArrayBase,
    DictionaryAttr,
    MemRefType,
    NoneAttr,
)
from xdsl.ir import Attribute
from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineDimExpr,
    AffineExpr,
    AffineMap,
)

BufferType = MemRefType[Attribute]

BLOCKED = "dycl.blocked"
"""On an argument or result of a kernel, its `Blocks`: `array<i64: dim, size>`."""


class Blocks(NamedTuple):
    """A dimension, and the number of its elements in a block."""

    dim: int
    size: int

    def cut(self, shape: Sequence[int]) -> tuple[int, ...]:
        """The sizes of the memory of a tensor with these; the last block is full."""
        count = -(-shape[self.dim] // self.size)
        return (*shape[: self.dim], count, *shape[self.dim + 1 :], self.size)


def blocked(buffer: BufferType, blocks: Blocks) -> BufferType:
    """The same buffer in a blocked layout. Its sizes must be known."""
    dims = [AffineExpr.dimension(i) for i in range(buffer.get_num_dims())]
    split = dims[blocks.dim]
    results = [
        split // blocks.size if i == blocks.dim else dim for i, dim in enumerate(dims)
    ]
    layout = AffineMap(len(dims), 0, (*results, split % blocks.size))
    return MemRefType(
        buffer.element_type, buffer.shape, AffineMapAttr(layout), buffer.memory_space
    )


def blocks_of(buffer: BufferType) -> Blocks | None:
    """The blocks of a buffer's layout; None: it has none, or is not a blocked one."""
    layout = buffer.layout
    if not isinstance(layout, AffineMapAttr) or not layout.data.results:
        return None
    match layout.data.results[-1]:
        case AffineBinaryOpExpr(
            AffineBinaryOpKind.Mod, AffineDimExpr(dim), AffineConstantExpr(size)
        ):
            blocks = Blocks(dim, size)
        case _:
            return None
    plain: BufferType = MemRefType(buffer.element_type, buffer.shape)
    return blocks if blocked(plain, blocks).layout == layout else None


def given_blocks(attributes: DictionaryAttr) -> Blocks | None:
    """The blocks that a kernel is given for an argument or result, if any."""
    blocks = attributes.data.get(BLOCKED)
    if not isinstance(blocks, DenseArrayBase) or len(blocks) != 2:
        return None
    dim, size = blocks.iter_values()
    return Blocks(int(dim), int(size))


def memory_shape(buffer: BufferType) -> tuple[int, ...]:
    """The sizes of a buffer's memory, row-major; -1 where only a run can tell.

    Raises ValueError for a layout that is not a blocked one.
    """
    shape = tuple(max(size, -1) for size in buffer.get_shape())
    if buffer.layout == NoneAttr():
        return shape
    if (blocks := blocks_of(buffer)) is None:
        raise ValueError(f"{buffer}: the layout is neither row-major nor blocked")
    return blocks.cut(shape)
