"""Where a choice between constants must be known, because an op cannot do without.

`k = 8 if p else 16` is an int like any other, until `w[:k]` asks for its value: there
the shape depends on it. Such a choice is *demanded*, and what leads from it to the op
that asks *carries* the demand.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from xdsl.ir import Operation, SSAValue

from dycl.analysis.tensors.abstract import (
    Scalar,
    Tensor,
    Unbound,
    Unknown,
    dynamic_sizes,
    is_open,
    is_unjoined,
    leaves,
    signature,
)
from dycl.analysis.tensors.shapes import Inference
from dycl.ir import IfOp, ScopeOp, SelectOp


@dataclass
class Demands:
    """The choices that must be known, and the values that depend on one."""

    choices: set[SSAValue] = field(default_factory=set[SSAValue])
    carriers: set[SSAValue] = field(default_factory=set[SSAValue])


def demands_of(ops: Iterable[Operation], inference: Inference) -> Demands:
    """What those of the ops ask for that do not know their result."""
    demands = Demands()
    for op in ops:
        outcome = inference.outcomes.get(op)
        if outcome is None or not _wants_more(op, outcome.results, inference):
            continue
        if not any(_is_vague(inference.of(v)) for v in op.operands):
            _ask(op, inference, demands)
    return demands


def _wants_more(op: Operation, results: Sequence[object], inference: Inference) -> bool:
    """Whether an op does not know its result, or gives it a size of its own."""
    if any(map(is_open, results)):
        return True
    given = {d for v in op.operands for d in dynamic_sizes(inference.of(v))}
    return any(d not in given for result in results for d in dynamic_sizes(result))


def _ask(op: Operation, inference: Inference, found: Demands) -> None:
    """Follow the numbers among the operands back to where they are chosen."""
    waiting = list(op.operands)
    seen: set[SSAValue] = set()
    path: dict[SSAValue, list[SSAValue]] = {}
    while waiting:
        value = waiting.pop()
        if value in seen or not _is_number(inference.of(value)):
            continue
        seen.add(value)
        if _is_choice(value, inference):
            _carry(value, path, found)
            continue
        for source in _sources(value):
            path.setdefault(source, []).append(value)
            waiting.append(source)


def _sources(value: SSAValue) -> list[SSAValue]:
    """The values that one is made of, or is one of."""
    owner = value.owner
    if isinstance(owner, (IfOp, ScopeOp)):
        return owner.incoming(value)
    if isinstance(owner, Operation) and not owner.regions:
        return list(owner.operands)
    return []


def _carry(
    choice: SSAValue, path: dict[SSAValue, list[SSAValue]], found: Demands
) -> None:
    found.choices.add(choice)
    waiting = [choice]
    while waiting:
        value = waiting.pop()
        if value not in found.carriers:
            found.carriers.add(value)
            waiting += path.get(value, [])


def _is_vague(value: object) -> bool:
    return is_open(value) or is_unjoined(value)


def _is_number(value: object) -> bool:
    """Whether a value is a number that is not known, or holds one (as a slice does)."""
    parts = list(leaves(value))
    open_ = (Tensor, Unknown, Unbound)
    return any(isinstance(p, Scalar) for p in parts) and not any(
        isinstance(p, open_) for p in parts
    )


def _is_choice(value: SSAValue, inference: Inference) -> bool:
    """Whether an `if` or a select gives one of several known values."""
    owner = value.owner
    if not isinstance(owner, (IfOp, ScopeOp, SelectOp)):
        return False
    given = _sources(value)
    if isinstance(owner, SelectOp):
        given = [owner.if_true, owner.if_false]
    known = [inference.of(v) for v in given]
    open_ = (Scalar, Tensor, Unknown, Unbound)
    if any(isinstance(leaf, open_) for v in known for leaf in leaves(v)):
        return False
    return len({signature(v) for v in known}) > 1
