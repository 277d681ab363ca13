"""`torch.equal` and `torch.allclose`: a bool of the run's, as a decision reads it."""

from collections.abc import Sequence

from xdsl.ir import SSAValue

from dycl.ir import CallOp, InvokeOp
from dycl.ir.torch import VTensorType
from dycl.ir.values import GlobalRef
from dycl.passes.builtins.items import Site

_ELEMENTWISE = {"equal": "torch.eq", "allclose": "torch.isclose"}


def alike(site: Site, op: CallOp | InvokeOp, name: str) -> bool:
    """`equal(x, y)`: are both of one shape, and all elements equal, or close?

    False where the shapes are not known yet, or the operands are no two tensors.
    """
    given = op.operands[1:] if isinstance(op, CallOp) else op.operands
    tensors = [value.type for value in given[:2]]
    by_position = len(given) - len(op.keyword_names)
    if by_position < 2 or op.is_starred:
        return False
    shapes: list[Sequence[int]] = []
    for tensor in tensors:
        if not isinstance(tensor, VTensorType) or not tensor.is_fully_typed():
            return False
        shapes.append(tensor.sizes() or ())
    if name == "equal" and _differ(*shapes):
        return site.done(site.constant(False))
    return site.done(_all(site, name, given, op.keyword_names))


def _differ(one: Sequence[int], other: Sequence[int]) -> bool:
    """Whether shapes are known to differ; a size that a run decides is below 0."""
    pairs = list(zip(one, other, strict=False))
    return len(one) != len(other) or any(a != b and min(a, b) >= 0 for a, b in pairs)


def _all(
    site: Site, name: str, given: Sequence[SSAValue], keywords: Sequence[str]
) -> SSAValue:
    """`eq(...).all().item()`."""
    callee = site.constant(GlobalRef(_ELEMENTWISE[name]))
    elements = site.add(CallOp(callee, given, keywords))
    return site.add(InvokeOp(site.add(InvokeOp(elements, "all", [])), "item", []))
