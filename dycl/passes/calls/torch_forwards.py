"""`nn.Conv2d.forward(self, x)`: torch's `forward`, called by the name of its class.

Before                                     After
------                                     -----
%y = dycl.call %Conv2d.forward(%conv, %x)  %y = dycl.call %conv(%x)
dycl.return %y                             dycl.return %y

The object as torch's class sees it is recorded where a class of the user's has a
`forward` of its own; another object of that class is called itself, without hooks.
"""

from dycl.ir import CallOp
from dycl.ir.constant_values import constant_name, constant_value
from dycl.ir.environment import Environment
from dycl.ir.hooks import unhooked
from dycl.ir.rewriting import insert_constant
from dycl.ir.values import ObjectRef


def as_torchs(op: CallOp, environment: Environment) -> CallOp | None:
    """The call of the object as torch's class sees it; None: it is another call."""
    name, _, method = constant_name(op.callee).rpartition(".")
    if method != "forward" or not name.startswith("torch.nn.") or not op.positional:
        return None
    owner = constant_value(op.positional[0])
    if not isinstance(owner, ObjectRef) or op.is_starred:
        return None
    members = environment.members(owner.path)
    view = f"{owner.path}<{name.rpartition('.')[2]}>"
    if view in environment.paths:
        target = ObjectRef(view)
    elif members.get("__leaf__") == name:
        target = unhooked(environment, owner)
    else:
        return None
    callee = insert_constant(op, target)
    return CallOp(callee, list(op.arguments)[1:], op.keyword_names)
