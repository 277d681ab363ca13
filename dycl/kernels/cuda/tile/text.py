"""The lines of a Triton function, and the axes of the tile that it computes.

An axis is a vector of numbers, such as `r = tl.program_id(0) * 4 + tl.arange(0, 4)`,
with the indices that these numbers stand for: `r0 = r // 7` and `r1 = r % 7`.
"""

import re
from collections import Counter
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from dycl.kernels.cuda.tile.index import Atom, Index, Part, of
from dycl.kernels.cuda.tile.payload import TYPES, Value
from dycl.kernels.cuda.tile.sizes import Size, count

_ASSIGNMENT = re.compile(r"\s*([\w, ]+?) = ")
_INDENT = "    "


@dataclass
class Axis:
    """A dimension of the tile: a vector of numbers, and what they are split into."""

    vector: str
    """Its name, as that of its first atom's axis."""
    size: Size
    block: int
    atoms: tuple[Index, ...] = ()

    @property
    def is_exact(self) -> bool:
        """Whether no number is behind the end."""
        return isinstance(self.size, int) and self.size % self.block == 0


@dataclass
class FunctionText:
    """The lines of one function, and the axes of its tile."""

    lines: list[str] = field(default_factory=list[str])
    axes: dict[str, Axis] = field(default_factory=dict[str, Axis])
    tile: tuple[str, ...] = ()
    """The axes of the tile that is computed now, in order."""
    depth: int = 1
    known: list[dict[object, Value]] = field(default_factory=lambda: [{}])
    """Values by what they are, one table for each loop that is being written."""
    _count: int = 0

    # ---------------------------------------------------------------- text

    def line(self, text: str) -> None:
        """Write a line."""
        self.lines.append(_INDENT * self.depth + text)

    def name(self) -> str:
        """A new name."""
        self._count += 1
        return f"v{self._count}"

    def let(self, text: str, dtype: str, axes: frozenset[str]) -> Value:
        """Write an assignment."""
        name = self.name()
        self.line(f"{name} = {text}")
        return Value(name, dtype, axes)

    @contextmanager
    def loop(self, head: str) -> Generator[None]:
        """What is written meanwhile is in a loop, and known there only."""
        self.line(head)
        self.depth += 1
        self.known.append({})
        yield
        self.known.pop()
        self.depth -= 1

    def text(self) -> list[str]:
        """All lines, without what nobody reads. What is assigned twice is carried
        around a loop, and may be read above."""
        written = [name for line in self.lines for name in _assigned(line)]
        twice = {name for name, times in Counter(written).items() if times > 1}
        kept: list[str] = []
        read = set[str]()
        for line in reversed(self.lines):
            names = _assigned(line)
            if names and not names & (read | twice) and "tl.store" not in line:
                continue
            match = _ASSIGNMENT.match(line)
            read |= set(
                re.findall(r"[A-Za-z_]\w*", line[match.end() if match else 0 :])
            )
            kept.append(line)
        return kept[::-1]

    # ---------------------------------------------------------------- axes

    def axis(self, vector: str, start: str, block: int, sizes: Sequence[Size]) -> Axis:
        """Write the numbers of an axis, and what they are in these sizes."""
        size = count(sizes)
        if block:
            before = "" if start == "0" else f"{start} + "
            self.line(f"{vector} = {before}tl.arange(0, {block})")
            if not Axis(vector, size, block).is_exact:
                self.line(f"{vector}_in = {vector} < {size}")
        elif start != vector:
            self.line(f"{vector} = {start}")
        kept = [i for i, n in enumerate(sizes) if n != 1]
        own = vector if block else ""
        atoms = [Index() for _ in sizes]
        stride: Size = 1
        for i in reversed(kept):
            alone = len(kept) == 1
            name = vector if alone else f"{vector}{i}"
            quotient = f"{vector} // {stride}" if stride != 1 else vector
            if not alone:
                rest = f" % {sizes[i]}" if i != kept[0] else ""
                self.line(f"{name} = {quotient}{rest}")
            atoms[i] = of(Atom(name, sizes[i], own))
            stride *= sizes[i]
        axis = Axis(vector, size, block, tuple(atoms))
        self.axes[vector] = axis
        return axis

    def placed(self, name: str, axis: str) -> str:
        """A vector as it lies in the tile."""
        if not axis or len(self.tile) == 1:
            return name
        at = ", ".join(":" if axis == other else "None" for other in self.tile)
        return f"{name}[{at}]"

    def index(self, index: Index) -> str:
        """An index as text; where it counts the whole axis, by the axis's vector."""
        for axis in self.axes.values():
            index = _joined(index, axis)
        return index.text(
            lambda a: a.name if a.placed is not None else self.placed(a.name, a.axis)
        )

    def bounds(self, axes: frozenset[str]) -> list[str]:
        """What has to hold for the elements of a tile to be there."""
        return [
            self.placed(f"{axis}_in", axis)
            for axis in self.tile
            if axis in axes and not self.axes[axis].is_exact
        ]

    def block(self, axes: frozenset[str]) -> str:
        """The shape of what differs along these axes."""
        sizes = [str(self.axes[a].block) if a in axes else "1" for a in self.tile]
        return f"({', '.join(sizes)}{',' if len(sizes) == 1 else ''})"

    def spread(self, value: Value, axes: frozenset[str]) -> str:
        """The value as a tensor that differs along all of these axes."""
        shape = self.block(axes)
        if value.number is not None:
            return f"tl.full({shape}, {value.text}, {TYPES[value.dtype]})"
        return f"tl.broadcast_to({value.text}, {shape})"


def _assigned(line: str) -> set[str]:
    match = _ASSIGNMENT.match(line)
    return set(match[1].split(", ")) if match else set[str]()


def _joined(index: Index, axis: Axis) -> Index:
    """With the axis's vector in the place of all its parts, if they count it."""
    parts = [atom for atom in axis.atoms if atom.terms]
    if len(parts) < 2:
        return index
    times = dict(index.terms)
    stride: Size = 1
    wanted: dict[Atom | Part, Size] = {}
    for part in reversed(parts):
        ((atom, _),) = part.terms
        wanted[atom] = stride
        stride *= part.top
    (last,) = parts[-1].terms
    factor = times.get(last[0], 0)
    if factor == 0 or any(times.get(a) != s * factor for a, s in wanted.items()):
        return index
    rest = tuple((a, c) for a, c in index.terms if a not in wanted)
    own = axis.vector if axis.block else ""
    whole = of(Atom(axis.vector, axis.size, own)) * factor
    return Index(whole.terms + rest, index.constant)
