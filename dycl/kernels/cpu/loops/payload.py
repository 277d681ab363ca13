"""The payload of a linalg op, with a vector in the place of each scalar."""

from collections.abc import Sequence
from typing import Any

from dycl.kernels.cpu import tensor_ops as build
from dycl.kernels.cpu.loops.vector_body import no_vector_form
from dycl.kernels.cpu.mlir import ir
from dycl.kernels.cpu.nests.function import LANES, Function, Value


def can_be_vectors(op: Any) -> bool:
    """Whether every op of a payload has a meaning lane by lane.

    Not so where it reads a number of the kernel's own arguments.
    """
    block = op.regions[0].blocks[0]
    return no_vector_form(block) is None and all(
        value.owner == block or _inside(value, op) or _constant_of(value) is not None
        for inner in block.operations
        for value in inner.operation.operands
    )


def emit_body(op: Any, arguments: Sequence[Value], function: Function) -> Value:
    """Add a payload on vectors to a function; what it yields.

    `arguments` are its operands as vectors.
    """
    block = op.regions[0].blocks[0]
    known: dict[Any, Value] = dict(zip(block.arguments, arguments, strict=True))

    def vector_of(value: Any) -> Value:
        if value not in known:
            known[value] = function.splat(str(_constant_of(value)), str(value.type))
        return known[value]

    for inner in (o.operation for o in block.operations):
        if inner.name == "linalg.yield":
            return vector_of(inner.operands[0])
        if inner.name == "arith.constant":
            continue
        operands = [vector_of(value) for value in inner.operands]
        attributes = {name: str(inner.attributes[name]) for name in inner.attributes}
        result = f"vector<{LANES}x{inner.results[0].type}>"
        known[inner.results[0]] = function.op(
            inner.name, operands, result, **attributes
        )
    raise AssertionError("a payload ends with linalg.yield")


def _inside(value: Any, op: Any) -> bool:
    producer = build.owner(value)
    return producer is not None and producer.block == op.regions[0].blocks[0]


def _constant_of(value: Any) -> str | None:
    """The text of a scalar constant; None: it is none."""
    producer = build.owner(value)
    if producer is None or producer.name != "arith.constant":
        return None
    attribute = producer.attributes["value"]
    if isinstance(attribute, ir.IntegerAttr | ir.FloatAttr | ir.BoolAttr):
        return str(attribute).partition(":")[0].strip()
    return None
