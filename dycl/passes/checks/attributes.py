"""What to say of an attribute that did not become a constant."""

from dycl.analysis.tensors.abstract import leaves
from dycl.ir import GetattrOp, NodeType, SetattrOp
from dycl.ir.constant_values import constant_value
from dycl.ir.environment import Environment
from dycl.ir.not_evaluated import NotEvaluated
from dycl.ir.opaque import remedy
from dycl.ir.values import ObjectRef, UnsupportedRef


def of_attribute(op: GetattrOp, environment: Environment) -> tuple[str, str, str]:
    """The complaint about a read: code, sentence and remedy."""
    name, owner = op.attribute.data, constant_value(op.operand)
    assert isinstance(owner, ObjectRef)
    value = environment.members(owner.path).get(name)
    if owner.path in environment.made and has_no(op, owner, environment):
        kind = environment.class_name(owner.path).rpartition(".")[2]
        what = f"`{kind}` has no attribute `{name}`"
        return "DY206", what, "set it before it is read, in `__init__` for instance"
    hint = "set it in `__init__`, to plain data, tensors or modules"
    if isinstance(value, UnsupportedRef):
        what = f"the attribute `{name}` of the model is {value.reason}"
        return "DY206", what, remedy(value.reason, hint)
    if isinstance(value, set):
        what = f"the set `{name}` of the model is changed or handed on"
        return "DY206", what, "keep a dict: `self.seen[key] = True`, `key in self.seen`"
    if isinstance(value, (list, dict)):
        what = f"the {type(value).__name__} `{name}` of the model"
        if parts := [v for v in leaves(value) if isinstance(v, UnsupportedRef)]:
            return "DY206", f"{what} holds {parts[0].reason}", "keep plain data in it"
        changed = f"{what} is changed while the network runs"
        return "DY206", changed, "keep it in a local variable, or return it"
    try:
        environment.getattr(owner, name)
    except NotEvaluated as why:
        return "DY206", f"this reads {why}", "keep it in a local variable"
    except AttributeError:
        pass
    return "DY206", f"the model has no attribute `{name}`", hint


def of_setting(op: SetattrOp) -> tuple[str, str, str] | None:
    """The complaint about an attribute that is set; None: of what, is not known."""
    name = op.attribute.data
    if isinstance(op.operand.type, NodeType):
        return (
            "DY301",
            f"this sets the attribute `{name}` of a node: trees stay as they are",
            "keep it beside the tree: `memo[id(node)] = h`, of a dict `memo` that each "
            "call is given",
        )
    if isinstance(constant_value(op.operand), ObjectRef):
        what = f"the attribute `{name}` is set while the network runs"
        return "DY206", what, "keep it in a local variable, or return it"
    return None


def has_no(op: GetattrOp, owner: ObjectRef, environment: Environment) -> bool:
    """Whether an object has no attribute of this name, whatever else is known."""
    name = op.attribute.data
    is_set = environment.changes(owner.path, name)
    return not is_set and name not in environment.members(owner.path)
