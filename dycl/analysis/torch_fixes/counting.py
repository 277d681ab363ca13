"""How many, and which: `nonzero`, masks as indices, `unique`.

The size of such a result is known when a kernel has counted. It is written as ops that
kernels have: the places of the elements that stay, by a running sum, scattered to the
front of a tensor that is long enough; and `dycl::first`, which keeps as many of them as
there are. That op is the border between two kernels: the host reads the count, and the
second kernel begins with a slice. torch is imported in the functions.
"""

from functools import cache
from typing import Any, cast

from dycl.analysis.torch_fixes.division import as_it_is
from dycl.analysis.torch_fixes.indices import unchecked

NAME = "dycl::first"


def nonzero(op: Any, x: Any) -> Any:
    """The indices of the elements that are not zero, row by row: [?, rank] int64."""
    import torch

    if x.dim() == 0:
        return columns(x.reshape(1))[0].unsqueeze(1)[:, :0]
    return torch.stack(columns(x), 1)


def nonzero_numpy(op: Any, x: Any) -> Any:
    """The same, dimension by dimension; a tensor of rank 0 is a row of one."""
    return columns(x.reshape(1) if x.dim() == 0 else x)


def columns(x: Any) -> list[Any]:
    """For each dimension the index of the elements that are not zero: [?] int64."""
    import torch

    rest = places(x.reshape(-1) != 0)
    counts: list[Any] = []
    for size in reversed(x.shape[1:]):
        with as_it_is():
            quotient = torch.div(rest, size, rounding_mode="trunc")
        counts.insert(0, rest - quotient * size)
        rest = quotient
    return [rest, *counts]


def masked_select(op: Any, x: Any, mask: Any) -> Any:
    """The elements of `x` where the mask is true, row by row."""
    import torch

    shape = cast(Any, torch).broadcast_shapes(x.shape, mask.shape)
    chosen = places(mask.expand(shape).reshape(-1))
    with unchecked():
        return x.expand(shape).reshape(-1)[chosen]


def unique(
    op: Any,
    x: Any,
    in_order: bool = True,
    return_inverse: bool = False,
    return_counts: bool = False,
) -> Any:
    """Each value once, in order; where each element is among them; how often it is."""
    import torch

    if x.dtype == torch.bool or not _has_elements(x):
        return NotImplemented
    values, order = x.reshape(-1).sort()
    firsts, inverse, counts = _groups(values.unsqueeze(1), order, return_counts)
    firsts = firsts.squeeze(1)
    none = torch.zeros(0, dtype=torch.long)
    return firsts, inverse.reshape(x.shape) if return_inverse else none, counts


def unique_in_line(
    op: Any,
    x: Any,
    return_inverse: bool = False,
    return_counts: bool = False,
    dim: int | None = None,
) -> Any:
    """`unique_consecutive`: once what stands side by side."""
    import torch

    if not _has_elements(x):
        return NotImplemented
    rows = x.reshape(-1, 1) if dim is None else _as_rows(x, dim)
    order = torch.arange(rows.shape[0])
    found, inverse, counts = _groups(rows, order, return_counts)
    none = torch.zeros(0, dtype=torch.long)
    inverse = inverse.reshape(x.shape) if dim is None else inverse
    found = found.reshape(-1) if dim is None else _from_rows(found, x, dim)
    return found, inverse if return_inverse else none, counts


def unique_rows(
    op: Any,
    x: Any,
    dim: int,
    in_order: bool = True,
    return_inverse: bool = False,
    return_counts: bool = False,
) -> Any:
    """`unique_dim`: what stands along a dim, in order of the first elements that
    differ."""
    import torch

    rows = _as_rows(x, dim)
    columns = rows.shape[1]
    if not _has_elements(x) or x.dtype == torch.bool or columns > _MOST:
        return NotImplemented
    order = torch.arange(rows.shape[0])
    with unchecked():
        for k in reversed(range(columns)):
            order = order[torch.argsort(rows[:, k][order], stable=True)]
        rows = rows[order]
    found, inverse, counts = _groups(rows, order, return_counts)
    none = torch.zeros(0, dtype=torch.long)
    return _from_rows(found, x, dim), inverse if return_inverse else none, counts


_MOST = 64
"""Columns of which each is a sort of all rows."""


def _has_elements(x: Any) -> bool:
    """Whether there are some, or the run decides how many rows there are."""
    first, *others = x.shape or (1,)
    fixed = others if not isinstance(first, int) else x.shape
    return all(type(size) is int and size > 0 for size in fixed)


def _as_rows(x: Any, dim: int) -> Any:
    """What stands along a dim, each as a row."""
    first = x.movedim(dim, 0) if x.dim() else x.reshape(1)
    return first.reshape(first.shape[0], -1)


def _from_rows(rows: Any, x: Any, dim: int) -> Any:
    """Some of the rows that `_as_rows` gave, as they were."""
    sizes = x.movedim(dim, 0).shape[1:]
    return rows.reshape(rows.shape[0], *sizes).movedim(0, dim)


def _groups(rows: Any, order: Any, counted: bool) -> tuple[Any, Any, Any]:
    """The first of equal rows side by side, of which group each is, by its number in
    `order`, and how many are in each."""
    import torch

    numbers = torch.arange(rows.shape[0])
    with unchecked():
        begins = (rows != rows[(numbers - 1).clamp(min=0)]).any(1) | (numbers == 0)
        rank = begins.long().cumsum(0) - 1
        found = rows[places(begins)]
        inverse = torch.zeros_like(order).scatter(0, order, rank)
        counts = torch.zeros(0, dtype=torch.long)
        if counted:
            ones = torch.ones_like(rank)
            counts = torch.zeros_like(rank).scatter_add(0, rank, ones)
            counts = _first()(counts, begins.sum())
    return found, inverse, counts


def places(mask: Any) -> Any:
    """Where a mask of rank 1 is true: [?] int64."""
    import torch

    size = mask.shape[0]
    place = (mask.long().cumsum(0) - 1).masked_fill(~mask, size)
    order = torch.zeros(size + 1, dtype=torch.long)
    with unchecked():
        order = order.scatter(0, place, torch.arange(size))
    return _first()(order, mask.sum())


@cache
def _first() -> Any:
    """The op `dycl::first(x, count)`: `x[:count]`."""
    import torch

    library = cast(Any, torch.library)
    library.define(NAME, "(Tensor x, Tensor count) -> Tensor")

    def fake(x: Any, count: Any) -> Any:
        size = library.get_ctx().new_dynamic_size()
        return x.new_empty((size, *x.shape[1:]))

    library.register_fake(NAME, fake)
    return cast(Any, torch.ops).dycl.first


def _always(node: Any) -> bool:
    return True


REWRITES = {
    "nonzero": nonzero,
    "nonzero_numpy": nonzero_numpy,
    "masked_select": masked_select,
    "_unique2": unique,
    "unique_consecutive": unique_in_line,
    "unique_dim": unique_rows,
}
"""Name of an op -> what it is written as, from the overload and its operands."""
AVOIDED = {"unique_consecutive": _always, "unique_dim": _always}
"""Name of an op -> which of its calls must not reach torch-mlir."""
