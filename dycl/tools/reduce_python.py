"""Smaller candidates of a Python module, for the reducer."""

import ast
from collections.abc import Iterator

_BODIES = ("body", "orelse", "finalbody")


def python_steps(text: str) -> Iterator[str]:
    """The module without some statements, or with a block in place of its statement.

    Comments go with the first step: candidates are printed from the syntax tree.
    Nothing for a text that is no Python.
    """
    try:
        count = len(_places(ast.parse(text)))
    except SyntaxError:
        return
    size = max(count // 2, 1)
    while size > 0:
        for start in reversed(range(0, count, size)):
            tree = ast.parse(text)
            for body, statement in reversed(_places(tree)[start : start + size]):
                _replace(body, statement, [])
            yield _printed(tree)
        size = size // 2
    for number in range(count):
        for name in _BODIES:
            tree = ast.parse(text)
            body, statement = _places(tree)[number]
            inner = getattr(statement, name, None)
            if inner and not isinstance(statement, ast.FunctionDef | ast.ClassDef):
                _replace(body, statement, inner)
                yield _printed(tree)


def _places(tree: ast.AST) -> list[tuple[list[ast.stmt], ast.stmt]]:
    """Each statement with the list that it is in, outer before inner."""
    return [
        (body, statement)
        for node in ast.walk(tree)
        for name in _BODIES
        if isinstance(body := getattr(node, name, None), list)
        for statement in body
        if isinstance(statement, ast.stmt)
    ]


def _replace(body: list[ast.stmt], statement: ast.stmt, others: list[ast.stmt]) -> None:
    index = next(i for i, one in enumerate(body) if one is statement)
    body[index : index + 1] = others


def _printed(tree: ast.Module) -> str:
    for node in ast.walk(tree):
        if getattr(node, "body", None) == [] and not isinstance(node, ast.Module):
            node.body = [ast.Pass()]  # pyright: ignore[reportAttributeAccessIssue]
    return ast.unparse(ast.fix_missing_locations(tree)) + "\n"
