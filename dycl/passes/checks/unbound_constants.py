"""Reads of names that are a constant on some paths, and have no value on others.

if p: n = 4                     n is 4 here, or eager raises UnboundLocalError.
y = x * n

`dycl-check-typed` refuses reads of names that may have no value. A constant stands in
the place of what reads it by then, so its reads are looked for before. What a loop
hands on is left out: whether it was gone through is not known here.
"""

from collections.abc import Iterator

from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue

from dycl.analysis.control.bindings import bound_reads
from dycl.analysis.tensors.abstract import (
    Scalar,
    Sequence,
    Tensor,
    Unbound,
    Unknown,
    leaves,
)
from dycl.analysis.tensors.shapes import Inference
from dycl.ir import IfOp, ScopeOp, UnboundOp
from dycl.ir.interfaces import RegionTerminator, edges
from dycl.ir.walking import walk

_OPEN = (Scalar, Sequence, Tensor, Unbound, Unknown)


def unbound_constants(
    entry: FuncOp, inference: Inference
) -> Iterator[tuple[Operation, str]]:
    """The ops that read such a name, and the name, in order."""
    names = _names(entry)
    found = [
        (op, index, names[value])
        for op in (walk(entry) if names else ())
        if not (isinstance(op, RegionTerminator) and op.target is not None)
        for index, value in enumerate(op.operands)
        if value in names and _is_constant(value, inference)
    ]
    if not found:
        return
    bound = bound_reads(entry.body.block, inference.environment)
    for op, index, name in found:
        if (op, index) not in bound:
            yield op, name


def _names(entry: FuncOp) -> dict[SSAValue, str]:
    """Results of branches that may have no value, by the name that they are of."""
    ways: dict[SSAValue, list[SSAValue]] = {}
    waiting: list[tuple[SSAValue, str]] = []
    for op in walk(entry):
        if isinstance(op, UnboundOp):
            waiting.append((op.result, op.variable.data))
        if isinstance(op, RegionTerminator) and isinstance(op.target, (IfOp, ScopeOp)):
            for source, target in edges(op):
                ways.setdefault(source, []).append(target)
    names: dict[SSAValue, str] = {}
    while waiting:
        value, name = waiting.pop()
        for target in ways.get(value, ()):
            if target not in names:
                names[target] = name
                waiting.append((target, name))
    return names


def _is_constant(value: SSAValue, inference: Inference) -> bool:
    return not any(isinstance(leaf, _OPEN) for leaf in leaves(inference.of(value)))
