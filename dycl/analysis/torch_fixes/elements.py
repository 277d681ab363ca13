"""Arithmetic, comparisons and bounds of elements, written as eager computes them.

A number beside a tensor has the tensor's dtype, a NaN is the larger and the smaller of
two, an infinity is close to itself alone. torch is imported in the functions.
"""

import math
from typing import Any

from dycl.analysis.tensors.number_ranges import AS_ELEMENT, range_of
from dycl.analysis.torch_fixes import division
from dycl.analysis.torch_fixes.bits import as_floats, as_ints
from dycl.analysis.tracing.graph import Untraceable

COMPARISONS = ("eq", "ne", "lt", "le", "gt", "ge")
COMPARISON_NAMES = (
    *(*COMPARISONS, "not_equal", "less", "less_equal", "greater", "greater_equal"),
)
"""With those that torch has besides."""


def with_number(
    op: Any, x: Any, y: Any, *rest: Any, out: Any = None, **named: Any
) -> Any:
    """True as a number is 1; what is compared has one dtype, a bool an integer's."""
    import torch

    if out is not None:
        raise Untraceable("`out=` cannot be compiled: use what the function returns")

    if not isinstance(x, torch.Tensor):  # decompositions of torch's write `2 - y` so
        return op(_number(x), y, *rest, **named)
    bools = x.dtype == torch.bool
    alpha = named.get("alpha", rest[0] if rest else 1)
    if division.is_half(torch.result_type(x, y)) and alpha != 1:
        return _scaled_sum(op, x, y, alpha)
    if x.dtype == torch.uint8 and op._schema.name[6:] in COMPARISONS:
        return _of_bytes(op, x, y)
    if isinstance(y, torch.Tensor):
        if op._schema.name[6:] not in COMPARISONS or x.dtype == y.dtype:
            return _of_halves(op, x, y, *rest, **named)
        dtype = torch.result_type(x, y)
        return op(x.to(dtype), y.to(dtype))
    if isinstance(y, bool) and not bools:
        return op(x, int(y), *rest, **named)
    if isinstance(y, float) and _is_integer(x) and op._schema.name[6:] in COMPARISONS:
        return op(x.to(torch.get_default_dtype()), y)
    if bools and isinstance(y, int) and op._schema.name[6:] in COMPARISONS:
        return op(x.to(torch.int64), int(y))
    compared = op._schema.name[6:] in COMPARISONS and type(y) is int
    of_floats = x.dtype.is_floating_point and not division.is_open()
    if compared and of_floats and abs(y) < 2**53:
        return op(x, float(y))  # with an int, torch-mlir dies of a literal it folds
    return NotImplemented


def _number(x: Any) -> Any:
    """A number, of a run too, as a tensor without dims."""
    import torch

    is_integer = isinstance(x, int | torch.SymInt)
    return torch.full((), x, dtype=None if not is_integer else torch.long)


def _of_bytes(op: Any, x: Any, y: Any) -> Any:
    """A comparison of bytes without a sign, in more bits; an int wraps around."""
    import torch

    if isinstance(y, torch.Tensor):
        dtype = torch.result_type(x, y)
        x, y = x.to(dtype), y.to(dtype)
        if dtype != torch.uint8:
            return op(x, y)
        return op(x.to(torch.int16), y.to(torch.int16))
    if isinstance(y, float):
        return op(x.to(torch.get_default_dtype()), y)
    if division.is_open():
        number = torch.bitwise_and(division.as_tensor(y, torch.int64), 255)
        compare = getattr(torch, op._schema.name.removeprefix("aten::"))
        return compare(x.to(torch.int64), number)
    return op(x.to(torch.int16), y % 256)


def reversed_difference(op: Any, x: Any, y: Any, alpha: Any = 1) -> Any:
    """`rsub`, of half floats with a factor."""
    import torch

    if not division.is_half(torch.result_type(x, y)):
        return NotImplemented
    if not division.is_open() and alpha == 1:
        return NotImplemented
    return _scaled_sum(op, x, y, alpha)


def _scaled_sum(op: Any, x: Any, y: Any, alpha: Any) -> Any:
    """`add`, `sub`, `rsub` of half floats: numbers are rounded first, the sum once."""
    import torch

    dtype = torch.result_type(x, y)

    def wide(value: Any) -> Any:
        return division.as_tensor(value, dtype).float()

    first, second = wide(x), wide(y)
    match op._schema.name.removeprefix("aten::").removesuffix("_"):
        case "rsub":
            return (second - first * wide(alpha)).to(dtype)
        case "sub":
            return (first - second * wide(alpha)).to(dtype)
        case _:
            return (first + second * wide(alpha)).to(dtype)


