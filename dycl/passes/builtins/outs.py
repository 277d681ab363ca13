"""`torch.arange(n, out=t)` of a tensor that was made for it: `t` says the dtype only.

    torch.arange(0, n, out=torch.LongTensor(n))    torch.arange(0, n, dtype=torch.int64)

What it is made for is its one use, in the block where it is made: elsewhere somebody
could tell that `t` and the result are one tensor. It must have memory of its own, so
its class is called with ints: a tensor that is given is shared with the new one.
"""

from xdsl.ir import SSAValue

from dycl.ir import CallOp, InvokeOp
from dycl.ir.constant_values import constant_name, constant_value
from dycl.ir.dtypes import dtype_name
from dycl.ir.legacy_tensors import CLASSES, METHOD
from dycl.ir.torch import IntT, VTensorType
from dycl.ir.values import GlobalRef
from dycl.passes.builtins.items import Site

_MAKE = frozenset(f"torch.{name}" for name in ("empty", "ones", "zeros"))
_MAKING = frozenset(("new_empty", "new_ones", "new_zeros"))
_CONVERTING = frozenset(("cpu", "cuda", "int", "float", "long", "to", "type"))


def without_out(site: Site, op: CallOp) -> bool:
    """A dtype in place of `out`. False: there is none, or it has another use."""
    given = op.keyword_arguments
    out = given.get("out")
    if out is None or "dtype" in given or op.is_starred:
        return False
    element = out.type.element_type() if isinstance(out.type, VTensorType) else None
    if element is None or not _is_made_for(out, op):
        return False
    dtype = site.constant(GlobalRef(f"torch.{dtype_name(element)}"))
    kept = {name: value for name, value in given.items() if name != "out"}
    arguments = [*op.positional, *kept.values(), dtype]
    return site.done(site.add(CallOp(op.callee, arguments, [*kept, "dtype"])))


def _is_made_for(value: SSAValue, user: CallOp | InvokeOp) -> bool:
    """Whether nothing else has a tensor, or another one of the same memory."""
    owner = value.owner
    if not isinstance(owner, CallOp | InvokeOp) or owner.parent is not user.parent:
        return False
    if sum(1 for _ in value.uses) != 1:
        return False
    match owner:
        case InvokeOp() if owner.method.data in _MAKING:
            return True
        case InvokeOp() if owner.method.data == METHOD:
            return all(map(_is_int, owner.arguments))
        case InvokeOp() if owner.method.data in _CONVERTING:
            return _is_made_for(owner.receiver, owner)
        case CallOp() if constant_name(owner.callee) in _MAKE:
            return True
        case CallOp() if constant_name(owner.callee) in CLASSES:
            return all(map(_is_int, owner.positional))
        case _:
            return False


def _is_int(value: SSAValue) -> bool:
    return value.type == IntT or type(constant_value(value)) is int
