"""The same elements in another form: strides, pads, dims of size 1 left out.

torch is imported in the functions.
"""

from itertools import zip_longest
from typing import Any

from dycl.analysis.tensors import padding
from dycl.analysis.torch_fixes.division import is_open
from dycl.analysis.torch_fixes.indices import unchecked
from dycl.analysis.tracing.graph import Untraceable


def squeezed(op: Any, x: Any, dims: Any = None) -> Any:
    """`squeeze` of several dims, those of size 1 among them; no dynamic size is 1."""
    if dims is None:
        dims = range(x.dim())
    asked = [dims] if type(dims) is int else list(dims)
    asked = sorted({dim % max(x.dim(), 1) for dim in asked}, reverse=True)
    is_dynamic = any(x.dim() and type(x.shape[dim]) is not int for dim in asked)
    if op._overloadname != "dims" and not is_dynamic:
        return NotImplemented
    for dim in asked:
        if x.dim() and is_one(x.shape[dim]):
            x = x.squeeze(dim)
    return x


def broadcast(op: Any, tensors: Any) -> Any:
    """`broadcast_tensors` of dynamic sizes: torch-mlir makes a row of one and none."""
    import torch

    shapes = [[*reversed(x.shape)] for x in tensors]
    if all(type(size) is int for shape in shapes for size in shape):
        return NotImplemented
    aligned = zip_longest(*shapes, fillvalue=1)
    wanted = [next((n for n in sizes if not is_one(n)), 1) for sizes in aligned]
    return [torch.broadcast_to(x, wanted[::-1]) for x in tensors]


def is_one(size: Any) -> bool:
    """Whether a size is known to be 1; no dynamic size is."""
    return type(size) is int and size == 1


def rolled(op: Any, x: Any, shifts: Any, dims: Any = ()) -> Any:
    """`roll`, which goes around a dim as often as it has to.

    A step of one is right for every size; what goes further in a size that the input
    decides is taken by places, and so is a number of steps that the run decides.
    """
    import torch

    if not dims:
        return torch.roll(x.reshape(-1), shifts, [0]).reshape(x.shape)
    if is_open():
        for shift, dim in zip(shifts, dims, strict=True):
            x = _by_places(x, torch.full((), shift, dtype=torch.long), dim)
        return x
    if all(map(_is_once, shifts, [x.shape[dim] for dim in dims])):
        return NotImplemented
    for shift, dim in zip(shifts, dims, strict=True):
        size = x.shape[dim]
        if _is_once(shift, size):
            x = op(x, [shift], [dim])
        elif type(size) is int and type(shift) is int:
            x = op(x, [shift % size], [dim]) if size else x
        else:
            x = _by_places(x, shift, dim)
    return x


def _is_once(shift: Any, size: Any) -> bool:
    """Whether it goes around a dim not at all or once, as torch-mlir does it."""
    if type(shift) is not int:
        return False
    return abs(shift) <= (size if type(size) is int and size else 1)


def _by_places(x: Any, shift: Any, dim: int) -> Any:
    """What `shift` places before stands along a dim, around its ends."""
    import torch

    size = x.shape[dim]
    count = torch.full((), size, dtype=torch.long).clamp(min=1)
    with unchecked():
        return x.index_select(dim, (torch.arange(size) - shift % count) % count)


def strided(
    op: Any, x: Any, sizes: Any, strides: Any, storage_offset: Any = None
) -> Any:
    """`as_strided`: the elements by their places in memory, which has no gaps."""
    x = _as_it_lies(x)
    place = _places("as_strided", x, sizes, strides, storage_offset)
    with unchecked():
        return x.reshape(-1)[place]


def strided_put(
    op: Any, x: Any, part: Any, sizes: Any, strides: Any, storage_offset: Any = None
) -> Any:
    """`as_strided_scatter`: the same places of a copy, with other elements."""
    import torch

    place = _places("as_strided_scatter", x, sizes, strides, storage_offset)
    flat = x.reshape(-1)
    with unchecked():
        found = torch.index_put(flat, (place.reshape(-1),), part.reshape(-1))
    return found.reshape(x.shape)


def _as_it_lies(x: Any) -> Any:
    """The same elements in the order of the memory, if there are no gaps in it."""
    if not all(type(n) is int for n in (*x.shape, *x.stride())):
        return x
    dims = sorted(range(x.dim()), key=lambda d: (-x.stride(d), -x.shape[d]))
    return x if x.is_contiguous() else x.permute(dims)


