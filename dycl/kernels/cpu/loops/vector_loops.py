"""`cpu-vector-loops`: elementwise ops with functions that few elements make expensive.

A sine beyond 2**30 takes twice as long as others. LLVM makes vectors of a loop
by computing both sides of a branch; where lanes are a vector already, the branch stays,
and is taken if a lane needs it (`trigonometry.py`).

Before:
    linalg.generic {math.sin} ins(%x) outs(%y)            // 8x5xf32

After:
    scf.for %i = %c0 to %c32 step %c16 {                  // rows in order are one
      %v = vector.load %xf[%i] : memref<40xf32>, vector<16xf32>
      %s = math.sin %v : vector<16xf32>
      vector.store %s, %yf[%i] : memref<40xf32>, vector<16xf32>
    }
    vector.maskedload ...                                 // the last 8

Needs:  linalg on memrefs; before buffers are freed, behind `cpu-row-programs`.
Leaves: `cpu-expand-math` to expand the functions.
Skips:  sizes known at run time only; what is not linear in the loops, or has no vector
        form; elements that do not lie side by side; truth values; other functions.
"""

import math
from collections.abc import Sequence
from typing import Any

from dycl.kernels.cpu import build
from dycl.kernels.cpu.build import element_type
from dycl.kernels.cpu.loops.flat_access import FlatAccess, FlatOp, flat_op, mergeable
from dycl.kernels.cpu.loops.trigonometry import FUNCTIONS
from dycl.kernels.cpu.loops.vector_body import no_vector_form, vector_body
from dycl.kernels.cpu.mlir import functions, ir
from dycl.kernels.cpu.rows.row_memory import RowMemory, first_lanes
from dycl.kernels.cpu.rows.row_plan import LANES


def vector_loops(module: Any) -> None:
    """Rewrite the elementwise ops of `module` that have such a function."""
    for func in functions(module):
        for block in func.regions[0].blocks:
            for op in [view.operation for view in block.operations]:
                found = flat_op(op) if _is_meant(op) else None
                loops = None if found is None else _loops(found)
                if found is None or loops is None:
                    continue
                with ir.InsertionPoint(op), op.location:
                    _write(found, *loops)
                op.erase()


def _is_meant(op: Any) -> bool:
    if op.name != "linalg.generic" or len(op.regions[0].blocks) != 1:
        return False
    body = op.regions[0].blocks[0]
    return (
        any(
            inner.operation.name in FUNCTIONS
            and isinstance(element_type(inner.operation.results[0].type), ir.F32Type)
            for inner in body.operations
        )
        and no_vector_form(body) is None
        and all(_is_whole_bytes(argument.type) for argument in body.arguments)
        and not any(True for _ in list(body.arguments)[-1].uses)
    )


def _is_whole_bytes(kind: Any) -> bool:
    """Of truth values, a vector has eight in a byte, and memory one."""
    return not isinstance(kind, ir.IntegerType) or kind.width >= 8


def _loops(found: FlatOp) -> tuple[list[int], list[FlatAccess | None]] | None:
    """The loops, as few as there can be, and the accesses over them; None: elements do
    not lie side by side."""
    if found.reduces or len(found.outputs) != 1 or not found.sizes:
        return None
    merges = mergeable(found.accesses, found.sizes)
    heads = [True, *(not merged for merged in merges)]
    groups: list[list[int]] = []
    for loop, begins in enumerate(heads):
        if begins:
            groups.append([])
        groups[-1].append(loop)
    sizes = [math.prod(found.sizes[loop] for loop in group) for group in groups]

    def over(access: FlatAccess | None) -> FlatAccess | None:
        if access is None:
            return None
        factors = tuple(access.factors[group[-1]] for group in groups)
        return FlatAccess(access.buffer, access.offset, factors)

    accesses = [over(access) for access in (*found.inputs, *found.outputs)]
    lanes = [access.factors[-1] for access in accesses if access is not None]
    return None if lanes[-1] != 1 or not set(lanes) <= {0, 1} else (sizes, accesses)


def _write(
    found: FlatOp, sizes: Sequence[int], accesses: Sequence[FlatAccess | None]
) -> None:
    """The loops, where the insertion point stands."""
    *inputs, output = accesses
    memory = RowMemory(len(sizes) - 1)
    for access in accesses:
        if access is not None:
            memory.flatten(access.buffer)

    def lanes_at(places: dict[int, Any], mask: Any) -> None:
        elements: list[Any] = []
        for number, access in enumerate(inputs):
            if access is None:
                elements.append(_scalar(found, number))
            else:
                is_vector = access.factors[-1]
                lanes = LANES if is_vector else None
                elements.append(memory.load(access, places, mask, lanes))
        kind = element_type(found.op.operands[len(inputs)].type.element_type)
        elements.append(build.constant(0, ir.VectorType.get([LANES], kind)))
        (value,) = vector_body(found.body, elements)
        assert output is not None
        memory.store(output, places, value, mask)

    def loop(depth: int, places: dict[int, Any]) -> None:
        size = sizes[depth]
        if depth < len(sizes) - 1:
            _each(range(size), lambda at: loop(depth + 1, {**places, depth: at}))
            return
        whole = size // LANES * LANES
        _each(range(0, whole, LANES), lambda at: lanes_at({**places, depth: at}, None))
        if whole < size:
            here = {**places, depth: build.index(whole)}
            lanes_at(here, first_lanes(size - whole))

    loop(0, {})


def _scalar(found: FlatOp, number: int) -> Any:
    """An operand that is no memory, or is not looked at."""
    value = found.op.operands[number]
    if isinstance(value.type, ir.MemRefType):
        return build.constant(0, value.type.element_type)
    return value


def _each(trips: range, body: Any) -> None:
    """`body` for each trip."""

    def trip(at: Any, _: list[Any]) -> list[Any]:
        body(at)
        return []

    if trips:
        build.counted(trips, [], trip)
