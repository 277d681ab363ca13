"""Tensors that launches hand to one another, which are copied where one is on a GPU and
the other is not.

What joins forward is one tensor under several names. The host has what it is given,
reads, returns or puts into lists; weights and constants are wherever they are needed.
"""

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from math import prod

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, SSAValue

import dycl.ir as d
from dycl.ir.interfaces import edges
from dycl.ir.torch import VTensorLiteralOp, VTensorType
from dycl.ir.walking import walk
from dycl.support.disjoint import DisjointSets


@dataclass
class Passed:
    """A tensor, who makes it, and who has it then."""

    nbytes: int
    makers: list[d.LaunchOp] = field(default_factory=list[d.LaunchOp])
    """The launches that give it; none: the host does."""
    users: list[d.LaunchOp] = field(default_factory=list[d.LaunchOp])
    host_makes: bool = False
    host_uses: bool = False

    def copies(self, runs: Mapping[d.LaunchOp, float]) -> float:
        """How often a call copies it, at most as often as it is made: for each launch,
        unless one before it in the same block, or around it, has a copy already."""
        made = sum(runs.get(launch, 0.0) for launch in self.makers)
        most = made if made and not self.host_makes else math.inf
        if not self.users:
            return min(1.0, most)
        there, count = set[Block | None](), 0.0
        for launch in self.users:
            if there.isdisjoint(_blocks_around(launch)):
                count += min(runs.get(launch, 0.0), most)
            there.add(launch.parent)
        return count


def passed_tensors(module: ModuleOp) -> list[Passed]:
    """The tensors of a program that a launch takes or gives, in order."""
    names = DisjointSets[SSAValue]()
    for op in walk(module):
        for one, other in _one_tensor(op):
            names.join(one, other)
    found: dict[SSAValue, Passed] = {}

    def of(value: SSAValue) -> Passed | None:
        if not isinstance(value.type, VTensorType) or is_everywhere(value):
            return None
        root = names.find(value)
        return found.setdefault(root, Passed(_nbytes(value.type)))

    for function in module.body.ops:
        if "dycl.kernel" in function.attributes:
            continue
        for op in walk(function):
            _look(op, of)
    return [p for p in found.values() if p.makers or p.users]


def _look(op: Operation, find: Callable[[SSAValue], Passed | None]) -> None:
    forwarded = {id(one) for one, _ in _one_tensor(op)}
    made = {id(other) for _, other in _one_tensor(op)}
    for value in op.operands:
        if (passed := find(value)) is not None and id(value) not in forwarded:
            if isinstance(op, d.LaunchOp):
                passed.users.append(op)
            else:
                passed.host_uses = True
    arguments = [a for r in op.regions for b in r.blocks for a in b.args]
    for value in (*op.results, *arguments):
        if (passed := find(value)) is not None and id(value) not in made:
            if isinstance(op, d.LaunchOp):
                passed.makers.append(op)
            elif not isinstance(op, d.IfOp | d.ScopeOp | d.WhileOp):
                passed.host_makes = True


def _one_tensor(op: Operation) -> list[tuple[SSAValue, SSAValue]]:
    if isinstance(op, d.ViewOp | d.CastOp):
        return [(op.operand, op.result)]
    return list(edges(op))


def _blocks_around(op: Operation) -> Iterator[Block]:
    around: Operation | None = op
    while around is not None and around.parent is not None:
        yield around.parent
        around = around.parent_op()


def is_everywhere(value: SSAValue) -> bool:
    """Whether a tensor is the same in all runs, so that it is copied once at most."""
    owner = value.owner
    if isinstance(owner, d.ViewOp):
        return is_everywhere(owner.operand)
    return isinstance(owner, d.ParamOp | d.ConstantOp | VTensorLiteralOp)


def _nbytes(tensor: VTensorType) -> int:
    """About how many: most elements are of f32."""
    return 4 * prod(max(size, 1) for size in tensor.sizes() or ())
