"""`dycl-infer-shapes`: writes shapes, dtypes and kinds into the types of values.

Before                        After
------                        -----
%s = dycl.getattr %x "shape"  dycl.return %two
%n = dycl.call %len(%s)
dycl.return %n

Needs:  an entry function whose tensor inputs have types.
Leaves: types wherever shape and dtype follow from those of the inputs; what a
        tensor's shape decides is a constant.
Skips:  `for` loops, calls of the user's functions, and all that derives from them:
        later rounds may know more; what a `while` carries when an iteration changes its
        type. What stays untyped is refused by `dycl-check-typed`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, BlockArgument, Operation, OpResult, SSAValue, Use
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from dycl.analysis.dynamic_sizes.ranges import is_of_inputs
from dycl.analysis.manager import analyses_of
from dycl.analysis.tensors.abstract import (
    VALUE,
    Scalar,
    Tensor,
    is_unjoined,
    type_of,
)
from dycl.analysis.tensors.shapes import Inference, infer
from dycl.ir import (
    AppendOp,
    CastOp,
    ConstantOp,
    ExtendOp,
    GetattrOp,
    IfOp,
    InplaceOp,
    InvokeOp,
    ListOp,
    LocalCallOp,
    LocalReturnOp,
    ReturnOp,
    SelectOp,
    SequenceOp,
    SequenceType,
    TakeOp,
    TupleOp,
    UnboundOp,
    WhileOp,
)
from dycl.ir.dialect.local_functions import function_around
from dycl.ir.interfaces import RegionBranchOp, RegionTerminator, forwarded_from
from dycl.ir.rewriting import insert_after, insert_before, insert_value, replace
from dycl.ir.torch import DYNAMIC, VTensorType
from dycl.ir.values import DeviceRef, GlobalRef, NotAConstant, is_torch_size, to_attr
from dycl.ir.walking import walk
from dycl.passes.aggregates.known_items import READERS, take_operands_apart
from dycl.passes.aggregates.torch_sizes import rewrite_sizes
from dycl.passes.aggregates.torch_tuples import spread
from dycl.passes.checks.unbound_constants import raising_reads
from dycl.passes.lists.names import becomes


@dataclass(frozen=True)
class InferShapesPass(ModulePass):
    """Writes shapes, dtypes and kinds into the types of values."""

    name = "dycl-infer-shapes"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Type what can be typed; raises for nothing that the program does."""
        for inner in [o for o in walk(op) if isinstance(o, CastOp)]:
            replace(inner, [inner.operand])
        inference = analyses_of(ctx).get(infer, op)
        if rewrite_sizes(op, inference):
            inference = analyses_of(ctx).get(infer, op)
        results = [v for v in inference.values if isinstance(v, OpResult)]
        raising = analyses_of(ctx).get(raising_reads, op)
        assumed = inference.assumed()
        facts = [
            (result, None if is_open else _fact(result, inference))
            for result in results
            for is_open in [result.op in raising or result in assumed]
        ]
        carried = [v for v in inference.values if isinstance(v, BlockArgument)]
        for result, fact in facts:
            if fact is None:
                _write_type(result, inference)
            else:
                _fold(result, fact)
        for result in results:
            spread(result, inference)
        for argument in carried:
            _write_type(argument, inference)
        for loop, mismatches in inference.mismatches.items():
            for index in mismatches:
                _forget_type(loop, index)
        for loop, indices in inference.unsettled.items():
            for index in indices:
                _forget_type(loop, index)
        for control in [o for o in walk(op) if isinstance(o, _CONTROL)]:
            is_open = not assumed.isdisjoint(control.operands)
            if is_open and not isinstance(control, (IfOp, WhileOp)):
                continue
            if isinstance(control, IfOp):
                _type_unbound_of_if(control)
            elif isinstance(control, WhileOp):
                _type_unbound_of_while(control)
            elif isinstance(control, LocalReturnOp):
                for index, wanted in enumerate(_types_given(control)):
                    _type_unbound(control, index, wanted)
            else:
                take_operands_apart(control, inference)
        for inner in [o for o in walk(op) if isinstance(o, SequenceOp)]:
            if inner.items:
                _open_items(inner)
            else:
                _type_empty(inner)
        add_casts(op)