def _of_halves(op: Any, x: Any, y: Any, *rest: Any, **named: Any) -> Any:
    """The second factor keeps its bits if it is one number; what else is rounded."""
    import torch

    dtype = torch.result_type(x, y)
    same = x.dtype == y.dtype or op._schema.name != "aten::mul"
    if same or not division.is_half(dtype):
        return NotImplemented
    x = x.to(dtype)
    y = y if division.is_one_number(y) else y.to(dtype)
    return op(x.float(), y.float(), *rest, **named).to(dtype)


def _is_integer(x: Any) -> bool:
    return not (x.is_floating_point() or x.is_complex() or str(x.dtype) == "torch.bool")


def as_element(value: Any, dtype: Any) -> Any:
    """What a number is as an element: it wraps around, or is rounded."""
    import torch

    if type(value) not in (int, float) or division.is_open():
        return value
    if not dtype.is_floating_point:
        return torch.tensor(value).to(dtype).item() if type(value) is int else value
    return torch.tensor(value, dtype=torch.float64).to(dtype).item()


def as_bound(value: Any, dtype: Any) -> Any:
    """What elements are compared with: an int below zero wraps around to a byte.

    Untraceable: a run says which int.
    """
    if type(value) is not int or str(dtype) != "torch.uint8":
        return value
    if division.is_open():
        raise Untraceable(
            "bytes between numbers that depend on the input have no lowering; convert "
            "them first, with `x.int()`"
        )
    return as_element(value, dtype)


def clamp_to_numbers(op: Any, x: Any, *bounds: Any, **named: Any) -> Any:
    """Float bounds of an integer tensor, and ints of a tensor of bools: in the dtype of
    the result. A bound that is a truth is 0 or 1.

    A float of a run may be NaN, and then all elements are.
    """
    import torch

    given = [*bounds, *named.values()]
    has_float = any(isinstance(b, float) for b in given)
    if bool in map(type, given) and x.dtype != torch.bool:
        named = {side: _as_int(bound) for side, bound in named.items()}
        return op(x, *map(_as_int, bounds), **named)
    if x.dtype == torch.bool and not has_float:
        return op(x.long(), *bounds, **named)
    if not has_float or (x.is_floating_point() and not division.is_open()):
        return NotImplemented
    x = x if x.is_floating_point() else x.float()
    if division.is_open():
        ends = {**dict(zip(("min", "max"), bounds, strict=False)), **named}
        for side, within in ("min", torch.ge), ("max", torch.le):
            if (bound := ends.get(side)) is not None:
                end = division.as_tensor(bound, x.dtype)
                x = torch.where(within(x, end) | (x != x), x, end)
        return x
    return op(x, *bounds, **named)


def _as_int(bound: Any) -> Any:
    return int(bound) if isinstance(bound, bool) else bound


def clamp_to_tensors(op: Any, x: Any, min: Any = None, max: Any = None) -> Any:
    """torch-mlir converts no bounds, and loses a NaN among them."""
    import torch

    if min is not None:
        x = torch.maximum(x, min)
    return x if max is None else torch.minimum(x, max)


def clamp(op: Any, x: Any, *given: Any, **named: Any) -> Any:
    """Bounds that are numbers, or tensors."""
    is_tensors = op._overloadname == "Tensor"
    return (clamp_to_tensors if is_tensors else clamp_to_numbers)(
        op, x, *given, **named
    )


def one_bound(op: Any, x: Any, bound: Any) -> Any:
    """`clamp_min` and `clamp_max`: torch-mlir knows one of them, and not for bools."""
    import torch

    side = "min" if op._schema.name == "aten::clamp_min" else "max"
    return torch.clamp(x, **{side: bound})


def extremum(op: Any, x: Any, y: Any) -> Any:
    """A NaN on either side is the result, which torch-mlir forgets; True is above."""
    import torch

    dtype = torch.result_type(x, y)
    upper = op._schema.name in ("aten::maximum", "aten::max")
    if dtype == torch.bool:
        return x | y if upper else x & y
    if not dtype.is_floating_point:
        return NotImplemented
    x, y = x.to(dtype), y.to(dtype)
    first = x > y if upper else x < y
    return torch.where(first | (x != x), x, y)


