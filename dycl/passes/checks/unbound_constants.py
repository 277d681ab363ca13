"""Reads of names that are a constant on some paths, and have no value on others.

if p: n = 4                     n is 4 here, or eager raises UnboundLocalError.
y = x * n

`dycl-check-typed` refuses reads of names that may have no value. A constant stands in
the place of what reads it by then, and in that of `len(l)` and `t.shape`, so these
reads are looked for before; and those of a list, in whose place what it has become may
stand. What a loop hands on is left out: whether it was gone through is not known here.
"""

from collections.abc import Iterator

from xdsl.dialects.builtin import ModuleOp
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
from dycl.ir.environment import Environment
from dycl.ir.functions import entry_function
from dycl.ir.interfaces import RegionTerminator, edges
from dycl.ir.walking import walk

_OPEN = (Scalar, Sequence, Tensor, Unbound, Unknown)


def unbound_constants(
    entry: FuncOp, inference: Inference
) -> Iterator[tuple[Operation, str]]:
    """The ops that read such a name, and the name, in order."""
    for op, value, name in unbound_reads(entry, inference.environment):
        read = [value, *op.results]
        if any(_is_constant(one, inference) for one in read):
            yield op, name


def unbound_reads(
    entry: FuncOp, environment: Environment
) -> Iterator[tuple[Operation, SSAValue, str]]:
    """The ops that read a name which may have no value: its value, and the name.

    To hand a name on to what is behind an op is no read.
    """
    names = _names(entry)
    found = [
        (op, index, value)
        for op in (walk(entry) if names else ())
        if not (isinstance(op, RegionTerminator) and op.target is not None)
        for index, value in enumerate(op.operands)
        if value in names
    ]
    if not found:
        return
    bound = bound_reads(entry.body.block, environment)
    for op, index, value in found:
        if (op, index) not in bound:
            yield op, value, names[value]


def raising_reads(module: ModuleOp) -> frozenset[Operation]:
    """The ops that read a name without a value, on some path, and all ops that compute
    with what they give: no constant may stand in their place, as the reads raise."""
    entry = entry_function(module)
    if entry is None:
        return frozenset()
    found = {op: None for op, _, _ in unbound_reads(entry, Environment(module))}
    waiting = list(found)
    while waiting:
        for result in waiting.pop().results:
            users = [use.operation for use in result.uses]
            new = [op for op in users if op.results and op not in found]
            found.update(dict.fromkeys(new))
            waiting += new
    return frozenset(found)


def _names(entry: FuncOp) -> dict[SSAValue, str]:
    """Results of branches that may have no value, by the name that they are of."""
    waiting: list[tuple[SSAValue, str]] = [
        (op.result, op.variable.data)
        for op in walk(entry)
        if type(op) is UnboundOp and op.variable.data
    ]
    ways: dict[SSAValue, list[SSAValue]] = {}
    for op in walk(entry) if waiting else ():
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
