"""Which way rows go at each decision: as a profile has counted it, or by halves.

`dycl.row_counts` of the entry function has the counts, by the name and the place of a
decision. One that no count is for goes each way as often, and a loop a few times.
"""

from collections import defaultdict
from typing import Any, cast

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, IntegerAttr, StringAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Operation

from dycl.analysis.control.decisions import name_decisions
from dycl.analysis.control.frequencies import times_entered
from dycl.diag.source import SourceLoc
from dycl.ir import IfOp, WhileOp
from dycl.ir.dialect.decisions import DecisionOp
from dycl.ir.row_marks import ROW_COUNTS

_Key = tuple[str, str, int]


class Shares:
    """The counts of a function of one row."""

    def __init__(self, entry: FuncOp):
        self._rows = 0
        self._counts: dict[Operation, tuple[int, int]] = {}
        found = entry.attributes.get(ROW_COUNTS)
        if isinstance(found, DictionaryAttr):
            self._rows = _number(found.data["rows"])
            self._match(entry, _by_key(found.data["decisions"]))

    def _match(self, entry: FuncOp, counts: dict[_Key, list[tuple[int, int]]]) -> None:
        for op, name in name_decisions(entry.body.block).items():
            if not isinstance(op, DecisionOp) or not op.is_decision:
                continue
            at = SourceLoc.of(op)
            file = "" if at is None else at.file.replace("\\", "/").rpartition("/")[2]
            if alike := counts.get((name, file, 0 if at is None else at.line)):
                self._counts[op] = alike.pop(0)

    def of(self, op: IfOp) -> tuple[float, float] | None:
        """How likely each side is, if rows have come to a decision."""
        yes, no = self._counts.get(op, (0, 0))
        return (yes / (yes + no), no / (yes + no)) if yes + no else None

    def times(self, op: Operation, reached: float) -> float:
        """How often a region of an op is run, of which a row runs `reached`."""
        if isinstance(op, WhileOp) and op in self._counts and self._rows and reached:
            return self._counts[op][0] / self._rows / reached
        return times_entered(op)


def _by_key(decisions: Attribute) -> dict[_Key, list[tuple[int, int]]]:
    found = defaultdict[_Key, list[tuple[int, int]]](list)
    for entry in cast("ArrayAttr[ArrayAttr[Attribute]]", decisions):
        name, file, line, yes, no = entry
        key = cast(StringAttr, name).data, cast(StringAttr, file).data, _number(line)
        found[key].append((_number(yes), _number(no)))
    return found


def _number(attribute: Attribute) -> int:
    return cast("IntegerAttr[Any]", attribute).value.data
