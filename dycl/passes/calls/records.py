"""What is read from a record that was made here: fields, items, its class.

Before                         After
------                         -----
%t = dycl.tuple(%a, %b)        %t = dycl.tuple(%a, %b)
%r = dycl.record %t as #Out    %f = dycl.subscript %t[%one]
%f = dycl.getattr %r "logits"  %c, %d = dycl.unpack %t -> 2
%c, %d = dycl.unpack %r -> 2   %p = dycl.to_bool %t
%p = dycl.to_bool %r           dycl.return %f, %c, %d, %p
dycl.return %f, %c, %d, %p
"""

from collections import OrderedDict
from collections.abc import Callable

from xdsl.ir import Operation, SSAValue, Use

from dycl.ir import (
    BinaryOp,
    CallOp,
    CompareOp,
    DictOp,
    ForOp,
    GetattrOp,
    InvokeOp,
    RecordOp,
    SetattrOp,
    StoreSubscriptOp,
    SubscriptOp,
    ToBoolOp,
    TupleOp,
    UnpackOp,
)
from dycl.ir.constant_values import constant_name, constant_value
from dycl.ir.environment import Environment
from dycl.ir.records import DATACLASS, MAPPING, NAMEDTUPLE, RecordType
from dycl.ir.rewriting import insert_constant, insert_value, refuse, replace
from dycl.ir.special_methods import special_methods
from dycl.ir.values import GlobalRef, ObjectRef
from dycl.passes.calls.mappings import read_mapping, sees_no_store, set_entry
from dycl.prelude import CLASSES, TENSORS


