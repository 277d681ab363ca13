"""Ops on numbers that say themselves what they compute, to whoever asks.

The interpreter, constant propagation, shape inference, the rules of the host and both
printers know `ScalarOp` and none of its subclasses.
"""

from collections.abc import Sequence
from typing import Any

from xdsl.irdl import traits_def

from dycl.ir.dialect.syntax import PlainOp, RunsOnHost


class ScalarOp(PlainOp):
    """An op that runs on the host, from numbers to one number.

    It depends on nothing but its operands and keeps none of them. A subclass that never
    raises adds the trait `Pure`; another stays where the user wrote it. One that raises
    raises what its Python text does.
    """

    traits = traits_def(RunsOnHost())

    @property
    def spelling(self) -> str:
        """What messages call the op."""
        return f"`{self.name}`"

    def evaluate(self, *operands: Any) -> object:
        """The result for these Python numbers; raises what Python raises."""
        raise NotImplementedError

    def python_text(self, operands: Sequence[str]) -> str:
        """The result as a Python expression, without imports; `operands` are atoms.

        host.py holds it, and a host in C that has no lines for the op asks Python with
        it: it must compute what `evaluate` does.
        """
        raise NotImplementedError
