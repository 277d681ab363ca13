"""A file is gone over for private names only where its text has some."""

import ast

import pytest

from dycl.frontend import definitions
from dycl.frontend.mangling import has_private_names, mangle


@pytest.mark.parametrize(
    "text",
    ["self.__x", "__x", "___x", "f(__x=1)", "__x_", "__x__y", "a.\uff3f\uff3fx"],
)
def test_found(text):
    assert has_private_names(text)


@pytest.mark.parametrize(
    "text", ["self.__init__", "__", "____", "a__b", "_x", "x__", "_", ""]
)
def test_there_are_none(text):
    assert not has_private_names(text)
    tree = ast.parse(f"class C:\n    {text or 'pass'}\n")
    before = ast.dump(tree)
    mangle(tree)
    assert ast.dump(tree) == before


@pytest.mark.parametrize(("name", "count"), [("__x", 1), ("__x__", 0)])
def test_a_file_without_any_is_left_alone(name, count, monkeypatch):
    runs = []
    monkeypatch.setattr(definitions, "mangle", runs.append)
    definitions._nodes.__wrapped__(f"class C:\n    def f(self):\n        self.{name}\n")
    assert len(runs) == count