class Reader:
    """Rewrites the ops that use a record."""

    def __init__(self, environment: Environment, make_objects: Callable[[str], bool]):
        """`make_objects`: puts the program back to where instances of a class, of
        which the path is given, are to be objects; False: they cannot be."""
        self.environment = environment
        self.make_objects = make_objects
        self.is_put_back = False

    def read(self, record: RecordOp) -> None:
        """Replace what can be said of each use."""
        kind = record.record_type
        for use in list(record.result.uses):
            if kind.kind == MAPPING and not (
                _sets(use) or sees_no_store(record, use.operation)
            ):
                continue
            match use.operation:
                case GetattrOp() as op if self.is_field(op.attribute.data, kind):
                    replace(op, [self.field(op, record, op.attribute.data)])
                case SetattrOp() | StoreSubscriptOp() as op if (
                    kind.kind == MAPPING and _sets(use)
                ):
                    first = sees_no_store(record, op)
                    if first and set_entry(record, op):
                        return  # the new record has the uses behind it
                case SetattrOp() as op if use.index == 0:
                    if kind.kind == DATACLASS and self.make_objects(kind.path):
                        self.is_put_back = True
                        return
                    self.refuse_change(op, kind)
                case _ if kind.kind == MAPPING and read_mapping(record, use):
                    pass
                case CallOp() as op if self.call(op, use, record):
                    pass
                case InvokeOp() as op if use.index == 0:
                    self.method(op, record)
                case CompareOp() as op if kind.kind == DATACLASS:
                    self.compare(op, kind)
                case ToBoolOp() as op if kind.kind == DATACLASS:
                    self.to_bool(op, kind)
                case _ if kind.kind == NAMEDTUPLE and self.takes_items(use, kind):
                    use.operation.operands[use.index] = record.fields
                case _:
                    pass

    def is_field(self, name: str, kind: RecordType) -> bool:
        """Whether a name means a field, and no property that hides one."""
        return name in kind.fields and not self.environment.hides_field(kind, name)

    def field(self, op: Operation, record: RecordOp, name: str) -> SSAValue:
        """The value of a field, read in front of an op."""
        position = record.record_type.fields.index(name)
        return insert_value(
            op, SubscriptOp(record.fields, insert_constant(op, position))
        )

    def refuse_change(self, op: SetattrOp, kind: RecordType) -> None:
        """An instance stays as it was made."""
        name, field = _short(kind), op.attribute.data
        help_ = f"make a new one: `dataclasses.replace(v, {field}=...)`"
        if kind.kind == NAMEDTUPLE:
            help_ = f"make a new one: `v._replace({field}=...)`"
        what = f"the attribute `{field}` of an instance of `{name}` is changed"
        refuse(op, "DY206", what, help_)

    def to_bool(self, op: ToBoolOp, kind: RecordType) -> None:
        """An object is true, unless its class says otherwise."""
        members = self.environment.record_class(kind.path).members
        if members.keys().isdisjoint(("__bool__", "__len__")):
            replace(op, [insert_constant(op, True)])

    def compare(self, op: CompareOp, kind: RecordType) -> None:
        """Dataclasses of one class compare as the tuples of their fields do."""
        cls = self.environment.record_class(kind.path)
        fields = cls.compares_by(op.kind_name)
        own = special_methods(op, 0)
        if fields is None or not cls.members.keys().isdisjoint(own):
            return
        owners = [v.owner for v in op.operands]
        records = [o for o in owners if isinstance(o, RecordOp)]
        if len(records) != 2 or any(o.record_type != kind for o in records):
            return
        for index, record in enumerate(records):
            items = [self.field(op, record, name) for name in fields]
            op.operands[index] = insert_value(op, TupleOp(items))

    def takes_items(self, use: Use, kind: RecordType) -> bool:
        """Whether an op does with a named tuple what it does with a tuple."""
        members = self.environment.record_members(kind.path)
        own = special_methods(use.operation, use.index)
        if not members.keys().isdisjoint(own):
            return False
        match use.operation:
            case CallOp() as op:
                return isinstance(constant_value(op.callee), GlobalRef)
            case CompareOp() as op:
                return op.kind_name not in ("is", "is_not")
            case BinaryOp() | SubscriptOp() | UnpackOp() | ToBoolOp() | ForOp():
                return True
            case _:
                return False

    def call(self, op: CallOp, use: Use, record: RecordOp) -> bool:
        """Calls of functions that ask for the class, or change some fields."""
        name, kind = constant_name(op.callee), record.record_type
        if use.index == 1 and name == "builtins.isinstance" and len(op.operands) == 3:
            answer = self.is_instance(kind, constant_value(op.operands[2]))
            if answer is not None:
                replace(op, [insert_constant(op, answer)])
            return True
        if use.index == 1 and name in ("builtins.hasattr", "builtins.getattr"):
            self.by_name(op, record, has=name == "builtins.hasattr")
            return True
        if use.index == 1 and name == "dataclasses.replace" and not op.is_starred:
            return self.replaced(op, record, op.keyword_arguments)
        return name in _ABOUT_OBJECTS

    def by_name(self, op: CallOp, record: RecordOp, *, has: bool) -> None:
        """`hasattr(record, "name")`, and `getattr` of it with a default."""
        kind, name = record.record_type, constant_value(op.operands[2])
        if not isinstance(name, str) or op.keyword_names or name.startswith("__"):
            return
        is_there = name in kind.fields
        members = self.environment.record_class(kind.path).members
        of_class = name in members or hasattr(_BASES[kind.kind], name)
        of_class = of_class or kind.name in TENSORS  # torch's have much more
        if not is_there and of_class:
            return
        if has:
            replace(op, [insert_constant(op, is_there)])
        elif is_there and self.is_field(name, kind):
            replace(op, [self.field(op, record, name)])
        elif not is_there and len(op.operands) == 4:
            replace(op, [op.operands[3]])

    def is_instance(self, kind: RecordType, wanted: object) -> bool | None:
        """`isinstance(record, wanted)`, or None where that is not known."""
        classes = self.environment.record_class(kind.path).classes
        several = wanted if isinstance(wanted, tuple) else (wanted,)
        names = [_class_name(item) for item in several]
        if kind.name in TENSORS and "torch.Tensor" in names:
            return True
        if any(name in classes for name in names):
            return True
        if kind.name in TENSORS and any(n and n.startswith("torch.") for n in names):
            return None  # which of torch's classes, the record does not say
        return None if None in names else False

    def method(self, op: InvokeOp, record: RecordOp) -> None:
        """`_replace` and `_asdict`; `index` and `count` as of a tuple."""
        kind = record.record_type
        if kind.kind != NAMEDTUPLE or op.is_starred:
            return
        name = op.method.data
        if name == "_replace" and not op.positional:
            self.replaced(op, record, op.keyword_arguments)
        elif name == "_asdict" and not op.arguments:
            flat = [
                item
                for field in kind.fields
                for item in (insert_constant(op, field), self.field(op, record, field))
            ]
            replace(op, [insert_value(op, DictOp(flat))])
        elif name in ("index", "count"):
            op.operands[0] = record.fields

    def replaced(
        self, op: CallOp | InvokeOp, record: RecordOp, new: dict[str, SSAValue]
    ) -> bool:
        """A new record, with these fields changed."""
        kind = record.record_type
        if not new.keys() <= set(kind.fields):
            return False
        items = [
            new[name] if name in new else self.field(op, record, name)
            for name in kind.fields
        ]
        replacement = insert_value(op, TupleOp(items))
        replace(op, [insert_value(op, RecordOp(replacement, kind))])
        return True


_BASES: dict[str, type] = {DATACLASS: object, MAPPING: OrderedDict, NAMEDTUPLE: tuple}
"""What an instance has attributes from besides its own classes."""

_ABOUT_OBJECTS = {
    "builtins.callable",
    "builtins.format",
    "builtins.getattr",
    "builtins.hasattr",
    "builtins.id",
    "builtins.print",
    "builtins.repr",
    "builtins.str",
    "builtins.type",
    "functools.partial",
}
"""Functions that see the object, and not only its items."""


def _sets(use: Use) -> bool:
    return use.index == 0 and isinstance(use.operation, SetattrOp | StoreSubscriptOp)


def _class_name(value: object) -> str | None:
    match value:
        case GlobalRef(name):
            return CLASSES.get(name, name)
        case ObjectRef(path) if path.startswith("class "):
            return path.removeprefix("class ")
        case _:
            return None


def _short(kind: RecordType) -> str:
    return kind.name.rpartition(".")[2]
