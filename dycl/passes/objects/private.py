"""Objects of which only what is in sight knows: no call gets at them.

Before                         After
------                         -----
dycl.setattr %cell "n", %x     %y = dycl.invoke %v "to"()
%y = dycl.invoke %v "to"()     dycl.return %x, %y
%n = dycl.getattr %cell "n"
dycl.return %n, %y

`v.to(dtype)` may be a method of the user's, as long as nothing is known of `v`. But if
nothing is done with an object but to set and read its attributes, it was handed to
nobody, and what is called can neither set nor read them.
"""

from xdsl.dialects.func import FuncOp
from xdsl.ir import SSAValue, Use

from dycl.ir import ConstantOp, GetattrOp, SetattrOp
from dycl.ir.environment import Environment
from dycl.ir.values import ObjectRef, PropertyRef, from_attr
from dycl.ir.walking import walk
from dycl.passes.objects.returned import objects_in


def private_objects(entry: FuncOp, environment: Environment) -> frozenset[str]:
    """Those that the network makes and hands to nobody."""
    constants = [op for op in walk(entry) if isinstance(op, ConstantOp)]
    known: set[str] = set()
    for op in constants:
        inside = environment.made.intersection(objects_in(op.result))
        if inside and not _is_private(op.result, environment):
            known |= inside
    return environment.made - known


def _is_private(value: SSAValue, environment: Environment) -> bool:
    """Whether a constant is an object of which attributes are set and read, no more."""
    assert isinstance(value.owner, ConstantOp)
    constant = from_attr(value.owner.value)
    if not isinstance(constant, ObjectRef):
        return False
    members = environment.members(constant.path)
    if not _HOOKS.isdisjoint(members):
        return False
    return all(_is_access(use, members) for use in value.uses)


def _is_access(use: Use, members: dict[str, object]) -> bool:
    op = use.operation
    if not isinstance(op, GetattrOp | SetattrOp) or use.index != 0:
        return False
    name = op.attribute.data
    return not name.startswith("__") and not isinstance(members.get(name), PropertyRef)


_HOOKS = frozenset(("__getattr__", "__getattribute__", "__setattr__"))
"""Methods that are given the object where an attribute is read or set."""
