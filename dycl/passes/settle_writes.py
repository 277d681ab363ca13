"""`dycl-settle-writes`: attributes are not set where nothing can be told from it.

Before                              After
------                              -----
%no = dycl.constant false           dycl.return %x
dycl.setattr %self "training", %no
dycl.return %x

A decorator may set an attribute for one call, and put back what was there. Where both
values are the one that the object has recorded, nothing changes. Where the first value
is another one, and nothing reads it before the second is set, it is as if it had not
been there: a list that a context variable holds for a call is nobody else's.

Before                              After
------                              -----
dycl.setattr %self "count", %x      %n = dycl.getattr %self "size"
%n = dycl.getattr %self "size"      dycl.setattr %self "count", %n
dycl.setattr %self "count", %n      dycl.return %x
dycl.return %x

A read behind a write is what was written, if nothing between them may set it:

Before                              After
------                              -----
dycl.setattr %self "count", %x      dycl.setattr %self "count", %x
%n = dycl.getattr %self "count"     %m = dycl.call %f(%x)
%m = dycl.call %f(%n)               dycl.return %m
dycl.return %m

Needs:  objects and values that are constants (`dycl-propagate-constants`).
Leaves: no such op for an attribute that does not change (`dycl.ir.changes`).
Skips:  attributes that change: what they have is not known then; properties and other
        descriptors, and classes with a `__setattr__` that does more: these are called;
        lists and dicts, of which another one may be meant. Of two values the first, if
        a call between them is not inlined yet, if not all paths get to the second, or
        if the attribute is assumed not to change: both writes refute that. A read
        behind a call that is not inlined yet, or behind a loop that may set it.
"""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation
from xdsl.passes import ModulePass

from dycl.analysis.manager import environment_of
from dycl.ir import CallOp, GetattrOp, IfOp, RaiseOp, SetattrOp, TryOp
from dycl.ir.attribute_hooks import set_name
from dycl.ir.changes import TABLES, object_of
from dycl.ir.constant_values import constant_name, constant_value
from dycl.ir.environment import Environment
from dycl.ir.functions import entry_function
from dycl.ir.interfaces import RegionTerminator
from dycl.ir.not_evaluated import NotEvaluated
from dycl.ir.rewriting import erase, replace
from dycl.ir.values import ObjectRef, ParamRef
from dycl.ir.walking import walk
from dycl.passes.objects.effects import Effects
from dycl.passes.state.attributes import Key, Values, key_of


