"""`dycl-lower-ranges`: a `for` as long as the input decides becomes a `while`.

Before                       After
------                       -----
%n = dycl.call %range(%k)    %0, %r = dycl.while carry(%i = %zero, %r_1 = %x) {
%r = dycl.for %i in %n         %1 = dycl.compare lt %i, %k
       carry(%a = %x) {        dycl.condition %1, %i, %r_1
  %b = dycl.call %f(%a, %i)  } do(%i_1, %a) {
  dycl.yield %b                %i_2 = dycl.binary add %i_1, %one
}                              %b = dycl.call %f(%a, %i_1)
dycl.return %r                 dycl.yield %i_2, %b
                             }
                             dycl.return %r

`reversed` of a range counts from its last number to its first one. A loop over a list
of such a length, or the rows of a tensor (also by `enumerate`, `reversed` or `zip`),
counts too, and its body begins with a subscript.

As in Python, the bounds are read once, before the loop; the body may give the loop
variable another value without moving the counter; after the loop the variable keeps its
last value.

Needs:  `dycl-infer-shapes`: the bounds are ints, bools, or integer tensors of one
        element; a list is a sequence.
Leaves: no `dycl.for` over such a range or list.
Skips:  ranges whose bounds are all known (`dycl-unroll-loops` repeats their bodies), or
        not typed yet; a step that is not known, as its sign decides the test; what else
        a loop may go over. A remark says which.
"""

from dataclasses import dataclass
from math import prod

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import (
    PatternRewriter,
    RewritePattern,
    op_type_rewrite_pattern,
)

from dycl.analysis.folding.iterators import is_used_up_once
from dycl.diag import remark
from dycl.ir import (
    BinaryOp,
    CallOp,
    CompareOp,
    ConditionOp,
    ConstantOp,
    ForOp,
    SequenceType,
    WhileOp,
)
from dycl.ir.constant_values import constant_name, constant_value
from dycl.ir.dtypes import dtype_name
from dycl.ir.functions import entry_function
from dycl.ir.rewriting import append, apply_patterns, insert_before, retype
from dycl.ir.torch import DYNAMIC, BoolT, IntT, VTensorType
from dycl.ir.values import GlobalRef, to_attr
from dycl.passes.lists.counted import Counted, counted


@dataclass(frozen=True)
class LowerRangesPass(ModulePass):
    """A `for` as long as the input decides becomes a `while`."""

    name = "dycl-lower-ranges"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Change the entry function; raises nothing."""
        entry = entry_function(op)
        if entry is not None:
            patterns = CountRange(), CountItems()
            apply_patterns(entry, *patterns, kinds=(ForOp,), inner_first=True)


class CountRange(RewritePattern):
    """A `for` over a range counts from its start to its stop, as above."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: ForOp, rewriter: PatternRewriter) -> None:
        """Put a `while` in the place of the loop."""
        numbers = _reversed(op.iterable)
        bounds = _bounds(op.iterable if numbers is None else numbers)
        if bounds is None:
            return
        start, stop, step = bounds
        begin = number(rewriter, 0) if start is None else _as_int(start, rewriter)
        end = _as_int(stop, rewriter)
        if numbers is not None:
            begin, end, step = _from_the_end(begin, end, step, rewriter)
        stride = number(rewriter, step)
        before, body = test_of(op, end, step), counting_body(op, stride)
        replace_counted(op, begin, before, body, rewriter)


