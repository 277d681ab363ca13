"""The memory of a row program: flat buffers, and places in them by loops."""

from typing import Any

from dycl.kernels.cpu import build
from dycl.kernels.cpu.loops.flat_access import FlatAccess
from dycl.kernels.cpu.mlir import ir
from dycl.kernels.cpu.rows.row_plan import LANES


class RowMemory:
    """Buffers with one dimension; elements that lie side by side are one vector."""

    def __init__(self, lanes: int):
        """`lanes` is the loop whose neighbours are the lanes of a vector."""
        self._lanes = lanes
        self._flat: dict[Any, Any] = {}

    def flatten(self, buffer: Any) -> None:
        """The buffer with one dimension."""
        if buffer in self._flat:
            return
        kind = buffer.type
        count = 1
        for size in kind.shape:
            count *= size
        flat = ir.MemRefType.get([count], kind.element_type)
        self._flat[buffer] = ir.Operation.create(
            "memref.reinterpret_cast",
            operands=[buffer],
            results=[flat],
            attributes={
                "static_offsets": ir.DenseI64ArrayAttr.get([0]),
                "static_sizes": ir.DenseI64ArrayAttr.get([count]),
                "static_strides": ir.DenseI64ArrayAttr.get([1]),
                "operandSegmentSizes": ir.DenseI32ArrayAttr.get([1, 0, 0, 0]),
            },
        ).results[0]

    def _place(self, access: FlatAccess, places: dict[int, Any]) -> Any:
        total: Any = None
        for loop, factor in enumerate(access.factors):
            if not factor or loop not in places:
                continue
            term = places[loop]
            if factor != 1:
                index = ir.IndexType.get()
                term = build.op("arith.muli", [term, build.index(factor)], index)
            total = term if total is None else moved(total, term)
        if total is None:
            return build.index(access.offset)
        return moved(total, build.index(access.offset)) if access.offset else total

    def load(
        self,
        access: FlatAccess,
        places: dict[int, Any],
        mask: Any,
        lanes: int | None,
    ) -> Any:
        """Elements that are side by side, or one; in all lanes if `lanes` says so."""
        flat, at = self._flat[access.buffer], self._place(access, places)
        element = flat.type.element_type
        if lanes is not None and access.factors[self._lanes]:
            return read(flat, at, mask, element)
        value = build.load(flat, [at])
        return value if lanes is None else build.broadcast(value, lanes)

    def store(
        self, access: FlatAccess, places: dict[int, Any], value: Any, mask: Any
    ) -> None:
        """Store a vector or a scalar."""
        flat, at = self._flat[access.buffer], self._place(access, places)
        if isinstance(value.type, ir.VectorType):
            write(value, flat, at, mask)
        else:
            build.store(value, flat, [at])


def moved(one: Any, other: Any) -> Any:
    """The sum of two indices."""
    return build.op("arith.addi", [one, other], ir.IndexType.get())


def allocate(of: Any) -> Any:
    """New memory of a memref type."""
    sizes = ir.DenseI32ArrayAttr.get([0, 0])
    alignment = ir.IntegerAttr.get(ir.IntegerType.get_signless(64), 64)
    attributes = {"operandSegmentSizes": sizes, "alignment": alignment}
    return build.op("memref.alloc", [], of, attributes)


def first_lanes(count: int) -> Any:
    """A mask with the first `count` lanes."""
    mask = ir.VectorType.get([LANES], ir.IntegerType.get_signless(1))
    sizes = ir.DenseI64ArrayAttr.get([count])
    return build.op("vector.constant_mask", [], mask, {"mask_dim_sizes": sizes})


def read(memory: Any, at: Any, mask: Any, element: Any) -> Any:
    """A vector of elements from `at` on; 0 where the mask has no lane."""
    vectors = ir.VectorType.get([LANES], element)
    if mask is None:
        return build.op("vector.load", [memory, at], vectors)
    empty = build.constant(0, vectors)
    return build.op("vector.maskedload", [memory, at, mask, empty], vectors)


def write(value: Any, memory: Any, at: Any, mask: Any) -> None:
    """Store the lanes of the mask; None: all."""
    if mask is None:
        ir.Operation.create("vector.store", operands=[value, memory, at])
    else:
        ir.Operation.create("vector.maskedstore", operands=[memory, at, mask, value])
