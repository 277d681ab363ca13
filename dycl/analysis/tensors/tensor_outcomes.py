"""What ops on tensors give: where an index or a size is dynamic, by rules of ours."""

from collections.abc import Sequence

from xdsl.ir import Attribute, Operation

from dycl.analysis.dynamic_sizes import dynamic_stores, slices
from dycl.analysis.dynamic_sizes.squeezes import is_undecided
from dycl.analysis.tensors import memory_order, sequences
from dycl.analysis.tensors.abstract import (
    Scalar,
    Tensor,
    Unknown,
    leaves,
)
from dycl.analysis.tensors.index_lists import is_list_of_ints
from dycl.analysis.tensors.outcomes import Outcome, unknown
from dycl.analysis.tensors.plain_values import (
    is_exact,
)
from dycl.analysis.tensors.sequences import NewDim
from dycl.analysis.tensors.transfer import outcome
from dycl.analysis.tracing.plain_numbers import with_plain_numbers
from dycl.ir import (
    CallOp,
    GetattrOp,
    InvokeOp,
    ListOp,
    RefineOp,
    ReturnOp,
    SubscriptOp,
    TupleOp,
    UpdateSubscriptOp,
)
from dycl.ir.environment import Environment
from dycl.ir.torch import DYNAMIC, VTensorType
from dycl.ir.values import (
    GlobalRef,
)


def tensor_outcome(
    op: Operation,
    operands: list[object],
    environment: Environment,
    new_dim: NewDim,
) -> Outcome:
    """What an op gives that neither its kind nor its operands' structure decides.

    `new_dim` gives the name of a size of its result that only a run knows.
    """
    if squeezes_open_size(op, operands):
        return unknown(op, "how many dimensions are left depends on the input")
    match op, operands:
        case SubscriptOp(), [Tensor(shape=[_, *rest], dtype=dtype), Unknown()]:
            if is_list_of_ints(op.index):
                shape = (new_dim(0), *rest)
                return Outcome((Tensor.contiguous(shape, dtype),))
        case RefineOp(), [Tensor() as tensor]:
            return _refined(tensor, op.result.type)
        case InvokeOp(), [Tensor() as tensor] if op.method.data == "tolist":
            if not tensor.is_static:
                return Outcome((sequences.nested(tensor),))
        case CallOp(), [GlobalRef("builtins.len"), Unknown()]:
            if is_list_of_ints(op.positional[0]):
                return Outcome((Scalar("int"),))
        case _:
            pass
    if (why := memory_order.not_known(op, operands)) is not None:
        return unknown(op, why)
    if isinstance(op, UpdateSubscriptOp):
        store = dynamic_stores.plan(operands, op.kind_name)
        if isinstance(store, str):
            return unknown(op, store)
        if store is not None:
            written = frozenset((0,))
            return Outcome((operands[0],), frozenset({(0, 0)}), written)
    plain = with_plain_numbers(op, operands, environment)
    result = outcome(op, plain, environment)
    match op, operands:
        case SubscriptOp(), [Tensor() as tensor, index]:
            steps = slices.plan(tensor, index)
            is_one = is_exact(result, steps or []) and not _may_be_none(op, result)
            if steps is not None and not is_one:
                given = [leaf for tree in operands for leaf in leaves(tree)]
                return slices.outcome(tensor, steps, given, new_dim)
        case _:
            pass
    return result


def _may_be_none(op: SubscriptOp, found: Outcome) -> bool:
    """Whether a slice of nothing is wanted as it is: it only goes into lists, or is
    asked for its size.

    Elsewhere it is one row that an empty whole does not have: `x - x[:1]`.
    """
    users = [use.operation for use in op.result.uses]
    return bool(found.requires) and all(map(_takes_none, users))


def _takes_none(op: Operation) -> bool:
    match op:
        case GetattrOp():
            return op.attribute.data in ("dtype", "shape")
        case InvokeOp():
            return op.method.data in ("dim", "size")
        case _:
            return isinstance(op, (ListOp, TupleOp, ReturnOp))


def _refined(tensor: Tensor, said: Attribute) -> Outcome:
    """A tensor of which a type says more sizes."""
    sizes = said.sizes() if isinstance(said, VTensorType) else None
    shape = tuple(
        before if now == DYNAMIC else now
        for before, now in zip(tensor.shape, sizes or tensor.shape, strict=True)
    )
    return Outcome((Tensor.contiguous(shape, tensor.dtype),), frozenset({(0, 0)}))


def squeezes_open_size(op: Operation, operands: Sequence[object]) -> bool:
    """Whether the rank of what an op gives is still to be made a decision."""
    place = 0 if isinstance(op, InvokeOp) else 1
    tensor = operands[place] if place < len(operands) else None
    return isinstance(tensor, Tensor) and is_undecided(
        op, [not isinstance(size, int) or size < 0 for size in tensor.shape]
    )
