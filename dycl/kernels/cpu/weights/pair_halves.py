"""`cpu-pair-halves`: products of bf16 are computed from pairs, as eager's are.

What torch-mlir makes of them widens both factors first. A processor with AVX512-BF16
adds two products of bf16 to a sum of f32 in one step: nothing is rounded that was not
before, and half as much is read.

Before:
    %xw = linalg.generic ins(%x) {arith.extf}                    // bf16 to f32
    %y = linalg.generic {dycl.nest = "matmul"} ins(%xw, %ww) outs(%init)

After:
    %wp = linalg.generic {dycl.nest = "pair"} ins(%w)            // 4x128x64x2, bf16
    %y = linalg.generic {dycl.nest = "matmul-pairs"} ins(%x, %wp) outs(%init)
         // (m, n, k, p): (m, k * 2 + p), (n floordiv 64, k, n mod 64, p) -> (m, n)

A weight in blocks is prepared, as `cpu-narrow-products` does.

Needs:  `block_matmuls`; to stand behind `narrow_products`, which rounds what it pairs.
Leaves: denormals count as zeros, as eager's do on such a processor.
Skips:  other processors; an odd number of summands; factors that are not widened bf16;
        of two inputs, columns that are no multiple of 16, and a transposed right one.
"""

from collections.abc import Sequence
from typing import Any

from dycl.kernels.cpu import tensor_ops as build
from dycl.kernels.cpu.blocks.block_contractions import LANES, NEST, is_nest
from dycl.kernels.cpu.mlir import functions, ir
from dycl.kernels.cpu.target import registers_of, target_of
from dycl.kernels.cpu.weights.narrow_products import pairs_product, rounded_pairs
from dycl.kernels.cpu.weights.origins import WeightValues
from dycl.runtime.targets import why_no_bf16

PAIR = "pair"
"""The kind of nest that puts neighbours of a column side by side."""
_MOVES = ("tensor.collapse_shape", "tensor.expand_shape", "linalg.transpose")


def pair_halves(module: Any) -> None:
    """Rewrite every product of factors that were bf16."""
    if why_no_bf16(target_of(module)):
        return
    columns = registers_of(module).columns
    for func in functions(module):
        body = [op.operation for op in func.regions[0].blocks[0].operations]
        products = [op for op in body if _is_product(op)]
        if not products:
            continue
        weights = WeightValues(func, with_tables=False)
        for op in products:
            with ir.InsertionPoint(op), op.location:
                right = _paired(op, weights, columns)
                if right is None:
                    continue
                result = pairs_product(op, _narrow(op.operands[0]), right)
            op.results[0].replace_all_uses_with(result)
            op.erase()


def _is_product(op: Any) -> bool:
    """Whether an op is a product of widened bf16, of an even number of summands."""
    if not is_nest(op, "matmul"):
        return False
    left, right, _ = op.operands
    return (
        left.type.shape[-1] % 2 == 0
        and _is_widened(left, ("tensor.collapse_shape", "tensor.expand_shape"))
        and _is_widened(right, (*_MOVES, "linalg.pack"))
    )


def _is_widened(value: Any, through: Sequence[str]) -> bool:
    """Whether a value is one of bf16 as f32, moved by ops of these names."""
    producer = build.owner(value)
    while producer is not None and producer.name in through:
        producer = build.owner(producer.operands[0])
    return producer is not None and _widens(producer)


def _widens(op: Any) -> bool:
    if not build.is_parallel(op) or len(op.operands) != 2:
        return False
    inner = [one.operation for one in op.regions[0].blocks[0].operations]
    maps = [str(m) for m in op.attributes["indexing_maps"]]
    return (
        [one.name for one in inner] == ["arith.extf", "linalg.yield"]
        and isinstance(op.operands[0].type.element_type, ir.BF16Type)
        and isinstance(op.results[0].type.element_type, ir.F32Type)
        and maps[0] == maps[1]
    )


def _narrow(value: Any) -> Any:
    """What was widened, moved likewise."""
    producer = build.owner(value)
    if _widens(producer):
        return producer.operands[0]
    source = _narrow(producer.operands[0])
    shape = list(value.type.shape)
    kind = ir.RankedTensorType.get(shape, source.type.element_type)
    attributes = {name: producer.attributes[name] for name in producer.attributes}
    operands = [source, *list(producer.operands)[1:]]
    return build.op(producer.name, operands, kind, **attributes)


def _paired(op: Any, weights: WeightValues, columns: int) -> Any:
    """The right factor in pairs; None: there is no such factor."""
    right = op.operands[1]
    packed = build.owner(right)
    if right in weights and packed is not None and packed.name == "linalg.pack":
        return rounded_pairs(right)
    if not _is_widened(right, _MOVES[:2]) or right in weights:
        return None
    *batch, height, width = right.type.shape
    blocks = [block for block in range(LANES, columns + 1, LANES) if width % block == 0]
    if not blocks:
        return None
    source, block = _narrow(right), blocks[-1]
    shape = [*batch, width // block, height // 2, block, 2]
    loops = [*"b"[: len(batch)], "n", "k", "j", "p"]
    head = f"({', '.join(loops)}) -> "
    places = [*"b"[: len(batch)], "k * 2 + p", f"n * {block} + j"]
    return build.generic(
        [source],
        build.empty(shape, source.type.element_type),
        [f"{head}({', '.join(places)})", f"{head}({', '.join(loops)})"],
        "p" * len(loops),
        lambda x, _: x,
        **{NEST: ir.StringAttr.get(PAIR)},
    )
