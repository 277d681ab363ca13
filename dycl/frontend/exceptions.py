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
exception goes on; what is done before a `return`, `break` or `continue` stands there.
Names that a handler may see as the body has left them are in cells, as variables of
inner functions are.
"""

import ast
import builtins
from collections.abc import Callable, Sequence
from typing import Any, cast

from xdsl.ir import Attribute, Region, SSAValue

from dycl.frontend import refusals
from dycl.frontend.builder import FunctionBuilder
from dycl.frontend.capture.classes import class_name
from dycl.frontend.control import close_regions, lower_branch
from dycl.frontend.expressions import static_value
from dycl.frontend.names import MISSING, is_users_class
from dycl.frontend.source import assigned_names
from dycl.ir import RaiseOp, TryOp, UnboundOp, UnreachableOp
from dycl.ir.dialect.exceptions import ELSE, FINALLY

Lower = Callable[[FunctionBuilder, list[ast.stmt]], bool]
_LEAVING = (ast.Return, ast.Break, ast.Continue, ast.Raise)


def lower_try(b: FunctionBuilder, node: ast.Try, lower: Lower) -> bool:
    """`try`, given how to lower statements; says whether control falls through."""
    node = _without_constants(b, node, lower)
    if not node.finalbody:
        return _with_handlers(b, node, lower)
    depth = len(b.loops)

    def leave() -> bool:
        if len(b.loops) != depth and _jumps(node.finalbody):
            refused = b.refuse(refusals.leaving_jump(), node)
            b.emit(RaiseOp("builtins.Exception", [refused]), node)
            return False
        return lower(b, node.finalbody)

    def guarded() -> bool:
        b.exits.append(leave)
        falls = _with_handlers(b, node, lower) if node.handlers else lower(b, node.body)
        b.exits.pop()
        return falls

    def raised() -> bool:
        if lower(b, node.finalbody):
            b.emit(UnreachableOp(), node)
        return False

    inside = [*node.body, *node.orelse, *node.handlers]
    shared = _share(b, node, assigned_names(inside), node.finalbody)
    falls = lower_guarded(b, node, guarded, raised, FINALLY)
    b.end_cells(shared, node)
    return falls and lower(b, node.finalbody)


def lower_guarded(
    b: FunctionBuilder,
    node: ast.Try | ast.With,
    body: Callable[[], bool],
    raised: Callable[[], bool],
    kind: str,
) -> bool:
    """What is done before an exception of the body goes on; `kind`: see `TryOp`."""
    sides = [b.region(body), b.region(raised)]

    def make(types: Sequence[Attribute], regions: Sequence[Region]) -> TryOp:
        return TryOp(types, regions[0], [kind], [regions[1]])

    return close_regions(b, node, sides, [(), ()], make) is not None


def _jumps(body: Sequence[ast.AST]) -> bool:
    """Whether a `break` or `continue` of a loop around is among the statements."""
    stack = list(body)
    while stack:
        node = stack.pop()
        if isinstance(node, (ast.Break, ast.Continue)):
            return True
        if not isinstance(node, (ast.For, ast.While, ast.FunctionDef, ast.ClassDef)):
            stack += ast.iter_child_nodes(node)
    return False


def _share(
    b: FunctionBuilder, node: ast.Try, names: Sequence[str], behind: Sequence[ast.AST]
) -> list[str]:
    """Names that `behind` reads, when the body has raised, are in cells from here on:
    there they are as the body has left them."""
    read: set[str] = set()
    for inner in (n for part in behind for n in ast.walk(part)):
        if isinstance(inner, ast.AugAssign) and isinstance(inner.target, ast.Name):
            read.add(inner.target.id)
        elif isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Load):
            read.add(inner.id)
    shared = [name for name in names if name in read and name not in b.cells]
    for name in shared:
        if name not in b.env:
            b.env[name] = b.value(UnboundOp(name), node)
    b.make_cells(shared, node)
    return shared


def _behind(b: FunctionBuilder, node: ast.Try) -> list[ast.AST]:
    """What may run when the body has raised: handlers, and what follows these."""
    ends = (handler.body[-1] for handler in node.handlers)
    if all(isinstance(end, (ast.Return, ast.Raise)) for end in ends):
        return list(node.handlers)
    body = set() if b.loops else {id(statement) for statement in node.body}
    found: list[ast.AST] = []
    waiting: list[ast.AST] = [b.source.node]
    while waiting:
        part = waiting.pop()
        if id(part) not in body:
            children = list(ast.iter_child_nodes(part))
            waiting += children
            found += [] if children else [part]
            found += [part] if isinstance(part, (ast.Name, ast.AugAssign)) else []
    return found


def _bound_before_raising(body: Sequence[ast.stmt]) -> list[str]:
    """Names that a body may have bound when it raises."""
    *before, last = body
    plain = (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Expr, ast.Return)
    if not isinstance(last, plain):
        before = [*body]
    walrus = [n for n in ast.walk(last) if isinstance(n, ast.NamedExpr)]
    return assigned_names([*before, *walrus])


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


def _with_handlers(b: FunctionBuilder, node: ast.Try, lower: Lower) -> bool:
    shared = _share(b, node, _bound_before_raising(node.body), _behind(b, node))
    handlers = [_handler(b, handler, lower) for handler in node.handlers]
    catches = [_caught(b, handler) for handler in node.handlers]
    completed = _try(b, node, lambda: lower(b, node.body), handlers, catches)
    b.end_cells(shared, node)
    if not node.orelse or completed is None:
        return completed is not None
    return lower_branch(
        *(b, node, completed[0], ELSE), lambda: lower(b, node.orelse), lambda: True
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
            asked = falls and node.orelse
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
    """The exceptions that a handler catches, as `TryOp` has them."""
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
        if is_users_class(item):
            names.append(class_name(item))
        else:
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
        b.handling.append(node.name)
        falls = lower(b, node.body)
        b.handling.pop()
        b.caught = outer
        if falls and node.name is not None:
            b.bind(node.name, b.value(UnboundOp(node.name), node))
        return falls

    return handle
