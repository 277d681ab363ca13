"""Storing into a tensor by subscript, as `dycl.update_subscript` says.

What Python does, but `v[mask] = w` and `v[mask] += w` are done without asking how many
elements the mask has, so that they work on fake tensors too: each element of `v` is
given its own of `w`, and the mask says which of them count.
"""

from collections.abc import Callable, Sequence
from types import EllipsisType
from typing import Any, cast

from dycl.ir.not_evaluated import NotEvaluated


def update(
    root: Any,
    path: Sequence[object],
    value: Any,
    change: Callable[[Any, Any], Any] | None,
) -> None:
    """`root[path[0]][path[1]].. = value`, or with `change` in place of what is there.

    All but the last subscript have to give views. Raises NotEvaluated for a mask among
    other subscripts, and what torch raises.
    """
    target = root
    for index in path[:-1]:
        target = target[index]
    last = path[-1]
    place = _one_mask(last)
    if place is not None:
        _update_mask(target, last, place, value, change)
        return
    if not is_basic(last) and not _is_of_integers(last):
        raise NotEvaluated("storing at several masks at once cannot be compiled")
    value = _for_each_place(value, last, target)
    if change is None:
        target[last] = value
    else:
        part = target[last]
        changed = change(part, value)
        # A view that is changed where it is, is stored; at indices it is a copy.
        if changed is not part or not is_basic(last):
            target[last] = changed


def is_basic(index: object) -> bool:
    """Whether subscripting a tensor with this gives a view of it."""
    if isinstance(index, tuple):
        return all(
            is_basic(part) and not isinstance(part, tuple)
            for part in cast("tuple[object, ...]", index)
        )
    if isinstance(index, bool):
        return False
    return index is None or isinstance(index, (int, slice, EllipsisType))


def _update_mask(
    target: Any,
    index: object,
    place: int,
    value: Any,
    change: Callable[[Any, Any], Any] | None,
) -> None:
    """Store at a subscript whose part `place` is a mask, all others being basic."""
    import torch

    whole = index if type(index) is tuple else (index,)
    parts: list[Any] = list(cast("tuple[Any, ...]", whole))
    mask = parts[place]
    every = [slice(None)] * mask.ndim
    view = target[(*parts[:place], *every, *parts[place + 1 :])]
    # The mask's dimensions come first; what it selects is one dimension at `before`.
    before = _dims_before(parts, place, target.ndim)
    view = view.movedim([before + d for d in range(mask.ndim)], list(range(mask.ndim)))
    if tuple(mask.shape) != tuple(view.shape[: mask.ndim]) or mask.ndim == 0:
        raise NotEvaluated(
            f"the mask has shape {tuple(mask.shape)}, what it selects from "
            f"{tuple(view.shape)}"
        )
    rest = view.shape[mask.ndim :]
    if _is_tensor(value) and value.ndim > 0:
        value = _spread(value, mask, before, rest)
    if change is None:
        new = torch.empty_like(view)
        new[...] = value
    else:
        new = change(view.clone(), value)
    chosen = mask.reshape(mask.shape + (1,) * len(rest))
    view.copy_(torch.where(chosen, new, view))


def _dims_before(parts: list[Any], place: int, rank: int) -> int:
    """How many dimensions the subscripts in front of the mask give."""
    head = parts[:place]
    result = sum(part is None or isinstance(part, slice) for part in head)
    if any(isinstance(part, EllipsisType) for part in head):
        others = [*head, *parts[place + 1 :]]
        used = sum(isinstance(part, (int, slice)) for part in others)
        result += rank - used - parts[place].ndim
    return result


def _spread(value: Any, mask: Any, before: int, rest: Any) -> Any:
    """For each element of the mask its own part of what is stored where it is true."""
    import torch

    while value.ndim > 1 + len(rest) and value.shape[0] == 1:
        value = value[0]
    if value.ndim <= len(rest) - before:
        return value  # the same for all
    missing = 1 + len(rest) - value.ndim
    value = value.reshape((1,) * missing + tuple(value.shape)).movedim(before, 0)
    count = value.shape[0]
    if type(count) is int and count == 1:
        return value.reshape((1,) * (mask.ndim - 1) + tuple(value.shape))
    fits = mask.sum() == count
    if type(count) is not int:
        fits = fits | (mask.sum() * 0 + count == 1)
    torch.ops.aten._assert_async.msg(fits, MISMATCH)
    # One more row, for a mask that is nowhere true.
    value = torch.cat([value, value.new_ones((1, *value.shape[1:]))])
    place = (mask.reshape(-1).long().cumsum(0) - 1).clamp(0, count - 1)
    return value[place].reshape(tuple(mask.shape) + tuple(value.shape[1:]))


MISMATCH = "RuntimeError: shape mismatch: what is stored does not fit the mask"
"""What a run says of a mask that is true for another number than there are values."""


def _for_each_place(value: Any, index: object, target: Any) -> Any:
    """What is stored at lists of places, a row for each place.

    The number of places and that of rows may each be the data's, as in `y[(y > 0).
    nonzero(as_tuple=True)] = x[x > 0]`; the run checks that they are equal, or that one
    row is for all.
    """
    import torch

    places = cast("tuple[Any, ...]", index if type(index) is tuple else (index,))
    if not all(_is_tensor(one) and one.ndim == 1 for one in places):
        return value
    rest = target.ndim - len(places)
    if not _is_tensor(value) or value.ndim <= rest:
        return value
    while value.ndim > 1 + rest and value.shape[0] == 1:
        value = value[0]
    count, wanted = value.shape[0], places[0].shape[0]
    is_known = type(count) is int and (count == 1 or type(wanted) is int)
    if is_known or str(count) == str(wanted):
        return value  # torch compares them.
    given = value.new_zeros((), dtype=torch.long) + count
    torch.ops.aten._assert_async.msg(
        (given == wanted) | (given == 1), f"RuntimeError: {UNLIKE}"
    )
    value = torch.cat([value, value.new_ones((1, *value.shape[1:]))])
    return value[torch.arange(wanted, device=value.device).clamp(0, count - 1)]


UNLIKE = "shape mismatch: what is stored does not fit the indices"
"""What a run says of places and of values that are neither one nor as many."""


def _one_mask(index: object) -> int | None:
    """Where the only mask stands in a subscript that is basic but for it."""
    if _is_mask(index):
        return 0
    if type(index) is not tuple:
        return None
    parts = cast("tuple[object, ...]", index)
    masks = [i for i, part in enumerate(parts) if _is_mask(part)]
    if len(masks) != 1 or not is_basic(parts[: masks[0]] + parts[masks[0] + 1 :]):
        return None
    return masks[0]


def _is_mask(index: object) -> bool:
    import torch

    return _is_tensor(index) and cast(Any, index).dtype == torch.bool


def _is_of_integers(index: object) -> bool:
    """Whether a subscript has tensors, lists or ranges of ints in it, but no mask."""
    if isinstance(index, range):
        return True
    if isinstance(index, (tuple, list)):
        return all(map(_is_of_integers, cast("list[object]", index)))
    if _is_tensor(index):
        return not _is_mask(index) and str(cast(Any, index).dtype) != "torch.uint8"
    return not isinstance(index, bool) and is_basic(index)


def _is_tensor(value: object) -> bool:
    return hasattr(value, "untyped_storage")
