"""What else is a call: reading a property, `getattr` by name, a partial function.

Before                           After
------                           -----
%c = dycl.constant "conv"        %n = dycl.getattr %m "conv"
%n = dycl.call %getattr(%m, %c)  %y = dycl.call %f(%a, %x)
%g = dycl.call %partial(%f, %a)  dycl.return %n, %y
%y = dycl.call %g(%x)
dycl.return %n, %y

Each is rewritten to the plain call (or attribute) that Python makes of it.
"""

from xdsl.ir import Operation, SSAValue

from dycl import prelude
from dycl.ir import (
    CallOp,
    CompareOp,
    ForOp,
    GetattrOp,
    InvokeOp,
    ListOp,
    RecordOp,
    SetattrOp,
    StoreSubscriptOp,
    SubscriptOp,
    ToBoolOp,
    TupleOp,
    UnaryOp,
    UnpackOp,
)
from dycl.ir.constant_values import MISSING, constant_name, constant_value
from dycl.ir.environment import Environment
from dycl.ir.module_walks import WALKS, walk
from dycl.ir.records import Record
from dycl.ir.rewriting import insert_before, insert_constant, insert_value, replace
from dycl.ir.torch import DYNAMIC, FloatT, IntT, VTensorType
from dycl.ir.unpacking import split_arguments
from dycl.ir.values import (
    FunctionRef,
    GlobalRef,
    ObjectRef,
)
from dycl.passes.calls.attributes import (
    call_of_property,
    member_of_class,
    read_by_name,
    read_property,
    set_by_name,
    set_property,
)
from dycl.passes.calls.containers import read_of_container
from dycl.passes.calls.contexts import without_filter, without_manager
from dycl.passes.calls.dataclass_objects import compare
from dycl.passes.calls.enums import see_numbers
from dycl.passes.calls.iterables import iterate, iterate_arguments
from dycl.passes.calls.made_modules import made_module
from dycl.passes.calls.module_methods import entry_of_table, registered, without_change
from dycl.passes.calls.notices import without_notice
from dycl.passes.calls.operators import Function, Operators
from dycl.passes.calls.partials import known_partial, partial
from dycl.passes.calls.signatures import parameters_of
from dycl.passes.calls.torch_forwards import as_torchs


def spelled_out(
    op: Operation, environment: Environment, functions: Function
) -> Operation | None:
    """The op that now stands for this one, itself or another; None if a value does.

    Raises AttributeError when it reads what is not there.
    """
    while True:
        new = _step(op, environment, functions)
        if new is None:
            operators = Operators(
                lambda v, n: _method(v, n, environment),
                lambda v: _classes(v, environment),
                functions,
            )
            new = operators.spelled_out(op)
        if new is None:
            see_numbers(op, environment)
            return op
        if isinstance(new, SSAValue):
            replace(op, [new])
            return None
        insert_before(op, new)
        if op.results:
            new.results[0].name_hint = op.results[0].name_hint
        replace(op, new.results[: len(op.results)])
        op = new


def _step(
    op: Operation, environment: Environment, functions: Function
) -> Operation | SSAValue | None:
    match op:
        case GetattrOp():
            parameters = parameters_of(op, functions)
            return parameters or read_property(op, environment, functions)
        case SetattrOp():
            return set_property(
                op, op.operand, op.attribute.data, op.value, environment
            )
        case SubscriptOp():
            return _item(op, environment) or entry_of_table(op, environment)
        case StoreSubscriptOp():
            return entry_of_table(op, environment)
        case ToBoolOp():
            return _to_bool(op, environment)
        case CompareOp():
            return _contains(op, environment) or compare(op, environment)
        case ForOp() | UnpackOp():
            iterate(op, lambda v, name: _has(v, name, environment))
            return None
        case CallOp() if constant_name(op.callee) == "builtins.len":
            if len(op.operands) == 2:
                return _special(op.operands[1], "__len__", [], environment)
            return None
        case CallOp() if (method := _of_iterator(op, environment)) is not None:
            return InvokeOp(op.operands[1], method, [])
        case CallOp() if constant_name(op.callee) == "builtins.bool":
            return _to_bool(op, environment) if len(op.operands) == 2 else None
        case CallOp():
            iterate_arguments(op, lambda v, name: _has(v, name, environment))
            return (
                read_by_name(op, environment, functions)
                or set_by_name(op, environment)
                or _of_record(op, environment)
                or _bound(op)
                or known_partial(op)
                or partial(op)
                or _of_numpy(op)
                or without_filter(op)
                or made_module(op, environment)
                or as_torchs(op, environment)
            )
        case InvokeOp():
            return (
                without_manager(op)
                or without_notice(op)
                or _walk(op, environment)
                or entry_of_table(op, environment)
                or without_change(op, environment)
                or registered(op, environment)
                or read_of_container(op, environment)
                or call_of_property(op, environment, functions)
                or _of_prelude(op)
            )
        case _:
            return None


