"""The source of a function: its syntax tree and its places in the user's file."""

import ast
import inspect
import linecache
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from xdsl.dialects.builtin import FileLineColLoc, IntAttr, StringAttr


class NoSource(Exception):
    """The function's source cannot be read."""


@dataclass(frozen=True)
class FunctionSource:
    """A function's tree, with positions as in its file."""

    function: Callable[..., Any]
    node: ast.FunctionDef
    file: str

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
    """The source of a plain Python function (decorators are looked through).

    Raises NoSource when there is none, e.g. for built-in functions.
    """
    plain: Any = inspect.unwrap(function)
    code = getattr(plain, "__code__", None)
    if code is None:
        raise NoSource(getattr(function, "__qualname__", repr(function)))
    tree = _parse_file(code.co_filename)
    wanted = (plain.__name__, code.co_firstlineno)
    if tree is not None and wanted in tree:
        return FunctionSource(plain, tree[wanted], shown_path(code.co_filename))
    raise NoSource(plain.__qualname__)


@cache
def _parse_text(text: str) -> dict[tuple[str, int], ast.FunctionDef] | None:
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return None
    found: dict[tuple[str, int], ast.FunctionDef] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
            found[node.name, first] = node
    return found


def _parse_file(file: str) -> dict[tuple[str, int], ast.FunctionDef] | None:
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
        if isinstance(current, (ast.FunctionDef, ast.ClassDef)):
            found.append(current.name)
            continue
        if isinstance(current, ast.Lambda):
            continue
        if isinstance(
            current, (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
        ):
            continue
        stack.extend(reversed(list(ast.iter_child_nodes(current))))
    return found
