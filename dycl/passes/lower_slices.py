"""`dycl-lower-slices`: a loop over a slice by ints of the run leaves where it ends.

Before                              After
------                              -----
%l = dycl.list(%a, %b)              %l = dycl.list(%a, %b)
%s = dycl.slice(%none, %k, %none)   %m = dycl.compare lt %k, %zero
%t = dycl.subscript %l[%s]          %j = dycl.binary add %k, %two
%r = dycl.for %f in %t              %stop = dycl.select %m, %j, %k
       carry(%c = %x) {             %w = dycl.call %enumerate(%l)
  %d = dycl.call %f(%c)             %r = dycl.for %p in %w carry(%c = %x) {
  dycl.yield %d                       %n, %f = dycl.unpack %p -> 2
}                                     %i = dycl.call %int(%n)
dycl.return %r                        %e = dycl.compare ge %i, %stop
                                      %h = dycl.to_bool %e
                                      dycl.if %h {
                                        dycl.break %c
                                      }
                                      %d = dycl.call %f(%c)
                                      dycl.yield %d
                                    }
                                    dycl.return %r

`for layer in self.layers[:n]`: which layers there are is known, how many are called is
not. `%stop` is n, or n and the length where n is below zero. `enumerate` and `zip` of
such slices count along. A slice with other uses is a sequence.

Needs:  the rounds of `normalise` are over: no constant is left to be found for n.
Leaves: no loop over such a slice of items that are known.
Skips:  slices with a step, of what is not known or changes; a start other than 0 under
        `enumerate` or `zip`; other uses of slices of what is neither tensors nor
        numbers, or of a tuple. A remark says which.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import cast

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.passes import ModulePass

from dycl.analysis.folding.items import Item, Known, Row
from dycl.analysis.manager import environment_of
from dycl.diag import remark
from dycl.ir import (
    BinaryOp,
    BreakOp,
    CallOp,
    ContinueOp,
    ForOp,
    IfOp,
    ListOp,
    SequenceOp,
    SliceOp,
    SubscriptOp,
    UnpackOp,
    YieldOp,
)
from dycl.ir.constant_values import constant_name, constant_value
from dycl.ir.dtypes import dtype_name
from dycl.ir.environment import Environment
from dycl.ir.functions import entry_function
from dycl.ir.rewriting import insert_before
from dycl.ir.torch import IntT, VTensorType
from dycl.ir.walking import walk
from dycl.passes.builtins.items import Site, is_number
from dycl.passes.lists.names import becomes
from dycl.passes.lists.writes import is_int, is_write, make_copy

_SIDE_BY_SIDE = ("builtins.enumerate", "builtins.zip")


@dataclass(frozen=True)
class LowerSlicesPass(ModulePass):
    """A loop over a slice by ints of the run leaves where it ends."""

    name = "dycl-lower-slices"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Change the entry function; raises nothing."""
        entry = entry_function(op)
        if entry is None:
            return
        environment = environment_of(ctx, op)
        ops = list(walk(entry))
        for item in [o for o in ops if isinstance(o, SubscriptOp)]:
            _ask_tensors(item, environment)
        for loop in [o for o in ops if isinstance(o, ForOp)]:
            found = list(_slices(loop.iterable))
            if found and not any(_cannot(s, loop, environment) for s in found):
                _leave_at_the_end(loop, found, environment)
        for item in [o for o in ops if isinstance(o, SubscriptOp)]:
            if item.result.uses and _is_of_run(item):
                why = _make_sequence(item, environment)
                if why is not None:
                    remark(item, "a slice by ints of the run was left", why)


def _ask_tensors(op: SubscriptOp, environment: Environment) -> None:
    """A tensor of one integer as a bound of a slice of a list is that int."""
    index = op.index.owner
    if not isinstance(index, SliceOp) or isinstance(op.operand.type, VTensorType):
        return
    site = Site(op, environment)
    if not any(map(_is_integer_tensor, index.items)) or site.items(op.operand) is None:
        return
    bounds = [
        site.call("int", item) if _is_integer_tensor(item) else item
        for item in index.items
    ]
    op.operands[1] = site.add(SliceOp(bounds))


def _is_integer_tensor(value: SSAValue) -> bool:
    if not isinstance(value.type, VTensorType):
        return False
    kind = value.type
    return kind.is_single and dtype_name(kind.dtype).startswith(("int", "uint"))


def _slices(value: SSAValue) -> Iterator[SubscriptOp]:
    """The slices by ints of the run that a loop over `value` goes over."""
    owner = value.owner
    if isinstance(owner, SubscriptOp) and _is_of_run(owner):
        yield owner
    elif isinstance(owner, CallOp) and constant_name(owner.callee) in _SIDE_BY_SIDE:
        for argument in owner.positional:
            yield from _slices(argument)


