"""Which of a network's inputs a run may write to."""

from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation

from dycl.analysis.memory.families import Families, operand_leaves
from dycl.analysis.tensors.shapes import Inference
from dycl.analysis.tensors.structures import Known, Leaf, Structures
from dycl.ir import (
    CallOp,
    GetattrOp,
    InvokeOp,
    StoreSubscriptOp,
    SubscriptOp,
    UnpackOp,
    UpdateSubscriptOp,
)
from dycl.ir.constant_values import constant_name
from dycl.ir.torch import DYNAMIC, VTensorType
from dycl.ir.walking import walk

_VIEWS = frozenset(
    {
        *("chunk", "detach", "diagonal", "expand", "expand_as", "movedim", "moveaxis"),
        *("narrow", "permute", "select", "split", "squeeze", "swapaxes", "swapdims"),
        *("t", "tensor_split", "transpose", "unbind", "unsqueeze"),
    }
)
"""Functions and methods of torch that give a view of a tensor of any strides."""
_VIEW_ATTRIBUTES = ("T", "data", "mT")
_REARRANGES = frozenset(
    {
        *("as_strided_", "detach_", "requires_grad_", "resize_", "resize_as_", "set_"),
        *("squeeze_", "swapaxes_", "swapdims_", "t_", "transpose_", "unsqueeze_"),
    }
)
"""Methods that change what a tensor is, and not what its memory holds."""


def inputs_written(
    entry: FuncOp, inputs: int, inference: Inference, structures: Structures
) -> dict[int, bool]:
    """The arguments that may be written to, in order; of the first `inputs`.

    True: what is written is a part of it only where it is contiguous: `reshape` gives a
    view of such a tensor, and a copy of another. An argument that has no known shape,
    or that an op writes to as a whole object (`x.t_()`), is not among them.
    """
    families = Families(inference, structures)
    families.collect(entry.body.block)
    written: set[Leaf] = set()
    left_out: set[Leaf] = set()
    depends: set[Leaf] = set()
    for op in walk(entry):
        places = _written_places(op, inference)
        given = operand_leaves(op, structures)
        for place in places:
            if not isinstance(given[place], Known):
                written.add(families.find(given[place]))
        if places and _name(op) in _REARRANGES:
            left_out.update(families.find(given[place]) for place in places)
        outcome = inference.outcomes.get(op)
        if outcome is not None and not places and not _gives_view(op):
            depends.update(
                families.find(given[j]) for _, j in outcome.aliases if j < len(given)
            )
    result: dict[int, bool] = {}
    for place, argument in enumerate(entry.body.block.args[:inputs]):
        root = families.find(argument)
        if root in written - left_out and _is_of_known_size(argument.type):
            result[place] = root in depends
    return result


def _written_places(op: Operation, inference: Inference) -> list[int]:
    """The leaves among its operands that an op writes to."""
    if isinstance(op, (StoreSubscriptOp, UpdateSubscriptOp)):
        return [0]
    outcome = inference.outcomes.get(op)
    return [] if outcome is None else sorted(outcome.written - {-1})


def _name(op: Operation) -> str:
    """The method or function of torch that an op calls, or nothing."""
    match op:
        case InvokeOp():
            return op.method.data
        case CallOp():
            return constant_name(op.callee).rpartition(".")[2]
        case _:
            return ""


def _gives_view(op: Operation) -> bool:
    """Whether an op gives a view, whatever the strides of the tensor are."""
    match op:
        case SubscriptOp() | UnpackOp():
            return True
        case GetattrOp():
            return op.attribute.data in _VIEW_ATTRIBUTES
        case _:
            return _name(op) in _VIEWS


def _is_of_known_size(found: object) -> bool:
    return (
        isinstance(found, VTensorType)
        and found.is_fully_typed()
        and DYNAMIC not in (found.sizes() or ())
    )
