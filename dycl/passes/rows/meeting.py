"""Where rows that went different ways meet again, in the order in which they came.

one row                         many rows
-------                         ---------
%y = dycl.scope "f" {           %places, %ys = (lists, with a batch from each way)
  dycl.if %c {                  %index = dycl.concat cat %places dim 0
    dycl.leave "f" %a           %y = dycl.concat cat %ys dim 0
  }
  dycl.leave "f" %b
}
"""

from collections.abc import Sequence

from xdsl.ir import SSAValue

from dycl.ir import ConcatOp
from dycl.ir.torch import VTensorType
from dycl.passes.rows.batches import batch_of, si64
from dycl.passes.rows.program import Program
from dycl.passes.rows.row_sets import RowSet

PLACES = batch_of((), si64)


class Meeting:
    """Lists of what rows bring to a place where they meet."""

    def __init__(self, program: Program, at: RowSet, types: Sequence[VTensorType]):
        """`at`: the set that the rows are all of; lists begin with no rows, so that
        they can be joined if nobody comes."""
        self.program = program
        self.at = at
        emit = program.emit
        zero = emit.minus(at.count, at.count)
        self._places, *self._values = [
            program.variable(kind, [emit.empty(zero, kind)])
            for kind in (PLACES, *types)
        ]

    def come(self, rows: RowSet, values: Sequence[SSAValue]) -> None:
        """Rows come, with the batches of their values."""
        program = self.program
        program.append(self._places, program.index_into(rows, self.at))
        for variable, value in zip(self._values, values, strict=True):
            program.append(variable, value)

    def met(self) -> tuple[RowSet, list[SSAValue]]:
        """All rows that have come, and the batches that they brought."""
        program, emit = self.program, self.program.emit
        variables = [self._places, *self._values]
        index, *values = [
            emit.value(ConcatOp("cat", program.variables[v], 0, v.type.element))
            for v in variables
        ]
        program.forget(variables)
        return RowSet(self.at, index, emit.count(index), in_order=False), values
