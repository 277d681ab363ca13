"""Generator functions: what `yield` gives, and where none is taken.

    yield v            dycl.yield_value %v; the expression is None
    yield from items   for v in items: yield v

Nobody sends a value to a generator, or throws an exception into one: what is not gone
over by a loop is refused. A `yield` inside of `try` or `with` is refused, since a loop
that is left early would run the rest of these.
"""

import ast

from xdsl.ir import SSAValue

from dycl.frontend.builder import FunctionBuilder
from dycl.frontend.loops import lower_loop
from dycl.frontend.source import children
from dycl.ir import YieldValueOp

_ITEM = ".yielded"
"""The item of `yield from`; no name of the user's has a dot."""

Yield = ast.Yield | ast.YieldFrom


def yields_of(function: ast.FunctionDef | ast.Lambda) -> list[Yield]:
    """Where a function yields, but not those inside of it."""
    body = function.body if isinstance(function, ast.FunctionDef) else [function.body]
    return [node for node, _ in _yields(body)]


def refused_yield(function: ast.FunctionDef | ast.Lambda) -> Yield | None:
    """The first `yield` that is not taken, or None."""
    if isinstance(function, ast.Lambda):
        return next(iter(yields_of(function)), None)
    found = _yields(function.body)
    if not found:  # as in most functions, of which some are long
        return None
    statements = [n for n in ast.walk(function) if isinstance(n, ast.Expr)]
    alone = {id(statement.value) for statement in statements}
    for node, is_guarded in found:
        if is_guarded or (isinstance(node, ast.YieldFrom) and id(node) not in alone):
            return node
    return None


def _yields(body: list[ast.stmt] | list[ast.expr]) -> list[tuple[Yield, bool]]:
    """Each `yield`, and whether it is inside of a `try` or a `with`."""
    found: list[tuple[Yield, bool]] = []
    waiting: list[tuple[ast.AST, bool]] = [(node, False) for node in reversed(body)]
    while waiting:
        node, is_guarded = waiting.pop()
        if isinstance(node, (ast.FunctionDef, ast.Lambda, ast.ClassDef)):
            continue
        if isinstance(node, (ast.Yield, ast.YieldFrom)):
            found.append((node, is_guarded))
        is_guarded |= isinstance(node, (ast.Try, ast.With))
        inner = [(child, is_guarded) for child in children(node)]
        waiting += reversed(inner)
    return found


def lower_yield(b: FunctionBuilder, node: ast.Yield) -> SSAValue:
    """`yield v`, which nobody sends a value to."""
    from dycl.frontend.expressions import lower_expression

    given = node.value
    value = b.constant(None, node) if given is None else lower_expression(b, given)
    b.emit(YieldValueOp(value), node)
    return b.constant(None, node)


def lower_yield_from(b: FunctionBuilder, node: ast.YieldFrom) -> SSAValue:
    """`yield from items`, of which nobody has the value."""
    from dycl.frontend.expressions import lower_expression

    iterable = lower_expression(b, node.value)
    outer = b.env.pop(_ITEM, None)

    def body() -> bool:
        b.emit(YieldValueOp(b.env[_ITEM]), node)
        return True

    words = f"yield from {ast.unparse(node.value)}"
    lower_loop(b, node, words, iterable, lambda v: b.bind(_ITEM, v), body, [])
    b.env.pop(_ITEM, None)
    if outer is not None:
        b.env[_ITEM] = outer
    return b.constant(None, node)
