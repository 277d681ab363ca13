"""Functions under `contextlib.contextmanager`, parted at their `yield`.

    @contextmanager                 def scaled(self, k):
    def scaled(self, k):                def enter(self=self, k=k):
        old = self.k                        old = self.k
        self.k = k                          self.k = k
        try:                                return k, (old,)
            yield k                     def leave(old, self=self, k=k):
        finally:                            self.k = old
            self.k = old                return Manager(enter, leave)

The `yield` is a statement, or assigned, and stands in no loop and under no condition.
What a `try` does in front of it, and handlers, would see exceptions: not taken.
"""

import ast
import contextlib
import inspect
from collections.abc import Sequence
from typing import Any, NamedTuple

from dycl.frontend.generators import yields_of
from dycl.frontend.scopes import own_nodes, parameters
from dycl.frontend.source import FunctionSource, assigned_names

MANAGER = ".Manager"
"""How the parted function calls the class; no name of the user's has a dot."""


class _Parts(NamedTuple):
    before: list[ast.stmt]
    value: ast.expr | None
    after: list[ast.stmt]


def is_manager(function: Any) -> bool:
    """Whether `contextlib.contextmanager` has made it of a generator function."""
    code = getattr(function, "__code__", None)
    if code is None or code.co_name != "helper":
        return False
    wrapped = getattr(function, "__wrapped__", None)
    return code.co_filename == contextlib.__file__ and (
        inspect.isgeneratorfunction(wrapped) and not hasattr(wrapped, "__wrapped__")
    )


def parted(source: FunctionSource) -> FunctionSource | None:
    """The function that makes the manager; None: it is not taken."""
    node = source.node
    if not isinstance(node, ast.FunctionDef) or len(yields_of(node)) != 1:
        return None
    parts = _part(node.body)
    if parts is None or any(_returns(s) for s in parts.before):
        return None
    end = ast.copy_location(ast.Pass(), node.body[-1])
    kept = assigned_names(parts.before)
    given = [name for name in parameters(node) if name not in kept]
    value = parts.value or ast.Constant(None)
    both: list[ast.expr] = [value, _names(kept)]
    entered = ast.Return(ast.Tuple(both, ast.Load()))
    before = [*parts.before, entered]
    enter = _function("enter", [], parameters(node), before, node.body[0])
    leave = _function("leave", kept, given, parts.after or [end], end)
    made = ast.Return(ast.Call(ast.Name(MANAGER, ast.Load()), _names(_BOTH).elts, []))
    _locate(made, end)
    whole = ast.FunctionDef(node.name, node.args, [enter, leave, made], [], None)
    return FunctionSource(source.function, ast.copy_location(whole, node), source.file)


_BOTH = ("enter", "leave")


def _names(names: Sequence[str]) -> ast.Tuple:
    return ast.Tuple([ast.Name(name, ast.Load()) for name in names], ast.Load())


def _part(body: Sequence[ast.stmt]) -> _Parts | None:
    """The statements in front of the `yield`, what it gives, and those behind."""
    for index, node in enumerate(body):
        before, after = list(body[:index]), list(body[index + 1 :])
        if not any(
            isinstance(n, (ast.Yield, ast.YieldFrom)) for n in own_nodes([node])
        ):
            continue
        if isinstance(node, ast.Try):
            inner = _part(node.body)
            if inner is None or inner.before or node.handlers or node.orelse:
                return None
            rest: list[ast.stmt] = inner.after or [ast.copy_location(ast.Pass(), node)]
            final = ast.copy_location(ast.Try(rest, [], [], node.finalbody), node)
            return _Parts(before, inner.value, [final, *after])
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Yield):
            return _Parts(before, node.value.value, after)
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Yield):
            nothing = ast.copy_location(ast.Constant(None), node.value)
            bound = ast.copy_location(ast.Assign(node.targets, nothing), node)
            return _Parts(before, node.value.value, [bound, *after])
        return None
    return None


def _function(
    name: str,
    kept: Sequence[str],
    given: Sequence[str],
    body: list[ast.stmt],
    place: ast.stmt,
) -> ast.FunctionDef:
    """A function of what is kept, with what the generator is given as defaults."""
    names = [ast.arg(n) for n in (*kept, *given)]
    arguments = ast.arguments([], names, None, [], [], None, _names(given).elts)
    function = ast.FunctionDef(name, arguments, body, [], None)
    _locate(function, place)
    return function


def _locate(node: ast.AST, place: ast.stmt) -> None:
    """Give what is made here the place of a statement of the user's."""
    for inner in ast.walk(node):
        if not hasattr(inner, "lineno"):
            ast.copy_location(inner, place)


def _returns(node: ast.AST) -> bool:
    return any(isinstance(inner, ast.Return) for inner in own_nodes([node]))
