"""Which node of a file's text a function was compiled from.

The text may be younger than the function: a file that was edited after its import, a
cell that was run again. So the text is compiled, and a node counts only if its code is
the function's: the same instructions, constants and names, in functions inside too.
Only lines may differ: a comment above moves a function, and changes nothing.

Where an import hook makes code of its own (of a type checker, say), it compiles the
text here as well. pytest's hook, and tools that count lines, cannot be asked: they add
to what a function holds, so nothing of the text's may be missing.
"""

import __future__

import ast
import dis
import linecache
import sys
import warnings
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.machinery import SourceFileLoader
from types import CodeType
from typing import Any

from dycl.frontend.mangling import has_private_names, mangle

Function = ast.FunctionDef | ast.Lambda
_Codes = dict[str, list[CodeType]]
"""The functions of a text by full name."""
_FEATURES = [getattr(__future__, name) for name in __future__.all_feature_names]
_FUTURE = sum({f.compiler_flag for f in _FEATURES if f.compiler_flag > 0xFFFF})
"""The bits of `co_flags` for `from __future__ import ...`, which a cell inherits."""
_NOTHING = bytes([dis.opmap["NOP"], 0])
_LEVELS = (-1, 0, 1, 2)
"""Levels of optimisation, that of this process first."""


class SourceChanged(Exception):
    """The text of a function is not the one that it was compiled from."""


def definition(function: Any) -> Function | None:
    """The node of a plain function, with positions as in its text.

    None: there is no text. Raises SourceChanged where there is, but of something else.
    """
    code: CodeType = function.__code__
    for is_last in (False, True):
        text = "".join(linecache.getlines(code.co_filename))
        nodes = _nodes(text) if text else None
        if nodes is None:
            return None
        written = _written(function, text)
        if written is not None:
            node = nodes.get((written.co_name, written.co_firstlineno), [])
            return _defined_by(written, node)
        if not is_last:
            linecache.checkcache(code.co_filename)
    raise SourceChanged(function.__qualname__)


def named_alike(code: CodeType) -> Function | None:
    """The function of the same name that is nearest in the text of now."""
    text = "".join(linecache.getlines(code.co_filename))
    nodes = (_nodes(text) or {}).items()
    lines = {
        abs(line - code.co_firstlineno): v
        for (n, line), v in nodes
        if n == code.co_name
    }
    return lines[min(lines)][0] if lines else None


@cache
def _nodes(text: str) -> dict[tuple[str, int], list[Function]] | None:
    """The functions of a file, by name and first line; None: it is no Python."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return None
    result: dict[tuple[str, int], list[Function]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
            result[node.name, first] = [node]
        elif isinstance(node, ast.Lambda):
            result.setdefault(("<lambda>", node.lineno), []).append(node)
    if has_private_names(text):
        mangle(tree)  # code objects keep the names of functions as they are written
    return result


def _written(function: Any, text: str) -> CodeType | None:
    """The function in the text that has the code of another one; None: there is none.

    Of several equal ones the one at the same place is taken, or the first.
    """
    code: CodeType = function.__code__
    flags = code.co_flags & _FUTURE
    for level in _LEVELS:
        result = _equal(code, _compiled(text, flags, level))
        if result is not None:
            return result
    loader = _loader(function)
    if loader is None:
        return None
    result = _equal(code, _by_loader(text, code.co_filename, loader))
    if result is not None:
        return result
    plain = _compiled(text, flags, -1).get(code.co_qualname, [])
    here = [c for c in plain if c.co_firstlineno == code.co_firstlineno]
    return next((c for c in here if _holds(code, c)), None)


def _equal(code: CodeType, codes: _Codes) -> CodeType | None:
    wanted = _unplaced(code)
    matches = [c for c in codes.get(code.co_qualname, []) if _unplaced(c) == wanted]
    return min(matches, key=lambda c: _distance(c, code), default=None)


def _loader(function: Any) -> Any:
    """What imported the function's module, if it may have written other code."""
    module = sys.modules.get(function.__module__ or "")
    spec = getattr(module, "__spec__", None)
    if getattr(module, "__file__", None) != function.__code__.co_filename:
        return None
    loader = getattr(spec, "loader", None)
    return None if type(loader) is SourceFileLoader else loader


@cache
def _compiled(text: str, flags: int, level: int) -> _Codes:
    """The code of all functions of a text, as `compile` makes it."""
    try:
        with warnings.catch_warnings(action="ignore"):
            whole = compile(text, "<text>", "exec", flags, True, level)
    except (SyntaxError, ValueError):
        return {}
    return _by_name(whole)


@cache
def _by_loader(text: str, file: str, loader: Any) -> _Codes:
    """The same, as an import hook makes it."""
    try:
        return _by_name(loader.source_to_code(text.encode(), file))
    except Exception:  # a hook of others, which may need more than a text
        return {}


def _by_name(whole: CodeType) -> _Codes:
    result: _Codes = {}
    for code in _inside(whole):
        result.setdefault(code.co_qualname, []).append(code)
    return result


def _inside(code: CodeType) -> Iterator[CodeType]:
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield constant
            yield from _inside(constant)


def _unplaced(code: CodeType) -> CodeType:
    """Code without its lines, and without what a profiler appends."""
    instructions = code.co_code
    while instructions.endswith(_NOTHING):
        instructions = instructions[: -len(_NOTHING)]
    constants = [_unplaced(c) if isinstance(c, CodeType) else c for c in code.co_consts]
    return code.replace(
        co_code=instructions,
        co_consts=tuple(constants),
        co_filename="",
        co_firstlineno=1,
        co_linetable=b"",
    )


def _distance(one: CodeType, other: CodeType) -> tuple[bool, int]:
    """How far apart two functions are; several lambdas may share a line."""
    lines = abs(one.co_firstlineno - other.co_firstlineno)
    return (one.co_linetable != other.co_linetable, lines)


def _holds(code: CodeType, written: CodeType) -> bool:
    """Whether code has the parameters, names and constants of another one."""
    count = written.co_argcount + written.co_kwonlyargcount
    return (
        code.co_varnames[:count] == written.co_varnames[:count]
        and set(code.co_varnames) >= set(written.co_varnames)
        and set(code.co_names) >= set(written.co_names)
        and _constants(code) >= _constants(written)
    )


def _constants(code: CodeType) -> set[tuple[str, str]]:
    return {
        (type(value).__name__, repr(value))
        for value in code.co_consts
        if not isinstance(value, CodeType)
    }


def _defined_by(code: CodeType, nodes: Sequence[Function]) -> Function | None:
    """The node that code was compiled from; several lambdas may share a line."""
    if len(nodes) <= 1:
        return next(iter(nodes), None)
    places = [
        ((line, col), (end_line, end_col))
        for line, end_line, col, end_col in code.co_positions()
        if line is not None and col is not None and (col, end_col) != (0, 0)
    ]
    around = [n for n in nodes if all(map(_extent(n).holds, places))]
    inner = [n for n in around if all(_extent(o).holds(_extent(n)) for o in around)]
    return inner[0] if len(inner) == 1 and places else None


class _Extent(tuple[Any, Any]):
    """From where to where."""

    def holds(self, other: tuple[Any, Any]) -> bool:
        return self[0] <= other[0] and other[1] <= self[1]


def _extent(node: Function) -> _Extent:
    body = node.body
    first, last = (body, body) if isinstance(body, ast.expr) else (body[0], body[-1])
    start = (first.lineno, first.col_offset)
    return _Extent((start, (last.end_lineno, last.end_col_offset)))
