"""Which inputs of a network are trees, and what a host is given for them."""

from __future__ import annotations

from collections.abc import Sequence

from dycl.runtime.signature import Signature, leaves_of
from dycl.runtime.trees import NativeTree, TreeKind, plain_nodes


class TreeInputs:
    """The inputs of a network that are trees; false if there are none."""

    def __init__(self, signature: Signature | None):
        """`signature` says which they are, and of what nodes."""
        structures = [] if signature is None else signature.arguments.values()
        found = [leaf for one in structures for leaf in leaves_of(one)]
        self._kinds = [
            (place, TreeKind(leaf["tree"], leaf))
            for place, leaf in enumerate(found)
            if "tree" in leaf
        ]

    def __bool__(self) -> bool:
        """Whether there are any."""
        return bool(self._kinds)

    @property
    def have_tensors(self) -> bool:
        """Whether nodes may hold tensors."""
        return any(kind.has_tensors for _, kind in self._kinds)

    def given(
        self, args: Sequence[object], is_native: bool
    ) -> tuple[tuple[object, ...], list[object], set[bool]]:
        """What a host is given for arguments; what has to last as long as the run; and
        of the tensors in nodes, whether they are torch's.

        InputError: a node is of another class, or holds something of another kind.
        """
        given, kept, seen = list(args), list[object](), set[bool]()
        for place, kind in self._kinds:
            if is_native:
                tree = NativeTree(kind, args[place])
                given[place], saw = tree.address, tree.saw
                kept.append(tree)
            else:
                given[place], saw = plain_nodes(kind, args[place])
            seen |= saw
        return tuple(given), kept, seen
