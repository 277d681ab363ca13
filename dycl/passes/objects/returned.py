"""An object that is returned is a record of what its attributes are at the return.

Before                      After
------                      -----
dycl.setattr %cell "n", %x  %t = dycl.tuple(%x)
dycl.return %cell           %r = dycl.record %t as #Cell
                            dycl.return %r

A list that is returned with objects inside must be as it was made: what changes it is
followed by `dycl-scalarize-aggregates` first.
"""

from collections.abc import Iterator, Sequence
from typing import cast

from xdsl.ir import Operation, SSAValue, Use

from dycl.ir import (
    CallOp,
    CompareOp,
    ConstantOp,
    DictOp,
    ListOp,
    RecordOp,
    ReturnOp,
    SelectOp,
    SetattrOp,
    SubscriptOp,
    ToBoolOp,
    TupleOp,
    UnpackOp,
)
from dycl.ir.constant_values import constant_name
from dycl.ir.environment import Environment
from dycl.ir.interfaces import forwarded_from
from dycl.ir.records import CALL, OBJECT, RecordType
from dycl.ir.rewriting import insert_constant, insert_value
from dycl.ir.values import MethodRef, ObjectRef, Partial, from_attr
from dycl.passes.objects.cells import Cells, is_bound
from dycl.prelude import STANDS_FOR


class Waits(Exception):
    """What an object holds is not known yet."""


class NotReturned(Exception):
    """An object that the caller cannot be given; the words are those of a refusal."""


def objects_in(value: SSAValue) -> Iterator[str]:
    """The paths of the objects that a value is, or holds, whichever way it came."""
    waiting, seen = [value], {value}
    while waiting:
        one = waiting.pop()
        owner = one.owner
        new: Sequence[SSAValue] = ()
        if isinstance(owner, ConstantOp):
            yield from _paths(from_attr(owner.value))
        elif isinstance(owner, TupleOp | ListOp | DictOp | RecordOp):
            new = owner.operands
        elif isinstance(owner, SelectOp):
            new = (owner.if_true, owner.if_false)
        else:
            new = forwarded_from(one)
        waiting += [v for v in new if v not in seen]
        seen.update(new)


def _paths(value: object) -> Iterator[str]:
    match value:
        case ObjectRef(path) | MethodRef(_, path):
            yield path
        case Partial(callee, args, kwargs):
            for item in (callee, *args, *kwargs.values()):
                yield from _paths(item)
        case tuple() | list():
            for item in cast("list[object]", value):
                yield from _paths(item)
        case dict():
            for item in cast("dict[object, object]", value).values():
                yield from _paths(item)
        case _:
            pass


class Returned:
    """Builds the records of one return."""

    def __init__(self, op: ReturnOp, cells: Cells, environment: Environment):
        self.op = op
        self.cells = cells
        self.environment = environment
        self.made = environment.made

    def run(self) -> None:
        """Replace the operands. Waits; NotReturned."""
        new = [self.value(v, ()) for v in self.op.operands]
        for index, value in enumerate(new):
            self.op.operands[index] = value

    def value(self, value: SSAValue, around: tuple[str, ...]) -> SSAValue:
        """The value with records for the objects in it."""
        if self.made.isdisjoint(objects_in(value)):
            return value
        owner = value.owner
        match owner:
            case ConstantOp():
                return self.constant(from_attr(owner.value), around)
            case TupleOp() | ListOp() | DictOp():
                if not isinstance(owner, TupleOp) and not all(map(_reads, value.uses)):
                    raise Waits
                items = [self.value(v, around) for v in owner.operands]
                return self.put(type(owner)(items))
            case RecordOp():
                fields = self.value(owner.fields, around)
                return self.put(RecordOp(fields, owner.record_type))
            case _:
                raise Waits

    def constant(self, value: object, around: tuple[str, ...]) -> SSAValue:
        match value:
            case ObjectRef(path) if path in self.made:
                return self.record(path, around)
            case tuple() | list():
                items = [self.constant(v, around) for v in cast("list[object]", value)]
                kind = TupleOp if isinstance(value, tuple) else ListOp
                return self.put(kind(items))
            case dict():
                flat: list[SSAValue] = []
                for key, item in cast("dict[object, object]", value).items():
                    flat.append(insert_constant(self.op, key))
                    flat.append(self.constant(item, around))
                return self.put(DictOp(flat))
            case _:
                return insert_constant(self.op, value)

    def record(self, path: str, around: tuple[str, ...]) -> SSAValue:
        """The object at this place."""
        if path in around:
            raise NotReturned("an object that holds itself is returned")
        if self.environment.is_module(ObjectRef(path)):
            raise NotReturned(
                "a module that is made while the network runs is returned"
            )
        if self.cells.is_open:
            raise Waits
        values = {n: v for (p, n), v in self.cells.values.items() if p == path}
        name, kind = self.environment.class_name(path), OBJECT
        if name in STANDS_FOR:
            name, attributes = STANDS_FOR[name]
            values, kind = {n: values.get(n) for n in attributes}, CALL
        items: list[SSAValue] = []
        for value in values.values():
            if value is None or not is_bound(value):
                raise Waits
            items.append(self.value(value, (*around, path)))
        record_type = RecordType(name, kind, tuple(values))
        return self.put(RecordOp(self.put(TupleOp(items)), record_type))

    def put(self, op: TupleOp | ListOp | DictOp | RecordOp) -> SSAValue:
        return insert_value(self.op, op)


def _reads(use: Use) -> bool:
    """Whether an op does not change a list that it uses."""
    op = use.operation
    if isinstance(op, CallOp):
        return constant_name(op.callee) == "builtins.len"
    return isinstance(op, _HOLDERS) or (isinstance(op, SetattrOp) and use.index == 1)


_HOLDERS: tuple[type[Operation], ...] = (
    *(CompareOp, DictOp, ListOp, RecordOp, ReturnOp, SubscriptOp, ToBoolOp),
    *(TupleOp, UnpackOp),
)
