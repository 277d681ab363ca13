"""`dycl-inline-calls`: put the body of a user's function where it is called.

Before                               After
------                               -----
%m = dycl.constant @blocks.0         %m = dycl.constant @blocks.0
%y = dycl.call %m(%x)                %w = dycl.invoke %m "conv"(%x)
                                     ...
func.func @Block.forward(%self, %x)  func.func @Block.forward(%self, %x)

A body with early returns becomes a `dycl.scope` whose returns leave it, unless the call
is in tail position: then the body's exits are the caller's, and stay flat.

Needs:  callees that are constants (`dycl-propagate-constants` makes them so).
Leaves: no call of a known user function; a body's ops are located at the user's line
        inside the function, with the call's place behind it.
Skips:  calls of torch's modules and functions (`dycl-expand-modules` takes those); of
        functions that the module lacks (`dycl.ir.demand`); a
        call of a function inside its own body, until the next run of this pass: the
        test that ends the recursion must have its chance to fold; and until something
        else is known of its arguments than of those around it (`calls.recursion`).
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from xdsl.context import Context
from xdsl.dialects.builtin import CallSiteLoc, LocationAttr, ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.passes import ModulePass

from dycl.ir import (
    BinaryOp,
    CallOp,
    CompareOp,
    DictOp,
    ForOp,
    GetattrOp,
    InplaceOp,
    InvokeOp,
    LeaveOp,
    ListOp,
    RecordOp,
    ReturnOp,
    ScopeOp,
    SetattrOp,
    StoreSubscriptOp,
    SubscriptOp,
    TruthOp,
    TupleOp,
    UnaryOp,
)
from dycl.ir.cloning import clone
from dycl.ir.contexts import EXIT
from dycl.ir.demand import Absent, await_function, demand, is_sure_to_run
from dycl.ir.dialect.model import symbol_ops
from dycl.ir.dialect.syntax import VALUE
from dycl.ir.functions import entry_function, returns_in
from dycl.ir.hooks import HookedCall, unhooked
from dycl.ir.known import MISSING, known
from dycl.ir.labels import fresh_label, labels_of
from dycl.ir.not_evaluated import NotEvaluated
from dycl.ir.opaque import remedy
from dycl.ir.rewriting import (
    erase,
    erase_from,
    insert_before,
    insert_constant,
    insert_value,
    locate_inlined,
    refuse,
    relocate,
    replace,
)
from dycl.ir.signature import Default, Keywords, Rest, Signature, bind
from dycl.ir.values import (
    FunctionRef,
    GlobalRef,
    LeafRef,
    MethodRef,
    ObjectRef,
    UnsupportedRef,
    from_attr,
)
from dycl.ir.walking import walk
from dycl.ir.world import World
from dycl.passes.aggregates.items import known_slice
from dycl.passes.calls.hooks import expand_hooked_call
from dycl.passes.calls.implicit import spelled_out
from dycl.passes.calls.recursion import RECURSION, Calls, arguments_of, waits


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
            _Inliner(op, self.max_depth, self.max_calls).run(entry)


@dataclass(frozen=True)
class _Target:
    """What a call means: the function, and its arguments with the bound object."""

    symbol: str
    function: FuncOp
    positional: list[SSAValue]
    keywords: dict[str, SSAValue]


class _Inliner:
    def __init__(self, module: ModuleOp, max_depth: int, max_calls: int):
        self.module = module
        self.world = World(module)
        self.symbols = symbol_ops(module)
        self.labels = labels_of(module)
        self.max_depth = max_depth
        self.max_calls = max_calls

    def run(self, entry: FuncOp) -> None:
        """Visit calls in order; the ops of an inlined body are visited in turn."""
        waiting: list[tuple[Operation, Calls]] = [
            (o, Calls()) for o in walk(entry) if isinstance(o, _VISITED)
        ]
        waiting.reverse()
        if sum(RECURSION in o.attributes for o, _ in waiting) > self.max_calls:
            self.refuse_recursion([o for o, _ in waiting if RECURSION in o.attributes])
        while waiting:
            op, calls = waiting.pop()
            if op.parent is None:
                continue
            await_function(op, None)
            call = self.plain_call(op)
            target = None if call is None else self.target(call)
            if call is None or target is None or calls.are_around(call, target.symbol):
                continue
            given = arguments_of(target.function, target.positional, target.keywords)
            if waits(call, given):
                continue
            if _depth(call.location) >= self.max_depth:
                refuse(
                    call,
                    "DY203",
                    f"calls are nested more than {self.max_depth} deep here",
                    _ENDLESS,
                )
                continue
            inner = calls.with_call(call, target.symbol, given)
            new = [o for o in self.inline(call, target) if isinstance(o, _VISITED)]
            waiting += [(o, inner) for o in reversed(new)]

    def refuse_recursion(self, calls: Sequence[Operation]) -> None:
        """Functions that call themselves more than once each grow without end."""
        for call in calls:
            what = f"this recursion has more than {self.max_calls} calls at one depth"
            refuse(call, "DY203", what, _ENDLESS)

    def function(self, symbol: str, op: Operation) -> Operation:
        """The function that `op` calls. Absent: it is not there, or not yet."""
        if symbol not in self.symbols:
            if not is_sure_to_run(op) or not demand(self.module, symbol):
                await_function(op, symbol)
                raise Absent(symbol)
            self.world = World(self.module)
            self.symbols = symbol_ops(self.module)
        return self.symbols[symbol]

    def plain_call(self, op: Operation) -> CallOp | InvokeOp | None:
        """The call that an op makes, in its plainest form; None if it makes none."""
        try:
            found = spelled_out(op, self.world, lambda s: self.function(s, op))
        except AttributeError as why:
            refuse(op, *_missing_attribute(why))
            return None
        except NotEvaluated:
            return None
        return found if isinstance(found, (CallOp, InvokeOp)) else None

    def target(self, op: CallOp | InvokeOp) -> _Target | None:
        """The user's function that a call runs, or None when it is not one."""
        owner = op.operands[0].owner
        if isinstance(owner, SubscriptOp) and isinstance(op, CallOp):
            self.call_slice(op, owner)
            return None
        callee = known(op.operands[0])
        if callee is MISSING or op.is_starred:
            return None
        try:
            if isinstance(op, InvokeOp):
                if not isinstance(callee, ObjectRef):
                    return None  # a method of a string, a tensor, a module of torch
                if self.moves_weights_only(callee, op.method.data):
                    replace(op, [insert_constant(op, None)])
                    return None
                if self.world.changes(callee.path, op.method.data):
                    _read_first(op)
                    return None
                if op.method.data == "forward" and self.is_torchs(callee):
                    _call_directly(op, unhooked(self.world, callee))
                    return None
                callee = self.world.getattr(callee, op.method.data)
                if op.method.data == EXIT:
                    self.check_exit(op, callee)
            return self.resolve(op, callee)
        except Absent:
            return None
        except _Refused as why:
            refuse(op, why.code, why.what, why.help)
        except AttributeError as why:
            refuse(op, *_missing_attribute(why))
        except NotEvaluated as why:
            refuse(op, "DY201", f"this calls {why}", remedy(f"{why}", _HELP))
        return None

    def call_slice(self, op: CallOp, sliced: SubscriptOp) -> None:
        """`self.layers[1:](x)` of an nn.Sequential calls these children in turn."""
        found, part = known(sliced.operand), known_slice(sliced.index)
        if part is None or len(op.operands) != 2:
            return
        if op.keyword_names or not isinstance(found, ObjectRef):
            return
        members = self.world.members(found.path)
        own = {"forward", "__call__", "__getitem__"}
        items = members.get("__items__")
        if members.keys().isdisjoint(own) and _is_sequential(members):
            _expand_sequential(op, cast("list[object]", items)[part])

    def moves_weights_only(self, callee: ObjectRef, method: str) -> bool:
        """Whether a method changes how torch stores weights, and no value."""
        members = self.world.members(callee.path)
        return (
            method == "flatten_parameters"
            and "__leaf__" in members
            and method not in members
        )

    def is_torchs(self, callee: ObjectRef) -> bool:
        """Whether the `forward` of an object is torch's own."""
        members = self.world.members(callee.path)
        return "__leaf__" in members or (
            "forward" not in members and _is_sequential(members)
        )

    def check_exit(self, op: InvokeOp, callee: object) -> None:
        """A manager that keeps exceptions for itself would let the run go on."""
        if not isinstance(callee, MethodRef):
            return
        function = self.function(callee.symbol, op)
        ends = returns_in(function.body.block) if isinstance(function, FuncOp) else []
        for end in ends:
            if known(end.operands[0]):  # MISSING is true as well
                raise _Refused(
                    "DY108",
                    "this `__exit__` may keep exceptions from its caller",
                    "return None or False, where no exception shall be kept",
                )

    def resolve(self, op: CallOp | InvokeOp, callee: object) -> _Target | None:
        """Follow an object to its `forward`, a method to its function."""
        bound: list[object] = []
        if isinstance(callee, ObjectRef):
            members = self.world.members(callee.path)
            if (hooked := HookedCall.of(self.world, callee)) is not None:
                self.call_hooks(op, callee, hooked)
                return None
            if "__leaf__" in members and "__call__" not in members:
                if isinstance(op, InvokeOp):
                    _call_directly(op, callee)
                return None
            missing = members.keys().isdisjoint(("forward", "__call__"))
            if missing and _is_sequential(members):
                _expand_sequential(op, members["__items__"])
                return None
            if callee.path.startswith("class "):
                self.make(op, callee)
                return None
            if missing:
                raise _Refused(
                    "DY201",
                    f"{_name(callee)} is called, but has no `forward`",
                    "call the modules in it one by one",
                )
            name = "__call__" if "__call__" in members else "forward"
            callee = self.world.getattr(callee, name)
        if isinstance(callee, MethodRef):
            bound = [ObjectRef(callee.self_path)]
            callee = FunctionRef(callee.symbol)
        if isinstance(callee, GlobalRef) and isinstance(op, InvokeOp):
            _call_directly(op, callee)  # `self.act = F.relu`
            return None
        if not isinstance(callee, FunctionRef):
            return None
        function = self.function(callee.symbol, op)
        if not isinstance(function, FuncOp):
            raise NotEvaluated(f"@{callee.symbol}, which is no function")
        positional = [insert_constant(op, v) for v in bound] + list(op.positional)
        return _Target(callee.symbol, function, positional, op.keyword_arguments)

    def call_hooks(
        self, op: CallOp | InvokeOp, callee: ObjectRef, hooked: HookedCall
    ) -> None:
        """A call of a module with hooks calls these, and its `forward` between them."""
        for hook in (*hooked.before, *hooked.after):
            if isinstance(hook.function, UnsupportedRef):
                why = hook.function.reason
                raise _Refused(
                    "DY204",
                    f"{_name(callee)} has {why}",
                    "remove it, or write what it does into `forward`",
                )
        if op.is_starred:
            raise _Refused("DY106", "what `*` or `**` stands for is not known", _HELP)
        expand_hooked_call(op, callee, hooked)

    def make(self, op: CallOp | InvokeOp, callee: ObjectRef) -> None:
        """A call of a dataclass or of a named tuple's class makes a record."""
        members = self.world.members(callee.path)
        found = members.get("__record__")
        if not isinstance(found, dict):
            why = "makes a new object while the network runs"
            if isinstance(found, UnsupportedRef):
                why = f"is made while the network runs, and {found.reason}"
            raise _Refused(
                "DY201",
                f"{_name(callee)} {why}",
                "make it in `__init__`; return a tuple, a dict, a named tuple or a "
                "plain dataclass",
            )
        cls = self.world.record_class(callee.path)
        try:
            bound = cls.bind(op.positional, op.keyword_arguments)
        except TypeError as why:
            what, help_ = f"TypeError: {why}", "pass what the class asks for"
            raise _Refused("DY202", what, help_) from None
        items: list[SSAValue] = []
        for one in bound:
            if isinstance(one, SSAValue):
                items.append(one)
            elif isinstance(one, Default) and one.name in cls.factories:
                items.append(_called(op, cls.factories[one.name]))
            elif isinstance(one, Default):
                items.append(insert_constant(op, cls.defaults[one.name]))
        record = RecordOp(insert_value(op, TupleOp(items)), cls.type)
        record.result.name_hint = op.result.name_hint
        replace(op, [insert_value(op, record)])

    def inline(self, op: CallOp | InvokeOp, target: _Target) -> list[Operation]:
        """Replace the call by the body; gives all ops that are new, in order."""
        try:
            arguments = _bind(op, target)
        except TypeError as why:
            what, help_ = f"TypeError: {why}", "pass what the function asks for"
            refuse(op, "DY202", what, help_)
            return []
        source = target.function.body.block
        mapping: dict[SSAValue, SSAValue] = dict(
            zip(source.args, arguments, strict=True)
        )
        body = Block()
        for one in source.ops:
            body.add_op(clone(one, mapping))
        new = list(walk(body))
        if op.location != target.function.location:
            locate_inlined(new, op)
        self.splice(op, target.symbol, body)
        return [o for o in new if o.parent is not None]

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
    TruthOp,
    UnaryOp,
)


