"""Disjoint sets that grow as their members are met: union-find."""

from collections.abc import Hashable, Iterator
from typing import Generic, TypeVar

T = TypeVar("T", bound=Hashable)


class DisjointSets(Generic[T]):
    """Whatever is asked for is a member: alone in its set, until it is joined.

    Unlike xDSL's, it need not be added first, and its members can be gone through.
    """

    def __init__(self) -> None:
        """No members."""
        self._parents: dict[T, T] = {}

    def __iter__(self) -> Iterator[T]:
        """The members, in the order in which they were met."""
        return iter(list(self._parents))

    def find(self, member: T) -> T:
        """The member that stands for its set."""
        root = member
        while (parent := self._parents.setdefault(root, root)) is not root:
            root = parent
        while member is not root:
            self._parents[member], member = root, self._parents[member]
        return root

    def join(self, one: T, other: T) -> None:
        """Make two sets one, for which stands what stood for that of `one`."""
        first, second = self.find(one), self.find(other)
        if first is not second:
            self._parents[second] = first
