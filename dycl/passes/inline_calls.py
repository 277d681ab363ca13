"""`dycl-inline-calls`: put the body of a user's function where it is called.

Before                                           After
------                                           -----
%double = dycl.constant #dycl.function<@double>  %b = dycl.binary add %x, %x
%y = dycl.call %double(%x)                       dycl.return %b
dycl.return %y
func.func @double(%a: T) -> T
  attributes {dycl.params = ["a"]} {
  %b = dycl.binary add %a, %a
  dycl.return %b
}

A body with early returns becomes a `dycl.scope` whose returns leave it, unless the call
is in tail position: then the body's exits are the caller's, and stay flat.

Needs:  callees that are constants (`dycl-propagate-constants` makes them so).
Leaves: no call of a known user function; a body's ops are located at the user's line
        inside the function, with the call's place behind it; those of `dycl.prelude`
        at the call.
Skips:  calls of torch's modules and functions (`dycl-expand-modules` takes those); of
        functions that the module lacks (`dycl.ir.demand`); a
        call of a function inside its own body, until the next run of this pass: the
        test that ends the recursion must have its chance to fold; and until something
        else is known of its arguments than of those around it (`calls.recursion`); one
        that the data ends (`calls.undecided`).
"""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import CallSiteLoc, LocationAttr, ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.passes import ModulePass

from dycl.analysis.manager import provider_of
from dycl.diag import remark
from dycl.ir import (
    BinaryOp,
    CallOp,
    CompareOp,
    ForOp,
    GetattrOp,
    InplaceOp,
    InvokeOp,
    LeaveOp,
    ReturnOp,
    ScopeOp,
    SetattrOp,
    StoreSubscriptOp,
    SubscriptOp,
    ToBoolOp,
    UnaryOp,
    UnpackOp,
)
from dycl.ir.cloning import clone
from dycl.ir.demand import await_function
from dycl.ir.dialect.syntax import VALUE
from dycl.ir.functions import entry_function, returns_in
from dycl.ir.labels import fresh_label, labels_of
from dycl.ir.rewriting import (
    erase,
    erase_from,
    insert_before,
    locate_inlined,
    refuse,
    relocate,
    replace,
)
from dycl.ir.walking import walk
from dycl.passes.calls.binding import bind_values
from dycl.passes.calls.callees import Callees, Target
from dycl.passes.calls.generators import (
    INTO_A_LIST,
    YIELDS,
    Generated,
    copied_body,
    gone_over,
    is_generator,
    note,
)
from dycl.passes.calls.kept import is_kept, set_aside
from dycl.passes.calls.memoised import is_inlined, is_memoised
from dycl.passes.calls.recursion import (
    RECURSION,
    Calls,
    arguments_of,
    calls_around,
    waits,
    why_not_kept,
)
from dycl.passes.calls.undecided import Undecided
from dycl.prelude import is_ours

_INSIDE = "it is in the body of its own function: a later run may know more of it"
_KEPT = "the data ends its recursion: its function is kept"
_NOTHING_NEW = "it is given what a call around it was given"
_ENDLESS = "it is deep in itself: it may be the data that ends it"
_BY_DATA = "constants decide nothing in its function: it is the data that ends it"
_NO_COUNTER = (
    "a recursion that the data ends is given tensors and numbers only, and sets no "
    "attributes: write another one as a loop"
)


