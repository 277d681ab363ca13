"""One op, and what was known of it before `dycl-expand-modules` changed anything."""

from collections.abc import Callable
from dataclasses import dataclass

from xdsl.ir import Operation, SSAValue

from dycl.analysis.dynamic_sizes.slices import Step, plan
from dycl.analysis.tensors.abstract import (
    Node,
    Scalar,
    Tensor,
    Unbound,
    Unknown,
    leaves,
)
from dycl.analysis.tensors.abstract import Sequence as ListOf
from dycl.analysis.tensors.outcomes import Outcome
from dycl.analysis.tensors.shapes import Inference
from dycl.analysis.tensors.structures import Leaf, Structures
from dycl.analysis.tracing.graph import Untraceable
from dycl.ir import InvokeOp, ReturnOp, SubscriptOp
from dycl.ir.values import ParamRef
from dycl.passes.expansion.effects import Given

ValueOf = Callable[[Leaf, Operation], SSAValue]
"""The SSA value of a leaf, as an operand in front of an op; it raises Derived."""


@dataclass
class Job:
    """One op and what was known of it before the pass changed anything."""

    op: Operation
    operands: list[object]
    leaves: list[Leaf]
    outcome: Outcome | None
    results: list[object]
    """The structures of the results."""
    returned: object = None
    """The structure of a returned value."""

    @staticmethod
    def of(op: Operation, inference: Inference, structures: Structures) -> "Job":
        """All that is known of one op."""
        return Job(
            op,
            [inference.of(v) for v in op.operands],
            [leaf for v in op.operands for leaf in structures.leaves(v)],
            inference.outcomes.get(op),
            [structures.of(v) for v in op.results],
            structures.of(op.operands[0])
            if isinstance(op, ReturnOp) and len(op.operands) == 1
            else None,
        )

    @property
    def given(self) -> list[Given]:
        """The operands one by one, each with its leaves."""
        rest = iter(self.leaves)
        return [
            Given(operand, [next(rest) for _ in leaves(operand)])
            for operand in self.operands
        ]

    @property
    def is_derived(self) -> bool:
        """Whether an operand comes from what is refused itself."""
        return any(
            isinstance(leaf, (Unknown, Unbound)) for leaf in self.abstract_leaves
        )

    @property
    def is_known(self) -> bool:
        """Whether nothing about the results depends on the input."""
        assert self.outcome is not None
        return not any(
            isinstance(leaf, (Tensor, Scalar, ListOf, Node, Unknown, Unbound))
            for tree in self.outcome.results
            for leaf in leaves(tree)
        )

    @property
    def asks_text(self) -> bool:
        """Whether a method of a text that is known gives a text, a number or a bool."""
        assert self.outcome is not None
        is_plain = all(isinstance(result, str | int) for result in self.outcome.results)
        is_method = isinstance(self.op, InvokeOp)
        return is_method and is_plain and isinstance(self.operands[0], str)

    @property
    def has_tensor(self) -> bool:
        """Whether an operand or a result is or holds a tensor."""
        assert self.outcome is not None
        return any(
            isinstance(leaf, (Tensor, ParamRef))
            for tree in (*self.operands, *self.outcome.results)
            for leaf in leaves(tree)
        )

    @property
    def abstract_leaves(self) -> list[object]:
        """What is known of each of the `leaves`."""
        return [leaf for tree in self.operands for leaf in leaves(tree)]

    @property
    def slices(self) -> list[Step] | None:
        """The steps of a subscript that the analysis has taken for open slices."""
        match self.op, self.operands:
            case SubscriptOp(), [Tensor() as tensor, index] if self.outcome is not None:
                is_open = self.outcome.attempt is None
                return plan(tensor, index) if is_open else None
            case _:
                return None

    @property
    def pairs(self) -> list[tuple[SSAValue, Leaf]]:
        """The operands of an op on plain values, each with its one leaf."""
        if len(self.leaves) != len(self.op.operands):
            raise Untraceable("this cannot be done with a list of unknown length")
        return list(zip(self.op.operands, self.leaves, strict=True))


class Derived(Exception):
    """The value comes from what was refused, or is not worked out."""
