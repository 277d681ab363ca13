"""Lists and dicts that are only read: a function may be given their items instead.

def run(node, env):                 env["x"], env.get("y"), "z" in env, len(env)
    return env[node.name]           read; what is added, set or handed on to anything
                                    else may be changed

Only what has no list or dict in it: a change of that would be no use of its own.
"""

from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue, Use

from dycl.ir import (
    CallOp,
    CompareOp,
    ConstantOp,
    DictOp,
    ForOp,
    InvokeOp,
    ListOp,
    SubscriptOp,
    ToBoolOp,
    TupleOp,
)
from dycl.ir.constant_values import constant_name, constant_value
from dycl.ir.functions import argument_names
from dycl.ir.values import FunctionRef

RECURSION = "dycl.recursion"
"""On a call inside the body of its function: what the calls around it were given."""

_METHODS = ("copy", "count", "get", "index", "items", "keys", "values")
_FUNCTIONS = tuple(f"builtins.{n}" for n in ("dict", "len", "list", "sorted", "tuple"))


def read_parameters(function: FuncOp) -> set[str]:
    """The names of the parameters that a function only reads, if a method of its name
    is the function."""
    params = function.body.block.args
    read = {p for p in params if all(_reads(u) or _is_handed(u) for u in p.uses)}
    while less := {
        param
        for param in read
        if any(_handed_to(use, function) not in read for use in handings(param))
    }:
        read -= less
    names = zip(argument_names(function), params, strict=False)
    return {name for name, param in names if param in read}


def is_only_read(value: SSAValue) -> bool:
    """Whether a list or dict has constant keys, no list or dict in it, and nobody does
    more than read it or give it to a recursion."""
    made = value.owner
    if not isinstance(made, (DictOp, ListOp)) or any(map(container, made.operands)):
        return False
    if isinstance(made, DictOp):
        keys = [key.owner for key in made.operands[::2]]
        if not all(isinstance(key, ConstantOp) for key in keys):
            return False
    return all(_reads(use) or _waits(use) for use in value.uses)


def container(value: SSAValue) -> Operation | None:
    """The list or dict that a value is, or has in a tuple."""
    owner = value.owner
    if isinstance(owner, TupleOp):
        found = map(container, owner.operands)
        return next((one for one in found if one is not None), None)
    return owner if isinstance(owner, (ListOp, DictOp)) else None


def _reads(use: Use) -> bool:
    op = use.operation
    match op:
        case SubscriptOp() | ForOp() | ToBoolOp():
            return use.index == 0
        case CompareOp():
            return use.index == 1 and op.kind_name in ("in", "not_in")
        case InvokeOp():
            return use.index == 0 and op.method.data in _METHODS
        case CallOp():
            return use.index > 0 and constant_name(op.callee) in _FUNCTIONS
        case _:
            return False


def handings(param: SSAValue) -> list[Use]:
    """The uses of a list or dict that do not just read it."""
    return [use for use in param.uses if not _reads(use)]


def _is_handed(use: Use) -> bool:
    return isinstance(use.operation, (CallOp, InvokeOp)) and use.index > 0


def _waits(use: Use) -> bool:
    """Whether a value is given to a recursion that waits to be kept, or is captured for
    it alone."""
    op = use.operation
    if RECURSION in op.attributes:
        return True
    if not isinstance(op, CallOp) or constant_name(op.callee) != _PARTIAL:
        return False
    calls = op.results[0].uses
    return all(u.index == 0 and RECURSION in u.operation.attributes for u in calls)


_PARTIAL = "functools.partial"


def _handed_to(use: Use, function: FuncOp) -> SSAValue | None:
    """The parameter that an argument is in a call of the function inside itself, or as
    what is captured for that."""
    op = use.operation
    if isinstance(op, CallOp) and constant_name(op.callee) == _PARTIAL:
        captures = use.index - 2
        own = FunctionRef(function.sym_name.data)
        is_own = constant_value(op.operands[1]) == own
        return function.body.block.args[captures] if is_own and captures >= 0 else None
    return own_parameter(use, function)


def own_parameter(use: Use, function: FuncOp) -> SSAValue | None:
    """The parameter that an argument is in `self.walk(child, out)`, inside `walk`."""
    op, params = use.operation, function.body.block.args
    name = function.sym_name.data.rpartition(".")[2]
    if not isinstance(op, InvokeOp) or op.method.data != name or op.keyword_names:
        return None
    is_method = op.receiver is params[0] and 0 < use.index < len(params)
    return params[use.index] if is_method else None
