"""How many decisions a loop of known length makes that may end it early.

    for i in range(250):            250: the test of each iteration may be the last
        x = step(x)
        if x.norm() < 1e-5:
            break

Such a test parts what is computed before it from what comes behind, in each iteration.
So where the loop is unrolled, nothing is gained across iterations, and all that a pass
asks about what follows a decision, it asks of a program that is as many times longer.
"""

from xdsl.ir import Operation, SSAValue

from dycl.ir import (
    BreakOp,
    CallOp,
    ConstantOp,
    DictOp,
    ForOp,
    GetattrOp,
    IfOp,
    ListOp,
    ReturnOp,
    SubscriptOp,
    TupleOp,
    WhileOp,
)
from dycl.ir.constant_values import constant_name, constant_value
from dycl.ir.interfaces import LoopOp, RegionTerminator
from dycl.ir.walking import walk

EARLY_END = 8
"""As many iterations does one count for that a decision may end."""


def early_ends(loop: ForOp | WhileOp, count: int, counters: set[SSAValue]) -> int:
    """The decisions in `count` iterations that may leave `loop`, or a loop inside.

    What is made of constants and `counters` decides nothing that the data does. 0 if
    the body asks something for the item of a number: each iteration is another then.
    """
    if any(_picks(op, counters) for op in walk(loop.body)):
        return 0
    return count * _in_one(loop, counters)


def may_end_early(loop: ForOp | WhileOp, counters: set[SSAValue]) -> bool:
    """Whether a decision in the body, and not in a loop inside, may leave `loop`."""
    return any(_may_leave(op, loop, counters) for op in walk(loop.body))


def counters_of(loop: WhileOp) -> set[SSAValue]:
    """What the body is given of what the test of a loop asks."""
    asked = {v for op in loop.before.block.ops for v in op.operands if op.results}
    given = zip(loop.condition.forwarded, loop.body.block.args, strict=True)
    return {argument for value, argument in given if value in asked}


def _in_one(loop: LoopOp, counters: set[SSAValue]) -> int:
    """The decisions in one iteration that may leave a loop, or one inside."""
    return any(_may_leave(op, loop, counters) for op in walk(loop.regions[-1])) + sum(
        len(numbers) * _in_one(inner, {*counters, inner.item})
        for inner in _nearest_loops(loop)
        if (numbers := known_range(inner)) is not None
    )


def _nearest_loops(loop: LoopOp) -> list[ForOp]:
    """The `for` loops in a body that are in no loop inside of it."""
    found: list[ForOp] = []
    for op in walk(loop.regions[-1]):
        around = op.parent_op()
        while around is not None and not isinstance(around, LoopOp):
            around = around.parent_op()
        if isinstance(op, ForOp) and around is loop:
            found.append(op)
    return found


def _may_leave(op: Operation, loop: LoopOp, counters: set[SSAValue]) -> bool:
    """Whether an op in the body ends the loop, on one side of a test of data."""
    if isinstance(op, BreakOp):
        leaves = op.target is loop
    elif isinstance(op, ReturnOp):
        leaves = True
    elif isinstance(op, RegionTerminator) and op.target is not None:
        leaves = op.target is not loop and op.target.is_ancestor(loop)
    else:
        leaves = False
    around = op.parent_op() if leaves else loop
    while around is not None and around is not loop:
        if isinstance(around, IfOp) and not of_number(around.condition, counters):
            return True
        around = around.parent_op()
    return False


def _picks(op: Operation, counters: set[SSAValue]) -> bool:
    """Whether an op takes the item of a number out of what may hold anything."""
    if not isinstance(op, SubscriptOp) or op.index not in counters:
        return False
    return isinstance(
        op.operand.owner, (ConstantOp, DictOp, GetattrOp, ListOp, TupleOp)
    )


def of_number(value: SSAValue, counters: set[SSAValue]) -> bool:
    """Whether constants and counters are all that a value is made of, on the host."""
    waiting, seen = [value], set[SSAValue]()
    while waiting:
        one = waiting.pop()
        if one in seen or one in counters:
            continue
        seen.add(one)
        if not isinstance(one.owner, Operation) or one.owner.regions:
            return False
        if not one.owner.operands and not isinstance(one.owner, ConstantOp):
            return False
        waiting += one.owner.operands
    return True


def known_range(loop: ForOp) -> range | None:
    """The numbers that a loop goes over, if all are known."""
    if isinstance(known := constant_value(loop.iterable), range):
        return known
    call = loop.iterable.owner
    if not isinstance(call, CallOp) or call.keyword_names:
        return None
    if constant_name(call.callee) != "builtins.range":
        return None
    bounds = [constant_value(value) for value in call.positional]
    numbers = [n for n in bounds if isinstance(n, int)]
    if len(numbers) < len(bounds) or not 1 <= len(numbers) <= 3:
        return None
    return None if numbers[2:] == [0] else range(*numbers)
