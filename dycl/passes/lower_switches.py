"""`dycl-lower-switches`: a switch becomes ifs, as few as a search needs.

Before                               After
------                               -----
%y = dycl.switch %k -> (T) case 0 {  %0 = dycl.compare lt %k, %one
  dycl.yield %a                      %y = dycl.if %0 -> (T) {
} case 1 {                             dycl.yield %a
  dycl.yield %b                      } else {
} default {                            %1 = dycl.compare lt %k, %two
  dycl.yield %c                        %y_1 = dycl.if %1 -> (T) {
}                                        dycl.yield %b
dycl.return %y                         } else {
                                         dycl.yield %c
                                       }
                                       dycl.yield %y_1
                                     }
                                     dycl.return %y

64 arms are 64 branches, 6 deep: a run makes 6 comparisons. A second switch on the
same number asks the first one's predicates again.

Needs:  the number is at least 0, as `dycl.position` gives it.
Leaves: no `dycl.switch`. Each `if` says in the user's words what it asks.
Skips:  nothing.
"""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ArrayAttr, ModuleOp, StringAttr
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import (
    PatternRewriter,
    RewritePattern,
    op_type_rewrite_pattern,
)
from xdsl.rewriter import InsertPoint

from dycl.ir import CompareOp, ConstantOp, IfOp, SwitchOp, YieldOp
from dycl.ir.constant_values import constant_value
from dycl.ir.dialect.syntax import VALUE
from dycl.ir.interfaces import RegionTerminator
from dycl.ir.rewriting import append, apply_patterns, inline_region, insert_before
from dycl.ir.torch import BoolT, IntT
from dycl.ir.values import to_attr


@dataclass(frozen=True)
class LowerSwitchesPass(ModulePass):
    """A switch becomes ifs, as few as a search needs."""

    name = "dycl-lower-switches"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        apply_patterns(op, LowerSwitch(), kinds=(SwitchOp,), inner_first=True)


class LowerSwitch(RewritePattern):
    """A switch becomes ifs, as above; a switch with one arm is what the arm does."""

    def __init__(self) -> None:
        self.asked: dict[SSAValue, dict[int, CompareOp]] = {}
        """By number, what it is compared with: k -> `number < k`."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: SwitchOp, rewriter: PatternRewriter) -> None:
        """Put a search for the arm in the place of the switch."""
        if len(op.arms) == 1:
            inline_region(op, op.regions[0], rewriter)
            return
        number = op.position
        asked: dict[int, CompareOp] = {}
        if isinstance(number.owner, Operation):  # all that see it see what is behind
            if number not in self.asked:
                self.asked[number] = _comparisons(number)
            asked = self.asked[number]
        arms = [op.detach_region(op.regions[0]) for _ in range(len(op.arms))]
        block = _search(op, asked, arms, 0, len(arms)).block
        last_op = block.last_op
        assert isinstance(last_op, RegionTerminator)
        values = list(last_op.forwarded)
        rewriter.erase(last_op)
        rewriter.inline_block(block, InsertPoint.before(op))
        rewriter.replace(op, [], values)


def _search(
    op: SwitchOp, asked: dict[int, CompareOp], arms: list[Region], low: int, high: int
) -> Region:
    """A region that runs the arm of a number that is in `low .. high - 1`."""
    if high - low == 1:
        return arms[low]
    middle = (low + high) // 2
    block = Block()

    def put(new: Operation) -> Operation:
        append(block, new, source=op)
        return new

    test = asked.get(middle)
    if test is not None:
        _hoist(test, op.position)
    else:
        typed = op.position.type != VALUE
        bound = put(ConstantOp(to_attr(middle), IntT if typed else VALUE))
        number = bound.results[0]
        test = CompareOp("lt", op.position, number, BoolT if typed else VALUE)
        put(test)
        asked[middle] = test
    below = _search(op, asked, arms, low, middle)
    above = _search(op, asked, arms, middle, high)
    new = put(IfOp(test.result, op.result_types, below, above))
    new.attributes["test"] = StringAttr(_words(op, low, middle, high))
    for result, old in zip(new.results, op.results, strict=True):
        result.name_hint = old.name_hint
    put(YieldOp(new.results))
    return Region(block)


def _comparisons(position: SSAValue) -> dict[int, CompareOp]:
    """What a number is compared with already, by the constant; of equal ones the first.

    With one predicate, what one switch decided is known in another.
    """
    result: dict[int, CompareOp] = {}
    for use in position.uses:
        op = use.operation
        if not isinstance(op, CompareOp) or op.kind_name != "lt" or use.index != 0:
            continue
        number = constant_value(op.rhs)
        if type(number) is int:
            result.setdefault(number, op)
    return result


def _hoist(test: CompareOp, position: SSAValue) -> None:
    """Move a comparison to where all can see it that see the number."""
    bound, read = test.rhs.owner, position.owner
    assert isinstance(bound, ConstantOp)
    assert isinstance(read, Operation)
    following = read.next_op
    assert following is not None
    if following is not bound:
        constant = bound.clone()
        test.operands[1] = constant.result
        insert_before(following, constant, test)


def _words(op: SwitchOp, low: int, middle: int, high: int) -> str:
    """What is asked: `i < 2`, or for the last two `i == 2`; `k in ('a', 'b')`."""
    test = op.attributes.get("test")
    number = test.data if isinstance(test, StringAttr) else "index"
    cases = op.attributes.get("cases")
    if not isinstance(cases, ArrayAttr):
        return f"{number} == {low}" if high - low == 2 else f"{number} < {middle}"
    names = [c.data for c in cases if isinstance(c, StringAttr)][low:middle]
    if len(names) == 1:
        return f"{number} == {names[0]}"
    if len(names) > _MOST_NAMES:
        names = [*names[: _MOST_NAMES - 1], "...", names[-1]]
    return f"{number} in ({', '.join(names)})"


_MOST_NAMES = 4
