"""Whether a memoised function gives the same each time: its body may run at each call.

    @functools.lru_cache(maxsize=32)
    def centres(h, w, dtype):
        ys = torch.arange(0.5, h, dtype=dtype) / h
        return ys[:, None].expand(h, w)

Eager runs such a function once for the same arguments, and hands out what that gave; a
network runs it at each call. Nobody can tell the two apart if it computes of its
arguments, of constants and of functions that do likewise, changes nothing but what it
has made itself, and gives tensors and numbers. Which attributes it reads is noted: a
run must not set these. What it gives must not be changed in place afterwards, which
`dycl.analysis.memory.aliases` sees.
"""

import ast
import builtins
import types
from collections.abc import Callable, Iterator
from typing import Any, cast

from dycl.frontend.names import MISSING, is_users, lookup_global
from dycl.frontend.scopes import own_nodes
from dycl.frontend.source import NoSource, read, undecorated

_PLAIN = (bool, int, float, complex, str, bytes, type(None), tuple, frozenset, range)
_BUILTINS = frozenset(
    (
        *("abs", "all", "any", "bool", "divmod", "enumerate", "float", "int"),
        *("isinstance", "len", "max", "min", "pow", "range", "reversed", "round"),
        *("sum", "tuple", "zip"),
    )
)
_COMPUTING = ("torch", "math", "numpy", "operator", "einops")
"""Libraries whose functions compute; what draws random numbers is refused anyway."""
_STATEMENTS = (
    *(ast.AnnAssign, ast.Assert, ast.Assign, ast.AugAssign, ast.Expr, ast.For),
    *(ast.If, ast.Pass, ast.Raise, ast.Return, ast.While, ast.Break, ast.Continue),
)
_LISTS = (ast.List, ast.Dict, ast.Set, ast.ListComp, ast.DictComp, ast.SetComp)
_OF_TENSORS = frozenset(("T", "device", "dtype", "ndim", "shape"))


class Impure(Exception):
    """Why a function may not run at each call; the words follow "and"."""


def attributes_read(function: Callable[..., Any]) -> frozenset[str]:
    """The attributes that a function reads, and the methods that it calls.

    Those of tensors are among them. Raises Impure; NoSource.
    """
    found = _Function(function, ())
    found.check()
    return frozenset(found.attributes)