_CONTROL = (IfOp, LocalReturnOp, WhileOp, *READERS)


def _fact(result: OpResult, inference: Inference) -> ConstantOp | None:
    """The constant for what a tensor's shape, dtype or device decides, or None."""
    op = result.op
    outcome = None if type(op) is ConstantOp else inference.outcomes.get(op)
    if outcome is None or outcome.written or not result.uses:
        return None
    value = inference.of(result)
    plain = isinstance(value, (bool, int, float, str, GlobalRef, DeviceRef))
    plain = plain or (value is None and isinstance(op, GetattrOp))  # `y.grad`
    if not plain and not is_torch_size(value) and not _are_strides(op, value):
        return None
    if not any(_says_sizes(inference.of(operand)) for operand in op.operands):
        return None
    try:
        return ConstantOp(to_attr(value), type_of(value))
    except NotAConstant:
        return None


def _are_strides(op: Operation, value: object) -> bool:
    """Whether a value is what `x.stride()` gives."""
    if not isinstance(op, InvokeOp) or op.method.data != "stride":
        return False
    steps = cast("tuple[object, ...]", value) if isinstance(value, tuple) else (None,)
    return all(type(step) is int for step in steps)


def _fold(result: OpResult, constant: ConstantOp) -> None:
    op = result.op
    constant.result.name_hint = result.name_hint
    insert_after(op, constant)
    result.replace_all_uses_with(constant.result)


def _says_sizes(value: object) -> bool:
    """Whether a value is a tensor, or says sizes of one."""
    if isinstance(value, Scalar):
        return value.size is not None and is_of_inputs(value.size.text)
    return isinstance(value, Tensor) or is_torch_size(value) or _is_open(value)


def _is_open(value: object) -> bool:
    """Whether a value is the shape of a tensor of which the data decides a size."""
    return isinstance(value, tuple) and any(
        isinstance(item, Scalar) and item.size is not None
        for item in cast("tuple[object, ...]", value)
    )


def _write_type(value: OpResult | BlockArgument, inference: Inference) -> None:
    if isinstance(value.owner, UnboundOp):
        return
    inferred = type_of(inference.of(value))
    if isinstance(value, OpResult) and value.op in inference.settled:
        # The side that is never taken is still there, and may give another type.
        inferred = inferred if all(v.type == inferred for v in _given(value)) else VALUE
    # What its sides give may have lost its one type since the type was written.
    widened = isinstance(value, OpResult) and is_unjoined(inference.of(value))
    if inferred != value.type and (widened or inferred != VALUE):
        Rewriter.replace_value_with_new_type(value, inferred)


def _given(result: OpResult) -> list[SSAValue]:
    """What the ends of an `if` or a scope give for one of its results."""
    given = forwarded_from(result)
    return [value for value in given if not isinstance(value.owner, UnboundOp)]


def _forget_type(loop: WhileOp, index: int) -> None:
    """What an iteration changes has no one type."""
    blocks = (loop.before.block, loop.body.block)
    for value in (loop.results[index], *(block.args[index] for block in blocks)):
        Rewriter.replace_value_with_new_type(value, VALUE)


def _type_unbound_of_if(op: IfOp) -> None:
    """A name that one branch leaves unbound takes the type of the other branch."""
    for end in op.exits:
        for i, result in enumerate(op.results):
            _type_unbound(end, i, result.type)


def _type_unbound_of_while(op: WhileOp) -> None:
    """A name that is bound in the loop only has its type from the start."""
    for source in (op, *op.terminators):
        first = source.FORWARDED_FROM or 0
        for i, value in enumerate(op.region_successors(source)[-1].inputs):
            _type_unbound(source, first + i, value.type)


def add_casts(module: ModuleOp) -> None:
    """Where a tensor becomes one whose sizes are more open, say so by a cast."""
    for op in [o for o in walk(module) if isinstance(o, _WANTING)]:
        for index, operand in enumerate(op.operands):
            if not isinstance(operand.type, VTensorType):
                continue
            wanted = _tensor_wanted(op, index)
            if not isinstance(wanted, VTensorType) or operand.type == wanted:
                continue
            if isinstance(operand.owner, UnboundOp) or DYNAMIC not in (
                wanted.sizes() or ()
            ):
                continue
            cast = CastOp(operand, wanted)
            cast.result.name_hint = operand.name_hint
            insert_before(op, cast)
            op.operands[index] = cast.result


