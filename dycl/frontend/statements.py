"""Statements: each adds ops and says whether control falls through to the next."""

import ast
import importlib
from collections.abc import Callable
from typing import cast

from xdsl.ir import SSAValue

from dycl.frontend import refusals
from dycl.frontend.builder import FunctionBuilder
from dycl.frontend.contexts import lower_with
from dycl.frontend.control import lower_branch
from dycl.frontend.exceptions import lower_try
from dycl.frontend.expressions import (
    BINARY,
    lower_expression,
    lower_test,
    lower_used_up,
    static_value,
)
from dycl.frontend.functions import lower_inner_function
from dycl.frontend.loops import lower_else, lower_for, lower_jump, lower_while
from dycl.frontend.matching import lower_match
from dycl.frontend.names import MISSING, qualified_name
from dycl.frontend.raising import lower_assert, lower_raise
from dycl.frontend.source import assigned_names
from dycl.ir import (
    CallOp,
    GetattrOp,
    InplaceOp,
    InvokeOp,
    ReturnOp,
    SetattrOp,
    StoreSubscriptOp,
    SubscriptOp,
    UnboundOp,
    UnpackOp,
)
from dycl.ir.contexts import GRADIENT_MODES


def lower_statements(b: FunctionBuilder, statements: list[ast.stmt]) -> bool:
    """Lower in order; what follows an exit is not reached and not lowered."""
    return all(lower_statement(b, s) for s in statements)


def lower_statement(b: FunctionBuilder, node: ast.stmt) -> bool:
    """One statement."""
    handler = _HANDLERS.get(type(node))
    if handler is not None:
        return handler(b, node)
    text = ast.unparse(node).partition("\n")[0]
    refusal = _REFUSED.get(type(node), lambda: refusals.statement(text))()
    value = b.refuse(refusal, node)
    for name in assigned_names([node]):
        b.bind(name, value)
    return True


def _outer_names(b: FunctionBuilder, node: ast.Global | ast.Nonlocal) -> bool:
    kind = "global" if isinstance(node, ast.Global) else "nonlocal"
    for name in node.names:
        if kind == "nonlocal" and name in b.cells:
            continue
        b.bind(name, b.refuse(refusals.outer_name(kind, name), node))
    return True


def assign(b: FunctionBuilder, target: ast.expr, value: SSAValue) -> None:
    """`target = value`."""
    if isinstance(target, ast.Name):
        b.bind(target.id, value, target)
    elif isinstance(target, (ast.Tuple, ast.List)):
        stars = [i for i, t in enumerate(target.elts) if isinstance(t, ast.Starred)]
        star = stars[0] if stars else None
        items = b.emit(UnpackOp(value, len(target.elts), star), target)
        for element, item in zip(target.elts, items, strict=True):
            assign(
                b, element.value if isinstance(element, ast.Starred) else element, item
            )
    elif isinstance(target, ast.Attribute):
        owner = lower_expression(b, target.value)
        b.emit(SetattrOp(owner, target.attr, value), target)
    else:
        assert isinstance(target, ast.Subscript)  # Python's grammar has no others
        owner = lower_expression(b, target.value)
        index = lower_expression(b, target.slice)
        b.emit(StoreSubscriptOp(owner, index, value), target)


def _return(b: FunctionBuilder, node: ast.Return) -> bool:
    value = (
        b.constant(None, node)
        if node.value is None
        else lower_expression(b, node.value)
    )
    if b.leave():
        b.emit(ReturnOp([value]), node)
    return False


def _assign(b: FunctionBuilder, node: ast.Assign) -> bool:
    unpacks = all(isinstance(t, (ast.Tuple, ast.List)) for t in node.targets)
    lower = lower_used_up if unpacks and len(node.targets) == 1 else lower_expression
    value = lower(b, node.value)
    for target in node.targets:
        assign(b, target, value)
    return True


def _annotated(b: FunctionBuilder, node: ast.AnnAssign) -> bool:
    if node.value is not None:
        assign(b, node.target, lower_expression(b, node.value))
    return True


def _augmented(b: FunctionBuilder, node: ast.AugAssign) -> bool:
    """`a += b`: the place is found once, read, changed, and written."""
    kind = BINARY[type(node.op)]

    def change(old: SSAValue) -> SSAValue:
        return b.value(InplaceOp(kind, old, lower_expression(b, node.value)), node)

    target = node.target
    if isinstance(target, ast.Name):
        old = b.read(target.id, target)
        value = change(old)
        value.name_hint = old.name_hint
        b.bind(target.id, value)
    elif isinstance(target, ast.Attribute):
        owner = lower_expression(b, target.value)
        value = change(b.value(GetattrOp(owner, target.attr), target))
        b.emit(SetattrOp(owner, target.attr, value), node)
    else:
        owner = lower_expression(b, target.value)
        index = lower_expression(b, target.slice)
        value = change(b.value(SubscriptOp(owner, index), target))
        b.emit(StoreSubscriptOp(owner, index, value), node)
    return True


def _expression(b: FunctionBuilder, node: ast.Expr) -> bool:
    if not isinstance(node.value, ast.Constant):  # a docstring says nothing to do
        lower_expression(b, node.value)
    return True


