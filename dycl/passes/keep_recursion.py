"""`dycl-keep-recursion`: a recursion that the data ends stays a function.

Before                                     After
------                                     -----
%f = dycl.constant #dycl.function<@f>      dycl.local_function "f"(%b: !dycl.value) {
%y = dycl.call %f(%x)                        dycl.local_return %b
  {dycl.recursion = ["!dycl.value"]}       } {of = "f", given = [unit],
dycl.return %y                                max_depth = 1000 : i64}
func.func @f(%a: !dycl.value)              %y = dycl.local_call "f"(%x)
  attributes {dycl.params = ["a"]} {       dycl.return %y
  dycl.return %a
}

`dycl-inline-calls` puts a function into itself for as long as something new is known of
its arguments. What it leaves has nothing new, or is too deep: only a run can tell where
it ends. So the function is kept, once for each set of constants that it is called with
(`calls.specializations`); a number that another call changes is a parameter.

Needs:  `dycl-inline-calls` has noted which calls wait; a last resort of the normalise
        phase.
Leaves: no such call, but for those that it skips. All paths of a local function give a
        tuple, or a dict of the same keys, as its items; where some give None, whether
        it gives something comes first.
Skips:  calls that are given lists or dicts which they may change; generators; functions
        with more than `max-functions` sets of constants and types. They are refused
        (DY203).
"""

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseArrayBase,
    DictionaryAttr,
    IntegerAttr,
    ModuleOp,
    StringAttr,
    i64,
)
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.passes import ModulePass

from dycl.analysis.manager import provider_of
from dycl.diag import remark
from dycl.ir import (
    CallOp,
    ConstantOp,
    DictOp,
    InvokeOp,
    ListOp,
    LocalFunctionOp,
    LocalReturnOp,
    TupleOp,
)
from dycl.ir.cloning import clone
from dycl.ir.constant_values import constant_name
from dycl.ir.dialect.local_functions import LISTS, MAX_DEPTH, local_functions
from dycl.ir.functions import argument_names, entry_function, returns_in
from dycl.ir.labels import fresh_label
from dycl.ir.rewriting import (
    append_argument,
    erase,
    insert_before,
    locate,
    refuse,
    replace,
)
from dycl.ir.walking import walk
from dycl.passes.calls.binding import bind_values
from dycl.passes.calls.callees import Callees, Target
from dycl.passes.calls.generators import INTO_A_LIST, YIELDS, is_generator
from dycl.passes.calls.items import call_of, return_items
from dycl.passes.calls.kept import (
    changed_in,
    forget,
    is_kept,
    keep_function,
    put_back,
)
from dycl.passes.calls.none_results import return_whether
from dycl.passes.calls.readings import RECURSION, handings, read_parameters
from dycl.passes.calls.recursion import changed_arguments, list_parameters
from dycl.passes.calls.specializations import (
    GIVEN,
    LIST,
    OF,
    NoForm,
    constants_in,
    given_of,
    handed,
    is_number,
    items_of,
    pattern_of,
    read_in,
)

_AS_A_LOOP = "write it as a loop"


