"""Rewriting IR: what is inserted takes location and name from the op at hand.

A pattern is given a `LocatingRewriter`, xDSL's `PatternRewriter`; a walk uses the
functions. Both follow one rule: an op without a location, and each op inside it, gets
the location of the op that it stands for, which is the one at the insertion point
unless `source` says otherwise. What is moved or cloned keeps its own. Nobody else sets
a location.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import TypeVar

from xdsl.builder import Builder, InsertOpInvT
from xdsl.dialects.builtin import CallSiteLoc, LocationAttr, UnknownLoc
from xdsl.ir import Attribute, Block, BlockArgument, Operation, Region, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.utils.worklist import Worklist

from dycl.ir.dialect import ConstantOp, UnsupportedOp
from dycl.ir.dialect.syntax import VALUE
from dycl.ir.interfaces import RegionBranchOp, RegionTerminator
from dycl.ir.values import to_attr
from dycl.ir.walking import walk

BranchOpT = TypeVar("BranchOpT", bound=RegionBranchOp)


def locate(ops: Iterable[Operation], location: LocationAttr) -> None:
    """Give a location to the ops that have none, and to those inside of them."""
    todo = [op for op in ops if type(op.location) is UnknownLoc]
    while todo:
        op = todo.pop()
        op.location = location
        for region in op.regions:
            for block in region.blocks:
                todo += [o for o in block.ops if type(o.location) is UnknownLoc]


def locate_inlined(ops: Iterable[Operation], call: Operation) -> None:
    """Say of ops that are inlined by which call they are run."""
    made: dict[int, LocationAttr] = {}  # most ops of a line share its location
    for op in ops:
        inner = op.location
        if id(inner) not in made:
            made[id(inner)] = CallSiteLoc(inner, call.location)
        op.location = made[id(inner)]


Located = TypeVar("Located", Operation, BlockArgument)


def relocate(one: Located, source: Located) -> None:
    """Let an op, or a block argument, stand for another one from now on."""
    one.location = source.location


# ---- insertion


def insert_before(
    anchor: Operation, *ops: Operation, source: Operation | None = None
) -> None:
    """Put ops, new ones or some from elsewhere, in front of `anchor`, in order."""
    _insert(ops, InsertPoint.before(anchor), source or anchor)


def insert_after(
    anchor: Operation, *ops: Operation, source: Operation | None = None
) -> None:
    """Put ops, new ones or some from elsewhere, behind `anchor`, in order."""
    _insert(ops, InsertPoint.after(anchor), source or anchor)


def append(block: Block, *ops: Operation, source: Operation) -> None:
    """Put ops at the end of a block; new ones stand for `source`."""
    _insert(ops, InsertPoint.at_end(block), source)


def append_argument(
    block: Block, type_: Attribute, *, source: Operation
) -> BlockArgument:
    """A new last argument of a block, which stands for `source`."""
    argument = block.insert_arg(type_, len(block.args))
    argument.location = source.location
    return argument


def insert_value(anchor: Operation, op: Operation) -> SSAValue:
    """Put a new op in front of `anchor`; its first result."""
    insert_before(anchor, op)
    return op.results[0]


def insert_constant(
    anchor: Operation, value: object, type_: Attribute = VALUE
) -> SSAValue:
    """A `dycl.constant` of a Python value in front of `anchor`.

    NotAConstant: the value has no form in the IR.
    """
    return insert_value(anchor, ConstantOp(to_attr(value), type_))


def insert_constant_like(
    anchor: Operation, value: Attribute, like: SSAValue
) -> SSAValue:
    """A `dycl.constant` in front of `anchor`, with the type and name of `like`."""
    op = ConstantOp(value, like.type)
    op.result.name_hint = like.name_hint
    return insert_value(anchor, op)


def _insert(ops: Sequence[Operation], point: InsertPoint, source: Operation) -> None:
    for op in ops:
        if op.parent is not None:
            op.detach()
    locate(ops, source.location)
    Rewriter.insert_op(ops, point)


class LocatingBuilder(Builder):
    """Puts new ops at one place after another; they stand for `source`."""

    def __init__(self, point: InsertPoint, source: Operation):
        super().__init__(point)
        self.source = source

    def insert(
        self, op: InsertOpInvT, insertion_point: InsertPoint | None = None
    ) -> InsertOpInvT:
        """Insert new ops at the current place, or at another."""
        locate([op] if isinstance(op, Operation) else op, self.source.location)
        return super().insert(op, insertion_point)

    def value(self, op: Operation) -> SSAValue:
        """Insert a new op; its first result."""
        return self.insert(op).results[0]


# ---- replacement


def replace(op: Operation, by: Operation | Sequence[SSAValue]) -> None:
    """Give all uses of an op to other values, or to a new op, and erase it.

    Values without a name take over those of the results.
    """
    if isinstance(by, Operation):
        insert_before(op, by)
        by = by.results
    for old, new in zip(op.results, by, strict=True):
        if new.name_hint is None:
            new.name_hint = old.name_hint
        old.replace_all_uses_with(new)
    Rewriter.erase_op(op)


def inline_region(
    op: RegionBranchOp, region: Region, rewriter: PatternRewriter | None = None
) -> None:
    """Put the ops of a region without arguments in the place of its op.

    A region that does not lead behind the op takes away what follows there. A pattern
    gives its `rewriter`.
    """
    rewriter = rewriter or LocatingRewriter(op)
    last_op = region.block.last_op
    if isinstance(last_op, RegionTerminator) and last_op.target is op:
        values = list(last_op.forwarded)
        rewriter.erase(last_op)
        rewriter.inline_block(region.block, InsertPoint.before(op))
        rewriter.replace(op, [], values)
        return
    rewriter.inline_block(region.block, InsertPoint.before(op))
    for dead in reversed(list(ops_from(op))):
        rewriter.erase(dead, safe_erase=False)


def refuse(op: Operation, code: str, what: str, help: str) -> None:
    """Replace a value op by a refusal at its location."""
    refusal = insert_value(op, UnsupportedOp(code, what, help))
    replace(op, [refusal] * len(op.results))


def erase(op: Operation) -> None:
    """Erase an op that nobody uses."""
    Rewriter.erase_op(op)


def erase_from(op: Operation | None) -> None:
    """Erase an op and all that follows it in its block: no path gets there."""
    for dead in reversed(list(ops_from(op))):
        Rewriter.erase_op(dead, safe_erase=False)


def ops_from(op: Operation | None) -> Iterator[Operation]:
    """An op and all that follows it in its block, in order."""
    while op is not None:
        yield op
        op = op.next_op


def retype(value: SSAValue, wanted: Attribute) -> SSAValue:
    """The value with another type, everywhere it is used."""
    new = Rewriter.replace_value_with_new_type(value, wanted)
    if isinstance(value, BlockArgument) and isinstance(new, BlockArgument):
        relocate(new, value)
    return new


# ---- values that ops with regions forward


def append_results(
    op: BranchOpT,
    types: Sequence[Attribute],
    names: Sequence[str | None],
    initial: Sequence[SSAValue] = (),
) -> BranchOpT:
    """Replace an op by one with further results; gives the new one.

    Its terminators forward the values already. `initial` are further first values.
    """
    count = len(op.results)
    new = op.rebuilt([*op.result_types, *types], [*op.forwarded, *initial])
    _swap(op, new, range(count))
    for result, name in zip(new.results[count:], names, strict=True):
        result.name_hint = name
    return new


def keep_results(op: BranchOpT, kept: Sequence[int]) -> BranchOpT:
    """Replace an op by one that forwards the values of these numbers only.

    Nobody uses the others: neither the results nor, apart from the terminators that
    forward them, what they are inside.
    """
    dropped = [i for i in range(len(op.results)) if i not in kept]
    for terminator in op.terminators:
        values = terminator.forwarded
        terminator.forward([values[i] for i in kept])
    op.erase_arguments(dropped)
    values = op.forwarded
    types = [op.results[i].type for i in kept]
    new = op.rebuilt(types, [values[i] for i in kept if values])
    _swap(op, new, kept)
    return new


def _swap(old: RegionBranchOp, new: RegionBranchOp, kept: Sequence[int]) -> None:
    """Put an op in the place of another: its first results are those of `kept`."""
    insert_before(old, new)
    for i, result in zip(kept, new.results, strict=False):
        result.name_hint = old.results[i].name_hint
        old.results[i].replace_all_uses_with(result)
    Rewriter.erase_op(old, safe_erase=False)


# ---- patterns


class LocatingRewriter(PatternRewriter):
    """xDSL's rewriter; what it inserts stands for the op that is matched."""

    def __init__(self, op: Operation):
        super().__init__(op)
        self.source = op

    def match(self, op: Operation) -> None:
        """Let another op be the one that is matched."""
        self.source = self._current_operation = op
        self.insertion_point = InsertPoint.before(op)
        self.has_done_action = False

    def insert(
        self, op: InsertOpInvT, insertion_point: InsertPoint | None = None
    ) -> InsertOpInvT:
        """Insert ops before the matched one, or at another place."""
        locate([op] if isinstance(op, Operation) else op, self.source.location)
        return super().insert(op, insertion_point)


