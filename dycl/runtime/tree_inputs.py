"""Which inputs of a network are trees, and what a host is given for them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any, cast

from dycl.runtime.calls import Calls
from dycl.runtime.inputs import Inputs
from dycl.runtime.native import UNFIT, NativeHost
from dycl.runtime.native_trees import NativeTree
from dycl.runtime.refilled import RefilledArguments
from dycl.runtime.signature import Held, Signature, leaves_of
from dycl.runtime.tensors import to_torch
from dycl.runtime.trees import TreeKind, plain_nodes
from dycl.runtime.written import WrittenInputs


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


class TreeCalls:
    """The calls of a network with trees, or with what the model writes to."""

    signature: Signature | None
    makes_tensors = False
    """What a call gives that has no tensor among its arguments: torch's?"""
    _native: NativeHost | None
    _inputs: Inputs
    _calls: Calls
    _written: WrittenInputs
    _refilled: RefilledArguments
    _at_once: Callable[[tuple[object, ...]], Any]

    @cached_property
    def _trees(self) -> TreeInputs:
        return TreeInputs(self.signature)

    def _write_back(
        self, args: tuple[object, ...], kwargs: Mapping[str, object], held: Held
    ) -> Any:
        """A call of a network that changes what it is given."""
        arguments, saw_torch = self._inputs.accept(args, kwargs)
        given = self._inputs.in_order(args, kwargs)
        self._written.check(given)
        self._refilled.check(held)
        returned, new = cast(
            "tuple[Any, Sequence[Any]]", self._calls.run(arguments, saw_torch)
        )
        first = len(self._refilled)
        self._written.write(given, new[first:])
        self._refilled.fill(held, given, new[:first], saw_torch)
        return to_torch(returned) if saw_torch else returned

    def _on_trees(self, args: tuple[object, ...], held: Held) -> Any:
        """A call with trees: their nodes are made into what the host reads."""
        given, kept, seen = self._trees.given(args, self._native is not None)
        is_torch = True in seen
        if not seen and all(spec.shape is None for spec in self._inputs.specs):
            is_torch = self.makes_tensors
        if self._written or self._refilled:
            returned = self._write_back(given, {}, held)
        elif (returned := self._at_once(given)) is UNFIT:
            arguments, saw = self._inputs.accept(given, {})
            is_torch = is_torch or saw
            returned = self._calls.run(arguments, is_torch)
        del kept  # until here: a run reads them
        return to_torch(returned) if is_torch else returned
