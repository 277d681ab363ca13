"""Attributes that are calls: properties, `getattr` and `setattr` by name, hooks.

Before                                 After
------                                 -----
%v = dycl.getattr %gate "size"         %v = dycl.call %size(%gate)
%w = dycl.call %getattr(%gate, %bias)  %w = dycl.getattr %gate "bias"
dycl.setattr %gate "size", %x          %n = dycl.call %set_size(%gate, %x)
%y = dycl.invoke %gate "size"(%x)      %f = dycl.getattr %gate "size"
dycl.return %v, %w, %y                 %y = dycl.call %f(%x)
                                       dycl.return %v, %w, %y

A getter or setter is a function of the user's; which one is known of objects of the
model, and of records that the network makes.
"""

from typing import cast

from xdsl.dialects.builtin import ArrayAttr, StringAttr
from xdsl.ir import Operation, SSAValue

from dycl.ir import (
    CallOp,
    ConstantOp,
    GetattrOp,
    InvokeOp,
    RecordOp,
    SetattrOp,
)
from dycl.ir.attribute_hooks import read_name
from dycl.ir.changes import ASKED, object_of
from dycl.ir.constant_values import constant_name, constant_value
from dycl.ir.environment import Environment, own_of_module
from dycl.ir.not_evaluated import NotEvaluated
from dycl.ir.objects import UNKNOWN_SETTERS
from dycl.ir.records import RecordType
from dycl.ir.rewriting import insert_before, insert_constant
from dycl.ir.values import (
    FunctionRef,
    GlobalRef,
    MethodRef,
    ObjectRef,
    ParamRef,
    Partial,
    PropertyRef,
    UnsupportedRef,
    to_attr,
)
from dycl.passes.calls.operators import Function
from dycl.passes.calls.refusals import Refused
from dycl.prelude import is_ours


def read_property(
    op: GetattrOp, environment: Environment, functions: Function
) -> Operation | None:
    """`v.p` of a property calls its getter; a hook may mean another attribute."""
    owner = op.operand.owner
    if isinstance(owner, RecordOp):
        member = member_of_class(owner.record_type, op.attribute.data, environment)
        if isinstance(member, PropertyRef):
            member = FunctionRef(member.symbol)
            return CallOp(insert_constant(op, member), [op.operand])
        return None
    owner = constant_value(op.operand)
    if not isinstance(owner, ObjectRef):
        return None
    name = op.attribute.data
    if (behind := read_name(environment, owner, name, functions)) != name:
        if read_name(environment, owner, behind, functions) != behind:
            return None
        return GetattrOp(op.operand, behind)
    if environment.asks_getattr(owner, op.attribute.data):
        _note_asked(owner, name, environment)
        name = insert_constant(op, op.attribute.data)
        return InvokeOp(op.operand, "__getattr__", [name])
    try:
        member = environment.getattr(owner, op.attribute.data)
    except (AttributeError, NotEvaluated):
        return None
    if not isinstance(member, PropertyRef):
        return None
    return CallOp(insert_constant(op, FunctionRef(member.symbol)), [op.operand])


def set_property(
    op: Operation,
    target: SSAValue,
    name: str,
    value: SSAValue,
    environment: Environment,
) -> Operation | None:
    """`v.p = w` of a property calls its setter, if it has one.

    Refused: another descriptor of the class says what is done.
    """
    owner, given = constant_value(target), constant_value(value)
    if not isinstance(owner, ObjectRef):
        return None
    if isinstance(given, ObjectRef) and all(map(environment.is_module, (owner, given))):
        return None  # torch registers a module, whatever the class has
    members = environment.members(owner.path)
    member = members.get(name)
    if name in cast("list[str]", members.get(UNKNOWN_SETTERS, [])):
        why = cast(UnsupportedRef, member).reason
        raise Refused(
            "DY206",
            f"this sets `{name}`, {why}",
            "make it a property",
        )
    if not isinstance(member, PropertyRef) or not member.setter:
        return None
    setter = insert_constant(op, FunctionRef(member.setter))
    return CallOp(setter, [target, value])


def read_by_name(
    op: CallOp, environment: Environment, functions: Function
) -> Operation | SSAValue | None:
    """`getattr(v, "name")`, with a default or without."""
    if constant_name(op.callee) != "builtins.getattr" or op.keyword_names:
        return None
    if len(op.arguments) not in (2, 3):
        return None
    owner, name = op.arguments[0], constant_value(op.arguments[1])
    if not isinstance(name, str) or isinstance(constant_value(owner), GlobalRef):
        return None
    if len(op.arguments) == 2:
        return GetattrOp(owner, name)
    if not isinstance(constant_value(owner), ObjectRef):
        return None
    ref = cast(ObjectRef, constant_value(owner))
    path, name = ref.path, read_name(environment, ref, name, functions)
    if name not in environment.members(path) and environment.changes(path, name):
        return None  # which of the two it is depends on what was set before
    try:
        environment.getattr(constant_value(owner), name)
    except AttributeError:
        return op.arguments[2]
    except NotEvaluated:
        pass
    return GetattrOp(owner, name)


