"""`cpu-narrow-weights`: weights that are read once for each use are kept as bf16.

A product with one or two rows takes as long as its weights take to be read, which is
half as long in bf16: the upper half of an f32, rounded to the nearest. So does one of
as many rows as a run decides in calls with few of them; a tile of more widens a vector
of weights once for all of its rows. What is computed stays f32, and so do weights of
all other products.

Before:
    %wb = linalg.pack %w ...                                     // of weights alone
    %y = linalg.generic {dycl.nest = "matmul"} ins(%x, %wb) outs(%init)

After:
    %wn = linalg.generic ins(%wb) {to the nearest}               // i16
    %y = linalg.generic {dycl.nest = "matmul"} ins(%x, %wn) outs(%init)
         {arith.bitcast; arith.extf; x * w}

Needs:  `block_matmuls`; to stand before `split_weights`, which prepares it.
Leaves: i16 in memory: NumPy and C know no bf16.
Skips:  all, unless the module says `dycl.narrow`; f64; products of more rows, if these
        are known, which read a weight for each of them.
"""

import math
from typing import Any

from dycl.kernels.cpu import tensor_ops as build
from dycl.kernels.cpu.blocks.block_contractions import NEST, is_nest
from dycl.kernels.cpu.blocks.block_matmuls import FEW_ROWS
from dycl.kernels.cpu.build import UNO, compare, constant
from dycl.kernels.cpu.mlir import functions, ir
from dycl.kernels.cpu.weights.origins import PREPARED, WeightValues

NARROW = "dycl.narrow"
"""On a module: weights may be kept as bf16."""


def note_narrow(module: Any, narrow: bool) -> None:
    """Say whether weights may be kept as bf16."""
    if narrow:
        with module.context:
            module.operation.attributes[NARROW] = ir.UnitAttr.get()


def narrow_weights(module: Any) -> None:
    """Rewrite every product of few or any rows with a weight in blocks."""
    if NARROW not in module.operation.attributes:
        return
    for func in functions(module):
        body = [op.operation for op in func.regions[0].blocks[0].operations]
        ops = [op for op in body if _may_have_few_rows(op)]
        if not ops:
            continue
        weights = WeightValues(func, with_tables=False)
        narrow: dict[Any, Any] = {}
        for op in ops:
            matrix = op.operands[1]
            if matrix not in weights:
                continue
            if matrix not in narrow:
                with ir.InsertionPoint.after(matrix.owner), matrix.owner.location:
                    narrow[matrix] = _narrowed(matrix)
            with ir.InsertionPoint(op), op.location:
                result = _product(op, narrow[matrix])
            op.results[0].replace_all_uses_with(result)
            op.erase()


def _may_have_few_rows(op: Any) -> bool:
    if not is_nest(op, "matmul"):
        return False
    left, right, _ = op.operands
    kind = left.type
    packed = build.owner(right)
    if packed is None or packed.name != "linalg.pack":
        return False
    if not isinstance(kind.element_type, ir.F32Type):
        return False
    *outer, last = range(kind.rank)
    if any(map(kind.is_dynamic_dim, outer)):
        return not kind.is_dynamic_dim(last)
    return kind.has_static_shape and math.prod(kind.shape[:-1]) <= FEW_ROWS


def rounded(value: Any) -> Any:
    """An f32 as the bits of the nearest bf16, in a payload."""
    # By hand: where a processor has no bf16, LLVM calls a function for it.
    i32 = ir.IntegerType.get_signless(32)
    bits = build.op("arith.bitcast", [value], i32)
    upper = build.op("arith.shrui", [bits, constant(16, i32)], i32)
    odd = build.op("arith.andi", [upper, constant(1, i32)], i32)
    half = build.op("arith.addi", [odd, constant(0x7FFF, i32)], i32)
    sum_ = build.op("arith.addi", [bits, half], i32)
    near = build.op("arith.shrui", [sum_, constant(16, i32)], i32)
    nan = build.op("arith.ori", [upper, constant(0x40, i32)], i32)
    is_nan = compare(UNO, value, value)
    word = build.op("arith.select", [is_nan, nan, near], i32)
    return build.op("arith.trunci", [word], i16())


def i16() -> Any:
    """The type that bf16 has in memory."""
    return ir.IntegerType.get_signless(16)


def _narrowed(matrix: Any) -> Any:
    same = ir.AffineMap.get_identity(matrix.type.rank)
    maps = [ir.AffineMapAttr.get(same)] * 2
    into = build.empty(matrix.type.shape, i16())
    iterators = "p" * matrix.type.rank
    mark = {PREPARED: ir.UnitAttr.get()}
    return build.generic(
        [matrix], into, maps, iterators, lambda w, _: rounded(w), **mark
    )


def _product(op: Any, matrix: Any) -> Any:
    def body(x: Any, w: Any, total: Any) -> Any:
        half = build.op("arith.bitcast", [w], ir.BF16Type.get())
        wide = build.op("arith.extf", [half], x.type)
        product = build.op("arith.mulf", [x, wide], x.type)
        return build.op("arith.addf", [total, product], x.type)

    left, _, init = op.operands
    maps = list(op.attributes["indexing_maps"])
    kinds = map(str, op.attributes["iterator_types"])
    iterators = "".join("r" if "reduction" in kind else "p" for kind in kinds)
    mark = {NEST: ir.StringAttr.get("matmul")}
    return build.generic([left, matrix], init, maps, iterators, body, **mark)