def _of_iterator(op: CallOp, environment: Environment) -> str | None:
    """The method that `next(v)`, or `iter(v)`, of an iterator of the user's calls."""
    method = _ON_ITERATORS.get(constant_name(op.callee))
    if method is None or len(op.operands) != 2:
        return None
    names = ("__next__", method)
    return method if all(_has(op.operands[1], n, environment) for n in names) else None


_ON_ITERATORS = {"builtins.next": "__next__", "builtins.iter": "__iter__"}


def _has(value: SSAValue, name: str, environment: Environment) -> bool:
    """Whether a value is an object whose class has this method of the user's."""
    return _method(value, name, environment) is not None


def _method(value: SSAValue, name: str, environment: Environment) -> str | None:
    """The symbol of the user's method of this name that a value's class has."""
    member = None
    owner = constant_value(value)
    if isinstance(value.owner, RecordOp):
        member = member_of_class(value.owner.record_type, name, environment)
    elif isinstance(owner, Record):
        member = environment.record_members(owner.type.path).get(name)
    if isinstance(owner, ObjectRef) and not owner.path.startswith("class "):
        member = environment.members(owner.path).get(name)
    return member.symbol if isinstance(member, FunctionRef) else None


def _classes(value: SSAValue, environment: Environment) -> list[str] | None:
    """The names of the classes of a value, if it is an object of the user's."""
    owner = constant_value(value)
    if isinstance(value.owner, RecordOp):
        kind = value.owner.record_type
        return [*environment.record_class(kind.path).classes]
    if isinstance(owner, Record):
        return [*environment.record_class(owner.type.path).classes]
    if isinstance(owner, ObjectRef) and not owner.path.startswith("class "):
        return environment.classes(owner)
    return None


def _special(
    value: SSAValue, name: str, arguments: list[SSAValue], environment: Environment
) -> Operation | None:
    """Syntax that Python hands to a method: `v[i]` is `v.__getitem__(i)`."""
    return InvokeOp(value, name, arguments) if _has(value, name, environment) else None


def _item(op: SubscriptOp, environment: Environment) -> Operation | None:
    """`v[i]`; of an object `i` what its `__index__` gives."""
    result = _special(op.operand, "__getitem__", [op.index], environment)
    if result is None and _has(op.index, "__index__", environment):
        number = insert_value(op, InvokeOp(op.index, "__index__", []))
        return SubscriptOp(op.operand, number)
    return result


def _to_bool(op: ToBoolOp | CallOp, environment: Environment) -> Operation | None:
    value = op.operands[-1]
    for name in ("__bool__", "__len__"):
        if _has(value, name, environment):
            return ToBoolOp(insert_value(op, InvokeOp(value, name, [])))
    return None


def _contains(op: CompareOp, environment: Environment) -> Operation | None:
    if op.kind_name not in ("in", "not_in") or not _has(
        op.rhs, "__contains__", environment
    ):
        return None
    call = insert_value(op, InvokeOp(op.rhs, "__contains__", [op.lhs]))
    if op.kind_name == "in":
        return ToBoolOp(call)
    return UnaryOp("not", insert_value(op, ToBoolOp(call)))


