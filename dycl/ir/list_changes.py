"""Whether a list or dict of the model may be changed through a name that it has.

It is conservative: what a method or a function that is not in sight does to it may be
anything. A function that is in the module is asked what it does with its parameter.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, SSAValue, Use

from dycl.ir.constant_values import constant_name, constant_value
from dycl.ir.dialect import (
    BinaryOp,
    CallOp,
    CompareOp,
    ConstantOp,
    ForOp,
    GetattrOp,
    IfOp,
    InplaceOp,
    InvokeOp,
    ReturnOp,
    SetattrOp,
    StoreSubscriptOp,
    SubscriptOp,
    TupleOp,
    UnaryOp,
    UnpackOp,
    WhileOp,
    YieldOp,
)
from dycl.ir.dialect.calls import CallLike
from dycl.ir.dialect.syntax import VALUE
from dycl.ir.interfaces import forwarded_from, forwarded_to
from dycl.ir.values import FunctionRef

_READING_METHODS = frozenset(
    (
        *("copy", "count", "difference", "get", "index", "intersection", "isdisjoint"),
        *("issubset", "issuperset", "items", "keys", "union", "values"),
    )
)
_LEVELS = {"get": -1, "items": 1}
"""What a method gives lies this much deeper than what it is asked of, or less deep."""
_HANDING_ON = ("dycl.tuple", "dycl.list", "dycl.dict", "dycl.select")
_ENDS = ("dycl.yield", "dycl.leave", "dycl.break", "dycl.continue", "dycl.condition")


@dataclass(frozen=True)
class Names:
    """What the functions that a run may reach have names for."""

    methods: frozenset[str]
    """The user's methods."""
    attributes_set: frozenset[str]


def may_change(
    value: SSAValue,
    depth: int,
    names: Names,
    function: FuncOp,
    asked: frozenset[SSAValue] = frozenset(),
) -> bool:
    """Whether a list or dict may be changed through this name, or kept by another.

    `depth`: how deep lists and dicts are inside, 0 where the items are none. `asked`:
    parameters of functions around, of which it is asked already.
    """
    for use in value.uses:
        op, index = use.operation, use.index
        if isinstance(op, CallLike) and op.takes_apart(index) and not depth:
            continue
        if (taken := _taken_out(op, index, names)) is not None:
            values, step = taken
            if depth and any(
                may_change(v, depth + step, names, function, asked) for v in values
            ):
                return True
            continue
        if carried := forwarded_to(op, index) if isinstance(op, _LOOPS) else ():
            if any(may_change(v, depth, names, function, asked) for v in carried):
                return True
            continue
        match op:
            case InvokeOp():
                if index == 0 or op.method.data in names.methods:
                    return True
            case CallOp():
                if _callee_may_change(op, index, depth, names, function, asked):
                    return True
            case StoreSubscriptOp() | InplaceOp():
                if index != 1:
                    return True
            case SetattrOp():
                return True
            case ReturnOp() if "dycl.entry" not in function.attributes:
                return True
            case TupleOp() if all(map(_is_index, op.result.uses)):
                pass
            case YieldOp() if isinstance(branch := op.parent_op(), IfOp):
                result = branch.results[index]
                if may_change(result, depth, names, function, asked):
                    return True
            case _:
                if op.name in _HANDING_ON or op.name in _ENDS:
                    return True
    return False


_LOOPS = (ForOp, WhileOp)


def _taken_out(
    op: Operation, index: int, names: Names
) -> tuple[Sequence[SSAValue], int] | None:
    """What an op that reads a list or dict gives of it, and how much deeper that lies.

    None: it does something else with its operand of this number.
    """
    match op:
        case SubscriptOp():
            if index == 1:
                return (), 0
            return op.results, -int(not _may_be_slice(op.index, names, set()))
        case UnpackOp():
            return op.results, -int(op.star is None)
        case ForOp() if index == 0:
            return (op.item,), -1
        case InvokeOp() if index == 0 and op.method.data in _READING_METHODS:
            return op.results, _LEVELS.get(op.method.data, 0)
        case _:
            return None


def _may_be_slice(index: SSAValue, names: Names, seen: set[SSAValue]) -> bool:
    """Whether what is in brackets may ask for several items, which are another list."""
    owner = index.owner
    if index.type != VALUE or index in seen:
        return False
    seen.add(index)
    match owner:
        case ConstantOp():
            return isinstance(constant_value(index), slice)
        case BinaryOp() | CompareOp() | InplaceOp() | UnaryOp():
            return False
        case SubscriptOp() | UnpackOp():
            return _may_hold_slices(owner.operand, names, seen)
        case InvokeOp() if owner.method.data == "get":
            in_default = any(_may_be_slice(v, names, seen) for v in owner.arguments[1:])
            return in_default or _may_hold_slices(owner.receiver, names, seen)
        case InvokeOp():
            return owner.method.data != "item"
        case Block() if isinstance(loop := owner.parent_op(), ForOp):
            if index is loop.item:
                return _may_hold_slices(loop.iterable, names, seen)
        case _:
            pass
    before = forwarded_from(index)
    return not before or any(_may_be_slice(v, names, seen) for v in before)


def _may_hold_slices(value: SSAValue, names: Names, seen: set[SSAValue]) -> bool:
    """Whether a list or dict may have slices inside; those of the model have none."""
    owner = value.owner
    match owner:
        case ConstantOp():
            return False
        case GetattrOp():
            return owner.attribute.data in names.attributes_set
        case InvokeOp() if owner.method.data == "get":
            return _may_be_slice(value, names, seen)
        case InvokeOp():
            return owner.method.data != "tolist"
        case SubscriptOp():
            return _may_hold_slices(owner.operand, names, seen)
        case _:
            return True


def _callee_may_change(
    op: CallOp,
    index: int,
    depth: int,
    names: Names,
    function: FuncOp,
    asked: frozenset[SSAValue],
) -> bool:
    """Whether the function that is called may change what it is given there."""
    if index == 0 or constant_name(op.callee):
        return False
    param = _parameter(op, index, function)
    if param is None:
        return True
    if param in asked:
        return False
    callee = cast(FuncOp, cast(Block, param.owner).parent_op())
    return may_change(param, depth, names, callee, asked | {param})


def _parameter(op: CallOp, index: int, function: FuncOp) -> SSAValue | None:
    """What an operand is in the function that is called; None: that is not known."""
    callee, module = constant_value(op.callee), function.parent_op()
    if not isinstance(callee, FunctionRef) or module is None:
        return None
    target = next(
        (
            one
            for one in module.regions[0].block.ops
            if isinstance(one, FuncOp) and one.sym_name.data == callee.symbol
        ),
        None,
    )
    if target is None or op.is_starred or op.keyword_names:
        return None
    if not _OTHER_PARAMETERS.isdisjoint(target.attributes):
        return None
    args = target.body.block.args
    return args[index - 1] if len(args) == len(op.positional) else None


_OTHER_PARAMETERS = frozenset(("dycl.vararg", "dycl.kwarg", "dycl.keyword_only"))
"""Attributes of functions whose parameters are not the operands of a call in order."""


def _is_index(use: Use) -> bool:
    """Whether a use is the index of what is read or written: `x[:, [2, 0, 1]]`."""
    return isinstance(use.operation, SubscriptOp | StoreSubscriptOp) and use.index == 1
