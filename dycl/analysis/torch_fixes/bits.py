"""`&`, `|`, `^`, `<<` and `>>` of tensors, by a tensor or a number, in place or not;
bits of numbers as those of another dtype.

torch-mlir has each of them under some of torch's names, mostly for two tensors of one
dtype. A shift by less than nothing, or by more bits than there are, gives what it gives
in eager: no bits, and to the right the sign. torch is imported in the functions.
"""

from typing import Any

from dycl.analysis.torch_fixes.division import as_it_is, as_tensor, is_open, is_plain
from dycl.analysis.tracing.graph import Untraceable
from dycl.ir.torch.own_operators import define_operators
from dycl.lowerings import TensorSpec

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
    one, other = _element(x, dtype), _element(y, dtype)
    if "shift" not in name:
        return overload(one, other)
    return _shift(overload, one, other, y)


def has_open_number(operands: Any) -> bool:
    """Whether an operand is a number of a run."""
    import torch

    return is_open() and not all(isinstance(x, torch.Tensor) for x in operands)


def with_bytes(op: Any, dtype: Any, x: Any, y: Any) -> Any:
    """Any of them, of bytes and a number of a run, which becomes a byte: it wraps
    around."""
    import torch

    short = str(op._schema.name).removeprefix("aten::").strip("_")
    operator = getattr(torch, _OPERATORS.get(short, short))
    return operator(_element(x, dtype), _element(y, dtype))


def _element(value: Any, dtype: Any) -> Any:
    """A tensor converted; or a number, which wraps around to an int of few bits."""
    import torch

    if isinstance(value, torch.Tensor) or dtype in (torch.bool, torch.int64):
        return as_tensor(value, dtype)
    if is_open():
        return as_tensor(value, torch.int64).to(dtype)
    return torch.full((), torch.tensor(value).to(dtype).item(), dtype=dtype)


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


INTS = {8: "int8", 16: "int16", 32: "int32", 64: "int64"}
"""By width, the dtype of ints."""


def as_ints(x: Any) -> Any:
    """The bits of floats, as ints of the same width."""
    import torch

    return _reinterpreted(x, getattr(torch, INTS[torch.finfo(x.dtype).bits]))


def as_floats(x: Any, dtype: Any) -> Any:
    """The floats that ints of the same width are the bits of."""
    return _reinterpreted(x, dtype)


def viewed(op: Any, x: Any, dtype: Any) -> Any:
    """`view` as another dtype of the same width: nobody asks by now whether it shares
    memory. Untraceable: of another width."""
    import torch

    if op._overloadname != "dtype":
        return NotImplemented
    if x.dtype == dtype:
        return x.clone()
    if x.element_size() != dtype.itemsize or dtype.is_complex or x.dtype.is_complex:
        raise Untraceable(
            "a view as a dtype of another width has no lowering: the same memory would "
            "have another number of elements"
        )
    if torch.bool in (x.dtype, dtype):
        return x.to(dtype)
    return _reinterpreted(x, dtype)


def _reinterpreted(x: Any, dtype: Any) -> Any:
    import torch

    define_operators()
    return torch.ops.dycl.reinterpret(x, str(dtype).removeprefix("torch."))


def reinterpret(x: TensorSpec, dtype: str) -> str:
    """The kernel of `dycl::reinterpret`."""
    element = _ELEMENTS.get(dtype, dtype.replace("uint", "i").replace("int", "i"))
    result = TensorSpec(x.shape, dtype, element)
    if x.element == element:
        return f"func.func @reinterpret(%x: {x}) -> {x} {{ return %x : {x} }}"
    return (
        f"func.func @reinterpret(%x: {x}) -> {result} {{\n"
        f"  %y = arith.bitcast %x : {x} to {result}\n"
        f"  return %y : {result}\n}}"
    )


_ELEMENTS = {"float16": "f16", "bfloat16": "bf16", "float32": "f32", "float64": "f64"}
KERNELS = {"dycl::reinterpret": reinterpret}
"""Name of an operator of ours -> its code, from what its operands are."""
