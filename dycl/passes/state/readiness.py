"""Whether all accesses to the model's attributes are in sight, and what they are.

Before                                  After
------                                  -----
%c = dycl.constant "count"              %0 = dycl.tuple(%v)
%n = dycl.call %getattr(%self, %c)      %1 = dycl.tuple(%count, %0)
%s = dycl.call %setattr(%self, %c, %v)  dycl.return %1
dycl.return %n
"""

from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue

from dycl.analysis.folding.iteration import items_of
from dycl.ir import (
    CallOp,
    ConstantOp,
    DictOp,
    ForOp,
    GetattrOp,
    IfOp,
    InvokeOp,
    ListOp,
    SequenceOp,
    SequenceType,
    SetattrOp,
    SwitchOp,
    TupleOp,
)
from dycl.ir.changes import object_of
from dycl.ir.constant_values import MISSING, constant_value
from dycl.ir.environment import Environment
from dycl.ir.interfaces import forwarded_from
from dycl.ir.mentions import mentioned
from dycl.ir.rewriting import insert_before, replace
from dycl.ir.torch import TorchType
from dycl.ir.values import (
    FunctionRef,
    GlobalRef,
    MethodRef,
    ObjectRef,
    to_attr,
)
from dycl.ir.walking import walk
from dycl.passes.state.attributes import Key, key_of

_NO_FUNCTIONS = (GlobalRef, type(None), bool, int, float, str)
"""What runs no function of the user's when it is called, if only as it raises."""


def first_unsettled(entry: FuncOp, environment: Environment) -> Operation | None:
    """The first call of the user's, or op that a round would settle; None: all is."""
    resolve_builtins(entry)
    methods = environment.methods
    ops = [op for op in walk(entry) if not is_settled(op, environment, methods)]
    if any(isinstance(op, InvokeOp) for op in ops):
        methods &= _methods_at_hand(entry, environment)
        if all(is_settled(op, environment, methods) for op in ops):
            return None
    return next(iter(ops), None)


def _methods_at_hand(entry: FuncOp, environment: Environment) -> frozenset[str]:
    """The names of functions that objects have which the entry function gets at.

    Only a call of the user's makes another one. So where there is none but calls of
    methods whose receivers are not known, these are the methods that may be meant.
    """
    objects = set(environment.paths)
    waiting: list[Operation] = list(walk(entry))
    seen: set[str] = set()
    while waiting:
        new = mentioned(waiting.pop()) & objects - seen
        seen |= new
        waiting += map(environment.op, new)
    return frozenset(
        name
        for path in seen
        for name, value in environment.members(path).items()
        if isinstance(value, (FunctionRef, MethodRef))
    )


def is_settled(
    op: Operation, environment: Environment, methods: frozenset[str]
) -> bool:
    """Whether an op runs no function of the user's, and no round would settle it."""
    match op:
        case CallOp():
            callee = constant_value(op.callee)
            if isinstance(callee, ObjectRef):
                return environment.is_leaf(callee.path)
            return isinstance(callee, _NO_FUNCTIONS)
        case InvokeOp():
            receiver = constant_value(op.receiver)
            if isinstance(receiver, ObjectRef):
                return environment.is_leaf(receiver.path)
            if isinstance(op.receiver.type, TorchType) or receiver is not MISSING:
                return True
            if op.method.data not in methods or _is_made(op.receiver, environment):
                return True
            return _is_container(op.receiver, set())
        case SwitchOp():
            return False
        case IfOp():
            return not isinstance(op.condition.owner, ConstantOp)
        case ForOp():
            return items_of(op.iterable, environment) is None
        case GetattrOp() | SetattrOp():
            is_object = object_of(op.operand) is not None
            typed = isinstance(op.operand.type, TorchType)
            return is_object or typed or op.attribute.data not in environment.changing
        case _:
            return True


def _is_made(value: SSAValue, environment: Environment) -> bool:
    """Whether an object that the network makes has this: it is looked into before."""
    owner = value.owner
    return isinstance(owner, GetattrOp) and object_of(owner.operand) in environment.made


def _is_container(value: SSAValue, seen: set[SSAValue]) -> bool:
    """Whether a value is a list, tuple or dict of Python's, on all paths."""
    if value in seen or isinstance(value.type, SequenceType):
        return True
    if isinstance(value.owner, (ListOp, TupleOp, DictOp, SequenceOp)):
        return True
    seen.add(value)
    sources = forwarded_from(value)
    return bool(sources) and all(_is_container(source, seen) for source in sources)


def resolve_builtins(entry: FuncOp) -> None:
    """`getattr(self, "n")` becomes `self.n`, `setattr(self, "n", v)` `self.n = v`."""
    for op in list(walk(entry)):
        if not isinstance(op, CallOp) or op.keyword_names:
            continue
        callee = constant_value(op.callee)
        if not isinstance(callee, GlobalRef) or len(op.positional) < 2:
            continue
        name = constant_value(op.positional[1])
        if object_of(op.positional[0]) is None or not isinstance(name, str):
            continue
        if callee.name == "builtins.getattr" and len(op.positional) == 2:
            read = GetattrOp(op.positional[0], name)
            insert_before(op, read)
            replace(op, [read.result])
        elif callee.name == "builtins.setattr" and len(op.positional) == 3:
            write = SetattrOp(op.positional[0], name, op.positional[2])
            none = ConstantOp(to_attr(None))
            insert_before(op, write, none)
            replace(op, [none.result])


def only_grows(entry: FuncOp, key: Key, environment: Environment) -> bool:
    """Whether an attribute is a list that is appended to, and nothing else."""
    if not isinstance(environment.members(key[0]).get(key[1]), list):
        return False
    uses = [
        use
        for op in walk(entry)
        if key_of(op) == key
        for use in ([None] if isinstance(op, SetattrOp) else op.results[0].uses)
    ]
    return all(
        use is not None
        and isinstance(use.operation, InvokeOp)
        and use.index == 0
        and use.operation.method.data in ("append", "extend")
        and not use.operation.result.uses
        for use in uses
    )