@dataclass(frozen=True)
class KeepRecursionPass(ModulePass):
    """A recursion that the data ends stays a function."""

    name = "dycl-keep-recursion"

    max_depth: int = 1000
    """Calls of such functions that may be open at once in a run."""

    max_functions: int = 8
    """Local functions that one function of the user's may become."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        entry = entry_function(op)
        if entry is None or not entry.body.blocks:
            return
        for function in local_functions(entry):
            return_whether(entry, function)
            return_items(entry, function)
        waiting = [o for o in walk(entry) if RECURSION in o.attributes]
        callees = Callees(op, provider_of(ctx))
        keeper = _Keeper(op, entry, callees, self.max_depth, self.max_functions)
        if not waiting:
            forget(op, entry)
        elif not keeper.begin_again(waiting):
            keeper.run(waiting)


class _Keeper:
    def __init__(
        self,
        module: ModuleOp,
        entry: FuncOp,
        callees: Callees,
        max_depth: int,
        max_functions: int,
    ):
        self.module = module
        self.entry = entry
        self.max_depth = max_depth
        self.max_functions = max_functions
        self.callees = callees
        self.functions = local_functions(entry)

    def begin_again(self, waiting: Sequence[Operation]) -> bool:
        """Put the program back to where none of these functions was inlined.

        False: that is not known any more, or they have not been inlined.
        """
        calls = [self.bound(op) for op in waiting]
        new = [bound for bound in calls if bound and not is_kept(bound[1].function)]
        if not new or not put_back(self.module, self.entry):
            return False
        for call, target, arguments in new:
            keep_function(target.function, changed_arguments(call, arguments))
        return True

    def bound(
        self, op: Operation
    ) -> tuple[CallOp | InvokeOp, Target, Sequence[SSAValue]] | None:
        """The call that an op makes, of which function, with which arguments."""
        call = self.callees.plain_call(op)
        target = None if call is None else self.callees.target(call)
        if call is None or target is None:
            return None
        try:
            return target.call, target, bind_values(target.call, target)
        except TypeError:
            return None  # `dycl-inline-calls` says so

    def run(self, waiting: Sequence[Operation]) -> None:
        """Every call that a local function is for; one new function, if need be.

        Further ones wait until more is known: what the new one holds may decide.
        """
        changed = False
        for op in waiting:
            call = self.bound(op)
            if call is not None and not self.call_known(*call) and not changed:
                changed = self.keep(*call)

    def call_known(
        self, call: Operation, target: Target, arguments: Sequence[SSAValue]
    ) -> bool:
        """Call a local function that there is, if one is for these arguments."""
        for function in self.functions:
            if function.attributes.get(OF) != StringAttr(target.symbol):
                continue
            try:
                given = handed(function, arguments)
            except NoForm:
                continue
            replace(call, [call_of(call, function, given)])
            return True
        return False

    def keep(
        self,
        call: CallOp | InvokeOp,
        target: Target,
        arguments: Sequence[SSAValue],
    ) -> bool:
        """Make a local function for a call, and call it; False: it is refused."""
        try:
            if why := self.cannot(target):
                raise NoForm(why)
            changed = changed_in(target.function)
            entries = self.entries(call, target, arguments, changed)
            function = self.function(target, arguments, entries)
        except NoForm as why:
            remark(call, "not kept", f"it {why}")
            what = f"the data ends this recursion, and it {why}"
            is_lazy = is_generator(target.function)
            refuse(call, "DY203", what, INTO_A_LIST if is_lazy else _AS_A_LOOP)
            return False
        self.functions.append(function)
        return self.call_known(call, target, arguments)

    def cannot(self, target: Target) -> str | None:
        """Why a function cannot be kept, as the end of a sentence."""
        if is_generator(target.function):
            return YIELDS
        symbol = StringAttr(target.symbol)
        known = [f for f in self.functions if f.attributes.get(OF) == symbol]
        if len(known) >= self.max_functions:
            return "is given arguments of other shapes or types in each of its calls"
        return None

    def entries(
        self,
        call: Operation,
        target: Target,
        arguments: Sequence[SSAValue],
        changed: set[int],
    ) -> list[Attribute]:
        """What the function takes as given: see `calls.specializations`. NoForm."""
        symbol, lists = target.symbol, list_parameters(target.function)
        names, read = argument_names(target.function), read_parameters(target.function)
        changed |= changed_arguments(call, arguments)
        for function in self.functions:
            if function.attributes.get(OF) == StringAttr(symbol):
                changed |= _changed(given_of(function), arguments)
        try:
            return [
                LIST
                if name in lists
                else pattern_of(value, number in changed, name in read)
                for number, (name, value) in enumerate(
                    zip(names, arguments, strict=True)
                )
            ]
        except NoForm as why:
            raise NoForm(f"is given {why}, which it might change") from why

    def function(
        self,
        target: Target,
        arguments: Sequence[SSAValue],
        entries: Sequence[Attribute],
    ) -> LocalFunctionOp:
        """A local function with the user's body, in front of what calls it. NoForm."""
        source = target.function.body.block
        body = Block()
        mapping: dict[SSAValue, SSAValue] = {}
        lists: list[int] = []
        read: list[SSAValue] = []
        for param, value, entry in zip(source.args, arguments, entries, strict=True):
            if entry == LIST:
                lists.append(len(body.args))
            mapping[param] = _parameter(body, entry, value, param, target.function)
            if isinstance(mapping[param].owner, (DictOp, ListOp)):
                read.append(mapping[param])
        for op in source.ops:
            body.add_op(clone(op, mapping))
        for end in returns_in(body):
            replace(end, LocalReturnOp(end.operands))
        taken = {f.label.data: 1 for f in self.functions}
        label = fresh_label(taken, target.symbol.rpartition(".")[2])
        function = LocalFunctionOp(label, Region(body))
        function.attributes[OF] = StringAttr(target.symbol)
        function.attributes[GIVEN] = ArrayAttr(entries)
        if lists:
            function.attributes[LISTS] = DenseArrayBase.from_list(i64, lists)
        function.attributes[MAX_DEPTH] = IntegerAttr(self.max_depth, i64)
        first = self.entry.body.block.first_op
        assert first is not None
        locate([function], target.function.location)
        insert_before(first, function)
        handed_on = [u.operation for value in read for u in handings(value)]
        if any(self.may_be_another(op, target.symbol) for op in handed_on):
            erase(function)
            raise NoForm("is given a list or dict, which it might change")
        return function

    def may_be_another(self, op: Operation, symbol: str) -> bool:
        """Whether an op may call another function than this: `self.visit` of a class
        from which others are derived. What is captured is for this one."""
        if constant_name(op.operands[0]) == "functools.partial":
            return False
        call = self.bound(op)
        return call is None or call[1].symbol != symbol


