"""Sets of rows: which rows a block works on, and what their values are there.

one row                    many rows
-------                    ---------
dycl.if %c {               %order, %places, %t, %e = (the rows with %c first)
  %y = torch.aten.relu %x  %index = torch.aten.slice.Tensor %order, 0, %t
                           %xt = torch.aten.index_select %xb, 0, %index
                           %y = torch.aten.relu %xt
"""

from dataclasses import dataclass, field

from xdsl.ir import SSAValue

from dycl.ir.torch import IntT
from dycl.passes.rows.batches import batch_of, si64
from dycl.passes.rows.emission import INT64, Emitter


@dataclass(eq=False)
class RowSet:
    """Rows that are computed together."""

    parent: "RowSet | None"
    """The set that these are some of; None: all rows of the call."""
    index: SSAValue
    """The places of the rows in `parent`; of all rows, their numbers."""
    count: SSAValue
    """How many there are, an int of the host."""
    in_order: bool = True
    """Whether they are in the order of the rows of `parent`."""
    may_be_empty: bool = False
    """Whether code for these rows is also run if there are none."""
    values: dict[SSAValue, SSAValue] = field(default_factory=dict[SSAValue, SSAValue])
    """Values of one row -> their batches, of these rows."""
    indices: "dict[RowSet, SSAValue]" = field(
        default_factory=lambda: dict[RowSet, SSAValue]()
    )
    """Other sets -> the places of the rows in these."""

    def up_to(self, other: "RowSet") -> "list[RowSet]":
        """This set and those around it that are inside `other`."""
        result: list[RowSet] = []
        at: RowSet | None = self
        while at is not other:
            assert at is not None
            result.append(at)
            at = at.parent
        return result


@dataclass(frozen=True)
class Parts:
    """Rows in two parts, by a test."""

    order: SSAValue
    """The places of those where it is true, then of those where it is false."""
    places: SSAValue
    """For each row, where it stands in `order`."""
    then: SSAValue
    """How many it is true of, on the host."""
    others: SSAValue
    """How many it is false of."""
    truths: SSAValue
    """The test as ints."""


def parted(emit: Emitter, test: SSAValue, count: SSAValue) -> Parts:
    """Part rows by a batch of truths; `count`: how many they are, on the host."""
    ints = batch_of((), si64)
    one = type(ints).of((), si64)
    truths = emit.as_dtype(test, si64)
    running = emit.aten("cumsum", [truths, 0, None], ints)
    total = emit.aten("sum", [truths, None], one)
    rows = emit.rows(test)
    numbers = emit.places(rows)
    if_true = emit.aten("sub.Scalar", [running, 1, 1], ints)
    falses = emit.aten("sub.Tensor", [numbers, running, 1], ints)
    if_false = emit.aten("add.Tensor", [falses, total, 1], ints)
    places = emit.aten("where.self", [test, if_true, if_false], ints)
    zeros = emit.aten("zeros", [[rows], INT64, None, None, None], ints)
    order = emit.aten("scatter.src", [zeros, 0, places, numbers], ints)
    then = emit.item(total, IntT)
    return Parts(order, places, then, emit.minus(count, then), truths)


def then_part(emit: Emitter, rows: RowSet, parts: Parts) -> RowSet:
    """The rows where the test is true."""
    operands = [parts.order, 0, 0, parts.then, 1]
    index = emit.aten("slice.Tensor", operands, parts.order.type)
    return RowSet(rows, index, parts.then)


def other_part(emit: Emitter, rows: RowSet, parts: Parts) -> RowSet:
    """The rows where the test is false."""
    operands = [parts.order, 0, parts.then, rows.count, 1]
    index = emit.aten("slice.Tensor", operands, parts.order.type)
    return RowSet(rows, index, parts.others)
