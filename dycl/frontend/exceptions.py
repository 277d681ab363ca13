"""`try`: a region for the body, and one for each handler.

Before                         After
------                         -----
try: body                      %r, %ok = dycl.try -> .. { body .. dycl.yield %a, %true }
except E: handler                except "E" { handler .. dycl.yield %b, %false }
else: rest                     dycl.if %ok { rest }
finally: end                     except "finally" { end .. dycl.unreachable }
                               end

A `try` with `finally` is a `dycl.try` around all the rest, followed by what is to be
done in any case. What is done when the rest raises stands in a handler, from which the
exception goes on.
"""

import ast
import builtins
from collections.abc import Callable, Sequence
from typing import Any, cast

from xdsl.ir import Attribute, Region, SSAValue

from dycl.frontend import refusals
from dycl.frontend.builder import FunctionBuilder
from dycl.frontend.control import close_regions, lower_branch
from dycl.frontend.expressions import static_value
from dycl.frontend.names import MISSING
from dycl.frontend.source import assigned_names
from dycl.ir import TryOp, UnboundOp, UnreachableOp
from dycl.ir.dialect.exceptions import FINALLY

Lower = Callable[[FunctionBuilder, list[ast.stmt]], bool]
_LEAVING = (ast.Return, ast.Break, ast.Continue, ast.Raise)


def lower_try(b: FunctionBuilder, node: ast.Try, lower: Lower) -> bool:
    """`try`, given how to lower statements; says whether control falls through."""
    node = _without_constants(b, node, lower)
    if not node.finalbody:
        return _with_handlers(b, node, lower)
    inside = [*node.body, *node.orelse, *node.handlers]
    if any(isinstance(n, _LEAVING) for item in inside for n in ast.walk(item)):
        b.refuse(refusals.exception_handling(), node)
        return True

    def guarded() -> bool:
        return _with_handlers(b, node, lower) if node.handlers else lower(b, node.body)

    handler = _finally(b, node, inside, lower)
    done = _try(b, node, guarded, [handler], [FINALLY])
    return done is not None and lower(b, node.finalbody)


def _without_constants(b: FunctionBuilder, node: ast.Try, lower: Lower) -> ast.Try:
    """Names that a body binds to constants at its start are bound in front of it."""
    body = list(node.body)
    while len(body) > 1 and _binds_constant(body[0]):
        lower(b, [body.pop(0)])
    shorter = ast.Try(body, node.handlers, node.orelse, node.finalbody)
    return ast.copy_location(shorter, node)


def _binds_constant(node: ast.stmt) -> bool:
    """Whether a statement is `n = 1`, which raises nothing."""
    return (
        isinstance(node, ast.Assign)
        and isinstance(node.value, ast.Constant)
        and all(isinstance(target, ast.Name) for target in node.targets)
    )


def _finally(
    b: FunctionBuilder, node: ast.Try, inside: Sequence[ast.AST], lower: Lower
) -> Callable[[], bool]:
    """What is done before an exception goes on; names that were bound are not known."""

    def handle() -> bool:
        for name in assigned_names(inside):
            b.bind(name, b.value(UnboundOp(name), node))
        if lower(b, node.finalbody):
            b.emit(UnreachableOp(), node)
        return False

    return handle


def _with_handlers(b: FunctionBuilder, node: ast.Try, lower: Lower) -> bool:
    handlers = [_handler(b, handler, lower) for handler in node.handlers]
    catches = [_caught(b, handler) for handler in node.handlers]
    completed = _try(b, node, lambda: lower(b, node.body), handlers, catches)
    if not node.orelse or completed is None:
        return completed is not None
    return lower_branch(
        *(b, node, completed[0], "else"), lambda: lower(b, node.orelse), lambda: True
    )


def _try(
    b: FunctionBuilder,
    node: ast.Try,
    body: Callable[[], bool],
    handlers: Sequence[Callable[[], bool]],
    catches: Sequence[str],
) -> Sequence[SSAValue] | None:
    """A `dycl.try`; where there is an `else`, gives whether the body completed.

    None: control does not fall through.
    """
    completed: list[list[SSAValue]] = []

    def side(lower: Callable[[], bool], value: bool) -> Callable[[], bool]:
        def run() -> bool:
            falls = lower()
            asked = falls and catches != [FINALLY] and node.orelse
            completed.append([b.constant(value, node)] if asked else [])
            return falls

        return run

    sides = [b.region(side(body, True))]
    sides += [b.region(side(handler, False)) for handler in handlers]
    is_single = len(node.body) == 1 and _does_nothing_before(b, node.body[0])

    def make(types: Sequence[Attribute], regions: Sequence[Region]) -> TryOp:
        body, *handlers = regions
        return TryOp(types, body, catches, handlers, one_statement=is_single)

    return close_regions(b, node, sides, completed, make)


def _does_nothing_before(b: FunctionBuilder, node: ast.stmt) -> bool:
    """Whether a statement that fails in an expression has changed nothing by then."""
    if not isinstance(node, (ast.Assign, ast.Expr, ast.Return)):
        return False
    for inner in ast.walk(node):
        if isinstance(inner, (ast.NamedExpr, ast.Await)):
            return False
        if isinstance(inner, ast.Call) and inner is not node.value:
            called = static_value(b, inner.func)
            if called is MISSING or called not in vars(builtins).values():
                return False
    return True


def _caught(b: FunctionBuilder, handler: ast.ExceptHandler) -> str:
    """Python's own exceptions that a handler catches, by name; "?": others too."""
    if handler.type is None:
        return "BaseException"
    caught = static_value(b, handler.type)
    if isinstance(handler.type, ast.Tuple):
        caught = tuple(static_value(b, item) for item in handler.type.elts)
    classes = cast(
        "tuple[Any, ...]", caught if isinstance(caught, tuple) else (caught,)
    )
    names: list[str] = []
    for item in classes:
        name = "?" if item is MISSING else getattr(item, "__name__", "?")
        names.append(name if getattr(builtins, name, None) is item else "?")
    return "?" if "?" in names else " ".join(names)


def _handler(
    b: FunctionBuilder, node: ast.ExceptHandler, lower: Lower
) -> Callable[[], bool]:
    """What a handler does; the name of the exception is unbound behind it."""

    def handle() -> bool:
        outer = set(b.caught)
        if node.name is not None:
            b.env.pop(node.name, None)
            b.caught.add(node.name)
        falls = lower(b, node.body)
        b.caught = outer
        if falls and node.name is not None:
            b.bind(node.name, b.value(UnboundOp(node.name), node))
        return falls

    return handle
