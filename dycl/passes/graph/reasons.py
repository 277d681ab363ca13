"""Why a host function, or a part of it, cannot be one graph: each op that has to stay
on the host."""

from collections.abc import Iterator

from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    MemRefType,
    StringAttr,
)
from xdsl.ir import Operation, SSAValue

import dycl.ir as d
from dycl.ir import host
from dycl.ir.dialect.effects import CHECKS
from dycl.ir.graph.rules import computes, why_not_on_device
from dycl.ir.host.types import NUMBERS, is_static
from dycl.ir.interfaces import RegionTerminator, is_inside
from dycl.ir.walking import walk

_MEMORY = (host.ParamOp, host.AllocOp, host.ViewOp, host.KeepOp, host.LaunchOp)
_CONTROL = (d.IfOp, d.ScopeOp, d.WhileOp)
_ENDS = (
    *(d.YieldOp, d.ConditionOp, d.BreakOp, d.ContinueOp, d.LeaveOp),
    *(d.ReturnOp, d.RaiseOp, d.UnreachableOp),
)
Reason = tuple[Operation, str]


def reasons(func: host.FuncOp, limited: bool = False) -> Iterator[Reason]:
    """Each op of a host function that no device can run, and why.

    `limited`: loops have a limit, which the host counts to.
    """
    for argument in func.body.block.args:
        if why := _why_not_held(argument):
            yield func, f"an input {why}"
    for op in walk(func.body):
        yield from ((op, why) for why in _of_op(op, func, limited))


def reasons_of(whole: Operation, limited: bool = False) -> Iterator[Reason]:
    """Why no graph has an op, with all that is inside; `limited` as above."""
    for op in walk(whole):
        yield from ((op, why) for why in _of_op(op, whole, limited))
        for value in op.operands:
            owner = value.owner
            if isinstance(owner, d.ConstantOp) or is_inside(value, whole):
                continue
            if why := _why_not_held(value):
                yield op, f"{op.name} takes what {why}"
        if isinstance(op, RegionTerminator) and not isinstance(op, d.ReturnOp):
            target = op.target
            if target is not None and not whole.is_ancestor(target):
                yield op, "a jump leads elsewhere"


def is_check(op: Operation) -> bool:
    """Whether an effect only raises, if a bool is false."""
    return isinstance(op, d.EffectOp) and op.function_name in CHECKS.values()


def _of_op(op: Operation, whole: Operation, limited: bool) -> Iterator[str]:
    match op:
        case d.WhileOp() if limited and not op.is_rolled:
            yield "the host counts to the limit of a loop"
        case d.WhileOp() if any(map(_is_open, op.initial)):
            yield "a loop hands on a tensor whose size may grow"
        case d.ConstantOp():
            # One that is a tensor is memory; a text is used where a run ends.
            pass
        case d.EffectOp():
            if not is_check(op) and not _is_in_branch(op, whole):
                yield f"`{op.function_name}` is called on the host"
        case d.FormatOp():
            if not all(_ends_a_run(use.operation) for use in op.result.uses):
                yield "texts are made on the host"
        case d.ReturnOp():
            yield from _of_return(op)
        case host.LaunchOp() | d.RaiseOp() | d.UnreachableOp():
            pass
        case d.DimOp() if isinstance(op.operand.type, MemRefType):
            pass
        case host.ViewOp() if not is_static(op.result.type):
            yield "a view has a size that only a run decides"
        case _ if isinstance(op, (*_MEMORY, *_CONTROL, *_ENDS)) or computes(op):
            why = why_not_on_device(op) if computes(op) else None
            if why is not None:
                yield why
        case d.SequenceOp() | d.AppendOp() | d.ExtendOp() | d.GetOp() | d.LengthOp():
            yield "a list whose length the data decides is on the host"
        case d.TakeOp():
            yield "a list whose length the data decides is on the host"
        case d.LocalFunctionOp() | d.LocalCallOp() | d.LocalReturnOp():
            yield "a function that calls itself runs on the host"
        case _:
            yield f"{op.name} is an op of the host"
    if isinstance(op, d.ConstantOp | d.RaiseOp | d.EffectOp | d.FormatOp):
        return
    arguments = [a for region in op.regions for a in region.block.args]
    for value in (*op.results, *arguments):
        if why := _why_not_held(value):
            yield f"{op.name} gives what {why}"


def _of_return(op: d.ReturnOp) -> Iterator[str]:
    for value in op.values:
        is_plain = isinstance(value.owner, d.ConstantOp)
        if _why_not_held(value) and not is_plain:
            yield f"a value of type {value.type} is returned by the host"


def _is_open(value: SSAValue) -> bool:
    return isinstance(value.type, MemRefType) and not is_static(value.type)


def _why_not_held(value: SSAValue) -> str | None:
    """Why a value has no place on the device, as the end of a sentence."""
    kind = value.type
    if isinstance(kind, MemRefType):
        return None
    return None if kind in NUMBERS else f"is of type {kind}"


def _is_in_branch(op: Operation, whole: Operation) -> bool:
    """Whether there are runs of `whole` that do not get to an op inside."""
    around: Operation | None = op
    while around is not None and around is not whole:
        around = around.parent_op()
        if isinstance(around, d.IfOp):
            return True
    return False


def _ends_a_run(op: Operation) -> bool:
    return isinstance(op, d.RaiseOp | d.EffectOp | d.FormatOp)


def is_number_constant(value: SSAValue) -> bool:
    """Whether a value is a number that is known."""
    owner = value.owner
    return (
        isinstance(owner, d.ConstantOp)
        and not isinstance(owner.value, DenseIntOrFPElementsAttr | StringAttr)
        and value.type in NUMBERS
    )
