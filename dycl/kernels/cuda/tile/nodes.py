"""A kernel as a graph of tensors, each of which says what its elements are made of.

Movements (views, padding, concatenations) have no memory of their own: asked for an
element, they say which element of their source it is, and under which conditions.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from dycl.diag import SourceLoc
from dycl.ir.host.layouts import Blocks
from dycl.kernels.cuda.tile.index import Atom, Index, Pairs, reshaped
from dycl.kernels.cuda.tile.sizes import Size, at_most


@dataclass(eq=False)
class Node:
    """A tensor; `dtype` as MLIR calls the element type."""

    shape: tuple[Size, ...]
    dtype: str
    place: SourceLoc | None

    @property
    def sources(self) -> "list[Node]":
        """The tensors that it is made of."""
        return []


@dataclass(eq=False)
class Argument(Node):
    """An argument of the kernel; of a scalar, the shape is empty."""

    number: int = 0
    is_scalar: bool = False


@dataclass(eq=False)
class Constant(Node):
    """The same number everywhere."""

    value: Any = None


@dataclass(eq=False)
class Known(Node):
    """A number that the host knows when it launches: a size, or made of such."""

    size: Size = 0


@dataclass(eq=False)
class Table(Node):
    """Numbers that the compiler knows, which stand in memory beside the code."""

    data: bytes = b""
    """Row by row."""


@dataclass(eq=False)
class Parts(Node):
    """What parts of a contraction's depth or of a row give, one after the other."""


Condition = tuple[Index, Size, Size]
"""An index, and the range in which it has to be."""


@dataclass(frozen=True)
class Piece:
    """Where an element comes from, if all conditions hold."""

    source: Node
    indices: tuple[Index, ...]
    conditions: tuple[Condition, ...] = ()


@dataclass(eq=False)
class Movement(Node):
    """Elements of other tensors, in another place."""

    def pieces(self, at: Sequence[Index]) -> list[Piece]:
        """Where the element at `at` may come from: the first piece that holds."""
        raise NotImplementedError


@dataclass(eq=False)
class Reshape(Movement):
    """The same elements in the same order."""

    source: Node = field(kw_only=True)
    pairs: Pairs = ()

    @property
    def sources(self) -> list[Node]:
        """The one that has another shape."""
        return [self.source]

    def pieces(self, at: Sequence[Index]) -> list[Piece]:
        """The element with the same number."""
        where = reshaped(at, self.shape, self.source.shape, self.pairs)
        return [Piece(self.source, where)]


@dataclass(eq=False)
class Slice(Movement):
    """Every `steps`-th element from `starts` on; `dims`: those of the source kept."""

    source: Node = field(kw_only=True)
    starts: tuple[Size, ...] = ()
    steps: tuple[int, ...] = ()
    dims: tuple[int, ...] = ()

    @property
    def sources(self) -> list[Node]:
        """The one that is cut."""
        return [self.source]

    def pieces(self, at: Sequence[Index]) -> list[Piece]:
        """The element behind the start."""
        indices = [Index((), start) for start in self.starts]
        for dim, index in zip(self.dims, at, strict=True):
            indices[dim] += index * self.steps[dim]
        return [Piece(self.source, tuple(indices))]


@dataclass(eq=False)
class Inset(Movement):
    """A tensor inside another one: `tensor.pad`, `tensor.insert_slice`."""

    source: Node = field(kw_only=True)
    around: Node = field(kw_only=True)
    starts: tuple[Size, ...] = ()
    steps: tuple[int, ...] = ()
    dims: tuple[int, ...] = ()

    @property
    def sources(self) -> list[Node]:
        """What is inside, and what is around."""
        return [self.source, self.around]

    def pieces(self, at: Sequence[Index]) -> list[Piece]:
        """Inside where all indices are, else around."""
        inside: list[Index] = []
        conditions: list[Condition] = []
        sizes = dict(zip(self.dims, self.source.shape, strict=True))
        for dim, index in enumerate(at):
            moved = index + -self.starts[dim]
            quotient, rest = moved.split(self.steps[dim])
            if self.steps[dim] > 1 and rest != Index():
                conditions.append((rest, 0, 1))
            size = sizes.get(dim, 1)
            if not (at_most(0, quotient.bottom) and at_most(quotient.top, size)):
                conditions.append((moved, 0, size * self.steps[dim]))
            if dim in sizes:
                inside.append(quotient)
        return [
            Piece(self.source, tuple(inside), tuple(conditions)),
            Piece(self.around, tuple(at)),
        ]


