"""Where the nodes of an exported program come from: the user's lines.

`torch.export` keeps a stack trace as text with each node. Its last frame that is
neither torch's own nor of code that torch has generated is the user's. A node without
one is given the place of the node before it, or of the node that its graph belongs to.
"""

import ast
import linecache
import os
import re
from functools import lru_cache
from typing import Any

from xdsl.dialects.builtin import FileLineColLoc, IntAttr, StringAttr

from dycl.frontend.source import shown_path

NOWHERE = FileLineColLoc(StringAttr("exported program"), IntAttr(1), IntAttr(1))
"""The location of a program whose first nodes have none."""

_FRAME = re.compile(r'^ *File "(?P<file>[^"]*)", line (?P<line>\d+), in ', re.MULTILINE)
_TORCH = re.compile(r"(?:^|[\\/](?:site|dist)-packages[\\/])torch[\\/]")


def location_of(node: Any, otherwise: FileLineColLoc) -> FileLineColLoc:
    """The user's location of an fx node."""
    trace: str = node.meta.get("stack_trace") or ""
    frames = list(_FRAME.finditer(trace))
    frame = next((f for f in reversed(frames) if _is_users(f["file"])), None)
    if frame is None:
        return otherwise
    file, line = frame["file"], int(frame["line"])
    column = _column(file, line, trace[frame.end() :])
    return FileLineColLoc(StringAttr(shown_path(file)), IntAttr(line), IntAttr(column))


def predicate(location: FileLineColLoc, function: str, is_function: bool) -> str:
    """The first argument of the only call of `function` in a line, or "".

    `is_function`: it is one, to be shown as called; a lambda as what it gives.
    """
    line = location.line.data
    lines = [
        call.args[0]
        for call in _calls(location.filename.data)
        if call.lineno <= line <= (call.end_lineno or line)
        and call.args
        and _last_name(call.func) == function
    ]
    starts = [a for a in lines if a.lineno == max(f.lineno for f in lines)]
    if len(starts) != 1:
        return ""
    argument = starts[0]
    if isinstance(argument, ast.Lambda):
        return ast.unparse(argument.body)
    return ast.unparse(argument) + ("(...)" if is_function else "")


def _is_users(file: str) -> bool:
    import torch

    own = os.path.dirname(torch.__file__) + os.sep
    return not (file.startswith(("<", own)) or _TORCH.search(file))


def _column(file: str, line: int, rest: str) -> int:
    """From the carets below the frame, if there are any; else where the line starts."""
    text = linecache.getline(file, line)
    indent = len(text) - len(text.lstrip())
    shown = rest.splitlines()[2:3]
    if text and shown and "^" in shown[0] and not shown[0].strip(" ^~"):
        return indent + shown[0].index("^") - 4 + 1
    return indent + 1


@lru_cache(maxsize=32)
def _calls(file: str) -> tuple[ast.Call, ...]:
    try:
        tree = ast.parse("".join(linecache.getlines(file)))
    except (SyntaxError, ValueError):
        return ()
    return tuple(node for node in ast.walk(tree) if isinstance(node, ast.Call))


def _last_name(function: ast.expr) -> str:
    match function:
        case ast.Name(name) | ast.Attribute(attr=name):
            return name
        case _:
            return ""