def either_extremum(op: Any, x: Any, *rest: Any, **named: Any) -> Any:
    """`max(x, y)` is `maximum`; the reductions are right."""
    if op._overloadname != "other":
        return NotImplemented
    return extremum(op, x, *rest)


def is_close(
    op: Any,
    x: Any,
    y: Any,
    rtol: float = 1e-5,
    atol: float = 1e-8,
    equal_nan: bool = False,
) -> Any:
    """torch-mlir takes an infinity for close to all, and not to itself."""
    import torch

    close = x == y
    if equal_nan and x.is_floating_point():
        close = close | ((x != x) & (y != y))
    if rtol == 0 and atol == 0:
        return close
    y = y if y.is_floating_point() else y.to(torch.get_default_dtype())
    x = x.to(y.dtype) if x.dtype == torch.bool else x  # `-` takes no truths.
    error = (x - y).abs()
    allowed = (y * rtol).abs() + atol
    return close | ((error != math.inf) & (error <= allowed))


def both_true(op: Any, x: Any, y: Any) -> Any:
    """`logical_and` and others: a number that is 0 in the dtype of both is false."""
    if x.dtype == y.dtype:
        return NotImplemented
    return op(*division.together(x, y))


def chosen(op: Any, mask: Any, *given: Any) -> Any:
    """`where` of a bool that is no tensor: one of the dtype of the result."""
    import torch

    if not any(type(value) is bool for value in given):
        return NotImplemented
    dtype = torch.result_type(*given)
    return torch.where(mask, *(division.as_tensor(value, dtype) for value in given))


def masked_fill(op: Any, x: Any, mask: Any, value: Any) -> Any:
    """A number that is not 0 fills bools with True; a bool fills numbers with 0 or 1.

    A tensor of rank 0 is a number, which may be too large.
    """
    import torch

    if isinstance(value, torch.Tensor):
        demand_fits(value, x.dtype)
        return NotImplemented
    if x.dtype != torch.bool:
        return op(x, mask, int(value)) if type(value) is bool else NotImplemented
    if type(value) not in (bool, int, float):
        return NotImplemented
    if division.is_open():
        raise Untraceable(
            "a number that depends on the input cannot fill a tensor of bools"
        )
    return x | mask if value else x & ~mask


def demand_fits(value: Any, dtype: Any) -> None:
    """A run raises what eager does, where a tensor of rank 0 is too large for a dtype.

    An int that is less than 0 is a byte all the same.
    """
    import torch

    is_float = value.is_floating_point()
    is_wider = torch.promote_types(value.dtype, dtype) == dtype
    if dtype == torch.bool or (is_wider and (is_float or dtype != torch.float16)):
        return
    kind = "float" if is_float else "int"
    found = range_of(kind, str(dtype).removeprefix("torch."), AS_ELEMENT)
    if found is None:
        return
    wide = value.double() if is_float else value
    fits = (wide >= found.low) & (wide <= found.high)
    if found.takes_infinity:
        fits = fits | (wide - wide != 0)
    division.demand(fits, f"RuntimeError: {found.error}")


def to_radians(op: Any, x: Any) -> Any:
    """torch-mlir's factor has six digits."""
    return (x if x.is_floating_point() else x.float()) * (math.pi / 180)


def to_degrees(op: Any, x: Any) -> Any:
    """torch-mlir's factor has six digits."""
    return (x if x.is_floating_point() else x.float()) * (180 / math.pi)


def reciprocal_root(op: Any, x: Any) -> Any:
    """Of half floats, eager rounds the root."""
    import torch

    if not division.is_half(x.dtype):
        return NotImplemented
    return torch.reciprocal(torch.sqrt(x))


def next_after(op: Any, x: Any, toward: Any) -> Any:
    """`nextafter`: the next number, in the direction of another.

    Numbers of one sign are in the order of their bits, as ints.
    """
    import torch

    x, toward = division.together(x, toward)
    dtype = x.dtype
    if not dtype.is_floating_point:
        return NotImplemented
    is_larger = (toward > x) == (x > 0)
    numbers = as_ints(x)
    beside = numbers + torch.where(is_larger, 1, -1).to(numbers.dtype)
    facts = torch.finfo(dtype)
    least = torch.full((), facts.smallest_normal * facts.eps, dtype=dtype)
    least = torch.copysign(least, toward)
    result = torch.where(x == 0, least, as_floats(beside, dtype))
    result = torch.where(x == toward, toward, result)
    return torch.where((x != x) | (toward != toward), math.nan, result)
