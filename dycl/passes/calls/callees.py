"""Which function a call runs; calls that run none of the user's are put plainly.

Before                            After
------                            -----
%y = dycl.call %seq(%x)           %a = dycl.call %conv(%x)
%z = dycl.invoke %net "conv"(%y)  %y = dycl.call %gate(%a)
dycl.return %z                    %z = dycl.call %conv(%y)
                                  dycl.return %z
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue

from dycl import prelude
from dycl.diag import remark
from dycl.ir import (
    CallOp,
    GetattrOp,
    InvokeOp,
    ListOp,
    ObjectOp,
    RecordOp,
    SubscriptOp,
    TupleOp,
)
from dycl.ir.constant_values import MISSING, constant_value
from dycl.ir.contexts import EXIT
from dycl.ir.demand import Absent, Provider, await_function, is_sure_to_run
from dycl.ir.dialect.model import symbol_ops
from dycl.ir.dialect.syntax import VALUE
from dycl.ir.environment import Environment
from dycl.ir.functions import returns_in
from dycl.ir.hooks import HookedCall, unhooked
from dycl.ir.not_evaluated import NotEvaluated, OfLibrary
from dycl.ir.opaque import remedy
from dycl.ir.rewriting import insert_before, insert_constant, refuse, replace
from dycl.ir.values import (
    FunctionRef,
    GlobalRef,
    MethodRef,
    ObjectRef,
    UnsupportedRef,
)
from dycl.passes.aggregates.items import known_slice
from dycl.passes.calls.complex_weights import open_complex
from dycl.passes.calls.construction import (
    is_made_again,
    make_object,
    make_record,
)
from dycl.passes.calls.dataclass_objects import set_aside
from dycl.passes.calls.enums import choose_member
from dycl.passes.calls.hooks import expand_hooked_call
from dycl.passes.calls.implicit import has_open_size, spelled_out
from dycl.passes.calls.refusals import (
    HELP,
    OF_LIBRARY,
    Refused,
    missing_attribute,
    name_of,
)


@dataclass(frozen=True)
class Target:
    """What a call means: the function, and its arguments with the bound object."""

    symbol: str
    function: FuncOp
    positional: list[SSAValue]
    keywords: dict[str, SSAValue]
    call: CallOp | InvokeOp
    """The call itself; it may be another one than was asked about."""


class Callees:
    """The functions of a module, and the objects that calls lead to."""

    def __init__(self, module: ModuleOp, provider: Provider):
        self.module = module
        self.provider = provider
        self.environment = Environment(module)
        self.symbols = symbol_ops(module)

    def function(self, symbol: str, op: Operation) -> Operation:
        """The function that `op` calls. Absent: it is not there, or not yet."""
        if symbol not in self.symbols:
            if not is_sure_to_run(op) or not self.provider(self.module, symbol):
                await_function(op, symbol)
                raise Absent(symbol)
            self.environment = Environment(self.module)
            self.symbols = symbol_ops(self.module)
        return self.symbols[symbol]

    def plain_call(self, op: Operation) -> CallOp | InvokeOp | None:
        """The call that an op makes, in its plainest form; None if it makes none."""
        try:
            open_complex(op, self.environment, lambda s: self.function(s, op))
            call = spelled_out(op, self.environment, lambda s: self.function(s, op))
        except AttributeError as why:
            refuse(op, *missing_attribute(why))
            return None
        except Refused as why:
            refuse(op, why.code, why.what, why.help)
            return None
        except (Absent, NotEvaluated):
            return None
        return call if isinstance(call, (CallOp, InvokeOp)) else None

    def target(self, op: CallOp | InvokeOp) -> Target | None:
        """The user's function that a call runs, or None when it is not one."""
        owner = op.operands[0].owner
        if isinstance(owner, SubscriptOp) and isinstance(op, CallOp):
            self.call_slice(op, owner)
            return None
        callee = constant_value(op.operands[0])
        if isinstance(op, CallOp) and callee is MISSING:
            remark(op, "not inlined", "what is called is not known")
        if callee is MISSING:
            return None
        if op.is_starred:
            if not isinstance(callee, GlobalRef):
                remark(op, "not inlined", "what `*` or `**` stands for is not known")
            return None
        try:
            if isinstance(op, InvokeOp):
                if not isinstance(callee, ObjectRef):
                    return None  # a method of a string, a tensor, a module of torch
                if self.moves_weights_only(callee, op.method.data):
                    replace(op, [insert_constant(op, None)])
                    return None
                if self.is_init_of_object(callee, op.method.data):
                    replace(op, [insert_constant(op, None)])
                    return None
                if self.environment.changes(callee.path, op.method.data):
                    _read_first(op)
                    return None
                if op.method.data == "forward" and self.is_torchs(callee):
                    _call_directly(op, unhooked(self.environment, callee))
                    return None
                if self.awaits_name(op, callee):
                    remark(op, "not inlined", "which attribute it reads is not known")
                    return None
                callee = self.environment.getattr(callee, op.method.data)
                if op.method.data == EXIT:
                    self.check_exit(op, callee)
            return self.resolve(op, callee)
        except Absent:
            remark(
                op, "not inlined", "its function waits until it is sure to be called"
            )
            return None
        except Refused as why:
            refuse(op, why.code, why.what, why.help)
        except AttributeError as why:
            refuse(op, *missing_attribute(why))
        except NotEvaluated as why:
            help_ = OF_LIBRARY if isinstance(why, OfLibrary) else HELP
            refuse(op, "DY201", f"this calls {why}", remedy(f"{why}", help_))
        return None

    def is_init_of_object(self, callee: ObjectRef, method: str) -> bool:
        """Whether a method is `super().__init__` of a class with no other behind it."""
        is_new = callee.path in self.environment.made
        return is_new and self.environment.is_librarys_init(callee.path, method)

    def awaits_name(self, op: InvokeOp, callee: ObjectRef) -> bool:
        """Whether a call of torch's `__getattr__` reads what is not known yet."""
        method = op.method.data
        own = method not in self.environment.members(callee.path)
        is_read = own and method == "__getattr__" and self.environment.is_module(callee)
        return is_read and MISSING in map(constant_value, op.arguments)

    def call_slice(self, op: CallOp, sliced: SubscriptOp) -> None:
        """`self.layers[1:](x)` of an nn.Sequential calls these children in turn."""
        constant, part = constant_value(sliced.operand), known_slice(sliced.index)
        if part is None or len(op.operands) != 2:
            return
        if op.keyword_names or not isinstance(constant, ObjectRef):
            return
        members = self.environment.members(constant.path)
        own = {"forward", "__call__", "__getitem__"}
        items = members.get("__items__")
        if members.keys().isdisjoint(own) and _is_sequential(members):
            _expand_sequential(op, cast("list[object]", items)[part])

    def moves_weights_only(self, callee: ObjectRef, method: str) -> bool:
        """Whether a method changes how torch stores weights, and no value."""
        members = self.environment.members(callee.path)
        return (
            method == "flatten_parameters"
            and "__leaf__" in members
            and method not in members
        )

    def is_torchs(self, callee: ObjectRef) -> bool:
        """Whether the `forward` of an object is torch's own."""
        members = self.environment.members(callee.path)
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
            if constant_value(end.operands[0]):  # MISSING is true as well
                raise Refused(
                    "DY108",
                    "this `__exit__` may suppress exceptions",
                    "return None or False",
                )

    def resolve(self, op: CallOp | InvokeOp, callee: object) -> Target | None:
        """Follow an object to its `forward`, a method to its function."""
        bound: list[object] = []
        if isinstance(callee, ObjectRef):
            members = self.environment.members(callee.path)
            if (hooked := HookedCall.of(self.environment, callee)) is not None:
                self.call_hooks(op, callee, hooked)
                return None
            if "__leaf__" in members and "__call__" not in members:
                if (ours := self.for_record(op, members["__leaf__"])) is not None:
                    return self.target_of(op, ours, [callee])
                if isinstance(op, InvokeOp):
                    _call_directly(op, callee)
                return None
            missing = members.keys().isdisjoint(("forward", "__call__"))
            if missing and _is_sequential(members):
                _expand_sequential(op, members["__items__"])
                return None
            if callee.path.startswith("class "):
                return self.make(op, callee)
            if missing:
                raise Refused(
                    "DY201",
                    f"{name_of(callee)} is called, but has no `forward`",
                    "call the modules in it one by one",
                )
            name = "__call__" if "__call__" in members else "forward"
            callee = self.environment.getattr(callee, name)
        if isinstance(callee, MethodRef):
            bound = [ObjectRef(callee.self_path)]
            callee = FunctionRef(callee.symbol)
        if isinstance(callee, GlobalRef) and isinstance(op, InvokeOp):
            _call_directly(op, callee)  # `self.act = F.relu`
            return None
        if isinstance(callee, GlobalRef):
            if _awaits_sizes(op, callee.name):
                remark(op, "not inlined", "the sizes of the tensor are not known")
                return None
            ours = self.for_record(op, callee.name)
            ours = ours or prelude.FUNCTIONS.get(callee.name)
            callee = callee if ours is None else FunctionRef(ours)
        if not isinstance(callee, FunctionRef):
            return None
        return self.target_of(op, callee.symbol, bound)

    def make(self, op: CallOp | InvokeOp, callee: ObjectRef) -> Target | None:
        """A call of a class; of one that makes objects its `__init__` is the target."""
        if (by_value := self.environment.by_value(callee)) is not None:
            choose_member(op, callee, by_value)
            return None
        template = self.environment.maker(callee.path)
        if template is None:
            set_aside(self.module, callee.path, self.environment)
            make_record(op, callee, self.environment)
            return None
        if is_made_again(op):
            remark(op, "no object made", "a loop around it may make several")
            return None
        function = self.function(template, op)
        assert isinstance(function, ObjectOp)
        init = make_object(op, function, self.environment)
        return None if init is None else self.target(init)

    def target_of(
        self, op: CallOp | InvokeOp, symbol: str, bound: Sequence[object]
    ) -> Target:
        """A function with what is bound in front of the arguments."""
        function = self.function(symbol, op)
        if not isinstance(function, FuncOp):
            raise NotEvaluated(f"@{symbol}, which is not a function")
        positional = [insert_constant(op, v) for v in bound] + list(op.positional)
        return Target(symbol, function, positional, op.keyword_arguments, op)

    def for_record(self, op: CallOp | InvokeOp, leaf: object) -> str | None:
        """What a module or function of torch is for what it is called with: a record,
        or a tensor of open sizes."""
        if not isinstance(leaf, str) or not op.positional:
            return None
        constants = map(constant_value, op.operands[1:])
        texts = [text for text in constants if isinstance(text, str)]
        keywords = {k: constant_value(v) for k, v in op.keyword_arguments.items()}
        texts += [name for name, value in keywords.items() if value is True]
        of_open = prelude.for_open_call(leaf, texts)
        if of_open is not None and any(map(has_open_size, op.positional[:3])):
            return of_open
        dtype = keywords.get("dtype")
        if isinstance(dtype, GlobalRef) and dtype.name in prelude.COMPLEX_DTYPES:
            return prelude.OF_COMPLEX_DTYPE.get(leaf)
        if any(map(_is_complex, op.positional)):
            return prelude.CALLED_WITH.get((leaf, prelude.COMPLEX_RECORD))
        kind = _record_name(op.positional[0])
        return None if kind is None else prelude.CALLED_WITH.get((leaf, kind))

    def call_hooks(
        self, op: CallOp | InvokeOp, callee: ObjectRef, hooked: HookedCall
    ) -> None:
        """A call of a module with hooks calls these, and its `forward` between them."""
        for hook in (*hooked.before, *hooked.after):
            if isinstance(hook.function, UnsupportedRef):
                why = hook.function.reason
                raise Refused(
                    "DY204",
                    f"{name_of(callee)} has {why}",
                    "remove it, or write what it does into `forward`",
                )
        if op.is_starred:
            raise Refused("DY106", "what `*` or `**` stands for is not known", HELP)
        expand_hooked_call(op, callee, hooked)


