"""Whether a list or dict of the model may be changed through a name that it has.

It is conservative: what a method or a function that is not in sight does to it may be
anything. A function that is in the module is asked what it does with its parameter.
"""

from typing import cast

from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, SSAValue, Use

from dycl.ir.constant_values import constant_name, constant_value
from dycl.ir.dialect import (
    CallOp,
    ForOp,
    IfOp,
    InplaceOp,
    InvokeOp,
    ReturnOp,
    SetattrOp,
    StoreSubscriptOp,
    SubscriptOp,
    TupleOp,
    UnpackOp,
    YieldOp,
)
from dycl.ir.dialect.calls import CallLike
from dycl.ir.values import FunctionRef

_READING_METHODS = frozenset(
    (
        *("copy", "count", "difference", "get", "index", "intersection", "isdisjoint"),
        *("issubset", "issuperset", "items", "keys", "union", "values"),
    )
)
_HANDING_ON = ("dycl.tuple", "dycl.list", "dycl.dict", "dycl.select")
_ENDS = ("dycl.yield", "dycl.leave", "dycl.break", "dycl.continue", "dycl.condition")


def may_change(
    value: SSAValue,
    nested: bool,
    methods: set[str],
    function: FuncOp,
    asked: frozenset[SSAValue] = frozenset(),
) -> bool:
    """Whether a list or dict may be changed through this name, or kept by another.

    `asked`: parameters of functions around, of which it is asked already.
    """
    for use in value.uses:
        op, index = use.operation, use.index
        if isinstance(op, CallLike) and op.takes_apart(index) and not nested:
            continue
        match op:
            case InvokeOp() if index == 0:
                if op.method.data not in _READING_METHODS:
                    return True
                inner = op.results
            case InvokeOp():
                if op.method.data in methods:
                    return True
                inner = ()
            case CallOp():
                if _callee_may_change(op, index, nested, methods, function, asked):
                    return True
                inner = ()
            case StoreSubscriptOp() | InplaceOp():
                if index != 1:
                    return True
                inner = ()
            case SetattrOp():
                return True
            case ReturnOp() if "dycl.entry" not in function.attributes:
                return True
            case SubscriptOp() | UnpackOp():
                inner = op.results
            case ForOp():
                inner = (op.item,)
            case TupleOp() if all(map(_is_index, op.result.uses)):
                inner = ()
            case YieldOp() if isinstance(branch := op.parent_op(), IfOp):
                result = branch.results[index]
                if may_change(result, nested, methods, function, asked):
                    return True
                inner = ()
            case _ if op.name in _HANDING_ON or op.name in _ENDS:
                return True
            case _:
                inner = ()
        if nested and any(may_change(v, True, methods, function, asked) for v in inner):
            return True
    return False


def _callee_may_change(
    op: CallOp,
    index: int,
    nested: bool,
    methods: set[str],
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
    return may_change(param, nested, methods, callee, asked | {param})


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
