"""Pieces of a tensor at places that are tensors, and choices of its elements."""

from typing import Any

import torch

from dycl.prelude.refusals import NotCompiled


def tensor_split(
    input: Any,
    tensor_indices_or_sections: Any = None,
    dim: int = 0,
    *,
    indices: Any = None,
    sections: Any = None,
) -> Any:
    """`torch.tensor_split`: pieces of sizes that the run decides, for a tensor.

    The keywords are those of torch's overloads. Raises RuntimeError: the tensor of
    places is not of int64.
    """
    places = tensor_indices_or_sections
    if places is None:
        places = sections if indices is None else indices
    if isinstance(places, int):
        return _even(input, places, dim)
    if not isinstance(places, torch.Tensor):
        return _between(input, places, dim)
    if places.dtype != torch.int64:
        raise RuntimeError(
            "tensor_split expected tensor_indices_or_sections to have dtype of long"
        )
    if places.dim() != 1:
        raise NotCompiled(
            "`tensor_split` into a number of pieces that is a tensor",
            "give the number as an int, or places as a tensor of one dim",
        )
    return _between(input, [int(places[i]) for i in range(places.size(0))], dim)


def _even(input: Any, count: int, dim: int) -> Any:
    if count < 1:
        raise RuntimeError(f"number of sections must be larger than 0, got {count}")
    size = input.size(dim)
    least, more = size // count, size % count
    return _between(input, [i * least + min(i, more) for i in range(1, count)], dim)


def _between(input: Any, places: Any, dim: int) -> Any:
    """Slices that go nowhere but into a tuple may be of nothing, so none is moved."""
    before = (slice(None),) * (dim % input.dim())
    start, pieces = 0, []
    for end in places:
        pieces.append(input[(*before, slice(start, end))])
        start = end
    pieces.append(input[(*before, slice(start, None))])
    return tuple(pieces)


def take_along_dim(input: Any, indices: Any, dim: Any = None) -> Any:
    """`torch.take_along_dim`: the other sizes of both are broadcast.

    Along a dim, eager takes the remainder of an index by the size.
    Raises RuntimeError: the ranks differ, or other sizes do not fit.
    """
    if dim is None:
        return input.flatten().gather(0, indices.flatten())
    if input.dim() != indices.dim():
        raise RuntimeError(
            "torch.take_along_dim(): input and indices should have the same number of "
            f"dimensions, but got {input.dim()} dimensions for input, and "
            f"{indices.dim()} dimensions for indices"
        )
    along = dim % input.dim()
    for d in range(input.dim()):
        if d == along or input.size(d) == indices.size(d):
            continue
        sizes = [-1] * input.dim()
        if indices.size(d) == 1:
            sizes[d] = input.size(d)
            indices = indices.expand(sizes)
        elif input.size(d) == 1:
            sizes[d] = indices.size(d)
            input = input.expand(sizes)
        else:
            raise RuntimeError(
                f"Size does not match at dimension {d} expected index "
                f"{list(indices.shape)} to be no larger than self {list(input.shape)} "
                f"apart from dimension {along}"
            )
    return input.gather(along, indices % max(input.size(along), 1))


def kron(input: Any, other: Any) -> Any:
    """`torch.kron`: [a, b] and [c, d] -> [a * c, b * d], with ones in front of both."""
    rank, more = input.dim(), other.dim() - input.dim()
    for _ in range(more):
        input = input.unsqueeze(0)
    for _ in range(-more):
        other = other.unsqueeze(0)
    rank = max(rank, rank + more)
    sizes = [input.size(d) * other.size(d) for d in range(rank)]
    for d in range(rank):
        input, other = input.unsqueeze(2 * d + 1), other.unsqueeze(2 * d)
    return (input * other).reshape(sizes)


def narrow(input: Any, dim: int, start: Any, length: int) -> Any:
    """`torch.narrow`: the start may be a tensor of one int.

    Raises RuntimeError: what is wanted is not in the tensor, or the start is no int.
    """
    if not isinstance(start, torch.Tensor):
        return input.narrow(dim, start, length)
    if start.dim() != 0 or start.dtype == torch.bool or start.is_floating_point():
        raise RuntimeError("start must be an 0-dim integral Tensor.")
    size, first = input.size(dim), int(start)
    if first < 0:
        first = first + size
    if first < 0 or first + length > size:
        raise RuntimeError(
            f"start ({first}) + length ({length}) exceeds dimension size ({size})."
        )
    return input.index_select(dim, torch.arange(length) + first)


def check_combinations(input: Any, r: int) -> None:
    """What `torch.combinations` raises, a RuntimeError."""
    if input.dim() != 1:
        raise RuntimeError(f"Expect a 1D vector, but got shape {list(input.shape)}")
    if r < 0:
        raise RuntimeError(f"Expect a non-negative number, but got {r}")


def combinations(input: Any, r: int = 2, with_replacement: bool = False) -> Any:
    """`torch.combinations`: [n] -> [number of combinations, r].

    Raises RuntimeError: more than one dim, or a negative r.
    """
    check_combinations(input, r)
    if r == 0:
        return torch.empty(0, dtype=input.dtype)
    count, step = input.size(0), 0 if with_replacement else 1
    chosen = [[i] for i in range(count)]
    for _ in range(r - 1):
        chosen = [
            [*places, i] for places in chosen for i in range(places[-1] + step, count)
        ]
    if len(chosen) == 0:
        return torch.empty((0, r), dtype=input.dtype)
    return input[torch.tensor(chosen)]
