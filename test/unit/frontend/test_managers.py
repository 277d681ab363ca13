"""Functions under `contextlib.contextmanager`: how they are parted at their `yield`."""

import ast
import contextlib

import pytest

from dycl.frontend.managers import is_manager, parted
from dycl.frontend.source import FunctionSource

KEEPS = """
def scaled(self, k):
    old = self.k
    self.k = k
    try:
        seen = yield k
        print(seen)
    finally:
        self.k = old
    print(k)
"""
PARTED = """
def scaled(self, k):

    def enter(self=self, k=k):
        old = self.k
        self.k = k
        return (k, (old,))

    def leave(old, self=self, k=k):
        try:
            seen = None
            print(seen)
        finally:
            self.k = old
        print(k)
    return Manager(enter, leave)
"""


def source(text):
    (node,) = ast.parse(text.strip()).body
    return FunctionSource(lambda: None, node, "net.py")


def test_what_stands_in_front_of_the_yield_and_what_follows():
    made = parted(source(KEEPS))
    assert ast.unparse(made.node).replace(".Manager", "Manager") == PARTED.strip()
    assert all(
        hasattr(n, "lineno") for n in ast.walk(made.node) if isinstance(n, ast.stmt)
    )


def test_a_parameter_that_is_bound_anew_is_kept():
    made = parted(source("def f(k):\n    k = k + 1\n    yield"))
    _, leave, _ = made.node.body
    assert ast.unparse(leave).startswith("def leave(k):")


@pytest.mark.parametrize(
    "body",
    [
        "for i in (1,):\n        yield i",
        "if k:\n        yield k",
        "yield k\n    yield k",
        "try:\n        yield k\n    except ValueError:\n        pass",
        "try:\n        k = f(k)\n        yield k\n    finally:\n        g()",
        "if k:\n        return\n    yield k",
        "yield from k",
        "g((yield k))",
    ],
)
def test_a_yield_that_is_not_alone_is_not_taken(body):
    assert parted(source(f"def f(k):\n    {body}")) is None


def test_only_contextlibs_own_decorator_is_seen_through():
    def plain():
        yield

    assert is_manager(contextlib.contextmanager(plain))
    assert not is_manager(plain)
    assert not is_manager(contextlib.contextmanager(contextlib.contextmanager(plain)))
