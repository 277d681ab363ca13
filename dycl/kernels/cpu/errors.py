"""From MLIR's diagnostics to sentences about a kernel and the user's line."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from dycl.diag import CompileError, SourceLoc
from dycl.kernels.cpu.mlir import TEXT_NAME, location_of, ops

_LEGALIZE = re.compile(r"failed to legalize operation 'torch\.([\w.]+)'")
_OPERATOR = re.compile(r'"torch\.operator".*?name = "torch\.([\w.]+)"')
_UNKNOWN = re.compile(r"(?:custom op|unregistered operation) 'torch\.([\w.]+)'")
_TEXT_PLACE = re.compile(rf'"{re.escape(TEXT_NAME)}":(\d+):\d+')
_INLINE_LOC = re.compile(r"loc\(.*\)\s*$")
_FUNC_NAME = re.compile(r'func\.func.*?(?:@"?([\w.$-]+)|sym_name = "([^"]+)")')


FIRST_STAGE = "linalg"
"""Where ops fail that have no lowering."""


class Refused(Exception):
    """A step of ours refuses; the message is a clause about the op at `place`."""

    def __init__(self, what: str, place: SourceLoc | None):
        """Say what is refused."""
        super().__init__(what)
        self.place = place


@dataclass(frozen=True)
class Problem:
    """Why one kernel cannot be built; `place` is the user's line."""

    kernel: str
    what: str
    place: SourceLoc | None = None
    is_bug: bool = False
    """Whether a step failed on ops that all have a lowering."""

    def __str__(self) -> str:
        """`@kernel, net.py:12:5: what`."""
        where = "" if self.place is None else f", {self.place}"
        return f"@{self.kernel}{where}: {self.what}"


def compile_error(problems: Sequence[Problem], hint: str = "") -> CompileError:
    """One error for all the problems found; its place is that of the first."""
    names = list(dict.fromkeys(problem.kernel for problem in problems))
    named = ", ".join(f"@{name}" for name in names)
    if len(problems) == 1:
        (only,) = problems
        return CompileError(
            "DY502",
            f"kernel {named} cannot be built: {only.what}",
            only.place,
            hint=hint,
        )
    noun = "kernel" if len(names) == 1 else "kernels"
    return CompileError(
        "DY502",
        f"{noun} {named} cannot be built",
        next((problem.place for problem in problems if problem.place), None),
        [str(problem) for problem in problems],
        hint,
    )


def problem_of(error: Exception, kernel: str, stage: str, module: Any) -> Problem:
    """What MLIR said while `kernel`, alone in `module`, was lowered to `stage`."""
    if isinstance(error, Refused):
        return Problem(kernel, f"torch op{_at(error.place)} {error}", error.place)
    diagnostics: list[Any] = list(getattr(error, "error_diagnostics", ()))
    if not diagnostics:
        what = f"lowering to {stage} failed: {_first_line(str(error))}"
        return Problem(kernel, what, is_bug=stage != FIRST_STAGE)
    # A failed legalisation names the op; what follows it says so less well.
    named = [d for d in diagnostics if _LEGALIZE.search(d.message)]
    first = (named or diagnostics)[0]
    place = location_of(first.location)
    if match := _LEGALIZE.search(first.message):
        name = match[1]
        if operator := _OPERATOR.search(first.message):
            name = operator[1]
        elif not name.startswith("aten.") and (left := _left_over(module)) is not None:
            # A constant cannot be legalised only because an op still uses it.
            name, place = left.name.removeprefix("torch."), location_of(left.location)
        what = f"torch op {name}{_at(place)} has no lowering for these operands"
        return Problem(kernel, what, place)
    first_line = _first_line(first.message)
    what = f"lowering to {stage} failed{_at(place)}: {first_line}"
    return Problem(kernel, what, place, is_bug=stage != FIRST_STAGE)


def parse_problem(error: Exception, text: str) -> Problem:
    """What MLIR said when it read `text`."""
    diagnostics: list[Any] = list(getattr(error, "error_diagnostics", ()))
    if not diagnostics:
        return Problem("?", f"the text cannot be read: {_first_line(str(error))}")
    first = diagnostics[0]
    place, kernel = location_of(first.location), "?"
    lines = text.splitlines()
    if match := _TEXT_PLACE.search(str(first.location)):
        # The op was not read as far as its location: look for it on its line.
        number = min(int(match[1]), len(lines))
        if inline := _INLINE_LOC.search(lines[number - 1]):
            place = location_of(inline[0])
        kernel = _kernel_above(lines, number)
    elif place is not None:
        mark = f'"{place.file}":{place.line}:{place.col}'
        number = next((n for n, line in enumerate(lines, 1) if mark in line), 0)
        kernel = _kernel_above(lines, number)
    if match := _UNKNOWN.search(first.message):
        what = f"torch op {match[1]}{_at(place)} is unknown to torch-mlir"
    else:
        what = f"the op{_at(place)} is not valid: {_first_line(first.message)}"
    return Problem(kernel, what, place)


def _left_over(module: Any) -> Any:
    """The first tensor op that has not been lowered."""
    return next(
        (op for op in ops(module.operation) if op.name.startswith("torch.aten.")), None
    )


def _at(place: SourceLoc | None) -> str:
    return "" if place is None else f" at {place.file}:{place.line}"


def _first_line(message: str) -> str:
    return next(iter(message.strip().splitlines()), "no reason given")[:300]


def _kernel_above(lines: Sequence[str], number: int) -> str:
    for line in reversed(lines[:number]):
        if match := _FUNC_NAME.search(line):
            return match[1] or match[2]
    return "?"
