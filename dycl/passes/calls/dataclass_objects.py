"""Dataclasses whose instances are changed: objects in the place of records.

Before                     After
------                     -----
%s = dycl.call %State(%x)  dycl.setattr %state "h", %x
dycl.setattr %s "h", %y    dycl.setattr %state "h", %y
dycl.return %s             dycl.return %state

An instance is a record as long as nothing sets a field: records are made in loops, and
may be one or another by the data. Once a field is set, the program is put back to where
it had made none, and all instances of the class are objects from then on.
"""

from collections.abc import Collection

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue

from dycl.ir import (
    CallOp,
    CompareOp,
    DictOp,
    GetattrOp,
    InvokeOp,
    ListOp,
    SetattrOp,
    TupleOp,
)
from dycl.ir import set_aside as aside
from dycl.ir.changes import object_of
from dycl.ir.environment import Environment
from dycl.ir.functions import entry_function
from dycl.ir.objects import change_instances
from dycl.ir.record_classes import RecordClass, object_of_record
from dycl.ir.rewriting import insert_before, insert_constant, insert_value
from dycl.ir.signature import Default
from dycl.ir.values import GlobalRef
from dycl.passes.calls.refusals import Refused

_BEFORE = "dycl.unchanged"
_OTHERS = ("dycl.before", "dycl.unguessed")


def set_aside(module: ModuleOp, path: str, environment: Environment) -> None:
    """Keep the program as it is in front of the first record that may be changed."""
    entry = entry_function(module)
    is_open = object_of_record(environment.record(path)) is not None
    if entry is not None and is_open and _BEFORE not in entry.attributes:
        aside.set_aside(module, entry, _BEFORE)


def make_objects(module: ModuleOp, entry: FuncOp, path: str) -> bool:
    """Let instances of the class be objects, in the program as it was; False: they
    cannot be, or are already."""
    environment = Environment(module)
    if environment.maker(path) is not None:
        return False
    if object_of_record(environment.record(path)) is None:
        return False
    if not aside.put_back(module, entry, _BEFORE):
        return False
    for other in _OTHERS:
        aside.forget(module, entry, other)
    change_instances(module, path)
    return True


def set_fields(
    op: CallOp | InvokeOp, new: SSAValue, cls: RecordClass, members: Collection[str]
) -> InvokeOp | None:
    """What the `__init__` of a dataclass does; gives the call of `__post_init__`.

    Refused: the arguments do not fit.
    """
    try:
        bound = cls.bind(op.positional, op.keyword_arguments)
    except TypeError as why:
        what, help_ = f"TypeError: {why}", "pass the arguments that the class takes"
        raise Refused("DY202", what, help_) from None
    given = dict(zip(cls.type.fields, bound, strict=True))
    factories = {**cls.factories, **cls.set_here}
    values: dict[str, SSAValue] = {}
    for name in cls.order:
        argument = given.get(name)
        if isinstance(argument, SSAValue):
            values[name] = argument
        elif name in factories:
            values[name] = called(op, factories[name])
        elif isinstance(argument, Default):
            values[name] = insert_constant(op, cls.defaults[name])
        if name in values and name not in cls.init_only:
            insert_before(op, SetattrOp(new, name, values[name]))
    if "__post_init__" not in members:
        return None
    call = InvokeOp(new, "__post_init__", [values[name] for name in cls.init_only])
    insert_before(op, call)
    return call


def called(op: Operation, factory: object) -> SSAValue:
    """What `field(default_factory=...)` makes."""
    empty = {GlobalRef("builtins.list"): ListOp, GlobalRef("builtins.dict"): DictOp}
    if isinstance(factory, GlobalRef) and factory in empty:
        return insert_value(op, empty[factory]([]))
    return insert_value(op, CallOp(insert_constant(op, factory), []))


def compare(op: CompareOp, environment: Environment) -> Operation | None:
    """Dataclasses of one class compare as the tuples of their fields do.

    None: these are none, or their class says otherwise.
    """
    paths = [object_of(value) for value in op.operands]
    if None in paths or not environment.made.issuperset(map(str, paths)):
        return None
    names = {environment.class_name(str(path)) for path in paths}
    cls = f"class {names.pop()}"
    if names or not object_of_record(environment.record(cls)):
        return None
    fields = environment.record_class(cls).compares_by(op.kind_name)
    if fields is None:
        return None
    sides: list[SSAValue] = []
    for value in op.operands:
        reads = [GetattrOp(value, name) for name in fields]
        insert_before(op, *reads)
        sides.append(insert_value(op, TupleOp([read.result for read in reads])))
    return CompareOp(op.kind_name, sides[0], sides[1])
