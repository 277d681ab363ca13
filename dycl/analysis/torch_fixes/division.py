"""Division of integers, as torch-mlir can lower it: no zero and no -1 may divide.

A processor ends the process on `1 // 0`, and on the smallest integer divided by -1.
Kernels divide by 1 there; the zero raises what it raises in eager, by `demand`, and the
quotient by -1 is the negative. torch is imported in the functions.
"""

from contextlib import AbstractContextManager
from functools import reduce
from typing import Any

from dycl.analysis.torch_fixes.assumptions import assumed, assuming


def demand(condition: Any, error: str) -> None:
    """Let the run raise `error`, "Class: text", unless the bool tensor is true."""
    import torch

    torch.ops.aten._assert_async.msg(condition, error)


def floor_divide(op: Any, x: Any, y: Any, rounding_mode: Any = "floor") -> Any:
    """`x // y`; torch-mlir floors the quotient, which is wrong for large integers."""
    import torch

    dtype = torch.result_type(x, y)
    if dtype == torch.bool or rounding_mode is None or is_plain():
        return NotImplemented
    if dtype.is_floating_point:
        # Of half floats, eager rounds each step, but by one number none.
        is_one = is_half(dtype) and is_one_number(y)
        given = torch.float32 if is_one else dtype
        if rounding_mode == "trunc":
            if is_open() and given == dtype:
                return NotImplemented
            result = torch.trunc(as_tensor(x, given) / as_tensor(y, given))
        else:
            result = _of_floats(x, y, given)
        return result.to(dtype)
    quotient, rest, y = _parts(x, y, dtype)
    if rounding_mode == "trunc":
        return quotient
    return quotient - _is_below(rest, y).to(dtype)


def remainder(op: Any, x: Any, y: Any) -> Any:
    """`x % y`; of a literal and a number torch-mlir's folding gives another sign."""
    import torch

    dtype = torch.result_type(x, y)
    if dtype == torch.bool or is_plain():
        return NotImplemented
    if dtype.is_floating_point:
        if is_open() and isinstance(x, torch.Tensor):
            return NotImplemented
        with as_it_is():
            return torch.remainder(as_tensor(x, dtype), as_tensor(y, dtype))
    _, rest, y = _parts(x, y, dtype)
    return torch.where(_is_below(rest, y), rest + y, rest)


def fmod(op: Any, x: Any, y: Any) -> Any:
    """The sign is that of `x`; torch-mlir's takes a rounded quotient, and is not exact.

    What it has for `%` is exact, and the same where neither is below zero.
    """
    import torch

    dtype = torch.result_type(x, y)
    if dtype == torch.bool or is_plain():
        return NotImplemented
    if not dtype.is_floating_point:
        return _parts(x, y, dtype)[1]
    x, y = as_tensor(x, dtype), as_tensor(y, dtype)
    with as_it_is():
        rest = torch.remainder(torch.abs(x), torch.abs(y))
    return torch.where(rest == 0.0, x * 0.0, torch.where(x < 0.0, rest * -1.0, rest))


def truncate(op: Any, x: Any) -> Any:
    """torch-mlir gives 0.0 for -0.0, and dies of a literal that it would fold."""
    import torch

    if not x.dtype.is_floating_point:
        return NotImplemented
    return torch.where(x < 0.0, torch.ceil(x), torch.floor(x))


def fraction(op: Any, x: Any) -> Any:
    """What `truncate` leaves."""
    import torch

    return x - torch.trunc(x)


def _parts(x: Any, y: Any, dtype: Any) -> tuple[Any, Any, Any]:
    """The quotient rounded towards zero, what is left, and the divisor."""
    import torch

    is_number = not isinstance(y, torch.Tensor) and not is_open()
    number = y
    x, y = as_tensor(x, dtype), as_tensor(y, dtype)
    is_zero = y == 0
    if not is_number or number == 0:
        demand((~is_zero).all(), "RuntimeError: ZeroDivisionError")
    if is_number and number not in (0, -1):
        quotient = _truncated(x, y)
        return quotient, x - quotient * y, y
    is_minus_one = y == -1
    divisor = torch.where(is_zero | is_minus_one, torch.ones_like(y), y)
    quotient = _truncated(x, divisor)
    rest = x - quotient * divisor
    return torch.where(is_minus_one, x * -1, quotient), rest, y


