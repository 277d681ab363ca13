"""Who touches which memory, in the straight-line memref code of one kernel.

Two values may be the same memory if they are views of one buffer. Different buffers of
a kernel are different memory, and so are its outputs (see `dycl.kernels.specs`); an
input is never written.
"""

from bisect import bisect_left
from typing import Any

from dycl.kernels.cpu import tensor_ops as build
from dycl.kernels.cpu.mlir import ir, ops

_VIEWS = (
    "memref.subview",
    "memref.expand_shape",
    "memref.collapse_shape",
    "memref.cast",
    "memref.reinterpret_cast",
)
PURE = (
    "memref.alloc",
    "memref.dim",
    "memref.extract_aligned_pointer_as_index",
    "memref.get_global",
    *_VIEWS,
)
"""Ops that touch no element."""
_UNKNOWN = None
"""Stands for memory of which it is not known which buffer it is in."""


def buffer_of(value: Any) -> Any:
    """The buffer or argument that a memref is a view of; None if that is not known."""
    producer = build.owner(value)
    if producer is None or producer.name in ("memref.alloc", "memref.get_global"):
        return value
    return buffer_of(producer.operands[0]) if producer.name in _VIEWS else _UNKNOWN


def may_alias(first: Any, second: Any) -> bool:
    """Whether two memrefs may share memory."""
    one, other = buffer_of(first), buffer_of(second)
    return one is _UNKNOWN or other is _UNKNOWN or bool(one == other)


def is_buffer(value: Any) -> bool:
    """Whether a memref is a whole buffer of the kernel's own."""
    producer = build.owner(value)
    return producer is not None and producer.name == "memref.alloc"


def is_scratch(value: Any) -> bool:
    """Whether a memref lies in a buffer of the kernel's own: nobody else sees it."""
    buffer = buffer_of(value)
    return buffer is not _UNKNOWN and is_buffer(buffer)


def has_unit_stride(value: Any) -> bool:
    """Whether neighbours in the last dimension of a memref lie side by side."""
    strides, _ = value.type.get_strides_and_offset()
    return value.type.rank > 0 and int(strides[-1]) == 1


def is_dense(kind: Any) -> bool:
    """Whether memory of a memref type has its elements in order, without gaps."""
    identity = ir.AffineMap.get_identity(kind.rank)
    return bool(ir.MemRefType(kind).layout == ir.AffineMapAttr.get(identity))


class Effects:
    """The ops of a block in order, and the buffers that each of them touches.

    A snapshot: it is not told of ops that are made or erased later.
    """

    def __init__(self, block: Any):
        """Look at every op of `block`, and what is nested in it, once."""
        self.ops = [op.operation for op in block.operations]
        self._place = {op: index for index, op in enumerate(self.ops)}
        self._touched = [{buffer_of(v) for v in _touched(op)} for op in self.ops]
        self._written = [{buffer_of(v) for v in _written(op)} for op in self.ops]
        self._places = [place for place, found in enumerate(self._touched) if found]

    def place(self, op: Any) -> int:
        """Where `op` stands. KeyError: it is not of this block."""
        return self._place[op]

    def touches(self, place: int, value: Any) -> bool:
        """Whether the op at `place` may read or write memory of `value`."""
        return _meets(self._touched[place], value)

    def writes(self, place: int, value: Any) -> bool:
        """Whether the op at `place` may write memory of `value`."""
        return _meets(self._written[place], value)

    def touching(self, first: int, last: int) -> list[int]:
        """The places from `first` to before `last` of ops that touch memory."""
        start, end = (bisect_left(self._places, place) for place in (first, last))
        return self._places[start:end]

    def touches_any(self, place: int, buffers: set[Any]) -> bool:
        """Whether the op at `place` may read or write one of these whole buffers."""
        return _meet(self._touched[place], buffers)

    def writes_any(self, place: int, buffers: set[Any]) -> bool:
        """Whether the op at `place` may write one of these whole buffers."""
        return _meet(self._written[place], buffers)


def _meet(buffers: set[Any], others: set[Any]) -> bool:
    # Sets know the hashes of what they hold, which MLIR takes long to give.
    if not buffers or not others:
        return False
    return _UNKNOWN in buffers or not buffers.isdisjoint(others)


def _meets(buffers: set[Any], value: Any) -> bool:
    buffer = buffer_of(value)
    return bool(buffers) and (
        buffer is _UNKNOWN or buffer in buffers or _UNKNOWN in buffers
    )


def _touched(op: Any) -> list[Any]:
    return [] if op.name in PURE else _memrefs(op)


def _written(op: Any) -> list[Any]:
    if op.name in PURE or op.name.startswith(("arith.", "math.")):
        return []
    if op.name == "memref.copy":
        return [op.operands[1]]
    if not op.name.startswith("linalg.") or "operandSegmentSizes" not in op.attributes:
        return _memrefs(op)
    inputs = int(op.attributes["operandSegmentSizes"][0])
    inside = [
        value
        for inner in ops(op)
        if inner.operation != op and inner.name != "memref.load"
        for value in inner.operands
        if isinstance(value.type, ir.MemRefType)
    ]
    return [*list(op.operands)[inputs:], *inside]


def _memrefs(op: Any) -> list[Any]:
    """All memrefs that an op names, those in its regions as well."""
    return [
        value
        for inner in ops(op)
        for value in inner.operands
        if isinstance(value.type, ir.MemRefType)
    ]
