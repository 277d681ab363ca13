"""What ops of linalg read and write, as places in flat buffers.

However a memref is reshaped or sliced, an element of it lies at a fixed place of the
buffer that it is a view of. So an op's access is a buffer and a sum over its loops:

    memref<8x1x64xf32> read at (i, 0, j), a view of %x: memref<8x64xf32>

is `%x` at `64 i + j`. Two ops that see one buffer in different shapes can be compared,
and loops can be split and merged by arithmetic. Loops of one trip are left out.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

from dycl.kernels.cpu.buffers.memory import buffer_of
from dycl.kernels.cpu.mlir import ir

_POOLS = ("linalg.pooling_nchw_max", "linalg.pooling_nchw_sum")


@dataclass(frozen=True)
class FlatAccess:
    """`buffer[offset + sum of factor * loop]`, a factor for each loop."""

    buffer: Any
    offset: int
    factors: tuple[int, ...]


@dataclass(frozen=True)
class FlatOp:
    """A linalg op or copy on buffers: its loops, outermost first, and its accesses."""

    op: Any
    sizes: tuple[int, ...]
    reduced: tuple[bool, ...]
    inputs: tuple[FlatAccess | None, ...]
    """None: a scalar, or a memref that is only there for its shape."""
    outputs: tuple[FlatAccess, ...]

    @property
    def body(self) -> Any:
        """The block that is run for each element; None for a copy."""
        return self.op.regions[0].blocks[0] if len(self.op.regions) else None

    @property
    def reduces(self) -> bool:
        """Whether several elements go into one of the result."""
        return any(self.reduced)

    @cached_property
    def accesses(self) -> tuple[FlatAccess, ...]:
        """All that is read or written."""
        return (*(a for a in self.inputs if a is not None), *self.outputs)

    @cached_property
    def touched(self) -> frozenset[Any]:
        """The buffers that are read or written."""
        return frozenset(access.buffer for access in self.accesses)

    @cached_property
    def written(self) -> frozenset[Any]:
        """The buffers that are written."""
        return frozenset(access.buffer for access in self.outputs)

    def divided(self, sizes: Sequence[int]) -> "FlatOp":
        """The same with loops split so that they have these sizes.

        The sizes have to be a refinement of the op's own, see `refinement`.
        """
        if tuple(sizes) == self.sizes:
            return self
        rest = list(sizes)
        parts: list[list[int]] = []
        for size in self.sizes:
            part: list[int] = []
            while math.prod(part) != size:
                part.append(rest.pop(0))
            parts.append(part)

        def split(access: FlatAccess | None) -> FlatAccess | None:
            if access is None:
                return None
            factors = [
                factor * math.prod(part[i + 1 :])
                for factor, part in zip(access.factors, parts, strict=True)
                for i in range(len(part))
            ]
            return FlatAccess(access.buffer, access.offset, tuple(factors))

        outputs = [split(access) for access in self.outputs]
        reduced = [
            flag for flag, part in zip(self.reduced, parts, strict=True) for _ in part
        ]
        return FlatOp(
            self.op,
            tuple(sizes),
            tuple(reduced),
            tuple(map(split, self.inputs)),
            tuple(access for access in outputs if access is not None),
        )


def refinement(first: Sequence[int], second: Sequence[int]) -> list[int] | None:
    """The coarsest loops into which both can be split; None if there are none."""
    if math.prod(first) != math.prod(second):
        return None
    one, other, refined = list(first), list(second), list[int]()
    while one and other:
        size = min(one[0], other[0])
        if one[0] % size or other[0] % size:
            return None
        refined.append(size)
        for rest in (one, other):
            rest[0] //= size
            if rest[0] == 1:
                rest.pop(0)
    return refined


def is_injective(access: FlatAccess, sizes: Sequence[int]) -> bool:
    """Whether no two trips of the loops meet at one element; if in doubt, False."""
    loops = [
        (abs(factor), size)
        for factor, size in zip(access.factors, sizes, strict=True)
        if size > 1
    ]
    reach = 0
    for factor, size in sorted(loops):
        if factor <= reach:
            return False
        reach += factor * (size - 1)
    return True


def flat_op(op: Any) -> FlatOp | None:
    """The loops and accesses of an op; None if it is of another kind.

    Sizes have to be known, and places linear in the loops.
    """
    if op.name == "memref.copy":
        rank = op.operands[0].type.rank
        maps = [[_Linear({i: 1}) for i in range(rank)]] * 2
        return _flat(op, 1, maps, [False] * rank)
    if op.name == "linalg.fill":
        rank = op.operands[1].type.rank
        maps = [[], [_Linear({i: 1}) for i in range(rank)]]
        return _flat(op, 1, maps, [False] * rank)
    if op.name in _POOLS:
        strides, dilations = (
            list(ir.DenseIntElementsAttr(op.attributes[name]))
            for name in ("strides", "dilations")
        )
        image = [_Linear({0: 1}), _Linear({1: 1})]
        image += [
            _Linear({2 + i: int(strides[i]), 4 + i: int(dilations[i])})
            for i in range(2)
        ]
        window = [_Linear({4: 1}), _Linear({5: 1})]
        out = [_Linear({i: 1}) for i in range(4)]
        return _flat(op, 2, [image, window, out], [False] * 4 + [True] * 2)
    if op.name != "linalg.generic":
        return None
    kinds = [str(kind) for kind in op.attributes["iterator_types"]]
    if any("window" in kind for kind in kinds):
        return None
    maps = [
        [_linear(result) for result in attribute.value.results]
        for attribute in op.attributes["indexing_maps"]
    ]
    if any(linear is None for results in maps for linear in results):
        return None
    inputs = int(op.attributes["operandSegmentSizes"][0])
    return _flat(op, inputs, maps, ["reduction" in kind for kind in kinds])


@dataclass(frozen=True)
class _Linear:
    factors: dict[int, int]
    constant: int = 0


def _linear(expression: Any) -> _Linear | None:
    if isinstance(expression, ir.AffineDimExpr):
        return _Linear({int(expression.position): 1})
    if isinstance(expression, ir.AffineConstantExpr):
        return _Linear({}, int(expression.value))
    if isinstance(expression, ir.AffineAddExpr):
        left, right = _linear(expression.lhs), _linear(expression.rhs)
        if left is None or right is None:
            return None
        factors = dict(left.factors)
        for loop, factor in right.factors.items():
            factors[loop] = factors.get(loop, 0) + factor
        return _Linear(factors, left.constant + right.constant)
    if isinstance(expression, ir.AffineMulExpr):
        left, right = _linear(expression.lhs), expression.rhs
        if left is None or not isinstance(right, ir.AffineConstantExpr):
            return None
        by = int(right.value)
        factors = {loop: factor * by for loop, factor in left.factors.items()}
        return _Linear(factors, left.constant * by)
    return None


def _flat(
    op: Any, inputs: int, maps: list[list[Any]], reduced: list[bool]
) -> FlatOp | None:
    values = list(op.operands)
    memrefs = [isinstance(value.type, ir.MemRefType) for value in values]
    if not all(memrefs[inputs:]):
        return None
    trips: dict[int, int] = {}
    for value, indices, is_memref in zip(values, maps, memrefs, strict=True):
        if not is_memref:
            continue
        if not value.type.has_static_shape:
            return None
        for linear, size in zip(indices, value.type.shape, strict=True):
            if linear.constant == 0 and list(linear.factors.values()) == [1]:
                (loop,) = linear.factors
                trips[loop] = size
    if len(trips) != len(reduced) or 0 in trips.values():
        return None
    loops = [loop for loop in range(len(reduced)) if trips[loop] > 1]
    accessed: list[FlatAccess | None] = []
    for number, (value, indices) in enumerate(zip(values, maps, strict=True)):
        if not memrefs[number] or (number < inputs and not _is_read(op, number)):
            accessed.append(None)
            continue
        access = _access(value, indices, loops)
        if access is None:
            return None
        accessed.append(access)
    outputs = [access for access in accessed[inputs:] if access is not None]
    return FlatOp(
        op,
        tuple(trips[loop] for loop in loops),
        tuple(reduced[loop] for loop in loops),
        tuple(accessed[:inputs]),
        tuple(outputs),
    )


def _is_read(op: Any, number: int) -> bool:
    if not len(op.regions):
        return True
    return any(True for _ in op.regions[0].blocks[0].arguments[number].uses)


def _access(value: Any, indices: list[_Linear], kept: list[int]) -> FlatAccess | None:
    root = buffer_of(value)
    if root is None or not root.type.has_static_shape or not _is_plain(root.type):
        return None
    strides, offset = value.type.get_strides_and_offset()
    if any(number < 0 for number in (*strides, offset)):
        return None
    for linear, stride in zip(indices, strides, strict=True):
        offset += linear.constant * stride
    factors = [
        sum(
            linear.factors.get(loop, 0) * stride
            for linear, stride in zip(indices, strides, strict=True)
        )
        for loop in kept
    ]
    return FlatAccess(root, offset, tuple(factors))


def _is_plain(of: Any) -> bool:
    """Whether the elements lie in row-major order without gaps."""
    strides, offset = of.get_strides_and_offset()
    shape = [*of.shape]
    expected = [math.prod(shape[i + 1 :]) for i in range(len(shape))]
    return offset == 0 and list(strides) == expected


def mergeable(accesses: Sequence[FlatAccess], sizes: Sequence[int]) -> list[bool]:
    """For each two neighbouring loops whether they can be one in all accesses."""
    return [
        all(a.factors[i] == a.factors[j] * sizes[j] for a in accesses)
        for i, j in pairwise(range(len(sizes)))
    ]
