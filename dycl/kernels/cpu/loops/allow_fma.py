"""`cpu-allow-fma`: a product and a sum may become one instruction, rounded once.

The sum of a reduction may also be taken in another order, several partial sums at a
time, as eager's own kernels do. Sums that the user wrote keep their order. Which of two
zeros is the larger one is left open, as in eager.

Before (in a reduction):
    %p = arith.mulf %x, %w : f32
    %s = arith.addf %acc, %p : f32

After:
    %p = arith.mulf %x, %w fastmath<contract> : f32
    %s = arith.addf %acc, %p fastmath<reassoc,contract> : f32

Needs:  linalg on memrefs: in a loop of scf nobody sees what is a reduction.
Leaves: `fastmath` on sums, differences, products, maxima and minima.
Skips:  every other op: quotients and roots are rounded as IEEE says.
"""

from typing import Any

from dycl.kernels.cpu.mlir import ir, ops


def allow_fma(module: Any) -> None:
    """Say of every op on floats what LLVM may do with it."""
    with module.context:
        contract = ir.Attribute.parse("#arith.fastmath<contract>")
        reorder = ir.Attribute.parse("#arith.fastmath<reassoc,contract>")
        unsigned = ir.Attribute.parse("#arith.fastmath<nsz>")
    for op in ops(module.operation):
        if op.name in ("arith.maximumf", "arith.minimumf"):
            op.attributes["fastmath"] = unsigned
        if op.name in ("arith.mulf", "arith.addf", "arith.subf"):
            op.attributes["fastmath"] = reorder if _accumulates(op) else contract


def _accumulates(op: Any) -> bool:
    """Whether `op` adds to the accumulator of a linalg reduction."""
    body = op.block
    owner = body.owner.operation
    if op.name != "arith.addf" or not owner.name.startswith("linalg."):
        return False
    inputs = owner.attributes["operandSegmentSizes"][0]
    accumulators = list(body.arguments)[inputs:]
    return any(operand == acc for operand in op.operands for acc in accumulators)
