"""Lists in attributes of objects that the network makes.

Before                                After
------                                -----
%l = dycl.list()                      %l = dycl.list()
dycl.setattr %cell "layers", %l       dycl.setattr %cell "layers", %l
%n = dycl.invoke %l "append"(%a)      %m = dycl.list(%a)
dycl.return %cell                     dycl.setattr %cell "layers", %m
                                      dycl.return %cell

Such a list is followed as long as all that may reach it by the attribute is in sight:
`dycl-promote-objects` makes a read of the attribute the list itself. At a return the
attribute is given the list as it is there, since that is what is returned.
"""

from xdsl.ir import Operation, SSAValue

from dycl.ir import (
    CallOp,
    ForOp,
    GetattrOp,
    ReturnOp,
    SetattrOp,
    ToBoolOp,
    TupleOp,
    WhileOp,
)
from dycl.ir.changes import object_of
from dycl.ir.constant_values import MISSING, constant_name, constant_value
from dycl.ir.environment import Environment
from dycl.ir.interfaces import RegionBranchOp
from dycl.ir.rewriting import insert_before
from dycl.ir.walking import walk
from dycl.passes.aggregates.items import is_dict
from dycl.passes.aggregates.names import State, lists_in
from dycl.passes.aggregates.state import Aggregates
from dycl.passes.objects.effects import Effects
from dycl.passes.state.attributes import Key, key_of


class Objects(Aggregates):
    """What is known of lists that objects hold."""

    def __init__(self, environment: Environment):
        super().__init__(environment)
        self.held: dict[SetattrOp, Key] = {}
        """The ops by which objects got lists, as far as the walk has come."""
        self.effects = Effects(environment) if environment.made else None

    def set_attribute(self, op: SetattrOp, state: State) -> None:
        """An object made here keeps what it is given, and gives it back in sight."""
        key = key_of(op)
        if key is None or key[0] not in self.environment.made:
            self.escape(op, state)
        elif any(True for _ in lists_in([op.value])):
            self.held[op] = key

    def before(self, op: Operation, state: State) -> None:
        """Let go what objects hold, if an op may get hold of it."""
        if self.held and isinstance(op, ReturnOp):
            self.write_back(op, state)
        elif self.held and not isinstance(op, RegionBranchOp) and self.reaches(op):
            self.let_go(state)

    def before_loop(self, op: ForOp | WhileOp, state: State) -> None:
        """The same for all iterations."""
        inner = (o for o in walk(op) if not isinstance(o, RegionBranchOp))
        if self.held and any(
            self.reaches(o) and not self.reads_item(o, op, state) for o in inner
        ):
            self.let_go(state)

    def reads_item(self, op: Operation, loop: ForOp | WhileOp, state: State) -> bool:
        """Whether an op reads what runs no function of any item of a loop, or asks for
        the truth of that, where it is plain data of the items' classes."""
        if isinstance(op, ToBoolOp) and isinstance(op.operand.owner, GetattrOp):
            read = op.operand.owner
            return self.reads_item(read, loop, state) and self.is_plain(
                read, loop, state
            )
        if not isinstance(loop, ForOp) or not isinstance(op, GetattrOp):
            return False
        name, items = op.attribute.data, state.get(loop.iterable)
        if op.operand is not loop.body.block.args[0] or items is None:
            return False
        if any(name == key[1] for key in self.held.values()) or self.effects is None:
            return False
        if is_dict(loop.iterable) or self.is_used_in(loop.iterable, loop):
            return False
        paths = list(map(object_of, items))
        return all(p and not self.effects.has_property(p, name) for p in paths)

    def is_plain(self, op: GetattrOp, loop: ForOp | WhileOp, state: State) -> bool:
        """Whether an attribute of all items of a loop is what their classes say."""
        name = op.attribute.data
        assert isinstance(loop, ForOp)
        assert self.effects is not None
        members = [
            self.environment.members(path).get(name)
            for path in map(object_of, state[loop.iterable])
            if path is not None
        ]
        is_set = name in self.effects.set
        return not is_set and all(
            isinstance(m, bool | int | float | str) for m in members
        )

    def is_used_in(self, value: SSAValue, loop: ForOp) -> bool:
        """Whether the body of a loop uses a value, and so may change it."""
        return any(
            use.operation is not loop and loop.is_ancestor(use.operation)
            for use in value.uses
        )

    def reaches(self, op: Operation) -> bool:
        """Whether an op may read an attribute of an object, or what it calls may."""
        if isinstance(op, GetattrOp):
            path, name = object_of(op.operand), op.attribute.data
            is_held = any(name == key[1] for key in self.held.values())
            if is_held and (path is None or path in self.environment.made):
                return True
        if isinstance(op, CallOp) and constant_name(op.callee) in _BY_NAME:
            name = constant_value(op.operands[2]) if len(op.operands) > 2 else MISSING
            held = [key[1] for key in self.held.values()]
            return not isinstance(name, str) or name in held
        return self.effects is None or not self.effects.is_harmless(op)

    def go_over_held(self, op: ForOp, state: State) -> None:
        """A loop over a list that an object holds goes over the items of now."""
        items = state.get(op.iterable)
        is_held = any(isinstance(u.operation, SetattrOp) for u in op.iterable.uses)
        if items is not None and is_held and not is_dict(op.iterable):
            whole = TupleOp(items)
            insert_before(op, whole)
            op.operands[0] = whole.result

    def let_go(self, state: State) -> None:
        """Whatever comes now may change the lists that objects hold."""
        for op in self.held:
            self.escape_value(op.value, state)

    def write_back(self, op: ReturnOp, state: State) -> None:
        """What is returned has the lists as they are here."""
        keys = list(self.held.values())
        for write, key in list(self.held.items()):
            block = write.parent
            if keys.count(key) > 1 or block is None or not block.is_ancestor(op):
                self.escape_value(write.value, state)
                continue
            here = self.as_here(write.value, op, state)
            if here is not write.value:
                insert_before(op, SetattrOp(write.operand, key[1], here))


_BY_NAME = ("builtins.getattr", "builtins.vars")
