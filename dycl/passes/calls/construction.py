"""Calls of a dataclass, or of a named tuple's class, make a record.

Before                   After
------                   -----
%r = dycl.call %Out(%y)  %t = dycl.tuple(%y, %three)
dycl.return %r           %r = dycl.record %t as #Out
                         dycl.return %r
"""

from xdsl.ir import Operation, SSAValue

from dycl.ir import CallOp, DictOp, InvokeOp, ListOp, RecordOp, TupleOp
from dycl.ir.environment import Environment
from dycl.ir.rewriting import insert_constant, insert_value, replace
from dycl.ir.signature import Default
from dycl.ir.values import GlobalRef, ObjectRef, UnsupportedRef
from dycl.passes.calls.refusals import Refused, name_of


def make_record(
    op: CallOp | InvokeOp, callee: ObjectRef, environment: Environment
) -> None:
    """Replace the call by a record. Refused: an object of this class is none."""
    members = environment.members(callee.path)
    found = members.get("__record__")
    if not isinstance(found, dict):
        why = "makes a new object while the network runs"
        if isinstance(found, UnsupportedRef):
            why = f"is made while the network runs, and {found.reason}"
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
    for one in bound:
        if isinstance(one, SSAValue):
            items.append(one)
        elif isinstance(one, Default) and one.name in cls.factories:
            items.append(_called(op, cls.factories[one.name]))
        elif isinstance(one, Default):
            items.append(insert_constant(op, cls.defaults[one.name]))
    record = RecordOp(insert_value(op, TupleOp(items)), cls.type)
    record.result.name_hint = op.result.name_hint
    replace(op, [insert_value(op, record)])


def _called(op: Operation, factory: object) -> SSAValue:
    """What `field(default_factory=...)` makes."""
    empty = {GlobalRef("builtins.list"): ListOp, GlobalRef("builtins.dict"): DictOp}
    if isinstance(factory, GlobalRef) and factory in empty:
        return insert_value(op, empty[factory]([]))
    return insert_value(op, CallOp(insert_constant(op, factory), []))
