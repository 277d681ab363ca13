"""Ops that order elements, of which torch-mlir and torch have no other form.

Running extremes, medians, quantiles, modes, places in sorted rows, histograms.
"""

from collections.abc import Callable
from typing import Any

from dycl.analysis.torch_fixes.division import as_tensor, demand, is_open
from dycl.analysis.torch_fixes.indices import unchecked
from dycl.analysis.tracing.graph import Untraceable


def running_extremum(op: Any, x: Any, dim: int) -> Any:
    """`cummax`, `cummin`: the last of equal elements; a NaN stays.

    After step k an element has seen the 2 ** k before it.
    """
    import torch

    size = x.shape[dim] if x.dim() else 1
    if type(size) is not int:
        raise Untraceable(f"{op._schema.name[6:]} of a size that the input decides")
    dim = dim % max(x.dim(), 1)
    places = torch.arange(size).reshape([-1] + [1] * (x.dim() - 1 - dim))
    places = places.expand(x.shape) if x.dim() else places.reshape(())
    upper = op._schema.name == "aten::cummax"
    step = 1
    while step < size:
        late, early = x.narrow(dim, step, size - step), x.narrow(dim, 0, size - step)
        at, before = (
            places.narrow(dim, step, size - step),
            places.narrow(dim, 0, size - step),
        )
        wins = late >= early if upper else late <= early
        if x.is_floating_point():
            wins = (wins | (late != late)) & ((early == early) | (late != late))
        head, first = x.narrow(dim, 0, step), places.narrow(dim, 0, step)
        x = torch.cat([head, torch.where(wins, late, early)], dim)
        places = torch.cat([first, torch.where(wins, at, before)], dim)
        step *= 2
    return x, places


def search_sorted(
    op: Any,
    rows: Any,
    values: Any,
    *,
    out_int32: bool = False,
    right: bool = False,
    side: str | None = None,
    sorter: Any = None,
) -> Any:
    """`searchsorted`: how many elements of a sorted row stand before a value.

    Found by halves, as in eager, so that it is the same place where a row is not
    sorted, or has a NaN.
    """
    import torch

    if sorter is not None:
        demand(
            ((sorter >= 0) & (sorter < rows.shape[-1])).all(),
            "RuntimeError: torch.searchsorted(): sorter index out of range",
        )
        with unchecked():
            rows = rows.gather(-1, sorter)
    right = right or side == "right"
    is_number = not isinstance(values, torch.Tensor)
    given = torch.full((), values) if is_number else values
    dtype = torch.result_type(rows, given)
    places = _first_behind(rows.to(dtype), given.to(dtype), right)
    return places.to(torch.int32) if out_int32 else places


def _first_behind(rows: Any, values: Any, right: bool) -> Any:
    """By value, the first place of its row whose element is not less, or for `right`
    greater, of those that a search by halves comes to. To a NaN nothing is."""
    import torch

    size = rows.shape[-1]
    start = torch.zeros_like(values, dtype=torch.int64)
    end = torch.full_like(start, size)
    for _ in range(_halvings(size)):
        middle = (start + end) >> 1
        at = middle.clamp(max=size - 1)
        with unchecked():
            if rows.dim() == 1:
                found = rows.gather(0, at.reshape(-1)).reshape(at.shape)
            else:
                found = rows.gather(-1, at)
        is_behind = found > values if right else found >= values
        is_left = start < end
        start = torch.where(is_left & ~is_behind, middle + 1, start)
        end = torch.where(is_left & is_behind, middle, end)
    return start


def _halvings(size: Any) -> int:
    """How often so many elements may be halved until there are none."""
    if type(size) is not int:  # of a size that a run decides, the largest
        size = _most_elements(size)
    return int(size).bit_length()


def _most_elements(size: Any) -> int:
    import torch

    bound = size.node.shape_env.bound_sympy(size.node.expr).upper
    largest = torch.iinfo(torch.int32).max
    return min(int(bound), largest) if bound.is_Integer else largest


def bucketize(
    op: Any, values: Any, rows: Any, *, out_int32: bool = False, right: bool = False
) -> Any:
    """`bucketize`: the same, the other way round."""
    return search_sorted(op, rows, values, out_int32=out_int32, right=right)


