"""Reads and writes of attributes become values: SSA form over structured control flow.

The walk keeps the value of each variable. What a branch, scope or loop writes becomes a
further result of it; what a loop writes is carried. Code that leaves early hands on
what the variables are at that place.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

from xdsl.ir import Block, Operation, Region, SSAValue

from dycl.ir import (
    BreakOp,
    ContinueOp,
    ForOp,
    GetattrOp,
    IfOp,
    LeaveOp,
    ReturnOp,
    ScopeOp,
    SetattrOp,
    WhileOp,
    YieldOp,
)
from dycl.ir.changes import object_of
from dycl.ir.dialect.syntax import VALUE
from dycl.ir.walking import walk
from dycl.passes import _edit as edit

Key = tuple[str, str]
"""An attribute: the object's path, and the name."""
Values = dict[Key, SSAValue]


def key_of(op: Operation) -> Key | None:
    """The attribute that an op reads or sets, if the object is known."""
    if not isinstance(op, (GetattrOp, SetattrOp)):
        return None
    path = object_of(op.operand)
    return None if path is None else (path, op.attribute.data)


@dataclass
class _Frame:
    """A scope or loop around the walk, and the variables it hands on."""

    op: Operation
    written: list[Key]


@dataclass
class Promotion:
    """Turns all accesses to `keys` in a function's body into values."""

    keys: list[Key]
    at_return: Callable[[ReturnOp, Values], None]
    """Called at each return with the values there."""
    frames: list[_Frame] = field(default_factory=list[_Frame])

    def block(self, block: Block, now: Values) -> None:
        """Walk a block; `now` is what the variables are, and is kept up to date."""
        for op in list(block.ops):
            key = key_of(op)
            if key in self.keys:
                self.access(op, key, now)
                continue
            match op:
                case IfOp():
                    self.if_op(op, now)
                case ScopeOp():
                    self.scope(op, now)
                case WhileOp() | ForOp():
                    self.loop(op, now)
                case LeaveOp():
                    self.hand_on(op, now)
                case BreakOp() | ContinueOp():
                    self.hand_on(op, now)
                case ReturnOp():
                    self.at_return(op, now)
                case _:
                    pass

    def access(self, op: Operation, key: Key, now: Values) -> None:
        if isinstance(op, SetattrOp):
            now[key] = op.value
            op.detach()
            op.erase()
        else:
            edit.replace(op, [now[key]])

    def hand_on(self, end: Operation, now: Values) -> None:
        """An exit gives what it leaves the values that they have there."""
        frame = next((f for f in reversed(self.frames) if _leads_to(end, f.op)), None)
        if frame is not None:
            end.operands = [*end.operands, *(now[k] for k in frame.written)]

    def written_in(self, op: Operation) -> list[Key]:
        """The variables that ops inside set, in the order of the keys."""
        found = {key_of(o) for o in walk(op) if isinstance(o, SetattrOp)}
        return [k for k in self.keys if k in found]

    def if_op(self, op: IfOp, now: Values) -> None:
        written = self.written_in(op)
        for region in op.regions:
            here = dict(now)
            self.block(region.block, here)
            end = region.block.last_op
            if isinstance(end, YieldOp):
                end.operands = [*end.operands, *(here[k] for k in written)]
        if written:
            types = [*op.result_types, *([VALUE] * len(written))]
            first, second = map(_moved, op.regions)
            new = IfOp(op.condition, types, first, second, dict(op.attributes))
            self.swap(op, new, written, now)

    def scope(self, op: ScopeOp, now: Values) -> None:
        written = self.written_in(op)
        self.frames.append(_Frame(op, written))
        self.block(op.body.block, dict(now))
        self.frames.pop()
        if written:
            types = [*op.result_types, *([VALUE] * len(written))]
            self.swap(op, ScopeOp(op.label.data, types, _moved(op.body)), written, now)

    def loop(self, op: ForOp | WhileOp, now: Values) -> None:
        written = self.written_in(op)
        self.frames.append(_Frame(op, written))
        here = dict(now)
        initial = [*op.initial, *(now[k] for k in written)]
        if isinstance(op, WhileOp):
            before = op.before.block
            _enter(before, written, here)
            self.block(before, here)
            end = op.condition
            end.operands = [*end.operands, *(here[k] for k in written)]
        body = op.regions[-1].block
        _enter(body, written, here)
        self.block(body, here)
        self.frames.pop()
        if isinstance(last := body.last_op, YieldOp):
            last.operands = [*last.operands, *(here[k] for k in written)]
        if not written:
            return
        if isinstance(op, WhileOp):
            new = WhileOp(initial, _moved(op.before), _moved(op.body))
        else:
            new = ForOp(op.iterable, initial, _moved(op.body))
        self.swap(op, new, written, now)

    def swap(
        self,
        op: Operation,
        new: IfOp | ScopeOp | WhileOp | ForOp,
        written: list[Key],
        now: Values,
    ) -> None:
        """Put an op with further results in the place of another."""
        new.location = op.location
        new.attributes.update(op.attributes)
        edit.move_before(op, [new])
        count = len(op.results)
        for key, result in zip(written, new.results[count:], strict=True):
            result.name_hint = key[1]
            now[key] = result
        edit.replace(op, new.results[:count])


def _leads_to(end: Operation, op: Operation) -> bool:
    if isinstance(end, LeaveOp):
        return isinstance(op, ScopeOp) and op.label == end.label
    return isinstance(op, (ForOp, WhileOp))


def _enter(block: Block, written: list[Key], here: Values) -> None:
    for key in written:
        here[key] = block.insert_arg(VALUE, len(block.args))
        here[key].name_hint = key[1]


def _moved(region: Region) -> Region:
    new = Region()
    region.move_blocks(new)
    return new
