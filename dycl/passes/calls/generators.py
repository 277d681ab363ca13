"""A loop over a generator function: its body is put where the function yields.

Before                                After
------                                -----
%g = dycl.call %gen(%x)               dycl.scope "gen" {
dycl.for %i in %g {                     dycl.effect "builtins.print"(%x)
  dycl.effect "builtins.print"(%i)      dycl.leave "gen"
}                                     }
dycl.return %x                        dycl.return %x
func.func @gen(%a: T) -> T
  attributes {dycl.params = ["a"],
              dycl.generator} {
  dycl.yield_value %a
  dycl.return %a
}

So the function's statements and the loop's run in Python's order, and a `break` leaves
the function where it is. What the loop carries is in dicts of one entry, as variables
of inner functions are, which other passes take apart. Functions of Python that go over
a generator are those of `dycl.prelude.generators`.
"""

from collections.abc import Mapping, Sequence

from xdsl.dialects.builtin import UnitAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, Region, SSAValue

from dycl.analysis.folding.iterators import is_used_up_once
from dycl.ir import (
    BreakOp,
    CallOp,
    ConstantOp,
    DictOp,
    ForOp,
    InplaceOp,
    InvokeOp,
    LeaveOp,
    ScopeOp,
    StoreSubscriptOp,
    SubscriptOp,
    UnpackOp,
    YieldValueOp,
)
from dycl.ir.cloning import clone
from dycl.ir.constant_values import MISSING, constant_name, constant_value
from dycl.ir.dialect.calls import CallLike
from dycl.ir.functions import GENERATOR, returns_in
from dycl.ir.interfaces import loop_terminators
from dycl.ir.labels import fresh_label
from dycl.ir.rewriting import (
    append,
    erase,
    erase_from,
    insert_before,
    insert_constant,
    insert_value,
    replace,
)
from dycl.ir.values import FunctionRef, to_attr
from dycl.ir.walking import walk

YIELDS = "yields: whoever goes over it runs between its items"
"""Why a recursion is not kept as a function, as the end of a sentence."""
INTO_A_LIST = (
    "give it a list: `found.append(x)` in place of `yield x`, and a call "
    "`self.walk(child, found)` in place of `yield from self.walk(child)`"
)
_FUNCTIONS = {
    "builtins.all": "every",
    "builtins.any": "some",
    "builtins.enumerate": "enumerated",
    "builtins.filter": "filtered",
    "builtins.list": "listed",
    "builtins.map": "mapped",
}
_OF_LISTS = frozenset(
    f"builtins.{name}"
    for name in ("dict", "frozenset", "max", "min", "set", "sorted", "sum", "tuple")
)
"""Functions that ask for all items before they do anything that shows."""


def is_generator(function: FuncOp) -> bool:
    """Whether a call of a function gives a generator."""
    return GENERATOR in function.attributes


def note(call: CallLike) -> list[Operation]:
    """Write down that a call gives a generator, and have its reader go over it.

    Gives the ops that are new, and have to be looked at.
    """
    call.attributes[GENERATOR] = UnitAttr()
    uses = list(call.results[0].uses)
    if not uses:
        erase(call)  # a generator that nobody goes over does nothing
    if len(uses) != 1:
        return []
    op, index = uses[0].operation, uses[0].index
    if isinstance(op, CallOp) and constant_name(op.callee) == "builtins.iter":
        replace(op, [call.results[0]])
        return note(call)
    if isinstance(op, CallOp) and not op.is_starred and index > 0:
        return _called(op, call.results[0])
    takes_all = isinstance(op, UnpackOp) or (
        isinstance(op, CallLike) and op.takes_apart(index)
    )
    if isinstance(op, InvokeOp) and index > 0:
        takes_all |= op.method.data in ("extend", "join")
    if isinstance(op, InplaceOp):
        takes_all |= index == 1 and op.kind_name == "add"
    if not takes_all:
        return []
    items = _ours(op, "listed", [call.results[0]])
    op.operands[index] = items.result
    return [items]


def _called(op: CallOp, generator: SSAValue) -> list[Operation]:
    """A function of Python's, or of ours in its place."""
    name, given = constant_name(op.callee), list(op.arguments)
    names = op.keyword_names
    strict = constant_value(given[-1]) if [*names] == ["strict"] else MISSING
    if name == "builtins.zip" and strict is False:  # as without it
        given, names = given[:-1], ()
    if name in _OF_LISTS:
        if op.operands[1] is not generator:
            return []
        items = _ours(op, "listed", [generator])
        op.operands[1] = items.result
        return [items]
    ours = _FUNCTIONS.get(name)
    if name == "builtins.next":
        ours = "first" if len(given) == 1 else "first_or"
    elif name == "builtins.zip" and len(given) == 2:
        ours = "zipped" if given[0] is generator else "zipped_behind"
    if name in ("builtins.filter", "builtins.map") and len(given) != 2:
        ours = None
    if ours is None or (names and name != "builtins.enumerate"):
        return []
    new = _ours(op, ours, given, names)
    replace(op, [new.result])
    return [new]


