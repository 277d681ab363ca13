"""Calls of the user's classes: a record, or an object of its own.

Before                   After
------                   -----
%r = dycl.call %Out(%y)  %t = dycl.tuple(%y, %three)
dycl.return %r           %r = dycl.record %t as #Out
                         dycl.return %r

A dataclass, or a named tuple's class, makes a record, as long as nothing more is done
with that than it is read (`calls.dataclass_objects`). Any other class makes an object
that is known by its path, as those of the model are, and has its `__init__` called;
what is set on it becomes values in `dycl-promote-objects`. One op makes one object, so
none is made in a loop.
"""

from xdsl.ir import Operation, SSAValue

from dycl.ir import (
    CallOp,
    ForOp,
    InvokeOp,
    ObjectOp,
    RecordOp,
    TupleOp,
    WhileOp,
)
from dycl.ir.changes import MADE
from dycl.ir.environment import Environment
from dycl.ir.interfaces import nearest
from dycl.ir.objects import MAKES
from dycl.ir.rewriting import insert_before, insert_constant, insert_value, replace
from dycl.ir.signature import Default
from dycl.ir.values import ObjectRef, UnsupportedRef, to_attr
from dycl.passes.calls.dataclass_objects import called, set_fields
from dycl.passes.calls.refusals import Refused, name_of


def make_record(
    op: CallOp | InvokeOp, callee: ObjectRef, environment: Environment
) -> None:
    """Replace the call by a record. Refused: an object of this class is none."""
    members = environment.members(callee.path)
    record_class = members.get("__record__")
    if not isinstance(record_class, dict):
        why = "makes a new object while the network runs"
        record_class = members.get(MAKES) if record_class is None else record_class
        if isinstance(record_class, UnsupportedRef):
            why = f"is made while the network runs, and {record_class.reason}"
        raise Refused(
            "DY201",
            f"{name_of(callee)} {why}",
            "make it in `__init__`; return a tuple, a dict, a named tuple or a "
            "plain dataclass",
        )
    cls = environment.record_class(callee.path)
    try:
        bound = cls.bind(op.positional, op.keyword_arguments)
    except TypeError as why:
        what, help_ = f"TypeError: {why}", "pass the arguments that the class takes"
        raise Refused("DY202", what, help_) from None
    items: list[SSAValue] = []
    for argument in bound:
        if isinstance(argument, SSAValue):
            items.append(argument)
        elif isinstance(argument, Default) and argument.name in cls.factories:
            items.append(called(op, cls.factories[argument.name]))
        elif isinstance(argument, Default):
            items.append(insert_constant(op, cls.defaults[argument.name]))
    record = RecordOp(insert_value(op, TupleOp(items)), cls.type)
    record.result.name_hint = op.result.name_hint
    replace(op, [insert_value(op, record)])


def is_made_again(op: Operation) -> bool:
    """Whether a run may come to an op more than once."""
    return nearest(op, ForOp) is not None or nearest(op, WhileOp) is not None


def make_object(
    op: CallOp | InvokeOp, template: ObjectOp, environment: Environment
) -> InvokeOp | None:
    """Replace the call by a new object; gives the call of its `__init__`, if any.

    Refused: it has none, and is given arguments.
    """
    name = template.class_name.data
    members = {**template.members.data, MADE: to_attr(True)}
    path = environment.add(
        f"made {name.rpartition('.')[2]}",
        lambda path: ObjectOp(path, name, members),
        op,
    )
    new = insert_constant(op, ObjectRef(path))
    init = None
    made_of = environment.record(f"class {name}") if "__init__" not in members else {}
    if made_of:
        cls = environment.record_class(f"class {name}")
        init = set_fields(op, new, cls, members)
    elif "__init__" in members:
        init = InvokeOp(new, "__init__", op.operands[1:], op.keyword_names)
        insert_before(op, init)
    elif len(op.operands) > 1:
        what = f"TypeError: {name.rpartition('.')[2]}() takes no arguments"
        raise Refused("DY202", what, "call it without arguments")
    new.name_hint = op.result.name_hint
    replace(op, [new])
    return init
