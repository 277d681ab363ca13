"""The state of a network: what stays on the model's objects from call to call.

`dycl-lift-state` makes it explicit. The entry function gets the state as further
arguments, and returns `(output, (value, ...))` with the new value of each variable.
What that means is said in the attribute `dycl.state` of the function. An input that
`forward` writes to is written back as state is: `dycl-return-inputs` adds it.
"""

from dataclasses import dataclass
from typing import Literal, cast

from xdsl.ir import Attribute, Operation

from dycl.ir.values import LeafRef, ObjectRef, from_attr, to_attr

STATE = "dycl.state"
"""The attribute of the entry function, or of the host function."""

Mode = Literal["keep", "set", "grow", "refill", "write", "write contiguous"]


NO_VALUE = ObjectRef("no value")
"""What stands for the value of an attribute that has none: an object of its own."""


def kept_as_text(ref: ObjectRef) -> str:
    """What stands for a module or object in the state of a network that runs."""
    return f"@{ref.path}"


@dataclass(frozen=True)
class Variable:
    """One attribute of one object.

    Modes: "keep", a call takes its value and gives the next; "set", a call gives it
    whatever it was; "grow", it is a list, and a call gives what is added to it.

    An input that a call may write to is a variable too, behind all others: "write", a
    call gives what the caller's tensor is to hold; "write contiguous", that is known
    only where the caller's tensor is contiguous. "refill" stands in front of these: a
    call gives what a list or dict of the caller's is to hold. The name is the user's.
    """

    name: str
    """How the user reaches it from the model: `control.hidden`."""
    mode: Mode
    initial: tuple[object, ...]
    """Its value when the model was compiled, with `ParamRef`s; () if it had none."""
    given: tuple[object, ...] = ()
    """For each variant its structure: constants, and a `LeafRef` for an argument.

    Of an input, the argument alone.
    """

    @property
    def writes(self) -> bool:
        """Whether it is an input."""
        return self.mode.startswith("write")

    @property
    def refills(self) -> bool:
        """Whether it is a list or dict of the caller's."""
        return self.mode == "refill"


@dataclass(frozen=True)
class State:
    """All variables of an entry function.

    A function has several *variants* when state is of different kinds in different
    calls (None at first, a tensor later); argument `kind` is the variant's number.
    """

    inputs: int
    """How many arguments are the user's; the others are state."""
    kind: int | None
    variables: tuple[Variable, ...]

    @property
    def written(self) -> list[LeafRef]:
        """The inputs that a call may write to."""
        return [cast(LeafRef, v.given[0]) for v in self.variables if v.writes]

    @property
    def returned(self) -> bool:
        """Whether it has what is the caller's: `dycl-return-inputs` has run."""
        return any(v.writes or v.refills for v in self.variables)

    @property
    def variants(self) -> int:
        """How many there are; at least one."""
        kept = (len(v.given) for v in self.variables if not v.writes)
        return max(kept, default=1) or 1

    def to_attr(self) -> Attribute:
        """The attribute `dycl.state`."""
        rows = [(v.name, v.mode, v.initial, v.given) for v in self.variables]
        return to_attr({"inputs": self.inputs, "kind": self.kind, "variables": rows})


_Row = tuple[str, Mode, tuple[object, ...], tuple[object, ...]]


def state_of(op: Operation) -> State | None:
    """The state of an entry or host function; None: it has none."""
    attribute = op.attributes.get(STATE)
    if attribute is None:
        return None
    entries = cast("dict[str, object]", from_attr(attribute))
    rows = cast("list[_Row]", entries["variables"])
    return State(
        cast(int, entries["inputs"]),
        cast("int | None", entries["kind"]),
        tuple(Variable(*row) for row in rows),
    )
