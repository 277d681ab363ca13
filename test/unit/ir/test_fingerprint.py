"""Equal fingerprints for equal programs, different ones for all that differs."""

import pytest
from xdsl.context import Context
from xdsl.parser import Parser

from dycl.ir.fingerprint import fingerprint
from dycl.universe import everything

PROGRAM = """
func.func @f(%x: i64, %y: i64) -> i64 {
  %a = arith.addi %x, %y : i64
  func.return %a : i64
}
"""


def of(text: str) -> list[object]:
    context = Context()
    for name, load in everything().all_dialects.items():
        context.register_dialect(name, load)
    return fingerprint(Parser(context, text).parse_module())


def test_names_and_line_breaks_do_not_count() -> None:
    assert of(PROGRAM) == of(PROGRAM.replace("%a", "%other").replace("{", "{\n"))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("addi", "muli"),
        ("%x, %y : i64", "%y, %x : i64"),
        ("return %a", "return %x"),
        ("i64", "i32"),
        ("@f", "@g"),
        ("  func.return", "  %b = arith.addi %x, %y : i64\n  func.return"),
    ],
    ids=["op", "operand order", "operand", "type", "property", "one op more"],
)
def test_all_else_counts(old: str, new: str) -> None:
    assert of(PROGRAM) != of(PROGRAM.replace(old, new))
