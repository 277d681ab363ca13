"""What a kernel allocates where sizes of its inputs are dynamic, as formulas.

    dycl.memory = "{...}"    attribute of a kernel that has been compiled

A *term* is an int, `0.2` (dimension 2 of the first input), or
`t3` (what step 3 computes). Steps are done in order. Events say in which order blocks
are made (`k`) and given back (`-1 - k`); those of results are not given back.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.dialects.func import FuncOp

MEMORY = "dycl.memory"
"""Attribute of a kernel that has been compiled: a `KernelMemory` as JSON."""

Term = int | str
_Number = TypeVar("_Number")


@dataclass
class KernelMemory:
    """What one kernel allocates."""

    steps: list[tuple[str, Term, Term]] = field(
        default_factory=list[tuple[str, Term, Term]]
    )
    """`add`, `sub`, `mul`, `div` (rounds down), `ceil` (rounds up), `mod`, `max` or
    `min`, of two terms."""
    blocks: list[Term] = field(default_factory=list[Term])
    """The bytes of each block."""
    events: list[int] = field(default_factory=list[int])
    results: list[list[Term | None]] = field(default_factory=list[list[Term | None]])
    """The sizes of each result of dynamic sizes; None: they do not follow."""
    is_whole: bool = True
    """Whether that is all that is allocated."""

    def text(self) -> str:
        """As the attribute has it."""
        plain: dict[str, Any] = {
            "steps": [list(step) for step in self.steps],
            "blocks": self.blocks,
            "events": self.events,
            "results": self.results,
            "whole": self.is_whole,
        }
        return json.dumps(plain, separators=(",", ":"))

    def values(
        self,
        sizes: Callable[[int, int], _Number],
        known: Callable[[int], _Number],
        step: Callable[[str, _Number, _Number], _Number],
    ) -> Callable[[Term], _Number]:
        """How terms are evaluated, given sizes of inputs by input and dimension, ints,
        and what a step does. KeyError: of a size nothing is known."""
        done: list[_Number] = []

        def of(term: Term) -> _Number:
            if isinstance(term, int):
                return known(term)
            if term.startswith("t"):
                return done[int(term[1:])]
            place, dimension = map(int, term.split("."))
            return sizes(place, dimension)

        for kind, one, other in self.steps:
            done.append(step(kind, of(one), of(other)))
        return of


def memories_of(module: ModuleOp) -> dict[str, KernelMemory]:
    """By kernel, what it allocates; without those that say nothing."""
    result: dict[str, KernelMemory] = {}
    for op in module.ops:
        text = op.attributes.get(MEMORY) if isinstance(op, FuncOp) else None
        if isinstance(op, FuncOp) and isinstance(text, StringAttr):
            result[op.sym_name.data] = _read(text.data)
    return result


def _read(text: str) -> KernelMemory:
    found = json.loads(text)
    return KernelMemory(
        [(kind, one, other) for kind, one, other in found["steps"]],
        *(found["blocks"], found["events"], found["results"], found["whole"]),
    )


def set_memory(kernel: FuncOp, text: str, inputs_left: Sequence[int]) -> None:
    """Note on a kernel what it allocates; it is passed `inputs_left` of its inputs."""
    found = _read(text)

    def of(term: Term) -> Term:
        if isinstance(term, int) or term.startswith("t"):
            return term
        place, dimension = map(int, term.split("."))
        return f"{inputs_left[place]}.{dimension}"

    found.steps = [(kind, of(one), of(other)) for kind, one, other in found.steps]
    found.blocks = list(map(of, found.blocks))
    found.results = [
        [None if term is None else of(term) for term in sizes]
        for sizes in found.results
    ]
    kernel.attributes[MEMORY] = StringAttr(found.text())
