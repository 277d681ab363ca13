"""`cpu-guard-size-quotients`: a quotient of sizes does not divide by zero.

To find the size that a view leaves open (-1), torch-mlir divides the number of all
elements by those of the other sizes, and only then asks whether a size was left open.
Where one of the others is zero in a run, that ends the process.

Before:
    %rest = arith.divsi %all, %known : i64

After:
    %none = arith.cmpi eq, %known, %zero : i64
    %divisor = arith.select %none, %one, %known : i64
    %rest = arith.divsi %all, %divisor : i64

Needs:  linalg.
Leaves: no quotient of sizes whose divisor may be zero.
Skips:  constant divisors; elements, of which eager raises as well.
"""

from typing import Any

from dycl.kernels.cpu import build
from dycl.kernels.cpu.mlir import ir, ops
from dycl.kernels.cpu.tensor_ops import owner

_QUOTIENTS = (
    *("arith.divsi", "arith.divui", "arith.ceildivsi", "arith.ceildivui"),
    *("arith.floordivsi", "arith.remsi", "arith.remui"),
)
_EQUAL = 0


def guard_size_quotients(module: Any) -> None:
    """Divide by one in place of zero, where nobody looks at the quotient."""
    for op in ops(module.operation):
        if op.name in _QUOTIENTS and op.parent.name == "func.func":
            divisor = op.operands[1]
            if not _is_constant(divisor):
                with ir.InsertionPoint(op), op.location:
                    op.operands[1] = _not_zero(divisor)


def _is_constant(value: Any) -> bool:
    made_by = owner(value)
    return made_by is not None and made_by.name == "arith.constant"


def _not_zero(divisor: Any) -> Any:
    zero, one = (build.constant(n, divisor.type) for n in (0, 1))
    predicate = ir.IntegerAttr.get(ir.IntegerType.get_signless(64), _EQUAL)
    is_zero = build.op(
        "arith.cmpi",
        [divisor, zero],
        ir.IntegerType.get_signless(1),
        {"predicate": predicate},
    )
    return build.op("arith.select", [is_zero, one, divisor], divisor.type)
