"""`with`: a manager is entered, the body runs, and the manager is left on each way out.

Before                         After
------                         -----
with m as v:                   %m = m
    body                       v = %m.__enter__()
    return w                   body
                               %w = w; %m.__exit__(None, None, None); return %w

Which managers are known to change nothing the passes say
(`dycl.passes.calls.contexts`). With managers of the user's the body is that of a
`dycl.try`: what it raises goes on behind `__exit__`.
"""

import ast
import contextlib
from collections.abc import Callable

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import SSAValue

from dycl.frontend import refusals
from dycl.frontend.builder import FunctionBuilder
from dycl.frontend.exceptions import lower_guarded, lower_try
from dycl.frontend.expressions import lower_expression, static_value
from dycl.frontend.source import is_library
from dycl.ir import InvokeOp, UnreachableOp
from dycl.ir.contexts import ENTER, EXIT, TEXT
from dycl.ir.dialect.exceptions import WITH

Lower = Callable[[FunctionBuilder, list[ast.stmt]], bool]
Assign = Callable[[FunctionBuilder, ast.expr, SSAValue], None]


def lower_with(
    b: FunctionBuilder, node: ast.With, lower: Lower, assign: Assign
) -> bool:
    """`with a as x, b: body`; says whether control falls through."""
    head, *rest = node.items
    body: list[ast.stmt] = node.body
    if rest:
        body = [ast.copy_location(ast.With(rest, node.body), node)]
    suppressed = _suppressed(b, head.context_expr)
    if suppressed is not None:
        kinds = ast.copy_location(ast.Tuple(suppressed, ast.Load()), node)
        nothing: list[ast.stmt] = [ast.copy_location(ast.Pass(), node)]
        handler = ast.copy_location(ast.ExceptHandler(kinds, None, nothing), node)
        attempt = ast.copy_location(ast.Try(body, [handler], [], []), node)
        return lower_try(b, attempt, lower)
    context_expr = head.context_expr
    manager = lower_expression(b, context_expr)
    entered = InvokeOp(manager, ENTER, [])
    entered.attributes[TEXT] = StringAttr(ast.unparse(context_expr))
    value = b.value(entered, context_expr)
    if head.optional_vars is not None:
        assign(b, head.optional_vars, value)

    def leave() -> bool:
        given = [b.constant(None, context_expr) for _ in range(3)]
        b.emit(InvokeOp(manager, EXIT, given), context_expr)
        return True

    def guarded() -> bool:
        b.exits.append(leave)
        falls = lower(b, body)
        b.exits.pop()
        return falls

    def raised() -> bool:
        unknown = b.refuse(refusals.exception_of_exit(), context_expr)
        b.emit(InvokeOp(manager, EXIT, [unknown] * 3), context_expr)
        b.emit(UnreachableOp(), node)
        return False

    if _is_librarys(b, context_expr):
        return guarded() and leave()
    falls = lower_guarded(b, node, guarded, raised, WITH)
    return falls and leave()


def _is_librarys(b: FunctionBuilder, node: ast.expr) -> bool:
    """Whether a manager is made by a library, which lets exceptions pass."""
    if not isinstance(node, ast.Call):
        return False
    callee = static_value(b, node.func)
    module = getattr(callee, "__module__", None)
    return isinstance(module, str) and is_library(module.partition(".")[0])


def _suppressed(b: FunctionBuilder, node: ast.expr) -> list[ast.expr] | None:
    """The classes of `contextlib.suppress(A, B)`."""
    if not isinstance(node, ast.Call) or node.keywords or not node.args:
        return None
    callee = static_value(b, node.func)
    return list(node.args) if callee is contextlib.suppress else None
