"""What an op uses of the function around it, as arguments of another function.

Memory crosses the border as a pointer, since a memref of dynamic sizes is more than
one: its sizes, its steps and where it begins are arguments beside it, where a run
decides them. Constants are made anew.
"""

from collections.abc import Sequence
from typing import Any

from dycl.kernels.cpu import build
from dycl.kernels.cpu import tensor_ops as tensors
from dycl.kernels.cpu.mlir import ir, ops


class Inside:
    """What `op` uses; the insertion point is in front of it."""

    def __init__(self, op: Any):
        """Make what the function around it has to hand over."""
        self.arguments: list[Any] = []
        """What the other function is given."""
        self.memories: dict[Any, int] = {}
        """Each memref, and which argument the pointer to it is."""
        self._numbers: dict[Any, int] = {}
        self._constants: list[Any] = []
        for value in _used(op):
            if isinstance(value.type, ir.MemRefType):
                self.memories[value] = len(self.arguments)
                self.arguments += _flat(value)
            elif _is_constant(value):
                self._constants.append(value)
            else:
                self._numbers[value] = len(self.arguments)
                self.arguments.append(value)

    def enter(self, given: Sequence[Any]) -> dict[Any, Any]:
        """The same in the other function, which is `given` its arguments: by value."""
        values: dict[Any, Any] = {}
        for value in self._constants:
            values[value] = tensors.owner(value).clone().operation.results[0]
        for value, place in self._numbers.items():
            values[value] = given[place]
        for value, place in self.memories.items():
            values[value] = _view(value.type, given[place:])
        return values


def part_of(memory: Any, dims: Sequence[int], first: Any, count: Any) -> Any:
    """`count` elements from `first` on, in each of these dimensions of a memref."""
    if not dims or not isinstance(memory.type, ir.MemRefType):
        return memory
    kind = memory.type
    dynamic = ir.ShapedType.get_dynamic_size()
    unknown = ir.ShapedType.get_dynamic_stride_or_offset()
    strides, _ = kind.get_strides_and_offset()
    sizes: list[Any] = []
    for dim in range(kind.rank):
        if dim in dims:
            sizes.append(count)
        elif kind.is_dynamic_dim(dim):
            sizes.append(build.size(memory, dim))
        else:
            sizes.append(int(kind.get_dim_size(dim)))
    moving = [size for size in sizes if not isinstance(size, int)]
    shape = [size if isinstance(size, int) else dynamic for size in sizes]
    layout = ir.StridedLayoutAttr.get(unknown, list(strides))
    return tensors.op(
        "memref.subview",
        [memory, *[first] * len(dims), *moving],
        ir.MemRefType.get(shape, kind.element_type, layout),
        static_offsets=tensors.ints(
            [unknown if dim in dims else 0 for dim in range(kind.rank)]
        ),
        static_sizes=tensors.ints(shape),
        static_strides=tensors.ints([1] * kind.rank),
        operandSegmentSizes=ir.DenseI32ArrayAttr.get([1, len(dims), len(moving), 0]),
    )


def _used(op: Any) -> list[Any]:
    """The values from outside that an op and what is in it use, each once."""
    everything = ops(op)
    made: set[Any] = set()
    for inner in everything:
        made |= set(inner.operation.results)
        for region in inner.operation.regions:
            for block in region.blocks:
                made |= set(block.arguments)
    used = (value for inner in everything for value in inner.operation.operands)
    return list(dict.fromkeys(value for value in used if value not in made))


def _is_constant(value: Any) -> bool:
    producer = tensors.owner(value)
    return producer is not None and producer.name == "arith.constant"


def _is_known(number: int) -> bool:
    return int(number) != ir.ShapedType.get_dynamic_stride_or_offset()


def _flat(memory: Any) -> list[Any]:
    """A pointer, and what a run decides of where the elements are."""
    kind, index = memory.type, ir.IndexType.get()
    taken = ir.Operation.create(
        "memref.extract_strided_metadata",
        operands=[memory],
        results=[
            ir.MemRefType.get([], kind.element_type),
            *[index] * (1 + 2 * kind.rank),
        ],
    )
    pointer, offset, *numbers = list(taken.results)
    sizes, steps = numbers[: kind.rank], numbers[kind.rank :]
    strides, start = kind.get_strides_and_offset()
    return [
        pointer,
        *([] if _is_known(start) else [offset]),
        *(size for dim, size in enumerate(sizes) if kind.is_dynamic_dim(dim)),
        *(s for s, known in zip(steps, strides, strict=True) if not _is_known(known)),
    ]


def _view(kind: Any, given: Sequence[Any]) -> Any:
    """The memref of that type that `_flat` took apart."""
    strides, start = kind.get_strides_and_offset()
    shape = [int(size) for size in kind.shape]
    counts = [
        0 if _is_known(start) else 1,
        sum(kind.is_dynamic_dim(dim) for dim in range(kind.rank)),
        sum(not _is_known(stride) for stride in strides),
    ]
    return tensors.op(
        "memref.reinterpret_cast",
        list(given[: 1 + sum(counts)]),
        kind,
        static_offsets=tensors.ints([int(start)]),
        static_sizes=tensors.ints(shape),
        static_strides=tensors.ints([int(stride) for stride in strides]),
        operandSegmentSizes=ir.DenseI32ArrayAttr.get([1, *counts]),
    )