def _changed(entries: Sequence[Attribute], arguments: Sequence[SSAValue]) -> set[int]:
    """The arguments that are numbers, and others than a local function was made for."""
    changed: set[int] = set()
    for number, (entry, value) in enumerate(zip(entries, arguments, strict=False)):
        known, owner = constants_in(entry), value.owner
        now = owner.value if isinstance(owner, ConstantOp) else None
        for one in (known, now):
            if one is not None and is_number(one) and known != now:
                changed.add(number)
    return changed


def _read_again(
    body: Block, entry: DictionaryAttr, value: SSAValue, param: SSAValue, source: FuncOp
) -> ListOp | DictOp:
    """A list or dict that is only read, made anew of what is in it."""
    owner = value.owner
    assert isinstance(owner, (ListOp, DictOp))
    pairs = zip(read_in(entry), items_of(owner), strict=True)
    items = [_parameter(body, e, v, param, source) for e, v in pairs]
    if isinstance(owner, ListOp):
        return ListOp(items)
    keys = [
        _parameter(body, pattern_of(key, False, False), key, param, source)
        for key in owner.operands[::2]
    ]
    return DictOp([value for pair in zip(keys, items, strict=True) for value in pair])


def _parameter(
    body: Block, entry: Attribute, value: SSAValue, param: SSAValue, source: FuncOp
) -> SSAValue:
    """What stands for one of the user's parameters in a body that is being made."""
    known = constants_in(entry)
    if known is not None:
        op: Operation = ConstantOp(known)
    elif isinstance(entry, ArrayAttr):
        assert isinstance(value.owner, TupleOp)
        pairs = zip(entry, value.owner.operands, strict=True)
        op = TupleOp([_parameter(body, e, v, param, source) for e, v in pairs])
    elif isinstance(entry, DictionaryAttr):
        op = _read_again(body, entry, value, param, source)
    else:
        argument = append_argument(body, value.type, source=source)
        argument.name_hint = param.name_hint or value.name_hint
        return argument
    locate([op], source.location)
    body.add_op(op)
    op.results[0].name_hint = param.name_hint
    return op.results[0]
