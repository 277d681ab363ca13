"""`with`: a manager is entered, the body runs, and the manager is left on each way out.

Before                         After
------                         -----
with m as v:                   %m = m
    body                       v = %m.__enter__()
    return w                   body
                               %w = w; %m.__exit__(None, None, None); return %w

Which managers are known to change nothing the passes say
(`dycl.passes.calls.contexts`). A body that raises ends the run: `__exit__` is not
called then.
"""

import ast
import contextlib
from collections.abc import Callable

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import SSAValue

from dycl.frontend.builder import FunctionBuilder
from dycl.frontend.exceptions import lower_try
from dycl.frontend.expressions import lower_expression, static_value
from dycl.ir import InvokeOp
from dycl.ir.contexts import ENTER, EXIT, TEXT

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

    def leave() -> None:
        given = [b.constant(None, context_expr) for _ in range(3)]
        b.emit(InvokeOp(manager, EXIT, given), context_expr)

    b.exits.append(leave)
    falls = lower(b, body)
    b.exits.pop()
    if falls:
        leave()
    return falls


def _suppressed(b: FunctionBuilder, node: ast.expr) -> list[ast.expr] | None:
    """The classes of `contextlib.suppress(A, B)`."""
    if not isinstance(node, ast.Call) or node.keywords or not node.args:
        return None
    callee = static_value(b, node.func)
    return list(node.args) if callee is contextlib.suppress else None
