"""How a block ends: where control goes next, and with which values."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from xdsl.ir import Attribute, Operation, SSAValue

Values = Sequence[object]
Env = dict[SSAValue, object]
"""The values of one run of a function, by name; nested regions share it."""


@dataclass(frozen=True)
class Unbound:
    """A local name without a value; it may be handed on, but not read."""

    variable: str


@dataclass(frozen=True)
class Yield:
    """To the op that owns the region."""

    values: Values


@dataclass(frozen=True)
class Return:
    """Out of the function."""

    values: Values
    structure: Attribute | None = field(default=None)


@dataclass(frozen=True)
class Break:
    """Out of the nearest loop."""

    values: Values


@dataclass(frozen=True)
class Continue:
    """To the nearest loop's next iteration."""

    values: Values


@dataclass(frozen=True)
class Condition:
    """From a while's first region: go on or not."""

    go_on: bool
    values: Values


@dataclass(frozen=True)
class Leave:
    """Out of the nearest scope of this label."""

    label: str
    values: Values


Signal = Yield | Return | Break | Continue | Condition | Leave


class InterpreterError(Exception):
    """The IR cannot be run: a bug of ours, or text that says nothing sensible."""


class UnsupportedReached(Exception):
    """The run reached Python that DyCL refuses (`dycl.unsupported`)."""

    def __init__(self, code: str, what: str, help: str, op: Operation):
        """Say what is refused and what to do instead."""
        self.code = code
        self.what = what
        self.help = help
        self.op = op
        super().__init__(f"[{code}] {what}; {help}" if help else f"[{code}] {what}")
