"""Lists that hold ints whatever the data says: as an index they have one shape.

`x[inds]` has the shape `(n, *x.shape[1:])` for a flat list of ints, be it of unknown
length. That is said before the list and the loop that fills it are understood: what the
loop goes over may have a shape that follows from `x[inds]` itself.
"""

from xdsl.ir import Block, Operation, SSAValue

from dycl.ir import (
    BinaryOp,
    CallOp,
    ConstantOp,
    ForOp,
    InvokeOp,
    ListOp,
    SubscriptOp,
    UnpackOp,
)
from dycl.ir.constant_values import constant_name, constant_value
from dycl.ir.torch import IntT


def is_list_of_ints(value: SSAValue) -> bool:
    """Whether a value is a list that never holds anything but ints."""
    owner = value.owner
    match owner:
        case ListOp():
            items = all(map(_is_int, owner.items))
            return items and all(_keeps_ints(u.operation, u.index) for u in value.uses)
        case CallOp() if _called(owner) in ("builtins.list", "builtins.sorted"):
            return len(owner.operands) == 2 and _gives_ints(owner.operands[1])
        case _:
            return False


def _keeps_ints(op: Operation, index: int) -> bool:
    """Whether a use of a list leaves it one of ints, and gives it no other name."""
    match op:
        case InvokeOp() if index == 0 and op.method.data == "append":
            return len(op.operands) == 2 and _is_int(op.operands[1])
        case InvokeOp() if index == 0:
            return op.method.data in ("copy", "count", "index", "clear", "pop")
        case CallOp() if index > 0:
            return _called(op) is not None
        case SubscriptOp():
            return True
        case _:
            return op.name in (
                "dycl.compare",
                "dycl.to_bool",
                "dycl.for",
                "dycl.return",
            )


def _gives_ints(value: SSAValue) -> bool:
    """Whether all items of an iterable are ints."""
    owner = value.owner
    match owner:
        case CallOp() if _called(owner) == "builtins.range":
            return True
        case CallOp() if _called(owner) in ("builtins.set", "builtins.list"):
            return len(owner.operands) == 2 and _gives_ints(owner.operands[1])
        case BinaryOp() if owner.kind_name in ("sub", "and"):
            return _is_set(owner.lhs) and _gives_ints(owner.lhs)
        case _:
            return is_list_of_ints(value)


def _is_set(value: SSAValue) -> bool:
    return isinstance(value.owner, CallOp) and _called(value.owner) == "builtins.set"


def _is_int(value: SSAValue) -> bool:
    """Whether a value is an int: by its type, or as a counter of a loop."""
    owner = value.owner
    if value.type == IntT:
        return True
    if isinstance(owner, ConstantOp):
        return type(constant_value(value)) is int
    if isinstance(owner, UnpackOp):
        item = owner.operand
        return owner.results[0] is value and _item_of(item) == "builtins.enumerate"
    return _item_of(value) == "builtins.range"


def _item_of(value: SSAValue) -> str | None:
    """The function of Python's over whose result a loop goes, if this is its item."""
    block = value.owner
    loop = block.parent_op() if isinstance(block, Block) else None
    if not isinstance(loop, ForOp) or loop.item is not value:
        return None
    iterable = loop.iterable.owner
    return _called(iterable) if isinstance(iterable, CallOp) else None


def _called(op: CallOp) -> str | None:
    """Python's function that a call is of."""
    name = constant_name(op.callee)
    return name if name.startswith("builtins.") and name != "builtins.map" else None
