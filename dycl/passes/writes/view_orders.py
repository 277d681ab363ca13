"""What a view is a view of, and how a view that has changed is laid back into it."""

from collections.abc import Callable

from xdsl.ir import Operation, SSAValue

from dycl.analysis.dynamic_sizes.dynamic_stores import Plan, plan
from dycl.analysis.memory.overlap import is_basic_index
from dycl.analysis.tensors.abstract import Scalar, Tensor, Unbound, Unknown, leaves
from dycl.analysis.tensors.shapes import Inference
from dycl.ir import CallOp, ConstantOp, GetattrOp, InvokeOp, SubscriptOp
from dycl.ir.dtypes import dtype_name
from dycl.ir.semantics import evaluate
from dycl.ir.values import GlobalRef, to_attr


def operand_index(op: Operation) -> int:
    """Which operand of a view is what it is a view of."""
    return 1 if isinstance(op, CallOp) else 0


def whole_of(op: object, inference: Inference) -> SSAValue | None:
    """What an op gives a view of, if that is all it does."""
    if not isinstance(op, (SubscriptOp, InvokeOp, CallOp, GetattrOp)):
        return None
    outcome = inference.outcomes.get(op)
    index = operand_index(op)
    if outcome is None or len(op.results) != 1 or index >= len(op.operands):
        return None
    is_view = outcome.aliases == frozenset({(0, index)}) and not outcome.written
    operand = op.operands[index]
    tensors = isinstance(outcome.results[0], Tensor) and isinstance(
        inference.of(operand), Tensor
    )
    return operand if is_view and tensors else None


_Put = Callable[[Operation], SSAValue]
_SAME_ORDER = (
    *("flatten", "ravel", "reshape", "squeeze", "unflatten", "unsqueeze"),
    *("view", "view_as"),
)
_OTHER_ORDER = ("T", "mT", "movedim", "permute", "swapaxes", "t", "transpose")
_SAME = ("contiguous", "data", "detach")


def _name(op: Operation, inference: Inference) -> str:
    """The function, method or attribute that an op calls or reads."""
    match op:
        case InvokeOp():
            return op.method.data
        case GetattrOp():
            return op.attribute.data
        case CallOp():
            callee = inference.of(op.callee)
            name = callee.name if isinstance(callee, GlobalRef) else ""
            return name.removeprefix("torch.")
        case _:
            return ""


def may_turn_back(op: Operation, inference: Inference) -> bool:
    """Whether what a view has become can be stored into what it is a view of."""
    if isinstance(op, SubscriptOp):
        index = inference.of(op.index)
        if is_basic_index(index):
            return True
        given = [inference.of(op.operand), index, 0.0]
        return isinstance(plan(given, None), Plan)
    whole = inference.of(op.operands[operand_index(op)])
    if not isinstance(whole, Tensor) or not whole.is_static:
        return False
    name = _name(op, inference)
    if name in _SAME_ORDER:
        result = inference.of(op.results[0])
        if not isinstance(result, Tensor) or not result.is_static:
            return False
        # A bool has one bit of those that a byte has.
        dtypes = {dtype_name(whole.dtype), dtype_name(result.dtype)}
        return len(dtypes) == 1 or "bool" not in dtypes
    return name in _SAME or (name in _OTHER_ORDER and _order(op, inference) is not None)


def turned_back(
    op: Operation, value: SSAValue, inference: Inference, put: _Put
) -> SSAValue:
    """`value`, laid out as what `op` is a view of."""
    whole = inference.of(op.operands[operand_index(op)])
    assert isinstance(whole, Tensor)
    name = _name(op, inference)
    if name in _SAME:
        return value
    viewed = inference.of(op.results[0])
    if isinstance(viewed, Tensor) and viewed.dtype != whole.dtype:  # and of one shape
        dtype = GlobalRef(f"torch.{dtype_name(whole.dtype)}")
        return put(InvokeOp(value, "view", [put(ConstantOp(to_attr(dtype)))]))
    sizes, method = list(whole.sizes), "reshape"
    if name in _OTHER_ORDER:
        order = _order(op, inference)
        assert order is not None
        sizes, method = [order.index(d) for d in range(len(order))], "permute"
    arguments = [put(ConstantOp(to_attr(size))) for size in sizes]
    return put(InvokeOp(value, method, arguments))


def _order(op: Operation, inference: Inference) -> list[int] | None:
    """Which dimension of the whole each dimension of a view is."""
    import torch

    whole = inference.of(op.operands[operand_index(op)])
    given = [inference.of(value) for value in op.operands]
    unknown = (Scalar, Tensor, Unknown, Unbound)
    rest = [v for i, v in enumerate(given) if i != operand_index(op)]
    if any(isinstance(leaf, unknown) for tree in rest for leaf in leaves(tree)):
        return None
    assert isinstance(whole, Tensor)
    # No two sizes are equal, so the result's shape says which is which.
    sizes = list(range(2, 2 + len(whole.shape)))
    given[operand_index(op)] = torch.empty(sizes, device="meta")
    try:
        (result,) = evaluate(op, given, inference.environment)
    except Exception:
        return None
    shape = list(getattr(result, "shape", ()))
    return [size - 2 for size in shape] if sorted(shape) == sizes else None
