"""Which variables an inner function captures, and which of these may still change."""

import ast
from collections.abc import Iterator, Sequence

from dycl.frontend.source import assigned_names, children

Function = ast.FunctionDef | ast.Lambda
_FUNCTIONS = (ast.FunctionDef, ast.Lambda)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_LOOPS = (ast.For, ast.While)


def parameters(node: Function) -> list[str]:
    """The names of a function's parameters."""
    args = node.args
    every = [*args.posonlyargs, *args.args, *args.kwonlyargs]
    every += [a for a in (args.vararg, args.kwarg) if a is not None]
    return [a.arg for a in every]


def body_of(node: Function) -> Sequence[ast.AST]:
    """What a function runs."""
    return [node.body] if isinstance(node, ast.Lambda) else node.body


def declared(nodes: Sequence[ast.AST], kind: type[ast.Nonlocal]) -> set[str]:
    """Names that a function declares `nonlocal` for itself."""
    return {n for o in own_nodes(nodes) if isinstance(o, kind) for n in o.names}


def local_names(node: Function) -> set[str]:
    """Names that belong to a function: its parameters, and all that it binds."""
    body = body_of(node)
    bound = {*parameters(node), *assigned_names(body)}
    return bound - declared(body, ast.Nonlocal)


def captured_names(node: Function, outer: set[str]) -> list[str]:
    """Variables of the function around that an inner one uses, in order of names."""
    return sorted(_free(node) & outer)


def cell_names(node: Function) -> set[str]:
    """Local variables that an inner function captures and that may change after it is
    defined: both see the change."""
    body = body_of(node)
    functions = list(_inner_functions(body, ()))
    if not functions:  # as in most functions, of which some are long
        return set()
    own = local_names(node)
    cells: set[str] = set()
    for inner, loops in functions:
        for name in captured_names(inner, own):
            once = not loops and list(_bindings(body, name)) == [inner]
            if once and is_own_name(inner, name):
                continue  # it can only mean the function itself
            changes = _binds_outer(inner, name) or any(
                _position(bound) >= _position(inner) for bound in _bindings(body, name)
            )
            again = any(list(_bindings([loop], name)) for loop in loops)
            if changes or again:
                cells.add(name)
    return cells


def may_change_behind(node: Function, place: ast.expr, name: str) -> bool:
    """Whether a function may bind a variable of its own anew after an expression."""
    body = body_of(node)
    around = [
        loop
        for part in body
        for loop in ast.walk(part)
        if isinstance(loop, _LOOPS) and any(o is place for o in ast.walk(loop))
    ]
    behind = any(_position(b) >= _position(place) for b in _bindings(body, name))
    again = any(list(_bindings([loop], name)) for loop in around)
    inner = [f for f, _ in _inner_functions(body, ())]
    return behind or again or any(_binds_outer(f, name) for f in inner)


def is_own_name(node: Function, name: str) -> bool:
    """Whether a name is the function's own."""
    return isinstance(node, ast.FunctionDef) and node.name == name


def own_nodes(nodes: Sequence[ast.AST]) -> Iterator[ast.AST]:
    """All nodes of a scope; functions and classes inside as one node each."""
    waiting = list(reversed(nodes))
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, (*_FUNCTIONS, ast.ClassDef)):
            waiting += reversed(children(node))


def _inner_functions(
    nodes: Sequence[ast.AST], loops: tuple[ast.AST, ...]
) -> Iterator[tuple[Function, tuple[ast.AST, ...]]]:
    """Functions defined directly inside, each with the loops around it."""
    for node in nodes:
        if isinstance(node, _FUNCTIONS):
            yield node, loops
            yield from _inner_functions(_evaluated_outside(node), loops)
            continue
        around = (*loops, node) if isinstance(node, _LOOPS) else loops
        yield from _inner_functions(children(node), around)


def _evaluated_outside(node: Function) -> list[ast.AST]:
    """Defaults and decorators belong to the scope around."""
    outside: list[ast.AST] = [*node.args.defaults]
    outside += [d for d in node.args.kw_defaults if d is not None]
    return outside + (
        list(node.decorator_list) if isinstance(node, ast.FunctionDef) else []
    )


def _bindings(nodes: Sequence[ast.AST], name: str) -> Iterator[ast.AST]:
    """Places of a scope that bind a name. Comprehensions have their own targets."""
    for node in nodes:
        if isinstance(node, (*_FUNCTIONS, ast.ClassDef)):
            if getattr(node, "name", None) == name:
                yield node
        elif isinstance(node, _COMPREHENSIONS):
            walrus = [o for o in ast.walk(node) if isinstance(o, ast.NamedExpr)]
            yield from (o for o in walrus if o.target.id == name)
        else:
            if isinstance(node, ast.Name) and node.id == name:
                yield from [node] * (not isinstance(node.ctx, ast.Load))
            if isinstance(node, (ast.Import, ast.ImportFrom)):
                names = [(a.asname or a.name).split(".")[0] for a in node.names]
                yield from [node] * (name in names)
            yield from _bindings(children(node), name)


def _binds_outer(node: Function, name: str) -> bool:
    """Whether an inner function, or one inside it, assigns to an outer variable."""
    body = body_of(node)
    if name in declared(body, ast.Nonlocal):
        return True
    inner = [f for f, _ in _inner_functions(body, ())]
    return any(_binds_outer(f, name) for f in inner if name not in local_names(node))


def _position(node: ast.AST) -> tuple[int, int]:
    return getattr(node, "lineno", 0), getattr(node, "col_offset", 0)


def _free(node: Function) -> set[str]:
    return _used(body_of(node)) - local_names(node)


def _used(nodes: Sequence[ast.AST]) -> set[str]:
    """Names that a scope, and those inside it, take from somewhere."""
    result: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.Name):
            result.add(node.id)
        elif isinstance(node, ast.Nonlocal):
            result.update(node.names)
        elif isinstance(node, _FUNCTIONS):
            result |= _free(node) | _used(_evaluated_outside(node))
        elif isinstance(node, _COMPREHENSIONS):
            targets = set(assigned_names([g.target for g in node.generators]))
            first = node.generators[0].iter
            result |= _used([first])
            result |= _used(children(node)) - targets
        else:
            result |= _used(children(node))
    return result
