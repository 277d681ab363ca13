"""What jumps hand over: values to what joins them, and where they lead."""

from xdsl.dialects.builtin import MemRefType, i1, i64
from xdsl.ir import Operation, SSAValue

import dycl.ir as d
from dycl.ir import graph, host
from dycl.ir.interfaces import RegionBranchOp, edges
from dycl.passes.graph.jumps import Jumps
from dycl.passes.graph.places import is_own, used_by_one
from dycl.passes.graph.tree import Nodes


class Ways(Nodes):
    """The nodes of a function, with what its jumps hand over."""

    def __init__(self, func: host.FuncOp):
        super().__init__(func)
        self._func = func
        self._jumps = Jumps(func)
        self._way: SSAValue | None = None

    def _hand_over(self, op: Operation) -> None:
        """Give what an op forwards to what it becomes."""
        values: list[SSAValue] = []
        joins: list[SSAValue] = []
        for value, join in edges(op):
            around = (
                join.owner
                if isinstance(join.owner, Operation)
                else join.owner.parent_op()
            )
            assert isinstance(around, RegionBranchOp)
            if self._is_only(around, join):
                self.places.let(join, value)
            else:
                values.append(value)
                joins.append(join)
        self.fill(values, joins, op)

    def _is_only(self, op: RegionBranchOp, join: SSAValue) -> bool:
        """Whether what joins values is given one alone."""
        return len(given(op, join)) == 1

    # ---- the slot `way`

    def _tell(self, number: int, op: Operation) -> None:
        assert self._way is not None
        self.numbers.emit(graph.WriteOp(self._number(number, op), self._way), op)

    def _arrive(self, target: Operation) -> None:
        """Where jumps lead that have told so: go on as usual."""
        number = self._jumps.number_of(target)
        if number is None:
            return
        assert self._way is not None
        self.flush()
        numbers, way = self.numbers, self._read_way(target)
        told = self._number(number, target)
        is_here = d.CompareOp("eq", way, told, i1)
        numbers.emit(is_here, target)
        after = d.SelectOp(is_here.result, self._number(0, target), way)
        numbers.emit(after, target)
        numbers.emit(graph.WriteOp(after.result, self._way), target)
        self.flush()

    def _read_way(self, op: Operation) -> SSAValue:
        assert self._way is not None
        read = host.ReadOp(self._way, i64)
        self.numbers.emit(read, op)
        return read.result

    def _number(self, value: int, op: Operation) -> SSAValue:
        return self.numbers.constant(value, i64, op)

    # ---- memory that joins share with what they join

    def _claim(self, op: RegionBranchOp) -> None:
        """Let launches inside fill the memory of the results."""
        for result in op.results:
            values = given(op, result)
            if len(values) > 1 and isinstance(result.type, MemRefType):
                for value in values:
                    if is_own(value, op):
                        self.places.claim(value, result)

    def _claim_initial(self, op: d.WhileOp) -> None:
        for value, argument in zip(op.initial, op.before.block.args, strict=True):
            if len(given(op, argument)) > 1 and used_by_one(value, op):
                self.places.claim(value, argument)


def given(op: RegionBranchOp, join: SSAValue) -> list[SSAValue]:
    """What becomes a result, or an argument inside, on the edges that runs take."""
    if isinstance(op, d.WhileOp) and not op.is_tested and join in op.results:
        results: list[SSAValue] = list(op.results)
        place = results.index(join)
        return [jump.forwarded[place] for jump in op.breaks]
    return list(op.incoming(join))
