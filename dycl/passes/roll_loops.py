"""`dycl-roll-loops`: a loop of many known iterations stays a loop.

Before                              After
------                              -----
%many = dycl.constant 1000 : i64    %many = dycl.constant 1000 : i64
%n = dycl.call %range(%many)        %0, %r = dycl.while carry(%i = %zero, %r_1 = %x) {
%r = dycl.for %i in %n                %1 = dycl.compare lt %i, %many
       carry(%a = %x) {               dycl.condition %1, %i, %r_1
  %b = dycl.call %f(%a, %i)         } do(%i_1, %a) {
  dycl.yield %b                       %i_2 = dycl.binary add %i_1, %one
}                                     %b = dycl.call %f(%a, %i_1)
dycl.return %r                        dycl.yield %i_2, %b
                                    } {rolled}
                                    dycl.return %r

Unrolled, it would be compiled once for each iteration; now it is once, and its kernels
are launched in a loop of the host. How often is known, so that the test of the loop is
no decision: it is not in `net.path`.

A body may need to know its number: it asks a Python list or a ModuleList, tests it, or
makes another shape each time, and no data ends the loop early. A check refuses such a
loop (`why_unrolled`, where no other does), and `dycl.compile` compiles the model again,
with all loops unrolled.

Needs:  nothing; before `dycl-unroll-loops`.
Leaves: `rolled` loops, which the passes take for loops that the input ends.
Skips:  loops of up to `max-unrolled` iterations (an eighth of that, where each may be
        the last: `analysis.control.early_ends`); loops over anything but a range or the
        rows of a tensor (also by `enumerate` or `reversed`), as their items may differ
        in more than a number.
"""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, UnitAttr
from xdsl.ir import Attribute, SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import (
    PatternRewriter,
    RewritePattern,
    op_type_rewrite_pattern,
)

from dycl.analysis.control.early_ends import (
    EARLY_END,
    early_ends,
    known_range,
    may_end_early,
    of_number,
)
from dycl.analysis.folding.iteration import MOST_ROWS, items_of
from dycl.analysis.manager import PassContext, environment_of
from dycl.diag import note, remark
from dycl.ir import CastOp, ConstantOp, ForOp, IfOp, SequenceType, WhileOp
from dycl.ir.dialect.loops import ROLLED
from dycl.ir.environment import Environment
from dycl.ir.functions import entry_function
from dycl.ir.rewriting import apply_patterns
from dycl.ir.torch import DYNAMIC, IntT, VTensorType
from dycl.ir.walking import walk
from dycl.passes.lists.counted import counted
from dycl.passes.lower_ranges import (
    begin_with_item,
    counting_body,
    number,
    replace_counted,
    test_of,
)

_OTHER_ITEMS = "its items may differ in more than a number"


@dataclass(frozen=True)
class RollLoopsPass(ModulePass):
    """A loop of many known iterations stays a loop."""

    name = "dycl-roll-loops"

    max_unrolled: int = 256
    """Leave a loop to `dycl-unroll-loops` that has no more iterations than this.

    One that the data may end, or in which it may end another, counts as eight.
    """

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Change the entry function; raises nothing."""
        entry = entry_function(op)
        if entry is None:
            return
        roll = Roll(self.max_unrolled, ctx, environment_of(ctx, op))
        apply_patterns(entry, roll, kinds=(ForOp,), inner_first=True)


class Roll(RewritePattern):
    """One loop, as above."""

    def __init__(self, most: int, ctx: Context, environment: Environment):
        self.most = most
        self.ctx = ctx
        self.environment = environment

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: ForOp, rewriter: PatternRewriter) -> None:
        """Put a `while` in the place of the loop."""
        numbers, least = known_range(op), self.most
        items = None
        if numbers is None:
            items = counted(op.iterable, self.has_rows)
        if items is not None:
            found = [_rows(one.value) for one in items.lists]
            if len(found) != 1 or not found[0]:
                return
            numbers, least = range(found[0]), 0
            begin_with_item(op, items)
        if numbers is None:
            known = items_of(op.iterable, self.environment)
            if known is not None and len(known) > self.most:
                remark(op, "not rolled", _OTHER_ITEMS)
            return
        is_short = len(numbers) <= least
        if is_short and not self.is_left_early(op, len(numbers)):
            return
        begin, end, stride = (
            number(rewriter, n) for n in (numbers.start, numbers.stop, numbers.step)
        )
        before, body = test_of(op, end, numbers.step), counting_body(op, stride)
        note(op, "rolled", len(numbers))
        new = replace_counted(op, begin, before, body, rewriter)
        new.attributes[ROLLED] = UnitAttr()
        if isinstance(self.ctx, PassContext):
            self.ctx.has_rolled = True

    def is_left_early(self, op: ForOp, count: int) -> bool:
        """Whether a loop makes many decisions that may end it."""
        if count < 2:
            return False
        return early_ends(op, count, {op.item}) > self.most // EARLY_END

    def has_rows(self, value: SSAValue) -> bool:
        """Whether a value is a tensor of more rows than are taken one by one."""
        return _rows(value) > min(self.most, MOST_ROWS)


def _rows(value: SSAValue | None) -> int:
    """How many rows a tensor has, if that is known."""
    found = None if value is None else value.type
    sizes = found.sizes() if isinstance(found, VTensorType) else None
    return sizes[0] if sizes else 0


def why_unrolled(loop: WhileOp) -> str | None:
    """What each iteration of a typed loop makes anew, as a sentence; None: nothing."""
    counters: set[SSAValue] = {loop.body.block.args[0]}
    pairs = zip(loop.initial, loop.result_types, strict=True)
    for value, found in () if may_end_early(loop, counters) else pairs:
        if isinstance(found, SequenceType):
            return "each iteration of this loop adds to a list"
        while isinstance(value.owner, CastOp):
            value = value.owner.operand
        if _is_open(found) and not _is_open(value.type):
            return "each iteration of this loop makes another size"
    _, *others = zip(loop.initial, loop.result_types, strict=True)
    if any(isinstance(v.owner, ConstantOp) and t == IntT for v, t in others):
        return "each iteration of this loop counts in a variable"
    for op in walk(loop.body):
        if isinstance(op, IfOp) and of_number(op.condition, counters):
            return "each iteration of this loop asks for its number"
    return None


def _is_open(found: Attribute) -> bool:
    return isinstance(found, VTensorType) and DYNAMIC in (found.sizes() or ())
