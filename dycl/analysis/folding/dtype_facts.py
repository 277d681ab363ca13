"""What a dtype alone says: `torch.finfo(t).max`, `np.finfo(t.numpy().dtype).min`."""

from typing import Any, cast

from xdsl.ir import Operation

from dycl.ir import CallOp, GetattrOp, InvokeOp
from dycl.ir.constant_values import MISSING, constant_value
from dycl.ir.dtypes import dtype_name
from dycl.ir.library import resolve_global
from dycl.ir.torch import VTensorType
from dycl.ir.values import GlobalRef, ParamRef, TensorConstant

_LIMITS = frozenset(
    GlobalRef(f"{library}.{name}")
    for library in ("torch", "numpy")
    for name in ("finfo", "iinfo")
)
_LIMIT_NAMES = ("bits", "eps", "max", "min", "resolution", "smallest_normal", "tiny")


def dtype_fact(op: Operation) -> object:
    """The value of an op that asks a dtype for its limits, or an array for it."""
    limit = _limit_of_dtype(op)
    return _dtype_of_array(op) if limit is None else limit


def _limit_of_dtype(op: Operation) -> object:
    """`torch.finfo(dtype).max` and its like, of a dtype that is known."""
    owner = op.operand.owner if isinstance(op, GetattrOp) else None
    if not isinstance(op, GetattrOp) or not isinstance(owner, CallOp):
        return None
    name, given = op.attribute.data, [constant_value(v) for v in owner.operands]
    if len(given) != 2 or MISSING in given or given[0] not in _LIMITS:
        return None
    if owner.keyword_names or name not in _LIMIT_NAMES:
        return None
    function, dtype = (resolve_global(cast(GlobalRef, ref).name) for ref in given)
    try:
        result = getattr(cast(Any, function)(dtype), name)
        return result.item() if hasattr(result, "item") else result
    except (TypeError, AttributeError):
        return None  # `finfo` of an int: the run raises it


def _dtype_of_array(op: Operation) -> object:
    """`t.numpy().dtype`, of a tensor whose type is known."""
    owner = op.operand.owner if isinstance(op, GetattrOp) else None
    if (
        not isinstance(owner, InvokeOp)
        or owner.method.data != "numpy"
        or owner.arguments
    ):
        return None
    assert isinstance(op, GetattrOp)
    tensor, typed = constant_value(owner.receiver), owner.receiver.type
    if isinstance(tensor, (TensorConstant, ParamRef)):
        dtype = tensor.dtype
    else:
        dtype = typed.element_type() if isinstance(typed, VTensorType) else None
    if dtype is None or op.attribute.data != "dtype":
        return None
    return GlobalRef(f"numpy.{dtype_name(dtype)}")
