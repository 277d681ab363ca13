"""`cpu-merge-sorts`: a sort merges runs of 1, 2, 4, ... elements, in n log n steps.

torch-mlir's own lowering compares all neighbours n times.

Before:
    tm_tensor.sort dimension(1) outs(%v, %i : memref<1x2000xf32>, memref<1x2000xi64>)

After:
    %tv = memref.alloc() : memref<1x2000xf32> ...
    scf.for %low = %c0 to %c2000 step %c2 {            // runs of 1: from %v to %tv
      scf.for %k = %low to %high iter_args(%a = %low, %b = %middle) { ... }
    }
    scf.for %low = %c0 to %c2000 step %c4 { ... }      // runs of 2: back again; ...

Needs:  sorts of memrefs, with eager's comparisons; to stand before buffers are freed.
Leaves: equal elements in the order in which they came.
Skips:  dynamic sizes; a single number.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from dycl.kernels.cpu import build
from dycl.kernels.cpu.mlir import ir, ops
from dycl.kernels.cpu.tensor_ops import clone_body


def merge_sorts(module: Any) -> None:
    """Write out every sort of memrefs whose sizes are known."""
    for op in ops(module.operation):
        if op.name == "tm_tensor.sort" and _is_known(op):
            with ir.InsertionPoint(op), op.location:
                _sort(op)
            op.erase()


def _is_known(op: Any) -> bool:
    kinds = [value.type for value in op.operands]
    return not len(op.results) and all(
        isinstance(kind, ir.MemRefType) and kind.has_static_shape and kind.rank > 0
        for kind in kinds
    )


def _sort(op: Any) -> None:
    values = list(op.operands)
    dim = int(op.attributes["dimension"].value)
    shape = list(values[0].type.shape)
    others = [
        build.op(
            "memref.alloc",
            [],
            ir.MemRefType.get(shape, value.type.element_type),
            {"operandSegmentSizes": ir.DenseI32ArrayAttr.get([0, 0])},
        )
        for value in values
    ]

    def rows(place: list[Any], left: list[int]) -> None:
        if left:
            size = 1 if len(place) == dim else left[0]
            _loop(build.index(0), build.index(size), 1, [], inner(place, left))
        else:
            _Row(op, place, dim, shape[dim]).sort(values, others)

    def inner(place: list[Any], left: list[int]) -> Callable[..., list[Any]]:
        def body(at: Any, _: Sequence[Any]) -> list[Any]:
            rows([*place, at], left[1:])
            return []

        return body

    rows([], shape)


@dataclass(frozen=True)
class _Row:
    """One row of a sort: elements along a dimension, at a place in the others."""

    op: Any
    place: list[Any]
    dim: int
    size: int

    def sort(self, values: Sequence[Any], others: Sequence[Any]) -> None:
        """Merge to and fro between `values` and memory for as much."""
        source, target, width = values, others, 1
        while width < self.size:
            self._round(source, target, width)
            source, target, width = target, source, 2 * width
        if source is not values:
            self._copy(source, target)

    def _round(self, read: Sequence[Any], write: Sequence[Any], width: int) -> None:
        """Merge each two runs of that width."""

        def merge(low: Any, _: Sequence[Any]) -> list[Any]:
            middle = _smaller(_plus(low, width), build.index(self.size))
            high = _smaller(_plus(low, 2 * width), build.index(self.size))

            def step(to: Any, carried: Sequence[Any]) -> list[Any]:
                return self._step(read, write, to, carried, (middle, high))

            _loop(low, high, 1, [low, middle], step)
            return []

        _loop(build.index(0), build.index(self.size), 2 * width, [], merge)

    def _step(
        self,
        read: Sequence[Any],
        write: Sequence[Any],
        to: Any,
        carried: Sequence[Any],
        ends: tuple[Any, Any],
    ) -> list[Any]:
        """Write the next element of two runs; where they go on."""
        a, b = carried
        # A run that has ended is read at its last element, and not chosen.
        last_a, last_b = (
            _smaller(at, _plus(end, -1)) for at, end in zip(carried, ends, strict=True)
        )
        pairs = [(self._load(m, last_a), self._load(m, last_b)) for m in read]
        stays = clone_body(self.op)(*(value for pair in pairs for value in pair))
        middle, high = ends
        over = build.compare_integers(_SGE, b, high)
        first = build.binary("arith.ori", over, stays)
        more = build.compare_integers(_SLT, a, middle)
        first = build.binary("arith.andi", more, first)
        for (left, right), memory in zip(pairs, write, strict=True):
            self._store(build.select(first, left, right), memory, to)
        return [
            build.select(first, _plus(a, 1), a),
            build.select(first, b, _plus(b, 1)),
        ]

    def _copy(self, read: Sequence[Any], write: Sequence[Any]) -> None:
        def copy(to: Any, _: Sequence[Any]) -> list[Any]:
            for source, memory in zip(read, write, strict=True):
                self._store(self._load(source, to), memory, to)
            return []

        _loop(build.index(0), build.index(self.size), 1, [], copy)

    def _at(self, index: Any) -> list[Any]:
        return [*self.place[: self.dim], index, *self.place[self.dim + 1 :]]

    def _load(self, memory: Any, index: Any) -> Any:
        return build.load(memory, self._at(index))

    def _store(self, value: Any, memory: Any, index: Any) -> None:
        build.store(value, memory, self._at(index))


def _loop(
    low: Any,
    high: Any,
    step: int,
    carried: Sequence[Any],
    body: Callable[[Any, list[Any]], Sequence[Any]],
) -> None:
    build.loop(low, high, build.index(step), carried, body)


def _plus(value: Any, number: int) -> Any:
    return build.binary("arith.addi", value, build.index(number))


def _smaller(left: Any, right: Any) -> Any:
    return build.binary("arith.minsi", left, right)


_SLT, _SGE = 2, 5
"""Predicates of `arith.cmpi`."""
