"""What rows return, and which decisions they have taken: lists for the runtime.

one row                                 many rows
-------                                 ---------
dycl.if %c {                            %log_1 = dycl.append %log, %event
  dycl.return %p                        ...
}                                       dycl.return %events, %rows, %ps
dycl.return %q

An *event* says of some rows which way they went at a decision: for each row, its number
times the count of decisions plus the number of the decision, times two, plus the way.
A *way out* is all returns of one structure and of values of one type: for each, the
numbers of the rows that came, and their values.
"""

from collections.abc import Sequence
from typing import cast

from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    IntegerAttr,
    StringAttr,
    UnitAttr,
    i64,
)
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Operation, SSAValue

from dycl.analysis.control.decisions import name_decisions
from dycl.diag.source import SourceLoc
from dycl.ir import ConcatOp, ReturnOp
from dycl.ir.dialect.decisions import DecisionOp
from dycl.ir.functions import returns_in
from dycl.ir.records import Record
from dycl.ir.row_marks import KEYS, RECORDS
from dycl.ir.torch import VTensorType
from dycl.ir.values import LeafRef, from_attr, to_attr
from dycl.passes.rows.batches import (
    CannotRegroup,
    batch_of,
    batched,
    si64,
)
from dycl.passes.rows.emission import Emitter
from dycl.passes.rows.program import Program, Variable
from dycl.passes.rows.row_numbers import RowNumbers
from dycl.passes.rows.row_sets import RowSet

Way = tuple[Attribute, tuple[Attribute, ...]]


def way_of(op: ReturnOp) -> Way:
    """The structure of what is returned, and the types of one row's values."""
    structure = op.structure
    if structure is None:
        leaves = tuple(LeafRef(n) for n in range(len(op.values)))
        structure = to_attr(leaves if len(leaves) != 1 else leaves[0])
    return structure, tuple(value.type for value in op.values)