def _missing_attribute(why: AttributeError) -> tuple[str, str, str]:
    found = _SUPER.search(str(why))
    if found is None:
        return "DY201", str(why), "define it in the class of the module"
    what = f"`super().{found[1]}` is no function of your own classes"
    help_ = "keep the torch module in an attribute of the model, and call that"
    return "DY119", what, help_


_SUPER = re.compile(r"'super\(.*\)\.(\w+)'")


class _Refused(Exception):
    """The call means something that is not compiled."""

    def __init__(self, code: str, what: str, help: str):
        super().__init__(what)
        self.code, self.what, self.help = code, what, help


_ENDLESS = "recursion that the data ends cannot be compiled: write it as a loop"
_HELP = "make it a plain method of the class, or a function of the file"


def _name(ref: ObjectRef) -> str:
    """How the user reaches an object."""
    if ref.path.startswith("class "):
        return f"`{ref.path.rpartition('.')[2]}`"
    return f"`self.{ref.path}`" if ref.path else "the model"


def _is_sequential(members: Mapping[str, object]) -> bool:
    classes = members.get("__mro__")
    name = "torch.nn.modules.container.Sequential"
    return isinstance(classes, list) and name in classes and "__items__" in members


def _depth(place: LocationAttr) -> int:
    depth = 0
    location: Attribute = place
    while isinstance(location, CallSiteLoc):
        location, depth = location.caller, depth + 1
    return depth


