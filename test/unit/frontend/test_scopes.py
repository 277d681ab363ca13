"""What the frontend asks of a function's syntax tree."""

import ast
import inspect

import pytest

from dycl.frontend import scopes, source

EVERY_KIND = """
async def waits():
    async with a as b:
        await c
@decorated
def f(p, /, q=1, *rest, key: int = 2, **more) -> None:
    global g
    def inner():
        nonlocal p
        p, (q[0], *r.s) = yield from t
    try:
        del q[1:2, ...]
    except (A, B) as error:
        raise C from error
    match p:
        case {"k": [1, *_], **others} | K(x, y=None) if (w := p):
            return [i async for i in j if i] + [*k, {**m, n: f"{o!r:>{width}}"}]
"""


@pytest.mark.parametrize("text", [EVERY_KIND, inspect.getsource(source)])
def test_children_are_those_of_python_but_for_contexts(text):
    for node in ast.walk(ast.parse(text)):
        wanted = ast.iter_child_nodes(node)
        wanted = [n for n in wanted if not isinstance(n, ast.expr_context)]
        assert source.children(node) == wanted


def test_nodes_of_a_scope_are_in_the_order_of_the_text():
    (function,) = ast.parse("def f(a):\n    b = [a + 1, lambda c: d]\n    e = b").body
    names = [n.id for n in scopes.own_nodes(function.body) if isinstance(n, ast.Name)]
    assert names == ["b", "a", "e", "b"]


def test_a_cell_is_what_changes_behind_the_function_that_captures_it():
    text = "def f(a, b):\n    def g():\n        return a + b\n    a = 1\n    return g"
    (function,) = ast.parse(text).body
    assert scopes.cell_names(function) == {"a"}
    (plain,) = ast.parse("def f(a):\n    a = 1\n    return a").body
    assert scopes.cell_names(plain) == set()
