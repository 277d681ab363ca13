"""What each value op means: one Python function, used by everybody.

The interpreter runs it on real values, constant propagation on what is known at compile
time, shape inference on fake tensors. So the three cannot disagree.
"""

from collections.abc import Callable, Sequence
from typing import Any, cast

from xdsl.ir import Operation

from dycl.ir.builtin_nodes import constructor_of, field_of, has_attribute, has_field
from dycl.ir.dialect import (
    AppendOp,
    BinaryOp,
    CallOp,
    CastOp,
    CheckedOp,
    CompareOp,
    ConcatOp,
    ConstantOp,
    DictOp,
    DimOp,
    ExtendOp,
    FieldOp,
    FormatOp,
    GetattrOp,
    GetOp,
    HasAttributeOp,
    HasFieldOp,
    IdentityOp,
    InplaceOp,
    InvokeOp,
    IsNodeOp,
    ItemOp,
    LengthOp,
    ListOp,
    PositionOp,
    RecordOp,
    RefineOp,
    SameNodeOp,
    ScalarOp,
    SelectOp,
    SequenceOp,
    SliceOp,
    SubscriptOp,
    TakeOp,
    TensorOp,
    ToBoolOp,
    ToListOp,
    TupleOp,
    UnaryOp,
    UnpackOp,
    UpdateSubscriptOp,
)
from dycl.ir.dialect.model import INDEX_ERROR, INPUT_ERROR
from dycl.ir.environment import Environment
from dycl.ir.equality import by_equality, compare, dict_of
from dycl.ir.not_evaluated import NotEvaluated
from dycl.ir.object_texts import refuse_format, refuse_percent, refuse_text_of
from dycl.ir.operators import BINARY, INPLACE, UNARY
from dycl.ir.records import Record
from dycl.ir.special_methods import special_methods
from dycl.ir.unpacking import position, split_arguments, starred
from dycl.ir.updates import update
from dycl.ir.values import GlobalRef, LoggerRef, ObjectRef, from_attr


def evaluate(
    op: Operation, operands: Sequence[object], environment: Environment
) -> list[object]:
    """The results of a value op, given its operands' values.

    Raises NotEvaluated when the op is no value op or calls the user's own code, and
    whatever Python raises for the operation itself.
    """
    for index, operand in enumerate(operands):
        if isinstance(operand, Record):
            environment.refuse_special(operand, *special_methods(op, index))
    handler = _HANDLERS.get(type(op))
    if handler is None and isinstance(op, (ScalarOp, TensorOp)):
        _refuse_objects(list(operands), environment)
        return [op.evaluate(*map(environment.resolve, operands))]
    if handler is None:
        raise NotEvaluated(f"{op.name} is not evaluated here")
    return handler(op, list(operands), environment)


def _constant(
    op: Operation, operands: list[Any], environment: Environment
) -> list[object]:
    return [from_attr(cast(ConstantOp, op).value)]


def _unary(
    op: Operation, operands: list[Any], environment: Environment
) -> list[object]:
    kind = cast(UnaryOp, op).kind_name
    if kind == "not":
        return [not environment.to_bool(operands[0])]
    _refuse_objects(operands, environment)
    return [UNARY[kind](environment.resolve(operands[0]))]


def _binary(
    op: Operation, operands: list[Any], environment: Environment
) -> list[object]:
    _refuse_objects(operands, environment)
    if cast(BinaryOp, op).kind_name == "mod":
        refuse_percent(operands[0], operands[1], environment)
    lhs, rhs = map(environment.resolve, operands)
    return [BINARY[cast(BinaryOp, op).kind_name](lhs, rhs)]


def _refuse_objects(operands: list[Any], environment: Environment) -> None:
    """An operator of an object is a method of the user's, which is not called."""
    for operand in operands:
        if isinstance(operand, ObjectRef) and "__data__" not in environment.members(
            operand.path
        ):
            kind = environment.class_name(operand.path)
            what = f"an operator of {kind} cannot be compiled"
            raise NotEvaluated(f"{what}; if it is a method, call that by its name")