class _Function:
    def __init__(
        self, function: Callable[..., Any], around: tuple[Callable[..., Any], ...]
    ):
        self.function = undecorated(function)
        self.around = (*around, self.function)
        self.node = read(function).node
        self.attributes: set[str] = set()
        arguments = self.node.args
        every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
        stars = [a for a in (arguments.vararg, arguments.kwarg) if a is not None]
        self.parameters = {a.arg for a in [*every, *stars]}
        self.bound: dict[str, list[ast.expr]] = {}
        """What each local name is bound to; a name that a loop binds, to nothing."""

    def check(self) -> None:
        """Raises Impure."""
        body = self.node.body
        nodes = list(own_nodes(body if isinstance(body, list) else [body]))
        for node in nodes:
            if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
                self.bound.setdefault(node.id, [])
        for node in nodes:
            if isinstance(node, ast.Assign):
                for target in node.targets:
                    if isinstance(target, ast.Name):
                        self.bound[target.id].append(node.value)
        for node in nodes:
            self.one(node)

    def one(self, node: ast.AST) -> None:
        if isinstance(node, ast.stmt) and not isinstance(node, _STATEMENTS):
            raise Impure(f"it has a `{_keyword(node)}`")
        if isinstance(node, ast.Yield | ast.YieldFrom | ast.Await | ast.Lambda):
            raise Impure("it is more than a plain function")
        if isinstance(node, ast.Return) and node.value is not None:
            self.given(node.value)
        is_part = isinstance(node, ast.Attribute | ast.Subscript)
        if is_part and not isinstance(node.ctx, ast.Load):
            self.changed(node.value)
        if isinstance(node, ast.AugAssign):
            self.changed(node.target)
        if isinstance(node, ast.Call):
            self.called(node)
        elif isinstance(node, ast.Attribute) and self.outside(node) is MISSING:
            if node.attr not in _OF_TENSORS or self.is_given(node.value):
                self.attributes.add(node.attr)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            self.read(node)

    def read(self, node: ast.Name) -> None:
        """A name from outside is a constant, a module, a class or a function."""
        value = self.outside(node)
        plain = (*_PLAIN, types.ModuleType, type)
        if value is MISSING or isinstance(value, plain) or callable(value):
            return
        if type(value).__module__.partition(".")[0] == "torch" and not hasattr(
            value, "shape"
        ):
            return  # a dtype, say
        raise Impure(f"it reads `{node.id}`, which may change")

    def outside(self, node: ast.expr) -> Any:
        """What a name from outside, or an attribute of a module, is; or MISSING."""
        if isinstance(node, ast.Name):
            if node.id in self.parameters or node.id in self.bound:
                return MISSING
            return lookup_global(self.function, node.id)
        if isinstance(node, ast.Attribute):
            base = self.outside(node.value)
            if isinstance(base, types.ModuleType | type):
                return getattr(base, node.attr, MISSING)
        return MISSING

    def is_given(self, node: ast.expr) -> bool:
        """Whether a value is an argument, or something that one has."""
        while isinstance(node, ast.Attribute | ast.Subscript):
            node = node.value
        return isinstance(node, ast.Name) and node.id in self.parameters

    def called(self, node: ast.Call) -> None:
        callee = self.outside(node.func)
        if callee is not MISSING:
            self.calls(callee, node)
            return
        if not isinstance(node.func, ast.Attribute):
            raise Impure(f"it calls `{ast.unparse(node.func)}`, which is not known")
        name = node.func.attr
        if not hasattr(_tensor(), name):
            raise Impure(f"it calls `{ast.unparse(node.func)}`")
        self.attributes.add(name)
        if name.endswith("_") and not name.startswith("_"):
            self.changed(node.func.value)

    def calls(self, callee: Any, node: ast.Call) -> None:
        """A function that is known now."""
        name = ast.unparse(node.func)
        if any(k.arg == "out" for k in node.keywords):
            raise Impure(f"it gives `{name}` an `out`")
        if getattr(builtins, getattr(callee, "__name__", ""), None) is callee:
            if callee.__name__ not in _BUILTINS and not _is_exception(callee):
                raise Impure(f"it calls `{name}`")
            return
        if is_users(callee):
            if undecorated(callee) in self.around:
                raise Impure("it calls itself")
            try:
                inner = _Function(_plain(callee), self.around)
            except NoSource as why:
                raise Impure(f"the source of `{why}` cannot be read") from None
            inner.check()
            self.attributes |= inner.attributes
            return
        module = getattr(callee, "__module__", None) or getattr(
            getattr(callee, "__self__", None), "__name__", ""
        )
        if str(module).partition(".")[0] not in _COMPUTING or name.endswith("_"):
            raise Impure(f"it calls `{name}`")

    def changed(self, node: ast.expr) -> None:
        """What is changed in place was made here: by a function of torch, no view."""
        while isinstance(node, ast.Subscript):
            node = node.value
        made = [node]
        if isinstance(node, ast.Name):
            made = self.bound.get(node.id, [])
            if node.id in self.parameters or not made:
                raise Impure(f"it changes `{node.id}`")
        for value in made:
            callee = self.outside(value.func) if isinstance(value, ast.Call) else None
            if isinstance(value, ast.Constant | ast.BinOp):
                continue
            if getattr(callee, "__name__", "") not in _MAKING:
                raise Impure(f"it changes `{ast.unparse(node)}`")

    def given(self, node: ast.expr) -> None:
        """A list that is handed out may be changed by who gets it."""
        for one in self.sources(node, set()):
            method = one.func if isinstance(one, ast.Call) else None
            is_list = isinstance(method, ast.Attribute) and method.attr == "tolist"
            if is_list or isinstance(one, _LISTS):
                raise Impure("it gives a list or dict")

    def sources(self, node: ast.expr, seen: set[str]) -> Iterator[ast.expr]:
        """What a value is made of, as far as it may be a part of it."""
        parts: list[ast.expr] = []
        match node:
            case ast.Tuple():
                parts = node.elts
            case ast.IfExp():
                parts = [node.body, node.orelse]
            case ast.BinOp():
                parts = [node.left, node.right]
            case ast.BoolOp():
                parts = node.values
            case ast.Starred() | ast.NamedExpr():
                parts = [node.value]
            case ast.Name() if node.id not in seen:
                seen.add(node.id)
                parts = self.bound.get(node.id, [])
            case _:
                yield node
        for part in parts:
            yield from self.sources(part, seen)


_MAKING = frozenset(
    (
        *("arange", "cat", "clone", "empty", "empty_like", "eye", "full", "full_like"),
        *("linspace", "ones", "ones_like", "stack", "tril", "triu", "zeros"),
        *("zeros_like", "int", "float", "len"),
    )
)
"""Functions that give a new tensor, or a number."""


def _plain(function: Any) -> Callable[..., Any]:
    if type(function).__name__ == "_lru_cache_wrapper":
        return cast("Callable[..., Any]", function.__wrapped__)
    return cast("Callable[..., Any]", function)


def _is_exception(value: object) -> bool:
    return isinstance(value, type) and issubclass(value, BaseException)


def _keyword(node: ast.stmt) -> str:
    return ast.unparse(node).split()[0].rstrip(":")


def _tensor() -> Any:
    import torch

    return torch.Tensor
