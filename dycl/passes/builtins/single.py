"""Tensors that may have one element or row, as a run decides: `item`, `if`, `squeeze`.

What asks a tensor for its number gets that of the first element, behind a test that
raises what torch raises for none and for several.

`squeeze` drops a dimension of one, so how many there are is a decision. In a loop that
the data ends it is left to a test of the run: what a loop carries has one rank.
"""

from collections.abc import Sequence

from xdsl.ir import Operation, SSAValue

from dycl.analysis.dynamic_sizes.squeezes import dropped_dims, is_in_while
from dycl.ir import CallOp, InvokeOp, ToBoolOp, UnaryOp
from dycl.ir.constant_values import constant_name
from dycl.ir.torch import VTensorType
from dycl.passes.builtins.items import Site

_RUNTIME, _VALUE = "builtins.RuntimeError", "builtins.ValueError"
_CASTS = ("builtins.int", "builtins.float")
OPEN = -1


def read(site: Site, op: Operation) -> bool:
    """The number in a tensor of any size; raises at run time what torch raises.

    False: `op` reads no number, or the tensor has a known size.
    """
    place = 1 if isinstance(op, CallOp) else 0
    if not _reads(op) or OPEN not in (sizes := _sizes(tensor := op.operands[place])):
        return False
    count = site.add(InvokeOp(tensor, "numel", []))
    one = site.constant(1)
    if isinstance(op, InvokeOp):
        text = site.constant("a Tensor with {} elements cannot be converted to Scalar")
        words = site.add(InvokeOp(text, "format", [count]))
        site.raise_if(site.compare("ne", count, one), _RUNTIME, words)
    elif isinstance(op, CallOp):
        words = "only one element tensors can be converted to Python scalars"
        site.raise_if(site.compare("ne", count, one), _VALUE, site.constant(words))
    else:
        for kind, some in (("lt", "no values"), ("gt", "more than one value")):
            words = f"Boolean value of Tensor with {some} is ambiguous"
            test = site.compare(kind, count, one)
            site.raise_if(test, _RUNTIME, site.constant(words))
    op.operands[place] = _without(site, tensor, range(len(sizes)))
    return True


def squeeze(site: Site, op: CallOp | InvokeOp) -> bool:
    """A decision for each dimension that may be dropped, if the data decides its size.

    False: none is open, or which ones are meant is not known.
    """
    tensor = op.operands[0 if isinstance(op, InvokeOp) else 1]
    sizes = _sizes(tensor)
    dims = dropped_dims(op, len(sizes))
    if not any(sizes[dim] == OPEN for dim in dims) or is_in_while(op):
        return False
    known = [dim for dim in dims if sizes[dim] == 1]
    result = _without(site, tensor, known)
    for dim in sorted(dims, reverse=True):
        if sizes[dim] != OPEN:
            continue
        place = dim - sum(other < dim for other in known)
        result = _squeezed(site, result, place, tensor, dim)
    return site.done(result)


def _squeezed(
    site: Site, value: SSAValue, place: int, tensor: SSAValue, dim: int
) -> SSAValue:
    """`value` without the dimension `place`, if that of the tensor is one."""
    size = site.add(InvokeOp(tensor, "size", [site.constant(dim)]))
    test = site.compare("eq", size, site.constant(1))
    text = f"size({dim}) == 1"
    (result,) = site.branch(
        test, text, lambda: [_without(site, value, [place])], lambda: [value]
    )
    return result


def _without(site: Site, tensor: SSAValue, dims: Sequence[int]) -> SSAValue:
    """The first of each of these dimensions."""
    for dim in sorted(dims, reverse=True):
        places = [site.constant(dim), site.constant(0)]
        tensor = site.add(InvokeOp(tensor, "select", places))
    return tensor


def _reads(op: Operation) -> bool:
    match op:
        case InvokeOp():
            return op.method.data == "item" and len(op.operands) == 1
        case CallOp():
            return constant_name(op.callee) in _CASTS and len(op.operands) == 2
        case UnaryOp():
            return op.kind_name == "not"
        case _:
            return isinstance(op, ToBoolOp)


def _sizes(value: SSAValue) -> tuple[int, ...]:
    """The sizes of a tensor; none where its rank is not known."""
    return (value.type.sizes() or ()) if isinstance(value.type, VTensorType) else ()
