"""Functions of torch that call functions: `torch.cond` and its like, `torch.vmap`.

A model that was written for another compiler has them. What they say is what an `if`, a
`while` and a `for` say, and so they are these.
"""

from collections.abc import Callable
from typing import Any

import torch

from dycl.prelude.refusals import NotCompiled


def cond(pred: Any, true_fn: Any, false_fn: Any, operands: Any = ()) -> Any:
    """`torch.cond`: one of two functions is called with the operands."""
    return true_fn(*operands) if pred else false_fn(*operands)


def while_loop(cond_fn: Any, body_fn: Any, carried_inputs: Any) -> Any:
    """`while_loop`: the carried values are made anew while the first function says so.

    They come as a tuple, which the second function gives, too.
    """
    carried = tuple(carried_inputs)
    while cond_fn(*carried):
        carried = tuple(body_fn(*carried))
    return carried


def map_rows(f: Any, xs: Any, *args: Any) -> Any:
    """`map`: `f(row, *args)` for each row of `xs` [rows, ...] -> [rows, ...]."""
    if not isinstance(xs, torch.Tensor):
        raise NotCompiled("`map` over a structure of tensors", "give it one tensor")
    return _stacked([f(x, *args) for x in xs], 0)


def vmap(
    func: Any,
    in_dims: Any = 0,
    out_dims: Any = 0,
    randomness: str = "error",
    *,
    chunk_size: Any = None,
) -> Callable[..., Any]:
    """`torch.vmap`: a function that calls `func` for each slice of its arguments.

    `in_dims`: the dim that each tensor is sliced along, None for none; `out_dims` the
    one along which what it gives is stacked.
    """

    def mapped(*args: Any) -> Any:
        dims = in_dims if isinstance(in_dims, tuple) else (in_dims,) * len(args)
        if len(dims) != len(args):
            raise ValueError(
                "vmap: in_dims is not compatible with the structure of inputs"
            )
        sizes = [
            arg.size(dim)
            for arg, dim in zip(args, dims, strict=True)
            if dim is not None
        ]
        if len(sizes) == 0:
            raise ValueError("vmap: at least one Tensor must have a dim to map over")
        if any([size != sizes[0] for size in sizes]):
            raise ValueError(
                "vmap: Expected all tensors to have the same size in the mapped "
                "dimension"
            )
        results = [
            func(
                *[
                    arg if dim is None else arg.select(dim, i)
                    for arg, dim in zip(args, dims, strict=True)
                ]
            )
            for i in range(sizes[0])
        ]
        return _stacked(results, out_dims)

    return mapped


def _stacked(results: Any, dims: Any) -> Any:
    """Tensors, or tuples of such, of one structure -> one of them, stacked."""
    first = results[0]
    if isinstance(first, torch.Tensor):
        return torch.stack(results, dims)
    if not isinstance(first, tuple):
        raise NotCompiled(
            "a mapped function that gives neither a tensor nor a tuple of tensors",
            "give tensors, and make the structure of them afterwards",
        )
    out = dims if isinstance(dims, tuple) else (dims,) * len(first)
    return tuple(
        [
            torch.stack([result[i] for result in results], out[i])
            for i in range(len(first))
        ]
    )
