"""The region interface, of every op of the dialect that has regions."""

import pytest
from xdsl.traits import IsTerminator

from dycl.ir import Dycl, ReturnOp
from dycl.ir.dialect.syntax import VALUE
from dycl.ir.interfaces import (
    RegionBranchOp,
    RegionTerminator,
    forwarded_from,
    forwarded_to,
)
from dycl.ir.placing_parser import parse_text
from dycl.ir.walking import walk
from dycl.tools.same import new_context

EXAMPLES = {
    "dycl.if": """
      %r, %s = dycl.if %p -> (!dycl.value, !dycl.value) {
        dycl.if %q { dycl.return %x } else { dycl.yield } {test = "inner"}
        dycl.yield %x, %y
      } else {
        dycl.yield %y, %x
      } {test = "outer"}""",
    "dycl.switch": """
      %r, %s = dycl.switch %p -> (!dycl.value, !dycl.value) case 0 {
        dycl.yield %x, %y
      } case 1 {
        dycl.return %x
      } default {
        dycl.yield %y, %x
      } {test = "i"}""",
    "dycl.try": """
      %r, %s = dycl.try -> (!dycl.value, !dycl.value) {
        dycl.if %q { dycl.return %x } else { dycl.yield } {test = "inner"}
        dycl.yield %x, %y
      } except "ValueError" {
        dycl.return %x
      } except "?" {
        dycl.yield %y, %x
      }""",
    "dycl.scope": """
      %r, %s = dycl.scope "f" -> (!dycl.value, !dycl.value) {
        %i = dycl.scope "f" -> (!dycl.value) {
          dycl.leave "f" %x
        }
        dycl.for %item in %p {
          dycl.if %q { dycl.leave "f" %x, %i }
        }
        dycl.leave "f" %y, %x
      }""",
    "dycl.for": """
      %r, %s = dycl.for %item in %p carry(%a = %x, %b = %y) {
        dycl.if %q { dycl.continue %a, %item }
        dycl.for %inner in %p { dycl.break }
        dycl.if %q { dycl.break %b, %a }
        dycl.yield %b, %item
      } {test = "outer"}""",
    "dycl.while": """
      %r, %s = dycl.while carry(%a = %x, %b = %y) {
        dycl.condition %q, %b, %a
      } do (%c, %d) {
        dycl.if %q { dycl.continue %c, %c }
        dycl.if %p { dycl.break %d, %c }
        dycl.yield %d, %d
      } {test = "outer"}""",
}
"""An op with two results, and with each terminator that it may have."""

CONTROL = {op.name: op for op in Dycl.operations if op.get_irdl_definition().regions}
FUNCTION = CONTROL.pop("dycl.local_function")
"""What it returns goes to its calls, which are no edges."""
TERMINATORS = {op.name: op for op in Dycl.operations if op.has_trait(IsTerminator)}


def example(name):
    """The op of `EXAMPLES`, in a module that verifies."""
    text = f"""
    func.func @f(%p: !dycl.value, %q: !dycl.value, %x: !dycl.value, %y: !dycl.value) {{
      {EXAMPLES[name]}
      dycl.return %x
    }}
    """
    module = parse_text(new_context(), text, "example.mlir")
    module.verify()
    op = next(op for op in walk(module) if op.name == name)
    assert isinstance(op, RegionBranchOp)
    return module, op


def test_every_op_with_regions_has_the_interface_and_an_example():
    assert set(CONTROL) == set(EXAMPLES)
    assert all(issubclass(op, RegionBranchOp) for op in (*CONTROL.values(), FUNCTION))


def test_every_terminator_has_the_interface():
    assert all(issubclass(op, RegionTerminator) for op in TERMINATORS.values())


@pytest.mark.parametrize("name", CONTROL)
def test_edges_lead_somewhere_with_one_value_for_each_name(name):
    _, op = example(name)
    for source in (op, *op.terminators):
        for successor in op.region_successors(source):
            assert len(source.forwarded) == len(successor.inputs)
            assert successor.region is None or successor.region in op.regions
            if successor.region is None:
                assert list(successor.inputs) == list(op.results)
            elif successor.inputs:
                block = successor.region.block
                assert block in op.entered
                assert list(successor.inputs) == list(op.arguments(block))
    entered = [to.region for to in op.region_successors(op) if to.region is not None]
    assert entered


