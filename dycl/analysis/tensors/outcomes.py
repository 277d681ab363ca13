"""The effect of one op on abstract values."""

from dataclasses import dataclass, replace

from xdsl.ir import Operation

from dycl.analysis.dynamic_sizes.neutral_names import NeutralNames
from dycl.analysis.dynamic_sizes.sizes import Attempt, Requirement
from dycl.analysis.dynamic_sizes.whole_sizes import WholeSizes
from dycl.analysis.tensors.abstract import Unknown


@dataclass(frozen=True)
class Outcome:
    """The effect of one op."""

    results: tuple[object, ...]
    """One abstract value per result of the op."""
    aliases: frozenset[tuple[int, int]] = frozenset()
    """(n-th leaf of the results, n-th leaf of the operands): they may share memory."""
    written: frozenset[int] = frozenset()
    """Leaves of the operands that the op writes to; -1: a parameter."""
    reason: str = ""
    """Why the results are unknown, if the op itself is why."""
    attempt: Attempt | None = None
    """With which sizes torch reckoned, where sizes depend on the input."""
    is_whole: bool = False
    """Whether each expression was one number there (`WholeSizes`)."""
    single: tuple[tuple[int, int], ...] = ()
    """(n-th leaf of the operands, a dimension): torch took its size for 1."""
    requires: tuple[Requirement, ...] = ()
    """What must hold of those sizes in a run."""

    def with_own(self, names: NeutralNames | WholeSizes) -> "Outcome":
        """The same of sizes that have the names of the program."""
        told = names.own_text
        attempt = self.attempt and Attempt(
            tuple((told(name), hint) for name, hint in self.attempt.hints)
        )
        requires = (replace(r, relation=told(r.relation)) for r in self.requires)
        return replace(
            self,
            results=tuple(map(names.own, self.results)),
            reason=told(self.reason),
            attempt=attempt,
            requires=tuple(requires),
        )


def unknown(op: Operation, reason: str = "") -> Outcome:
    """The outcome of an op that is not understood."""
    return Outcome((Unknown(reason),) * len(op.results), reason=reason)
