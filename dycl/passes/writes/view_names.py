"""Views of a part become subscripts: `y.select(1, k)` is `y[:, k]`.

Before                                     After
------                                     -----
%y = dycl.invoke %x "exp"()                %y = dycl.invoke %x "exp"()
%v = dycl.invoke %y "select"(%one, %zero)  %0 = dycl.slice(%none, %none, %none)
%w = dycl.invoke %v "relu_"()              %1 = dycl.tuple(%0, %zero)
dycl.return %y                             %v = dycl.subscript %y[%1]
                                           %2 = dycl.invoke %v "clone"()
                                           %w = dycl.invoke %2 "relu_"()
                                           %y_1 = dycl.update_subscript %y[%1], %w
                                           dycl.return %y_1

So are `narrow`, `unbind`, `split`, `chunk` and their functions in `torch`, whose parts
are a tuple. Done where a tensor is written to in place: a write to a part by subscript
is one that can be followed.
"""

from collections.abc import Iterable

from xdsl.ir import Operation, SSAValue

from dycl.analysis.tensors.abstract import Tensor, kind_of
from dycl.analysis.tensors.shapes import Inference
from dycl.ir import (
    CallOp,
    InvokeOp,
    SliceOp,
    SubscriptOp,
    TupleOp,
    UnpackOp,
)
from dycl.ir.rewriting import insert_constant, insert_value, replace
from dycl.ir.unpacking import split_arguments
from dycl.ir.values import GlobalRef

_PARTS = ("chunk", "narrow", "select", "split", "tensor_split", "unbind")


def name_parts(ops: Iterable[Operation], inference: Inference) -> bool:
    """Write views of parts among `ops` as subscripts, where sizes are known; any?"""
    done = False
    for op in list(ops):
        if not isinstance(op, (CallOp, InvokeOp)):
            continue
        outcome = inference.outcomes.get(op)
        name, whole = _called(op, inference)
        tensor = inference.of(whole) if whole is not None else None
        if name not in _PARTS or outcome is None or outcome.written:
            continue
        if whole is None or not isinstance(tensor, Tensor) or not tensor.is_static:
            continue
        done = _expand(op, name, whole, tensor, outcome.results[0], inference) or done
    return done


def _called(op: CallOp | InvokeOp, inference: Inference) -> tuple[str, SSAValue | None]:
    if isinstance(op, InvokeOp):
        return op.method.data, op.receiver
    callee = inference.of(op.callee)
    if not isinstance(callee, GlobalRef) or not op.positional:
        return "", None
    module, _, name = callee.name.rpartition(".")
    return name if module == "torch" else "", op.positional[0]


def _expand(
    op: CallOp | InvokeOp,
    name: str,
    whole: SSAValue,
    tensor: Tensor,
    result: object,
    inference: Inference,
) -> bool:
    given = [inference.of(v) for v in op.operands[1:]]
    arguments, named = split_arguments(op, given, inference.environment)
    if isinstance(op, CallOp):
        arguments = arguments[1:]
    first = 0 if name in ("narrow", "select", "unbind") else 1
    dim = named.get("dim", arguments[first] if len(arguments) > first else 0)
    rank = len(tensor.shape)
    if type(dim) is not int or not -rank <= dim < rank:
        return False
    dim %= rank
    if name == "select":
        place = 2 if isinstance(op, InvokeOp) else 3
        if named or len(op.operands) != place + 1:
            return False
        index = op.operands[place]
        if kind_of(inference.of(index)) != "int":
            return False
        replace(op, [_part(op, whole, dim, index)])
        return True
    if name == "narrow":
        if named or len(arguments) != 3 or not all(type(v) is int for v in arguments):
            return False
        size = tensor.sizes[dim]
        _, start, length = arguments
        assert isinstance(start, int)
        assert isinstance(length, int)
        start = start + size if start < 0 else start
        index = _slice(op, start, start + length)
        replace(op, [_part(op, whole, dim, index)])
        return True
    if not isinstance(result, (tuple, list)) or not _are_tensors(result):
        return False
    parts: list[SSAValue] = []
    start = 0
    for number, part in enumerate(result):
        assert isinstance(part, Tensor)
        if name == "unbind":
            index = insert_constant(op, number)
        else:
            stop = start + part.sizes[dim]
            index, start = _slice(op, start, stop), stop
        parts.append(_part(op, whole, dim, index))
    _take_apart(op.results[0], parts, inference)
    tuple_op = TupleOp(parts)
    insert_value(op, tuple_op)
    replace(op, [tuple_op.result])
    return True


def _take_apart(value: SSAValue, parts: list[SSAValue], inference: Inference) -> None:
    """What is taken out of the tuple is the part itself."""
    for use in list(value.uses):
        op = use.operation
        if isinstance(op, UnpackOp) and op.star is None:
            if len(op.results) == len(parts):
                replace(op, parts)
        elif isinstance(op, SubscriptOp) and use.index == 0:
            index = inference.of(op.index)
            if type(index) is int and -len(parts) <= index < len(parts):
                replace(op, [parts[index]])


def _are_tensors(items: object) -> bool:
    return isinstance(items, (tuple, list)) and all(
        isinstance(item, Tensor) and item.is_static for item in items
    )


def _part(op: Operation, whole: SSAValue, dim: int, index: SSAValue) -> SSAValue:
    every = [_slice(op, None, None) for _ in range(dim)]
    place = insert_value(op, TupleOp([*every, index]))
    return insert_value(op, SubscriptOp(whole, place))


def _slice(op: Operation, start: int | None, stop: int | None) -> SSAValue:
    bounds = [insert_constant(op, bound) for bound in (start, stop, None)]
    return insert_value(op, SliceOp(bounds))
