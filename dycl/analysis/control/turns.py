"""When a value of a recursion is there, beside others that a launch is given.

What is the same for all calls is there before attributes of nodes, these before what a
function is given, that before what its calls give, and that before what a loop makes of
them. Of what calls give, what needs fewer of them is there earlier: what is made of one
child does not wait for the others.
"""

from collections.abc import Iterable
from typing import NamedTuple

from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, SSAValue

import dycl.ir as d
from dycl.ir import LaunchOp
from dycl.ir.dialect.local_functions import LocalFunctionOp
from dycl.ir.torch import VTensorLiteralOp

_ALWAYS, _FIELD, _PARAMETER, _CALLED, _LAST = range(5)


class Turn(NamedTuple):
    """When a value is there."""

    stage: int
    calls: frozenset[d.LocalCallOp] = frozenset()
    """Those that it is made of, if none of it is made of what comes later."""

    @property
    def is_always(self) -> bool:
        """Whether all calls are given the same."""
        return self.stage == _ALWAYS

    def is_before(self, other: "Turn") -> bool:
        """Whether the other waits for this, and for more."""
        if self.stage != other.stage:
            return self.stage < other.stage
        return self.calls < other.calls


def turn_of(value: SSAValue) -> Turn:
    """When a value on the host is there."""
    owner = value.owner
    match owner:
        case d.ParamOp() | VTensorLiteralOp():
            return Turn(_ALWAYS)
        case d.FieldOp():
            return Turn(_FIELD)
        case d.LocalCallOp():
            return Turn(_CALLED, frozenset([owner]))
        case LaunchOp():
            return last_of([Turn(_FIELD), *map(turn_of, owner.operands)])
        case Block() if isinstance(owner.parent_op(), LocalFunctionOp):
            return Turn(_PARAMETER)
        case _:
            return Turn(_LAST)


def last_of(turns: Iterable[Turn]) -> Turn:
    """When all are there."""
    known = list(turns)
    stage = max((turn.stage for turn in known), default=_ALWAYS)
    if stage != _CALLED:
        return Turn(stage)
    return Turn(stage, frozenset[d.LocalCallOp]().union(*(t.calls for t in known)))


def turns_in(kernel: FuncOp, launch: LaunchOp) -> dict[SSAValue, Turn]:
    """When what is in a kernel could be there, if this is its launch."""
    turns: dict[SSAValue, Turn] = {}
    for argument, given in zip(kernel.body.block.args, launch.operands, strict=True):
        turns[argument] = turn_of(given)
    for op in kernel.body.block.ops:
        turn = last_of(turns[value] for value in op.operands)
        turns |= dict.fromkeys(op.results, turn)
    return turns
