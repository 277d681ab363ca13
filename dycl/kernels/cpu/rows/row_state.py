"""The rows that a row program is at: where they lie, and what is known of them."""

from dataclasses import dataclass, field
from typing import Any

from dycl.kernels.cpu import build
from dycl.kernels.cpu.loops.flat_access import FlatAccess
from dycl.kernels.cpu.loops.vector_body import vector_body
from dycl.kernels.cpu.mlir import ir
from dycl.kernels.cpu.rows.row_memory import RowMemory, moved
from dycl.kernels.cpu.rows.row_plan import LANES, Part, Plan

Values = dict[FlatAccess, Any]
"""Access -> the value that stands for what is there."""


@dataclass
class Rows:
    """Rows that are worked on side by side: one for each of `known`.

    Where lanes are rows, each of them is a vector of rows.
    """

    plan: Plan
    memory: RowMemory
    places: dict[int, Any]
    """Loop -> where it is, for the first of the rows."""
    mask: Any
    """The lanes that are rows; None: all of them are, or none."""
    known: list[Values]
    recipes: dict[FlatAccess, tuple[Part, list[Values]]] = field(
        default_factory=dict[FlatAccess, tuple[Part, list[Values]]]
    )
    """What a later pass computes once more, and from which values."""

    @property
    def count(self) -> int:
        """How many there are."""
        return len(self.known)

    @property
    def lanes(self) -> int | None:
        """The lanes of what there is once for each row; None: it is a scalar."""
        return None if self.plan.along else LANES

    def at(self, number: int, places: dict[int, Any] | None = None) -> dict[int, Any]:
        """The places of row `number`."""
        here = self.places if places is None else places
        stepped = self.plan.stepped
        if not number or stepped is None:
            return here
        offset = build.index(number * self.plan.row_step)
        return {**here, stepped: moved(here[stepped], offset)}

    def once(self, access: FlatAccess, number: int) -> Any:
        """What there is once for row `number`: known, or read now."""
        values = self.known[number]
        if access not in values:
            values[access] = self.memory.load(
                access, self.at(number), self.mask, self.lanes
            )
        return values[access]

    def narrow(self, part: Part, number: int) -> Any:
        """What a part that is no loop over elements gives for row `number`."""
        elements = [
            shapeless(part, i, self.lanes)
            if access is None
            else self.once(access, number)
            for i, access in enumerate(part.inputs)
        ]
        return computed(part, elements, self.lanes)


def computed(part: Part, elements: list[Any], lanes: int | None) -> Any:
    """What a part that does not reduce gives for these elements."""
    if part.body is None:
        (value,) = elements
        if lanes is None or isinstance(value.type, ir.VectorType):
            return value
        return build.broadcast(value, lanes)
    unused = _zero(part.output.buffer.type.element_type, lanes)
    (value,) = vector_body(part.body, [*elements, unused])
    return value


def shapeless(part: Part, number: int, lanes: int | None) -> Any:
    """An input that is no element of memory: a scalar, or nothing that is read."""
    value = part.op.operands[number]
    if isinstance(value.type, ir.MemRefType):
        return _zero(value.type.element_type, lanes)
    return value if lanes is None else build.broadcast(value, lanes)


def _zero(element: Any, lanes: int | None) -> Any:
    of = element if lanes is None else ir.VectorType.get([lanes], element)
    return build.constant(0, of)
