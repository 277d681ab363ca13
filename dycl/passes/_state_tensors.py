"""Buffers that a run writes to: each write sets the attribute that holds the buffer.

`self.running.mul_(0.9)` becomes `self.running = self.running.mul_(0.9)`, which is the
same; and what uses the buffer reads the attribute at that place.
"""

from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue, Use

from dycl.ir import CallOp, ConstantOp, GetattrOp, InplaceOp, InvokeOp, SetattrOp
from dycl.ir.values import GlobalRef, ObjectRef, ParamRef, from_attr, to_attr
from dycl.ir.world import World
from dycl.passes import _edit as edit
from dycl.passes._attributes import Key


def name_writes(entry: FuncOp, world: World) -> None:
    """Make reads and writes of attributes of the buffers that are written to.

    Left alone, and refused later: a tensor that several attributes hold, and one that
    belongs to a module of torch, whose `forward` reads it by itself.
    """
    constants: dict[str, list[ConstantOp]] = {}
    for op in entry.walk():
        if isinstance(op, ConstantOp) and op.result.uses:
            value = from_attr(op.value)
            if isinstance(value, ParamRef):
                constants.setdefault(value.path, []).append(op)
    for path, ops in constants.items():
        uses = [use for op in ops for use in op.result.uses]
        holders = world.holders(path)
        if any(map(_writes, uses)) and holders and not world.is_shared(path):
            key = holders[0]
            if not world.is_leaf(key[0]):
                _name(uses, key)


def _writes(use: Use) -> bool:
    """Whether an op writes to this operand and gives it back."""
    op = use.operation
    match op:
        case InplaceOp():
            return use.index == 0
        case InvokeOp():
            return use.index == 0 and _is_in_place(op.method.data)
        case CallOp():
            callee = op.callee.owner
            known = from_attr(callee.value) if isinstance(callee, ConstantOp) else None
            in_place = isinstance(known, GlobalRef) and _is_in_place(known.name)
            return in_place and use.index == 1
        case _:
            return False


def _is_in_place(name: str) -> bool:
    return name.endswith("_") and not name.endswith("__")


def _name(uses: list[Use], key: Key) -> None:
    for use in uses:
        op = use.operation
        read = GetattrOp(_object(op, key), key[1])
        read.location = op.location
        edit.move_before(op, [read])
        read.result.name_hint = key[1]
        writes = _writes(use)
        op.operands[use.index] = read.result
        if writes:
            after = op.next_op
            assert after is not None  # a value op is not the last of its block
            write = SetattrOp(_object(after, key), key[1], op.results[0])
            write.location = op.location
            edit.move_before(after, [write])


def _object(anchor: Operation, key: Key) -> SSAValue:
    constant = ConstantOp(to_attr(ObjectRef(key[0])))
    constant.location = anchor.location
    edit.move_before(anchor, [constant])
    return constant.result