def _places(name: str, x: Any, sizes: Any, strides: Any, storage_offset: Any) -> Any:
    """Where the elements are among those of the tensor. Untraceable: it has gaps."""
    import torch

    known = all(type(n) is int for n in (*sizes, *strides, *x.shape))
    if not known or not x.is_contiguous() or x.storage_offset():
        raise Untraceable(f"torch op aten.{name} of a view has no lowering")
    spans = [(n - 1) * step for n, step in zip(sizes, strides, strict=True)]
    if all(sizes) and sum(spans) + (storage_offset or 0) >= x.numel():
        raise Untraceable(
            f"torch op aten.{name} of elements that are not the tensor's has no "
            "lowering"
        )
    place = torch.full((), storage_offset or 0, dtype=torch.long)
    for dim, (size, stride) in enumerate(zip(sizes, strides, strict=True)):
        steps = torch.arange(size) * stride
        place = place + steps.reshape([-1] + [1] * (len(sizes) - 1 - dim))
    return place.expand(sizes)


def padded(op: Any, x: Any, pad: Any, *rest: Any, **named: Any) -> Any:
    """`constant_pad_nd` and `pad`: bools as ints, and where less than nothing is put.

    A size below zero cuts elements off.
    """
    import torch

    mode, value = "constant", rest[-1] if rest else named.get("value", 0)
    if op._schema.name == "aten::pad":
        mode = rest[0] if rest else named.get("mode", "constant")
        value = rest[1] if len(rest) > 1 else named.get("value")
    known = all(type(size) is int for size in (*pad, *x.shape)) and not is_open()
    if mode == "circular" and not known:
        sizes = x.shape[x.dim() - len(pad) // 2 :]
        if not all(type(size) is int for size in (*pad, *sizes)):
            raise Untraceable("`F.pad` around a size that the input decides")
        known = True
    is_fixed = all(type(size) is int for size in pad) and not is_open()
    if is_fixed and padding.cuts_edge(x, pad, mode):
        return padding.by_places(x, pad, mode)
    is_own = mode == "circular" or (mode == "reflect" and len(pad) > _PLANE)
    if is_fixed and (mode == "constant" or (is_own and mode == "reflect")):
        known = True  # also of an image whose size the input decides
    is_cut = known and any(map(padding.is_cut, pad))
    if not (known and (is_own or mode in ("constant", "replicate"))):
        return NotImplemented
    if not is_cut and (mode == "replicate" or x.dtype != torch.bool) and not is_own:
        return NotImplemented
    x, more = padding.cut(x, pad)
    if not any(more):
        return x.clone()
    if is_own:
        for place in range(0, len(more), 2):
            dim = x.dim() - 1 - place // 2
            x = _framed(x, dim, more[place], more[place + 1], mode == "circular")
        return x
    value = 0 if value is None else value
    if x.dtype == torch.bool:
        return torch.constant_pad_nd(x.int(), more, int(bool(value))) != 0
    return torch.constant_pad_nd(x, more, value)


_PLANE = 4
"""Pads of an image: torch-mlir reflects one, and no volume."""


def _framed(x: Any, dim: int, before: int, after: int, is_round: bool) -> Any:
    """The tensor between copies of its own ends, or reflected in its first and last."""
    import torch

    size = x.shape[dim]
    if is_round:
        ends = x.narrow(dim, size - before, before), x.narrow(dim, 0, after)
    else:
        ends = x.narrow(dim, 1, before), x.narrow(dim, size - 1 - after, after)
        ends = tuple(end.flip(dim) for end in ends)
    return torch.cat([ends[0], x, ends[1]], dim)


def to_slice(
    op: Any,
    x: Any,
    part: Any,
    dim: int = 0,
    start: int | None = None,
    end: int | None = None,
    step: int = 1,
) -> Any:
    """`slice_scatter`, whose sizes torch compares when it runs, and not when it infers
    shapes. RuntimeError: they differ. Untraceable: they may."""
    import torch
    from torch.fx.experimental.symbolic_shapes import statically_known_true

    wanted = torch.ops.aten.slice.Tensor(x, dim, start, end, step).shape
    sizes = [*part.shape], [*wanted]
    are_fixed = all(type(size) is int for size in (*sizes[0], *sizes[1]))
    if len(sizes[0]) != len(sizes[1]) or (are_fixed and sizes[0] != sizes[1]):
        raise RuntimeError(
            "expected src to have a size equal to the slice of self. "
            f"src size = {sizes[0]}, slice size = {sizes[1]}"
        )
    pairs = zip(*sizes, strict=True)
    if not all(statically_known_true(size == other) for size, other in pairs):
        raise Untraceable(
            "slice_scatter of a part whose size may be another one than that of the "
            "slice: write `y = x.clone(); y[..., a:b] = part`"
        )
    return NotImplemented


REWRITES = {
    "broadcast_tensors": broadcast,
    "squeeze": squeezed,
    "squeeze_copy": squeezed,
    "as_strided": strided,
    "as_strided_copy": strided,
    "as_strided_scatter": strided_put,
    "slice_scatter": to_slice,
    "constant_pad_nd": padded,
    "pad": padded,
}
"""Name of an op -> what it is written as, from the overload and its operands."""
