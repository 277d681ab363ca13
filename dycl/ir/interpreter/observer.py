"""Whoever wants to see a run of the interpreter: each op, launch and decision."""

from collections.abc import Callable, Sequence
from typing import Protocol

from xdsl.ir import Operation

Run = Callable[[], Sequence[object]]


class Observer(Protocol):
    """Is told of everything that a run does, in order."""

    def evaluated(
        self, op: Operation, operands: Sequence[object], results: Sequence[object]
    ) -> None:
        """An op without regions was run; in a kernel too."""
        ...

    def launched(
        self, kernel: str, operands: Sequence[object], run: Run
    ) -> Sequence[object]:
        """A kernel is to be run: gives its results, those of `run()` or other ones."""
        ...

    def decided(self, op: Operation, taken: bool) -> None:
        """A `dycl.if`, or the test of a `dycl.while`, has gone one way."""
        ...


class Unobserved:
    """Nobody looks."""

    def evaluated(
        self, op: Operation, operands: Sequence[object], results: Sequence[object]
    ) -> None:
        """Nothing."""

    def launched(
        self, kernel: str, operands: Sequence[object], run: Run
    ) -> Sequence[object]:
        """What the kernel gives."""
        return run()

    def decided(self, op: Operation, taken: bool) -> None:
        """Nothing."""