def _is_of_run(op: SubscriptOp) -> bool:
    """Whether this is a slice without a step, by ints of which one is not known."""
    index = op.index.owner
    if not isinstance(index, SliceOp) or isinstance(op.operand.type, VTensorType):
        return False
    start, stop, step = index.items
    if constant_value(step) not in (None, 1):
        return False
    known = [type(constant_value(v)) in (int, type(None)) for v in (start, stop)]
    pairs = zip(known, (start, stop), strict=True)
    return not all(known) and all(is_known or v.type == IntT for is_known, v in pairs)


def _bounds(op: SubscriptOp) -> tuple[SSAValue | None, SSAValue | None]:
    """Start and stop of a slice; None: it goes from the first item, or to the last."""
    start, stop, _ = cast(SliceOp, op.index.owner).items
    begin = None if constant_value(start) in (None, 0) else start
    return begin, None if constant_value(stop) is None else stop


def _cannot(op: SubscriptOp, loop: ForOp, environment: Environment) -> bool:
    """Whether a loop cannot go over the whole in the place of a slice."""
    start, _ = _bounds(op)
    if start is not None and loop.iterable is not op.result:
        return True
    outer = loop.iterable.owner
    while isinstance(outer, CallOp):
        if outer.is_starred or "strict" in outer.keyword_names:
            return True
        inner = (v.owner for v in outer.positional)
        outer = next((o for o in inner if isinstance(o, CallOp)), None)
    return Site(op, environment).items(op.operand) is None


def _leave_at_the_end(
    loop: ForOp, found: list[SubscriptOp], environment: Environment
) -> None:
    site = Site(loop, environment)
    tests = [_in_place(op, site) for op in found]
    whole = site.call("enumerate", _whole(loop.iterable, site))
    loop.operands[0] = whole
    body = loop.body.block
    first = cast(Operation, body.first_op)
    item = loop.item
    pair = UnpackOp(item, 2)
    insert_before(first, pair)
    number, value = pair.results
    value.name_hint = item.name_hint
    item.replace_uses_with_if(value, lambda use: use.operation is not pair)
    inside = Site(first, environment)
    number = inside.call("int", number)
    carried = body.args[1:]
    for start, stop in tests:
        if start is not None:
            _jump(inside, loop, ("lt", number, start), ContinueOp(carried))
        if stop is not None:
            _jump(inside, loop, ("ge", number, stop), BreakOp(carried))


def _jump(
    site: Site,
    loop: ForOp,
    test: tuple[str, SSAValue, SSAValue],
    jump: BreakOp | ContinueOp,
) -> None:
    """A jump in the loop, if a comparison holds."""
    holds = site.to_bool(site.compare(*test))
    op = IfOp(holds, [], Region(Block([jump])), Region(Block([YieldOp()])))
    if "test" in loop.attributes:
        op.attributes["test"] = loop.attributes["test"]
    insert_before(site.op, op)


def _in_place(op: SubscriptOp, site: Site) -> tuple[SSAValue | None, SSAValue | None]:
    """Start and stop as numbers from the front."""
    items = site.items(op.operand)
    assert items is not None
    length = site.constant(len(items))

    def from_front(bound: SSAValue | None) -> SSAValue | None:
        if bound is None:
            return None
        below = site.compare("lt", bound, site.constant(0))
        wrapped = site.add(BinaryOp("add", bound, length, IntT))
        return site.either(below, wrapped, bound)

    start, stop = map(from_front, _bounds(op))
    return start, stop


def _whole(value: SSAValue, site: Site) -> SSAValue:
    """What a loop goes over, with the whole lists in the place of the slices."""
    owner = value.owner
    if isinstance(owner, SubscriptOp) and _is_of_run(owner):
        return owner.operand
    if not isinstance(owner, CallOp) or not list(_slices(value)):
        return value
    return site.call(
        constant_name(owner.callee).removeprefix("builtins."),
        *(_whole(argument, site) for argument in owner.positional),
    )


def _make_sequence(op: SubscriptOp, environment: Environment) -> str | None:
    """Let a slice be one of a sequence; else the reason not to."""
    source = op.operand
    is_list = isinstance(source.owner, ListOp)
    if not is_list and not isinstance(constant_value(source), list):
        return "it is not of a list"
    site = Site(op, environment)
    items = site.items(source)
    if items is None:
        return "the items of the list are not known"
    if not all(map(_is_plain, items)):
        return "an item is no tensor or number"
    op.operands[0] = site.add(SequenceOp(site.values(items)))
    uses = [(use.operation, use.index) for use in op.result.uses]
    if not any(is_write(*use) or becomes(*use) for use in uses):
        make_copy(op, site)  # else `dycl-carry-lists` follows it
    return None


def _is_plain(item: Item) -> bool:
    match item:
        case Known(value):
            return isinstance(value, (int, float))
        case SSAValue():
            known = isinstance(item.type, VTensorType) or is_number(item)
            return known or is_int(item)
        case _:
            return isinstance(item, Row)
