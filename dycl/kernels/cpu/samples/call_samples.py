"""`cpu-call-samples`: the kernel of one sample is called for all of them.

The loop is a function without a body yet: it takes pointers, which memrefs of sizes
that a run decides are not, and `cpu-loop-over-samples` moves them.

Before:
    linalg.generic {dycl.sample_of = @k.sample.0} ins(%x, %w) outs(%y)

After:
    %n = memref.dim %y, 0
    %xp = memref.reinterpret_cast %x to sizes: [1]
    %yp = memref.reinterpret_cast %y to sizes: [1]
    func.call @k.sample.0.all(%xp, %w, %yp, 0, %n)

    func.func private @k.sample.0.all(...)
        attributes {dycl.steps = array<i64: 200704, 0, 200704>}

Needs:  linalg on memrefs, before buffers are freed.
Leaves: calls, and functions without a body. The numbers are those of the first sample
        and of that behind the last; of groups, if the function computes one.
Skips:  nothing: operands that are not dense are copied.
"""

import math
from collections.abc import Sequence
from typing import Any

from dycl.kernels.cpu import build
from dycl.kernels.cpu.mlir import ir, ops
from dycl.kernels.cpu.samples.marked import BEHIND, DIMS, SAMPLE_OF, Which

STEPS = "dycl.steps"
"""On the loop over samples: for each pointer by how many bytes it moves."""
ALL = ".all"
"""What its name has behind that of the function of one sample."""


def call_samples(module: Any) -> None:
    """Put a call in the place of each op that stands for a loop over samples."""
    for op in ops(module.operation):
        if SAMPLE_OF in op.attributes:
            with ir.InsertionPoint(op), op.location:
                _call(module, op, f"{op.attributes[SAMPLE_OF].value}{ALL}")
            op.erase()


def _call(module: Any, op: Any, name: str) -> None:
    inputs = int(op.attributes["operandSegmentSizes"][0])
    given = [
        build.dense(value, is_read=number < inputs or BEHIND in op.attributes)
        for number, value in enumerate(op.operands)
    ]
    dims = list(op.attributes[DIMS])
    which = Which.of(op)
    steps = [
        which.group * _bytes(v.type, dim) for v, dim in zip(given, dims, strict=True)
    ]
    numbers = _numbers(which, build.size(given[inputs], dims[inputs]))
    arguments = [*map(build.bare, given), *numbers]
    declare(module, name, [value.type for value in arguments], steps)
    build.call(name, arguments)
    for value, wanted in list(zip(given, op.operands, strict=True))[inputs:]:
        if value != wanted:
            ir.Operation.create("memref.copy", operands=[value, wanted])


def _numbers(which: Which, count: Any) -> tuple[Any, Any]:
    """Where the loop begins and ends, for `count` samples."""

    def of(name: str, *operands: Any) -> Any:
        return build.op(name, list(operands), count.type)

    if which.behind:
        left = of("arith.remui", count, build.index(which.behind))
        return of("arith.subi", count, left), count
    if which.group == 1:
        return build.index(0), count
    return build.index(0), of("arith.divui", count, build.index(which.group))


def declare(module: Any, name: str, takes: Sequence[Any], steps: Sequence[int]) -> None:
    """Declare the loop `name` over samples: pointers, which move by `steps` bytes, and
    the numbers of the first sample and of that behind the last."""
    with ir.InsertionPoint(module.body):
        ir.Operation.create(
            "func.func",
            attributes={
                "sym_name": ir.StringAttr.get(name),
                "sym_visibility": ir.StringAttr.get("private"),
                "function_type": ir.TypeAttr.get(ir.FunctionType.get(list(takes), [])),
                STEPS: ir.DenseI64ArrayAttr.get(list(steps)),
            },
            regions=1,
        )


def _bytes(kind: Any, dim: int) -> int:
    """Of one sample; 0: there is one for all."""
    if dim < 0:
        return 0
    return math.prod(list(kind.shape)[dim + 1 :]) * -(-kind.element_type.width // 8)
