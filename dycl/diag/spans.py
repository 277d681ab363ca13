"""Where the Python expression that starts at a line and column ends.

An IR location has no end column, so the frame finds it by reading the user's file
once more. The result serves display only; nothing is compiled from it.
"""

import ast
import linecache
from functools import lru_cache


def end_column(file: str, line: int, col: int) -> int | None:
    """One past the last column of what starts at `line`:`col`, or None.

    The widest expression counts; where none starts, the statement: whole if it is
    simple, its header if it is compound. What goes on over several lines ends, for
    display, with its first line. None if `file` is not Python or nothing starts there.
    """
    lines = linecache.getlines(file)
    if not 0 < line <= len(lines):
        return None
    return _spans("".join(lines)).get((line, col))


@lru_cache(maxsize=32)
def _spans(source: str) -> dict[tuple[int, int], int]:
    """Map (line, column) to the end column for every node of a Python file."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return {}
    lines = source.splitlines()
    statements: dict[tuple[int, int], int] = {}
    expressions: dict[tuple[int, int], int] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.stmt):
            spans, last = statements, _header_end(node)
        elif isinstance(node, ast.expr):
            spans, last = expressions, _end(node)
        else:
            continue
        text = lines[node.lineno - 1]
        start = node.lineno, _characters(text, node.col_offset)
        end = _characters(text, last[1]) if last[0] == node.lineno else _stripped(text)
        spans[start] = max(spans.get(start, 0), end)
    return statements | expressions


def _end(node: ast.expr | ast.stmt) -> tuple[int, int]:
    return node.end_lineno or node.lineno, node.end_col_offset or node.col_offset


def _header_end(node: ast.stmt) -> tuple[int, int]:
    match node:
        case ast.If() | ast.While():
            return _end(node.test)
        case ast.For() | ast.AsyncFor():
            return _end(node.iter)
        case ast.With() | ast.AsyncWith():
            return _end(node.items[-1].optional_vars or node.items[-1].context_expr)
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef() | ast.Try():
            return node.lineno + 1, 0  # to the end of the line with `def`
        case _:
            return _end(node)


def _characters(text: str, utf8_offset: int) -> int:
    """The column, from 1, of a byte offset as the `ast` module counts it."""
    return len(text.encode()[:utf8_offset].decode(errors="replace")) + 1


def _stripped(text: str) -> int:
    return len(text.split("  #")[0].rstrip(" \t:")) + 1
