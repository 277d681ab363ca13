"""Launches that several calls of a local function may share: attributes of launches.

    dycl.launch @k(%a, %w) {batched = [@k_x2, @k_x4], rows = array<i64: 0>,
                            tiles = array<i64: 2, 4>, work = 64 : i64}

`batched` are versions of the kernel that do the same for several rows at once, `tiles`
for how many: the operands in `rows`, and all results, have a dimension of rows in
front, the others are the same for all rows. A launch may be run by itself as well; if
that is all there is to it, `batched` is its kernel, and `tiles` is 1. `work` are the
operations of its products for one row.

`on_literals` is the same once more, for launches that are given the literals which
other operands begin with, in front of a loop that was not entered: see `beginning`.
"""

from collections.abc import Mapping
from typing import NamedTuple, cast

from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseArrayBase,
    DictionaryAttr,
    IntegerAttr,
    SymbolRefAttr,
    i64,
)
from xdsl.ir import Attribute, Operation, SSAValue

import dycl.ir as d
from dycl.ir import host

BATCHED = "batched"
ON_LITERALS = "on_literals"
_ROWS, _TILES, _WORK = "rows", "tiles", "work"


class Batch(NamedTuple):
    """How a launch may be run with others."""

    kernels: tuple[str, ...]
    """The versions, that for fewest rows first."""
    rows: tuple[int, ...]
    """The places of the operands that each row has of its own."""
    tiles: tuple[int, ...]
    """For how many rows each version is."""
    work: int
    """The operations of products for one row."""

    @property
    def attributes(self) -> dict[str, Attribute]:
        """What says so in the IR."""
        return {
            BATCHED: ArrayAttr(SymbolRefAttr(name) for name in self.kernels),
            _ROWS: DenseArrayBase.from_list(i64, self.rows),
            _TILES: DenseArrayBase.from_list(i64, self.tiles),
            _WORK: IntegerAttr(self.work, i64),
        }


def batch_of(op: Operation) -> Batch | None:
    """How a launch may be run with others; None: it is run at once."""
    return _batch_in(op.attributes)


def special_batch_of(op: Operation) -> Batch | None:
    """The same, where operands are the literals that they begin with; None: that is
    nothing special."""
    found = op.attributes.get(ON_LITERALS)
    return _batch_in(found.data) if isinstance(found, DictionaryAttr) else None


def _batch_in(attributes: Mapping[str, Attribute]) -> Batch | None:
    found, work = attributes.get(BATCHED), attributes.get(_WORK)
    rows, tiles = attributes.get(_ROWS), attributes.get(_TILES)
    if not isinstance(found, ArrayAttr) or not isinstance(work, IntegerAttr):
        return None
    if not isinstance(rows, DenseArrayBase) or not isinstance(tiles, DenseArrayBase):
        return None
    names = cast("ArrayAttr[SymbolRefAttr]", found)
    return Batch(
        tuple(name.root_reference.data for name in names),
        tuple(int(place) for place in rows.get_values()),
        tuple(int(tile) for tile in tiles.get_values()),
        work.value.data,
    )


def beginning(value: SSAValue) -> SSAValue:
    """What a value is if none of the loops that may change it is entered."""
    while isinstance(loop := value.owner, d.WhileOp):
        index = loop.results.index(value)
        carried = loop.condition.values[index]
        if carried.owner is not loop.before.block:
            return value
        value = loop.initial[loop.before.block.args.index(carried)]
    return value


def kernels_of(op: Operation) -> list[str]:
    """The kernels that a launch of the host may run; of another op, none."""
    if not isinstance(op, host.LaunchOp):
        return []
    batches = [batch_of(op), special_batch_of(op)]
    versions = [name for batch in batches if batch for name in batch.kernels]
    return [*dict.fromkeys([op.kernel_name, *versions])]
