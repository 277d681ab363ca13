"""`dycl-peel-loops`: a first iteration that changes a value's type stands by itself.

Before                               After
------                               -----
%r = dycl.while carry(%a = %zero) {  %r = dycl.scope "loop" -> (T) {
  dycl.condition %p, %a                dycl.if %p {
} do (%b) {                            } else {
  %c = dycl.binary add %b, %v            dycl.leave "loop" %zero
  dycl.yield %c                        }
}                                      %c = dycl.binary add %zero, %v
dycl.return %r                         %s = dycl.while carry(%a = %c) {
                                         dycl.condition %p, %a
                                       } do (%b) {
                                         %d = dycl.binary add %b, %v
                                         dycl.yield %d
                                       }
                                       dycl.leave "loop" %s
                                     }
                                     dycl.return %r

`h = None` before a loop, or 0 where the loop gives a float: behind the first iterations
the value has one type. That the loop may not be entered is a join like any other, of
which `dycl-specialize-joins` takes care.

A loop that may make objects, or sets attributes of them, gets its first iteration in
front as well: there it is known which object is meant, and whether there is a next
iteration (`while len(self.layers) <= i: self.layers.append(Layer())`).

Needs:  types (`dycl-infer-shapes`); it is a last resort of the normalise phase.
Leaves: as many iterations in front of a loop, up to `max-peeled`, as it takes until
        what it carries keeps its type; of one with objects one, and one more in each
        round in which it is known that the last one is run, up to `max-with-objects`.
Skips:  a loop for which that is not enough: an iteration makes another shape each time.

How many iterations it takes is asked of `dycl.analysis.tensors.shapes`, on a copy where
they stand in front: there `if h is None` of the first one is settled. Where that does
not say it yet of a value that is None at first, one iteration is peeled to see, and
others in later rounds, `max-peeled` in all. What they leave to fold is left to the next
round of `normalise`. A loop that was skipped, or one like it on another path, is not
asked again before more is known of what it reads.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, UnitAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.passes import ModulePass

from dycl.analysis.dynamic_sizes.ranges import is_of_inputs
from dycl.analysis.manager import PassContext, analyses_of
from dycl.analysis.tensors.abstract import dynamic_sizes, is_open, is_unjoined
from dycl.analysis.tensors.shapes import Inference, infer
from dycl.diag import remark
from dycl.ir import CallOp, GetattrOp, IfOp, SetattrOp, WhileOp
from dycl.ir.changes import object_of
from dycl.ir.cloning import clone
from dycl.ir.constant_values import constant_value
from dycl.ir.dialect.syntax import VALUE
from dycl.ir.environment import Environment
from dycl.ir.fingerprint import fingerprint
from dycl.ir.functions import entry_function
from dycl.ir.labels import labels_of
from dycl.ir.torch import DYNAMIC, VTensorType
from dycl.ir.values import ObjectRef
from dycl.ir.walking import blocks_of, walk
from dycl.passes.unroll_loops import Unroller

_CHANGES = "what it carries has another type in every iteration"


@dataclass(frozen=True)
class PeelLoopsPass(ModulePass):
    """A first iteration that changes a value's type stands by itself."""

    name = "dycl-peel-loops"

    max_peeled: int = 2
    """Iterations that are put in front of one loop, at most."""

    max_with_objects: int = 256
    """Iterations that are put in front of one loop that may make objects, at most."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        entry = entry_function(op)
        if entry is not None and _peel_with_objects(op, entry, self.max_with_objects):
            return
        if entry is None or not any(map(_may_change, _loops(entry))):
            return
        inference = analyses_of(ctx).get(infer, op)
        loops = _loops(entry)
        changing = {n: _changing(inference, loop) for n, loop in enumerate(loops)}
        unpeelable = ctx.unpeelable if isinstance(ctx, PassContext) else []
        questions = {n: _question(inference, loops[n]) for n in changing if changing[n]}
        for number, question in questions.items():
            if question in unpeelable:
                remark(loops[number], "not peeled", _CHANGES)
                changing[number] = []
        while chosen := _apart(
            loops, [n for n, changed in changing.items() if changed]
        ):
            # What is None at first is settled first: sizes may go on to change.
            types = {n: sorted(inference.mismatches.get(loops[n], ())) for n in chosen}
            sizes = {n: [] if types[n] else changing[n] for n in chosen}
            seen = {n for n in chosen if _is_from_none(inference, loops[n], types[n])}
            counts = self.counts(op, types, sizes, seen)
            for number in chosen:
                if number not in counts:
                    remark(loops[number], "not peeled", _CHANGES)
                    changing[number] = []
                    unpeelable.append(questions[number])
            for number, count in counts.items():
                rest = _peel(op, loops[number], max(count, 1))
                if rest is not None and count == _TO_SEE:
                    rest.attributes.update(_one_more(loops[number], _SEEN))
            if counts:
                return  # what is known of other loops may be another by now

    def counts(
        self,
        op: ModuleOp,
        types: dict[int, list[int]],
        sizes: dict[int, list[int]],
        seen: set[int],
    ) -> dict[int, int]:
        """How many iterations to peel off each loop: what the types of a copy say.

        Wanted are the same types for the values `types`, and sizes for `sizes`. A
        loop that needs more than `max-peeled` is left out. `_TO_SEE` says of one that
        is in `seen` that other passes have to look at the first iteration before it is
        known.
        """
        result: dict[int, int] = {}
        for count in range(1, self.max_peeled + 1):
            trial = clone(op)
            entry = entry_function(trial)
            assert entry is not None
            loops = _loops(entry)
            more = {n for n in seen if _count(loops[n], _SEEN) < self.max_peeled}
            counts = {n: result.get(n, count) or 1 for n in types}
            rests = {n: _peel(trial, loops[n], counts[n]) for n in types}
            inference = infer(trial)
            for number, rest in rests.items():
                if rest is None or _keeps_types(
                    inference, rest, types[number], sizes[number]
                ):
                    result.setdefault(number, count)
                elif number in more and _is_to_see(inference, rest, types[number]):
                    result.setdefault(number, _TO_SEE)
            if len(result) == len(types):
                break
        return result


def _peel_with_objects(op: ModuleOp, entry: FuncOp, limit: int) -> bool:
    """Peel each loop with objects of which it is not open whether it is run at all."""
    environment = Environment(op)
    peeled = False
    for loop in _loops(entry):
        done = _count(loop, _PEELED)
        is_open = any(_PEELED in one.attributes for one in _around(loop))
        if done >= limit or is_open or not _has_objects(loop, environment):
            continue
        rest = _peel(op, loop, 1)
        if rest is not None:
            rest.attributes.update(_one_more(loop, _PEELED))
            guards = [one for one in _before(rest) if isinstance(one, IfOp)]
            guards[0].attributes[_PEELED] = UnitAttr()
        peeled = True
    return peeled


def _before(op: Operation) -> Iterator[Operation]:
    while (before := op.prev_op) is not None:
        yield before
        op = before


def _around(op: Operation) -> Iterator[Operation]:
    """The ops in front in its block, and those that it is inside of."""
    yield from _before(op)
    while (outer := op.parent_op()) is not None:
        yield outer
        op = outer


def _has_objects(loop: WhileOp, environment: Environment) -> bool:
    """Whether something in a loop waits for what is known of objects."""
    for op in walk(loop):
        if isinstance(op, GetattrOp | SetattrOp):
            if object_of(op.operand) in environment.made:
                return True
        elif isinstance(op, CallOp):
            callee = constant_value(op.callee)
            if isinstance(callee, ObjectRef) and environment.maker(callee.path):
                return True
    return False


_PEELED = "dycl.peeled"
"""On what is left of a loop: how many iterations stand in front. On an `if` in front:
it is open whether there is another one."""


_SEEN = "dycl.peeled_to_see"
"""On what is left of a loop: how many iterations were peeled to see what they give."""
_TO_SEE = 0
"""Instead of a count: one, as it is not known whether more are needed."""


def _count(loop: WhileOp, name: str) -> int:
    """How many iterations of a loop have been put in front of it by now."""
    count = loop.attributes.get(name)
    return count.value.data if isinstance(count, IntegerAttr) else 0


def _one_more(loop: WhileOp, name: str) -> dict[str, Attribute]:
    return {name: IntegerAttr(_count(loop, name) + 1, 64)}


def _apart(loops: list[WhileOp], numbers: list[int]) -> list[int]:
    """Loops of which no run meets two: the first, and those on other branches."""
    result: list[int] = []
    for number in numbers:
        if all(_exclude(loops[other], loops[number]) for other in result):
            result.append(number)
    return result


def _exclude(one: Operation, other: Operation) -> bool:
    """Whether two ops stand on different sides of an `if`."""
    around = other.parent_op()
    while around is not None and not around.is_ancestor(one):
        around = around.parent_op()
    if not isinstance(around, IfOp):
        return False
    return not any(
        region.is_ancestor(one) and region.is_ancestor(other)
        for region in around.regions
    )


def _loops(entry: FuncOp) -> list[WhileOp]:
    return [op for op in walk(entry) if isinstance(op, WhileOp)]


def _may_change(loop: WhileOp) -> bool:
    """A quick look: what keeps its type has it written in the IR by now."""
    return any(
        result_type == VALUE or _is_open(result_type)
        for result_type in loop.result_types
    )


def _is_open(found: Attribute) -> bool:
    return isinstance(found, VTensorType) and DYNAMIC in (found.sizes() or ())


def _changing(inference: Inference, loop: WhileOp) -> list[int]:
    """The carried values to which an iteration gives another type, or other sizes."""
    mismatch = inference.mismatches.get(loop, {})
    return sorted({*mismatch, *inference.widened.get(loop, ())})


def _question(inference: Inference, loop: WhileOp) -> list[object]:
    """A loop and what is known of all that it reads: equal for loops that answer the
    same, when asked how many iterations to peel."""
    inside: set[SSAValue] = {v for op in walk(loop) for v in op.results}
    inside.update(argument for block in blocks_of(loop) for argument in block.args)
    read = dict.fromkeys(v for op in walk(loop) for v in op.operands if v not in inside)
    attributes = [
        inference.of(op.result)
        for op in walk(loop)
        if isinstance(op, GetattrOp) and object_of(op.operand) is not None
    ]
    known = [inference.of(value) for value in read]
    return [fingerprint(loop), known, attributes]


def _peel(op: ModuleOp, loop: WhileOp, count: int) -> WhileOp | None:
    """Peel so many iterations; gives what is left of the loop, if anything."""
    labels = labels_of(op)
    rest: WhileOp | None = loop
    for _ in range(count):
        if rest is not None:
            rest = Unroller(rest, labels).peel(labels)
    return rest


def _keeps_types(
    inference: Inference, loop: WhileOp, types: list[int], sizes: list[int]
) -> bool:
    """Whether values that changed their type do so no more, nor others their sizes."""
    starts = [inference.of(loop.initial[i]) for i in (*types, *sizes)]
    known = not any(is_open(v) or is_unjoined(v) for v in starts)
    # Where nothing but sizes changes, an iteration in front is to settle these.
    known = known and all(_is_settled(inference, loop, i) for i in sizes)
    mismatches = inference.mismatches.get(loop, {})
    changing = _changing(inference, loop)
    return (
        known
        and not any(i in mismatches for i in types)
        and not any(i in changing for i in sizes)
    )


def _is_from_none(inference: Inference, loop: WhileOp, types: list[int]) -> bool:
    """Whether a loop starts with None for what iterations make, or once did so."""
    return _SEEN in loop.attributes or all(
        inference.of(loop.initial[i]) is None for i in types
    )


def _is_to_see(inference: Inference, loop: WhileOp, types: list[int]) -> bool:
    """Whether it takes other passes to say what the iterations in front give: they have
    loops over lists that are to be unrolled. One is peeled to see."""
    starts = [inference.of(loop.initial[i]) for i in types]
    return bool(starts) and all(is_open(v) and not is_unjoined(v) for v in starts)


def _is_settled(inference: Inference, loop: WhileOp, number: int) -> bool:
    """Whether the sizes of a carried value are known, or those of inputs, and stay."""
    sizes = dynamic_sizes(inference.of(loop.initial[number]))
    after = dynamic_sizes(inference.of(loop.results[number]))
    return not sizes or (
        sizes == after and all(is_of_inputs(size.text) for size in sizes)
    )
