"""`dycl-lift-state`: attributes that a run sets become arguments and results.

Before                           After
------                           -----
%n = dycl.getattr %self "count"  %m = dycl.binary add %count, %one
%m = dycl.binary add %n, %one    %0 = dycl.tuple(%m)
dycl.setattr %self "count", %m   %1 = dycl.tuple(%y, %0)
dycl.return %y                   dycl.return %1

The function's attribute `dycl.state` says which argument is what (`dycl.ir.state`).
An attribute that every path leaves as it found it, such as a context variable that is
set and reset, is no state: it is what was recorded, and its accesses become values. One
that no path reads before it sets it takes no argument; neither does a list
that is only appended to: a call gives what it adds. Where a call leaves an attribute as
a value of another kind (None at first, a tensor later), the body is compiled once more
for that kind, and the function begins with the question which of them it is given. To
have no value is a kind, too: `hasattr` asks for it, and reading raises AttributeError.

Needs:  calls inlined, objects known: it waits for the round in which that is so.
Leaves: no attribute is read or set; every return gives `(output, (state, ...))`.
Skips:  a program in which a call, a loop over known items or an `if` on a constant is
        left: later rounds may find that no path sets the attribute. Accesses in local
        functions are refused.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import cast

from xdsl.context import Context
from xdsl.dialects.builtin import ArrayAttr, ModuleOp, StringAttr, SymbolRefAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass

from dycl.analysis.manager import analyses_of, environment_of
from dycl.analysis.tensors.shapes import infer
from dycl.diag import remark
from dycl.ir import (
    CallOp,
    GetattrOp,
    ListOp,
    SetattrOp,
    TryOp,
    UnboundOp,
    UnsupportedOp,
)
from dycl.ir.arrays import ArrayConstant
from dycl.ir.attribute_hooks import set_name
from dycl.ir.changes import attributes_set, unchanging_attributes
from dycl.ir.cloning import clone
from dycl.ir.constant_values import constant_value
from dycl.ir.dialect.local_functions import local_functions
from dycl.ir.environment import Environment
from dycl.ir.functions import entry_function
from dycl.ir.not_evaluated import NotEvaluated
from dycl.ir.objects import KEPT_MEMBER, full_name
from dycl.ir.rewriting import (
    erase,
    insert_after,
    insert_before,
    insert_constant,
    refuse,
)
from dycl.ir.state import NO_VALUE, STATE, Mode, State, Variable
from dycl.ir.value_names import value_name
from dycl.ir.values import ObjectRef, ParamRef, PropertyRef
from dycl.ir.walking import walk
from dycl.passes.objects.cells import KEPT
from dycl.passes.objects.kept import kept_objects
from dycl.passes.settle_writes import PLAIN
from dycl.passes.state.arguments import Arguments
from dycl.passes.state.attributes import Key, Promotion, Values, key_of
from dycl.passes.state.no_value import ask_for_values, key_asked
from dycl.passes.state.promotion import TEMPLATE, promote, restored, set_state
from dycl.passes.state.readiness import first_unsettled, only_grows
from dycl.passes.state.tensors import name_writes
from dycl.passes.state.variants import close


@dataclass(frozen=True)
class LiftStatePass(ModulePass):
    """Attributes that a run sets become arguments and results."""

    name = "dycl-lift-state"

    max_variants: int = 8
    """Kinds of state that a body is compiled for, at most."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Change the entry function; raises nothing."""
        entry = entry_function(op)
        if entry is None:
            return
        environment = environment_of(ctx, op)
        if STATE in entry.attributes:
            inferred = partial(analyses_of(ctx).get, infer, op)
            close(op, entry, inferred, self.max_variants)
        elif (left := first_unsettled(entry, environment)) is not None:
            if _variables(entry, environment):
                remark(left, "state not lifted", "this may still set an attribute")
        elif kept_objects(entry, environment):
            return  # It may turn out to be a constant, or is refused.
        else:
            unchanging = unchanging_attributes(op, attributes_set(op))
            name_writes(entry, environment)
            found = _variables(entry, environment)
            if (caught := _in_a_try(entry, found)) is not None:
                remark(caught, "state not lifted", "which handler runs is not known")
                return
            keys = [key for key in found if key[1] not in unchanging]
            keys = _without_restored(entry, keys, environment)
            if keys and _refuse_in_functions(entry, keys):
                return
            if keys and not _refuse_shared(entry, keys, environment):
                _lift(op, entry, keys, environment)