def _call_directly(op: InvokeOp, callee: ObjectRef | GlobalRef) -> None:
    """`self.conv(x)` with a module or function of torch becomes a call of that."""
    call = CallOp(insert_constant(op, callee), op.operands[1:], op.keyword_names)
    insert_before(op, call)
    replace(op, [call.result])


def _read_first(op: InvokeOp) -> None:
    """`self.act(x)` where `act` changes: read the attribute, and call what it is."""
    read = GetattrOp(op.receiver, op.method.data)
    call = CallOp(read.result, op.arguments, op.keyword_names)
    insert_before(op, read, call)
    replace(op, [call.result])


def _expand_sequential(op: CallOp | InvokeOp, items: object) -> None:
    """A call of an nn.Sequential is a chain of calls of its children."""
    if not isinstance(items, list) or len(op.operands) != 2:
        count = len(op.operands) - 1
        raise _Refused(
            "DY202",
            f"an nn.Sequential takes 1 argument, {count} are given",
            "pass one value, for instance a tuple",
        )
    value = op.operands[1]
    for item in items:
        call = CallOp(insert_constant(op, item), [value])
        insert_before(op, call)
        value = call.result
    replace(op, [value])


def _bind(op: Operation, target: _Target) -> Sequence[SSAValue]:
    """Arguments in the order of the function's parameters. Raises TypeError."""
    signature = Signature.of(target.function.attributes, ())
    bound = bind(target.symbol, signature, target.positional, target.keywords)
    found: list[SSAValue] = []
    for one in bound:
        match one:
            case Default(name):
                known = from_attr(signature.defaults[name])
                is_given = isinstance(known, LeafRef)
                found.append(
                    found[known.index] if is_given else insert_constant(op, known)
                )
            case Rest(items):
                found.append(insert_value(op, TupleOp(items)))
            case Keywords(entries):
                flat = [
                    x for k, v in entries.items() for x in (insert_constant(op, k), v)
                ]
                found.append(insert_value(op, DictOp(flat)))
            case _:
                found.append(one)
    return found


def _called(op: Operation, factory: object) -> SSAValue:
    """What `field(default_factory=...)` makes."""
    empty = {GlobalRef("builtins.list"): ListOp, GlobalRef("builtins.dict"): DictOp}
    if isinstance(factory, GlobalRef) and factory in empty:
        return insert_value(op, empty[factory]([]))
    return insert_value(op, CallOp(insert_constant(op, factory), []))
