"""A Python module with as little in it as still fails, for the reducer.

From coarse to fine: the statements of the module, then those of its classes, then those
in functions and in their blocks. At each depth runs of statements are left out, long
ones first, down to single ones; then blocks take the place of their statements.
"""

import ast
from collections.abc import Callable

_BODIES = ("body", "orelse", "finalbody")

Fails = Callable[[str], bool]


def reduce_python(text: str, fails: Fails) -> str:
    """The module without what the failure does not need.

    `fails` is asked of each smaller module; comments go with the first step, since
    modules are printed from the syntax tree. A text that is no Python is given back.
    """
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return text
    if fails(plain := _printed(tree)):
        text = plain
    before = ""
    while before != text:
        before = text
        depth = 0
        while _places(text, depth)[1]:
            text = _without_runs(text, depth, fails)
            depth += 1
        text = _with_open_blocks(text, fails)
    return text


def _without_runs(text: str, depth: int, fails: Fails) -> str:
    """Less of the statements at one depth: runs of them, of half as many each time."""
    size = len(_places(text, depth)[1])
    while size > 0:
        # From behind: what is defined is used further down.
        end = len(_places(text, depth)[1])
        while end > 0:
            tree, places = _places(text, depth)
            start = max(end - size, 0)
            for body, statement in places[start:end]:
                _replace(body, statement, [])
            if fails(smaller := _printed(tree)):
                text = smaller
            end = start
        size //= 2
    return text


def _with_open_blocks(text: str, fails: Fails) -> str:
    """Blocks in the place of their `if`, `for`, `with` or `try`, where that fails."""
    number = 0
    while number < len(_all_places(ast.parse(text))):
        for name in _BODIES:
            tree = ast.parse(text)
            _, body, statement = _all_places(tree)[number]
            inner = getattr(statement, name, None)
            if inner and not isinstance(statement, _DEFINITIONS):
                _replace(body, statement, inner)
                if fails(smaller := _printed(tree)):
                    text = smaller
                    break
        else:
            number += 1
    return text


_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_Place = tuple[list[ast.stmt], ast.stmt]


def _places(text: str, depth: int) -> tuple[ast.Module, list[_Place]]:
    """The tree of a module, and the statements at a depth, with the list of each."""
    tree = ast.parse(text)
    places = [
        (body, statement)
        for level, body, statement in _all_places(tree)
        if level == depth
    ]
    return tree, places


def _all_places(tree: ast.Module) -> list[tuple[int, list[ast.stmt], ast.stmt]]:
    """All statements in order, each with its depth and its list. A `pass` that fills a
    block is none."""
    result: list[tuple[int, list[ast.stmt], ast.stmt]] = []

    def visit(node: ast.AST, depth: int) -> None:
        for name in _BODIES:
            body: list[ast.stmt] | None = getattr(node, name, None)
            if not isinstance(body, list):
                continue
            for statement in body:
                if not (isinstance(statement, ast.Pass) and len(body) == 1):
                    result.append((depth, body, statement))
                    visit(statement, depth + 1)
        for handler in getattr(node, "handlers", ()):
            visit(handler, depth)

    visit(tree, 0)
    return result


def _replace(body: list[ast.stmt], statement: ast.stmt, others: list[ast.stmt]) -> None:
    index = next(i for i, one in enumerate(body) if one is statement)
    body[index : index + 1] = others


def _printed(tree: ast.Module) -> str:
    for node in ast.walk(tree):
        if getattr(node, "body", None) == [] and not isinstance(node, ast.Module):
            node.body = [ast.Pass()]  # pyright: ignore[reportAttributeAccessIssue]
    return ast.unparse(ast.fix_missing_locations(tree)) + "\n"