def histogram(op: Any, x: Any, bins: int = 100, low: float = 0, high: float = 0) -> Any:
    """`histc`: counts of equal bins; where both ends are one, those of the data."""
    import torch

    flat = x.reshape(-1)
    first, last = (as_tensor(end, x.dtype) for end in (low, high))
    if is_open():
        is_wide = first < last
        error = "RuntimeError: torch.histc: max must be larger than min"
        demand(is_wide | (first == last) | _are_not_finite(first, last), error)
        ends = _ends_of(flat)
        first = torch.where(is_wide, first, ends[0])
        last = torch.where(is_wide, last, ends[1])
    elif low == high:
        first, last = _ends_of(flat)
    if is_open() or low == high:
        error = "RuntimeError: torch.histc: range of its elements is not finite"
        demand(~_are_not_finite(first, last), error)
        alone = first == last
        first = torch.where(alone, first - 1, first)
        last = torch.where(alone, last + 1, last)
    inside = (flat >= first) & (flat <= last)
    place = ((flat - first) / (last - first) * bins).masked_fill(~inside, 0)
    place = place.long().clamp(0, bins - 1)
    with unchecked():
        return flat.new_zeros(bins).scatter_add(0, place, inside.to(x.dtype))


def _ends_of(row: Any) -> tuple[Any, Any]:
    """The smallest and the largest element; 0 and 1, if there are none."""
    import torch

    count = row.shape[0]
    if type(count) is int and count == 0:
        return row.new_zeros(()), row.new_ones(())
    first, last = row.min(), row.max()
    if type(count) is not int:  # there may be none in a run
        is_empty = torch.full((), count) == 0
        first = first.masked_fill(is_empty, 0)
        last = last.masked_fill(is_empty, 1)
    return first, last


def _are_not_finite(first: Any, last: Any) -> Any:
    import torch

    ends = torch.stack([first, last])
    return (ends - ends != 0).any()


def mode(op: Any, x: Any, dim: int = -1, keepdim: bool = False) -> Any:
    """The commonest element, the smallest of several, and its last place."""
    import torch

    if x.dim() == 0:
        return x.clone(), torch.zeros((), dtype=torch.long)
    rows = x.transpose(dim, -1)
    ordered, order = torch.sort(rows, dim=-1, stable=True)
    counts = (ordered.unsqueeze(-1) == ordered.unsqueeze(-2)).sum(-1)
    best = counts.argmax(-1, keepdim=True)
    with unchecked():
        last = best + counts.gather(-1, best).clamp(min=1) - 1
        value, place = ordered.gather(-1, last), order.gather(-1, last)
    value, place = value.transpose(dim, -1), place.transpose(dim, -1)
    return (value, place) if keepdim else (value.squeeze(dim), place.squeeze(dim))