def _if(b: FunctionBuilder, node: ast.If) -> bool:
    return lower_branch(
        b,
        node,
        lower_test(b, node.test),
        b.source.text(node.test),
        lambda: lower_statements(b, node.body),
        lambda: lower_statements(b, node.orelse),
    )


def _for(b: FunctionBuilder, node: ast.For) -> bool:
    lower_for(
        b,
        node,
        lower_expression(b, node.iter),
        lambda item: assign(b, node.target, item),
        lambda: lower_statements(b, node.body),
    )
    return lower_else(b, node, lambda: lower_statements(b, node.orelse))


def _while(b: FunctionBuilder, node: ast.While) -> bool:
    lower_while(
        b,
        node,
        lambda: lower_test(b, node.test),
        lambda: lower_statements(b, node.body),
    )
    return lower_else(b, node, lambda: lower_statements(b, node.orelse))


def _jump(b: FunctionBuilder, node: ast.Break | ast.Continue) -> bool:
    lower_jump(b, node)
    return False


def _pass(b: FunctionBuilder, node: ast.Pass) -> bool:
    return True


def _raise(b: FunctionBuilder, node: ast.Raise) -> bool:
    lower_raise(b, node)
    return False


def _try(b: FunctionBuilder, node: ast.Try) -> bool:
    return lower_try(b, node, lower_statements)


def _delete(b: FunctionBuilder, node: ast.Delete) -> bool:
    for target in node.targets:
        _delete_one(b, target, node)
    return True


def _delete_one(b: FunctionBuilder, target: ast.expr, node: ast.Delete) -> None:
    if isinstance(target, ast.Name):
        if target.id in b.cells:
            b.refuse(refusals.delete_target(), target)
        b.env[target.id] = b.value(UnboundOp(target.id), node)
    elif isinstance(target, (ast.Tuple, ast.List)):
        for element in target.elts:
            _delete_one(b, element, node)
    elif isinstance(target, ast.Subscript):
        owner = lower_expression(b, target.value)
        index = lower_expression(b, target.slice)
        b.emit(InvokeOp(owner, "__delitem__", [index]), target)
    else:
        b.refuse(refusals.delete_target(), target)


def _with(b: FunctionBuilder, node: ast.With) -> bool:
    return lower_with(b, node, lower_statements, assign)


def _match(b: FunctionBuilder, node: ast.Match) -> bool:
    return lower_match(b, node, lower_statements)


def _function(b: FunctionBuilder, node: ast.FunctionDef) -> bool:
    """A function inside: defined, then given to its decorators, the lowest first."""
    value = lower_inner_function(b, node)
    for decorator in reversed(node.decorator_list):
        if not _is_gradient_mode(b, decorator):
            value = b.value(CallOp(lower_expression(b, decorator), [value]), decorator)
    b.bind(node.name, value, node)
    return True


def _is_gradient_mode(b: FunctionBuilder, node: ast.expr) -> bool:
    """Whether a decorator is one of torch's gradient modes, which change no value."""
    callee = static_value(b, node.func if isinstance(node, ast.Call) else node)
    return callee is not MISSING and qualified_name(callee) in GRADIENT_MODES


def _import(b: FunctionBuilder, node: ast.Import | ast.ImportFrom) -> bool:
    """An import inside a function is resolved now: its names are known values."""
    for alias in node.names:
        name = alias.asname or alias.name.split(".")[0]
        try:
            b.statics[name] = _imported(b, node, alias)
        except (ImportError, AttributeError) as why:
            b.bind(name, b.refuse(refusals.failed_import(str(why)), node))
    return True


def _imported(
    b: FunctionBuilder, node: ast.Import | ast.ImportFrom, alias: ast.alias
) -> object:
    if isinstance(node, ast.Import):
        module = importlib.import_module(alias.name)
        root = importlib.import_module(alias.name.split(".")[0])
        return module if alias.asname else root
    package = b.global_value("__package__")
    name = "." * node.level + (node.module or "")
    owner = importlib.import_module(name, package if isinstance(package, str) else None)
    if not hasattr(owner, alias.name):
        return importlib.import_module(f"{owner.__name__}.{alias.name}")
    return getattr(owner, alias.name)


_HANDLERS = cast(
    "dict[type[ast.stmt], Callable[[FunctionBuilder, ast.stmt], bool]]",
    {
        ast.Return: _return,
        ast.Assign: _assign,
        ast.AnnAssign: _annotated,
        ast.AugAssign: _augmented,
        ast.Expr: _expression,
        ast.If: _if,
        ast.For: _for,
        ast.While: _while,
        ast.Break: _jump,
        ast.Continue: _jump,
        ast.Pass: _pass,
        ast.Raise: _raise,
        ast.Assert: lower_assert,
        ast.Delete: _delete,
        ast.Try: _try,
        ast.Match: _match,
        ast.With: _with,
        ast.FunctionDef: _function,
        ast.Import: _import,
        ast.ImportFrom: _import,
        ast.Global: _outer_names,
        ast.Nonlocal: _outer_names,
    },
)
_REFUSED: dict[type[ast.stmt], Callable[[], refusals.Refusal]] = {
    ast.AsyncFunctionDef: refusals.generator,
    ast.TryStar: refusals.exception_handling,
}
