"""Indices from the data: in range, or the run raises what eager raises.

torch-mlir reads and writes wherever an index says. A read is clamped in the kernel
(`dycl.kernels.cpu.torch_fixes.clamp_gathers`), a write here; and the run raises.
torch is imported in the functions.
"""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Any

from dycl.analysis.torch_fixes.assumptions import assumed, assuming
from dycl.analysis.torch_fixes.division import demand, is_open


def embedding(op: Any, weight: Any, index: Any, *rest: Any, **named: Any) -> Any:
    """Rows of a table."""
    if assumed().in_range:
        return NotImplemented
    _demand(index, 0, weight.shape[0], _IN_SELF)
    with unchecked():
        return op(weight, index, *rest, **named)


def along(op: Any, x: Any, dim: Any, index: Any, *rest: Any, **named: Any) -> Any:
    """`gather`, `scatter` and their like: one index for each element."""
    import torch

    name = op._schema.name[6:]
    if name == "gather" and 0 in (x.dim(), getattr(index, "ndim", 1)):
        # The result has the shape of the index; torch-mlir knows no tensor of rank 0.
        x, flat = x.reshape(-1), index.reshape(-1)
        return op(x, 0, flat, *rest, **named).reshape(index.shape)
    if name == "scatter" and "reduce" in named:
        (source,) = rest
        if not isinstance(source, torch.Tensor):
            source = torch.full(index.shape, source, dtype=x.dtype)
        kind = {"add": "sum", "multiply": "prod"}[named["reduce"]]
        return torch.scatter_reduce(x, dim, index, source, kind)
    if x.dtype == torch.bool and name.startswith("scatter"):
        # torch-mlir stores no bools.
        given = [v.int() if isinstance(v, torch.Tensor) else int(v) for v in rest[:1]]
        return op(x.int(), dim, index, *given, *rest[1:], **named) != 0
    if x.dtype == torch.bool and name == "index_add":
        return op(x.int(), dim, index, rest[0].int(), **named) != 0
    if name == "index_add" and is_open() and "alpha" in named:
        return op(x, dim, index, rest[0] * named["alpha"])
    if name == "scatter_reduce" and rest[1] == "mean" and not x.is_floating_point():
        # torch-mlir rounds to 0, eager down.
        ones = torch.ones_like(x), torch.ones_like(rest[0])
        total = op(x, dim, index, rest[0], "sum", **named)
        count = op(ones[0], dim, index, ones[1], "sum", **named)
        return torch.div(total, count, rounding_mode="floor")
    if assumed().in_range or not hasattr(index, "dtype") or not x.dim():
        return NotImplemented
    size = x.shape[dim]
    low = -size if name == "index_fill" else 0
    _demand(index, low, size, _error(name, x, dim, named))
    if name not in ("gather", "index_select"):
        index = _inside(index, size)
    with unchecked():
        return op(x, dim, index, *rest, **named)


def at(op: Any, x: Any, indices: Sequence[Any], *rest: Any, **named: Any) -> Any:
    """`x[i, j]`, `x[i, j] = v`: a tensor of ints, or a mask, for some dimensions."""
    import torch

    from dycl.analysis.torch_fixes.counting import columns

    if assumed().can_index:
        return NotImplemented
    # torch-mlir has no lowering for shorter ints.
    indices = [i.long() if _is_short(i) else i for i in indices]
    if x.dtype == torch.bool and rest[1:2] == (True,):
        return op(x.int(), indices, rest[0].int(), True) != 0
    given: list[Any] = []
    for index in indices:
        dim = len(given)
        if index is None:
            given.append(None)
        elif index.dtype in (torch.bool, torch.uint8):
            if index.dim() == 0:
                return NotImplemented
            given += columns(index)
        elif assumed().in_range:
            given.append(index)
        else:
            size = x.shape[dim]
            _demand(index, -size, size, f"IndexError: {_out_of(x, dim)}")
            # torch-mlir counts from the end only where it reads, and one index only.
            given.append(_inside(index, size) if rest or _is_open(index) else index)
    used = [dim for dim, index in enumerate(given) if index is not None]
    first, last = used[0], used[-1]
    with assuming(in_range=True, can_index=True):
        if not any(_is_open(given[dim]) for dim in used):
            return op(x, given, *rest, **named)
        if len(used) != last - first + 1:
            return NotImplemented
        # torch-mlir cannot know that two dynamic sizes are one: an index in one piece.
        whole = given[first]
        for dim in used[1:]:
            whole = whole * x.shape[dim] + given[dim]
        flat = x.flatten(first, last) if last > first else x
        if not rest:
            return op(flat, [*given[:first], whole])
        return _put(op, flat, whole, first, *rest, **named).reshape(x.shape)