def set_by_name(op: CallOp, environment: Environment) -> Operation | None:
    """`setattr(v, "name", w)` of a property, or of what the network has made."""
    if constant_name(op.callee) != "builtins.setattr" or len(op.positional) != 3:
        return None
    target, given, value = op.positional
    name = constant_value(given)
    if not isinstance(name, str):
        return None
    if (setter := set_property(op, target, name, value, environment)) is not None:
        return setter
    is_record = isinstance(target.owner, RecordOp)
    if not is_record and object_of(target) not in environment.made:
        return None
    insert_before(op, SetattrOp(target, name, value))
    return ConstantOp(to_attr(None))


def call_of_property(
    op: InvokeOp, environment: Environment, functions: Function
) -> Operation | None:
    """`v.p(x)` where `p` is a property or a partial: what it gives is called."""
    if isinstance(op.receiver.owner, RecordOp):
        return _of_record(op, op.receiver.owner, environment)
    owner = constant_value(op.receiver)
    if not isinstance(owner, ObjectRef):
        return None
    if (read := _of_getattr(op, owner, environment)) is not None:
        return read
    read_name(environment, owner, op.method.data, functions)
    try:
        member = environment.getattr(owner, op.method.data)
    except (AttributeError, NotEvaluated):
        return None
    if isinstance(member, Partial):
        callee = insert_constant(op, member)
        return CallOp(callee, list(op.arguments), op.keyword_names)
    if not isinstance(member, PropertyRef):
        return None
    getter = GetattrOp(op.receiver, op.method.data)
    insert_before(op, getter)
    return CallOp(getter.result, list(op.arguments), op.keyword_names)


def _of_getattr(
    op: InvokeOp, owner: ObjectRef, environment: Environment
) -> Operation | None:
    """`v.f(x)` of a `__getattr__`; what torch's own `__getattr__(name)` finds."""
    members, method = environment.members(owner.path), op.method.data
    if method == "__getattr__" and method not in members:
        return _of_modules_getattr(op, owner, environment)
    if method.endswith(").__getattr__") and method not in members:
        name = constant_value(op.arguments[0]) if len(op.arguments) == 1 else None
        if not isinstance(name, str):
            return None
        return GetattrOp(op.receiver, own_of_module(name))
    if "__getattribute__" in members or not environment.asks_getattr(owner, method):
        return None
    _note_asked(owner, method, environment)
    getter = GetattrOp(op.receiver, method)
    insert_before(op, getter)
    return CallOp(getter.result, list(op.arguments), op.keyword_names)


def _note_asked(owner: ObjectRef, name: str, environment: Environment) -> None:
    """Remember for which names a `__getattr__` was asked: nothing may set them."""
    if owner.path in environment.made:
        op = environment.op(owner.path)
        noted = op.attributes.get(ASKED)
        known = noted.data if isinstance(noted, ArrayAttr) else ()
        names = {one.data for one in known if isinstance(one, StringAttr)}
        op.attributes[ASKED] = ArrayAttr(map(StringAttr, sorted({*names, name})))


def _of_modules_getattr(
    op: InvokeOp, owner: ObjectRef, environment: Environment
) -> Operation | None:
    """`module.__getattr__(name)`: a submodule, parameter or buffer."""
    name = constant_value(op.arguments[0]) if len(op.arguments) == 1 else None
    if not isinstance(name, str) or not environment.is_module(owner):
        return None
    try:
        found = environment.getattr(owner, name)
    except (AttributeError, NotEvaluated):
        return None
    is_submodule = isinstance(found, ObjectRef) and environment.is_module(found)
    if not is_submodule and not isinstance(found, ParamRef):
        return None
    return GetattrOp(op.receiver, name)


def _of_record(
    op: InvokeOp, record: RecordOp, environment: Environment
) -> Operation | None:
    """`v.method(x)`, where `v` was made while the network runs."""
    name = op.method.data
    kind = record.record_type
    member = member_of_class(kind, name, environment)
    if name in kind.fields or isinstance(member, PropertyRef):
        getter = GetattrOp(op.receiver, name)
        insert_before(op, getter)
        return CallOp(getter.result, list(op.arguments), op.keyword_names)
    arguments = list(op.arguments)
    if isinstance(member, FunctionRef):
        if name not in environment.record_class(kind.path).static:
            arguments.insert(0, op.receiver)
    elif not isinstance(member, MethodRef):
        return None
    return CallOp(insert_constant(op, member), arguments, op.keyword_names)


def member_of_class(kind: RecordType, name: str, environment: Environment) -> object:
    """What an instance of a record's class has besides its fields.

    Refused: the record stands for a library's object, which has something else there.
    """
    if name in kind.fields and not environment.hides_field(kind, name):
        return None
    member = environment.record_class(kind.path).members.get(name)
    if isinstance(member, UnsupportedRef) and is_ours(kind.name):
        raise Refused(
            "DY201",
            f"this reads `{name}`, {member.reason}",
            "write it as a method of a class of your own, derived from the library's",
        )
    return member