def _inplace(
    op: Operation, operands: list[Any], environment: Environment
) -> list[object]:
    lhs, rhs = operands
    _refuse_objects(operands[:1] if isinstance(lhs, list) else operands, environment)
    if not isinstance(lhs, list):  # a list is changed itself, never a copy of it
        lhs, rhs = environment.resolve(lhs), environment.resolve(rhs)
    return [INPLACE[cast(InplaceOp, op).kind_name](lhs, rhs)]


WHICH = "dycl.which"
"""On a `dycl.compare` that asks which of several things an attribute is."""


def _compare(
    op: Operation, operands: list[Any], environment: Environment
) -> list[object]:
    lhs, rhs = operands
    is_known = WHICH in op.attributes or not isinstance(lhs, ObjectRef)
    if not is_known and lhs in (rhs if isinstance(rhs, (tuple, list)) else (rhs,)):
        environment.refuse_kept(cast(ObjectRef, lhs))
    return [compare(cast(CompareOp, op).kind_name, lhs, rhs, environment)]


def _to_bool(
    op: Operation, operands: list[Any], environment: Environment
) -> list[object]:
    return [environment.to_bool(environment.resolve(operands[0]))]


def _getattr(
    op: Operation, operands: list[Any], environment: Environment
) -> list[object]:
    return [environment.getattr(operands[0], cast(GetattrOp, op).attribute.data)]


def _call(op: Operation, operands: list[Any], environment: Environment) -> list[object]:
    args, kwargs = split_arguments(cast(CallOp, op), operands[1:], environment)
    refuse_text_of(operands[0], args, environment)
    return [environment.call(operands[0], args, kwargs)]


_FINDS = ("count", "get", "index")  # what is equal to their argument


def _invoke(
    op: Operation, operands: list[Any], environment: Environment
) -> list[object]:
    invoke = cast(InvokeOp, op)
    args, kwargs = split_arguments(invoke, operands[1:], environment)
    receiver = operands[0]
    if not isinstance(receiver, (ObjectRef, GlobalRef, LoggerRef, list, dict)):
        receiver = environment.resolve(receiver)
    if isinstance(receiver, (list, dict)) and invoke.method.data in _FINDS:
        receiver, *args[:1] = (
            by_equality(environment, v) for v in [receiver, *args[:1]]
        )
    refuse_format(invoke.method.data, receiver, args, kwargs, environment)
    method = environment.getattr(receiver, invoke.method.data)
    return [environment.call(method, args, kwargs)]


def _format(
    op: Operation, operands: list[Any], environment: Environment
) -> list[object]:
    form = cast(FormatOp, op)
    args, kwargs = split_arguments(form, operands, environment)
    refuse_format("format", form.template_text, args, kwargs, environment)
    return [form.template_text.format(*args, **kwargs)]


def _subscript(
    op: Operation, operands: list[Any], environment: Environment
) -> list[object]:
    return [environment.subscript(operands[0], environment.resolve(operands[1]))]


def _update_subscript(
    op: Operation, operands: list[Any], environment: Environment
) -> list[object]:
    root, *path, value = map(environment.resolve, operands)
    kind = cast(UpdateSubscriptOp, op).kind_name
    update(root, path, value, None if kind is None else INPLACE[kind])
    return [root]


def _position(
    op: Operation, operands: list[Any], environment: Environment
) -> list[object]:
    position_op = cast(PositionOp, op)
    return [position(operands[0], position_op.known_keys, position_op.error.data)]


def _tuple(
    op: Operation, operands: list[Any], environment: Environment
) -> list[object]:
    return [tuple(operands)]


def _record(
    op: Operation, operands: list[Any], environment: Environment
) -> list[object]:
    return [
        Record(cast(RecordOp, op).record_type, tuple(environment.iterate(operands[0])))
    ]


def _list(op: Operation, operands: list[Any], environment: Environment) -> list[object]:
    return [list(operands)]


def _dict(op: Operation, operands: list[Any], environment: Environment) -> list[object]:
    pairs = zip(operands[::2], operands[1::2], strict=True)
    return [dict_of(environment, pairs)]


def _slice(
    op: Operation, operands: list[Any], environment: Environment
) -> list[object]:
    return [slice(*operands)]


def _unpack(
    op: Operation, operands: list[Any], environment: Environment
) -> list[object]:
    items = environment.iterate(operands[0])
    unpack = cast(UnpackOp, op)
    want = len(unpack.items)
    if unpack.star is not None:
        return starred(items, want, unpack.star.data)
    if len(items) != want:
        raise ValueError(f"expected {want} values to unpack, got {len(items)}")
    return items


