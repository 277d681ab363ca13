"""Copies of ops are what xDSL's are: text, places and names."""

import pytest
from xdsl.dialects.func import FuncOp

from dycl.driver.ir_dump import printed
from dycl.ir.cloning import clone
from dycl.ir.placing_parser import parse_text
from dycl.ir.walking import walk
from dycl.tools.same import new_context

PROGRAM = """
func.func @f(%x: !dycl.value, %c: !dycl.value) -> !dycl.value {
  %one = dycl.constant 1 : i64 loc("net.py":2:1)
  %y = dycl.if %c -> (!dycl.value) {
    %z = dycl.binary add %x, %one loc("net.py":4:1)
    %w = dycl.if %z -> (!dycl.value) {
      dycl.yield %z
    } else {
      dycl.yield %x
    }
    dycl.yield %w
  } else {
    dycl.yield %one
  } loc("net.py":3:1)
  dycl.return %y
} loc("net.py":1:1)
"""
JUMPS = """
func.func @f(%c: i1) -> i1 {
  cf.cond_br %c, ^bb1(%c : i1), ^bb2
^bb1(%x: i1):
  cf.br ^bb2
^bb2:
  func.return %c : i1
}
"""


def _module(text):
    return parse_text(new_context(), text, "net.mlir")


@pytest.mark.parametrize("text", [PROGRAM, JUMPS])
def test_the_copy_has_the_same_text_and_places(text):
    module = _module(text)
    copy = clone(module)
    copy.verify()
    assert printed(copy, locations=True) == printed(module, locations=True)
    originals = set(walk(module))
    assert not any(op in originals for op in walk(copy))


def test_operands_inside_are_looked_up_and_values_are_noted():
    function = next(op for op in _module(PROGRAM).walk() if isinstance(op, FuncOp))
    branch = next(op for op in function.body.block.ops if op.name == "dycl.if")
    x, c = function.body.block.args
    values = {x: c}
    copy = clone(branch, values)
    addition = copy.regions[0].block.first_op
    assert addition.operands[0] is c
    assert addition.results[0].name_hint == "z"
    assert values[branch.results[0]] is copy.results[0]
    copy.drop_all_references()


def test_attributes_are_not_shared():
    module = _module(PROGRAM)
    copy = clone(module)
    next(iter(copy.body.ops)).attributes.clear()
    assert "sym_name" in next(iter(module.body.ops)).properties
    assert copy.body is not module.body