def _truncated(x: Any, divisor: Any) -> Any:
    """The quotient rounded towards zero, of a divisor that is neither 0 nor -1.

    torch-mlir folds a division of literals in doubles and without their sign: -2 // 5
    becomes 2 ** 64 // 5. It folds no `&`, and `x & x` is gone when loops are made.
    """
    import torch

    with as_it_is():
        return torch.div(torch.bitwise_and(x, x), divisor, rounding_mode="trunc")


def is_one_number(y: Any) -> bool:
    """Whether a divisor is a number, or a tensor of a single element."""
    import torch

    if not isinstance(y, torch.Tensor):
        return True
    count = y.numel()
    return type(count) is int and count == 1


def _is_below(rest: Any, divisor: Any) -> Any:
    """Where the floor is one less than the quotient rounded towards zero."""
    return (rest != 0) & ((rest < 0) != (divisor < 0))


def as_tensor(value: Any, dtype: Any) -> Any:
    """A tensor converted, or a number as a tensor of rank 0."""
    import torch

    if isinstance(value, torch.Tensor):
        return value.to(dtype)
    return torch.full((), value, dtype=dtype)


def together(*tensors: Any) -> tuple[Any, ...]:
    """Tensors in the shape and dtype of what is made of all of them.

    The dtype is lost once they are of one shape: that of a tensor of rank 0 counts for
    less.
    """
    import torch

    dtype, number = (
        reduce(
            torch.promote_types,
            {one.dtype for one in tensors if bool(one.dim()) is is_array},
            torch.bool,
        )
        for is_array in (True, False)
    )
    if not any(one.dim() for one in tensors) or _category(number) > _category(dtype):
        dtype = torch.promote_types(dtype, number)
    return torch.broadcast_tensors(*(one.to(dtype) for one in tensors))


def _category(dtype: Any) -> int:
    """Bools, integers, floats, complex numbers."""
    import torch

    return 3 * dtype.is_complex + 2 * dtype.is_floating_point + (dtype != torch.bool)


def is_half(dtype: Any) -> bool:
    """Whether a dtype of torch is `float16` or `bfloat16`."""
    import torch

    return dtype in (torch.float16, torch.bfloat16)


def _of_floats(x: Any, y: Any, dtype: Any) -> Any:
    """As C++ does it in torch: `1.0 // 0.1` is 9, and a zero divides to infinity."""
    import torch

    x, y = as_tensor(x, dtype), as_tensor(y, dtype)
    rest = torch.fmod(x, y)
    quotient = (x - rest) / y
    quotient = torch.where(_is_below(rest, y), quotient - 1, quotient)
    lower = quotient.floor()
    nearest = torch.where(quotient - lower > 0.5, lower + 1, lower)
    nearest = torch.where(quotient == 0, x / y * 0, nearest)
    return torch.where(y == 0, x / y, nearest)


def is_plain() -> bool:
    """Whether `as_it_is` holds."""
    return assumed().can_divide


def as_it_is() -> AbstractContextManager[None]:
    """The operands are such that the op may go to torch-mlir."""
    return assuming(can_divide=True)


def is_open() -> bool:
    """Whether the numbers among operands stand for ones that depend on the input.

    Nothing is folded with such a number, and it may not be computed with unless it is
    made a tensor (`dycl.analysis.tracing.open_numbers`).
    """
    return assumed().open_numbers


def known(number: Any) -> Any:
    """The number, if it is none of a run's: it is asked for what it is, and those of a
    run refuse to answer (`dycl.analysis.tracing.open_numbers`)."""
    bool(number == 0)
    return number


def with_open_numbers() -> AbstractContextManager[None]:
    """`is_open` holds."""
    return assuming(open_numbers=True)
