"""Functions of torch that ask for the numbers behind sizes, for sizes of the run.

How many parts, steps or places there are, the run says: loops of the host go over them.
Where sizes are known, torch's own functions are compiled.
"""

from typing import Any

import torch

from dycl.prelude.pieces import check_combinations
from dycl.prelude.refusals import NotCompiled


def chunk(input: Any, chunks: int, dim: int) -> Any:
    """`torch.chunk`: as many parts as fit, or fewer.

    Raises RuntimeError: no parts are wanted.
    """
    return _collected(torch.chunk(input, chunks, dim))


def split(input: Any, split_size: int, dim: int) -> Any:
    """`torch.split`: parts of this size, and the rest.

    Raises RuntimeError: the size is below zero, or there are elements and it is zero.
    """
    return _collected(torch.split(input, split_size, dim))


def unbind(input: Any, dim: int) -> Any:
    """`torch.unbind`: as many parts as the dim is long, without it."""
    return _collected(torch.unbind(input, dim))


def _collected(parts: Any) -> Any:
    """As many parts as the run decides: a loop goes over them, in place of torch."""
    collected = []
    for part in parts:
        collected.append(part)
    return tuple(collected)


def hsplit(input: Any, sections: Any) -> Any:
    """`torch.hsplit`: equal parts, or those between places, along the columns.

    Raises RuntimeError: no dim, or that many equal parts there are not.
    """
    if input.dim() < 1:
        raise RuntimeError(
            "torch.hsplit requires a tensor with at least 1 dimension, but got a "
            "tensor with 0 dimensions!"
        )
    return _equal_parts("hsplit", input, sections, 0 if input.dim() == 1 else 1)


def vsplit(input: Any, sections: Any) -> Any:
    """`torch.vsplit`: equal parts, or those between places, along the rows.

    Raises RuntimeError: less than two dims, or that many equal parts there are not.
    """
    if input.dim() < 2:
        raise RuntimeError(
            "torch.vsplit requires a tensor with at least 2 dimension, but got a "
            f"tensor with {input.dim()} dimensions!"
        )
    return _equal_parts("vsplit", input, sections, 0)


def dsplit(input: Any, sections: Any) -> Any:
    """`torch.dsplit`: equal parts, or those between places, along the third dim.

    Raises RuntimeError: less than three dims, or that many equal parts there are not.
    """
    if input.dim() < 3:
        raise RuntimeError(
            "torch.dsplit requires a tensor with at least 3 dimension, but got a "
            f"tensor with {input.dim()} dimensions!"
        )
    return _equal_parts("dsplit", input, sections, 2)


def _equal_parts(name: str, input: Any, sections: Any, dim: int) -> Any:
    if isinstance(sections, int):
        size = input.size(dim)
        if sections < 1 or size % sections != 0:
            raise RuntimeError(
                f"torch.{name} attempted to split along dimension {dim}, but the size "
                f"of the dimension {size} is not divisible by the split_size "
                f"{sections}!"
            )
    return torch.tensor_split(input, sections, dim)


def logspace(
    start: Any, end: Any, steps: int, base: float = 10.0, *, dtype: Any = None
) -> Any:
    """`torch.logspace`: `steps` powers of `base`, of exponents at equal distances."""
    return torch.pow(base, torch.linspace(start, end, steps, dtype=dtype))


def running_maximum(input: Any, dim: int) -> Any:
    """`torch.cummax`: values and places, int64, both of the shape of the input."""
    return torch.return_types.cummax(_running(input, dim, True))


def running_minimum(input: Any, dim: int) -> Any:
    """`torch.cummin`: values and places, int64, both of the shape of the input."""
    return torch.return_types.cummin(_running(input, dim, False))