class CountItems(RewritePattern):
    """A `for` over a list or tensor counts, and begins with a subscript.

    Before                              After
    ------                              -----
    dycl.for %v in %rows {              %n = dycl.call %len(%rows)
      dycl.effect "builtins.print"(%v)  %r = dycl.while carry(%j = %zero) {
    }                                     %c = dycl.compare lt %j, %n
    dycl.return                           dycl.condition %c, %j
                                        } do (%k) {
                                          %i = dycl.binary add %k, %one
                                          %v = dycl.subscript %rows[%k]
                                          dycl.effect "builtins.print"(%v)
                                          dycl.yield %i
                                        }
                                        dycl.return
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: ForOp, rewriter: PatternRewriter) -> None:
        """Put a `while` in the place of the loop."""
        how = counted(op.iterable, _is_counted)
        if how is not None:
            count_items(op, how, rewriter)
        elif (why := _cannot(op.iterable)) is not None:
            remark(op, "not counted", why)


def count_items(loop: ForOp, how: Counted, rewriter: PatternRewriter) -> None:
    """Put a `while` that counts, and looks items up, in the place of a loop."""
    length = how.length(lambda op: rewriter.insert(op).results[0])
    begin, stride = number(rewriter, 0), number(rewriter, 1)
    begin_with_item(loop, how)
    before, body = test_of(loop, length, 1), counting_body(loop, stride)
    replace_counted(loop, begin, before, body, rewriter)


def _reversed(iterable: SSAValue) -> SSAValue | None:
    """What a loop, and nobody else, goes over from its end; None: it does not."""
    call = iterable.owner
    if not isinstance(call, CallOp) or len(call.positional) != 1 or call.keyword_names:
        return None
    if constant_name(call.callee) != "builtins.reversed":
        return None
    return call.positional[0] if is_used_up_once(iterable) else None


def _from_the_end(
    start: SSAValue, stop: SSAValue, step: int, rewriter: PatternRewriter
) -> tuple[SSAValue, SSAValue, int]:
    """The numbers of a range in the other order: start, stop and step.

    `range(a, b, 3)` has `(b - a + 2) // 3` of them; of none, the last one that this
    reckons is in front of the first one, where the loop ends.
    """

    def put(kind: str, one: SSAValue, other: SSAValue | int) -> SSAValue:
        if isinstance(other, int):
            other = number(rewriter, other)
        return rewriter.insert(BinaryOp(kind, one, other, IntT)).result

    sign = 1 if step > 0 else -1
    if step == sign:
        return put("sub", stop, sign), put("sub", start, sign), -step
    count = put("floordiv", put("add", put("sub", stop, start), step - sign), step)
    before = put("sub", start, step)
    last = put("add", before, put("mul", count, step))
    return last, put("sub", start, sign), -step


def _bounds(iterable: SSAValue) -> tuple[SSAValue | None, SSAValue, int] | None:
    """Start (None: 0), stop and step of a range that the input decides, or None."""
    call = iterable.owner
    if not isinstance(call, CallOp) or call.keyword_names:
        return None
    if constant_name(call.callee) != "builtins.range":
        return None
    positional = list(call.positional)
    if not 1 <= len(positional) <= 3 or not all(map(_is_index, positional)):
        return None
    if all(isinstance(value.owner, ConstantOp) for value in positional):
        return None
    step = 1 if len(positional) < 3 else constant_value(positional[2])
    if not isinstance(step, int) or step == 0:
        return None
    return (
        (None if len(positional) == 1 else positional[0]),
        positional[min(1, len(positional) - 1)],
        step,
    )


def _cannot(iterable: SSAValue) -> str | None:
    """Why a loop over this stays; None: `dycl-unroll-loops` repeats its body."""
    call = iterable.owner
    if not isinstance(call, CallOp) or constant_name(call.callee) != "builtins.range":
        return "it iterates over no range, list or tensor of data-dependent length"
    positional = call.positional
    if call.keyword_names or not 1 <= len(positional) <= 3:
        return "`range` is not called with one to three numbers"
    if not all(map(_is_index, positional)):
        return "a bound of the range is not known to be an int"
    if all(isinstance(value.owner, ConstantOp) for value in positional):
        return None
    return "the step of the range is not known, or it is 0"


def _is_counted(value: SSAValue) -> bool:
    """Whether a value is a list, or a tensor, with as many items as a run decides."""
    found = value.type
    if isinstance(found, VTensorType):
        return (found.sizes() or (0,))[:1] == (DYNAMIC,)
    return isinstance(found, SequenceType)


def _is_index(value: SSAValue) -> bool:
    """Whether `range` takes it: an int, or what has one (`__index__`)."""
    if isinstance(value.owner, ConstantOp):
        return isinstance(constant_value(value), int)
    return value.type in (IntT, BoolT) or _is_int_tensor(value.type)


def _is_int_tensor(found: Attribute) -> bool:
    if not isinstance(found, VTensorType):
        return False
    sizes, element = found.sizes(), found.element_type()
    if sizes is None or element is None or prod(sizes) != 1:
        return False
    return "float" not in dtype_name(element)


def number(rewriter: PatternRewriter, value: int) -> SSAValue:
    """A constant of type int, in front of the loop."""
    return rewriter.insert(ConstantOp(to_attr(value), IntT)).result


def replace_counted(
    loop: ForOp, begin: SSAValue, before: Block, body: Block, rewriter: PatternRewriter
) -> WhileOp:
    """Put a loop that counts in the place of another."""
    new = WhileOp([begin, *loop.initial], Region(before), Region(body))
    new.attributes |= loop.attributes
    rewriter.insert(new)
    rewriter.replace(loop, [], new.results[1:])
    return new


def begin_with_item(loop: ForOp, how: Counted) -> None:
    """Let the body have a counter in the place of its item, and look that up."""
    block = loop.body.block
    counter = block.insert_arg(IntT, 0)
    first = block.first_op
    assert first is not None

    def put(op: Operation) -> SSAValue:
        insert_before(first, op, source=loop)
        return op.results[0]

    item, old = how.item(counter, put), block.args[1]
    item.name_hint = old.name_hint
    old.replace_all_uses_with(item)
    block.erase_arg(old)


def test_of(loop: ForOp, end: SSAValue, step: int) -> Block:
    """Whether the counter is still inside the range."""
    block = Block(arg_types=[IntT, *loop.result_types])
    for argument, result in zip(block.args[1:], loop.results, strict=True):
        argument.name_hint = result.name_hint
    block.args[0].name_hint = loop.item.name_hint
    test = CompareOp("lt" if step > 0 else "gt", block.args[0], end, BoolT)
    last = ConditionOp(test.result, block.args)
    append(block, test, last, source=loop)
    return block


def counting_body(loop: ForOp, stride: SSAValue) -> Block:
    """The body, its item the counter; every way to the next iteration counts on."""
    block = loop.body.block
    counter = block.args[0]
    jumps = loop.jumps
    loop.body.detach_block(block)
    if counter.type != IntT:
        counter = retype(counter, IntT)
    following = BinaryOp("add", counter, stride, IntT)
    following.result.name_hint = counter.name_hint
    first = block.first_op
    assert first is not None
    insert_before(first, following, source=loop)
    for jump in jumps:
        jump.forward([following.result, *jump.forwarded])
    return block


def _as_int(value: SSAValue, rewriter: PatternRewriter) -> SSAValue:
    """The bound as an int, in front of the loop."""
    if value.type == IntT or isinstance(value.owner, ConstantOp):
        bound = constant_value(value)
        return number(rewriter, int(bound)) if isinstance(bound, bool) else value
    function = rewriter.insert(ConstantOp(to_attr(GlobalRef("builtins.int"))))
    return rewriter.insert(CallOp(function.result, [value])).result
