"""The two runs by the interpreter: with compiled kernels, and as it should be."""

import contextlib
import io
import math
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from dycl.checking.exposing import ExposedKernels
from dycl.checking.kernels import CompiledKernels
from dycl.checking.program import Program, short
from dycl.checking.values import Error, measure
from dycl.checking.watching import Decided, Watch, compares
from dycl.ir.interpreter import (
    Interpreter,
    InterpreterError,
    Run,
    UnsupportedReached,
)
from dycl.ir.not_evaluated import NotEvaluated

NOT_RUN = (InterpreterError, NotEvaluated, UnsupportedReached)
"""What the interpreter raises where it, and not the program, is at fault."""


@dataclass(frozen=True)
class Launch:
    """One launch of a kernel, compiled against interpreted."""

    index: int
    """Which launch of the run it is, from 0."""
    kernel: str
    place: str
    """Where the user wrote its first op, `file:line`; "": it is not known."""
    lines: tuple[str, ...]
    """All lines of the user's that it computes."""
    result: int
    """Which of its results has the largest error."""
    own: Error
    """The error that it makes itself: both are given the same inputs."""
    whole: Error | None
    """The error in the network's own run, with that of all kernels before. None: there
    the paths have parted."""
    drifts: bool
    """Whether its own error is more than rounding explains."""
    frame: str = field(default="", compare=False)
    """The line with a caret, where the file is at hand."""

    def __str__(self) -> str:
        """`launch 3, forward_head (net.py:12): error ...`."""
        where = f" ({self.place})" if self.place else ""
        return f"launch {self.index}, {self.kernel}{where}: {self.own}"


@dataclass
class Outcome:
    """How a run ended: with a value, or with what the program raised."""

    value: Any = None
    error: Exception | None = None
    decisions: Sequence[Decided] = ()
    state: Mapping[str, object] = field(default_factory=dict[str, object])


class CompiledRun(Watch):
    """The network's run: kernels are the compiled ones, each given what it is there."""

    def __init__(
        self, program: Program, kernels: CompiledKernels, exposed: ExposedKernels
    ):
        """`exposed`: of some kernels, copies that tell what they compare."""
        super().__init__(program.functions)
        self._compiled = kernels
        self._exposed = exposed
        self.launches: list[tuple[str, list[Any]]] = []
        """Kernel and results of each launch."""

    def compute(
        self, kernel: str, operands: Sequence[object], run: Run
    ) -> Sequence[object]:
        """The results of the compiled kernel."""
        results = self._compiled.run(kernel, operands, self.params)
        if compares(self.kernels[kernel]):
            self._look(kernel, operands, results, run)
        self.launches.append((kernel, [result.clone() for result in results]))
        return results

    def _look(
        self, kernel: str, operands: Sequence[Any], results: Sequence[Any], run: Run
    ) -> None:
        """See what a kernel compares: exactly, or else of the inputs that it has."""
        if kernel in self._exposed:
            seen = self._exposed.seen(kernel, operands, self.params, results)
            for op, values in seen or ():
                self.evaluated(op, values, ())
            if seen is not None:
                return
        run()


class ReferenceRun(Watch):
    """The right run: kernels are interpreted, and compiled ones compared with them."""

    def __init__(
        self,
        program: Program,
        kernels: CompiledKernels,
        others: Sequence[tuple[str, list[Any]]],
        tolerance: float | None,
    ):
        """`others`: the launches of the network's own run."""
        super().__init__(program.functions)
        self._program = program
        self._compiled = kernels
        self._others = others
        self._tolerance = tolerance
        self.launches: list[Launch] = []

    def compute(
        self, kernel: str, operands: Sequence[object], run: Run
    ) -> Sequence[object]:
        """The results of the interpreter."""
        results = [_as_tensor(result) for result in run()]
        actual = self._compiled.run(kernel, operands, self.params)
        index = len(self.launches)
        result, own = _largest(actual, results)
        whole = None
        if index < len(self._others) and self._others[index][0] == kernel:
            whole = _largest(self._others[index][1], results)[1]
        else:
            self._others = ()
        drifts = not own.within(self._tolerance) and not self._is_rounding(
            kernel, operands, result, actual[result], results[result]
        )
        place = self._program.place(kernel)
        self.launches.append(
            Launch(
                index,
                kernel,
                "" if place is None else f"{short(place.file)}:{place.line}",
                self._program.lines(kernel),
                result,
                own,
                whole,
                drifts,
                "" if place is None else place.frame(),
            )
        )
        return results

    def _is_rounding(
        self, kernel: str, operands: Sequence[Any], number: int, actual: Any, right: Any
    ) -> bool:
        """Whether torch's own result is about as far from that of float64."""
        if not right.is_floating_point():
            return False
        wide = [_doubled(operand) for operand in operands]
        try:
            found: Any = Interpreter(self._program.module, {}).run(wide, kernel).value
        except Exception:
            return False  # An op that has no float64 here: the error stands.
        results: Any = found if isinstance(found, tuple) else (found,)
        exact = _as_tensor(results[number])
        if exact.shape != right.shape:
            return False
        mine = measure(actual.double(), exact.double())
        own = measure(right.double(), exact.double())
        return mine.relative <= 2 * own.relative


def run_watched(
    program: Program,
    weights: Mapping[str, Any],
    watch: Watch,
    inputs: Sequence[Any],
    state: Mapping[str, object] | None,
) -> Outcome:
    """One run by the interpreter; what the program prints is not printed again.

    Raises what is in NOT_RUN: the interpreter cannot run the program.
    """
    import torch

    interpreter = Interpreter(program.module, weights, watch)
    outcome = Outcome(decisions=watch.decisions)
    own = [v.clone() if hasattr(v, "clone") else v for v in inputs]
    with torch.no_grad(), _silence():
        try:
            result = interpreter.run(own, program.entry, state)
        except NOT_RUN:
            raise
        except Exception as error:
            outcome.error = error
        else:
            outcome.value, outcome.state = result.value, result.state
    return outcome


@contextlib.contextmanager
def _silence() -> Generator[None]:
    with (
        contextlib.redirect_stdout(io.StringIO()),
        contextlib.redirect_stderr(io.StringIO()),
    ):
        yield


def _largest(actual: Sequence[Any], expected: Sequence[Any]) -> tuple[int, Error]:
    """The result with the largest error, and that."""
    errors = [_error(*pair) for pair in zip(actual, expected, strict=True)]
    if not errors:
        return 0, Error(0.0, 0.0, 0.0)
    number = max(range(len(errors)), key=lambda i: errors[i].relative)
    return number, errors[number]


def _error(actual: Any, expected: Any) -> Error:
    if actual.shape != expected.shape or actual.dtype != expected.dtype:
        dtype = str(expected.dtype).removeprefix("torch.")
        return Error(math.inf, math.inf, math.inf, math.nan, math.nan, (), dtype)
    return measure(actual, expected)


def _as_tensor(result: Any) -> Any:
    import torch

    return result if isinstance(result, torch.Tensor) else torch.tensor(result)


def _doubled(value: Any) -> Any:
    is_float = hasattr(value, "is_floating_point") and value.is_floating_point()
    return value.double() if is_float else value
