"""`einops.pack`, `unpack`, `einsum` and `parse_shape`, as `einops_patterns` has it.

Patterns are texts of the program; shapes may be those of the run. What does not fit
raises RuntimeError, of which einops' EinopsError is one.
"""

from typing import Any

import torch


def pack(tensors: Any, pattern: str) -> Any:
    """`einops.pack`: one tensor, and the shapes that took the place of `*`.

    Raises RuntimeError: a tensor has fewer dims than the pattern has axes.
    """
    before, after = _around(pattern, "pack")
    parts, shapes = [], []
    for i, tensor in enumerate(tensors):
        shape = tensor.shape
        if len(shape) < before + after:
            raise RuntimeError(
                f"packed tensor #{i} (enumeration starts with 0) has shape {shape}, "
                f"while pattern {pattern} assumes at least {before + after} axes"
            )
        end = len(shape) - after
        shapes.append(shape[before:end])
        parts.append(tensor.reshape([*shape[:before], -1, *shape[end:]]))
    return torch.cat(parts, dim=before), shapes


def unpack(tensor: Any, packed_shapes: Any, pattern: str) -> Any:
    """`einops.unpack`: a list of tensors of these shapes, of which one may have a -1.

    Raises RuntimeError: the pattern has other dims, or the shapes do not fit.
    """
    before, after = _around(pattern, "unpack")
    if tensor.dim() != before + 1 + after:
        raise RuntimeError(
            f"unpack(..., {pattern}) received input of wrong dim with shape "
            f"{tensor.shape}"
        )
    lengths = [_length(shape) for shape in packed_shapes]
    places = _places(lengths, tensor.size(before), pattern)
    moved, sizes = tensor.movedim(before, 0), [*tensor.shape]
    return [
        _part(moved, places[i], places[i + 1], packed_shapes[i], sizes, before)
        for i in range(len(lengths))
    ]


def _part(
    moved: Any, start: Any, stop: Any, shape: Any, sizes: Any, before: int
) -> Any:
    """Rows of `moved`, whose first dim is one of these sizes, as dims of this shape."""
    if stop < start or stop > moved.size(0):
        raise RuntimeError(f"could not split axis of size {moved.size(0)}")
    if len(shape) == 0:
        return moved[start]
    part = moved[start:stop].movedim(0, before)
    if len(shape) == 1:
        return part
    return part.reshape([*sizes[:before], *shape, *sizes[before + 1 :]])


def _around(pattern: str, name: str) -> Any:
    """How many axes there are before and after `*`."""
    axes = pattern.split()
    if len(axes) != len(set(axes)):
        raise RuntimeError(f'Duplicates in axes names in {name}(..., "{pattern}")')
    if "*" not in axes:
        raise RuntimeError(f'No *-axis in {name}(..., "{pattern}")')
    before = axes.index("*")
    return before, len(axes) - before - 1


def _length(shape: Any) -> Any:
    """How many elements a shape has; -1 stands for any number."""
    result = 1
    for size in shape:
        if isinstance(size, int) and size == -1:
            return -1
        result = result * size
    return result


def _places(lengths: Any, size: Any, pattern: str) -> Any:
    """Where each part begins, and the end: from the front up to a -1, else the back."""
    count = len(lengths)
    unknown = [i for i in range(count) if lengths[i] == -1]
    if len(unknown) > 1:
        raise RuntimeError(f"unpack(..., {pattern}) received more than one -1")
    places, last = [0] * count + [size], count - 1
    if unknown:
        last = unknown[0]
    for i in range(last):
        places[i + 1] = places[i] + lengths[i]
    for i in range(count - 1, last, -1):
        places[i] = places[i + 1] - lengths[i]
    return places


def einsum(*tensors_and_pattern: Any) -> Any:
    """`einops.einsum`: axes by names, those on the left alone are summed.

    Raises ValueError: there is no pattern, or it has no `->`. RuntimeError: an axis on
    the right is not on the left. NotImplementedError: parentheses.
    """
    if len(tensors_and_pattern) <= 1:
        raise ValueError(
            "`einops.einsum` takes at minimum two arguments: the tensors (at least "
            "one), followed by the pattern."
        )
    pattern = tensors_and_pattern[-1]
    if not isinstance(pattern, str):
        raise ValueError("The last argument passed to `einops.einsum` must be a string")
    if "->" not in pattern:
        raise ValueError("Einsum pattern must contain '->'.")
    if "(" in pattern:
        raise NotImplementedError("Shape rearrangement is not yet supported in einsum.")
    left, right = pattern.split("->")
    sides = [[*side.replace("...", " ... ").split()] for side in left.split(",")]
    wanted = [*right.replace("...", " ... ").split()]
    names = []
    for side in sides:
        names = [*names, *[n for n in side if n not in names and n != "..."]]
    for name in wanted:
        if name not in names and name != "...":
            raise RuntimeError(
                f"Unknown axis {name} on right side of einsum {pattern}."
            )
    letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
    texts = [
        "".join([n if n == "..." else letters[names.index(n)] for n in side])
        for side in [*sides, wanted]
    ]
    return torch.einsum(
        ",".join(texts[:-1]) + "->" + texts[-1], tensors_and_pattern[:-1]
    )


def parse_shape(x: Any, pattern: str) -> Any:
    """`einops.parse_shape`: names -> sizes; `_` names nothing, a number is checked.

    Raises RuntimeError: another number of dims, or a size is not the number.
    """
    names = pattern.replace("...", " ... ").split()
    if "(" in pattern:
        raise RuntimeError(f"Can't parse shape with composite axes: {pattern}")
    rest = x.dim() - len(names)
    if "..." in names:
        at = names.index("...")
        names = [*names[:at], *["_"] * (rest + 1), *names[at + 1 :]]
    if len(names) != x.dim():
        raise RuntimeError(
            f"Can't parse shape with different number of dimensions: {pattern}"
        )
    sizes = {}
    for d, name in enumerate(names):
        if name.isdigit():
            if x.size(d) != int(name):
                raise RuntimeError(
                    f"Length of anonymous axis does not match: {pattern}"
                )
        elif name != "_":
            sizes[name] = x.size(d)
    return sizes