class Results:
    """The lists of one program."""

    ends_together: bool
    """Whether there is one return, at the end: then no list is needed for it."""

    def __init__(self, entry: FuncOp):
        """Raises CannotRegroup: a value that is returned is no tensor or number, or
        stands in an object that is more than its fields."""
        block = entry.body.block
        names = name_decisions(block)
        self.decisions: dict[Operation, int] = {}
        self._rows: list[Attribute] = []
        for op, name in names.items():
            if isinstance(op, DecisionOp) and op.is_decision:
                self.decisions[op] = len(self.decisions)
                self._rows.append(_described(op, name))
        returns = returns_in(block)
        self.ways: dict[Way, list[Variable]] = {}
        for op in returns:
            for value in op.values:
                if batched(value.type) is None:
                    raise CannotRegroup(op, "a value that it returns is no tensor")
            if op.structure is not None and not _is_plain(from_attr(op.structure)):
                raise CannotRegroup(op, "it returns an object of a class")
            self.ways[way_of(op)] = []
        self.ends_together = len(returns) == 1 and block.last_op is returns[0]
        self._log: Variable | None = None
        self._returned: list[SSAValue] | None = None
        self._is_in_order = False

    def begin(self, program: Program) -> None:
        """Make the lists."""
        ints = batch_of((), si64)
        assert program.root is not None
        count = program.root.count
        zero = program.emit.minus(count, count)

        def begun(kind: VTensorType | None) -> Variable:
            assert kind is not None
            return program.variable(kind, [program.emit.empty(zero, kind)])

        if self.decisions:
            self._log = begun(ints)
        if self.ends_together:
            return
        for (_, types), variables in self.ways.items():
            kinds = [ints, *(batched(one) for one in types)]
            variables += [begun(kind) for kind in kinds]

    def come(self, program: Program, op: ReturnOp, rows: RowSet) -> None:
        """Rows return."""
        values = [program.as_batch(rows, value) for value in op.values]
        if self.ends_together:
            self._is_in_order = rows is program.root
            numbers = [] if self._is_in_order else [program.numbers(rows)]
            self._returned = [*numbers, *values]
            return
        way = self.ways[way_of(op)]
        for variable, value in zip(way, [program.numbers(rows), *values], strict=True):
            program.append(variable, value)

    def end(self, program: Program, emit: Emitter) -> ReturnOp:
        """Return what is in the lists by now: one batch for each."""
        lists = [v for variables in self.ways.values() for v in variables]
        log = [] if self._log is None else [self._log]
        values = [
            emit.value(ConcatOp("cat", program.variables[v], 0, v.type.element))
            for v in (*log, *lists)
        ]
        values += self._returned or []
        leaves = tuple(LeafRef(n) for n in range(len(values)))
        made = ReturnOp(values, to_attr(leaves))
        emit.put(made)
        return made

    def log(
        self, program: Program, op: Operation, rows: RowSet, side: SSAValue
    ) -> None:
        """Note which way rows go: `side` as 0 or 1 for each."""
        number, count = self.decisions[op], len(self.decisions)
        emit, ints = program.emit, batch_of((), si64)
        event = emit.aten("mul.Scalar", [program.numbers(rows), 2 * count], ints)
        event = emit.aten("add.Scalar", [event, 2 * number, 1], ints)
        event = emit.aten("add.Tensor", [event, side, 1], ints)
        assert self._log is not None
        program.append(self._log, event)

    def log_all(self, program: Program, op: Operation, rows: RowSet, side: int) -> None:
        """Note that all rows go one way."""
        number, count = self.decisions[op], len(self.decisions)
        emit, ints = program.emit, batch_of((), si64)
        event = emit.aten("mul.Scalar", [program.numbers(rows), 2 * count], ints)
        event = emit.aten("add.Scalar", [event, 2 * number + side, 1], ints)
        assert self._log is not None
        program.append(self._log, event)

    def described(
        self, row_bytes: int, numbers: RowNumbers, *, are_far: bool
    ) -> DictionaryAttr:
        """What the runtime has to know: the attribute `dycl.row_results`.

        `row_bytes`: the size of a row in the largest batch. `are_far`: whether rows
        wait for the weights of convolutions, so that groups gain by being large.
        """
        ways = [
            DictionaryAttr(
                {
                    "structure": structure,
                    "types": ArrayAttr(types),
                }
            )
            for structure, types in self.ways
        ]
        form = "by way"
        if self.ends_together:
            form = "in order" if self._is_in_order else "numbered"
        return DictionaryAttr(
            {
                "decisions": ArrayAttr(self._rows),
                "ways": ArrayAttr(ways),
                "form": StringAttr(form),
                "row_bytes": IntegerAttr(row_bytes, i64),
                **({"far_weights": UnitAttr()} if are_far else {}),
                "few": IntegerAttr(numbers.few, i64),
                "shared": IntegerAttr(numbers.shared, i64),
            }
        )


def _is_plain(structure: object) -> bool:
    """Whether the runtime can make this of the values of all rows."""
    match structure:
        case tuple() | list():
            items = cast("Sequence[object]", structure)
            return type(items) in (tuple, list) and all(map(_is_plain, items))
        case dict():
            found = cast("dict[object, object]", structure)
            return all(isinstance(key, KEYS) for key in found) and all(
                map(_is_plain, found.values())
            )
        case Record(kind, items):
            return kind.kind in RECORDS and all(map(_is_plain, items))
        case _:
            return isinstance(structure, LeafRef | bool | int | float | str | None)


def _described(op: DecisionOp, name: str) -> Attribute:
    found = SourceLoc.of(op)
    file = "" if found is None else found.file.replace("\\", "/").rpartition("/")[2]
    line = 0 if found is None else found.line
    texts: Sequence[Attribute] = [StringAttr(t) for t in (name, op.test, file)]
    return ArrayAttr([*texts, IntegerAttr(line, i64)])
