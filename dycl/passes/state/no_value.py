"""Attributes that have no value before a run sets them: a constant stands for none.

Before                              After
------                              -----
%c = dycl.constant "m"              %a = dycl.constant @"no value"
%p = dycl.call %hasattr(%self, %c)  %b = dycl.constant @"no value"
dycl.setattr %self "m", %x          %p = dycl.compare is_not %a, %b
dycl.return %p                      %s = dycl.tuple(%x)
                                    %t = dycl.tuple(%p, %s)
                                    dycl.return %t

A read raises AttributeError where it finds that:

Before                       After
------                       -----
%v = dycl.getattr %self "m"  %a = dycl.constant @"no value"
dycl.setattr %self "m", %x   %b = dycl.constant @"no value"
dycl.return %v               %n = dycl.compare is %a, %b
                             dycl.if %n {
                               %w = dycl.constant "'Net' object has no attribute 'm'"
                               dycl.raise "builtins.AttributeError"(%w)
                             }
                             %s = dycl.tuple(%x)
                             %t = dycl.tuple(%a, %s)
                             dycl.return %t

It is a kind of state like any other: a call that is given it asks nothing when it runs.
"""

from collections.abc import Sequence

from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from dycl.ir import (
    CallOp,
    CompareOp,
    ConstantOp,
    GetattrOp,
    IfOp,
    ObjectOp,
    RaiseOp,
    UnboundOp,
    YieldOp,
)
from dycl.ir.changes import object_of
from dycl.ir.cloning import clone
from dycl.ir.constant_values import constant_name, constant_value
from dycl.ir.dialect.syntax import VALUE
from dycl.ir.environment import Environment
from dycl.ir.library import class_of_library
from dycl.ir.rewriting import insert_after, insert_before, replace
from dycl.ir.state import NO_VALUE
from dycl.ir.values import ObjectRef, to_attr
from dycl.ir.walking import walk
from dycl.passes.state.attributes import Key, Promotion, Values, key_of

_HOOKS = ("__getattr__", "__getattribute__", "__slots__")


def ask_for_values(
    module: ModuleOp, entry: FuncOp, keys: Sequence[Key], environment: Environment
) -> list[Key]:
    """Let `hasattr`, `getattr` with a default and reads see whether there is a value.

    Gives the keys of which a call may find none, and that it asks or leaves so.
    """
    lacking = [key for key in keys if has_none(key, environment)]
    if not lacking:
        return []
    calls = [op for op in walk(entry) if isinstance(op, CallOp)]
    answers = {_answer(op) for op in calls if key_asked(op) in lacking}
    seen = _seen(entry, lacking)
    if seen and NO_VALUE.path not in environment.paths:
        insert_before(entry, ObjectOp(NO_VALUE.path, "builtins.object", {}))
    for op in list(walk(entry)):
        if not isinstance(op, GetattrOp) or op in answers:
            continue
        if (key := key_of(op)) in seen:
            assert key is not None
            _guard(op, environment.class_name(key[0]))
    return seen


def has_none(key: Key, environment: Environment) -> bool:
    """Whether neither an object nor its class has an attribute before the first call.

    A class of the user's that says itself what a missing attribute is, is not asked.
    """
    path, name = key
    members = environment.members(path)
    if name in members or any(hook in members for hook in _HOOKS):
        return False
    return class_of_library(environment.classes(ObjectRef(path)), name) is None


def key_asked(op: CallOp) -> Key | None:
    """The attribute that `hasattr`, or `getattr` with a default, asks for."""
    count = {"builtins.hasattr": 2, "builtins.getattr": 3}.get(constant_name(op.callee))
    if count is None or len(op.positional) != count or op.keyword_names:
        return None
    path, name = object_of(op.positional[0]), constant_value(op.positional[1])
    return (path, name) if path is not None and isinstance(name, str) else None


def _answer(op: CallOp) -> GetattrOp:
    """A comparison with what stands for no value instead of `hasattr` or `getattr`.

    Gives the read, of what may be no value.
    """
    name = constant_value(op.positional[1])
    assert isinstance(name, str)
    read = GetattrOp(op.positional[0], name)
    nothing = ConstantOp(to_attr(NO_VALUE))
    has = CompareOp("is_not", read.result, nothing.result)
    insert_before(op, read, nothing, has)
    if len(op.positional) == 2:
        replace(op, [has.result])
        return read
    then, otherwise = (
        Region(Block([YieldOp([value])])) for value in (read.result, op.positional[2])
    )
    test: dict[str, Attribute] = {"test": StringAttr(f"self.{name} has a value")}
    chosen = IfOp(has.result, [VALUE], then, otherwise, test)
    insert_before(op, chosen)
    replace(op, chosen.results)
    return read


def _seen(entry: FuncOp, keys: Sequence[Key]) -> list[Key]:
    """The attributes that some path reads or leaves before it has set them."""
    trial = clone(entry)
    start: Values = {key: UnboundOp(key[1]).result for key in keys}
    left: set[SSAValue] = set()
    Promotion(list(keys), lambda end, now: left.update(now.values())).block(
        trial.body.block, dict(start)
    )
    return [key for key in keys if start[key] in left or start[key].uses]


def _guard(read: GetattrOp, class_name: str) -> None:
    """Raise what eager raises where there is no value."""
    kind, name = class_name.rpartition(".")[2], read.attribute.data
    nothing = ConstantOp(to_attr(NO_VALUE))
    lacks = CompareOp("is", read.result, nothing.result)
    words = ConstantOp(to_attr(f"'{kind}' object has no attribute '{name}'"))
    raised = RaiseOp("builtins.AttributeError", [words.result])
    test: dict[str, Attribute] = {"test": StringAttr(f"self.{name} has no value")}
    ops: list[Operation] = [nothing, lacks]
    then, otherwise = Region(Block([words, raised])), Region(Block([YieldOp()]))
    ops.append(IfOp(lacks.result, [], then, otherwise, test))
    insert_after(read, *ops)
