"""How a block ends: where control goes next, and with which values."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from xdsl.ir import Attribute, Operation, SSAValue

from dycl.ir.interfaces import RegionBranchOp, RegionTerminator

Values = Sequence[object]
Env = dict[SSAValue, object]
"""The values of one run of a function, by name; nested regions share it."""


@dataclass(frozen=True)
class Unbound:
    """A local name without a value; it may be handed on, but not read."""

    variable: str


@dataclass(frozen=True)
class Return:
    """Out of the function."""

    values: Values
    structure: Attribute | None = field(default=None)


@dataclass(frozen=True)
class Jump:
    """To an op around, with the values that the terminator forwards."""

    target: RegionBranchOp
    end: RegionTerminator
    values: Values
    goes_on: bool = True
    """Of a while's first region: whether the body is run."""


Signal = Return | Jump


class InterpreterError(Exception):
    """The IR cannot be run: a bug of ours, or text that says nothing sensible."""


class NotReached(InterpreterError):
    """A place that no path leads to was reached, or the end of what guards a body."""


class RaisedAgain(Exception):
    """A handler raises what it has caught."""


class UnsupportedReached(Exception):
    """The run reached Python that DyCL refuses (`dycl.unsupported`)."""

    def __init__(self, code: str, what: str, help: str, op: Operation):
        """Say what is refused and what to do instead."""
        self.code = code
        self.what = what
        self.help = help
        self.op = op
        super().__init__(f"[{code}] {what}; {help}" if help else f"[{code}] {what}")
