"""Names of the user's as names of values: those in a text are all different."""

import pytest
from xdsl.context import Context
from xdsl.dialects import test
from xdsl.dialects.builtin import Builtin, ModuleOp, i32
from xdsl.parser import Parser

from dycl.ir.value_names import value_name


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("x", "x"),
        ("x_1", "x"),
        ("x_1_0", "x"),
        ("0.n", "p0_n"),
        ("h0_in_1a", "h0_in_1a"),
        ("_1", "p"),
        ("_", "_"),
        ("cache['a'][1]", "cache__a___1_"),
    ],
)
def test_hints(text: str, wanted: str) -> None:
    assert value_name(text) == wanted


def test_names_that_end_with_numbers_are_read_again() -> None:
    ops = [test.TestOp(result_types=[i32]) for _ in range(5)]
    for op, name in zip(ops, ("x_1_0", "x", "x", "x_1", "x_1_1"), strict=True):
        op.results[0].name_hint = value_name(name)
    text = str(ModuleOp([*ops, test.TestOp([op.results[0] for op in ops])]))
    context = Context()
    context.load_dialect(test.Test)
    context.load_dialect(Builtin)
    read = Parser(context, text).parse_module()
    assert str(read) == text