def apply_patterns(
    root: Operation,
    *patterns: RewritePattern,
    kinds: tuple[type[Operation], ...] = (Operation,),
    inner_first: bool = False,
) -> bool:
    """Rewrite the ops inside `root` until no pattern matches; says whether one did.

    Every op is looked at once, outer before inner and in order, or with `inner_first`
    the other way round; then those that a rewrite inserted, or whose operands it
    changed. What stays as it is is not looked at again, and nothing but ops of these
    `kinds` is. Patterns are tried in order, and one is applied at a time.
    """
    driver = _Driver(patterns, kinds)
    if kinds == (Operation,):
        ops = [op for op in walk(root) if op is not root]
    else:
        ops = [op for op in walk(root) if isinstance(op, kinds) and op is not root]
    return driver.run(ops if inner_first else reversed(ops))


class _Driver:
    def __init__(
        self, patterns: Sequence[RewritePattern], kinds: tuple[type[Operation], ...]
    ):
        self.patterns = patterns
        self.kinds = kinds
        self.worklist = Worklist()

    def run(self, ops: Iterable[Operation]) -> bool:
        """Rewrite these ops, the last one first, and what comes of it."""
        for op in ops:
            self.worklist.push(op)
        rewriter: LocatingRewriter | None = None
        changed = False
        while self.worklist:
            op = self.worklist.pop()
            if rewriter is None:
                rewriter = self.rewriter(op)
            rewriter.match(op)
            for pattern in self.patterns:
                pattern.match_and_rewrite(op, rewriter)
                if rewriter.has_done_action:
                    changed = True
                    if op.parent is not None:
                        self.worklist.push(op)
                    break
        return changed

    def rewriter(self, op: Operation) -> LocatingRewriter:
        """A rewriter that tells of what it does."""
        rewriter = LocatingRewriter(op)
        rewriter.operation_insertion_handler.append(self.inserted)
        rewriter.operation_modification_handler.append(self.push)
        rewriter.operation_removal_handler.append(self.removed)
        return rewriter

    def push(self, op: Operation) -> None:
        if isinstance(op, self.kinds):
            self.worklist.push(op)

    def inserted(self, op: Operation) -> None:
        for inner in reversed(list(walk(op))):
            self.push(inner)

    def removed(self, op: Operation) -> None:
        for inner in walk(op):
            self.worklist.remove(inner)
