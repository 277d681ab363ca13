"""Names of sizes by which an op is asked about: equal questions, equal names.

A name such as `d17` says which size of the program is meant. What an op does with it is
the same whatever its name is, so torch is asked with neutral ones, and the answer is
told with those of the program. A captioning network with a beam search has 1,271
questions with dynamic sizes, of which 127 are different ones.

Neutral names stand in the order of those that they are for: sympy sorts sums and
products by names, and equal sizes have to have equal texts.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from dycl.analysis.dynamic_sizes.ranges import SUFFIX, suffix_of
from dycl.analysis.dynamic_sizes.sizes import names_in
from dycl.analysis.tensors.abstract import Dim, Scalar, Tensor, Unknown, map_leaves
from dycl.support.reasons import reworded

_OURS = re.compile(rf"[dn]\d+{SUFFIX}")
_WORD = re.compile(r"\b[A-Za-z]\w*\b")


class NeutralNames:
    """The neutral names for the sizes in some values; none where there are no sizes."""

    def __init__(self, trees: Sequence[object]):
        """Of names that are no sizes of the program's values, none is changed."""
        names = sorted(filter(_OURS.fullmatch, names_in(trees)))
        self._neutral = {
            name: f"{name[0]}_{i:03}{suffix_of(name)}" for i, name in enumerate(names)
        }
        self._own = {neutral: name for name, neutral in self._neutral.items()}

    def __bool__(self) -> bool:
        """Whether anything has another name."""
        return bool(self._own)

    def neutral(self, trees: Sequence[object]) -> Sequence[object]:
        """The abstract values with neutral names."""
        return [_renamed(tree, self._neutral) for tree in trees] if self else trees

    def own(self, tree: object) -> object:
        """An abstract value with the names of the program."""
        return _renamed(tree, self._own)

    def own_text(self, text: str) -> str:
        """An expression, a relation or a reason with the names of the program."""
        return in_text(text, self._own) if self else text


def _renamed(tree: object, names: Mapping[str, str]) -> object:
    def one(leaf: object) -> object:
        if isinstance(leaf, Unknown):
            return replace(leaf, reason=in_text(leaf.reason, names))
        return leaf

    renamed = with_sizes(tree, lambda size: Dim(in_text(size.text, names)))
    return map_leaves(renamed, one)


def with_sizes(tree: object, told: Callable[[Dim], int | Dim]) -> object:
    """An abstract value with other sizes in place of those that a run decides."""

    def one(leaf: object) -> object:
        if isinstance(leaf, Tensor) and not leaf.is_static:
            return Tensor.contiguous(tuple(map(size, leaf.shape)), leaf.dtype)
        if isinstance(leaf, Scalar) and leaf.size is not None:
            found = told(leaf.size)
            return Scalar(leaf.kind, found) if isinstance(found, Dim) else found
        return leaf

    def size(size: int | Dim) -> int | Dim:
        return told(size) if isinstance(size, Dim) else size

    return map_leaves(tree, one)


def in_text(text: str, names: Mapping[str, str]) -> str:
    """A text, or a reason, in which names stand for others."""
    found = _WORD.sub(lambda word: names.get(word.group(), word.group()), text)
    return reworded(text, found)
