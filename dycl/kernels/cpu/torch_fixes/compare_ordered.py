"""`cpu-compare-ordered`: no comparison holds for NaN; `clamp` and `relu` keep a NaN.

torch-mlir uses unordered predicates in `le`, `ge`, `clamp` and `relu`. Its `relu` also
makes 0.0 of -0.0, which eager keeps; so does the one written here, and it is what one
instruction of a processor does.

Before:
    %c = arith.cmpf ule, %x, %y             %c = arith.cmpf ugt, %x, %zero
                                            %r = arith.select %c, %x, %zero

After:
    %c = arith.cmpf ole, %x, %y             %c = arith.cmpf olt, %x, %zero
                                            %r = arith.select %c, %zero, %x

Needs:  linalg on tensors.
Leaves: ordered predicates.
Skips:  other comparisons that select their own first operand: there an unordered one
        lets a NaN through, which is what eager does.
"""

from typing import Any

from dycl.kernels.cpu import build
from dycl.kernels.cpu.mlir import ir, ops

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
        if predicate not in _ORDERED:
            continue
        kept = _that_keep_operand(op)
        if not kept:
            op.attributes["predicate"] = build.i64(_ORDERED[predicate])
        elif predicate == build.UGT and len(kept) == len(list(op.results[0].uses)):
            _keep_zeros(op, kept)


def _that_keep_operand(compare: Any) -> list[Any]:
    """The selects that give the first operand where the comparison holds."""
    users = [use.owner.operation for use in compare.results[0].uses]
    return [
        user
        for user in users
        if user.name == "arith.select" and user.operands[1] == compare.operands[0]
    ]


def _keep_zeros(compare: Any, selects: list[Any]) -> None:
    """`x > y ? x : y`, where it is relu's, as `x < y ? y : x`."""
    x, bound = compare.operands
    if not _is_zero(bound) or any(select.operands[2] != bound for select in selects):
        return
    compare.attributes["predicate"] = build.i64(build.OLT)
    for select in selects:
        select.operands[1], select.operands[2] = bound, x


def _is_zero(value: Any) -> bool:
    owner = value.owner
    if isinstance(owner, ir.Block) or owner.name != "arith.constant":
        return False
    return ir.FloatAttr(owner.attributes["value"]).value == 0
