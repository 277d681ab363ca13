"""Who is told of the calls of a network, while somebody asks for it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol


class Observer(Protocol):
    """Is told of each call, and of each instance that runs one."""

    def call(self, function: Callable[[], Any]) -> Any:
        """Do a call: what `function` gives, or raises."""
        ...

    def attach(self, instance: Any, twin: Callable[..., Any]) -> None:
        """An instance is there, of this thread or another. `twin(around)` makes the
        services of the printed host once more, with `around(load)` for `load`."""
        ...

    def detach(self, instance: Any) -> None:
        """An instance is to be as it was."""
        ...

    def rows(self, count: int, decisions: Sequence[Sequence[Any]], sides: Any) -> None:
        """So many rows were computed together. `sides`, int64 [decisions, 2], says how
        often they went each way at each decision: no, yes. Of `decisions`, name, test,
        file and line."""
        ...
