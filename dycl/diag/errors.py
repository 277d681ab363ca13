"""The errors that leave the compiler, and how they are printed.

    error[DY302]: one side of this `if` returns a dict, the other a Tensor
      --> m.py:6:17
       |
     6 |                 return {"y": y, "x": x}
       |                 ^^^^^^^^^^^^^^^^^^^^^^^
       = note: the other side is at m.py:8:16, `return y`
       = help: return the same kind of value on every path    (dycl explain DY302)

`CompileError`: the user's model cannot be compiled. `PassFailed`: a pass was asked
for what it cannot do. `InternalError`: a bug of ours, see `dycl.diag.crash`.
The first two are xDSL diagnostics, so plain `xdsl-opt` handles them as well. What is
wrong with a model is said all at once: `CompileErrors` is a `CompileError` of several.
"""

from collections.abc import Sequence

from xdsl.ir import Operation
from xdsl.utils.exceptions import DiagnosticException, PassFailedException

from dycl.diag.html import errors_html
from dycl.diag.source import SourceLoc

_HELP_WIDTH = 65
"""Column at which `(dycl explain ...)` starts, where the help leaves room."""


class CodedError(DiagnosticException):
    """What `CompileError` and `PassFailed` share: a code, a location, notes, a remedy.

    Every code is in `dycl.diag.codes`; a test looks for those that are not.
    """

    def __init__(
        self,
        code: str,
        what: str,
        at: SourceLoc | Operation | None = None,
        notes: Sequence[str] = (),
        hint: str = "",
    ):
        """Make the error. `at` may be the op concerned."""
        self.code = code
        self.what = what
        self.op = at if isinstance(at, Operation) else None
        self.at = SourceLoc.of(at) if isinstance(at, Operation) else at
        self.notes = tuple(notes)
        self.hint = hint
        super().__init__(what)

    def __str__(self) -> str:
        """Headline, frame, notes and help, as in the head of this file."""
        return "\n".join([f"error[{self.code}]: {self.what}", *self.details()])

    def _repr_html_(self) -> str:
        """The error for notebooks: as `str`, with the source and the carets marked."""
        return errors_html([self])

    def _render_traceback_(self) -> list[str]:
        """What IPython shows where the error is not caught: the user's lines alone."""
        return [str(self)]

    def details(self) -> list[str]:
        """The lines below the headline."""
        frame = [] if self.at is None else [self.at.frame()]
        pad = " " * (2 + (len(str(self.at.line)) if self.at is not None else 1))
        notes = [f"{pad}= note: {note}" for note in self.notes]
        explain = f"(dycl explain {self.code})"
        help_line = f"{pad}= help: {self.hint}".ljust(_HELP_WIDTH - 1)
        return [*frame, *notes, *([f"{help_line} {explain}"] if self.hint else [])]


class CompileError(CodedError):
    """The user's model cannot be compiled; said in the user's terms."""

    @property
    def errors(self) -> "tuple[CompileError, ...]":
        """All that is wrong, one by one, in the order of the source."""
        return (self,)

    def __reduce__(self) -> tuple[type["CompileError"], tuple[object, ...]]:
        """As it was made, without the op: it may be raised in another process."""
        return type(self), (self.code, self.what, self.at, self.notes, self.hint)


class CompileErrors(CompileError):
    """All that is wrong with a model; code, location, remedy are those of the first."""

    def __init__(self, errors: Sequence[CompileError]):
        """Join `errors`; ValueError if there is none.

        What is said of several depths of a recursion is said once, of the first.
        """
        if not errors:
            raise ValueError("CompileErrors needs at least one error")
        self._errors = _of_first_depths(errors)
        first = self._errors[0]
        super().__init__(first.code, first.what, first.at, first.notes, first.hint)
        self.op = first.op
        if len(self._errors) > 1:
            self.args = (f"{len(self._errors)} errors",)

    @property
    def errors(self) -> tuple[CompileError, ...]:
        """Each of them, in the order of the source."""
        return self._errors

    def _repr_html_(self) -> str:
        """All of them for notebooks."""
        return errors_html(self._errors)

    def __reduce__(self) -> tuple[type[CompileError], tuple[object, ...]]:
        """Each as it was made."""
        return type(self), (self._errors,)

    def __str__(self) -> str:
        """Every error in full, then their number."""
        if len(self.errors) == 1:
            return str(self.errors[0])
        full = [*(str(error) for error in self.errors), f"{len(self.errors)} errors"]
        return "\n\n".join(full)


class PassFailed(CodedError, PassFailedException):
    """A pass was asked for something it cannot do, or a phase check failed."""

    def __init__(
        self,
        what: str,
        at: SourceLoc | Operation | None = None,
        notes: Sequence[str] = (),
        hint: str = "",
        code: str = "DY290",
    ):
        """Make the error. `at` may be the op concerned."""
        super().__init__(code, what, at, notes, hint)


class InternalError(Exception):
    """A bug of ours. `dycl.diag.crash.report_crash` makes it and its reproducer."""


def _of_first_depths(errors: Sequence[CompileError]) -> tuple[CompileError, ...]:
    """The errors, less those of deeper calls of a recursion that say the same."""
    least: dict[object, int] = {}
    for error in errors:
        key, depth, _ = _place(error)
        least[key] = min(depth, least.get(key, depth))
    result: list[CompileError] = []
    said: set[object] = set()
    for error in errors:
        key, depth, is_deep = _place(error)
        if is_deep and (depth > least[key] or key in said):
            continue
        if is_deep:
            said.add(key)
        result.append(error)
    return tuple(result)


def _place(error: CompileError) -> tuple[object, int, bool]:
    """What is said of which line, how many calls lead there, and whether one of them
    stands in a function that they have called already."""
    at, places = error.at, list[tuple[str, int, int]]()
    while at is not None:
        places.append((at.file, at.line, at.col))
        at = at.called_from
    key = error.code, error.what, *places[:1]
    return key, len(places), len({*places}) < len(places)


def in_order(errors: Sequence[CompileError]) -> list[CompileError]:
    """Errors sorted by location, files in the order in which they are found."""
    files = list(dict.fromkeys(e.at.file for e in errors if e.at is not None))

    def key(error: CompileError) -> tuple[int, int, int]:
        at = error.at
        return (-1, 0, 0) if at is None else (files.index(at.file), at.line, at.col)

    return sorted(errors, key=key)
