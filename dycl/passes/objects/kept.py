"""An object that the model keeps, and that is the same whenever it is made: a constant.

Before                            After
------                            -----
dycl.setattr %cell "n", %one      dycl.setattr %self "last", %cell
dycl.setattr %self "last", %cell  dycl.return %x
dycl.return %x

A module may make an object when it is called first, and keep it: `self.level = Level(1,
8)`. It is there in the next call, where nothing makes it. If all its attributes are set
to constants, each to one, in front of where it is kept, then any two that are made are
alike, and one stands for all. Which of two it is cannot be told: `is` is not answered,
and an attribute that is set later is refused (`dycl-lift-state`).
"""

from collections.abc import Iterator
from typing import cast

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Operation

from dycl.ir import (
    ConstantOp,
    InvokeOp,
    ObjectOp,
    SetattrOp,
    SubscriptOp,
    UnpackOp,
    UnsupportedOp,
)
from dycl.ir.changes import MADE, object_of
from dycl.ir.constant_values import MISSING, constant_value
from dycl.ir.environment import Environment
from dycl.ir.objects import KEPT_MEMBER
from dycl.ir.rewriting import erase, insert_before, replace
from dycl.ir.values import GlobalRef, ObjectRef, PropertyRef, to_attr
from dycl.ir.walking import walk
from dycl.passes.objects.cells import KEPT, KEPT_HINT, leads_to
from dycl.passes.objects.returned import objects_in

_PLAIN = (type(None), bool, int, float, str, GlobalRef, ObjectRef)


def keep_constant_objects(
    module: ModuleOp, writes: list[SetattrOp], environment: Environment
) -> bool:
    """Make constants of the objects that the model keeps, where that is right.

    Gives whether there were any. Their attributes are set no more; where the program
    is put back as it was before a guess, it sets them once more, to the same.
    """
    found = False
    again = [w for w in writes if _sets_the_same(w, environment)]
    writes = [w for w in writes if w not in again]
    for write in again:
        erase(write)
    for write in writes:
        value = constant_value(write.value)
        owner = object_of(write.operand)
        if not isinstance(value, ObjectRef) or value.path not in environment.made:
            continue
        if owner is not None and owner not in environment.made:
            found = _keep(module, value.path, write, writes, environment) or found
    return found


def _sets_the_same(write: SetattrOp, environment: Environment) -> bool:
    """Whether an attribute of such a constant is set to what it is."""
    path, value = object_of(write.operand), constant_value(write.value)
    if path is None or value is MISSING:
        return False
    members = environment.op(path).members.data
    now = members.get(write.attribute.data)
    return KEPT_MEMBER in members and now == to_attr(value)


def refuse_kept(entry: FuncOp, environment: Environment) -> None:
    """An object that the model keeps would be there in the next call."""
    for write in kept_objects(entry, environment):
        insert_before(write, UnsupportedOp("DY206", KEPT, KEPT_HINT))
        erase(write)


def kept_objects(entry: FuncOp, environment: Environment) -> list[SetattrOp]:
    """What gives the model an object that the network makes."""
    return [
        op
        for op in walk(entry)
        if isinstance(op, SetattrOp)
        and leads_to(op.value, environment.made)
        and object_of(op.operand) not in environment.made
    ]


def kept_paths(entry: FuncOp, environment: Environment) -> frozenset[str]:
    """The objects that the network makes and the model keeps: constants, or refused."""
    return environment.made & {
        path
        for op in walk(entry)
        if isinstance(op, SetattrOp) and object_of(op.operand) not in environment.made
        for path in objects_given(op)
    }


def objects_given(write: SetattrOp) -> Iterator[str]:
    """The objects that an attribute may be given, out of a tuple perhaps."""
    value = write.value
    while isinstance(value.owner, UnpackOp | SubscriptOp):
        value = value.owner.operands[0]
    return objects_in(value)


def kept_with_parts(writes: list[SetattrOp], kept: frozenset[str]) -> set[str]:
    """The objects that the model keeps, and those that are reached from them."""
    result, waiting = set(kept), set(kept)
    while waiting:
        path = waiting.pop()
        parts = {
            part
            for write in writes
            if object_of(write.operand) == path
            for part in objects_given(write)
        }
        waiting |= parts - result
        result |= parts
    return result


def _keep(
    module: ModuleOp,
    path: str,
    kept: SetattrOp,
    writes: list[SetattrOp],
    environment: Environment,
) -> bool:
    """Make one object a constant; whether that was possible."""
    own = [w for w in writes if object_of(w.operand) == path]
    attributes = _constants(path, own, environment)
    if attributes is None or not all(_is_sure(w, kept) for w in own):
        return False
    if any(_is_being_made(op, path) for op in walk(module)):
        return False
    old = environment.op(path)
    members = {k: v for k, v in old.members.data.items() if k != MADE}
    members |= {KEPT_MEMBER: to_attr(True), **attributes}
    replace(old, ObjectOp(path, old.class_name.data, members))
    for write in own:
        erase(write)
    return True


def _constants(
    path: str, writes: list[SetattrOp], environment: Environment
) -> dict[str, Attribute] | None:
    """What the attributes are set to; None: not each is to one constant, by itself."""
    members = environment.members(path)
    if "__setattr__" in members or environment.is_module(ObjectRef(path)):
        return None
    result: dict[str, Attribute] = {}
    for write in writes:
        name, value = write.attribute.data, constant_value(write.value)
        if value is MISSING or not _is_plain(value, environment):
            return None
        if isinstance(members.get(name), PropertyRef):
            return None
        if result.setdefault(name, to_attr(value)) != to_attr(value):
            return None
    return result


def _is_plain(value: object, environment: Environment) -> bool:
    """Whether a value is the same wherever it is equal, and nothing changes it."""
    if isinstance(value, tuple):
        items = cast("tuple[object, ...]", value)
        return all(_is_plain(item, environment) for item in items)
    if isinstance(value, ObjectRef) and value.path in environment.made:
        return False
    return isinstance(value, _PLAIN)


def _is_sure(write: SetattrOp, kept: SetattrOp) -> bool:
    """Whether every run that keeps the object has set the attribute by then.

    Or sets it right behind, where `dycl.passes.objects.walk` puts what an `if` sets.
    """
    around: Operation | None = kept
    while around is not None and around.parent is not write.parent:
        around = around.parent_op()
    if around is None or write.is_before_in_block(around):
        return around is not None
    following = around.next_op
    while following is not write and isinstance(following, ConstantOp | SetattrOp):
        following = following.next_op
    return following is write


def _is_being_made(op: Operation, path: str) -> bool:
    """Whether the object's `__init__` is called there, and not inlined yet."""
    return (
        isinstance(op, InvokeOp)
        and op.method.data.endswith("__init__")
        and constant_value(op.receiver) == ObjectRef(path)
    )
