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
    if not isinstance(places, torch.Tensor):
        return input.tensor_split(places, dim)
    if places.dtype != torch.int64:
        raise RuntimeError(
            "tensor_split expected tensor_indices_or_sections to have dtype of long"
        )
    if places.dim() != 1:
        raise NotCompiled(
            "`tensor_split` into a number of pieces that is a tensor",
            "give the number as an int, or places as a tensor of one dim",
        )
    moved, start, pieces = input.movedim(dim, 0), 0, []
    for i in range(places.size(0)):
        end = int(places[i])
        pieces.append(moved[start:end].movedim(0, dim))
        start = end
    pieces.append(moved[start:].movedim(0, dim))
    return tuple(pieces)


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


def combinations(input: Any, r: int = 2, with_replacement: bool = False) -> Any:
    """`torch.combinations`: [n] -> [number of combinations, r].

    Raises RuntimeError: more than one dim, or a negative r.
    """
    if input.dim() != 1:
        raise RuntimeError(f"Expect a 1D vector, but got shape {list(input.shape)}")
    if r < 0:
        raise RuntimeError(f"Expect a non-negative number, but got {r}")
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
