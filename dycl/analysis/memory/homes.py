"""In which memory the buffers of a host are best, where kernels work on two.

What a launch fills is in the memory of its kernel; what the host reads or puts into
lists is in that of the processor. What paths hand to one value (a join, what
a loop carries) may be in either: there the uses are counted.
"""

from collections.abc import Iterator, Mapping, Sequence

from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Operation, SSAValue

import dycl.ir as d
from dycl.analysis.control.frequencies import times_entered
from dycl.ir import host
from dycl.ir.host.memories import HOST
from dycl.ir.interfaces import RegionBranchOp, forwarded_to
from dycl.ir.walking import walk
from dycl.support.disjoint import DisjointSets

_SEES = (host.ViewOp, host.CastOp, d.CheckedOp)
"""Their results are their first operands, in the same memory."""


def homes(func: Operation, memories: Mapping[str, str]) -> dict[SSAValue, str]:
    """Buffer -> the name of its memory, for all values of a host function.

    `memories`: kernel -> the memory that it works on.
    """
    return _Homes(func, memories).found()


def becomes(op: Operation, index: int) -> Sequence[SSAValue]:
    """What an operand is handed to as it is, so that both are in one memory; none, if
    it is used otherwise."""
    match op:
        case host.KeepOp():
            return [op.result]
        case d.SelectOp():
            return [op.result] if index else []
        case _ if isinstance(op, _SEES):
            return [op.results[0]] if index == 0 else []
        case _:
            return forwarded_to(op, index)


def wanted(op: Operation, index: int, memories: Mapping[str, str]) -> str | None:
    """The memory in which an op wants an operand that it hands to nobody; None: any."""
    if isinstance(op, (d.DimOp, d.ReturnOp)):
        return None  # The caller gets a copy of its own, from wherever it is.
    if isinstance(op, host.LaunchOp):
        return memories.get(op.kernel_name, HOST) if index < len(op.inputs) else None
    return HOST


class _Homes:
    def __init__(self, func: Operation, memories: Mapping[str, str]):
        self._memories = memories
        self._sets = DisjointSets[SSAValue]()
        self._fixed: dict[SSAValue, str] = {}
        self._votes: dict[SSAValue, float] = {}
        """For each value, how many more of its uses are on a device."""
        self._incoming: dict[SSAValue, list[tuple[Operation, SSAValue]]] = {}
        """Join -> what is handed to it, and by which op."""
        self._func = func

    def found(self) -> dict[SSAValue, str]:
        for op in walk(self._func):
            self._look(op)
        values = list(self._values())
        joins = self._incoming.keys()
        for value in values:
            is_seen = isinstance(value.owner, _SEES)
            if value not in joins and not is_seen and not _is_memory(value):
                self._fixed.setdefault(value, HOST)
        chosen = {self._sets.find(v): memory for v, memory in self._fixed.items()}
        members: dict[SSAValue, list[SSAValue]] = {}
        for value in values:
            members.setdefault(self._sets.find(value), []).append(value)
        for root, inside in members.items():
            if root not in chosen:
                chosen[root] = self._best(inside, chosen)
        return {value: chosen[self._sets.find(value)] for value in values}

    def _values(self) -> Iterator[SSAValue]:
        for op in walk(self._func):
            arguments = [a for r in op.regions for b in r.blocks for a in b.args]
            for value in (*op.results, *arguments):
                if isinstance(value.type, MemRefType):
                    yield value

    def _look(self, op: Operation) -> None:
        if isinstance(op, host.LaunchOp):
            memory = self._memories.get(op.kernel_name, HOST)
            self._fixed.update(dict.fromkeys(op.outputs, memory))
        if isinstance(op, RegionBranchOp):
            # Value number i of an op has one type on all of its ways.
            for block in op.entered:
                for one, other in zip(op.results, op.arguments(block), strict=True):
                    self._sets.join(one, other)
        for index, value in enumerate(op.operands):
            if not isinstance(value.type, MemRefType):
                continue
            if names := becomes(op, index):
                for name in names:
                    self._sets.join(names[0], name)
                if isinstance(op, _SEES):
                    self._sets.join(value, names[0])
                else:
                    self._incoming.setdefault(names[0], []).append((op, value))
                    for name in names[1:]:
                        self._incoming.setdefault(name, [])
            elif (memory := wanted(op, index, self._memories)) is not None:
                vote = self._vote(memory, op)
                self._votes[value] = self._votes.get(value, 0.0) + vote

    def _best(self, members: Sequence[SSAValue], chosen: Mapping[SSAValue, str]) -> str:
        """The memory of a join: where most of its uses are, and what it is made of."""
        total = 0.0
        for value in members:
            total += self._votes.get(value, 0.0)
            for op, given in self._incoming.get(value, ()):
                known = chosen.get(self._sets.find(given))
                if known is not None:
                    total += self._vote(known, op)
        devices = [memory for memory in self._memories.values() if memory != HOST]
        return devices[0] if total > 0 and devices else HOST

    def _vote(self, memory: str, op: Operation) -> float:
        """How much it matters that an op has a value in a memory."""
        runs, around = 1.0, op.parent_op()
        while around is not None and around is not self._func:
            runs *= times_entered(around)
            around = around.parent_op()
        return -runs if memory == HOST else runs


def _is_memory(value: SSAValue) -> bool:
    return isinstance(value.owner, host.AllocOp)