_WANTING = (RegionBranchOp, RegionTerminator, InplaceOp, SelectOp, SequenceOp, AppendOp)
"""Ops with results, or results around them, that an operand is a part of."""


def _tensor_wanted(op: Operation, index: int) -> Attribute | None:
    """The type that an operand is to have, if it is forwarded or kept in a list."""
    whole = op.results[0].type if op.results else None
    if isinstance(op, SelectOp) and index > 0:
        return whole
    if isinstance(op, LocalCallOp):
        return op.function.params[index].type
    if isinstance(op, LocalReturnOp):
        return _types_given(op)[index]
    if isinstance(op, SequenceOp) or (isinstance(op, AppendOp) and index == 1):
        return whole.element if isinstance(whole, SequenceType) else None
    return next((value.type for value in becomes(op, index)), None)


def _types_given(op: LocalReturnOp) -> Sequence[Attribute]:
    """The types of what calls of the function around an op are given."""
    function = function_around(op)
    for user in walk(_outermost(op)):
        if isinstance(user, LocalCallOp) and user.function is function:
            return user.result_types
    return op.operand_types


def _outermost(op: Operation) -> Operation:
    while (around := op.parent_op()) is not None and not isinstance(around, ModuleOp):
        op = around
    return op


def _type_empty(op: SequenceOp) -> None:
    """An empty list has the type of the list that it becomes."""
    for use in list(op.result.uses):
        wanted = _wanted(use.operation, use.index)
        if not isinstance(wanted, SequenceType):
            if op.result.type == VALUE and _is_returned(use.operation):
                _give_empty_list(use)
            continue
        if wanted == op.result.type:
            continue
        if op.result.has_one_use():
            Rewriter.replace_value_with_new_type(op.result, wanted)
            return
        own = SequenceOp([], wanted)
        own.result.name_hint = op.result.name_hint
        insert_before(use.operation, own, source=op)
        use.operation.operands[use.index] = own.result


def _open_items(op: SequenceOp) -> None:
    """A list that becomes one of tensors of more dynamic sizes is so at once."""
    for use in list(op.result.uses):
        wanted = _wanted(use.operation, use.index)
        if not isinstance(wanted, SequenceType) or op.result.type in (VALUE, wanted):
            continue
        own = SequenceOp(op.items, wanted)
        own.result.name_hint = op.result.name_hint
        insert_before(op, own)
        use.operation.operands[use.index] = own.result


def _is_returned(user: Operation) -> bool:
    """Whether a value is returned, maybe in a tuple."""
    if isinstance(user, TupleOp):
        return all(isinstance(use.operation, ReturnOp) for use in user.result.uses)
    return isinstance(user, ReturnOp)


def _give_empty_list(use: Use) -> None:
    """A list that is empty on this path, whatever the type of its items might be."""
    use.operation.operands[use.index] = insert_value(use.operation, ListOp([]))


def _wanted(user: Operation, index: int) -> Attribute | None:
    """The type of what an empty list becomes by this use of it."""
    if isinstance(user, (AppendOp, ExtendOp, TakeOp)):
        return user.results[0].type
    if isinstance(user, LocalReturnOp):
        return _types_given(user)[index]
    if isinstance(user, LocalCallOp):
        return user.function.params[index].type
    return next((value.type for value in becomes(user, index)), None)


def _type_unbound(user: Operation, index: int, wanted: Attribute) -> None:
    value = user.operands[index]
    if not isinstance(value.owner, UnboundOp) or value.type == wanted:
        return
    if value.has_one_use():
        Rewriter.replace_value_with_new_type(value, wanted)
        return
    unbound = UnboundOp(value.owner.variable.data, wanted)
    unbound.result.name_hint = value.name_hint
    insert_before(user, unbound, source=value.owner)
    user.operands[index] = unbound.result
