"""`cpu-cut-masked-stores`: the first lanes of a vector are written in whole pieces.

AVX-512 writes some lanes of a vector as fast as all. AVX2 has an instruction for it
that takes tens of cycles on some processors, where pieces of 8, 4, 2 lanes and one take
one each.

Before:
    %mask = arith.constant dense<[true, .. 14 times, false, false]> : vector<16xi1>
    vector.maskedstore %m[%i], %mask, %v

After:
    vector.store (vector.extract_strided_slice %v [0] [8]), %m[%i]
    vector.store (vector.extract_strided_slice %v [8] [4]), %m[%i + 8]
    vector.store (vector.extract_strided_slice %v [12] [2]), %m[%i + 12]

Needs:  vectors of one dimension, stored to the last dimension of a memref.
Leaves: masks that are not constant.
Skips:  processors with AVX-512; masks of other lanes than the first ones.
"""

from collections.abc import Iterator
from typing import Any

from dycl.kernels.cpu import build
from dycl.kernels.cpu.mlir import ir, ops
from dycl.kernels.cpu.target import has_wide_registers

_STORE = "vector.maskedstore"


def cut_masked_stores(module: Any) -> None:
    """Rewrite every masked store of `module` whose mask is a constant."""
    if has_wide_registers(module):
        return
    for op in ops(module.operation):
        if op.name != _STORE:
            continue
        memory, *indices, mask, value = op.operands
        lanes = _first_lanes(mask)
        if lanes is None:
            continue
        with ir.InsertionPoint(op), op.location:
            for start, size in _pieces(lanes):
                _store(memory, indices, value, start, size)
        op.erase()


def _first_lanes(mask: Any) -> int | None:
    """How many lanes a mask has, if they are the first ones and it is a constant."""
    owner = mask.owner
    if isinstance(owner, ir.Block) or owner.operation.name != "arith.constant":
        return None
    bits = [bool(bit) for bit in owner.operation.attributes["value"]]
    lanes = sum(bits)
    return lanes if all(bits[:lanes]) else None


def _pieces(lanes: int) -> Iterator[tuple[int, int]]:
    """Where pieces of powers of two begin, and their sizes, the largest first."""
    start = 0
    while start < lanes:
        size = 1 << ((lanes - start).bit_length() - 1)
        yield start, size
        start += size


def _store(memory: Any, indices: list[Any], value: Any, start: int, size: int) -> None:
    kind = ir.VectorType.get([size], value.type.element_type)
    piece = build.op(
        "vector.extract_strided_slice",
        [value],
        kind,
        {
            "offsets": ir.ArrayAttr.get([build.i64(start)]),
            "sizes": ir.ArrayAttr.get([build.i64(size)]),
            "strides": ir.ArrayAttr.get([build.i64(1)]),
        },
    )
    *outer, last = indices
    if start:
        last = build.op("arith.addi", [last, build.index(start)], last.type)
    ir.Operation.create("vector.store", operands=[piece, memory, *outer, last])