def _running(input: Any, dim: int, is_upper: bool) -> Any:
    """The last of equal elements; a NaN stays.

    After each step an element has seen twice as many before it.
    """
    sizes = [1] * input.dim()
    sizes[dim] = -1
    size, step = input.size(dim), 1
    count = torch.arange(size)
    values = input.clone()
    places = torch.zeros_like(input, dtype=torch.int64) + count.view(sizes)
    while step < size:
        back = (count - step).clamp(min=0)
        early, before = values.index_select(dim, back), places.index_select(dim, back)
        wins = values >= early if is_upper else values <= early
        if values.is_floating_point():
            wins = (wins | values.isnan()) & (~early.isnan() | values.isnan())
        values = torch.where(wins, values, early)
        places = torch.where(wins, places, before)
        step = step * 2
    return values, places


def equal(input: Any, other: Any) -> bool:
    """`torch.equal`: whether shapes are the same, and all elements."""
    return input.shape == other.shape and bool((input == other).all())


def logcumsumexp(input: Any, dim: int) -> Any:
    """`torch.logcumsumexp`: floats of the shape of the input.

    As `_running`; the first elements, which have none so far before them, are kept.
    """
    sizes = [1] * input.dim()
    sizes[dim] = -1
    size, step = input.size(dim), 1
    count = torch.arange(size)
    values, places = input.clone(), count.view(sizes)
    while step < size:
        early = values.index_select(dim, (count - step).clamp(min=0))
        values = torch.where(places < step, values, torch.logaddexp(values, early))
        step = step * 2
    return values


def diff(
    input: Any, n: int = 1, dim: int = -1, prepend: Any = None, append: Any = None
) -> Any:
    """`torch.diff`: differences of neighbours, `n` times; none of less than two.

    Raises RuntimeError: a negative `n`.
    """
    if n < 0:
        raise RuntimeError(f"order must be non-negative but got {n}")
    parts = [part for part in (prepend, input, append) if part is not None]
    moved = (torch.cat(parts, dim) if len(parts) > 1 else input).movedim(dim, 0)
    if n == 0:  # what is put before and behind is left out, too
        return input.clone()
    for _ in range(n):
        later = moved[1:]
        earlier = moved[: later.size(0)]
        moved = later ^ earlier if input.dtype == torch.bool else later - earlier
    return moved.movedim(0, dim)


def trapezoid(y: Any, x: Any = None, *, dx: Any = 1, dim: int = -1) -> Any:
    """`torch.trapezoid`: the integral along a dim; of less than two elements zero."""
    return _areas(y, x, dx, dim).sum(dim)


def cumulative_trapezoid(y: Any, x: Any = None, *, dx: Any = 1, dim: int = -1) -> Any:
    """`torch.cumulative_trapezoid`: the integral up to each element but the first."""
    return _areas(y, x, dx, dim).cumsum(dim)


def _areas(y: Any, x: Any, dx: Any, dim: int) -> Any:
    """What is between neighbours of `y` along a dim, which is shorter by one."""
    if x is not None:
        raise NotCompiled(
            "an integral by coordinates over dynamic sizes", "give the distance `dx`"
        )
    moved = y.movedim(dim, 0)
    later = moved[1:]
    return ((later + moved[: later.size(0)]) * (dx / 2)).movedim(0, dim)


def vander(x: Any, N: Any = None, increasing: bool = False) -> Any:
    """`torch.vander`: [rows] -> powers [rows, columns].

    Raises RuntimeError: more than one dim, or a negative number of columns.
    """
    if x.dim() != 1:
        raise RuntimeError("x must be a one-dimensional tensor.")
    columns = x.size(0) if N is None else N
    if columns < 0:
        raise RuntimeError("N must be non-negative.")
    powers = torch.arange(columns)
    if not increasing:
        powers = powers.flip(0)
    dtype = x.dtype
    if not dtype.is_floating_point:
        dtype = torch.int64
    return x.to(dtype).unsqueeze(1) ** powers