@dataclass(frozen=True)
class SettleWritesPass(ModulePass):
    """Attributes are not set where nothing can be told from it."""

    name = "dycl-settle-writes"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Change the entry function; raises nothing."""
        entry = entry_function(op)
        all_ops = [] if entry is None else [o for o in walk(entry)]
        writes = [o for o in all_ops if isinstance(o, SetattrOp)]
        if entry is None or not writes:
            return
        environment = environment_of(ctx, op)
        for write in writes:
            if _is_same(write, environment):
                erase(write)
        effects = Effects(environment)
        _forward(entry.body.block, {}, effects)
        for block in dict.fromkeys(w.parent for w in writes):
            if block is not None and not _in_try(block, entry):
                _erase_overwritten(block, effects)


def _forward(block: Block, now: Values, effects: Effects) -> None:
    """Let reads be what was set in front of them; `now` is what is set by then."""
    for op in list(block.ops):
        key = key_of(op)
        if isinstance(op, GetattrOp) and key in now:
            replace(op, [now[key]])
            continue
        before = now
        now = {one: v for one, v in now.items() if not _may_set(op, one, effects)}
        for region in op.regions:
            # Of the arms of an `if`, none sees what another one sets.
            inside = before if isinstance(op, IfOp) else now
            _forward(region.block, dict(inside), effects)
        if isinstance(op, SetattrOp) and key is not None and _has(op, key, effects):
            now[key] = op.value


def _has(op: SetattrOp, key: Key, effects: Effects) -> bool:
    """Whether the attribute is afterwards what it is set to."""
    known = effects.is_harmless(op) and _is_plain(op, effects.environment)
    return known and effects.environment.changes(*key)


def _may_set(op: Operation, key: Key, effects: Effects) -> bool:
    """Whether an op, or one inside, may set an attribute."""
    path, name = key
    for inner in walk(op):
        if not effects.is_harmless(inner):
            return True
        if isinstance(inner, SetattrOp):
            where = object_of(inner.operand)
            if inner.attribute.data == name and where in (path, None):
                return True
        elif isinstance(inner, GetattrOp):
            if inner.attribute.data in _BY_TABLE:
                return True
        elif isinstance(inner, CallOp) and constant_name(inner.callee) in _SETTERS:
            return True
    return False


_BY_TABLE = frozenset(("__dict__", *TABLES))
"""Dicts whose entries are attributes."""
_SETTERS = ("builtins.setattr", "builtins.delattr", "builtins.vars")


def _erase_overwritten(block: Block, effects: Effects) -> None:
    """Erase what the block sets and then sets again, and nothing reads."""
    coming: set[Key] = set()
    for op in reversed(list(block.ops)):
        key = key_of(op)
        if key is None or not isinstance(op, SetattrOp):
            coming = {one for one in coming if _leaves_alone(op, one, effects)}
        elif not effects.environment.changes(*key):
            pass  # Reads may be folded: this write shows that they must not be.
        elif not effects.is_harmless(op) or not _is_plain(op, effects.environment):
            coming.clear()
        elif key in coming:
            erase(op)
        else:
            coming.add(key)


def _leaves_alone(op: Operation, key: Key, effects: Effects) -> bool:
    """Whether an op goes on behind itself, and reads no such attribute."""
    if isinstance(op, TryOp):
        return False
    for inner in walk(op):
        if isinstance(inner, RegionTerminator):
            target = inner.target
            if not isinstance(inner, RaiseOp) and (
                target is None or not op.is_ancestor(target)
            ):
                return False
        elif not effects.is_harmless(inner) or _reads(inner, key):
            return False
    return True


def _reads(op: Operation, key: Key) -> bool:
    """Whether an op may read an attribute, of this object or one that is not known."""
    path, name = key
    if isinstance(op, GetattrOp):
        if object_of(op.operand) not in (path, None):
            return False
        return op.attribute.data in (name, "__dict__")
    return isinstance(op, CallOp) and constant_name(op.callee) in _BY_NAME


def _in_try(block: Block, entry: FuncOp) -> bool:
    """Whether what a block raises may be caught: then a handler sees what is set."""
    op = block.parent_op()
    while op is not None and op is not entry:
        if isinstance(op, TryOp):
            return True
        op = op.parent_op()
    return False


_BY_NAME = frozenset(f"builtins.{name}" for name in ("getattr", "hasattr", "vars"))


def _is_plain(op: SetattrOp, environment: Environment) -> bool:
    """Whether setting calls nothing of the user's."""
    owner, name = constant_value(op.operand), op.attribute.data
    if not isinstance(owner, ObjectRef):
        return False
    try:
        return set_name(environment, owner, name, environment.demanded) == name
    except NotEvaluated:
        return False


def _is_same(op: SetattrOp, environment: Environment) -> bool:
    owner, name, value = (
        constant_value(op.operand),
        op.attribute.data,
        constant_value(op.value),
    )
    if not isinstance(owner, ObjectRef) or environment.changes(owner.path, name):
        return False
    members = environment.members(owner.path)
    if name not in members or not isinstance(value, PLAIN):
        return False
    if not _is_plain(op, environment):
        return False
    recorded = members[name]
    return type(recorded) is type(value) and recorded == value


PLAIN = (type(None), bool, int, float, str, ObjectRef, ParamRef)
"""What is the same wherever it is equal: no list, of which another may be meant."""
