"""Sizes that are expressions, and 1: what is broadcast must be known to be one.

    x - x[:1]        b rows, and Min(1, b)
    x * x[:, 3:4]    n columns, and Min(4, n) - Min(3, n)

torch takes such a size for 1 where it broadcasts, by the values that it reckons with.
A kernel cannot: to it a size that only a run knows is that of the other tensor. So the
operand is refined, to a tensor of one row; and that it is one is required of the run.

    torch.zeros(6).index_add(0, i, y)    i has n elements, y has 1

So is a name that must be 1, as on the side of a decision where it is (`squeeze`).
"""

from collections.abc import Callable, Sequence
from itertools import count
from math import prod

from dycl.analysis.dynamic_sizes.attempts import attempts
from dycl.analysis.dynamic_sizes.ranges import allows, always
from dycl.analysis.dynamic_sizes.size_texts import evaluate, is_true, words
from dycl.analysis.dynamic_sizes.sizes import (
    GUARD,
    Probe,
    Requirement,
    dims_of,
    with_sizes,
)
from dycl.analysis.tensors.abstract import Dim, Tensor, leaves, map_leaves
from dycl.analysis.tensors.outcomes import Outcome

_OTHERS = (2, 3, 5)
Place = tuple[int, int]
"""The number of a leaf among the operands, and a dimension of that tensor."""


def usual_sizes(operands: Sequence[object]) -> dict[str, int]:
    """The sizes with which torch is asked first."""
    return dict(attempts(operands)[0].hints)


def single_texts(operands: Sequence[object], sizes: dict[str, int]) -> tuple[str, ...]:
    """The expressions among the sizes of tensors that are 1 for these sizes."""
    texts = {
        size.text: None
        for tree in operands
        for leaf in leaves(tree)
        if isinstance(leaf, Tensor)
        for size in leaf.shape
        if isinstance(size, Dim) and words(size.text) != [size.text]
    }
    return tuple(text for text in texts if evaluate(text, sizes) == 1)


def holds(found: Outcome, sizes: dict[str, int]) -> bool:
    """Whether all that is required of a run holds for these sizes."""
    return all(is_true(one.relation, sizes) for one in found.requires)


def places_of(operands: Sequence[object], texts: Sequence[str]) -> tuple[Place, ...]:
    """Where tensors have one of these sizes."""
    given = [leaf for tree in operands for leaf in leaves(tree)]
    return tuple(
        (number, dimension)
        for number, leaf in enumerate(given)
        if isinstance(leaf, Tensor)
        for dimension, size in enumerate(leaf.shape)
        if isinstance(size, Dim) and size.text in texts
    )


def refined(operands: Sequence[object], places: Sequence[Place]) -> list[object]:
    """The operands with a size of 1 at these places."""
    numbers = count()

    def one(leaf: object) -> object:
        number = next(numbers)
        single = {dimension for at, dimension in places if at == number}
        if not single or not isinstance(leaf, Tensor):
            return leaf
        shape = [1 if d in single else size for d, size in enumerate(leaf.shape)]
        return Tensor.contiguous(tuple(shape), leaf.dtype)

    return [map_leaves(tree, one) for tree in operands]


def may_be_one(operands: Sequence[object]) -> list[str]:
    """The names that are sizes of tensors, and nothing else, beside a known 1.

    A tensor of rank 0 counts as one element, such as the index of an `index_copy`.
    """
    given = [leaf for tree in operands for leaf in leaves(tree)]
    tensors = [leaf for leaf in given if isinstance(leaf, Tensor)]
    if all(leaf.shape and 1 not in leaf.shape for leaf in tensors):
        return []
    sizes = [size for leaf in tensors for size in leaf.shape if isinstance(size, Dim)]
    others = [
        size for leaf in given if not isinstance(leaf, Tensor) for size in dims_of(leaf)
    ]
    others += [size for size in sizes if words(size.text) != [size.text]]
    elsewhere = {name for size in others for name in words(size.text)}
    names = dict.fromkeys(size.text for size in sizes)
    return [n for n in names if n not in elsewhere and words(n) == [n] and allows(n, 1)]


def takes_others(
    operands: Sequence[object],
    name: str,
    one: Outcome,
    executed: Callable[[list[object]], Outcome],
) -> bool:
    """Whether the op does with another size what it does where the name is 1: `one`.

    `executed` runs it. `squeeze` of another size gives another rank.
    """
    usual = usual_sizes(operands)
    for size in _OTHERS:
        if allows(name, size):
            sizes = {**usual, name: size}
            found = executed([with_sizes(tree, sizes) for tree in operands])
            if _ranks(found) == _ranks(one):
                return True
    return False


def _ranks(found: Outcome) -> list[int | None]:
    """The rank of each tensor of the results; None: something else."""
    given = [leaf for tree in found.results for leaf in leaves(tree)]
    return [len(leaf.shape) if isinstance(leaf, Tensor) else None for leaf in given]


def is_one(name: str) -> Requirement:
    """That a name is 1."""
    return Requirement(f"{name} == 1", GUARD)


def required(
    texts: Sequence[str], found: Outcome, sizes: dict[str, int], probe: Probe
) -> tuple[Requirement, ...]:
    """That the sizes are 1, or that there is nothing to compute.

    `probe` runs the op with other sizes.
    """
    result: list[Requirement] = []
    for text in texts:
        parts = [f"(({text}) == 1)"]
        for name in dict.fromkeys(words(text)):
            none = {**sizes, name: 0}
            if allows(name, 0) and _is_empty(found, none) and probe(none) is None:
                parts.append(f"({name} == 0)")
        relation = " or ".join(parts)
        if not always(relation):
            result.append(Requirement(relation, GUARD))
    return tuple(result)


def _is_empty(found: Outcome, sizes: dict[str, int]) -> bool:
    """Whether the results have no elements with these sizes."""
    known = leaves(with_sizes(found.results, sizes))
    tensors = [leaf for leaf in known if isinstance(leaf, Tensor)]
    return bool(tensors) and all(prod(tensor.sizes) == 0 for tensor in tensors)
