"""Slices at places that only a run tells, and the numbers that say where."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from dycl.kernels.cuda.tile.index import Index, own_atoms
from dycl.kernels.cuda.tile.nodes import Movement, Node, Piece
from dycl.kernels.cuda.tile.sizes import Size, computed


@dataclass(eq=False)
class Number(Node):
    """A number that is computed from others, once for all elements."""

    op: Any = None
    operands: list[Node] = field(default_factory=list[Node])

    @property
    def sources(self) -> list[Node]:
        """Those that it is computed from."""
        return self.operands


@dataclass(eq=False)
class Cut(Movement):
    """A part of a tensor; `starts`: a size, or the node of a number, for each dimension
    of the source. A part that would reach beyond is moved back."""

    source: Node = field(kw_only=True)
    starts: tuple[Node | Size, ...] = ()
    sizes: tuple[Size, ...] = ()
    steps: tuple[int, ...] = ()
    dims: tuple[int, ...] = ()

    @property
    def sources(self) -> list[Node]:
        """The one that is cut, and where."""
        return [self.source, *(s for s in self.starts if isinstance(s, Node))]

    def pieces(self, at: Sequence[Index]) -> list[Piece]:
        """Anywhere, as long as nobody has said where."""
        return [Piece(self.source, own_atoms(self.source.shape))]

    def last_start(self, dim: int) -> Size:
        """The last place at which the part is inside."""
        long = (self.sizes[dim] - 1) * self.steps[dim] + 1
        return computed("max", 0, self.source.shape[dim] - long)

    def piece(self, at: Sequence[Index], starts: Sequence[Index]) -> Piece:
        """The element behind the start."""
        indices = list(starts)
        for dim, index in zip(self.dims, at, strict=True):
            indices[dim] += index * self.steps[dim]
        return Piece(self.source, tuple(indices))