@dataclass(eq=False)
class Concat(Movement):
    """Tensors side by side along a dimension."""

    parts: list[Node] = field(kw_only=True)
    dim: int = 0

    @property
    def sources(self) -> list[Node]:
        """All parts."""
        return self.parts

    def pieces(self, at: Sequence[Index]) -> list[Piece]:
        """In the part that the index falls into."""
        result: list[Piece] = []
        start: Size = 0
        for part in self.parts:
            size = part.shape[self.dim]
            index = at[self.dim] + -start
            indices = (*at[: self.dim], index, *at[self.dim + 1 :])
            last = start + size == self.shape[self.dim]
            held = (index, 0, size)
            result.append(Piece(part, indices, (held,)))
            start += size
            if last:
                break
        return result


def in_blocks(blocks: Blocks, shape: Sequence[Size]) -> tuple[Size, ...]:
    """The shape of what lies in memory in blocks; only known sizes do."""
    return blocks.cut([size for size in shape if isinstance(size, int)])


@dataclass(eq=False)
class FromBlocks(Movement):
    """In rows what lies in memory with a dimension cut into blocks."""

    source: Node = field(kw_only=True)
    dim: int = 0
    size: int = 1

    @property
    def sources(self) -> list[Node]:
        """The one in blocks."""
        return [self.source]

    def pieces(self, at: Sequence[Index]) -> list[Piece]:
        """The same element."""
        block, inside = at[self.dim].split(self.size)
        indices = (*at[: self.dim], block, *at[self.dim + 1 :], inside)
        return [Piece(self.source, indices)]


@dataclass(eq=False)
class IntoBlocks(Movement):
    """In blocks what is in rows; zeros fill the last block."""

    source: Node = field(kw_only=True)
    dim: int = 0
    size: int = 1

    @property
    def sources(self) -> list[Node]:
        """The one in rows."""
        return [self.source]

    def pieces(self, at: Sequence[Index]) -> list[Piece]:
        """The same element, where there is one."""
        index = at[self.dim] * self.size + at[-1]
        indices = (*at[: self.dim], index, *at[self.dim + 1 : -1])
        held = (index, 0, self.source.shape[self.dim])
        zero = Constant((), self.dtype, self.place, 0)
        return [Piece(self.source, indices, (held,)), Piece(zero, ())]


@dataclass(eq=False)
class Loop(Node):
    """One result of a `linalg.generic`."""

    nest: "Nest" = field(kw_only=True)
    result: int = 0

    @property
    def sources(self) -> list[Node]:
        """What is read: operands, start values, and what is looked up."""
        return [*self.nest.inputs, *self.nest.starts, *self.nest.looked_up]

    def reads(self, at: Sequence[Index], reduced: Sequence[Index]) -> list[Piece]:
        """The elements of the inputs for one element, at a point of the reduction."""
        by = self.nest.point(self.result, at, reduced)
        return [
            Piece(source, tuple(i.replaced(by) for i in places))
            for source, places in zip(self.nest.inputs, self.nest.maps, strict=False)
        ]


@dataclass(eq=False)
class Nest:
    """A `linalg.generic`: `maps` are of the inputs, then of the results."""

    dims: tuple[Atom, ...]
    is_reduced: tuple[bool, ...]
    inputs: list[Node]
    starts: list[Node]
    maps: list[tuple[Index, ...]]
    op: Any
    looked_up: list[Node] = field(default_factory=list[Node])
    nodes: dict[Any, Node] = field(default_factory=dict[Any, Node])
    """For values from outside that the body uses: their nodes."""
    place: SourceLoc | None = None
    title: str = ""
    """What is computed, in a word or two."""

    @property
    def reduced_sizes(self) -> tuple[Size, ...]:
        """The sizes of the dimensions that are summed over."""
        return tuple(
            d.size for d, r in zip(self.dims, self.is_reduced, strict=True) if r
        )

    @property
    def body(self) -> list[Any]:
        """The ops of one element, in order."""
        return [op.operation for op in self.op.regions[0].blocks[0].operations]

    @property
    def block_arguments(self) -> list[Any]:
        """What the body is given: elements of the inputs, then of the results."""
        return list(self.op.regions[0].blocks[0].arguments)

    def point(
        self, result: int, at: Sequence[Index], reduced: Sequence[Index]
    ) -> dict[Atom, Index]:
        """The dims at an element of a result, and at a point of the reduction."""
        where = dict.fromkeys(self.dims, Index())
        for index, place in zip(at, self.maps[len(self.inputs) + result], strict=True):
            for atom, _ in place.terms:
                assert isinstance(atom, Atom)
                where[atom] = index
        summed = (d for d, r in zip(self.dims, self.is_reduced, strict=True) if r)
        where.update(zip(summed, reduced, strict=True))
        return where