def _record_name(value: SSAValue) -> str | None:
    """The class of a record that is made here."""
    owner = value.owner
    return owner.record_type.name if isinstance(owner, RecordOp) else None


def _is_complex(value: SSAValue) -> bool:
    """Whether a value is a complex tensor, or a list or tuple with one."""
    owner = value.owner
    if isinstance(owner, (ListOp, TupleOp)):
        return any(map(_is_complex, owner.operands))
    return _record_name(value) == prelude.COMPLEX_RECORD


def _awaits_sizes(op: CallOp | InvokeOp, name: str) -> bool:
    """Whether sizes decide which of two functions of ours a call is, and are not known
    yet."""
    has_two = name in prelude.CALLED_WITH_OPEN_SIZES and name in prelude.FUNCTIONS
    return has_two and bool(op.positional) and op.positional[0].type == VALUE


def _is_sequential(members: Mapping[str, object]) -> bool:
    classes = members.get("__mro__")
    name = "torch.nn.modules.container.Sequential"
    return isinstance(classes, list) and name in classes and "__items__" in members


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
        raise Refused(
            "DY202",
            f"an nn.Sequential takes 1 argument, but {count} are given",
            "pass one value, for instance a tuple",
        )
    value = op.operands[1]
    for item in items:
        call = CallOp(insert_constant(op, item), [value])
        insert_before(op, call)
        value = call.result
    replace(op, [value])
