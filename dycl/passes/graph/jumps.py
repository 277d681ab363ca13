"""Where jumps lead, and which of them have to leave a word on the way.

A tree has no jumps: what follows an `if` with an arm that leaves stands in its other
arm. That is not enough where both arms may lead on, and for a jump out of a loop or of
a scope with several ends: such a jump writes the number of its target into the slot
*way*, and what would follow asks that slot.
"""

from xdsl.ir import Operation

import dycl.ir as d
from dycl.ir import host
from dycl.ir.interfaces import RegionBranchOp, RegionTerminator
from dycl.ir.walking import walk

Jump = d.BreakOp | d.ContinueOp | d.LeaveOp | d.ReturnOp


class Jumps:
    """Facts on the jumps of one host function."""

    def __init__(self, func: host.FuncOp):
        self._inside: dict[Operation, list[Jump]] = {}
        """For each op with regions, the jumps inside that lead out of it."""
        self._numbers: dict[Operation | None, int] = {}
        self._tells: set[Jump] = set()
        for op in walk(func.body):
            if isinstance(op, Jump):
                self._follow(op, func)
        targets = [target_of(jump) for jump in self._tells]
        for op in (None, *walk(func.body)):
            if op in targets:
                self._numbers[op] = len(self._numbers) + 1

    def _follow(self, jump: Jump, func: host.FuncOp) -> None:
        target = target_of(jump)
        around = jump.parent_op()
        before: Operation = jump
        while around is not None and around is not func and around is not target:
            self._inside.setdefault(around, []).append(jump)
            if _has_to_tell(around, before):
                self._tells.add(jump)
            before, around = around, around.parent_op()

    def out_of(self, op: Operation) -> list[Jump]:
        """The jumps inside an op that lead out of it."""
        return self._inside.get(op, [])

    def number(self, jump: Jump) -> int | None:
        """What a jump writes into the slot *way*; None: nobody asks."""
        return self._numbers[target_of(jump)] if jump in self._tells else None

    def number_of(self, target: Operation) -> int | None:
        """What the jumps to an op write; None: none writes anything."""
        return self._numbers.get(target)

    @property
    def are_told(self) -> bool:
        """Whether there has to be a slot *way*."""
        return bool(self._tells)


def target_of(jump: Jump) -> RegionBranchOp | None:
    """The op that a jump hands its values to; None: the caller."""
    return None if isinstance(jump, d.ReturnOp) else jump.target


def falls(op: RegionBranchOp) -> list[bool]:
    """For each region, whether its end leads behind the op."""
    return [op.end_of(region.block) is not None for region in op.regions]


def only_leave(scope: d.ScopeOp) -> RegionTerminator | None:
    """The only end of a scope, behind which what follows it can stand."""
    ends = scope.terminators
    return ends[0] if len(ends) == 1 and not _in_loop(ends[0], scope) else None


def _in_loop(end: Operation, scope: d.ScopeOp) -> bool:
    around = end.parent_op()
    while around is not None and around is not scope:
        if isinstance(around, d.WhileOp) or (
            isinstance(around, d.IfOp) and all(falls(around))
        ):
            return True
        around = around.parent_op()
    return False


def _has_to_tell(crossed: Operation, before: Operation) -> bool:
    match crossed:
        case d.IfOp():
            return all(falls(crossed))
        case d.ScopeOp():
            return only_leave(crossed) is None
        case _:
            return True
