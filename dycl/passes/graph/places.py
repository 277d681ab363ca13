"""The memory and the slots of a tree, for the values of a host function.

Before                                  After
------                                  -----
host.func @f(%x) {                      graph.func @f(%x) {
  %y = host.alloc {offset = 0 : i64}      %y = host.alloc
  host.launch @k ins(%x) outs(%y)         graph.launch @k ins(%x) outs(%y)
  dycl.return %y                          graph.scalars { graph.exit 0 }
}                                         graph.return %y as [#dycl.leaf<0>]
                                        }
"""

from xdsl.dialects.builtin import MemRefType, UnitAttr
from xdsl.ir import Attribute, Block, BlockArgument, Operation, SSAValue

import dycl.ir as d
from dycl.ir import host
from dycl.ir.cloning import clone
from dycl.ir.graph import KnownOp
from dycl.ir.host.size_numbers import step_of
from dycl.ir.host.types import OFFSET
from dycl.ir.interfaces import is_inside
from dycl.ir.rewriting import append

ZERO = "zero"
"""Attribute of memory that nothing fills: it begins as zeros."""


class Places:
    """Where each value of a host function is on the device."""

    def __init__(self, func: host.FuncOp):
        self.block = Block(arg_types=[_kept(a.type) for a in func.body.block.args])
        """What is made before the first run."""
        self._memory: dict[SSAValue, SSAValue] = {}
        self._slots: dict[SSAValue, SSAValue] = {}
        self._same: dict[SSAValue, SSAValue] = {}
        self._constants: dict[Attribute, SSAValue] = {}
        self._known: dict[SSAValue, SSAValue] = {}
        self._is_known: dict[SSAValue, bool] = {}
        pairs = zip(func.body.block.args, self.block.args, strict=True)
        for before, after in pairs:
            after.name_hint = before.name_hint
            kinds = isinstance(before.type, MemRefType)
            (self._memory if kinds else self._slots)[before] = after

    # ---- what a value is

    def root(self, value: SSAValue) -> SSAValue:
        """The value that another one stands for."""
        while value in self._same:
            value = self._same[value]
        return value

    def let(self, value: SSAValue, stand_for: SSAValue) -> None:
        """From now on a value is another one."""
        if self.root(stand_for) is not value:
            self._same[value] = stand_for

    # ---- buffers

    def buffer(self, value: SSAValue) -> SSAValue:
        """The memory of a buffer."""
        value = self.root(value)
        if value not in self._memory:
            self._memory[value] = self._made(value)
        return self._memory[value]

    def claim(self, value: SSAValue, by: SSAValue) -> None:
        """Let a buffer that launches fill be the memory of a join, if it is free."""
        if value not in self._memory:
            self._memory[value] = self.buffer(by)

    def _made(self, value: SSAValue) -> SSAValue:
        owner = value.owner
        assert isinstance(value.type, MemRefType)
        if isinstance(owner, host.ViewOp):
            made: Operation = host.ViewOp(self.buffer(owner.operand), value.type)
        elif isinstance(owner, host.KeepOp):
            return self.buffer(owner.operand)
        elif isinstance(owner, host.ParamOp | d.ConstantOp):
            made = clone(owner)
        else:
            made = host.AllocOp(value.type)
            if isinstance(owner, host.AllocOp) and not is_filled(owner):
                made.attributes[ZERO] = UnitAttr()
        return self._put(made, value)

    def fresh(self, like: SSAValue) -> SSAValue:
        """Memory of its own, of the type of a buffer."""
        assert isinstance(like.type, MemRefType)
        return self._put(host.AllocOp(like.type), like)

    # ---- numbers

    def slot(self, value: SSAValue) -> SSAValue:
        """The slot of a number."""
        value = self.root(value)
        if value not in self._slots:
            op: Operation = host.AllocOp(MemRefType(value.type, []))
            if self.is_known(value):
                op = KnownOp(self.known(value))
            self._slots[value] = self._put(op, value)
        return self._slots[value]

    def has_slot(self, value: SSAValue) -> bool:
        """Whether a number has a slot already."""
        return self.root(value) in self._slots

    def new_slot(self, kind: Attribute, name: str, source: Operation) -> SSAValue:
        """Memory for one number, which stands for an op."""
        op = host.AllocOp(MemRefType(kind, []))
        op.result.name_hint = name
        append(self.block, op, source=source)
        return op.result

    def number(self, value: SSAValue) -> SSAValue:
        """A number that is known, for a kernel that takes it."""
        owner = self.root(value).owner
        assert isinstance(owner, d.ConstantOp)
        if owner.value not in self._constants:
            self._constants[owner.value] = self._put(clone(owner), value)
        return self._constants[owner.value]

    def is_known(self, value: SSAValue) -> bool:
        """Whether a number is computed of sizes, and of constants, alone."""
        value = self.root(value)
        if value not in self._is_known:
            self._is_known[value] = self._is_of_sizes(value.owner)
        return self._is_known[value]

    def _is_of_sizes(self, op: Operation | Block) -> bool:
        if isinstance(op, Block) or step_of(op) is None:
            return isinstance(op, d.DimOp)
        left = [self.root(v) for v in op.operands]
        left = [v for v in left if not isinstance(v.owner, d.ConstantOp)]
        return bool(left) and all(map(self.is_known, left))

    def known(self, value: SSAValue) -> SSAValue:
        """A number that `is_known`, or a constant, as it is known before a run."""
        value = self.root(value)
        owner = value.owner
        if isinstance(owner, d.ConstantOp):
            return self.number(value)
        if value not in self._known:
            assert isinstance(owner, Operation)
            if isinstance(owner, d.DimOp):
                of = self.buffer(owner.operand)
                made: Operation = d.DimOp(of, owner.dimension, value.type)
            else:
                made = clone(owner, {v: self.known(v) for v in owner.operands})
            self._known[value] = self._put(made, value)
        return self._known[value]

    def _put(self, op: Operation, value: SSAValue) -> SSAValue:
        op.attributes.pop(OFFSET, None)
        [result] = op.results
        result.name_hint = value.name_hint
        owner = value.owner
        around = owner.parent_op() if isinstance(owner, Block) else owner
        if around is not None:
            append(self.block, op, source=around)
        else:
            self.block.add_op(op)
        return result


def _kept(kind: Attribute) -> Attribute:
    """An argument: a number arrives in a slot."""
    return kind if isinstance(kind, MemRefType) else MemRefType(kind, [])


def is_filled(alloc: host.AllocOp) -> bool:
    """Whether a launch fills a buffer; else it stands for a name without a value."""
    users = [use.operation for use in alloc.result.uses]
    return any(
        isinstance(o, host.LaunchOp) and alloc.result in o.outputs for o in users
    )


def is_own(value: SSAValue, op: Operation) -> bool:
    """Whether a buffer is made by a launch inside an op."""
    owner = value.owner
    return isinstance(owner, host.AllocOp) and is_inside(value, op) and is_filled(owner)


def used_by_one(value: SSAValue, user: Operation) -> bool:
    """Whether nothing but `user`, once, reads what launches have put into a buffer."""
    owner = value.owner
    if isinstance(value, BlockArgument) or not isinstance(owner, host.AllocOp):
        return False
    readers = [
        use.operation
        for use in value.uses
        if not (
            isinstance(use.operation, host.LaunchOp) and _fills(use.operation, value)
        )
    ]
    return readers == [user] and is_filled(owner) and owner.parent is user.parent


def _fills(launch: host.LaunchOp, value: SSAValue) -> bool:
    return value in launch.outputs and value not in launch.inputs
