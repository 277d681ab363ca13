"""`try`: an `if` on whether its body completes, which the compiler must find out.

Before                         After
------                         -----
try: body                      %ok = dycl.unsupported "DY107" ... {handlers = [..]}
except E: handler              dycl.if %ok { body } else { handler }
else: rest                     dycl.if %ok { rest }
finally: end                   end

`dycl-settle-tries` makes a constant of `%ok` when that is known without the data; where
it is not, the refusal survives and is reported.
"""

import ast
import builtins
from collections.abc import Callable, Sequence
from typing import Any, cast

from xdsl.dialects.builtin import ArrayAttr, StringAttr, UnitAttr
from xdsl.ir import SSAValue

from dycl.frontend import refusals
from dycl.frontend.builder import FunctionBuilder
from dycl.frontend.control import lower_branch
from dycl.frontend.expressions import static_value
from dycl.frontend.names import MISSING
from dycl.ir import UnboundOp, UnreachableOp, UnsupportedOp
from dycl.ir.attempts import HANDLERS, ONE_STATEMENT, TRY

Lower = Callable[[FunctionBuilder, list[ast.stmt]], bool]
_LEAVING = (ast.Return, ast.Break, ast.Continue, ast.Raise)


def lower_try(b: FunctionBuilder, node: ast.Try, lower: Lower) -> bool:
    """`try`, given how to lower statements; says whether control falls through."""
    if not node.finalbody:
        return _with_handlers(b, node, lower)
    inside = [*node.body, *node.orelse, *node.handlers]
    if any(isinstance(n, _LEAVING) for one in inside for n in ast.walk(one)):
        b.refuse(refusals.exception_handling(), node)
        return True

    def guarded() -> bool:
        return _with_handlers(b, node, lower) if node.handlers else lower(b, node.body)

    completed = _attempt(b, node, [])
    falls = lower_branch(b, node, completed, TRY, guarded, lambda: _unreached(b, node))
    return falls and lower(b, node.finalbody)


def _with_handlers(b: FunctionBuilder, node: ast.Try, lower: Lower) -> bool:
    completed = _attempt(b, node, node.handlers)
    falls = lower_branch(
        *(b, node, completed, TRY),
        lambda: lower(b, node.body),
        lambda: _handlers(b, node.handlers, 0, completed, lower),
    )
    if not node.orelse or not falls:
        return falls
    return lower_branch(
        *(b, node, completed, "else"), lambda: lower(b, node.orelse), lambda: True
    )


def _attempt(
    b: FunctionBuilder, node: ast.Try, handlers: Sequence[ast.ExceptHandler]
) -> SSAValue:
    """Whether the body completes: not known yet."""
    refusal = refusals.exception_handling()
    op = UnsupportedOp(refusal.code, refusal.what, refusal.help)
    names = [StringAttr(_caught(b, handler)) for handler in handlers]
    op.attributes[HANDLERS] = ArrayAttr(names)
    if len(node.body) == 1 and _does_nothing_before(b, node.body[0]):
        op.attributes[ONE_STATEMENT] = UnitAttr()
    return b.value(op, node)


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
    found = static_value(b, handler.type)
    if isinstance(handler.type, ast.Tuple):
        found = tuple(static_value(b, one) for one in handler.type.elts)
    classes = cast("tuple[Any, ...]", found if isinstance(found, tuple) else (found,))
    names: list[str] = []
    for one in classes:
        name = "?" if one is MISSING else getattr(one, "__name__", "?")
        names.append(name if getattr(builtins, name, None) is one else "?")
    return "?" if "?" in names else " ".join(names)


def _handlers(
    b: FunctionBuilder,
    handlers: Sequence[ast.ExceptHandler],
    index: int,
    completed: SSAValue,
    lower: Lower,
) -> bool:
    """One handler after another, each behind a question of its own but the last."""
    head = handlers[index]

    def handle() -> bool:
        outer = set(b.caught)
        if head.name is not None:
            b.env.pop(head.name, None)
            b.caught.add(head.name)
        falls = lower(b, head.body)
        b.caught = outer
        if falls and head.name is not None:
            b.bind(head.name, b.value(UnboundOp(head.name), head))
        return falls

    if index == len(handlers) - 1:
        return handle()
    refusal = refusals.exception_handling()
    asked = UnsupportedOp(refusal.code, refusal.what, refusal.help)
    return lower_branch(
        *(b, head, b.value(asked, head), f"except {index}"),
        handle,
        lambda: _handlers(b, handlers, index + 1, completed, lower),
    )


def _unreached(b: FunctionBuilder, node: ast.Try) -> bool:
    b.emit(UnreachableOp(), node)
    return False
