"""`cpu-divide-by-rows`: one reciprocal for a row instead of a division per element.

A division takes as long as ten multiplications. Where the divisor does not change in
the loop, the elements are multiplied by its reciprocal. Divisor and elements are scaled
by the same power of two first, which changes no quotient and keeps the reciprocal of a
very small or large divisor a normal number; zero, infinity and NaN give what a division
gives. The result may differ in the last place.

Before:
    %s = vector.reduction ...
    scf.for %j = ... {
      %b = vector.broadcast %s : f32 to vector<16xf32>
      %q = arith.divf %x, %b
    }

After:
    %scale = 1, or 2**64 for |s| < 2**-64, or 2**-64 for |s| > 2**64
    %r = 1 / (s * scale)
    scf.for %j = ... {
      %q = (x * scale) * r
    }

Needs:  loops.
Leaves: divisions of what does not change in the loop either.
Skips:  constant divisors; other element types than f32; scalars, which LLVM may
        vectorise.
"""

from typing import Any

from dycl.kernels.cpu import build
from dycl.kernels.cpu.mlir import ir, ops


def divide_by_rows(module: Any) -> None:
    """Rewrite each division of vectors by what its innermost loop does not change."""
    done: list[Any] = []
    for op in ops(module.operation):
        if op.name != "arith.divf" or not _is_f32_vector(op.results[0].type):
            continue
        loop = op.parent.operation
        if loop.name != "scf.for" or not _changes(op.operands[0], loop):
            continue
        divisor = _outside(op.operands[1], loop)
        if divisor is None:
            continue
        with ir.InsertionPoint(loop), op.location:
            scale, reciprocal = _inverted(divisor)
        with ir.InsertionPoint(op), op.location:
            scale, reciprocal = (_in_lanes(v, op) for v in (scale, reciprocal))
            scaled = build.multiply(op.operands[0], scale)
            quotient = build.multiply(scaled, reciprocal)
        op.results[0].replace_all_uses_with(quotient)
        done.append(op)
    for op in done:
        op.erase()


def _is_f32_vector(of: Any) -> bool:
    return isinstance(of, ir.VectorType) and isinstance(of.element_type, ir.F32Type)


def _changes(value: Any, loop: Any) -> bool:
    """Whether a value is made in a loop, and of what the loop makes."""
    owner = value.owner
    if isinstance(owner, ir.Block):
        return bool(owner.owner.operation == loop)
    if not _is_in(owner, loop):
        return False
    if not owner.name.startswith(("arith.", "math.", "vector.broadcast")):
        return True
    return any(_changes(operand, loop) for operand in owner.operands)


def _outside(value: Any, loop: Any) -> Any:
    """What stands before the loop for a divisor: itself, or the scalar in its lanes."""
    owner = value.owner
    if isinstance(owner, ir.Block):
        return None if owner.owner.operation == loop else value
    if owner.name == "arith.constant":
        return None
    if not _is_in(owner, loop):
        return value
    return (
        _outside(owner.operands[0], loop) if owner.name == "vector.broadcast" else None
    )


def _is_in(op: Any, loop: Any) -> bool:
    parent = op.parent
    while parent is not None:
        if parent.operation == loop:
            return True
        parent = parent.operation.parent
    return False


def _inverted(divisor: Any) -> tuple[Any, Any]:
    """(scale, 1 / (divisor * scale))."""
    kind = divisor.type
    size = build.op("math.absf", [divisor], kind)
    one, large, small = (build.constant(c, kind) for c in (1.0, 2.0**64, 2.0**-64))
    scale = build.select(build.compare(build.OLT, size, small), large, one)
    scale = build.select(build.compare(build.OGT, size, large), small, scale)
    return scale, build.divide(one, build.multiply(divisor, scale))


def _in_lanes(value: Any, op: Any) -> Any:
    if isinstance(value.type, ir.VectorType):
        return value
    return build.broadcast(value, op.results[0].type.shape[0])
