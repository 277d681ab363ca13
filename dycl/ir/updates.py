"""Storing into a tensor by subscript, as `dycl.update_subscript` says.

What Python does, but for `v[mask] = c` and `v[mask] += c` with one number `c`: how many
elements the mask has need not be known for that, so it works on fake tensors too.
"""

from collections.abc import Callable, Sequence
from types import EllipsisType
from typing import Any, cast

from dycl.ir.world import NotEvaluated


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
    if _is_mask(last):
        _update_mask(target, last, value, change)
    elif not is_basic(last) and not _is_of_integers(last):
        raise NotEvaluated(
            "storing at a mask among other subscripts cannot be compiled"
        )
    elif change is None:
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
    target: Any, mask: Any, value: Any, change: Callable[[Any, Any], Any] | None
) -> None:
    import torch

    if tuple(mask.shape) != tuple(target.shape[: mask.ndim]) or mask.ndim == 0:
        raise NotEvaluated(
            f"the mask has shape {tuple(mask.shape)}, what it selects from "
            f"{tuple(target.shape)}"
        )
    if _is_tensor(value) and value.ndim > 0:
        raise NotEvaluated(
            "storing a tensor at a mask needs the number of its elements; "
            "torch.where takes a tensor of the full shape"
        )
    if change is None:
        new = torch.empty_like(target)
        new[...] = value
    else:
        new = change(target.clone(), value)
    wide = mask.reshape(mask.shape + (1,) * (target.ndim - mask.ndim))
    target.copy_(torch.where(wide, new, target))


def _is_mask(index: object) -> bool:
    import torch

    return _is_tensor(index) and cast(Any, index).dtype in (torch.bool, torch.uint8)


def _is_of_integers(index: object) -> bool:
    """Whether a subscript has tensors or lists of ints in it, but no mask."""
    if isinstance(index, (tuple, list)):
        return all(map(_is_of_integers, cast("list[object]", index)))
    if _is_tensor(index):
        return not _is_mask(index)
    return not isinstance(index, bool) and is_basic(index)


def _is_tensor(value: object) -> bool:
    return hasattr(value, "untyped_storage")
