"""The body of a `linalg` op for many elements at once.

The scalars of a body become vectors, its ops stay the same: what arith and math have
works on each lane alone. Before, and after, with 16 lanes:

    ^bb0(%x: f32, %out: f32):         %c = arith.constant dense<2.0> : vector<16xf32>
      %y = arith.mulf %x, %two : f32  %y = arith.mulf %xs, %c : vector<16xf32>
      %z = math.exp %y : f32          %z = math.exp %y : vector<16xf32>
      linalg.yield %z : f32

Conversions are lane by lane as well, so lanes of different widths may meet in one body.
"""

from collections.abc import Callable, Sequence
from typing import Any

from dycl.kernels.cpu.build import broadcast, constant_of, like
from dycl.kernels.cpu.mlir import ir

_EXTENDED = {"arith.addui_extended", "arith.mulsi_extended", "arith.mului_extended"}


def no_vector_form(body: Any, indices: bool = False, reads: bool = False) -> str | None:
    """Why the block `body` has no vector form; None if it has one.

    Elements have to be floats or integers, ops of arith or math with one result. With
    `indices`, a body may ask for the place of the element (`linalg.index`), with
    `reads` read from memory by it.
    """
    for argument in body.arguments:
        if not _is_number(argument.type):
            return f"an element is {argument.type}"
    for inner in body.operations:
        operation = inner.operation
        if operation.name == "linalg.yield":
            continue
        if indices and operation.name == "linalg.index":
            continue
        if reads and operation.name == "memref.load":
            continue
        dialect = operation.name.split(".")[0]
        if dialect not in ("arith", "math") or operation.name in _EXTENDED:
            return f"{operation.name} does not work lane by lane"
        if not all(_is_lane(result.type) for result in operation.results):
            return f"{operation.name} gives {operation.results[0].type}"
    return None


def vector_body(
    body: Any,
    elements: Sequence[Any],
    indices: Callable[[int], Any] | None = None,
    reads: Callable[[Any, list[Any]], Any] | None = None,
) -> list[Any]:
    """Repeat `body` on vectors at the insertion point; gives what it yields.

    `elements` stand for the arguments of `body` and have the same number of lanes,
    each with the element type of its argument. An element that is the same in every
    lane may be a scalar: what is computed of such alone stays one. If all `elements`
    are scalars, so is what is yielded, and else none of it. `no_vector_form(body)` has
    to be None. `indices` gives what stands for `linalg.index` of a loop, `reads` the
    vector that begins at a place in memory.
    """
    known = dict(zip(body.arguments, elements, strict=True))
    shape = next((e.type for e in elements if _is_vector(e)), None)
    for inner in body.operations:
        operation = inner.operation
        operands = [known.get(value, value) for value in operation.operands]
        is_yield = operation.name == "linalg.yield"
        if operation.name == "memref.load" and reads is not None:
            known[operation.results[0]] = reads(operands[0], operands[1:])
            continue
        if shape is not None and (is_yield or any(map(_is_vector, operands))):
            operands = [_in_lanes(value, shape) for value in operands]
        if is_yield:
            return operands
        (result,) = operation.results
        if operation.name == "linalg.index" and indices is not None:
            known[result] = indices(int(operation.attributes["dim"].value))
            continue
        is_wide = any(map(_is_vector, operands))
        op = ir.Operation.create(
            operation.name,
            operands=operands,
            results=[like(shape, result.type) if is_wide else result.type],
            attributes={
                name: operation.attributes[name] for name in operation.attributes
            },
            loc=operation.location,
        )
        known[result] = op.results[0]
    raise ValueError("a body without linalg.yield")


def lane_ops(body: Any, same: Sequence[bool]) -> list[str]:
    """The names of the ops of `body` that differ from lane to lane.

    `same` says of which arguments an element is the same in every lane.
    """
    varying = {a for a, flag in zip(body.arguments, same, strict=True) if not flag}
    names: list[str] = []
    for inner in body.operations:
        operation = inner.operation
        is_index = operation.name == "linalg.index"
        if is_index or any(value in varying for value in operation.operands):
            varying.update(operation.results)
            names.append(str(operation.name))
    return names


def _in_lanes(value: Any, shape: Any) -> Any:
    """A value in all lanes, a constant as a constant."""
    if _is_vector(value):
        return value
    owner = value.owner
    if not isinstance(owner, ir.Block) and owner.name == "arith.constant":
        with owner.location:
            return constant_of(owner.attributes["value"], like(shape, value.type))
    return broadcast(value, shape.shape[0])


def _is_vector(value: Any) -> bool:
    return isinstance(value.type, ir.VectorType)


def _is_number(of: Any) -> bool:
    return isinstance(of, ir.IntegerType) or _is_float(of)


def _is_lane(of: Any) -> bool:
    return _is_number(of) or isinstance(of, ir.IndexType)


def _is_float(of: Any) -> bool:
    return isinstance(of, ir.F16Type | ir.BF16Type | ir.F32Type | ir.F64Type)
