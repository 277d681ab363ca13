"""`cpu-allow-fma`: what a reduction adds up may be multiplied and added at once.

One instruction rounds once where two round twice, as eager's own products of matrices
and sums do. The sum of a reduction may also be taken in another order, several partial
sums at a time. What the user wrote as a product and a sum is rounded twice, as in
eager: `a * b + c * d` is what it is there to the last bit, whichever product LLVM would
have fused. Which of two zeros is the larger one is left open, as in eager.

Before (in a reduction):
    %p = arith.mulf %x, %w : f32
    %s = arith.addf %acc, %p : f32

After:
    %p = arith.mulf %x, %w fastmath<contract> : f32
    %s = arith.addf %acc, %p fastmath<reassoc,contract> : f32

Needs:  linalg on memrefs: in a loop of scf only what row programs carry is a sum.
Leaves: `fastmath` on sums of reductions and their products, on maxima and minima.
Skips:  every other op, which is rounded as IEEE says.
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
        if op.name != "arith.addf" or not _accumulates(op):
            continue
        of_linalg = op.block.owner.operation.name.startswith("linalg.")
        op.attributes["fastmath"] = reorder if of_linalg else contract
        for operand in op.operands:
            if _is_product(operand):
                operand.owner.attributes["fastmath"] = contract


def _accumulates(op: Any) -> bool:
    """Whether `op` adds to the sum of a linalg reduction or of a row program."""
    body = op.block
    owner = body.owner.operation
    if owner.name == "scf.for":
        sums = list(body.arguments)[1:]
    elif owner.name.startswith("linalg."):
        sums = list(body.arguments)[owner.attributes["operandSegmentSizes"][0] :]
    else:
        return False
    return any(operand == total for operand in op.operands for total in sums)


def _is_product(value: Any) -> bool:
    owner = value.owner
    return not isinstance(owner, ir.Block) and owner.name == "arith.mulf"
