"""Diagnostics of `dycl-opt`: from exceptions to lines, and what a test expects.

With `--verify-diagnostics` a comment says which diagnostic must come, and where:

    // expected-error {{part of the message}}            on this line
    // expected-error@+1 {{...}}  @-2  @above  @below    on a line near it
    // expected-remark {{...}}                           a remark of a pass

Every error must be expected, and everything expected must come. A remark that
nobody expects is no failure. A diagnostic that is placed in another file, such as
the user's Python, or nowhere, satisfies an expectation on any line.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from xdsl.ir import Operation
from xdsl.utils.exceptions import DiagnosticException, ParseError

from dycl.diag import CodedError, CompileErrors, Remark, SourceLoc

_EXPECTATION = re.compile(
    r"//.*?expected-(error|warning|remark)(?:@([+-]\d+|above|below))?\s*\{\{(.*?)\}\}"
)


@dataclass(frozen=True)
class Report:
    """One diagnostic, ready to print."""

    kind: str
    """`error` or `remark`."""
    at: SourceLoc | None
    message: str
    details: tuple[str, ...] = ()
    """Lines to print below the headline."""

    def __str__(self) -> str:
        """`file:line:col: error: message`, then the details."""
        location = "dycl-opt" if self.at is None else str(self.at)
        return "\n".join([f"{location}: {self.kind}: {self.message}", *self.details])


@dataclass(frozen=True)
class Expectation:
    """One `expected-...` comment, with the line it speaks of."""

    kind: str
    line: int
    text: str


def reports_of(error: Exception, line_offset: int = 0) -> list[Report]:
    """Turn what the parser, the verifier or a pass raised into diagnostics.

    `line_offset`: lines of the file before the text that was parsed.
    TypeError: the exception is not a diagnostic.
    """
    match error:
        case CompileErrors():
            return [report for inner in error.errors for report in reports_of(inner)]
        case CodedError():
            message = f"{error.what} [{error.code}]"
            return [Report("error", error.at, message, tuple(error.details()))]
        case ParseError():
            return [_parse_report(error, line_offset)]
        case DiagnosticException():
            op = getattr(error, "op", None)
            at = SourceLoc.of(op) if isinstance(op, Operation) else None
            headline, *rest = str(error).rstrip("\n").split("\n")
            frame = [] if at is None else [at.frame()]
            return [Report("error", at, headline, (*rest, *frame))]
        case _:
            raise TypeError(f"{type(error).__name__} is not a diagnostic")


def report_of_remark(remark: Remark) -> Report:
    """A remark as a diagnostic."""
    return Report("remark", remark.at, f"{remark.what}: {remark.why}")


def expectations(text: str, line_offset: int = 0) -> list[Expectation]:
    """The `expected-...` comments of a text, which starts after `line_offset` lines."""
    result: list[Expectation] = []
    for number, line in enumerate(text.split("\n"), 1 + line_offset):
        for kind, where, wanted in _EXPECTATION.findall(line):
            shift = {"": 0, "above": -1, "below": 1}.get(where)
            line_meant = number + (int(where) if shift is None else shift)
            result.append(Expectation(kind, line_meant, wanted))
    return result


def mismatches(
    file: str, expected: Iterable[Expectation], reports: Iterable[Report]
) -> list[str]:
    """What came unexpectedly and what did not come, as lines to print."""
    missing = list(expected)
    wrong: list[str] = []
    for report in reports:
        match = next((e for e in missing if _satisfies(report, e, file)), None)
        if match is not None:
            missing.remove(match)
        elif report.kind == "error":
            location = file if report.at is None else report.at
            wrong.append(f"{location}: error: unexpected error: {report.message}")
    wrong += [
        f'{file}:{e.line}: error: expected {e.kind} "{e.text}" was not produced'
        for e in missing
    ]
    return wrong


def _satisfies(report: Report, expected: Expectation, file: str) -> bool:
    elsewhere = report.at is None or report.at.file != file
    here = elsewhere or (report.at is not None and report.at.line == expected.line)
    return report.kind == expected.kind and expected.text in report.message and here


def _parse_report(error: ParseError, line_offset: int) -> Report:
    location = error.span.get_location()
    headline, *rest = error.msg.rstrip("\n").split("\n")
    line = location.line - error.span.line_offset
    source = str(error.span.input.content).split("\n")[line - 1]
    caret = " " * (location.col - 1) + "^"
    at = SourceLoc(location.file, line + line_offset, location.col)
    return Report("error", at, headline, (source, caret, *rest))
