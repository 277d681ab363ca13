"""`cpu-compare-ordered`: no comparison holds for NaN, and `clamp` keeps a NaN.

torch-mlir uses unordered predicates in `le`, `ge` and `clamp`.

Before:
    %c = arith.cmpf ule, %x, %y

After:
    %c = arith.cmpf ole, %x, %y

Needs:  linalg on tensors.
Leaves: ordered predicates.
Skips:  comparisons that select their own first operand, as relu's: there an unordered
        one lets a NaN through, which is what eager does.
"""

from typing import Any

from dycl.kernels.cpu import build
from dycl.kernels.cpu.mlir import ops

_ORDERED = {
    build.UGT: build.OGT,
    build.UGE: build.OGE,
    build.ULT: build.OLT,
    build.ULE: build.OLE,
}


def compare_ordered(module: Any) -> None:
    """Give every unordered comparison its ordered predicate."""
    for op in ops(module.operation):
        if op.name != "arith.cmpf":
            continue
        predicate = int(op.attributes["predicate"].value)
        if predicate in _ORDERED and not _keeps_operand(op):
            op.attributes["predicate"] = build.i64(_ORDERED[predicate])


def _keeps_operand(compare: Any) -> bool:
    users = [use.owner.operation for use in compare.results[0].uses]
    return any(
        user.name == "arith.select" and user.operands[1] == compare.operands[0]
        for user in users
    )