def _ours(
    at: Operation, name: str, given: Sequence[SSAValue], names: Sequence[str] = ()
) -> CallOp:
    function = insert_constant(at, FunctionRef(f"dycl.prelude.generators.{name}"))
    new = CallOp(function, given, names)
    insert_before(at, new)
    return new


def gone_over(loop: ForOp) -> CallLike | None:
    """The call of the generator that a loop goes over, if nobody else does."""
    call = loop.iterable.owner
    if not isinstance(call, CallLike) or GENERATOR not in call.attributes:
        return None
    return call if is_used_up_once(call.results[0]) else None


class Generated:
    """A loop over a generator, whose body is put into that of the function."""

    def __init__(self, loop: ForOp, function: Block, labels: dict[str, int], stem: str):
        """`function` is the body of the function, with the arguments in it."""
        self.loop = loop
        self.function = function
        self.labels = labels
        self.label = fresh_label(labels, stem)
        self.cells: list[SSAValue] = []
        self.copies: set[Operation] = set()
        """The ops of the loop's body, where they are now."""

    def run(self) -> ScopeOp:
        """Replace the loop; gives what stands for it."""
        loop, body = self.loop, self.function
        yields = [op for op in walk(body) if isinstance(op, YieldValueOp)]
        first = body.first_op
        assert first is not None
        for number, value in enumerate(loop.initial):
            key = insert_constant(first, number)
            self.cells.append(insert_value(first, DictOp([key, value])))
        for end in returns_in(body):
            values = [self.load(end, number) for number in range(len(self.cells))]
            replace(end, LeaveOp(self.label, values))
        for op in yields:
            if op.parent is not None:
                self.item(op)
        scope = ScopeOp(self.label, loop.result_types, Region(body))
        replace(loop, scope)
        return scope

    def load(self, anchor: Operation, number: int) -> SSAValue:
        """What the loop carries, in front of an op."""
        key = insert_constant(anchor, number)
        return insert_value(anchor, SubscriptOp(self.cells[number], key))

    def store(self, anchor: Operation, values: Sequence[SSAValue]) -> None:
        """Let the loop carry these values, from in front of an op on."""
        for number, value in enumerate(values):
            key = insert_constant(anchor, number)
            insert_before(anchor, StoreSubscriptOp(self.cells[number], key, value))

    def item(self, op: YieldValueOp) -> None:
        """The body of the loop for what is yielded here."""
        source = self.loop.body.block
        end = self.loop.end_of(source)
        loads = [self.load(op, number) for number in range(len(self.cells))]
        given = dict(zip(source.args, [op.value, *loads], strict=True))
        mapping: dict[SSAValue, SSAValue] = {**given}
        added = [clone(inner, mapping) for inner in source.ops if inner is not end]
        jumps = loop_terminators(added)
        goes_on = [jump for jump in jumps if not isinstance(jump, BreakOp)]
        inner = fresh_label(self.labels, f"{self.label}_next") if goes_on else ""
        block = Block(added)
        for jump in jumps:
            if isinstance(jump, BreakOp):
                replace(jump, LeaveOp(self.label, jump.operands))
            else:
                self.store(jump, jump.operands)
                replace(jump, LeaveOp(inner, []))
        if end is not None:
            self.leave(block, [mapping.get(v, v) for v in end.forwarded], inner)
        self.copies.update(walk(block))
        if inner:
            insert_before(op, ScopeOp(inner, [], Region(block)))
        else:
            insert_before(op, *block.ops)
        if end is None and not inner:
            erase_from(op)
        else:
            erase(op)

    def leave(self, block: Block, values: Sequence[SSAValue], inner: str) -> None:
        """The end of the body, where it is reached."""
        for number, value in enumerate(values):
            key = ConstantOp(to_attr(number))
            new = StoreSubscriptOp(self.cells[number], key.result, value)
            append(block, key, new, source=self.loop)
        if inner:
            append(block, LeaveOp(inner, []), source=self.loop)


def copied_body(function: FuncOp, arguments: Sequence[SSAValue]) -> Block:
    """A copy of a function's body for these arguments."""
    source = function.body.block
    mapping: Mapping[SSAValue, SSAValue] = dict(
        zip(source.args, arguments, strict=True)
    )
    body, known = Block(), dict(mapping)
    for inner in source.ops:
        body.add_op(clone(inner, known))
    return body