def _is_short(index: Any) -> bool:
    return index is not None and str(index.dtype) in ("torch.int32", "torch.int16")


def _put(
    op: Any, x: Any, index: Any, dim: int, value: Any, accumulate: bool = False, *_: Any
) -> Any:
    """Write at as many places of one dimension as a run says, maybe none.

    torch-mlir writes once where there are none. So there is one more, in front, in a
    row of its own.
    """
    import torch

    shape = (*x.shape[:dim], *index.shape, *x.shape[dim + 1 :])
    value = value.expand(shape).flatten(dim, dim + index.dim() - 1)
    row = x.new_zeros((*x.shape[:dim], 1, *x.shape[dim + 1 :]))
    place = torch.cat([torch.zeros(1, dtype=index.dtype), index.reshape(-1) + 1])
    given = [*[None] * dim, place]
    whole = torch.cat([row, x], dim)
    written = op(whole, given, torch.cat([row, value], dim), accumulate)
    return written.narrow(dim, 1, x.shape[dim])


def _is_open(x: Any) -> bool:
    return any(type(size) is not int for size in x.shape)


def counts(op: Any, x: Any, weights: Any = None, minlength: int = 0) -> Any:
    """`bincount`, whose elements are places in the result."""
    import torch

    if assumed().in_range or weights is not None:
        return NotImplemented
    x, error = x.long(), "bincount only supports 1-d non-negative integral inputs."
    demand((x >= 0).all(), f"RuntimeError: {error}")
    with unchecked():
        return torch.bincount(x.clamp(min=0), minlength=minlength)


def one_hot(op: Any, classes: Any, count: int = -1) -> Any:
    """A row of zeros for each element, with one 1."""
    if assumed().in_range or count < 1:
        return NotImplemented
    error = "RuntimeError: Class values must be "
    demand((classes >= 0).all(), f"{error}non-negative.")
    demand((classes < count).all(), f"{error}smaller than num_classes.")
    with unchecked():
        return op(classes, count)


def _inside(index: Any, size: Any) -> Any:
    """An index that may be written at: counted from the front, and in range."""
    import torch

    return torch.where(index < 0, index + size, index).clamp(0, size - 1)


def _error(name: str, x: Any, dim: int, named: dict[str, Any]) -> str:
    """What eager raises, less the index itself."""
    scatters = x.dim() > 1 and named.get("alpha", 1) == 1
    if name == "index_select" or (name == "index_add" and not scatters):
        return _IN_SELF
    kind = "IndexError" if name in ("index_fill", "index_copy") else "RuntimeError"
    call = "index_copy_(): " if name == "index_copy" else ""
    return f"{kind}: {call}{_out_of(x, dim)}"


def _out_of(x: Any, dim: int) -> str:
    size = x.shape[dim]
    text = f"index is out of bounds for dimension {dim % x.dim()}"
    return f"{text} with size {size}" if type(size) is int else text


_IN_SELF = "IndexError: index out of range in self"


def _demand(index: Any, low: Any, high: Any, error: str) -> None:
    demand(((index >= low) & (index < high)).all(), error)


def unchecked() -> AbstractContextManager[None]:
    """The indices are known to be in range: the ops may go to torch-mlir."""
    return assuming(in_range=True)
