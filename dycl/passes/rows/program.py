"""The program under way: where ops are put, and what is carried from place to place.

one row             many rows
-------             ---------
dycl.if %c {        %log_1, %kept_1 = dycl.if %some : !torch.bool -> (...) {
  dycl.return %y      %kept_2 = dycl.append %kept, %yt
}                     dycl.yield %log, %kept_2
                    } else {
                      dycl.yield %log, %kept
                    }

Rows that leave on different ways are kept in lists until all have come: *variables*,
which each `dycl.if` and `dycl.while` on the way hands on.
"""

from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from dycl.ir import AppendOp, IfOp, SequenceOp, SequenceType, YieldOp
from dycl.ir.torch import BoolT, FloatT, IntT
from dycl.passes.rows.batches import CannotRegroup, batched
from dycl.passes.rows.emission import Emitter
from dycl.passes.rows.row_sets import RowSet
from dycl.passes.rows.varying import Varying

COPIED_AT_ONCE = 1024
"""Elements of a row from which a batch is not copied if all of its rows are taken."""


@dataclass(frozen=True, eq=False)
class Variable:
    """A list that grows on the way."""

    type: SequenceType


class Program:
    """The program of many rows, as far as it is written."""

    def __init__(self, block: Block, source: Operation, varying: Varying):
        self.varying = varying
        self.emit = Emitter(block, source)
        self.variables: dict[Variable, SSAValue] = {}
        self.uniform: dict[SSAValue, SSAValue] = {}
        """Values that are the same for all rows -> what they are now."""
        self.root: RowSet | None = None
        self._trail: list[tuple[dict[object, SSAValue], object]] = []

    # ---- values

    def remember(
        self, where: dict[SSAValue, SSAValue], key: SSAValue, value: SSAValue
    ) -> None:
        """Note a value, which is visible until the block at hand ends."""
        if value.name_hint is None:
            value.name_hint = key.name_hint
        where[key] = value
        self._trail.append((where, key))  # pyright: ignore[reportArgumentType]

    def batch(self, rows: RowSet, value: SSAValue) -> SSAValue | None:
        """A value's batch, of these rows; None: it is the same for all rows."""
        if value not in self.varying:
            return None
        if value in rows.values:
            return rows.values[value]
        home: RowSet | None = rows
        while home is not None and value not in home.values:
            home = home.parent
        if home is None:
            owner = value.owner
            assert isinstance(owner, Operation)
            raise CannotRegroup(owner, "its result differs from row to row")
        made = self._taken(rows, home, home.values[value])
        self.remember(rows.values, value, made)
        return made

    def same(self, value: SSAValue) -> SSAValue:
        """A value that is the same for all rows, as it is now."""
        return self.uniform[value]

    def as_batch(self, rows: RowSet, value: SSAValue) -> SSAValue:
        """A value's batch, also of one that is the same for all rows."""
        if (found := self.batch(rows, value)) is not None:
            return found
        kind = batched(value.type)
        if kind is None:
            raise CannotRegroup(self.emit.source, "a value cannot be one of many rows")
        emit, one = self.emit, self.same(value)
        like = rows.index
        if one.type in (BoolT, IntT, FloatT):
            return emit.filled(like, one, kind)
        tail = list(kind.sizes() or ())[1:]
        sizes = list(one.type.sizes() or ())  # pyright: ignore
        if len(sizes) == len(tail):
            up = type(kind).of((1, *sizes), kind.element_type())
            one = emit.aten("unsqueeze", [one, 0], up)
        return emit.aten("expand", [one, [emit.rows(like), *tail], False], kind)

    def index_into(self, rows: RowSet, other: RowSet) -> SSAValue:
        """The places of some rows in a set around them."""
        if rows is other:
            return self.emit.places(self.emit.rows(rows.index))
        if rows.parent is other:
            return rows.index
        if other not in rows.indices:
            assert rows.parent is not None
            outer = self.index_into(rows.parent, other)
            made = self.emit.taken(outer, rows.index)
            rows.indices[other] = made
            self._trail.append((rows.indices, other))  # pyright: ignore
        return rows.indices[other]

    def numbers(self, rows: RowSet) -> SSAValue:
        """The numbers of the rows in the call."""
        root = self.root
        assert root is not None
        return root.index if rows is root else self.index_into(rows, root)

    def _taken(self, rows: RowSet, home: RowSet, batch: SSAValue) -> SSAValue:
        """The batch of some rows, of that of a set around them."""
        index = self.index_into(rows, home)
        size = 1
        for one in list(batch.type.sizes() or ())[1:]:  # pyright: ignore
            size *= one
        between = rows.up_to(home)
        if size < COPIED_AT_ONCE or not all(one.in_order for one in between):
            return self.emit.taken(batch, index)
        all_of_them = self.emit.compare("eq", rows.count, home.count)
        return self.choice(
            all_of_them,
            lambda: [batch],
            lambda: [self.emit.taken(batch, index)],
            [batch.type],
            "all rows",
        )[0]

    # ---- control

    @contextmanager
    def inside(self, block: Block) -> Generator[None]:
        """Put ops into another block; what is noted meanwhile is forgotten behind."""
        before, mark = self.emit, len(self._trail)
        self.emit = Emitter(block, before.source)
        try:
            yield
        finally:
            self.emit = before
            while len(self._trail) > mark:
                where, key = self._trail.pop()
                where.pop(key, None)

    @contextmanager
    def standing_for(self, op: Operation) -> Generator[None]:
        """New ops stand for `op`."""
        before = self.emit
        self.emit = Emitter(before.block, op)
        try:
            yield
        finally:
            self.emit = before

    def choice(
        self,
        condition: SSAValue,
        then: Callable[[], Sequence[SSAValue]],
        otherwise: Callable[[], Sequence[SSAValue]],
        types: Sequence[Attribute],
        test: str,
    ) -> list[SSAValue]:
        """A `dycl.if` of the host; what its sides give, and variables go on."""
        before = dict(self.variables)
        sides: list[tuple[Block, list[SSAValue], dict[Variable, SSAValue]]] = []
        for side in (then, otherwise):
            block = Block()
            self.variables = dict(before)
            with self.inside(block):
                given = list(side())
            sides.append((block, given, self.variables))
        changed = [v for v in before if any(s[2][v] is not before[v] for s in sides)]
        for block, given, variables in sides:
            values = [*given, *(variables[v] for v in changed)]
            Emitter(block, self.emit.source).put(YieldOp(values))
        result_types = [*types, *(v.type for v in changed)]
        first, second = (Region(block) for block, _, _ in sides)
        words: dict[str, Attribute] = {"test": StringAttr(test)}
        made = self.emit.put(IfOp(condition, result_types, first, second, words))
        self.variables = before
        results: list[SSAValue] = list(made.results)
        self.variables.update(zip(changed, results[len(types) :], strict=True))
        return results[: len(types)]

    def if_any(
        self,
        count: SSAValue,
        then: Callable[[], Sequence[SSAValue]],
        types: Sequence[Attribute],
        test: str,
    ) -> list[SSAValue]:
        """Do something with rows if there are any; else batches without rows."""
        some = self.emit.compare("gt", count, self.emit.number(0))

        def nothing() -> list[SSAValue]:
            return [self.emit.empty(count, kind) for kind in types]  # pyright: ignore

        return self.choice(some, then, nothing, types, test)

    # ---- variables

    def variable(self, item: Attribute, first: Sequence[SSAValue] = ()) -> Variable:
        """A new list of such items."""
        made = Variable(SequenceType(item))
        self.variables[made] = self.emit.value(SequenceOp(list(first), made.type))
        return made

    def append(self, variable: Variable, value: SSAValue) -> None:
        """Append a value to a list."""
        grown = AppendOp(self.variables[variable], value, variable.type)
        self.variables[variable] = self.emit.value(grown)

    def forget(self, variables: Iterable[Variable]) -> None:
        """Nobody asks for these lists any more."""
        for variable in variables:
            del self.variables[variable]
