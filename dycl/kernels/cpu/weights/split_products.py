"""`cpu-split-products`: what weights alone decide of a product is computed once.

An LSTM that is given a known word beside what it has seen multiplies the word's
embedding by the same weights in every call: that part is prepared, once.

Before:
    %xs = tensor.concat dim(1) %known, %x                // known: of weights alone
    %y = linalg.matmul ins(%xs, %w : 1x1536, 1536x2048) outs(%init)

After:
    %wk = tensor.extract_slice %w[0, 0] [512, 2048]
    %part = linalg.matmul ins(%known, %wk) outs(%zero)   // of weights alone, too
    %wx = tensor.extract_slice %w[512, 0] [1024, 2048]
    %rest = linalg.matmul ins(%x, %wx : 1x1024, 1024x2048) outs(%init)
    %y = %rest + %part

Needs:  linalg on tensors, named ops; `dycl.weights`; to stand before
        `block_matmuls`.
Leaves: no f32 product of a concatenation along its sum that has such a part, but two
        sums, added up: as exact, and in another order.
Skips:  matrices that are no weights, other dtypes than f32, dynamic sizes.
"""

from typing import Any

from dycl.kernels.cpu import tensor_ops as build
from dycl.kernels.cpu.blocks.block_matmuls import is_plain
from dycl.kernels.cpu.build import constant
from dycl.kernels.cpu.mlir import functions, ir
from dycl.kernels.cpu.weights.origins import WeightValues


def split_products(module: Any) -> None:
    """Rewrite every `linalg.matmul` that can be split."""
    for func in functions(module):
        body = [op.operation for op in func.regions[0].blocks[0].operations]
        products = [op for op in body if op.name == "linalg.matmul"]
        if not any(_pieces(op) for op in products):
            continue
        weights = WeightValues(func)
        for op in products:
            with ir.InsertionPoint(op), op.location:
                result = _rewritten(op, weights)
            if result is not None:
                op.results[0].replace_all_uses_with(result)
                op.erase()


def _pieces(op: Any) -> list[Any]:
    """What stands side by side in each row of the left matrix; []: it is one."""
    source = build.owner(op.operands[0])
    if source is None or source.name != "tensor.concat":
        return []
    return list(source.operands) if int(source.attributes["dim"]) == 1 else []


def _rewritten(op: Any, weights: WeightValues) -> Any:
    pieces = _pieces(op)
    _, matrix, init = op.operands
    known = [piece in weights for piece in pieces]
    if all(known) or not any(known) or matrix not in weights:
        return None
    values = (*pieces, *op.operands)
    if not all(build.is_static_f32(v.type) for v in values) or not is_plain(op):
        return None
    if any(0 in v.type.shape for v in values):
        return None
    parts: list[Any] = []
    for wanted in (True, False):
        left: list[Any] = []
        rows: list[tuple[int, int]] = []
        start = 0
        for piece, is_known in zip(pieces, known, strict=True):
            size = piece.type.shape[1]
            if is_known == wanted:
                left.append(piece)
                rows.append((start, size))
            start += size
        into = _zeros(init.type) if wanted else init
        right = _beside([_rows(matrix, *span) for span in rows], 0)
        parts.append(_product(_beside(left, 1), right, into, op))
    part, rest = parts
    same = "(m, n) -> (m, n)"
    return build.generic(
        [rest, part],
        build.empty(init.type.shape, init.type.element_type),
        [same] * 3,
        "pp",
        lambda a, b, _: build.op("arith.addf", [a, b], a.type),
    )


def _zeros(kind: Any) -> Any:
    into = build.empty(kind.shape, kind.element_type)
    return build.fill(constant(0.0, kind.element_type), into)


def _rows(matrix: Any, start: int, size: int) -> Any:
    width = matrix.type.shape[1]
    return build.op(
        "tensor.extract_slice",
        [matrix],
        ir.RankedTensorType.get([size, width], matrix.type.element_type),
        static_offsets=build.ints([start, 0]),
        static_sizes=build.ints([size, width]),
        static_strides=build.ints([1, 1]),
        operandSegmentSizes=ir.DenseI32ArrayAttr.get([1, 0, 0, 0]),
    )


def _beside(values: list[Any], dim: int) -> Any:
    """Matrices joined along a dimension."""
    if len(values) == 1:
        return values[0]
    shape = list(values[0].type.shape)
    shape[dim] = sum(value.type.shape[dim] for value in values)
    kind = ir.RankedTensorType.get(shape, values[0].type.element_type)
    number = ir.IntegerAttr.get(ir.IntegerType.get_signless(64), dim)
    return build.op("tensor.concat", values, kind, dim=number)


def _product(left: Any, right: Any, into: Any, like: Any) -> Any:
    copy = like.clone().operation
    for index, value in enumerate((left, right, into)):
        copy.operands[index] = value
    return copy.results[0]
