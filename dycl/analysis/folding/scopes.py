"""What the ways out of a scope agree on.

%r = dycl.scope "join" -> (!torch.none) {
  dycl.if %p { dycl.leave "join" %none } else { dycl.leave "join" %none_1 }
  dycl.unreachable
}                                          %r is None
"""

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from dycl.ir import LeaveOp, ScopeOp

UNKNOWN = object()
"""Stands for a value of which nothing is known."""
_PLAIN = (type(None), bool, int, float, str)


@dataclass
class WaysOut:
    """What the scopes around a walk were given so far, by label."""

    given: dict[str, list[Sequence[object]]] = field(
        default_factory=dict[str, list[Sequence[object]]]
    )

    @contextmanager
    def of(self, op: ScopeOp) -> Generator[list[Sequence[object]]]:
        """What the leaves of a scope give while the walk is in it."""
        label, rows = op.label.data, list[Sequence[object]]()
        around = self.given.get(label)
        self.given[label] = rows
        yield rows
        if around is None:
            del self.given[label]
        else:
            self.given[label] = around

    def leave(self, op: LeaveOp, values: Sequence[object]) -> None:
        """A leave gives these; `UNKNOWN` for what is not known."""
        rows = self.given.get(op.label.data)
        if rows is not None:
            rows.append(values)


def agreed(rows: Sequence[Sequence[object]], number: int) -> object:
    """The plain value that all ways out give for a result, or `UNKNOWN`."""
    values = [row[number] for row in rows]
    first = values[0] if values else UNKNOWN
    if type(first) not in _PLAIN:
        return UNKNOWN
    return first if all(is_same(first, value) for value in values) else UNKNOWN


def is_same(a: object, b: object) -> bool:
    """Equal and of one type, so that either may stand for the other."""
    if type(a) is not type(b) or repr(a) != repr(b):
        return False
    return a == b or a is b
