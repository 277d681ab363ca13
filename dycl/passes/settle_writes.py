"""`dycl-settle-writes`: attributes are not set to the values that they have.

Before                              After
------                              -----
%no = dycl.constant false           dycl.return %x
dycl.setattr %self "training", %no
dycl.return %x

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

from dycl.analysis.manager import environment_of
from dycl.ir import SetattrOp
from dycl.ir.attribute_hooks import set_name
from dycl.ir.constant_values import constant_value
from dycl.ir.environment import Environment
from dycl.ir.functions import entry_function
from dycl.ir.not_evaluated import NotEvaluated
from dycl.ir.rewriting import erase
from dycl.ir.values import ObjectRef, ParamRef
from dycl.ir.walking import walk


@dataclass(frozen=True)
class SettleWritesPass(ModulePass):
    """Attributes are not set to the values that they have."""

    name = "dycl-settle-writes"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Change the entry function; raises nothing."""
        entry = entry_function(op)
        found = [] if entry is None else [o for o in walk(entry)]
        writes = [o for o in found if isinstance(o, SetattrOp)]
        environment = environment_of(ctx, op)
        for write in writes:
            if _is_same(write, environment):
                erase(write)


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
    try:
        if set_name(environment, owner, name, environment.demanded) != name:
            return False
    except NotEvaluated:
        return False
    recorded = members[name]
    return type(recorded) is type(value) and recorded == value


PLAIN = (type(None), bool, int, float, str, ObjectRef, ParamRef)
"""What is the same wherever it is equal: no list, of which another may be meant."""
