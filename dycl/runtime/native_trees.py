"""Trees for a host in C: nodes in memory, as `dycl_node` of dycl.h has them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, cast

import numpy as np

from dycl.runtime.buffers import Array, Buffer, address_of
from dycl.runtime.builtin_nodes import attribute_of
from dycl.runtime.inputs import is_torch_tensor
from dycl.runtime.trees import MISSING, NODE, TreeKind


class NativeTree:
    """Nodes in memory, as `dycl_node` of dycl.h has them; ends with this object."""

    __slots__ = ("address", "kept", "saw", "words")

    def __init__(self, kind: TreeKind, root: object):
        """InputError: a node is of another class, or holds something else."""
        writer = _Writer(kind)
        root_at = writer.add(root)
        writer.run()
        self.words = writer.finish()
        self.kept = writer.kept
        self.saw = writer.saw
        """Of the tensors, whether they are torch's."""
        self.address = 0 if root is None else address_of(self.words) + 8 * root_at

    def end(self) -> None:
        """A run has ended: nothing is read any more."""
        self.kept.clear()


class NativeText:
    """A text in memory, as `dycl_text` of dycl.h has it; ends with this object."""

    __slots__ = ("_chars", "_words", "address")

    def __init__(self, text: str):
        chars = text.encode("utf-8", "surrogatepass")
        self._chars = np.frombuffer(chars or b"\0", np.uint8)
        place = address_of(self._chars)
        self._words = np.array([-1, place, len(chars), 0], np.int64)
        self.address = address_of(self._words)


_text = lru_cache(maxsize=1024)(NativeText)

_HEAD = 2
"""Words in front of the fields: the constructor, and which fields are there."""
_NO_ATTRIBUTE = 1
"""A field that is not there because the object has no such attribute."""
_LIST_HEAD = 3
"""Words in front of the items: how many, where they are, and that the list is whole."""


