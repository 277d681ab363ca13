"""How many elements are in each bin, by edges that the elements or the user give."""

from typing import Any

import torch


def histogram(
    input: Any,
    bins: Any,
    *,
    range: Any = None,
    weight: Any = None,
    density: bool = False,
) -> Any:
    """`torch.histogram`: of floats, int bins -> counts float[bins], edges
    float[bins + 1]; or edges of the user, float[bins + 1].

    Raises RuntimeError where torch does: weights of another shape, edges that are none.
    """
    values = input.reshape(-1, 1)
    _check_weight(weight, input.shape)
    edges = [bins] if isinstance(bins, torch.Tensor) else _edges(values, [bins], range)
    counts = _counts(values, edges, weight, density)
    return torch.return_types.histogram((counts, edges[0]))


def histogramdd(
    input: Any,
    bins: Any,
    range: Any = None,
    weight: Any = None,
    density: bool = False,
) -> Any:
    """`torch.histogramdd`: of points, floats[..., N] -> counts float[*bins], and N
    tensors of edges; one int is that many bins in each dim.

    Raises RuntimeError where torch does: weights of another shape, bins or edges of
    another number than a point has dims.
    """
    size = input.size(-1)
    values = input.reshape(-1, size)
    if isinstance(bins, int):
        bins = [bins] * size
    if len(bins) != size:
        raise RuntimeError(
            "histogramdd: The size of bins must be equal to the innermost dimension of "
            "the input."
        )
    _check_weight(weight, input.shape[:-1])
    edges = [*bins]
    if not isinstance(bins[0], torch.Tensor):
        edges = _edges(values, edges, range)
    counts = _counts(values, edges, weight, density)
    return torch.return_types.histogramdd((counts, tuple(edges)))


def _check_weight(weight: Any, shape: Any) -> None:
    """RuntimeError: there are weights, and not one for each element or point."""
    if weight is not None and weight.shape != shape:
        raise RuntimeError(
            "histogramdd: if weight tensor is provided it should have the same shape "
            "as the input tensor excluding its innermost dimension"
        )


def _edges(values: Any, bins: Any, given: Any) -> Any:
    """As many bins of equal width, from the least of a column to the largest."""
    edges = []
    for dim, count in enumerate(bins):
        if count < 1:
            raise RuntimeError(
                f"torch.histogramdd(): bins must be > 0, but got {count} for dimension "
                f"{dim}"
            )
        column = values[:, dim]
        if given is not None:
            low = torch.tensor(float(given[2 * dim]), dtype=values.dtype)
            high = torch.tensor(float(given[2 * dim + 1]), dtype=values.dtype)
        elif column.numel() == 0:
            low = torch.tensor(0.0, dtype=values.dtype)
            high = torch.tensor(1.0, dtype=values.dtype)
        else:
            low, high = column.min(), column.max()
        if not (low.isfinite() and high.isfinite()):
            raise RuntimeError(
                f"torch.histogramdd(): dimension {dim}'s range [{float(low):g}, "
                f"{float(high):g}] is not finite"
            )
        if low > high:
            raise RuntimeError(
                "torch.histogramdd(): min should not exceed max, but got min "
                f"{float(low):g} max {float(high):g} for dimension {dim}"
            )
        is_flat = low == high
        low, high = (
            torch.where(is_flat, low - 0.5, low),
            torch.where(is_flat, high + 0.5, high),
        )
        places = torch.arange(count + 1, dtype=values.dtype)
        step = (high - low) / count
        # As `linspace`: from the nearer end.
        first, last = low + step * places, high - step * (count - places)
        edges.append(torch.where(places < (count + 1) // 2, first, last))
    return edges


def _counts(values: Any, edges: Any, weight: Any, density: bool) -> Any:
    """The weights in each bin; the last bin of a dim has its upper edge as well."""
    place = torch.zeros(values.size(0), dtype=torch.int64)
    is_inside = torch.ones(values.size(0), dtype=torch.bool)
    shape = [edge.numel() - 1 for edge in edges]
    for dim, edge in enumerate(edges):
        column = values[:, dim].contiguous()
        is_inside = is_inside & (column >= edge[0]) & (column <= edge[-1])
        found = torch.searchsorted(edge, column, right=True) - 1
        place = place * shape[dim] + found.clamp(min=0, max=shape[dim] - 1)
    if weight is None:
        weights = torch.ones(values.size(0), dtype=values.dtype)
    else:
        weights = weight.reshape(-1).to(values.dtype)
    total = 1
    for count in shape:
        total = total * count
    weights = torch.where(is_inside, weights, 0)
    counts = torch.zeros(total, dtype=values.dtype).index_add(0, place, weights)
    counts = counts.reshape(shape)
    if density:
        counts = counts / counts.sum()
        for dim, edge in enumerate(edges):
            width = (edge[1:] - edge[:-1]).reshape([-1] + [1] * (len(shape) - 1 - dim))
            counts = counts / width
    return counts
