"""Indices from the data: in range, or the run raises what eager raises.

torch-mlir reads and writes wherever an index says. A read is clamped in the kernel
(`dycl.kernels.cpu.rewrite.clamp_gathers`), a write here; and the run raises. torch is
imported in the functions.
"""

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from dycl.analysis.division import demand

_checked: ContextVar[bool] = ContextVar("dycl_checked_index", default=False)


def embedding(op: Any, weight: Any, index: Any, *rest: Any, **named: Any) -> Any:
    """Rows of a table."""
    if _checked.get():
        return NotImplemented
    _demand(index, 0, weight.shape[0], _IN_SELF)
    with _as_it_is():
        return op(weight, index, *rest, **named)


def along(op: Any, x: Any, dim: Any, index: Any, *rest: Any, **named: Any) -> Any:
    """`gather`, `scatter` and their like: one index for each element."""
    if _checked.get() or not hasattr(index, "dtype") or not x.dim():
        return NotImplemented
    name, size = op._schema.name[6:], x.shape[dim]
    low = -size if name == "index_fill" else 0
    _demand(index, low, size, _error(name, x, dim, named))
    if name not in ("gather", "index_select"):
        index = _inside(index, size)
    with _as_it_is():
        return op(x, dim, index, *rest, **named)


def at(op: Any, x: Any, indices: Sequence[Any], *rest: Any, **named: Any) -> Any:
    """`x[i, j]`, `x[i, j] = v`: a tensor of ints for some dimensions."""
    import torch

    if _checked.get():
        return NotImplemented
    given: list[Any] = []
    for dim, index in enumerate(indices):
        if index is not None and index.dtype in (torch.bool, torch.uint8):
            return NotImplemented
        if index is not None:
            size = x.shape[dim]
            _demand(index, -size, size, f"IndexError: {_out_of(x, dim)}")
            if rest:  # torch-mlir counts from the end only where it reads
                index = _inside(index, size)
        given.append(index)
    with _as_it_is():
        return op(x, given, *rest, **named)


def one_hot(op: Any, classes: Any, count: int = -1) -> Any:
    """A row of zeros for each element, with one 1."""
    if _checked.get() or count < 1:
        return NotImplemented
    error = "RuntimeError: Class values must be "
    demand((classes >= 0).all(), f"{error}non-negative.")
    demand((classes < count).all(), f"{error}smaller than num_classes.")
    with _as_it_is():
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


@contextmanager
def _as_it_is() -> Generator[None]:
    token = _checked.set(True)
    try:
        yield
    finally:
        _checked.reset(token)
