"""`cpu-keep-self-comparison`: `x == x` asks for NaN, and is not folded to true.

Before:
    %b = torch.aten.eq.Tensor %x, %x

After:
    %d = torch.aten.ne.Tensor %x, %x          // nobody folds this one
    %b = torch.aten.logical_not %d

Needs:  the torch dialect, before its canonicalisation.
Leaves: comparisons of a value with itself that hold where eager's do.
Skips:  comparisons of two values.
"""

from typing import Any

from dycl.kernels.cpu.mlir import ir, ops, replaced


def keep_self_comparison(module: Any) -> None:
    """Write `x == x` as `not (x != x)`."""
    for op in ops(module.operation):
        if op.name == "torch.aten.eq.Tensor" and op.operands[0] == op.operands[1]:
            differs = replaced(op, "torch.aten.ne.Tensor")
            with ir.InsertionPoint.after(differs), differs.location:
                result = differs.results[0]
                same = ir.Operation.create(
                    "torch.aten.logical_not", operands=[result], results=[result.type]
                )
                result.replace_all_uses_except(same.results[0], same)