def median(op: Any, x: Any, *given: Any, **named: Any) -> Any:
    """The lower one of two in the middle; a NaN if there is one. The first place."""
    import torch

    if op._overloadname == "default":
        return _median_of_all(x)
    dim = given[0] if given else named["dim"]
    keepdim = given[1] if len(given) > 1 else named.get("keepdim", False)
    if x.dim() == 0:
        return x.clone(), torch.zeros((), dtype=torch.long)
    size = x.shape[dim]
    if type(size) is not int:
        ordered = torch.sort(x, dim=dim)[0]
        middle = ordered.narrow(dim, (size - 1) // 2, 1)
    elif size == 0:
        return NotImplemented
    else:
        middle = torch.kthvalue(x, (size + 1) // 2, dim, keepdim=True)[0]
    if x.is_floating_point():
        nan = (x != x).any(dim, keepdim=True)
        middle = torch.where(nan, torch.full((), float("nan"), dtype=x.dtype), middle)
        is_median = (x == middle) | (x != x)
    else:
        is_median = x == middle
    place = is_median.long().argmax(dim, keepdim=True)
    return (middle, place) if keepdim else (middle.squeeze(dim), place.squeeze(dim))


def _median_of_all(x: Any) -> Any:
    """Of equal elements, such as two zeros, the one that eager's selection gives."""
    import torch

    flat = x.reshape(-1)
    size = flat.shape[0]
    if type(size) is not int and not x.is_floating_point():
        return NotImplemented
    nan: Any = 0
    if x.is_floating_point():
        nan = torch.full((), float("nan"), dtype=x.dtype)
    if type(size) is not int:
        # Of no elements, a NaN that stands behind all is the one in the middle.
        ordered = torch.sort(torch.cat([flat, nan.reshape(1)]))[0]
        place = (size + 1) // 2 - 2 * size // (size + 1)
        middle = ordered.narrow(0, place, 1).reshape(())
        return torch.where((flat != flat).any(), nan, middle)
    if size == 0:
        return NotImplemented
    half = (size + 1) // 2
    lower = torch.topk(flat, half, largest=False, sorted=False)[0]
    middle = lower[half - 1]
    if not x.is_floating_point():
        return middle
    return torch.where((flat != flat).any(), nan, middle)


def median_of_numbers(op: Any, x: Any, *given: Any, **named: Any) -> Any:
    """`nanmedian`: the lower one of two in the middle of what is no NaN."""
    import torch

    if not x.is_floating_point():
        return torch.median(x, *given, **named)
    if op._overloadname == "default":
        flat = x.reshape(-1)
        if type(flat.shape[0]) is not int:  # there may be none in a run
            nan = torch.full((1,), float("nan"), dtype=x.dtype)
            flat = torch.cat([flat, nan])
        return torch.nanmedian(flat, 0)[0]
    dim = given[0] if given else named["dim"]
    keepdim = given[1] if len(given) > 1 else named.get("keepdim", False)
    if x.dim() == 0:
        return x.clone(), torch.zeros((), dtype=torch.long)
    # A NaN is sorted behind the numbers.
    ordered = torch.sort(x, dim=dim, stable=True)[0]
    count = (x == x).sum(dim, keepdim=True)
    middle = torch.div(count - 1, 2, rounding_mode="floor").clamp(min=0)
    with unchecked():
        result = ordered.gather(dim, middle)
    place = ((x == result) | (result != result)).long().argmax(dim, keepdim=True)
    return (result, place) if keepdim else (result.squeeze(dim), place.squeeze(dim))


def quantile(
    op: Any, x: Any, q: Any, dim: int | None = None, keepdim: bool = False,
    *, interpolation: str = "linear",
) -> Any:  # fmt: skip
    """`quantile` and `nanquantile`, which leaves out what is not a number."""
    import torch

    q = q if isinstance(q, torch.Tensor) else torch.full((), q, dtype=x.dtype)
    demand(
        ((q >= 0) & (q <= 1)).all(),
        f"RuntimeError: {op._schema.name[6:]}() q values must be in the range [0, 1]",
    )
    rows = x.reshape(-1) if dim is None else x.movedim(dim, -1) if x.dim() else x
    rows = torch.sort(rows.reshape(1) if rows.dim() == 0 else rows, dim=-1)[0]
    # One row of results for each q: [..., count of q].
    wanted, last = q.reshape(-1), rows.shape[-1] - 1
    is_nan = rows != rows
    if op._schema.name == "aten::quantile":
        rank = torch.where(is_nan.any(-1, keepdim=True), last, wanted * last)
    else:
        rank = (wanted * ((~is_nan).sum(-1, keepdim=True) - 1)).clamp(min=0)
    found = _between(rows, rank.to(x.dtype), interpolation)
    result = found.movedim(-1, 0)
    if keepdim:
        kept = None if dim is None else dim % max(x.dim(), 1)
        sizes = [1 if kept in (None, i) else n for i, n in enumerate(x.shape)]
        result = result.reshape(wanted.shape[0], *sizes)
    return result.squeeze(0) if q.dim() == 0 else result


def _between(rows: Any, rank: Any, interpolation: str) -> Any:
    """What stands at a rank, or between two, of ordered rows."""
    import torch

    if interpolation in _ROUNDED:
        rank = _ROUNDED[interpolation](torch, rank)
    below, above = rank.floor(), rank.ceil()
    with unchecked():
        low, high = (rows.gather(-1, place.long()) for place in (below, above))
    if interpolation in _ROUNDED:
        return low
    weight = rank - below
    if interpolation == "midpoint":
        weight = torch.full_like(weight, 0.5)
    return torch.lerp(low, high, weight)


_ROUNDED: dict[str, Callable[[Any, Any], Any]] = {
    "lower": lambda torch, rank: torch.floor(rank),
    "higher": lambda torch, rank: torch.ceil(rank),
    "nearest": lambda torch, rank: torch.round(rank),
}


REWRITES = {
    "quantile": quantile,
    "nanquantile": quantile,
    "nanmedian": median_of_numbers,
    "cummax": running_extremum,
    "cummin": running_extremum,
    "searchsorted": search_sorted,
    "bucketize": bucketize,
    "histc": histogram,
    "mode": mode,
    "median": median,
}
"""Name of an op -> what it is written as, from the overload and its operands."""