@dataclass(frozen=True)
class InlineCallsPass(ModulePass):
    """Put the body of a user's function where it is called."""

    name = "dycl-inline-calls"

    max_depth: int = 40
    """Calls inside calls, at most: beyond it the program is taken for endless."""

    max_calls: int = 256
    """Calls of functions inside their own bodies that wait at once, at most."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        entry = entry_function(op)
        if entry is not None:
            callees = Callees(op, provider_of(ctx))
            _Inliner(op, callees, self.max_depth, self.max_calls).run(entry)


class _Inliner:
    def __init__(
        self, module: ModuleOp, callees: Callees, max_depth: int, max_calls: int
    ):
        self.module = module
        self.labels = labels_of(module)
        self.callees = callees
        self.max_depth = max_depth
        self.max_calls = max_calls

    def run(self, entry: FuncOp) -> None:
        """Visit calls in order; the ops of an inlined body are visited in turn."""
        waiting: list[tuple[Operation, Calls]] = [
            (o, calls_around(o)) for o in walk(entry) if isinstance(o, _VISITED)
        ]
        waiting.reverse()
        recursive = sum(RECURSION in o.attributes for o, _ in waiting)
        self.undecided = Undecided(entry)
        self.has_generators = False
        while waiting:
            op, calls = waiting.pop()
            if op.parent is None or (self.has_generators and _is_gone(op, entry)):
                continue
            await_function(op, None)
            if isinstance(op, ForOp) and (made := gone_over(op)) is not None:
                waiting += reversed(self.generate(op, made, calls))
                continue
            call = self.callees.plain_call(op)
            target = None if call is None else self.callees.target(call)
            if call is None or target is None:
                continue
            call = target.call
            if is_kept(target.function):
                calls.note(call, target.symbol)
                remark(call, "not inlined", _KEPT)
                continue
            if calls.are_around(call, target.symbol):
                remark(call, "not inlined", _INSIDE)
                continue
            if is_memoised(target) and not is_inlined(
                target, entry, self.callees.environment
            ):
                remark(call, "not inlined", "what its function is given is not known")
                continue
            given = arguments_of(target.function, target.positional, target.keywords)
            if waits(call, given):
                remark(call, "not inlined", _NOTHING_NEW)
                continue
            is_plain = given is not None and not is_generator(target.function)
            if self.has_to_stay(target, recursive, is_plain):
                continue
            if is_generator(target.function):
                waiting += [(o, calls) for o in reversed(note(call))]
                continue
            set_aside(self.module, entry, target.function)
            inner = calls.with_call(call, target.symbol, given)
            new = [o for o in self.inline(call, target) if isinstance(o, _VISITED)]
            waiting += [(o, inner) for o in reversed(new)]

    def has_to_stay(self, target: Target, recursive: int, is_plain: bool) -> bool:
        """Whether a call is not inlined: it is kept as one, or refused.

        `is_plain`: a function that is kept could be given its arguments.
        """
        call = target.call
        is_recursion = RECURSION in call.attributes
        reason = self.too_deep(call, recursive)
        by_data = is_recursion and self.undecided.is_endless(call, target.function)
        if reason is None and not by_data:
            return False
        if is_recursion and is_plain:
            remark(call, "not inlined", _BY_DATA if by_data else _ENDLESS)
            return True
        is_lazy = is_generator(target.function)
        if by_data:
            given = [*target.positional, *target.keywords.values()]
            why = YIELDS if is_lazy else why_not_kept(target.function, given)
            reason = f"the data ends this recursion, and it {why}"
        help_ = INTO_A_LIST if by_data and is_lazy else _NO_COUNTER
        refuse(call, "DY203", reason or "", help_)
        return True

    def too_deep(self, call: Operation, recursive: int) -> str | None:
        """Why a call is taken for one of an endless recursion, as a sentence."""
        if RECURSION in call.attributes and recursive > self.max_calls:
            return f"this recursion has more than {self.max_calls} calls at one depth"
        if _depth(call.location) >= self.max_depth:
            return f"calls are nested more than {self.max_depth} deep here"
        return None

    def inline(self, op: CallOp | InvokeOp, target: Target) -> list[Operation]:
        """Replace the call by the body; gives all ops that are new, in order."""
        try:
            arguments = bind_values(op, target)
        except TypeError as why:
            what, help_ = (
                f"TypeError: {why}",
                "pass the arguments that the function takes",
            )
            refuse(op, "DY202", what, help_)
            return []
        source = target.function.body.block
        mapping: dict[SSAValue, SSAValue] = dict(
            zip(source.args, arguments, strict=True)
        )
        body = Block()
        for inner in source.ops:
            body.add_op(clone(inner, mapping))
        new = list(walk(body))
        if is_ours(target.symbol):
            for inner in new:
                relocate(inner, op)
        elif op.location != target.function.location:
            locate_inlined(new, op)
        self.splice(op, target.symbol, body)
        return [o for o in new if o.parent is not None]

    def generate(
        self, loop: ForOp, made: Operation, calls: Calls
    ) -> list[tuple[Operation, Calls]]:
        """Put the loop's body into the generator's; gives the calls that are new."""
        call = self.callees.plain_call(made)
        target = None if call is None else self.callees.target(call)
        if call is None or target is None or not is_generator(target.function):
            return []
        try:
            arguments = bind_values(target.call, target)
        except TypeError as why:
            hint = "pass the arguments that the function takes"
            refuse(call, "DY202", f"TypeError: {why}", hint)
            return []
        body = copied_body(target.function, arguments)
        new = list(walk(body))
        if is_ours(target.symbol):
            for inner in new:
                relocate(inner, loop)
        elif target.call.location != target.function.location:
            locate_inlined(new, target.call)
        given = arguments_of(target.function, target.positional, target.keywords)
        inside = calls.with_call(target.call, target.symbol, given)
        stem = target.symbol.rpartition(".")[2]
        generated = Generated(loop, body, self.labels, stem)
        scope = generated.run()
        self.has_generators = True
        if not any(result.uses for result in target.call.results):
            erase(target.call)  # a generator that nobody goes over does nothing
        return [
            (o, calls if o in generated.copies else inside)
            for o in walk(scope)
            if isinstance(o, _VISITED)
        ]

    def splice(self, op: CallOp | InvokeOp, symbol: str, body: Block) -> None:
        """Put the body in front of the call, its returns turned into what they are."""
        returns = returns_in(body)
        last = body.last_op
        if last is not None and returns == [last]:
            value = last.operands[0]
            if isinstance(op.next_op, ReturnOp):
                relocate(op.next_op, last)
            erase(last)
            insert_before(op, *body.ops)
            replace(op, [value])
            return
        end = op.next_op
        tail = isinstance(end, (ReturnOp, LeaveOp)) and (
            list(end.operands) == list(op.results)
        )
        if tail:
            if isinstance(end, LeaveOp):
                for one in returns:
                    replace(one, LeaveOp(end.label.data, one.operands))
            insert_before(op, *body.ops)
            erase_from(op)
            return
        label = fresh_label(self.labels, symbol.rpartition(".")[2])
        for one in returns:
            replace(one, LeaveOp(label, one.operands))
        scope = ScopeOp(label, [VALUE], Region(body))
        replace(op, scope)


_VISITED = (
    BinaryOp,
    CallOp,
    CompareOp,
    ForOp,
    GetattrOp,
    InplaceOp,
    InvokeOp,
    SetattrOp,
    StoreSubscriptOp,
    SubscriptOp,
    ToBoolOp,
    UnaryOp,
    UnpackOp,
)


def _is_gone(op: Operation, entry: FuncOp) -> bool:
    """Whether an op is in a loop that has been replaced."""
    around: Operation | None = op
    while around is not None and around is not entry:
        around = around.parent_op()
    return around is None


def _depth(place: LocationAttr) -> int:
    depth = 0
    location: Attribute = place
    while isinstance(location, CallSiteLoc):
        location, depth = location.caller, depth + 1
    return depth
