"""Lists in attributes of objects.

Before                                After
------                                -----
%l = dycl.list()                      %l = dycl.list()
dycl.setattr %cell "layers", %l       dycl.setattr %cell "layers", %l
%n = dycl.invoke %l "append"(%a)      %m = dycl.list(%a)
dycl.return %cell                     dycl.setattr %cell "layers", %m
                                      dycl.return %cell

A list that an object holds which the network makes is followed as long as all that may
reach it by the attribute is in sight: `dycl-promote-objects` makes a read of the
attribute the list itself. At a return the attribute is given the list as it is there,
since that is what is returned.

An object of the model may have a list for a while, until the attribute is set again, as
a context variable does. That list is read in the same way, and what changes it stays:
once all is known in between, `dycl-settle-writes` finds that nobody has had it.
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
        self.lent: dict[SetattrOp, Key] = {}
        """As `held`, of objects of the model, which get something else later."""
        self.effects = Effects(environment) if environment.made else None

    def set_attribute(self, op: SetattrOp, state: State) -> None:
        """An object made here keeps what it is given, and gives it back in sight."""
        key = key_of(op)
        lists = list(lists_in([op.value]))
        if key is not None and key[0] in self.environment.made:
            if lists:
                self.held[op] = key
        elif lists and key is not None and self.is_set_again(op, key):
            self.effects = self.effects or Effects(self.environment)
            if self.effects.is_harmless(op):
                self.lent[op] = key
                self.lost |= dict.fromkeys(lists)
            else:
                self.escape(op, state)
        else:
            self.escape(op, state)

    def is_set_again(self, op: SetattrOp, key: Key) -> bool:
        """Whether what follows in the block sets the attribute to something else."""
        later = op.next_op
        while later is not None:
            if isinstance(later, SetattrOp) and key_of(later) == key:
                return not any(True for _ in lists_in([later.value]))
            later = later.next_op
        return False

    def before(self, op: Operation, state: State) -> None:
        """Let go what objects hold, if an op may get hold of it."""
        if isinstance(op, ReturnOp):
            self.write_back(op, state)
        elif (
            (self.held or self.lent)
            and not isinstance(op, RegionBranchOp)
            and self.reaches(op)
        ):
            self.let_go(state)

    def before_loop(self, op: ForOp | WhileOp, state: State) -> None:
        """The same for all iterations."""
        inner = (o for o in walk(op) if not isinstance(o, RegionBranchOp))
        if self.names_held() and any(
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
        if name in self.names_held() or self.effects is None:
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
            paths = {key[0] for key in self.lent.values()} | self.environment.made
            if name in self.names_held() and (path is None or path in paths):
                return True
        if isinstance(op, CallOp) and constant_name(op.callee) in _BY_NAME:
            name = constant_value(op.operands[2]) if len(op.operands) > 2 else MISSING
            return not isinstance(name, str) or name in self.names_held()
        return self.effects is None or not self.effects.is_harmless(op)

    def names_held(self) -> set[str]:
        """The names of the attributes that hold lists; `__dict__` has all of them."""
        keys = (*self.held.values(), *self.lent.values())
        return {"__dict__", *(name for _, name in keys)} if keys else set()

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
        for op in (*self.held, *self.lent):
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