class _Writer:
    def __init__(self, kind: TreeKind):
        self.kind = kind
        self.words: list[int] = []
        self.links: list[int] = []
        """The words that hold the place of another word."""
        self.reals: list[int] = []
        self.real_values: list[float] = []
        self.kept: list[object] = []
        self.saw: set[bool] = set()
        self.places: dict[int, int] = {}
        self.waiting: list[object] = []
        self.size = _HEAD + len(kind.fields)
        self.blank = [0] * self.size
        self.writers: dict[int, Callable[[int, object], None]] = {}
        """What writes fields that hold no node, by place."""
        self.children = [
            [self._entry(at) for at in read if self._is_child(at)]
            for read in kind.read_of
        ]
        """Of each constructor."""
        self.fields = [
            [
                (*self._entry(at), self._writer(at))
                for at in read
                if not self._is_child(at) and not self._is_table(at)
            ]
            for read in kind.read_of
        ]
        self.tables = [
            [(*self._entry(at)[:2], at) for at in read if self._is_table(at)]
            for read in kind.read_of
        ]

    def _is_table(self, place: int) -> bool:
        """Whether a field has the keys or the values of a dict."""
        name = self.kind.fields[place][0]
        return attribute_of(name) != name

    def _is_child(self, place: int) -> bool:
        return self.kind.fields[place][1] == NODE

    def _entry(self, place: int) -> tuple[int, int, str]:
        """Where a field stands in a node, its bit in `present`, and its name."""
        return _HEAD + place, 1 << place, self.kind.fields[place][0]

    def add(self, node: object) -> int:
        """Where a node stands."""
        if node is None:
            return 0
        key = id(node)
        place = self.places.get(key)
        if place is None:
            words = self.words
            place = self.places[key] = len(words)
            words += self.blank
            words[place] = self.kind.constructor_of(node)
            self.waiting.append(node)
        return place

    def run(self) -> None:
        """Write what waits, and what that leads to."""
        # A node takes a microsecond: what it needs is at hand, and calls are few.
        places, words, links, add = self.places, self.words, self.links, self.add
        children, fields, builtin = self.children, self.fields, self.kind.builtin
        for node in self.waiting:  # which grows
            at = places[id(node)]
            if builtin and words[at] in builtin:
                self._write_builtin(at, node)
                continue
            present, constructor = 0, words[at]
            for place, bit, name in children[constructor]:
                value = getattr(node, name, MISSING)
                if value is MISSING:
                    words[at + place] = _NO_ATTRIBUTE
                elif value is not None:
                    present |= bit
                    words[at + place] = add(value)
                    links.append(at + place)
            for place, bit, name, write in fields[constructor]:
                value = getattr(node, name, MISSING)
                if value is MISSING:
                    words[at + place] = _NO_ATTRIBUTE
                elif value is not None:
                    present |= bit
                    write(at + place, value)
            for place, bit, field in self.tables[constructor]:
                value = self.kind.read_from(node, field)
                if value is MISSING:
                    words[at + place] = _NO_ATTRIBUTE
                elif value is not None:
                    present |= bit
                    self._writer(field)(at + place, value)
            words[at + 1] = present

    def _write_builtin(self, at: int, node: object) -> None:
        """Write what one of Python's own values holds."""
        words, present = self.words, 0
        for place, value in self.kind.held(words[at], node):
            present |= 1 << place
            self._writer(place)(at + _HEAD + place, value)
        words[at + 1] = present

    def finish(self) -> Array:
        """All words, as one array. Nothing may be added any more."""
        # They hold this object: a ring, which only gc would free.
        self.fields.clear()
        self.writers.clear()
        words = np.array(self.words or [0], np.int64)
        if self.links:
            links = np.array(self.links, np.int64)
            words[links] = words[links] * 8 + address_of(words)
        if self.reals:
            words.view(np.float64)[self.reals] = self.real_values
        return words

    def _writer(self, place: int) -> Callable[[int, object], None]:
        write = self.writers.get(place)
        if write is None:
            write = self._of(place, self.kind.fields[place][1])
            self.writers[place] = write
        return write

    def _of(self, place: int, wanted: Any) -> Callable[[int, object], None]:
        """What writes a value of a kind into a word."""
        if wanted == NODE:
            return self._node
        if isinstance(wanted, dict) and "members" in wanted:
            return lambda at, value: self._member(place, at, value)
        if isinstance(wanted, dict):
            inner = self._of(place, cast("dict[str, Any]", wanted)["items"])
            is_node = cast("dict[str, Any]", wanted)["items"] == NODE
            return lambda at, value: self._list(place, at, value, inner, is_node)
        if wanted == "float":
            return lambda at, value: self._real(place, at, value)
        if wanted == "str":
            return lambda at, value: self._text(place, at, value)
        if isinstance(wanted, str):
            return lambda at, value: self._whole(place, at, value)
        return _TensorWriter(self, place, wanted)

    def _node(self, at: int, value: object) -> None:
        target = self.add(value)
        self.words[at] = target
        self.links.append(at)

    def _member(self, place: int, at: int, value: object) -> None:
        """A member of an enum: a node without fields."""
        if value is None:
            return
        self.words[at] = len(self.words)
        self.links.append(at)
        self.words += [self.kind.member(place, value), 0]

    def _list(
        self,
        place: int,
        at: int,
        value: object,
        inner: Callable[[int, object], None],
        is_node: bool,
    ) -> None:
        items = self.kind.items(place, value)
        head = len(self.words)
        first = head + _LIST_HEAD
        self.words += [len(items), first, 0, *[0] * len(items)]
        self.words[at] = head
        self.links += [at, head + 1]
        if not is_node:
            for number, item in enumerate(items, first):
                inner(number, item)
            return
        add, words, links = self.add, self.words, self.links
        for number, item in enumerate(items, first):
            if item is not None:
                words[number] = add(item)
                links.append(number)

    def _real(self, place: int, at: int, value: object) -> None:
        self.reals.append(at)
        self.real_values.append(self.kind.leaf(place, value))

    def _text(self, place: int, at: int, value: object) -> None:
        text = cast(str, self.kind.leaf(place, value))
        made = _text(text)
        self.kept.append(made)
        self.words[at] = made.address

    def _whole(self, place: int, at: int, value: object) -> None:
        self.words[at] = int(self.kind.leaf(place, value))


class _TensorWriter:
    """Writes the address of a tensor's elements."""

    def __init__(self, writer: _Writer, place: int, kind: Sequence[Any]):
        self.writer = writer
        self.place = place
        self.shape = tuple(kind[1])
        self.dtype = kind[0]
        self.known: object = None
        """torch's dtype, once one was seen."""
        self.usual: type | None = None
        """The class of that tensor."""

    def __call__(self, at: int, value: object) -> None:
        writer = self.writer
        tensor = cast(Any, value)
        if type(value) is self.usual or is_torch_tensor(value):
            is_known = tensor.dtype is self.known and tensor.shape == self.shape
            is_plain = is_known and tensor.is_contiguous() and tensor.is_cpu
            if is_plain and not tensor.is_neg():
                writer.words[at] = tensor.data_ptr()
                return
            writer.saw.add(True)
            buffer = cast(Buffer, writer.kind.leaf(self.place, value))
            self.known, self.usual = tensor.dtype, type(value)
        else:
            writer.saw.add(False)
            buffer = cast(Buffer, writer.kind.leaf(self.place, value))
        writer.kept.append(buffer)
        writer.words[at] = buffer.address