def gradient(
    input: Any, *, spacing: Any = 1, dim: Any = None, edge_order: int = 1
) -> Any:
    """`torch.gradient`: central differences along each dim, a tuple of tensors.

    Raises RuntimeError: a dim is too short, or there are not as many distances as dims.
    """
    dims = [*range(input.dim())] if dim is None else dim
    if isinstance(dims, int):
        dims = [dims]
    spaces = spacing
    if isinstance(spacing, (int, float)):
        spaces = [spacing] * len(dims)
    for space in spaces:
        if isinstance(space, torch.Tensor):
            raise NotCompiled(
                "`torch.gradient` by coordinates", "give distances as numbers"
            )
    if len(spaces) != len(dims):
        raise RuntimeError(
            "torch.gradient expected spacing to be unspecified, a scalar, or a list of "
            f"length {len(dims)}, but got a list of length {len(spaces)}"
        )
    for d in dims:
        if input.size(d) < edge_order + 1:
            raise RuntimeError(
                "torch.gradient expected each dimension size to be at least "
                "edge_order+1"
            )
    results = []
    for i in range(len(dims)):
        slope = _slope(input.movedim(dims[i], 0), spaces[i], edge_order)
        results.append(slope.movedim(0, dims[i]))
    return tuple(results)


def _slope(x: Any, space: Any, edge_order: int) -> Any:
    """Along the first dim; `edge_order` neighbours say what there is at the ends."""
    inner = (x[2:] - x[:-2]) / (2 * space)
    if edge_order == 1:
        first, last = x[1:2] - x[:1], x[-1:] - x[-2:-1]
    else:
        first = -1.5 * x[:1] + 2 * x[1:2] - 0.5 * x[2:3]
        last = 1.5 * x[-1:] - 2 * x[-2:-1] + 0.5 * x[-3:-2]
    return torch.cat([first / space, inner, last / space])


def tril_indices(row: int, col: int, offset: int = 0, **kwargs: Any) -> Any:
    """`torch.tril_indices`: int64[2, places] of a triangle, row by row."""
    return _triangle(row, col, kwargs, lambda r, c: c - r <= offset)


def triu_indices(row: int, col: int, offset: int = 0, **kwargs: Any) -> Any:
    """`torch.triu_indices`: int64[2, places] of a triangle, row by row."""
    return _triangle(row, col, kwargs, lambda r, c: c - r >= offset)


def _triangle(row: int, col: int, kwargs: Any, holds: Any) -> Any:
    if row < 0:
        raise RuntimeError(f"row must be non-negative, got{row}")
    if col < 0:
        raise RuntimeError(f"col must be non-negative, got{col}")
    inside = holds(torch.arange(row).unsqueeze(1), torch.arange(col))
    return inside.nonzero().t().to(kwargs.get("dtype", torch.int64))


def combinations(input: Any, r: int = 2, with_replacement: bool = False) -> Any:
    """`torch.combinations`: [n] -> [number of combinations, r].

    Raises RuntimeError: more than one dim, or a negative r.
    """
    check_combinations(input, r)
    if r == 0:
        return torch.empty(0, dtype=input.dtype)
    count = torch.arange(input.size(0))
    grid = [count.view([-1] + [1] * (r - 1 - i)) for i in range(r)]
    inside = torch.ones([input.size(0)] * r, dtype=torch.bool)
    for i in range(r - 1):
        one, other = grid[i], grid[i + 1]
        inside = inside & ((one <= other) if with_replacement else (one < other))
    return input[inside.nonzero()]


def pad_sequence(
    sequences: Any,
    batch_first: bool = False,
    padding_value: float = 0.0,
    padding_side: str = "right",
) -> Any:
    """`pad_sequence`: tensors [length, ...] -> [longest, count, ...].

    Raises RuntimeError: the side is neither left nor right.
    """
    if padding_side not in ("left", "right"):
        raise RuntimeError(
            f"Expected padding_side to be one of left or right, but got {padding_side}."
        )
    longest = 0
    for x in sequences:
        longest = max(longest, x.size(0))
    padded = []
    for x in sequences:
        sizes = [longest - x.size(0), *x.shape[1:]]
        rest = torch.full(sizes, padding_value, dtype=x.dtype)
        both = [x, rest] if padding_side == "right" else [rest, x]
        padded.append(torch.cat(both))
    return torch.stack(padded, 0 if batch_first else 1)
