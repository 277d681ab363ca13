"""What leaves have become: the SSA values that stand for them after their expansion.

Before                         After
------                         -----
%y = dycl.call %relu(%x)       %y = torch.aten.relu %x : T -> T
%t = dycl.tuple(%y, %x)        %z = torch.aten.relu %y : T -> T
%a = dycl.subscript %t[%zero]  dycl.return %z
%z = dycl.call %relu(%a)
dycl.return %z

A *leaf* is a tensor or number at the end of a structure of lists, tuples and dicts
(`dycl.analysis.tensors.structures`): a constant, or the SSA value that the program had
for it before anything was changed.
"""

from dataclasses import dataclass, field
from typing import cast

from xdsl.ir import Operation, SSAValue

from dycl.analysis.dynamic_sizes.size_names import PART
from dycl.analysis.tensors.abstract import is_container, leaves
from dycl.analysis.tensors.shapes import Inference
from dycl.analysis.tensors.structures import Known, Leaf, Structures
from dycl.analysis.tracing.graph import Untraceable
from dycl.ir import UnsupportedOp
from dycl.ir.rewriting import erase, insert_before
from dycl.ir.torch import VTensorType
from dycl.ir.values import ParamRef, TensorConstant
from dycl.passes.expansion.emission import Emitter
from dycl.passes.expansion.jobs import Derived, Job
from dycl.passes.expansion.run_time_checks import UNKNOWN_SIZE
from dycl.passes.expansion.sizes import emit_dim


@dataclass
class Values:
    """The values of leaves by now, and how an op is replaced by new ones."""

    inference: Inference
    structures: Structures
    emitter: Emitter
    now: dict[Leaf, SSAValue] = field(default_factory=dict[Leaf, SSAValue])
    """What leaves have become."""

    def of(self, leaf: Leaf, op: Operation) -> SSAValue:
        """The SSA value of a leaf, as an operand in front of `op`.

        Raises Derived when the leaf comes from what was refused.
        """
        if isinstance(leaf, Known):
            if isinstance(leaf.value, ParamRef):
                return self.emitter.param(leaf.value, op.location)
            if isinstance(leaf.value, TensorConstant):
                return self.emitter.literal(leaf.value, op)
            raise Derived
        result = self.now.get(leaf)
        if result is not None:
            return result
        if isinstance(leaf, SSAValue):
            return leaf
        raise Derived

    def named(self, name: str, op: Operation) -> SSAValue:
        """The int that a name in a size stands for, in front of `op`.

        Untraceable: nothing in the program says it.
        """
        if name not in self.inference.sizes:
            raise Untraceable(UNKNOWN_SIZE)
        value, dimension = self.inference.sizes[name]
        leaf: Leaf = value
        if is_container(self.inference.of(value)):
            number, dimension = divmod(dimension, PART)
            leaf = self.structures.leaves(value)[number]
        try:
            now = self.of(leaf, op)
        except Derived:
            raise Untraceable(UNKNOWN_SIZE) from None
        if dimension < 0:
            return now
        if not isinstance(now.type, VTensorType):
            raise Untraceable(UNKNOWN_SIZE)
        return emit_dim(now, dimension, op)

    def replace(self, job: Job, results: list[object]) -> None:
        """Give the op's users `results`: trees with SSA values; erase the op."""
        for result, structure, tree in zip(
            job.op.results, job.results, results, strict=True
        ):
            # A list that is changed later is not known, and has no parts here.
            if structure is result and not isinstance(tree, SSAValue):
                continue
            for leaf, value in zip(leaves(structure), leaves(tree), strict=True):
                if isinstance(value, SSAValue):
                    self.now[cast(Leaf, leaf)] = value
            if isinstance(tree, SSAValue):
                if result.name_hint is not None and tree.name_hint is None:
                    tree.name_hint = result.name_hint
                result.replace_all_uses_with(tree)
        if not any(result.uses for result in job.op.results):
            erase(job.op)

    def rename(self, job: Job) -> None:
        """A part of a structure is used by its own name."""
        for result, structure in zip(job.op.results, job.results, strict=True):
            if is_container(structure) or isinstance(structure, Known):
                continue
            try:
                value = self.of(cast(Leaf, structure), job.op)
            except Derived:
                continue
            if value is not result:
                self.become(result, value)

    def become(self, old: SSAValue, new: SSAValue) -> None:
        """Use a value in the place of another, from now on and wherever it is used."""
        self.now[old] = new
        old.replace_all_uses_with(new)

    def refuse(self, job: Job, code: str, what: str, help: str) -> None:
        """Put a `dycl.unsupported` in the op's place, of the same types."""
        op = job.op
        for result in op.results:
            refusal = UnsupportedOp.create(
                properties=UnsupportedOp(code, what, help).properties,
                result_types=[result.type],
            )
            refusal.results[0].name_hint = result.name_hint
            insert_before(op, refusal)
            self.become(result, refusal.results[0])
        erase(op)
