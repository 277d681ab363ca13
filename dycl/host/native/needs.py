"""How much memory of dynamic sizes a call takes, reckoned from the sizes of its inputs.

One walk over a host function and what its kernels say (`dycl.ir.host.memory`) serves
three readers: host.c, which makes room for a call before it begins, `dycl.explain`, and
what is said of the sizes of outputs. They differ in what a number is. Where the data
decide a size, as that of a list or of `nonzero`, the walk goes on without it, and
tells.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from typing import Generic, TypeVar

from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Block, Operation, SSAValue

import dycl.ir as d
from dycl.host.native.drops import drops_of
from dycl.host.native.types import item_size
from dycl.ir import host
from dycl.ir.dialect.local_functions import local_functions
from dycl.ir.host.layouts import memory_shape
from dycl.ir.host.memory import KernelMemory, Term
from dycl.ir.host.types import dtype_of, is_static

N = TypeVar("N")

HEAD = 64
"""Bytes of what the host notes of a tensor: its address and sizes."""


class Reckoning(ABC, Generic[N]):
    """What is done with the sizes and blocks of a call, in the order of the call."""

    @abstractmethod
    def known(self, value: int) -> N:
        """A number."""

    @abstractmethod
    def input_size(self, number: int, dimension: int) -> N:
        """The size of an input."""

    @abstractmethod
    def step(self, kind: str, one: N, other: N) -> N:
        """What a step of a `KernelMemory` computes."""

    def either(self, one: N, other: N) -> N:
        """The larger of what two sides of an `if` give."""
        return one if one == other else self.step("max", one, other)

    def returns(self, value: SSAValue, sizes: list[N]) -> None:
        """A call gives a tensor of dynamic size."""

    @abstractmethod
    def take(self, size: N) -> None:
        """So many bytes more are in use."""

    @abstractmethod
    def give(self, size: N) -> None:
        """They no longer are."""

    @abstractmethod
    def enter(self) -> None:
        """An `if` begins: one of its sides is run."""

    @abstractmethod
    def side(self) -> None:
        """One side of the innermost `if` is done."""

    @abstractmethod
    def leave(self) -> None:
        """All of them are."""


def reckon(
    func: host.FuncOp, memories: Mapping[str, KernelMemory], reckoning: Reckoning[N]
) -> bool:
    """Walk over a host function. Whether that was all it takes, whatever the data."""
    walk = _Walk(func, memories, reckoning)
    walk.block(func.body.block)
    return walk.is_whole and not local_functions(func)


class _Walk(Generic[N]):
    def __init__(
        self,
        func: host.FuncOp,
        memories: Mapping[str, KernelMemory],
        reckoning: Reckoning[N],
    ):
        self.is_whole = True
        self._memories = memories
        self._do = reckoning
        self._drops = drops_of(func)
        self._sizes: dict[SSAValue, list[N]] = {}
        """Of each buffer of dynamic size of which they are known."""
        self._taken: dict[SSAValue, N] = {}
        for number, value in enumerate(func.body.block.args):
            if _is_open(value):
                self._sizes[value] = [
                    reckoning.input_size(number, i)
                    if size < 0
                    else reckoning.known(size)
                    for i, size in enumerate(_shape(value))
                ]

    def block(self, block: Block) -> None:
        """Walk over a block."""
        for op in block.ops:
            self._op(op)
            for value in self._drops.get(op, ()):
                if value in self._taken:
                    self._do.give(self._taken[value])
                    self._do.give(self._do.known(HEAD))

    def _op(self, op: Operation) -> None:
        match op:
            case host.LaunchOp():
                self._launch(op)
            case host.ViewOp() | host.CastOp():
                self._view(op)
            case d.CheckedOp():
                if op.value in self._sizes:
                    self._sizes[op.result] = self._sizes[op.value]
            case d.IfOp():
                self._do.enter()
                for region in op.regions:
                    self.block(region.block)
                    self._do.side()
                self._do.leave()
                self._join(op)
            case d.LocalFunctionOp():
                return
            case d.ReturnOp():
                for value in op.values:
                    if value in self._sizes:
                        self._do.returns(value, self._sizes[value])
            case d.WhileOp():
                self._loop(op)
            case _:
                for region in op.regions:
                    self.block(region.block)
                is_made = isinstance(op, d.ConcatOp | host.KeepOp)
                kinds = [value.type for value in op.results]
                if (is_made and _is_open(op.results[0])) or any(
                    isinstance(kind, d.SequenceType) for kind in kinds
                ):
                    self.is_whole = False

    def _sizes_of(self, value: SSAValue) -> list[N] | None:
        if isinstance(value.type, MemRefType) and not _is_open(value):
            return list(map(self._do.known, _shape(value)))
        return self._sizes.get(value)

    def _join(self, op: d.IfOp) -> None:
        """What both sides give is as large as the larger of them."""
        for result in op.results:
            if not _is_open(result):
                continue
            known = [self._sizes_of(value) for value in op.incoming(result)]
            sizes = [one for one in known if one is not None]
            if not sizes or len(sizes) < len(known):
                continue
            self._sizes[result] = [
                reduce(self._do.either, each) for each in zip(*sizes, strict=True)
            ]

    def _loop(self, op: d.WhileOp) -> None:
        """What each iteration makes lasts until the loop sweeps."""
        before = len(self._taken)
        for region in op.regions:
            self.block(region.block)
        if len(self._taken) > before:
            self.is_whole = False

    def _launch(self, op: host.LaunchOp) -> None:
        memory = self._memories.get(op.kernel_name)
        made = [value for value in op.outputs if _is_open(value)]
        if memory is None:
            self.is_whole &= not made
            return
        self.is_whole &= memory.is_whole
        do = self._do

        def size(place: int, dimension: int) -> N:
            found = self._sizes_of(op.inputs[place])
            if found is None:
                raise KeyError(place)
            return found[dimension]

        try:
            of = memory.values(size, do.known, do.step)
            blocks = [of(block) for block in memory.blocks]
            results = [_each(of, sizes) for sizes in memory.results]
        except KeyError:
            self.is_whole = False
            return
        for _ in made:
            do.take(do.known(HEAD))
        for event in memory.events:
            if event >= 0:
                do.take(blocks[event])
            else:
                do.give(blocks[-1 - event])
        for value, sizes in zip(made, results, strict=True):
            if sizes is None:
                self.is_whole = False
            else:
                self._made(value, sizes)

    def _made(self, value: SSAValue, sizes: list[N]) -> None:
        self._sizes[value] = sizes
        kind = value.type
        assert isinstance(kind, MemRefType)
        total = self._do.known(item_size(dtype_of(kind)))
        for one in sizes:
            total = self._do.step("mul", total, one)
        self._taken[value] = total

    def _view(self, op: host.ViewOp | host.CastOp) -> None:
        result, do = op.results[0], self._do
        if not _is_open(result):
            return
        do.take(do.known(HEAD))
        if (sizes := self._sizes_of(op.operands[0])) is None:
            return
        if isinstance(op, host.CastOp):
            self._sizes[result] = sizes
            return
        count, rest = do.known(1), 1
        for size in sizes:
            count = do.step("mul", count, size)
        wanted = _shape(result)
        for one in wanted:
            rest *= one if one > 0 else 1
        left = do.step("div", count, do.known(rest))
        if wanted.count(-1) == 1:
            self._sizes[result] = [
                left if size < 0 else do.known(size) for size in wanted
            ]


def _each(of: Callable[[Term], N], sizes: Sequence[Term | None]) -> list[N] | None:
    """Sizes of a result; None: they do not follow from those of the inputs."""
    known = [of(size) for size in sizes if size is not None]
    return known if len(known) == len(sizes) else None


def _is_open(value: SSAValue) -> bool:
    return isinstance(value.type, MemRefType) and not is_static(value.type)


def _shape(value: SSAValue) -> tuple[int, ...]:
    assert isinstance(value.type, MemRefType)
    return tuple(memory_shape(value.type))
