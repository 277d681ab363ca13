"""What ops do with lists whose length the data decides."""

from collections.abc import Callable, Sequence
from typing import cast

from xdsl.ir import Operation

from dycl.analysis.folding.iterators import ITERATORS
from dycl.analysis.tensors.abstract import (
    ANY,
    Dim,
    Node,
    Pending,
    Scalar,
    Tensor,
    Unknown,
    is_container,
    kind_of,
    leaves,
    name,
)
from dycl.analysis.tensors.abstract import Sequence as ListOf
from dycl.analysis.tensors.joining import join
from dycl.analysis.tensors.outcomes import Outcome, unknown
from dycl.analysis.tensors.reads import natural_kind
from dycl.ir import (
    AppendOp,
    CallOp,
    ExtendOp,
    SequenceOp,
    SubscriptOp,
    TakeOp,
    ToBoolOp,
    UnaryOp,
    UnpackOp,
)
from dycl.ir.dtypes import element_type
from dycl.ir.library import UNFOLLOWED_ITERATOR
from dycl.ir.unpacking import split_arguments
from dycl.ir.values import GlobalRef

CONCAT = {
    "torch.stack": "stack",
    "torch.cat": "cat",
    "torch.concat": "cat",
    "torch.concatenate": "cat",
    "torch.tensor": "tensor",
}
"""torch's functions of a list -> the kind of `dycl.concat`."""
EMPTY = ListOf(None)
"""A list without items, of any type."""
COPIES = ("builtins.list", "builtins.tuple")
_DTYPES = {"int": "int64", "float": "float32", "bool": "bool"}

NewDim = Callable[[int], Dim]
"""The size of a dimension of the op's first result, which a run decides."""


def outcome(op: Operation, operands: Sequence[object], new_dim: NewDim) -> Outcome:
    """What an op does, of which an operand is a list of unknown length."""
    if any(isinstance(v, Unknown) for tree in operands for v in leaves(tree)):
        return unknown(op)
    match op, operands:
        case SequenceOp(), _:
            return _sequence(op, operands)
        case AppendOp(), [ListOf() as items, value]:
            return _append(op, items, value)
        case ExtendOp(), [ListOf() as one, ListOf() as other]:
            joined = join(one, other)
            if isinstance(joined, Unknown):
                return unknown(op, joined.reason)
            return Outcome((joined,), frozenset({(0, 0), (0, 1)}))
        case TakeOp(), [ListOf() as items, start, stop]:
            if kind_of(start) == kind_of(stop) == "int":
                return Outcome((items,), frozenset({(0, 0)}))
            return unknown(op)
        case ToBoolOp(), _:
            return Outcome((Scalar("bool"),))
        case UnaryOp(), _ if op.kind_name == "not":
            return Outcome((Scalar("bool"),))
        case SubscriptOp(), [ListOf(element), index] if kind_of(index) == "int":
            if element is None:
                return Outcome((Pending(),))  # it raises, as long as nothing is in it
            return Outcome((_one_item(element, new_dim),), frozenset({(0, 0)}))
        case UnpackOp(), [ListOf(element)] if op.star is None:
            if element is None or (
                isinstance(element, Tensor) and not element.is_static
            ):
                return unknown(op)
            numbers = range(len(op.results))
            return Outcome(
                (element,) * len(op.results), frozenset((i, 0) for i in numbers)
            )
        case CallOp(), [GlobalRef(function), ListOf() as items, *_]:
            return _call(op, function, items, operands, new_dim)
        case _:
            what = "this cannot be done with a list whose length the input decides"
            return unknown(op, what)


def concat_dim(op: CallOp, operands: Sequence[object], rank: int) -> int | None:
    """The dimension that a call of `torch.stack` or `torch.cat` gives, from the front.

    `rank` is that of the result. None: it is not given as an int that fits.
    """
    positional, keywords = split_arguments(op, operands[1:])
    given = positional[1:] + [v for k, v in keywords.items() if k in ("dim", "axis")]
    if len(given) != len(positional) - 1 + len(keywords) or len(given) > 1:
        return None
    dim = given[0] if given else 0
    if not isinstance(dim, int) or not -rank <= dim < rank:
        return None
    return dim % rank


