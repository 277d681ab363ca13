"""`cpu-narrow-products`: products with weights are computed from bf16, summed in f32.

Both factors are rounded to the nearest bf16, and a processor with AVX512-BF16 adds two
products to each sum in one step, in the time of one product of f32. Sums, and all that
is done with them, stay f32.

Before:
    %wb = linalg.pack %w ...                                     // 12x768x64, f32
    %y = linalg.generic {dycl.nest = "matmul"} ins(%x, %wb) outs(%init)

After:
    %wn = linalg.generic ins(%wb as 12x384x2x64) {to the nearest}    // 12x384x64x2, i16
    %xn = linalg.generic {dycl.nest = "round"} ins(%x) {to the nearest}   // i16
    %y = linalg.generic {dycl.nest = "matmul-pairs"} ins(%xn, %wn) outs(%init)
         // (m, n, k, p): (m, k * 2 + p), (n floordiv 64, k, n mod 64, p) -> (m, n)

Needs:  `block_matmuls`; to stand before `narrow_weights`, which takes what is left.
Leaves: i16 in memory: NumPy and C know no bf16. Denormals may count as zeros.
Skips:  all, unless the module says `dycl.matmul_dtype`; an odd number of summands;
        matrices that are no weights, as in attention, or tables of sines; f64.
"""

from typing import Any

from dycl.kernels.cpu import build as ops
from dycl.kernels.cpu import tensor_ops as build
from dycl.kernels.cpu.blocks.block_contractions import NEST, is_nest
from dycl.kernels.cpu.mlir import functions, ir
from dycl.kernels.cpu.weights.narrow_weights import i16, rounded
from dycl.kernels.cpu.weights.origins import PREPARED, WeightValues

PAIRS, ROUND = "matmul-pairs", "round"
"""Kinds of nests."""
MATMUL_DTYPE = "dycl.matmul_dtype"
"""On a module: from what products with weights are computed, if not from f32."""


def note_matmul_dtype(module: Any, dtype: str) -> None:
    """Say from what products with weights are computed."""
    if dtype != "f32":
        with module.context:
            module.operation.attributes[MATMUL_DTYPE] = ir.StringAttr.get(dtype)


def narrow_products(module: Any) -> None:
    """Rewrite every product with a weight in blocks."""
    if MATMUL_DTYPE not in module.operation.attributes:
        return
    for func in functions(module):
        body = [op.operation for op in func.regions[0].blocks[0].operations]
        products = [op for op in body if _is_product(op)]
        if not products:
            continue
        weights = WeightValues(func, with_tables=False)
        narrow: dict[Any, Any] = {}
        for op in products:
            left, right, _ = op.operands
            if right not in weights or left in weights:
                continue
            for value, made in ((left, _rounded_rows), (right, rounded_pairs)):
                if value not in narrow:
                    with _after(value, func), op.location:
                        narrow[value] = made(value)
            with ir.InsertionPoint(op), op.location:
                result = pairs_product(op, narrow[left], narrow[right])
            op.results[0].replace_all_uses_with(result)
            op.erase()


def _is_product(op: Any) -> bool:
    if not is_nest(op, "matmul"):
        return False
    if not isinstance(op.operands[2].type.element_type, ir.F32Type):
        return False
    packed = build.owner(op.operands[1])
    if packed is None or packed.name != "linalg.pack":
        return False
    return op.operands[0].type.shape[-1] % 2 == 0


def _after(value: Any, func: Any) -> Any:
    """Where a value is known, and whoever reads it comes later."""
    producer = build.owner(value)
    if producer is None:
        return ir.InsertionPoint.at_block_begin(func.regions[0].blocks[0])
    return ir.InsertionPoint.after(producer)


def _rounded_rows(rows: Any) -> Any:
    """The same, rounded."""
    rank = rows.type.rank
    same = ir.AffineMapAttr.get(ir.AffineMap.get_identity(rank))
    kind = ir.RankedTensorType.get(list(rows.type.shape), i16())
    sizes = [
        ops.op("tensor.dim", [rows, ops.index(dim)], ir.IndexType.get())
        for dim in range(rank)
        if rows.type.is_dynamic_dim(dim)
    ]
    into = build.op("tensor.empty", sizes, kind)
    mark = {NEST: ir.StringAttr.get(ROUND)}
    return build.generic(
        [rows], into, [same] * 2, "p" * rank, lambda x, _: rounded(x), **mark
    )


def rounded_pairs(matrix: Any) -> Any:
    """A weight in blocks, rounded; summands that are neighbours lie side by side."""
    blocks, height, width = matrix.type.shape
    apart = build.expand(matrix, [blocks, height // 2, 2, width], [1, 2, 1])
    into = build.empty([blocks, height // 2, width, 2], i16())
    maps = ["(b, k, n, p) -> (b, k, p, n)", "(b, k, n, p) -> (b, k, n, p)"]
    mark = {PREPARED: ir.UnitAttr.get()}
    return build.generic([apart], into, maps, "pppp", lambda w, _: rounded(w), **mark)


def pairs_product(op: Any, rows: Any, matrix: Any) -> Any:
    """A product `op` of rows of bf16, or of its bits, and a matrix in pairs.

    The matrix may be one for each member of the batch.
    """

    def wide(value: Any, kind: Any) -> Any:
        is_bits = isinstance(value.type, ir.IntegerType)
        half = build.op("arith.bitcast", [value], bf16) if is_bits else value
        return build.op("arith.extf", [half], kind)

    def body(x: Any, w: Any, total: Any) -> Any:
        factors = [wide(v, total.type) for v in (x, w)]
        product = build.op("arith.mulf", factors, total.type)
        return build.op("arith.addf", [total, product], total.type)

    bf16 = ir.BF16Type.get()
    init = op.operands[2]
    width = matrix.type.shape[-2]
    batch = ["b"] * (init.type.rank - 2)
    each = batch[: matrix.type.rank - 4]
    loops = [*batch, "m", "n", "k", "p"]
    maps = [
        f"({', '.join(loops)}) -> ({', '.join(results)})"
        for results in (
            [*batch, "m", "k * 2 + p"],
            [*each, f"n floordiv {width}", "k", f"n mod {width}", "p"],
            [*batch, "m", "n"],
        )
    ]
    iterators = "p" * (len(loops) - 2) + "rr"
    mark = {NEST: ir.StringAttr.get(PAIRS)}
    return build.generic([rows, matrix], init, maps, iterators, body, **mark)
