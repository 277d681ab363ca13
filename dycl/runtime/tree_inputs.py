"""Which inputs of a network are trees, and what a host is given for them."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any, Union, cast

from dycl.runtime.calls import Calls
from dycl.runtime.decisions import Taken
from dycl.runtime.inputs import InputError, Inputs, as_arrays
from dycl.runtime.kernels import Argument
from dycl.runtime.native import UNFIT, NativeHost
from dycl.runtime.native_trees import NativeTree
from dycl.runtime.node_reader import NodeReader
from dycl.runtime.observers import Observer
from dycl.runtime.refilled import RefilledArguments
from dycl.runtime.signature import Held, Signature, leaves_of
from dycl.runtime.state import State
from dycl.runtime.tensors import to_torch
from dycl.runtime.together import most_together
from dycl.runtime.trees import TreeKind, plain_nodes
from dycl.runtime.written import WrittenInputs

Kept = Union[NativeTree, NodeReader]
"""What holds nodes for a run, and has a method `end`."""


class TreeInputs:
    """The inputs of a network that are trees; false if there are none."""

    def __init__(self, signature: Signature | None):
        """`signature` says which they are, and of what nodes."""
        structures = [] if signature is None else signature.arguments.values()
        found = [leaf for one in structures for leaf in leaves_of(one)]
        self._threads = threading.local()
        """Of each, what reads trees for it."""
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
        self, args: Sequence[object], host: NativeHost | None, call: int = 0
    ) -> tuple[tuple[object, ...], list[Kept], set[bool]]:
        """What a host is given for arguments; what has to last as long as the run, and
        is then to be ended; and of the tensors in nodes, whether they are torch's.

        `host` is that in C, if that runs; `call` numbers runs of one thread that last
        beside each other. InputError: a node is of another class, or holds something
        of another kind; then nothing is to be ended.
        """
        given, kept, seen = list(args), list[Kept](), set[bool]()
        try:
            for number, (place, kind) in enumerate(self._kinds):
                root = args[place]
                if host is None:
                    given[place], saw = plain_nodes(kind, root)
                else:
                    given[place], saw, tree = self._native(host, number, root, call)
                    kept.append(tree)
                seen |= saw
        except BaseException:
            end(kept)
            raise
        return tuple(given), kept, seen

    def _native(
        self, host: NativeHost, number: int, root: object, call: int
    ) -> tuple[int, set[bool], Kept]:
        """A tree for a host in C: where it is, and as above."""
        known: list[list[NodeReader]] | None = getattr(self._threads, "readers", None)
        if known is None:
            known = self._threads.readers = []
        while len(known) <= call:
            known.append(self._new_readers(host))
        readers = known[call]
        kind = self._kinds[number][1]
        if readers and root is not None:
            reader = readers[number]
            found = reader.read(root)
            if found is None and kind.has_tensors and _has_torch():
                found = reader.read(root) if host.knows_tensors() else None
            if found is not None:
                address, kinds = found
                return address, _SEEN[kinds], reader
        tree = NativeTree(kind, root)
        return tree.address, tree.saw, tree

    def _new_readers(self, host: NativeHost) -> list[NodeReader]:
        """One for each tree; none, if that cannot be in this Python, or this host."""
        try:
            return [NodeReader(kind, host) for _, kind in self._kinds]
        except (AttributeError, KeyError):
            return []


_SEEN = [set[bool](), {True}, {False}, {True, False}]
"""What tensors there are, as `NodeReader` says it: whether they are torch's."""


def end(kept: Sequence[Kept]) -> None:
    """A run is over."""
    for tree in kept:
        tree.end()


def _has_torch() -> bool:
    return "torch" in sys.modules


class TreeCalls:
    """The calls of a network, once its inputs are taken out of the arguments."""

    signature: Signature | None
    makes_tensors = False
    """What a call gives that has no tensor among its arguments: torch's?"""
    _native: NativeHost | None
    _inputs: Inputs
    _calls: Calls
    _written: WrittenInputs
    _refilled: RefilledArguments
    _at_once: Callable[[tuple[object, ...]], Any]

    looked_at: Callable[[tuple[object, ...], Mapping[str, object]], Any]
    at_once: Callable[[tuple[object, ...]], Any]
    observer: Observer | None
    _state: State

    @cached_property
    def _trees(self) -> TreeInputs:
        return TreeInputs(self.signature)

    def on_inputs(self, *inputs: object) -> Any:
        """A call with the inputs in order, without what is around them: no list or dict
        of the caller's is changed. InputError: one does not fit."""
        if self.signature is None:
            if (returned := self.at_once(inputs)) is not UNFIT:
                return returned
            return self.looked_at(inputs, {})
        if self.observer is None:
            return self._taken_apart(inputs, {}, {})
        return self.observer.call(lambda: self._taken_apart(inputs, {}, {}))

    def _taken_apart(
        self, args: tuple[object, ...], kwargs: Mapping[str, object], held: Held
    ) -> Any:
        if self._trees:
            return self._on_trees(args, held)
        if self._written or self._refilled:
            return self._write_back(args, kwargs, held)
        if self.signature and (returned := self._at_once(args)) is not UNFIT:
            return returned
        if not kwargs and (arrays := as_arrays(args)) is not None:
            is_new = self._native is not None and self._native.knows_tensors()
            if is_new and (returned := self._at_once(args)) is not UNFIT:
                return returned
            if (returned := self._at_once(arrays)) is not UNFIT:
                self._state.was_given_torch()
                return to_torch(returned)
        arguments, saw_torch = self._inputs.accept(args, kwargs)
        returned = self._calls.run(arguments, saw_torch)
        return to_torch(returned) if saw_torch else returned

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
        given, kept, seen = self._trees.given(args, self._native)
        is_torch = self._makes_torch(seen)
        try:
            if self._written or self._refilled:
                returned = self._write_back(given, {}, held)
            elif (returned := self._at_once(given)) is UNFIT:
                arguments, saw = self._inputs.accept(given, {})
                is_torch = is_torch or saw
                returned = self._calls.run(arguments, is_torch)
        finally:
            end(kept)
        return to_torch(returned) if is_torch else returned

    def _makes_torch(self, seen: set[bool]) -> bool:
        """Whether a call with such tensors in its nodes, and no other of torch's, gives
        torch's."""
        if not seen and all(spec.shape is None for spec in self._inputs.specs):
            return self.makes_tensors
        return True in seen

    @cached_property
    def most_together(self) -> int:
        """How many calls with trees `run_together` takes; below 2: none."""
        if not self._trees or self._state.rows or self._written or self._refilled:
            return 0
        return most_together(self._native)

    def run_together(
        self, calls: Sequence[tuple[object, ...]]
    ) -> list[tuple[Any, Taken]] | None:
        """What calls with such inputs give, and decide, whose kernels run together.

        None: one raises or does not fit, or somebody looks at each run; they are then
        to be made one by one. MemoryError.
        """
        if self.observer is not None:
            return None
        kept, arguments, is_torch = list[Kept](), list[list[Argument]](), list[bool]()
        try:
            for place, args in enumerate(calls):
                given, trees, seen = self._trees.given(args, self._native, place)
                kept += trees
                accepted, saw = self._inputs.accept(given, {})
                arguments.append(accepted)
                is_torch.append(saw or self._makes_torch(seen))
            found = self._calls.run_together(arguments)
        except InputError:
            return None
        finally:
            end(kept)
        if found is None:
            return None
        return [
            (to_torch(returned) if makes else returned, taken)
            for (returned, taken), makes in zip(found, is_torch)
        ]