@pytest.mark.parametrize("name", CONTROL)
def test_terminators_are_those_inside_whose_target_is_the_op_in_order(name):
    _, op = example(name)
    inside = [end for end in walk(op) if isinstance(end, RegionTerminator)]
    assert op.terminators == [end for end in inside if end.target is op]
    assert any(isinstance(end, ReturnOp) or end.target is not op for end in inside) or (
        name == "dycl.while"
    )
    assert all(end in op.terminators for end in op.exits)


ENDS = {
    "dycl.if": ["dycl.yield", "dycl.yield"],
    "dycl.switch": ["dycl.yield", None, "dycl.yield"],
    "dycl.try": ["dycl.yield", None, "dycl.yield"],
    "dycl.scope": ["dycl.leave"],
    "dycl.for": ["dycl.yield"],
    "dycl.while": ["dycl.condition", "dycl.yield"],
}


@pytest.mark.parametrize("name", CONTROL)
def test_end_of_a_block_is_what_hands_over_to_the_op_and_no_jump(name):
    _, op = example(name)
    found = [op.end_of(region.block) for region in op.regions]
    assert [end and end.name for end in found] == ENDS[name]
    assert op.end_of(op.parent) is None


def test_a_jump_at_the_end_of_a_loop_hands_nothing_over():
    text = """
    func.func @f(%p: !dycl.value) {
      dycl.for %item in %p { dycl.continue }
      dycl.return %p
    }
    """
    module = parse_text(new_context(), text, "example.mlir")
    loop = next(op for op in walk(module) if op.name == "dycl.for")
    assert loop.end_of(loop.body.block) is None
    assert len(loop.back_edges) == 1


@pytest.mark.parametrize("name", CONTROL)
def test_values_can_be_followed_forwards_and_backwards(name):
    _, op = example(name)
    names = [*op.results, *(a for b in op.entered for a in op.arguments(b))]
    for value in names:
        sources = forwarded_from(value)
        assert sources
        for source in sources:
            assert any(
                value in forwarded_to(use.operation, use.index) for use in source.uses
            )
    for source in (op, *op.terminators):
        first = source.FORWARDED_FROM or 0
        for index, operand in enumerate(source.operands):
            to = forwarded_to(source, index)
            assert bool(to) == (source.FORWARDED_FROM is not None and index >= first)
            assert all(operand in forwarded_from(value) for value in to)


@pytest.mark.parametrize("name", CONTROL)
def test_a_value_can_be_added_on_all_edges(name):
    module, op = example(name)
    value = module.body.ops.first.body.block.args[2]
    attributes, location = dict(op.attributes), op.location
    added = op.append_arguments([VALUE], ["new"])
    assert len(added) == len(op.entered)
    for end in op.terminators:
        end.forward([*end.forwarded, value])
    block, following = op.parent, op.next_op
    new = op.rebuilt([*op.result_types, VALUE], [*op.forwarded, value])
    block.insert_op_before(new, following)
    for old, result in zip(op.results, new.results, strict=False):
        old.replace_all_uses_with(result)
    op.detach()
    op.erase()
    module.verify()
    assert type(new) is CONTROL[name]
    assert (new.attributes, new.location) == (attributes, location)
    assert len(new.results) == 3
    assert forwarded_from(new.results[2]) == [value] * len(
        [new for _ in new.exits] + ([new] if name == "dycl.for" else [])
    )


@pytest.mark.parametrize("name", CONTROL)
def test_a_value_can_be_dropped_on_all_edges(name):
    module, op = example(name)
    for end in op.terminators:
        end.forward([end.forwarded[1]])
    for block in op.entered:
        old, kept = op.arguments(block)
        old.replace_all_uses_with(kept)
    op.erase_arguments([0])
    block, following = op.parent, op.next_op
    new = op.rebuilt(op.result_types[1:], op.forwarded[1:])
    block.insert_op_before(new, following)
    op.detach()
    op.erase()
    module.verify()
    assert len(new.results) == 1
    assert all(len(end.forwarded) == 1 for end in new.terminators)


def test_jumps_breaks_and_back_edges_of_loops():
    for name in ("dycl.for", "dycl.while"):
        _, loop = example(name)
        assert [end.name for end in loop.jumps] == [
            "dycl.continue",
            "dycl.break",
            "dycl.yield",
        ]
        assert [end.name for end in loop.breaks] == ["dycl.break"]
        assert [end.name for end in loop.back_edges] == ["dycl.continue", "dycl.yield"]
