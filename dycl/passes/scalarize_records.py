"""`dycl-scalarize-records`: read the fields of dataclasses and named tuples directly.

Before                         After
------                         -----
%t = dycl.tuple(%a, %b)        %t = dycl.tuple(%a, %b)
%r = dycl.record %t as #Out    %f = dycl.subscript %t[%one]
%f = dycl.getattr %r "logits"  dycl.return %f
dycl.return %f

A record that every side of a branch or scope forwards, that a loop carries, or that is
selected from two, goes as the tuple of its fields and is made again behind it; so does
what a loop makes of the record that it carries (`s = s._replace(n=n)`). A named
tuple is used as a tuple where one is asked for: subscripts, unpacking, `len`, `for`,
`+`, arguments of torch.

Where a field of a dataclass is set, the program is put back to where it had made no
dataclass, and makes objects in place of these records (`calls.dataclass_objects`).

Needs:  `dycl-inline-calls`, which makes records of calls of their classes.
Leaves: no read of a field of a record made here.
Skips:  records of two classes that meet, or a record and another value:
        `dycl-specialize-joins` keeps their paths apart.

A walk, and no patterns: what a pattern would match is the op that uses a record, of
some twenty kinds, while a record is asked once for all its uses (`calls.records`).
"""

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass

from dycl.analysis.manager import environment_of
from dycl.diag import remark
from dycl.ir import (
    CallOp,
    GetattrOp,
    IfOp,
    InvokeOp,
    RecordOp,
    ScopeOp,
    SelectOp,
    TupleOp,
    WhileOp,
)
from dycl.ir.constant_values import constant_name
from dycl.ir.environment import Environment
from dycl.ir.functions import entry_function
from dycl.ir.interfaces import forwarded_from
from dycl.ir.records import RecordType
from dycl.ir.rewriting import insert_before, insert_value, replace
from dycl.ir.values import FunctionRef
from dycl.ir.walking import walk
from dycl.passes.calls.dataclass_objects import make_objects
from dycl.passes.calls.mappings import is_changed_elsewhere
from dycl.passes.calls.records import Reader
from dycl.passes.split_tuples import chosen_items


