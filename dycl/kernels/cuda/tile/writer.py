"""The writer of a function: elements, and rows that are folded.

A row that fits is held whole: its elements may be used again behind the reduction. A
longer one is read in pieces, which are put together element by element.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from dycl.kernels.cpu.errors import Refused
from dycl.kernels.cuda.tile.elements import ElementWriter
from dycl.kernels.cuda.tile.folds import Fold, fold_of
from dycl.kernels.cuda.tile.index import Atom, Index, of, unflat
from dycl.kernels.cuda.tile.nodes import Constant, Loop
from dycl.kernels.cuda.tile.payload import Value
from dycl.kernels.cuda.tile.sizes import Size, count
from dycl.kernels.cuda.tile.text import Axis


@dataclass
class Writer(ElementWriter):
    """Writes one function."""

    columns: str = ""
    """The axis along which rows are folded."""
    most_columns: int = 0
    """How many columns of a row are held at once."""
    helpers: dict[str, None] = field(default_factory=dict[str, None])
    """The functions that it calls."""

    def folded(self, node: Loop, at: Sequence[Index]) -> Value:
        """The result of a reduction over the columns."""
        nest = node.nest
        fold = self._fold(node)
        if not self.columns:
            return self.with_start(node, at, fold, self._window(node, at, fold))
        columns = self.axes.get(self.columns)
        size = count(nest.reduced_sizes)
        if columns is not None and columns.size == size:
            parts = self._elements(node, at, fold, columns)
        else:
            parts = self._long_fold(node, at, fold, size)
        values = self.reduced(fold, parts, 1 if fold.has_index and node.result else 0)
        return self.with_start(node, at, fold, values[0])

    def folded_part(
        self, node: Loop, at: Sequence[Index], span: str
    ) -> tuple[Fold, list[Value]]:
        """What a part of a row gives, from where to where `span` says. Raises
        Refused."""
        fold = self._fold(node)
        size = count(node.nest.reduced_sizes)
        return fold, self.reduced(fold, self._long_fold(node, at, fold, size, span))

    def reduced(
        self, fold: Fold, parts: Sequence[Value], only: int | None = None
    ) -> list[Value]:
        """What the columns of a tile give; `only`: one of the things carried."""
        self.helpers[fold.helper] = None
        names = [self.name() for _ in parts]
        joined = ", ".join(p.text for p in parts)
        given = f"({joined})" if len(parts) > 1 else joined
        self.line(f"{', '.join(names)} = tl.reduce({given}, 1, {fold.helper})")
        rows = frozenset({self.tile[0]})
        return [
            self.let(f"{name}[:, None]", part.dtype, rows)
            for i, (name, part) in enumerate(zip(names, parts, strict=True))
            if only in (None, i)
        ]

    def _fold(self, node: Loop) -> Fold:
        nest = node.nest
        results = nest.block_arguments[len(nest.inputs) :]
        fold = fold_of(results, nest.body, node.result)
        if fold is None:
            raise Refused("folds in a way of its own: no template for CUDA", nest.place)
        self.helpers[fold.helper] = None
        return fold

    def _window(self, node: Loop, at: Sequence[Index], fold: Fold) -> Value:
        """One element after the other, each thread its own."""
        whole = frozenset(self.tile)
        totals = [
            self.let(self.spread(one, whole), one.dtype, whole) for one in fold.identity
        ]
        sizes = node.nest.reduced_sizes
        with self.loop(f"for c in tl.static_range({count(sizes)}):"):
            reduced = self.axis("c", "c", 0, sizes).atoms
            parts = self.element(node, at, reduced, (), fold.elements)
            names = ", ".join(t.text for t in totals)
            given = ", ".join(v.text for v in (*totals, *parts))
            self.line(f"{names} = {fold.helper}({given})")
        del self.axes["c"]
        return totals[-1] if fold.has_index and node.result else totals[0]

    def with_start(
        self, node: Loop, at: Sequence[Index], fold: Fold, value: Value
    ) -> Value:
        """With what a reduction starts from."""
        start = node.nest.starts[node.result]
        if isinstance(start, Constant):
            same = start.value == fold.identity[0].number
            if same or fold.has_index:
                return value
        first = self.at(start, tuple(at))
        return self.let(
            f"{fold.helper}({first.text}, {value.text})", node.dtype, value.axes
        )

    def _elements(
        self, node: Loop, at: Sequence[Index], fold: Fold, columns: Axis
    ) -> list[Value]:
        reduced = unflat_axis(columns, node.nest.reduced_sizes)
        found = self.element(node, at, reduced, (), fold.elements)
        result: list[Value] = []
        whole = frozenset(self.tile)
        for value, identity in zip(found, fold.identity, strict=True):
            text = value.text
            if columns.vector not in value.axes or (
                len(found) > 1 and value.axes != whole
            ):
                text = self.spread(value, whole)
            if not columns.is_exact:
                held = self.placed(f"{columns.vector}_in", columns.vector)
                other = identity.text
                if identity.number != 0 or held not in value.zero_outside:
                    text = f"tl.where({held}, {text}, {other})"
            if text != value.text:
                value = self.let(text, value.dtype, value.axes | {columns.vector})
            result.append(value)
        return result

    def _long_fold(
        self, node: Loop, at: Sequence[Index], fold: Fold, size: Size, span: str = ""
    ) -> list[Value]:
        """Element by element of a row's pieces, which a loop takes one by one."""
        span = span or f"0, {size}"
        whole = frozenset(self.tile)
        totals: list[Value] = []
        block = self.most_columns
        outer = dict(self.axes)
        letter = self.tile[1]
        self.axes[letter] = Axis(letter, size, block)
        for identity in fold.identity:
            start = self.spread(identity, whole)
            totals.append(self.let(start, identity.dtype, whole))
        with self.loop(f"for {letter}_start in range({span}, {block}):"):
            columns = self.axis(
                letter, f"{letter}_start", block, node.nest.reduced_sizes
            )
            parts = self._elements(node, at, fold, columns)
            names = ", ".join(t.text for t in totals)
            given = ", ".join(value.text for value in (*totals, *parts))
            self.line(f"{names} = {fold.helper}({given})")
        self.axes = outer
        return totals


def unflat_axis(axis: Axis, sizes: Sequence[Size]) -> tuple[Index, ...]:
    """An axis's numbers as indices in these sizes."""
    if len(axis.atoms) == len(sizes) and all(
        index.top == size for index, size in zip(axis.atoms, sizes, strict=True)
    ):
        return axis.atoms
    return unflat(of(Atom(axis.vector, axis.size, axis.vector)), sizes)
