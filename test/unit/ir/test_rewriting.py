"""Rewriting: locations and names come from the op at hand; nobody else sets any."""

import ast
from pathlib import Path

import pytest
from xdsl.dialects.builtin import UnknownLoc
from xdsl.ir import Block, Region
from xdsl.pattern_rewriter import RewritePattern, op_type_rewrite_pattern
from xdsl.rewriter import InsertPoint

from dycl.ir import ConstantOp, IfOp, LeaveOp, ScopeOp, UnaryOp, YieldOp
from dycl.ir.dialect.syntax import VALUE
from dycl.ir.placing_parser import parse_text
from dycl.ir.rewriting import (
    LocatingBuilder,
    LocatingRewriter,
    append,
    apply_patterns,
    insert_after,
    insert_before,
    insert_constant,
    keep_results,
    replace,
)
from dycl.ir.values import to_attr
from dycl.ir.walking import walk
from dycl.tools.same import new_context

PASSES = Path(__file__).resolve().parents[3] / "dycl" / "passes"

TEXT = """
func.func @f(%x: !dycl.value, %p: !dycl.value) {
  %a = dycl.unary neg %x
  %b = dycl.unary neg %a
  dycl.return %b
}
"""


def parsed(text=TEXT):
    return parse_text(new_context(), text, "example.mlir")


def negations(module):
    return [op for op in walk(module) if isinstance(op, UnaryOp)]


def new_if(condition, value):
    """An op with regions, none of it located."""
    sides = [Region(Block([YieldOp([value])])) for _ in range(2)]
    return IfOp(condition, [VALUE], sides[0], sides[1])


@pytest.mark.parametrize("path", sorted(PASSES.rglob("*.py")), ids=lambda p: p.stem)
def test_no_pass_sets_a_location(path):
    found = [
        f"{path.name}:{node.lineno}"
        for statement in ast.walk(ast.parse(path.read_text()))
        if isinstance(statement, (ast.Assign, ast.AnnAssign, ast.AugAssign))
        for node in ast.walk(statement)
        if isinstance(node, ast.Attribute)
        and node.attr == "location"
        and isinstance(node.ctx, ast.Store)
    ]
    assert not found, "the functions of dycl.ir.rewriting give ops their location"


@pytest.mark.parametrize("insert", [insert_before, insert_after])
def test_what_is_inserted_stands_for_the_op_beside_it(insert):
    first, second = negations(parsed())
    new = new_if(first.operand, first.operand)
    insert(first, new)
    assert {op.location for op in walk(new)} == {first.location}
    elsewhere = ConstantOp(to_attr(1))
    insert(first, elsewhere, source=second)
    assert elsewhere.location == second.location != first.location


def test_what_is_moved_keeps_its_location():
    first, second = negations(parsed())
    location = second.location
    insert_before(first, second)
    assert second.location == location
    assert first.parent.first_op is second


def test_a_block_and_a_builder_take_the_location_of_their_source():
    first, second = negations(parsed())
    block, one, other = Block(), ConstantOp(to_attr(1)), ConstantOp(to_attr(2))
    append(block, one, source=first)
    LocatingBuilder(InsertPoint.at_end(block), second).insert(other)
    assert list(block.ops) == [one, other]
    assert (one.location, other.location) == (first.location, second.location)


def test_a_replacement_takes_over_location_and_name():
    first, second = negations(parsed())
    location = first.location
    new = UnaryOp("not", first.operand)
    replace(first, new)
    assert (new.location, new.result.name_hint) == (location, "a")
    assert second.operand is new.result
    value = insert_constant(second, 3)
    replace(second, [value])
    assert value.name_hint == "b"
    assert not isinstance(value.owner.location, UnknownLoc)


def test_a_terminator_is_replaced_like_any_op():
    module = parsed(
        """
        func.func @f(%x: !dycl.value) {
          %r = dycl.scope "s" -> (!dycl.value) { dycl.leave "s" %x }
          dycl.return %r
        }
        """
    )
    (scope,) = (op for op in walk(module) if isinstance(op, ScopeOp))
    (end,) = scope.exits
    location = end.location
    replace(end, LeaveOp("s", [scope.parent.args[0]]))
    assert scope.body.block.last_op.location == location
    module.verify()


def test_dropping_results_keeps_names_of_the_others():
    module = parsed(
        """
        func.func @f(%p: !dycl.value, %x: !dycl.value) {
          %r, %s, %t = dycl.if %p -> (!dycl.value, !dycl.value, !dycl.value) {
            dycl.yield %x, %p, %x
          } else {
            dycl.yield %p, %x, %p
          } {test = "p"}
          dycl.return %t
        }
        """
    )
    (old,) = (op for op in walk(module) if isinstance(op, IfOp))
    location = old.location
    new = keep_results(old, [2])
    module.verify()
    assert (new.location, new.test) == (location, "p")
    assert [value.name_hint for value in new.results] == ["t"]
    assert all(len(end.forwarded) == 1 for end in new.exits)


class DoubleNegation(RewritePattern):
    """`-(-x)` is `x`."""

    def __init__(self):
        self.seen = []

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: UnaryOp, rewriter: LocatingRewriter):
        self.seen.append(op)
        inner = op.operand.owner
        if isinstance(inner, UnaryOp) and inner.kind_name == op.kind_name == "neg":
            rewriter.replace(op, [], [inner.operand])


class NegationIsSubtraction(RewritePattern):
    """A pattern that inserts: `-x` is `0 if x is None else x`, for the test's sake."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: UnaryOp, rewriter: LocatingRewriter):
        rewriter.replace(op, new_if(op.operand, op.operand))


def test_patterns_are_applied_until_none_matches_and_look_at_nothing_twice():
    count = 50
    lines = [f"%{i + 1} = dycl.unary neg %{i}" for i in range(count)]
    text = "\n".join(
        ["func.func @f(%0: !dycl.value) {", *lines, f"dycl.return %{count}", "}"]
    )
    module = parsed(text)
    pattern = DoubleNegation()
    assert apply_patterns(module, pattern)
    function = module.body.block.first_op
    assert function.body.block.last_op.operands[0] is function.body.block.args[0]
    assert len(pattern.seen) <= 2 * count
    before = len(pattern.seen)
    assert not apply_patterns(module, pattern)
    assert len(pattern.seen) - before == len(negations(module))


def test_what_a_pattern_inserts_stands_for_what_it_matched():
    module = parsed()
    places = {op.location for op in negations(module)}
    assert apply_patterns(module, NegationIsSubtraction())
    made = [op for op in walk(module) if isinstance(op, (IfOp, YieldOp))]
    assert {op.location for op in made} == places
    assert [op.results[0].name_hint for op in made if op.results] == ["a", "b"]