@dataclass(frozen=True)
class ScalarizeRecordsPass(ModulePass):
    """Read the fields of dataclasses and named tuples directly."""

    name = "dycl-scalarize-records"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Change the entry function; raises nothing."""
        entry = entry_function(op)
        if entry is None or not any(isinstance(o, RecordOp) for o in walk(entry)):
            return
        environment = environment_of(ctx, op)
        _forward_fields(entry, environment)
        reader = Reader(environment, lambda path: make_objects(op, entry, path))
        for item in list(walk(entry)):
            if isinstance(item, RecordOp) and not reader.is_put_back:
                reader.read(item)


def _forward_fields(entry: FuncOp, environment: Environment) -> None:
    """Inner ones first, so that what they forward is seen around them."""
    for op in reversed(list(walk(entry))):
        for index in range(len(op.results)):
            match op:
                case IfOp() | ScopeOp():
                    _of_sides(op, index)
                case WhileOp():
                    _loop_carried(op, index, environment)
                case SelectOp():
                    _selected(op)
                case _:
                    break


def _of_sides(op: IfOp | ScopeOp, index: int) -> None:
    """A result that is a record of one class, whichever way it came."""
    result, ends = op.results[index], op.exits
    values = [end.operands[index] for end in ends]
    kind = _one_class(values)
    if kind is None or not result.uses:
        if result.uses and any(isinstance(v.owner, RecordOp) for v in values):
            remark(op, "record forwarded as a whole", _OTHER)
        return
    owners = [v.owner for v in values]
    if any(isinstance(o, RecordOp) and is_changed_elsewhere(o, result) for o in owners):
        return
    for end in ends:
        end.operands[index] = _fields(end.operands[index])
    _remade(result, kind, op.next_op)


def _loop_carried(op: WhileOp, index: int, environment: Environment) -> None:
    """A value that is a record of one class at the start and after each iteration.

    So it is if an iteration makes it of what it was: `s = s._replace(n=n)`.
    """
    names = [op.before.block.args[index], op.body.block.args[index]]
    if op.condition.values[index] is not names[0]:
        return
    given = [end.forwarded[index] for end in op.jumps]
    origins = [found for v in given for found in _origins(v, names)]
    kind = _one_class([op.initial[index], *origins])
    if kind is None or _has_own_replace(kind, environment):
        return
    op.operands[index] = _fields(op.initial[index])
    position = index + 1
    for jump in op.jumps:
        if jump.operands[index] not in names:
            jump.operands[index] = _fields_at(jump, jump.operands[index], kind)
    ends: dict[Operation, int] = {op.condition: position}
    ends.update(dict.fromkeys(op.jumps, index))
    for name in names:
        first = name.block.first_op
        _remade(name, kind, first, ends)
    _remade(op.results[index], kind, op.next_op)


def _selected(op: SelectOp) -> None:
    """The one or the other record of a class is a record of the selected fields."""
    sides = (op.if_true, op.if_false)
    kind, owners = _one_class(sides), [side.owner for side in sides]
    if kind is None or any(
        isinstance(o, RecordOp) and is_changed_elsewhere(o, op.result) for o in owners
    ):
        return
    one, other = (_fields(side).owner for side in sides)
    if not isinstance(one, TupleOp) or not isinstance(other, TupleOp):
        return
    items = chosen_items(op, one.items, other.items)
    replace(op, [insert_value(op, RecordOp(insert_value(op, TupleOp(items)), kind))])


_OTHER = "a record of another class, or another value, meets it"


def _one_class(values: Sequence[SSAValue]) -> RecordType | None:
    """The class of these records, if they all are of one."""
    owners = [v.owner for v in values]
    kinds = {o.record_type for o in owners if isinstance(o, RecordOp)}
    all_records = all(isinstance(o, RecordOp) for o in owners)
    return kinds.pop() if all_records and len(kinds) == 1 else None


def _origins(value: SSAValue, names: Sequence[SSAValue]) -> list[SSAValue]:
    """What a value was before `_replace` and the like, but for those in `names`."""
    found: list[SSAValue] = []
    waiting, seen = [value], set(names)
    while waiting:
        one = waiting.pop()
        if one in seen:
            continue
        seen.add(one)
        sources = _replaced(one) or forwarded_from(one)
        waiting += sources
        if not sources:
            found.append(one)
    return found


def _has_own_replace(kind: RecordType, environment: Environment) -> bool:
    member = environment.record_members(kind.path).get("_replace")
    return isinstance(member, FunctionRef)


def _replaced(value: SSAValue) -> list[SSAValue]:
    """The record of which this is one with other fields; empty: it is none."""
    match value.owner:
        case InvokeOp() as op if op.method.data == "_replace" and not op.positional:
            return [op.receiver]
        case CallOp() as op if constant_name(op.callee) == "dataclasses.replace":
            return [] if op.is_starred else list(op.positional[:1])
        case _:
            return []


def _fields_at(op: Operation, value: SSAValue, kind: RecordType) -> SSAValue:
    """The fields of a value that is going to be a record, in front of an op."""
    if isinstance(value.owner, RecordOp):
        return value.owner.fields
    items = [insert_value(op, GetattrOp(value, name)) for name in kind.fields]
    return insert_value(op, TupleOp(items))


def _fields(value: SSAValue) -> SSAValue:
    assert isinstance(value.owner, RecordOp)
    return value.owner.fields


def _remade(
    value: SSAValue,
    kind: RecordType,
    before: Operation | None,
    ends: dict[Operation, int] | None = None,
) -> None:
    """From here on `value` is a tuple: a record of it stands for it in all its uses."""
    assert before is not None
    record_op = RecordOp(value, kind)
    record_op.result.name_hint = value.name_hint
    insert_before(before, record_op)
    value.replace_uses_with_if(
        record_op.result,
        lambda use: (
            use.operation is not record_op
            and (ends or {}).get(use.operation) != use.index
        ),
    )
