"""`x[a:b]` and `x[k]` where a bound, the index, or the whole's size is the data's.

Python clamps the bounds of a slice. So does the host, before the kernel sees them; the
size of the result is another one in each run.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from types import EllipsisType
from typing import Any, cast

from dycl.analysis.dynamic_sizes.slice_sizes import slice_size
from dycl.analysis.tensors.abstract import Dim, Scalar, Tensor, children, kind_of
from dycl.analysis.tensors.outcomes import Outcome
from dycl.analysis.tracing.graph import Input
from dycl.ir.dtypes import dtype_name
from dycl.ir.values import GlobalRef

Bound = int | Input | None


@dataclass(frozen=True)
class Step:
    """`x[start:stop:step]` along one dimension; or a `select`, or a new dimension."""

    kind: str
    """`slice`, `select` or `unsqueeze`."""
    dim: int
    start: Bound = None
    stop: Bound = None
    step: int = 1
    source: int = 0
    """Of an index: which dimension of the whole it is for, as errors say it."""


def plan(tensor: Tensor, index: object) -> list[Step] | None:
    """The steps of `tensor[index]`, if open slices or indices are in it.

    A bound or index that depends on the data is the leaf (`Input`) of the op's operands
    that it is. None: there is no such thing, or something else is in the index.
    """
    items = list(cast("tuple[object, ...]", index)) if type(index) is tuple else [index]
    used = sum(isinstance(i, (slice, int)) or is_number(i) for i in items)
    wide = sum(map(is_ellipsis, items))
    if wide > 1 or used > len(tensor.shape):
        return None
    steps: list[Step] = []
    numbers = iter(range(1, 1_000_000))
    source = dim = 0
    is_open = is_decided = has_fixed_item = False
    for item in items:
        if is_ellipsis(item):
            next(numbers)
            skipped = len(tensor.shape) - used
            source, dim = source + skipped, dim + skipped
        elif item is None:
            next(numbers)
            steps.append(Step("unsqueeze", dim))
            dim += 1
        elif isinstance(item, slice):
            step = _slice(item, dim, numbers)
            if step is None:
                return None
            known = isinstance(tensor.shape[source], int) and not has_input(step)
            is_open = is_open or not known
            is_decided = is_decided or has_input(step)
            steps.append(step)
            source, dim = source + 1, dim + 1
        elif is_number(item):
            steps.append(Step("select", dim, Input(next(numbers)), source=source))
            is_open = is_decided = True
            source += 1
        elif type(item) is int:
            next(numbers)
            size = tensor.shape[source]
            has_fixed_item = has_fixed_item or isinstance(size, Dim)
            if isinstance(size, int):
                if not -size <= item < size:
                    return None
                item %= size
            steps.append(Step("select", dim, item, source=source))
            source += 1
        else:
            return None
    # torch knows itself what `x[0]` and `x[0, 1:]` are, of any size.
    return steps if is_open and (is_decided or not has_fixed_item) else None


def is_ellipsis(item: object) -> bool:
    """Whether an item of a subscript is `...`."""
    return isinstance(item, EllipsisType) or item == GlobalRef("builtins.Ellipsis")


def is_number(item: object) -> bool:
    """Whether an index is an int of the data's, maybe as a tensor of rank 0."""
    if isinstance(item, Tensor):
        dtype = dtype_name(item.dtype)
        return item.shape == () and dtype in ("int64", "int32", "int16", "int8")
    return isinstance(item, Scalar) and item.kind == "int"


def _slice(item: Any, dim: int, numbers: Iterator[int]) -> Step | None:
    bounds: list[Bound] = []
    for part in children(item):
        number = next(numbers)
        if is_number(part):
            bounds.append(Input(number))
        elif part is None or kind_of(part) == "int":
            bounds.append(cast("int | None", part))
        else:
            return None
    start, stop, step = bounds
    step = 1 if step is None else step
    if not isinstance(step, int) or step < 1:
        return None
    return Step("slice", dim, start, stop, step)


def has_input(step: Step) -> bool:
    """Whether a bound depends on the data."""
    return isinstance(step.start, Input) or isinstance(step.stop, Input)


def shape_after(
    shape: tuple[int | Dim, ...], step: Step, new_dim: Callable[[int], Dim]
) -> tuple[int | Dim, ...]:
    """The shape after one step."""
    sizes: list[int | Dim] = list(shape)
    if step.kind == "select":
        del sizes[step.dim]
    elif step.kind == "unsqueeze":
        sizes.insert(step.dim, 1)
    elif step != Step("slice", step.dim):
        size = sizes[step.dim]
        if isinstance(size, int) and not has_input(step):
            indices = slice(step.start, step.stop, step.step).indices(size)
            sizes[step.dim] = len(range(*indices))
        else:
            sizes[step.dim] = new_dim(step.dim)
    return tuple(sizes)


def outcome(
    tensor: Tensor,
    steps: list[Step],
    given: Sequence[object],
    new_dim: Callable[[int], Dim],
) -> Outcome:
    """What a subscript by these steps gives: a view of the tensor.

    `given` are the leaves of the op's operands.
    """
    shape, strides = tensor.shape, list(tensor.strides)
    pending = 0
    for step in steps:
        if tensor.is_static:
            strides = _strides_after(shape, strides, step)

        def fresh(_: int) -> Dim:
            nonlocal pending
            pending += 1
            return Dim(f"_{pending}")

        size = _size_after(shape, step, given)
        shape = shape_after(shape, step, fresh)
        if size is not None:
            shape = (*shape[: step.dim], size, *shape[step.dim + 1 :])
    if pending == 0 and tensor.is_static:
        result = Tensor(shape, tensor.dtype, tuple(strides))
        return Outcome((result,), frozenset({(0, 0)}))
    named = tuple(
        new_dim(d) if isinstance(size, Dim) and size.text[0] == "_" else size
        for d, size in enumerate(shape)
    )
    return Outcome((Tensor.contiguous(named, tensor.dtype),), frozenset({(0, 0)}))


def _size_after(
    shape: tuple[int | Dim, ...], step: Step, given: Sequence[object]
) -> int | Dim | None:
    """The size of a slice where sizes of inputs decide it; None: they do not."""
    if step.kind != "slice" or (step.start, step.stop, step.step) == (None, None, 1):
        return None
    bounds = [
        given[bound.leaf] if isinstance(bound, Input) else bound
        for bound in (step.start, step.stop)
    ]
    size = shape[step.dim]
    if isinstance(size, int) and not has_input(step):
        return None
    return slice_size(size, bounds[0], bounds[1], step.step)


def _strides_after(
    shape: tuple[int | Dim, ...], strides: list[int], step: Step
) -> list[int]:
    """How far apart elements are in the view that eager has after one step."""
    result = list(strides)
    if step.kind == "select":
        del result[step.dim]
    elif step.kind == "slice":
        result[step.dim] *= step.step
    else:
        size = shape[step.dim] if step.dim < len(shape) else 1
        known = size if isinstance(size, int) else 1
        following = strides[step.dim] * known if step.dim < len(shape) else 1
        result.insert(step.dim, following)
    return result
