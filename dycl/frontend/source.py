"""The source of a function: its syntax tree and its locations in the user's file."""

import ast
import linecache
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from inspect import CO_ASYNC_GENERATOR, CO_COROUTINE
from types import CodeType
from typing import Any, cast

from xdsl.dialects.builtin import FileLineColLoc, IntAttr, StringAttr

from dycl.frontend.definitions import SourceChanged, definition, named_alike


class NoSource(Exception):
    """The function's source cannot be read."""


class IsCoroutine(NoSource):
    """It is an `async def`."""


class ChangedSource(NoSource):
    """The function's source is not what its file has now."""


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
        """The location of a node; the function's own for a node without one."""
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
    """`ast` counts bytes from 0; locations count characters from 1."""
    text = linecache.getline(source.file, line)
    if text.isascii():
        return byte_offset + 1
    return len(text.encode()[:byte_offset].decode(errors="ignore")) + 1


def read(function: Callable[..., Any]) -> FunctionSource:
    """The source of a plain Python function, or of the lambda that it is.

    Decorators that leave values as they are (torch's gradient modes) are looked
    through. Raises NoSource when there is none, e.g. for built-in functions, and
    ChangedSource when its file has changed since the function was made.
    """
    plain: Any = undecorated(function)
    code = getattr(plain, "__code__", None)
    if code is None:
        raise NoSource(getattr(function, "__qualname__", repr(function)))
    try:
        node = definition(plain)
    except SourceChanged as why:
        raise ChangedSource(str(why)) from None
    if node is None:
        is_async = bool(code.co_flags & (CO_COROUTINE | CO_ASYNC_GENERATOR))
        raise (IsCoroutine if is_async else NoSource)(plain.__qualname__)
    file = shown_path(code.co_filename)
    linecache.checkcache(file)  # the name may have been that of another file
    return FunctionSource(plain, node, file)


def first_line(function: Any) -> FileLineColLoc:
    """Where a function without a source begins, as far as that is known."""
    code: CodeType | None = getattr(undecorated(function), "__code__", None)
    if code is None:
        return FileLineColLoc(StringAttr("<unknown>"), IntAttr(0), IntAttr(1))
    file = shown_path(code.co_filename)
    node = named_alike(code)
    if node is not None:
        return FunctionSource(function, node, file).location(node)
    return FileLineColLoc(StringAttr(file), IntAttr(code.co_firstlineno), IntAttr(1))


def library_line(function: Any) -> FileLineColLoc | None:
    """Where the `def` of a library's function stands; None: of a user's, or unknown.

    Its code says so, and what a release has in its files does not change: to parse
    them, as `read` does, takes longer than to import most models.
    """
    plain: Any = undecorated(function)
    code: CodeType | None = getattr(plain, "__code__", None)
    if code is None or not is_library(_package(plain)):
        return None
    lines = linecache.getlines(code.co_filename)
    for number in range(code.co_firstlineno, len(lines) + 1):
        text = lines[number - 1].lstrip()
        if text.startswith("def "):
            column = len(lines[number - 1]) - len(text) + 1
            place = IntAttr(number), IntAttr(column)
            return FileLineColLoc(StringAttr(shown_path(code.co_filename)), *place)
        if number == code.co_firstlineno and not text.startswith("@"):
            return None
    return None


def _package(function: Any) -> str:
    """The top-level package that a function is of."""
    return function.__globals__.get("__name__", "").partition(".")[0]


def undecorated(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function below decorators that change no value.

    These are torch's gradient modes, autocast of a GPU, and that is off, `torch.jit.
    script` and `script_if_tracing`.
    """
    result: Any = function
    while True:
        if any(changes_no_value(result) for changes_no_value in _IDLE):
            result = result.__wrapped__
        elif (source := _source_of_script(result)) is not None:
            result = source
        else:
            return result


def _is_scripted_by_a_trace(function: Any) -> bool:
    """Whether `torch.jit.script_if_tracing` made it, which calls what it wraps."""
    return getattr(function, "__script_if_tracing_wrapper", False) is True


def _source_of_script(function: Any) -> Callable[..., Any] | None:
    """The Python function that TorchScript has compiled, which it keeps for Dynamo."""
    if type(function).__name__ != "ScriptFunction":
        return None
    return getattr(function, "_torchdynamo_inline", None)


def hidden(function: Callable[..., Any]) -> Callable[..., Any] | None:
    """The user's function that a library's decorator has wrapped, or None."""
    inner: Any = undecorated(function)
    wrapped = getattr(inner, "__wrapped__", None)
    names = getattr(inner, "__globals__", {"__name__": "functools"})
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


def _is_idle_autocast(function: Any) -> bool:
    """Whether a function is one under an autocast that is off, or that is a GPU's."""
    code = getattr(function, "__code__", None)
    if getattr(code, "co_name", "") != "decorate_autocast":
        return False
    modes = (cell.cell_contents for cell in function.__closure__ or ())
    return any(
        hasattr(mode, "_enabled") and not (mode._enabled and mode.device == "cpu")
        for mode in modes
    )


_IDLE = (_is_gradient_mode, _is_idle_autocast, _is_scripted_by_a_trace)
"""Whether a function is what it wraps, for a network that runs."""


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
    result: list[str] = []
    stack: list[ast.AST] = [node]
    while stack:
        current = stack.pop()
        if isinstance(current, ast.Name) and isinstance(
            current.ctx, (ast.Store, ast.Del)
        ):
            result.append(current.id)
        if isinstance(current, (ast.Import, ast.ImportFrom)):
            result += [(a.asname or a.name).split(".")[0] for a in current.names]
        if isinstance(current, (ast.ExceptHandler, ast.MatchAs, ast.MatchStar)):
            result += [] if current.name is None else [current.name]
        if isinstance(current, ast.MatchMapping) and current.rest is not None:
            result.append(current.rest)
        if isinstance(current, (ast.FunctionDef, ast.ClassDef)):
            result.append(current.name)
            continue
        if isinstance(current, ast.Lambda):
            continue
        if isinstance(
            current, (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
        ):
            result += walrus_names(current)
            continue
        stack.extend(reversed(children(current)))
    return result


def children(node: ast.AST) -> list[ast.AST]:
    """The nodes directly inside one, in order, but for what tells loads from stores.

    A third of all nodes tell that; `ast.iter_child_nodes` is a generator in another.
    """
    result: list[ast.AST] = []
    for field in node._fields:
        value = getattr(node, field, None)
        if isinstance(value, list):
            items = cast("list[object]", value)
            result += [item for item in items if isinstance(item, ast.AST)]
        elif isinstance(value, ast.AST) and field != "ctx":
            result.append(value)
    return result