def _of_numpy(op: CallOp) -> Operation | None:
    """`np.argmax(v)` of tensors with one number each, as torch has it."""
    if constant_name(op.callee) != "numpy.argmax" or op.is_starred:
        return None
    if len(op.arguments) != 1 or op.keyword_names:
        return None
    owner = op.arguments[0].owner
    if isinstance(owner, (ListOp, TupleOp)) and any(map(_reads_number, owner.items)):
        return None  # `dycl-expand-builtins` takes it
    stack = CallOp(insert_constant(op, GlobalRef("torch.stack")), [op.arguments[0]])
    most = InvokeOp(stack.result, "argmax", [])
    insert_before(op, stack, most)
    return InvokeOp(most.result, "item", [])


def _reads_number(value: SSAValue) -> bool:
    """Whether a value is surely a number: `v.item()`, `float(v)`."""
    owner = value.owner
    if isinstance(owner, InvokeOp):
        return owner.method.data == "item"
    if isinstance(owner, CallOp):
        callee = constant_value(owner.callee)
        return callee in (GlobalRef("builtins.float"), GlobalRef("builtins.int"))
    return value.type in (FloatT, IntT)


def _bound(op: CallOp) -> Operation | None:
    """`f = v.method; f(x)`: what the attribute gives is called on its object."""
    owner = op.callee.owner
    if not isinstance(owner, GetattrOp) or isinstance(
        constant_value(owner.operand), ObjectRef
    ):
        return None
    arguments, names = list(op.arguments), op.keyword_names
    return InvokeOp(owner.operand, owner.attribute.data, arguments, names)


def _of_record(op: CallOp, environment: Environment) -> Operation | None:
    """A call of a record, which has a `__call__` of the user's."""
    if not isinstance(op.callee.owner, RecordOp):
        return None
    if not _has(op.callee, "__call__", environment):
        return None
    return InvokeOp(op.callee, "__call__", list(op.arguments), op.keyword_names)


def _walk(op: InvokeOp, environment: Environment) -> Operation | None:
    """`v.named_parameters()` of a module: an iterator over what is known now."""
    owner = constant_value(op.receiver)
    if op.method.data not in WALKS or not isinstance(owner, ObjectRef):
        return None
    given = [constant_value(v) for v in op.arguments]
    plain = all(isinstance(v, (bool, str)) for v in given)
    if op.is_starred or not plain:
        return None
    try:
        args, kwargs = split_arguments(op, given)
        call = walk(environment, owner, op.method.data, args, kwargs)
    except TypeError:
        return None
    if call is None:
        return None
    function = insert_constant(op, GlobalRef("builtins.iter"))
    return CallOp(function, [insert_constant(op, call)])


def _of_prelude(op: InvokeOp) -> Operation | None:
    """A function of ours in the place of a tensor's method, or of a module's function.

    `x.bincount()` is a call of the function whose first argument is the tensor.
    """
    if isinstance(op.receiver.type, VTensorType):
        name, given = prelude.METHODS.get(op.method.data), list(op.operands)
        if name is None and has_open_size(op.receiver):
            name = prelude.for_open_method(op.method.data)
    else:
        module = constant_name(op.receiver)
        name, given = f"{module}.{op.method.data}", list(op.arguments)
        name = name if name in prelude.FUNCTIONS else None
    if name is None:
        return None
    return CallOp(insert_constant(op, GlobalRef(name)), given, op.keyword_names)


def has_open_size(value: SSAValue) -> bool:
    """Whether a value is a tensor of which a run decides a size, its shape, an int of a
    run, or a list or tuple of one of these."""
    owner = value.owner
    if isinstance(value.type, VTensorType):
        return DYNAMIC in (value.type.sizes() or ())
    if isinstance(owner, (ListOp, TupleOp)):
        return any(map(has_open_size, owner.operands))
    match owner:
        case GetattrOp() if owner.attribute.data == "shape":
            return has_open_size(owner.operand)
        case InvokeOp() if owner.method.data == "size" and not owner.arguments:
            return has_open_size(owner.receiver)
        case _:
            pass
    return value.type == IntT and constant_value(value) is MISSING
