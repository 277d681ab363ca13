"""The rows of a map as one: where no window reaches across, tiles need not end with it.

    (n, f, h, w, v) over 1x4x16x16x16        // tiles of 8: 14 do not divide 16
    (n, f, hw, v)   over 1x4x256x16          // tiles of 14

A 1x1 convolution of stride 1 is of that kind, with all that it reads besides and what
it writes. What lies in memory is the same.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from dycl.kernels.cpu.blocks.block_contractions import NEST
from dycl.kernels.cpu.blocks.keep_rows import CONV_ROWS
from dycl.kernels.cpu.buffers.memory import is_dense
from dycl.kernels.cpu.loops.accesses import Access, Index, Term, accesses, sizes
from dycl.kernels.cpu.nests.function import Function, Value
from dycl.kernels.cpu.nests.groups import Group

_RANKS = {"conv": 5, CONV_ROWS: 4}
"""The rank of the results of nests over maps: N F H W lanes, N F H W."""
_ROWS = 2
"""The dimension of their rows."""


@dataclass(frozen=True)
class FlatMap:
    """Two loops of a nest that become one."""

    rows: int
    """Runs once then."""
    columns: int
    """Runs through all rows then."""

    def sizes(self, trips: Mapping[int, int]) -> dict[int, int]:
        """The trips of all loops."""
        both = trips[self.rows], trips[self.columns]
        pixels = min(both) if min(both) < 0 else both[0] * both[1]
        return {**trips, self.rows: 1, self.columns: pixels}

    def place(self, access: Access) -> int | None:
        """Which dimension has the rows, the next one the columns; None: none has."""
        dims = [d for d, index in enumerate(access) if self.rows in index.loops]
        return dims[0] if dims else None

    def flat(self, access: Access) -> Access:
        """An access to memory whose rows and columns are one dimension."""
        at = self.place(access)
        if at is None:
            return access
        return (*access[:at], Index((Term(self.columns),)), *access[at + 2 :])

    def collapsed(
        self, function: Function, memory: Value, kind: Any, access: Access
    ) -> tuple[Value, str]:
        """A memref, and its type, whose rows and columns are one dimension."""
        at = self.place(access)
        if at is None:
            return memory, str(kind)
        shape = list(kind.shape)
        merged = [*shape[:at], shape[at] * shape[at + 1], *shape[at + 2 :]]
        dims = [[d] if d < at else [d + 1] for d in range(len(merged))]
        dims[at] = [at, at + 1]
        collapsed_type = f"memref<{'x'.join(map(str, merged))}x{kind.element_type}>"
        return function.collapsed(memory, dims, collapsed_type), collapsed_type


def flat_map(group: Group) -> FlatMap | None:
    """The rows and columns of a convolution's result, if they may be one loop."""
    contraction = group.contraction
    out = accesses(contraction)[-1]
    if _RANKS.get(str(contraction.attributes[NEST].value)) != len(out):
        return None
    trips = sizes(contraction)
    rows, columns = (index.terms[0].loop for index in out[_ROWS : _ROWS + 2])
    if 1 in (trips[rows], trips[columns]):
        return None
    mapping = FlatMap(rows, columns)
    return (
        mapping
        if all(_is_flat(mapping, v, a, trips) for v, a in _operands(group, out))
        else None
    )


def _operands(group: Group, out: Access) -> Iterator[tuple[Any, Access]]:
    """All that a group reads and writes, by the loops of its contraction."""
    contraction = group.contraction
    yield from zip(contraction.operands, accesses(contraction), strict=True)
    loops = {i: index.terms[0].loop for i, index in enumerate(out)}
    for op in (group.start, group.epilogue):
        if op is None or op.name == "linalg.fill":
            continue
        for value, access in zip(op.operands, accesses(op), strict=True):
            yield value, tuple(index.renamed(loops) for index in access)


def _is_flat(
    found: FlatMap, value: Any, access: Access, trips: Mapping[int, int]
) -> bool:
    """Whether rows and columns of an operand lie one behind the other, as they run."""
    asked = [d for d, i in enumerate(access) if i.loops & {found.rows, found.columns}]
    if not asked:
        return True
    at = asked[0]
    both = [access[d].running(trips) for d in asked]
    return (
        asked == [at, at + 1]
        and both == [Index((Term(found.rows),)), Index((Term(found.columns),))]
        and list(value.type.shape[at : at + 2])
        == [trips[found.rows], trips[found.columns]]
        and is_dense(value.type)
    )