def _in_a_try(entry: FuncOp, keys: Sequence[Key]) -> Operation | None:
    """A `try` that is left, and in which an attribute is read or set: what it is there
    depends on how far the body has got."""
    tries = [o for o in walk(entry) if isinstance(o, TryOp)]
    inside = (t for t in tries if any(key_of(o) in keys for o in walk(t)))
    return next(inside, None)


def _variables(entry: FuncOp, environment: Environment) -> list[Key]:
    """The attributes that are set, or whose list is changed, in order."""
    result: dict[Key, None] = {}
    for op in walk(entry):
        key = key_of(op)
        if key is None or key[0] in environment.made:
            continue
        recorded = environment.members(key[0]).get(key[1])
        is_list = isinstance(recorded, (list, dict)) and key[1] in environment.changing
        if isinstance(op, SetattrOp) or is_list:
            result[key] = None
    return list(result)


def _refuse_in_functions(entry: FuncOp, keys: list[Key]) -> bool:
    """Refuse what a recursion that the data ends reads or sets; whether it does."""
    ops = [op for function in local_functions(entry) for op in walk(function)]
    inside = [(op, key) for op in ops if (key := _key_met(op)) in keys]
    for op, key in inside:
        assert key is not None
        what = f"a recursion that the data ends has to do with `{key[1]}`, "
        what += "which is set while the network runs"
        hint = "hand it on as an argument, and return it"
        if not isinstance(op, SetattrOp):
            refuse(op, "DY206", what, hint)
        else:
            insert_before(op, UnsupportedOp("DY206", what, hint))
            erase(op)
    return bool(inside)


def _key_met(op: Operation) -> Key | None:
    """The attribute that an op reads, sets or asks for."""
    return key_asked(op) if isinstance(op, CallOp) else key_of(op)


def _refuse_shared(entry: FuncOp, keys: list[Key], environment: Environment) -> bool:
    """Refuse what is reached under another name too, and what is no plain attribute."""
    refused = False
    for op in list(walk(entry)):
        key = key_of(op)
        if key in keys and isinstance(op, SetattrOp):
            if (why := _not_plain(key, op.value, environment)) is not None:
                refusal = UnsupportedOp("DY206", why, "set an attribute of the module")
                insert_before(op, refusal)
                erase(op)
                refused = True
            continue
        if key not in keys or not isinstance(op, GetattrOp):
            continue
        if key[1] in cast(
            "list[str]", environment.members(key[0]).get("__shared__", [])
        ):
            what = f"the list or dict `{key[1]}` has another name in the model"
            refuse(op, "DY206", what, "give each attribute a list of its own")
            refused = True
    return refused


def _without_restored(
    entry: FuncOp, keys: list[Key], environment: Environment
) -> list[Key]:
    """The keys without those of attributes that every call leaves as it finds them.

    Such an attribute is in each call what was recorded; its accesses become values.
    None is a tensor: one that is the same may hold something else.
    """
    plain: dict[Key, object] = {}
    for key in keys:
        recorded = environment.members(key[0]).get(key[1], ...)
        if isinstance(recorded, PLAIN) and not isinstance(recorded, ParamRef):
            plain[key] = recorded
    plain = {k: v for k, v in plain.items() if _sets_just_that(k, environment)}
    restored_keys = restored(entry, list(plain))
    first = entry.body.block.first_op
    if restored_keys and first is not None:
        start = {key: insert_constant(first, plain[key]) for key in restored_keys}
        Promotion(restored_keys, lambda end, now: None).block(entry.body.block, start)
    return [key for key in keys if key not in restored_keys]


