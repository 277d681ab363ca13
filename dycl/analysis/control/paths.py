"""What the launches of a path weigh together, on the path where that is most."""

from collections.abc import Callable

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation

from dycl.analysis.control.frequencies import ITERATIONS
from dycl.ir import LaunchOp, LocalFunctionOp
from dycl.ir.interfaces import LoopOp, RegionTerminator

Weight = Callable[[LaunchOp], float]

_Where = tuple[Operation | None, bool]
"""Behind an op (True), or its next iteration (False); (None, True): the end."""

_Ends = dict[_Where, float]
"""Where paths go, and what they weigh until then at most."""


def heaviest(module: ModuleOp, weight: Weight) -> float:
    """The greatest sum of the weights of the launches of a path through a function.

    A path takes one side of each decision, and ends where it returns. A loop runs not
    at all or ITERATIONS times, and each round takes the sides that weigh most; a local
    function runs once or never. Weights may be below 0.
    """
    found: list[float] = []
    for function in module.body.ops:
        if "dycl.kernel" not in function.attributes:
            for region in function.regions:
                if region.blocks:
                    found += _ends(region.block, weight).values()
    return max(found, default=0.0)


def _ends(block: Block, weight: Weight) -> _Ends:
    """The ends of paths through a block: behind its op if no terminator says so."""
    found: _Ends = {}
    total = 0.0
    for op in block.ops:
        if isinstance(op, LaunchOp):
            total += weight(op)
        elif isinstance(op, RegionTerminator):
            _note(found, _target(op), total)
            return found
        elif isinstance(op, LocalFunctionOp):
            total += max(0.0, *_ends(op.body.block, weight).values())
        elif op.regions:
            inner = _loop(op, weight) if isinstance(op, LoopOp) else _sides(op, weight)
            behind = inner.pop((op, True), None)
            for where, more in inner.items():
                _note(found, where, total + more)
            if behind is None:
                return found
            total += behind
    _note(found, (block.parent_op(), True), total)
    return found


def _target(end: RegionTerminator) -> _Where:
    target = end.target
    return target, not (isinstance(target, LoopOp) and target.continues(end))


def _sides(op: Operation, weight: Weight) -> _Ends:
    """The ends of paths that take one of the regions of an op."""
    found: _Ends = {}
    for region in op.regions:
        inner = _ends(region.block, weight) if region.blocks else {(op, True): 0.0}
        for where, total in inner.items():
            _note(found, where, total)
    return found


def _loop(op: LoopOp, weight: Weight) -> _Ends:
    """The ends of paths that come to a loop."""
    tests = [_ends(region.block, weight) for region in op.regions[:-1]]
    test = sum(max(ends.values()) for ends in tests)
    inside = _ends(op.regions[-1].block, weight)
    again = inside.pop((op, False), None)
    rounds = 0.0 if again is None else max(0.0, ITERATIONS * (test + again))
    found: _Ends = {(op, True): rounds + test}
    for where, total in inside.items():
        _note(found, where, rounds + test + total)
    return found


def _note(found: _Ends, where: _Where, total: float) -> None:
    found[where] = max(found.get(where, total), total)
