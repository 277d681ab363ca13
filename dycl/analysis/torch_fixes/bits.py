"""`&`, `|`, `^`, `<<` and `>>` of tensors, by a tensor or a number, in place or not.

torch-mlir has each of them under some of torch's names, mostly for two tensors of one
dtype. A shift by less than nothing, or by more bits than there are, gives what it gives
in eager: no bits, and to the right the sign. torch is imported in the functions.
"""

from typing import Any

from dycl.analysis.torch_fixes.division import as_it_is, as_tensor, is_open, is_plain

_OPERATORS = {
    "and": "bitwise_and",
    "or": "bitwise_or",
    "xor": "bitwise_xor",
    "lshift": "bitwise_left_shift",
    "rshift": "bitwise_right_shift",
}
NAMES = (
    *_OPERATORS.values(),
    *(f"__{short}__" for short in _OPERATORS),
    *(f"__i{short}__" for short in _OPERATORS),
)
"""What torch calls them; a name with `i` works in place."""


def bitwise(op: Any, x: Any, y: Any) -> Any:
    """Any of them, as one op on two tensors of the result's dtype."""
    import torch

    short = str(op._schema.name).removeprefix("aten::").strip("_")
    if op._schema.is_mutable:
        name = _OPERATORS[short.removeprefix("i")]
        return x.copy_(getattr(torch, name)(x, y))
    name = _OPERATORS.get(short, short)
    dtype = torch.result_type(x, y)
    of_tensors = op._schema.name == f"aten::{name}" and op._overloadname == "Tensor"
    if of_tensors and x.dtype == y.dtype and (is_plain() or "shift" not in name):
        return NotImplemented
    overload = getattr(torch.ops.aten, name).Tensor
    one, other = as_tensor(x, dtype), as_tensor(y, dtype)
    if "shift" not in name:
        return overload(one, other)
    return _shift(overload, one, other, y)


def _shift(overload: Any, x: Any, by: Any, number: Any) -> Any:
    import torch

    bits = torch.iinfo(x.dtype).bits
    with as_it_is():
        if not is_open() and isinstance(number, int) and 0 <= number < bits:
            return overload(x, by)
        fits = (by >= 0) & (by < bits)
        shifted = overload(x, torch.where(fits, by, torch.zeros_like(by)))
        if "left" in overload._schema.name:
            return torch.where(fits, shifted, torch.zeros_like(shifted))
        sign = overload(x, torch.full((), bits - 1, dtype=x.dtype))
        return torch.where(fits, shifted, sign)
