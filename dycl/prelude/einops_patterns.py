"""`einops.rearrange`, `reduce` and `repeat`, whose patterns are read when compiling.

einops' own keep tables of frameworks and recipes between calls, which a network cannot.
A pattern is a text of the program, so that all but sizes is known: what is left of a
call are `reshape`, `permute`, a reduction and `expand`. What does not fit raises
RuntimeError, of which einops' EinopsError is one.
"""

from typing import Any

import torch

from dycl.prelude.refusals import NotCompiled


def rearrange(tensor: Any, pattern: str, **axes_lengths: Any) -> Any:
    """`einops.rearrange`."""
    return _applied(tensor, pattern, "rearrange", axes_lengths)


def repeat(tensor: Any, pattern: str, **axes_lengths: Any) -> Any:
    """`einops.repeat`."""
    return _applied(tensor, pattern, "repeat", axes_lengths)


def reduce(tensor: Any, pattern: str, reduction: Any, **axes_lengths: Any) -> Any:
    """`einops.reduce` by `min`, `max`, `sum`, `mean`, `prod`, `any` or `all`."""
    if not isinstance(reduction, str):
        raise NotCompiled(
            "`einops.reduce` by a function of your own", "name the reduction: 'mean'"
        )
    return _applied(tensor, pattern, reduction, axes_lengths)


def _applied(tensor: Any, pattern: str, how: str, lengths: Any) -> Any:
    x = torch.stack(tensor) if isinstance(tensor, list) else tensor
    left, right = pattern.split("->")
    rest = x.dim() - len(_groups(left, []))
    if rest < 0 or ("..." not in left and rest > 0):
        raise RuntimeError(f"Wrong shape for the pattern {pattern!r}: {x.dim()} dims")
    whole = [f"...{i}" for i in range(rest)]
    given, wanted = _groups(left, whole), _groups(right, whole)
    names = [name for group in given for name in group]
    kept = [name for group in wanted for name in group]
    numbers = [name for name in names + kept if name[0].isdigit()]
    if numbers and how == "rearrange":
        raise RuntimeError(f"Non-unitary anonymous axes in rearrange: {pattern!r}")
    if [name for name in lengths if name not in names + kept]:
        raise RuntimeError(f"An axis is not used in {pattern!r}: {list(lengths)}")
    sizes = {**lengths, **{name: int(name.split("|")[0]) for name in numbers}}
    for dim, group in enumerate(given):
        sizes = {**sizes, **_measured(x.size(dim), group, sizes, pattern)}
    gone = [name for name in names if name not in kept]
    new = [name for name in kept if name not in names]
    if (gone and how in ("rearrange", "repeat")) or (new and how != "repeat"):
        raise RuntimeError(f"Identifiers only on one side of {pattern!r}: {gone + new}")
    return _between(x, given, wanted, sizes, how)


def _between(x: Any, given: Any, wanted: Any, sizes: Any, how: str) -> Any:
    """A tensor of dims that are groups of axes, as one of other such dims.

    Axes that are not wanted are reduced, those that are not given are repeated.
    """
    names = [name for group in given for name in group]
    kept = [name for group in wanted for name in group]
    gone = [name for name in names if name not in kept]
    new = [name for name in kept if name not in names]
    if len(names) != len(given):
        x = x.reshape([sizes[name] for name in names])
    order = [names.index(name) for name in kept + gone if name not in new]
    if order != list(range(len(order))):
        x = x.permute(order)
    x = _reduced(x, how, len(gone))
    if new:
        x = x.reshape([1 if name in new else sizes[name] for name in kept])
        x = x.expand([sizes[name] for name in kept])
    if all([len(group) == 1 for group in wanted]):
        return x
    return x.reshape([_product([sizes[name] for name in group]) for group in wanted])


def _product(numbers: Any) -> Any:
    result = 1
    for number in numbers:
        result = result * number
    return result


def apply_recipe(recipe: Any, tensor: Any, reduction_type: str, axes_dims: Any) -> Any:
    """What `Rearrange` and `Reduce` of `einops.layers.torch` call, with a recipe that
    they have made of their pattern: its axes are numbers."""
    places = recipe.axis_name2elementary_axis
    named = {places[name]: size for name, size in axes_dims}
    known = enumerate(recipe.elementary_axes_lengths)
    sizes = {**{axis: size for axis, size in known if size >= 0}, **named}
    groups = [[*old, *new] for old, new in recipe.input_composition_known_unknown]
    for dim, group in enumerate(groups):
        sizes = {**sizes, **_measured(tensor.size(dim), group, sizes, reduction_type)}
    wanted = [[axis for axis in group] for group in recipe.output_composite_axes]
    return _between(tensor, groups, wanted, sizes, reduction_type)


def _groups(side: str, whole: Any) -> Any:
    """The names that each dim of one side is made of; `whole`: those for `...`.

    A number is a name with its position, so that no two are one.
    """
    text = side.replace("...", " ... ").replace("(", "|(").replace(")", ")|")
    groups: list[Any] = []
    for place, part in enumerate(text.split("|")):
        words = part.strip("()").split()
        named = [_names(word, f"{place}.{i}", whole) for i, word in enumerate(words)]
        if part.startswith("("):
            groups = [*groups, [name for names in named for name in names]]
        elif "..." in words:
            at = words.index("...")
            dims = [[name] for name in whole]
            groups = [*groups, *named[:at], *dims, *named[at + 1 :]]
        else:
            groups = [*groups, *named]
    return groups


def _names(word: str, place: str, whole: Any) -> Any:
    if word == "...":
        return whole
    if word == "1":
        return []
    return [f"{word}|{place}" if word.isdigit() else word]


def _measured(size: Any, group: Any, sizes: Any, pattern: str) -> Any:
    """The size of the one name of a dim that has none; all of them are checked."""
    unknown = [name for name in group if name not in sizes]
    known = _product([sizes[name] for name in group if name not in unknown])
    if len(unknown) > 1:
        raise RuntimeError(f"Could not infer sizes for {unknown} of {pattern!r}")
    if len(unknown) == 0:
        if size != known:
            raise RuntimeError(f"Shape mismatch, {size} != {known}")
        return {}
    if size % known != 0:
        raise RuntimeError(
            f"Shape mismatch, can't divide axis of length {size} in chunks of {known}"
        )
    return {unknown[0]: size // known}


def _reduced(x: Any, how: str, count: int) -> Any:
    """Reduced over the last dims."""
    if count == 0:
        return x
    dims = [-1 - i for i in range(count)]
    if how == "max":
        return x.amax(dims)
    if how == "min":
        return x.amin(dims)
    if how == "sum":
        return x.sum(dims)
    if how == "mean":
        return x.mean(dims)
    for _ in dims:
        if how == "prod":
            x = x.prod(-1)
        elif how == "any":
            x = x.any(-1)
        elif how == "all":
            x = x.all(-1)
        else:
            raise RuntimeError(f"Unknown reduction {how}.")
    return x
