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


def no_vector_form(body: Any, indices: bool = False) -> str | None:
    """Why the block `body` has no vector form; None if it has one.

    Elements have to be floats or integers, ops of arith or math with one result. With
    `indices`, a body may ask for the place of the element (`linalg.index`).
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
        dialect = operation.name.split(".")[0]
        if dialect not in ("arith", "math") or operation.name in _EXTENDED:
            return f"{operation.name} does not work lane by lane"
        if not all(_is_lane(result.type) for result in operation.results):
            return f"{operation.name} gives {operation.results[0].type}"
    return None


def vector_body(
    body: Any, elements: Sequence[Any], indices: Callable[[int], Any] | None = None
) -> list[Any]:
    """Repeat `body` on vectors at the insertion point; gives what it yields.

    `elements` stand for the arguments of `body` and have the same number of lanes,
    each with the element type of its argument. Scalars from outside of the body are
    put into all lanes. `no_vector_form(body)` has to be None. If `elements` are
    scalars, `body` is repeated on scalars. `indices` gives the vector that stands for
    `linalg.index` of a loop.
    """
    known = dict(zip(body.arguments, elements, strict=True))
    shape = elements[0].type
    for inner in body.operations:
        operation = inner.operation
        operands = [_vector(known, value, shape) for value in operation.operands]
        if operation.name == "linalg.yield":
            return operands
        (result,) = operation.results
        if operation.name == "linalg.index" and indices is not None:
            known[result] = indices(int(operation.attributes["dim"].value))
            continue
        vectors = like(shape, result.type)
        if operation.name == "arith.constant":
            with operation.location:
                known[result] = constant_of(operation.attributes["value"], vectors)
            continue
        made = ir.Operation.create(
            operation.name,
            operands=operands,
            results=[vectors],
            attributes={
                name: operation.attributes[name] for name in operation.attributes
            },
            loc=operation.location,
        )
        known[result] = made.results[0]
    raise ValueError("a body without linalg.yield")


def _vector(known: dict[Any, Any], value: Any, shape: Any) -> Any:
    if value in known or not isinstance(shape, ir.VectorType):
        return known.get(value, value)
    owner = value.owner
    if not isinstance(owner, ir.Block) and owner.name == "arith.constant":
        known[value] = constant_of(owner.attributes["value"], like(shape, value.type))
    else:
        known[value] = broadcast(value, shape.shape[0])
    return known[value]


def _is_number(of: Any) -> bool:
    return isinstance(of, ir.IntegerType) or _is_float(of)


def _is_lane(of: Any) -> bool:
    return _is_number(of) or isinstance(of, ir.IndexType)


def _is_float(of: Any) -> bool:
    return isinstance(of, ir.F16Type | ir.BF16Type | ir.F32Type | ir.F64Type)
