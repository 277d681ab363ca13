"""Shapes, dtypes and kinds, kept up to date while a pass changes the program."""

from typing import Self

from xdsl.ir import Operation

from dycl.analysis.tensors.outcomes import Outcome
from dycl.analysis.tensors.plain_values import constant
from dycl.analysis.tensors.shapes import Inference
from dycl.ir import ConstantOp, IfOp, ScopeOp


class Revised(Inference):
    """What was inferred of a function, and of the ops that came or changed since."""

    @classmethod
    def of_inferred(cls, inference: Inference) -> Self:
        """The same facts; those that are given stay as they are."""
        result = cls(inference.environment)
        result.__dict__.update(inference.__dict__)
        result.values = dict(inference.values)
        result.outcomes = dict(inference.outcomes)
        result.settled = set(inference.settled)
        return result

    def revise(self, op: Operation) -> None:
        """Work out one op anew: a value op, or what the ends of a fork give by now.

        What is inside of a fork is as it was worked out before.
        """
        if isinstance(op, (IfOp, ScopeOp)):
            self.settled.discard(op)
            self._set_joined(op, [[self.of(v) for v in e.forwarded] for e in op.exits])
        elif isinstance(op, ConstantOp):
            value = constant(op)
            self.outcomes[op] = Outcome((value,))
            self.values[op.result] = self._or_by_type(value, op.result)
        elif op.results and not op.regions:
            self._visit_value(op)
