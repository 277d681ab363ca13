"""Failures that no check foresaw, as refusals of what the user wrote.

What fails at an op, or at a node of the user's source, fails for a line of theirs: that
line is named, with what went wrong as a note. Only a failure without such a line is an
internal error.
"""

import ast
from collections.abc import Iterator
from types import TracebackType
from typing import Any, cast

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from dycl.diag import CompileError, CompileErrors, PassFailed, SourceLoc

_CODE = "DY209"
_HINT = "write it another way; DyCL should have refused it earlier"


def refusal(failure: Exception, *notes: str) -> CompileErrors | None:
    """The refusal of what a failure is about; None: no line of the user's is."""
    is_finding = isinstance(failure, PassFailed)
    at = failure.at if is_finding else _location(failure.__traceback__)
    if at is None:
        return None
    what = f"`{text}` cannot be compiled" if (text := at.text()) else "this cannot be"
    why = failure.what if is_finding else f"{type(failure).__name__}: {failure}"
    causes = (why.splitlines()[0], *notes)
    return CompileErrors([CompileError(_CODE, what, at, causes, _HINT)])


def _location(trace: TracebackType | None) -> SourceLoc | None:
    """What the innermost function that works at a location of the user's works at."""
    frames: list[dict[str, Any]] = []
    while trace is not None:
        frames.append(trace.tb_frame.f_locals)
        trace = trace.tb_next
    return next((at for frame in reversed(frames) for at in _places(frame)), None)


def _places(names: dict[str, Any]) -> Iterator[SourceLoc]:
    """The op that is called `op` first: loops over others go on from there."""
    values = [names[name] for name in ("op", "node") if name in names]
    for value in [*values, *names.values()]:
        at: SourceLoc | None = None
        if isinstance(value, Operation) and not isinstance(value, ModuleOp):
            at = SourceLoc.of(value)
        elif isinstance(value, (ast.expr, ast.stmt)):
            at = _of_node(value, names)
        if at is not None:
            yield at


def _of_node(node: ast.AST, names: dict[str, Any]) -> SourceLoc | None:
    """Where a node is, if the function that looks at it knows the source."""
    for value in names.values():
        locate = getattr(getattr(value, "source", None), "location", None)
        if callable(locate):
            return SourceLoc.from_attr(cast(Any, locate)(node))
    return None