def item_of(value: object) -> Tensor | Scalar | ListOf | Node | None:
    """What a value is as an item of a sequence, whatever its number, or None."""
    if isinstance(value, Tensor):
        shape = tuple(ANY if isinstance(s, Dim) else s for s in value.shape)
        return Tensor.contiguous(shape, value.dtype)
    if isinstance(value, (ListOf, Node)):
        return value
    kind = kind_of(value)
    return None if kind is None else Scalar(kind)


def nested(tensor: Tensor) -> ListOf:
    """What `tensor.tolist()` gives, if the tensor has a dimension."""
    result: Scalar | ListOf = Scalar(natural_kind(tensor))
    for _ in tensor.shape:
        result = ListOf(result)
    return cast(ListOf, result)


def _one_item(element: Tensor | Scalar | ListOf | Node, new_dim: NewDim) -> object:
    """An item as a value of its own, with sizes of its own."""
    if not isinstance(element, Tensor) or element.is_static:
        return element
    sizes = enumerate(element.shape)
    shape = tuple(new_dim(d) if isinstance(size, Dim) else size for d, size in sizes)
    return Tensor.contiguous(shape, element.dtype)


def _sequence(op: Operation, operands: Sequence[object]) -> Outcome:
    result: object = ListOf(None)
    for value in operands:
        item = item_of(value)
        if item is None:
            return unknown(op, _no_item(value))
        result = join(result, ListOf(item))
        if isinstance(result, Unknown):
            return unknown(op, result.reason)
    return Outcome((result,), frozenset((0, i) for i in range(len(operands))))


def _append(op: Operation, items: ListOf, value: object) -> Outcome:
    item = item_of(value)
    if item is None:
        return unknown(op, _no_item(value))
    joined = join(items, ListOf(item))
    if isinstance(joined, Unknown):
        first = "" if items.element is None else name(items.element)
        what = f"this list has {first} for an item, and gets {name(item)}"
        return unknown(op, what)
    return Outcome((joined,), frozenset({(0, 0), (0, 1)}))


def _no_item(value: object) -> str:
    kind = f"a {type(value).__name__}" if is_container(value) else name(value)
    return (
        f"{kind} cannot be an item of a list whose length the input decides: such a "
        "list holds tensors, numbers, or tuples, lists and dicts of them that are made "
        "alike and stay as they are"
    )


def _call(
    op: CallOp,
    function: str,
    items: ListOf,
    operands: Sequence[object],
    new_dim: NewDim,
) -> Outcome:
    if function == "builtins.len":
        return Outcome((Scalar("int"),))
    if function == "builtins.bool":
        return Outcome((Scalar("bool"),))
    if function == "builtins.list":
        return Outcome((items,), frozenset({(0, 0)}))
    if items.element is None:
        return unknown(op)
    kind = CONCAT.get(function)
    if kind == "tensor" and isinstance(items.element, Scalar) and len(operands) == 2:
        dtype = element_type(_DTYPES[items.element.kind])
        return Outcome((Tensor.contiguous((new_dim(0),), dtype),))
    if kind in ("stack", "cat") and isinstance(items.element, Tensor):
        shape: list[int | Dim] = list(items.element.shape)
        dim = concat_dim(op, operands, len(shape) + (kind == "stack"))
        if dim is not None:
            if kind == "stack":
                shape.insert(dim, new_dim(dim))
            else:
                shape[dim] = ANY
            shape = [
                new_dim(d) if size == ANY else size for d, size in enumerate(shape)
            ]
            dtype = items.element.dtype
            return Outcome((Tensor.contiguous(tuple(shape), dtype),))
    if function in ITERATORS:
        return unknown(op, UNFOLLOWED_ITERATOR)
    what = f"`{function.removeprefix('builtins.')}` of a list whose length the input "
    return unknown(op, what + "decides has no lowering")


def is_sequence_op(op: Operation, operands: Sequence[object]) -> bool:
    """Whether an op works on a list of unknown length."""
    return isinstance(op, SequenceOp) or any(isinstance(v, ListOf) for v in operands)
