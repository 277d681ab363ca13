"""Launches that several calls of a local function may share: attributes of launches.

    dycl.launch @k(%a, %w) {batched = [@k_x2, @k_x4], rows = array<i64: 0>}

`batched` are versions of the kernel that do the same for several rows at once: the
operands in `rows`, and all results, have a dimension of rows in front, the others are
the same for all rows. A launch may be run by itself as well.
"""

from typing import NamedTuple, cast

from xdsl.dialects.builtin import ArrayAttr, DenseArrayBase, SymbolRefAttr
from xdsl.ir import Operation

from dycl.ir import host

BATCHED = "batched"
"""The kernels for several rows, with fewest rows first."""
ROWS = "rows"
"""The places of the operands that each row has of its own."""


class Batch(NamedTuple):
    """What the attributes of a launch say."""

    kernels: tuple[str, ...]
    rows: tuple[int, ...]


def batch_of(op: Operation) -> Batch | None:
    """How a launch may be run with others; None: it is run by itself."""
    found, rows = op.attributes.get(BATCHED), op.attributes.get(ROWS)
    if not isinstance(found, ArrayAttr) or not isinstance(rows, DenseArrayBase):
        return None
    names = cast("ArrayAttr[SymbolRefAttr]", found)
    places = tuple(int(place) for place in rows.get_values())
    return Batch(tuple(name.root_reference.data for name in names), places)


def kernels_of(op: Operation) -> list[str]:
    """The kernels that a launch of the host may run; of another op, none."""
    if not isinstance(op, host.LaunchOp):
        return []
    batch = batch_of(op)
    return [op.kernel_name, *(batch.kernels if batch else ())]