def _select(
    op: Operation, operands: list[Any], environment: Environment
) -> list[object]:
    return [operands[1] if operands[0] else operands[2]]


def _item(op: Operation, operands: list[Any], environment: Environment) -> list[object]:
    value = operands[0]
    return [value.item() if hasattr(value, "item") else value]


def _append(
    op: Operation, operands: list[Any], environment: Environment
) -> list[object]:
    return [[*operands[0], environment.resolve(operands[1])]]


def _extend(
    op: Operation, operands: list[Any], environment: Environment
) -> list[object]:
    return [[*operands[0], *operands[1]]]


def _sequence(
    op: Operation, operands: list[Any], environment: Environment
) -> list[object]:
    return [[environment.resolve(operand) for operand in operands]]


def _dim(op: Operation, operands: list[Any], environment: Environment) -> list[object]:
    return [operands[0].shape[cast(DimOp, op).dimension]]


def _checked(
    op: Operation, operands: list[Any], environment: Environment
) -> list[object]:
    if not operands[1]:
        message = cast(CheckedOp, op).message.data
        if message.startswith(INDEX_ERROR):
            raise IndexError(message.removeprefix(INDEX_ERROR))
        if message.startswith(INPUT_ERROR):
            raise ValueError(f"{message.removeprefix(INPUT_ERROR)} (DY601)")
        raise RuntimeError(message)
    return [operands[0]]


def _same(op: Operation, operands: list[Any], environment: Environment) -> list[object]:
    return [operands[0]]


def _length(
    op: Operation, operands: list[Any], environment: Environment
) -> list[object]:
    return [len(operands[0])]


def _get(op: Operation, operands: list[Any], environment: Environment) -> list[object]:
    return [operands[0][operands[1]]]


def _concat(
    op: Operation, operands: list[Any], environment: Environment
) -> list[object]:
    import torch

    concat = cast(ConcatOp, op)
    if concat.kind_name == "tensor":
        return [torch.tensor(operands[0])]
    if concat.kind_name == "index":
        return [torch.tensor(operands[0], dtype=torch.int64)]
    function = torch.stack if concat.kind_name == "stack" else torch.cat
    return [function(operands[0], concat.dimension)]


def _to_list(
    op: Operation, operands: list[Any], environment: Environment
) -> list[object]:
    return [operands[0].tolist()]


_HANDLERS: dict[type[Operation], Callable[..., list[object]]] = {
    ConstantOp: _constant,
    UnaryOp: _unary,
    BinaryOp: _binary,
    InplaceOp: _inplace,
    CompareOp: _compare,
    ToBoolOp: _to_bool,
    GetattrOp: _getattr,
    CallOp: _call,
    InvokeOp: _invoke,
    PositionOp: _position,
    SubscriptOp: _subscript,
    TupleOp: _tuple,
    RecordOp: _record,
    ListOp: _list,
    SequenceOp: _sequence,
    AppendOp: _append,
    ExtendOp: _extend,
    TakeOp: lambda _, operands, __: [operands[0][slice(*operands[1:])]],
    LengthOp: _length,
    CastOp: _same,
    RefineOp: _same,
    CheckedOp: _checked,
    DimOp: _dim,
    GetOp: _get,
    FieldOp: lambda op, v, _: [field_of(v[0], cast(FieldOp, op).field_name)],
    HasFieldOp: lambda op, v, _: [has_field(v[0], cast(HasFieldOp, op).field_name)],
    HasAttributeOp: lambda op, v, _: [
        has_attribute(v[0], cast(HasAttributeOp, op).field_name)
    ],
    IsNodeOp: lambda op, v, _: [constructor_of(v[0]) in cast(IsNodeOp, op).names],
    IdentityOp: _same,
    SameNodeOp: lambda _, v, __: [v[0] is v[1]],
    ConcatOp: _concat,
    ToListOp: _to_list,
    DictOp: _dict,
    FormatOp: _format,
    SliceOp: _slice,
    UnpackOp: _unpack,
    UpdateSubscriptOp: _update_subscript,
    SelectOp: _select,
    ItemOp: _item,
}
