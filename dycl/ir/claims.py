"""What a kernel backend says of ops: which ones it can take, alone or several as one.

`dycl-annotate-backends` asks. A backend that lacks `cannot_take` takes every op; one
that has it may have `PATTERNS`, too, and a `key`, which is all that its answers depend
on: programs that have been divided by them are cached with it.

    key = "mine 1.0"
    PATTERNS = (Pattern("dense_relu", ("torch.aten.linear", "torch.aten.relu")),)

    def cannot_take(self, op: Operation) -> str | None: ...

One that takes kernels as a whole or not at all may have, for networks that are divided
among several backends, `refusals`: for each kernel why it does not take it, or None.

    def refusals(self, kernels: Sequence[FuncOp]) -> Sequence[str | None]: ...
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation

COMPOSITE = "dycl.composite"
"""On ops that are taken as one: the pattern's name, a colon, and a number for it."""

REGION = "dycl.region"
"""On an op of a kernel: the number of its region, in the order in which these run."""

Claims = Callable[[str], Any]
"""Name of a backend -> the backend, which may have what is described above.

PassFailed: there is none of that name, or it cannot be loaded.
"""

WhyNot = Callable[[Sequence[Operation]], str | None]
"""Why ops that have the right names cannot be taken as one; None: they can."""


def _always(ops: Sequence[Operation]) -> str | None:
    return None


@dataclass(frozen=True)
class Pattern:
    """A chain of ops that a backend takes as one.

    Each gives the first operand of the next one, and has no other user.
    """

    name: str
    ops: tuple[str, ...]
    """The names of the ops, in order."""
    why_not: WhyNot = _always

    def match(self, last: Operation) -> list[Operation]:
        """The ops, in order, of which `last` is the last one; []: it does not fit."""
        found: list[Operation] = [last]
        for name in self.ops[-2::-1]:
            if not found[-1].operands:
                return []
            value = found[-1].operands[0]
            owner = value.owner
            if not isinstance(owner, Operation) or value.has_more_than_one_use():
                return []
            if owner.name != name or len(owner.results) != 1:
                return []
            found.append(owner)
        fits = last.name == self.ops[-1] and self.why_not(found[::-1]) is None
        return found[::-1] if fits else []


def kernels_of(module: ModuleOp) -> list[FuncOp]:
    """The kernels of a module that have one block, in order."""
    return [
        op
        for op in module.body.ops
        if isinstance(op, FuncOp)
        and "dycl.kernel" in op.attributes
        and len(op.body.blocks) == 1
    ]
