"""Names for sizes that a run decides, and for ints that it knows.

A size is open where it is a `Dim`: an expression over names. A name is a dimension of
an SSA value, or an int, and holds where that value is in sight; what leaves a block
gets names of its own outside.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import chain, count
from typing import cast

from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, SSAValue

from dycl.analysis.dynamic_sizes.ranges import ranged_name
from dycl.analysis.dynamic_sizes.size_texts import words
from dycl.analysis.dynamic_sizes.sizes import dims_of, is_counted
from dycl.analysis.tensors.abstract import (
    Dim,
    Scalar,
    Tensor,
    from_type,
    leaves,
    map_leaves,
)
from dycl.analysis.tensors.joining import join, widened
from dycl.analysis.tensors.outcomes import Outcome
from dycl.ir.functions import argument_names
from dycl.ir.input_sizes import sizes_of
from dycl.ir.torch import DYNAMIC, VTensorType

PART = 1000
"""Sizes of the n-th tensor in a tuple are numbered from n times this."""


class SizeNames:
    """The names of one function's dynamic sizes."""

    def __init__(self) -> None:
        self.sizes: dict[str, tuple[SSAValue, int]] = {}
        """What a name in a `Dim` is: a dimension of a value; -1: the int itself."""
        self.input_names: dict[str, str] = {}
        """What the user calls a size of inputs, by its name in a `Dim`."""
        self._dims: dict[tuple[SSAValue, int], Dim] = {}

    def name_inputs(self, entry: FuncOp) -> None:
        """A size of inputs has one name, which says its range, wherever it stands."""
        sizes = sizes_of(entry)
        names = argument_names(entry) if sizes else []
        arguments = dict(zip(names, entry.body.block.args, strict=False))
        for size in sizes:
            name = ranged_name(len(self.input_names), size.low, size.high)
            self.input_names[name] = size.name
            for place in size.places:
                key = (arguments[place[0]], place[1])
                self._dims[key] = Dim(name)
                self.sizes.setdefault(name, key)

    def dim(self, value: SSAValue, dimension: int) -> Dim:
        """The size of a dimension of a value, which a run decides."""
        key = (value, dimension)
        if key not in self._dims:
            name = f"{'n' if dimension < 0 else 'd'}{len(self._dims)}"
            self._dims[key] = Dim(name)
            self.sizes[name] = key
        return self._dims[key]

    def typed(self, value: SSAValue) -> object:
        """What the type of a value says about it."""
        tensor = value.type
        if isinstance(tensor, VTensorType):
            sizes, dtype = tensor.sizes(), tensor.element_type()
            if sizes is not None and dtype is not None and DYNAMIC in sizes:
                shape = [
                    self.dim(value, i) if size == DYNAMIC else size
                    for i, size in enumerate(sizes)
                ]
                return Tensor.contiguous(tuple(shape), dtype)
        return self.named(from_type(tensor), value)

    def named(self, value: object, named: SSAValue) -> object:
        """An int that the data decides is known by the name of its SSA value."""
        if isinstance(value, Scalar) and value.kind == "int" and value.size is None:
            return Scalar("int", self.dim(named, -1))
        return value

    def with_names(self, op: Operation, found: Outcome) -> Outcome:
        """Sizes that an op has counted are those of its results from here on."""
        parts = chain.from_iterable(map(leaves, found.results))
        if not any(is_counted(d) for leaf in parts for d in dims_of(leaf)):
            return found
        names: dict[Dim, Dim] = {}

        def rename(value: object, named: SSAValue) -> object:
            def one(leaf: object, key: int) -> object:
                if isinstance(leaf, Scalar):
                    return Scalar(leaf.kind)
                if not isinstance(leaf, Tensor):
                    return leaf
                shape = list(leaf.shape)
                for d, size in enumerate(shape):
                    if isinstance(size, Dim) and is_counted(size):
                        if size not in names:
                            names[size] = self.dim(named, key + d)
                        shape[d] = names[size]
                return Tensor.contiguous(tuple(shape), leaf.dtype)

            return _numbered(value, one)

        return replace(found, results=tuple(map(rename, found.results, op.results)))

    def join(
        self, one: object, other: object, named: SSAValue, widen: bool, leaf: int = 0
    ) -> object:
        """As `abstract.join`; tensors of different sizes become one whose size is open.

        Two known sizes stay apart unless `widen`. `leaf` counts through a tuple.
        """
        if isinstance(one, Tensor) and isinstance(other, Tensor):
            if widen or not (one.is_static and other.is_static):
                key = PART * leaf
                joined = widened(one, other, lambda d: self.dim(named, key + d))
                if joined is not None:
                    return joined
        elif type(one) is tuple and type(other) is tuple:
            ones, others = (
                cast("tuple[object, ...]", one),
                cast("tuple[object, ...]", other),
            )
            if len(ones) == len(others):
                pairs = enumerate(zip(ones, others, strict=True), leaf * 8 + 1)
                return tuple(self.join(a, b, named, widen, i) for i, (a, b) in pairs)
        return join(one, other)

    def exported(
        self,
        values: Sequence[object],
        names: Sequence[SSAValue],
        inside: Sequence[Block],
    ) -> list[object]:
        """The values as seen from outside: sizes named inside get other names."""
        renamed: dict[str, Dim] = {}

        def rename(value: object, named: SSAValue) -> object:
            def one(leaf: object, key: int) -> object:
                if isinstance(leaf, Scalar) and leaf.size is not None:
                    hidden = self._is_named_in(leaf.size, inside)
                    return Scalar(leaf.kind) if hidden else leaf
                if not isinstance(leaf, Tensor) or leaf.is_static:
                    return leaf
                shape: list[int | Dim] = list(leaf.shape)
                for d, size in enumerate(shape):
                    if isinstance(size, Dim) and self._is_named_in(size, inside):
                        new = renamed.get(size.text) or self.dim(named, key + d)
                        shape[d] = renamed[size.text] = new
                return Tensor.contiguous(tuple(shape), leaf.dtype)

            return _numbered(value, one)

        return list(map(rename, values, names))

    def _is_named_in(self, size: Dim, inside: Sequence[Block]) -> bool:
        for name in words(size.text):
            if name not in self.sizes:
                continue
            owner = self.sizes[name][0].owner
            block = owner if isinstance(owner, Block) else owner.parent
            while block is not None:
                if any(block is item for item in inside):
                    return True
                block = block.parent_block()
        return False

    def of_any_size(self, value: object, named: SSAValue) -> object:
        """The value with all sizes of its tensors open."""

        def one(leaf: object, key: int) -> object:
            if not isinstance(leaf, Tensor):
                return leaf
            shape = tuple(self.dim(named, key + d) for d in range(len(leaf.shape)))
            return Tensor.contiguous(shape, leaf.dtype)

        return _numbered(value, one)


def _numbered(value: object, one: Callable[[object, int], object]) -> object:
    """The value with `one(leaf, number)` for each leaf; its sizes go on from there."""
    numbers = count(0, PART)
    return map_leaves(value, lambda leaf: one(leaf, next(numbers)))
