"""`dycl-settle-writes`: attributes are not set to the values that they have.

Before                               After
------                               -----
%c = dycl.constant @config           %c = dycl.constant @config
%t = dycl.constant true              %t = dycl.constant true
dycl.setattr %c "causal", %t

A decorator may set an attribute for one call, and put back what was there. Where both
values are the one that the object has recorded, nothing changes.

Needs:  objects and values that are constants (`dycl-propagate-constants`).
Leaves: no such op for an attribute that does not change (`dycl.ir.changes`).
Skips:  attributes that change: what they have is not known then; properties and other
        descriptors, and classes with a `__setattr__` that does more: these are called;
        lists and dicts, of which another one may be meant.
"""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from dycl.ir import SetattrOp
from dycl.ir.attribute_hooks import set_name
from dycl.ir.functions import entry_function
from dycl.ir.known import known
from dycl.ir.not_evaluated import NotEvaluated
from dycl.ir.rewriting import erase
from dycl.ir.values import ObjectRef, ParamRef
from dycl.ir.walking import walk
from dycl.ir.world import World


@dataclass(frozen=True)
class SettleWritesPass(ModulePass):
    """Attributes are not set to the values that they have."""

    name = "dycl-settle-writes"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Change the entry function; raises nothing."""
        entry = entry_function(op)
        found = [] if entry is None else [o for o in walk(entry)]
        writes = [o for o in found if isinstance(o, SetattrOp)]
        world = World(op)
        for write in writes:
            if _is_same(write, world):
                erase(write)


def _is_same(op: SetattrOp, world: World) -> bool:
    owner, name, value = known(op.operand), op.attribute.data, known(op.value)
    if not isinstance(owner, ObjectRef) or world.changes(owner.path, name):
        return False
    members = world.members(owner.path)
    if name not in members or not isinstance(value, _PLAIN):
        return False
    try:
        if set_name(world, owner, name, world.demanded) != name:
            return False
    except NotEvaluated:
        return False
    recorded = members[name]
    return type(recorded) is type(value) and recorded == value


_PLAIN = (type(None), bool, int, float, str, ObjectRef, ParamRef)