def _not_plain(key: Key, value: SSAValue, environment: Environment) -> str | None:
    """Why setting this attribute does more than that, or None."""
    members = environment.members(key[0])
    hidden = cast("dict[str, object]", members.get("__hidden__", {}))
    if members.get("__mro__") == ["builtins.type"]:
        return f"the attribute `{key[1]}` of a class is set while the network runs"
    if KEPT_MEMBER in members:
        return KEPT
    if not _sets_just_that(key, environment):
        return f"setting `{key[1]}` calls `__setattr__`"
    member = members.get(key[1])
    if isinstance(member, PropertyRef):
        what = "is a property without a setter"
        return f"`{key[1]}` {what if not member.setter else 'is a property'}"
    of_class = key[1] in cast("list[str]", members.get("__of_class__", []))
    if key[1] in hidden or (of_class and isinstance(constant_value(value), ObjectRef)):
        return f"`{key[1]}` is set on the module, and read from its class"
    return None


def _sets_just_that(key: Key, environment: Environment) -> bool:
    """Whether the class's `__setattr__`, if it has one, sets what is asked for."""
    try:
        return (
            set_name(environment, ObjectRef(key[0]), key[1], environment.demanded)
            == key[1]
        )
    except NotEvaluated:
        return False


def _lift(
    module: ModuleOp, entry: FuncOp, keys: list[Key], environment: Environment
) -> None:
    lacking = ask_for_values(module, entry, keys, environment)
    template = clone(entry)
    modes: dict[Key, Mode] = {}
    placeholders: Values = {}
    block = entry.body.block
    first = block.first_op
    assert first is not None
    for key in keys:
        grows = only_grows(entry, key, environment)
        start = ListOp([]) if grows else UnboundOp(key[1])
        insert_before(first, start, source=entry)
        start.result.name_hint = value_name(key[1])
        placeholders[key] = start.result
        modes[key] = "grow" if grows else "keep"
    promote(entry, keys, placeholders)
    if first.parent is not block:  # it read or set an attribute, and went
        first = block.first_op
        assert first is not None
    arguments = Arguments(entry)
    inputs = len(block.args)
    variables: list[Variable] = []
    for key, placeholder in placeholders.items():
        initial = _initial(environment, key)
        first_kind = initial or ((NO_VALUE,) if key in lacking else ())
        if modes[key] == "keep" and not placeholder.uses:
            modes[key] = "set"
        given: tuple[object, ...] = ()
        if modes[key] == "keep" and first_kind:
            value, structure = arguments.start(first_kind[0], full_name(*key), first)
            placeholder.replace_all_uses_with(value)
            given = (structure,)
        elif modes[key] == "keep":
            modes[key] = "set"  # reading it where it has no value is refused
        name = full_name(*key)
        variables.append(Variable(name, modes[key], initial, given))
    set_state(entry, State(inputs, None, tuple(variables)))
    if any(v.mode == "keep" for v in variables):
        template.sym_name = StringAttr(f"{entry.sym_name.data}.again")
        del template.attributes["dycl.entry"]
        template.attributes["dycl.keys"] = ArrayAttr(
            ArrayAttr([StringAttr(part) for part in key]) for key in keys
        )
        insert_after(entry, template)
        entry.attributes[TEMPLATE] = SymbolRefAttr(template.sym_name.data)


def _initial(environment: Environment, key: Key) -> tuple[object, ...]:
    """What the object has recorded, if anything; a number of NumPy's is Python's."""
    members = environment.members(key[0])
    value = members.get(key[1])
    if isinstance(value, ArrayConstant):
        return (value.number,) if value.is_plain else ()
    return (value,) if key[1] in members else ()
