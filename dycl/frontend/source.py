"""The source of a function: its syntax tree and its places in the user's file."""

import ast
import linecache
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from types import CodeType
from typing import Any

from xdsl.dialects.builtin import FileLineColLoc, IntAttr, StringAttr

from dycl.frontend.mangling import mangle


class NoSource(Exception):
    """The function's source cannot be read."""


_Functions = dict[tuple[str, int], list[ast.FunctionDef | ast.Lambda]]
"""The functions of a file, by name and first line."""


@dataclass(frozen=True)
class FunctionSource:
    """A function's tree, with positions as in its file."""

    function: Callable[..., Any]
    node: ast.FunctionDef | ast.Lambda
    file: str

    @property
    def body(self) -> list[ast.stmt]:
        """The statements; a lambda's expression as the `return` that it is."""
        if isinstance(self.node, ast.FunctionDef):
            return self.node.body
        value = self.node.body
        return [ast.copy_location(ast.Return(value), value)]

    @property
    def decorators(self) -> list[ast.expr]:
        """The expressions behind `@`, outermost first."""
        node = self.node
        return node.decorator_list if isinstance(node, ast.FunctionDef) else []

    def inner(self, node: ast.FunctionDef | ast.Lambda) -> "FunctionSource":
        """A function defined inside this one."""
        return FunctionSource(self.function, node, self.file)

    def location(self, node: ast.AST) -> FileLineColLoc:
        """The place of a node; the function's own for a node without one."""
        line = getattr(node, "lineno", self.node.lineno)
        col = getattr(node, "col_offset", self.node.col_offset)
        return FileLineColLoc(
            StringAttr(self.file), IntAttr(line), IntAttr(_column(self, line, col))
        )

    def text(self, node: ast.expr) -> str:
        """An expression as the user wrote it; put on one line if it takes several."""
        if node.end_lineno != node.lineno:
            return ast.unparse(node)
        line = linecache.getline(self.file, node.lineno).encode()
        return line[node.col_offset : node.end_col_offset].decode()


def _column(source: FunctionSource, line: int, byte_offset: int) -> int:
    """`ast` counts bytes from 0; places count characters from 1."""
    text = linecache.getline(source.file, line)
    if text.isascii():
        return byte_offset + 1
    return len(text.encode()[:byte_offset].decode(errors="ignore")) + 1


def read(function: Callable[..., Any]) -> FunctionSource:
    """The source of a plain Python function, or of the lambda that it is.

    Decorators that leave values as they are (torch's gradient modes) are looked
    through. Raises NoSource when there is none, e.g. for built-in functions.
    """
    plain: Any = undecorated(function)
    code = getattr(plain, "__code__", None)
    if code is None:
        raise NoSource(getattr(function, "__qualname__", repr(function)))
    tree = _parse_file(code.co_filename)
    found = tree.get((code.co_name, code.co_firstlineno), []) if tree else []
    node = _defined_by(code, found)
    if node is None:
        raise NoSource(plain.__qualname__)
    return FunctionSource(plain, node, shown_path(code.co_filename))


def undecorated(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function below decorators that change no value: torch's gradient modes."""
    found: Any = function
    while _is_gradient_mode(found):
        found = found.__wrapped__
    return found


def hidden(function: Callable[..., Any]) -> Callable[..., Any] | None:
    """The user's function that a library's decorator has wrapped, or None."""
    found: Any = undecorated(function)
    wrapped = getattr(found, "__wrapped__", None)
    names = getattr(found, "__globals__", {"__name__": "functools"})
    root = names.get("__name__", "").partition(".")[0]
    return wrapped if wrapped is not None and is_library(root) else None


def is_library(root: str) -> bool:
    """Whether a top-level package is called, not compiled."""
    return root in LIBRARIES or root in sys.stdlib_module_names


LIBRARIES = {"torch", "numpy", "math", "builtins", "operator", "functools", "typing"}
_GRADIENT_MODES = ("no_grad", "inference_mode", "enable_grad", "set_grad_enabled")


def _is_gradient_mode(function: Any) -> bool:
    code = getattr(function, "__code__", None)
    if getattr(code, "co_name", "") != "decorate_context":
        return False
    for cell in function.__closure__ or ():
        owner = getattr(cell.cell_contents, "__self__", None)
        if type(owner).__name__ in _GRADIENT_MODES:
            return type(owner).__module__.startswith("torch")
    return False


def _defined_by(
    code: CodeType, nodes: Sequence[ast.FunctionDef | ast.Lambda]
) -> ast.FunctionDef | ast.Lambda | None:
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


def _extent(node: ast.FunctionDef | ast.Lambda) -> _Extent:
    body = node.body
    first, last = (body, body) if isinstance(body, ast.expr) else (body[0], body[-1])
    start = (first.lineno, first.col_offset)
    return _Extent((start, (last.end_lineno, last.end_col_offset)))


@cache
def _parse_text(text: str) -> _Functions | None:
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return None
    found: _Functions = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
            found[node.name, first] = [node]
        elif isinstance(node, ast.Lambda):
            found.setdefault(("<lambda>", node.lineno), []).append(node)
    mangle(tree)  # code objects keep the names of functions as they are written
    return found


def _parse_file(file: str) -> _Functions | None:
    lines = linecache.getlines(file)
    return _parse_text("".join(lines)) if lines else None


def shown_path(file: str) -> str:
    """A file's path as messages show it: relative when below the working directory."""
    if not os.path.isabs(file):
        return file
    relative = os.path.relpath(file)
    return file if relative.startswith("..") else relative


def assigned_names(nodes: Sequence[ast.AST]) -> list[str]:
    """Names that these statements bind in their own scope, in order."""
    names: dict[str, None] = {}
    for node in nodes:
        for name in _bound_in(node):
            names[name] = None
    return list(names)


def walrus_names(node: ast.AST) -> list[str]:
    """Names that `:=` binds in an expression, also from inside a comprehension."""
    return [
        inner.target.id for inner in ast.walk(node) if isinstance(inner, ast.NamedExpr)
    ]


def _bound_in(node: ast.AST) -> list[str]:
    found: list[str] = []
    stack: list[ast.AST] = [node]
    while stack:
        current = stack.pop()
        if isinstance(current, ast.Name) and isinstance(
            current.ctx, (ast.Store, ast.Del)
        ):
            found.append(current.id)
        if isinstance(current, (ast.Import, ast.ImportFrom)):
            found += [(a.asname or a.name).split(".")[0] for a in current.names]
        if isinstance(current, (ast.ExceptHandler, ast.MatchAs, ast.MatchStar)):
            found += [] if current.name is None else [current.name]
        if isinstance(current, ast.MatchMapping) and current.rest is not None:
            found.append(current.rest)
        if isinstance(current, (ast.FunctionDef, ast.ClassDef)):
            found.append(current.name)
            continue
        if isinstance(current, ast.Lambda):
            continue
        if isinstance(
            current, (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
        ):
            found += walrus_names(current)
            continue
        stack.extend(reversed(list(ast.iter_child_nodes(current))))
    return found
