"""`cpu-write-scans`: running sums along rows, several rows side by side.

Each element waits for the one before it, through memory in torch-mlir's own loops. Here
what has been summed up of a row stays in a register, and other rows fill the time that
an addition takes. As in eager, f32 are summed and multiplied as f64, and each result is
rounded.

Before:
    tm_tensor.scan dimension(1) inclusive(true) ins(%x) outs(%y, %last)   // 64x256

After:
    scf.for %i = %c0 to %c64 step %c8 {
      // elements 0 of eight rows
      scf.for %j = %c1 to %c256 iter_args(%s0 = ..., %s7 = ...) {
        %n0 = arith.addf %s0, %x[%i, %j] : f64 ...
        // %y[%i, %j] = %n0 as f32 ...
      }
    }

Needs:  scans of memrefs; to stand before buffers are freed.
Leaves: the last sum of each row in the second result.
Skips:  dynamic sizes, exclusive scans, and other dims than the last one: there, rows
        are neighbours in memory.
"""

import math
from typing import Any

from dycl.kernels.cpu import build
from dycl.kernels.cpu.mlir import ir, ops
from dycl.kernels.cpu.tensor_ops import clone_body

_SIDE_BY_SIDE = 8
"""Twice what fills the four cycles of an addition."""


def write_scans(module: Any) -> None:
    """Write out every scan along rows of known sizes."""
    for op in ops(module.operation):
        if op.name == "tm_tensor.scan" and _is_known(op):
            with ir.InsertionPoint(op), op.location:
                _rows(op, [], list(op.operands[0].type.shape)[:-1])
            op.erase()


def _is_known(op: Any) -> bool:
    kinds = [value.type for value in op.operands]
    return (
        not len(op.results)
        and all(isinstance(k, ir.MemRefType) and k.has_static_shape for k in kinds)
        and int(op.attributes["dimension"].value) == kinds[0].rank - 1
        and bool(op.attributes["inclusive"].value)
        and math.prod(kinds[0].shape) > 0
    )


def _rows(op: Any, place: list[Any], sizes: list[int]) -> None:
    """Loops over rows, the innermost in steps of several."""
    if not sizes:
        _scan(op, [place])
        return
    size, *inner = sizes

    def each(trips: range, body: Any) -> None:
        def trip(at: Any, _: list[Any]) -> list[Any]:
            body(at)
            return []

        if trips:
            build.counted(trips, [], trip)

    if inner:
        each(range(size), lambda at: _rows(op, [*place, at], inner))
        return
    whole = size // _SIDE_BY_SIDE * _SIDE_BY_SIDE

    def several(at: Any) -> None:
        rows = [build.binary("arith.addi", at, build.index(i)) for i in _STEPS]
        _scan(op, [[*place, row] for row in rows])

    each(range(0, whole, _SIDE_BY_SIDE), several)
    each(range(whole, size), lambda at: _scan(op, [[*place, at]]))


_STEPS = range(_SIDE_BY_SIDE)


def _scan(op: Any, rows: list[list[Any]]) -> None:
    """All elements of some rows, from the first on."""
    read, written, last = op.operands
    first = build.index(0)
    firsts = [build.load(read, [*row, first]) for row in rows]
    for row, value in zip(rows, firsts, strict=True):
        build.store(value, written, [*row, first])
    wide, combine = _combiner(op)
    kind = read.type.element_type

    def step(at: Any, so_far: list[Any]) -> list[Any]:
        elements = [_as(build.load(read, [*row, at]), wide) for row in rows]
        pairs = zip(so_far, elements, strict=True)
        following = [combine(*pair) for pair in pairs]
        for row, value in zip(rows, following, strict=True):
            build.store(_as(value, kind), written, [*row, at])
        return following

    sums = [_as(value, wide) for value in firsts]
    sums = build.counted(range(1, read.type.shape[-1]), sums, step)
    for row, value in zip(rows, sums, strict=True):
        build.store(_as(value, kind), last, row)


def _combiner(op: Any) -> tuple[Any, Any]:
    """In which type two elements become one, and how."""
    kind = op.operands[0].type.element_type
    inner, *_ = (view.operation for view in op.regions[0].blocks[0].operations)
    if isinstance(kind, ir.F32Type) and inner.name in _IN_F64:
        name = str(inner.name)
        return ir.F64Type.get(), lambda one, other: build.binary(name, one, other)
    return kind, clone_body(op)


_IN_F64 = ("arith.addf", "arith.mulf")


def _as(value: Any, kind: Any) -> Any:
    """An f32 as f64, and back; all else as it is."""
    if value.type == kind:
        return value
    name = "arith.extf" if isinstance(kind, ir.F64Type) else "arith.truncf"
    return build.op(name, [value], kind)
