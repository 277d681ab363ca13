"""A size that is an expression, reckoned with as one number.

    torch.cat([a, b, c])        n + m + k rows
    zeros.index_add(0, i, y)    i has 14 elements, y has n + m + k

torch is asked with sizes of two and more for each name, and of five names none may fit
the 14; or no choice that was tried does. Where all of that has failed, each expression
gets a name of its own, which may be 14. What that name was found to require of a run is
then required of the expression.
"""

from collections.abc import Sequence
from itertools import product

from dycl.analysis.dynamic_sizes.neutral_names import in_text, with_sizes
from dycl.analysis.dynamic_sizes.ranges import allows
from dycl.analysis.dynamic_sizes.size_texts import arithmetic, is_true, words
from dycl.analysis.dynamic_sizes.sizes import Requirement, dims_of
from dycl.analysis.tensors.abstract import Dim, Scalar, leaves


class WholeSizes:
    """Names for the expressions among the sizes in some values, by their order."""

    def __init__(self, trees: Sequence[object]):
        """A number that may be below zero has a name that begins with `n`."""
        numbers: dict[str, bool] = {}
        for tree in trees:
            for leaf in leaves(tree):
                for dim in dims_of(leaf):
                    if words(dim.text) != [dim.text]:
                        is_int = isinstance(leaf, Scalar)
                        numbers[dim.text] = numbers.get(dim.text, False) or is_int
        self._names = {
            text: f"{'n' if is_int else 'd'}_w{place:03}"
            for place, (text, is_int) in enumerate(numbers.items())
        }
        self._texts = {name: text for text, name in self._names.items()}

    def __bool__(self) -> bool:
        """Whether there is an expression."""
        return bool(self._names)

    def whole(self, trees: Sequence[object]) -> Sequence[object]:
        """The values with names in place of expressions."""
        return [with_sizes(tree, self._named) for tree in trees]

    def _named(self, size: Dim) -> Dim:
        return Dim(self._names.get(size.text, size.text))

    def own(self, tree: object) -> object:
        """A value with the expressions again."""
        return with_sizes(tree, self._told)

    def _told(self, size: Dim) -> int | Dim:
        found = Dim(self.own_text(size.text))
        return size if found == size else arithmetic("add", found, 0) or found

    def own_text(self, text: str) -> str:
        """A text with the expressions again."""
        return in_text(text, self._texts)


def admitted(names: Sequence[str], requires: Sequence[Requirement]) -> int:
    """How many choices of usual and small sizes a run may have."""
    tried = _TRIED if len(names) <= _MOST_NAMES else _TRIED[:2]
    ranges = [[v for v in tried if allows(name, v)] for name in names]
    choices = (dict(zip(names, sizes, strict=True)) for sizes in product(*ranges))
    return sum(all(is_true(r.relation, c) for r in requires) for c in choices)


_TRIED = (37, 0, 1, 2, 3, 4, 6, 16)
_MOST_NAMES = 3


def asks_for_one(requires: Sequence[Requirement]) -> bool:
    """Whether a run must have a size of 1 somewhere, so that torch broadcasts it."""
    return any(one.relation.rstrip(")").endswith("== 1") for one in requires)
