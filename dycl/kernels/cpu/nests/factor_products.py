"""`cpu-factor-products`: products with small constant matrices become sums and
differences.

A Fourier or cosine transform is a product with a matrix whose rows differ in signs:
they share most of their sums (`shared_sums.py`). The nest has them in registers, for
sixteen columns at a time. Behind a concatenation it reads the pieces where they are.

Before:
    %c = tensor.concat dim(1) %re, %im : 64x16x16, 64x16x16
    %w = arith.constant dense<...> : tensor<32x32xf32>
    %y = linalg.batch_matmul ins(%w for each sample, %c) outs(%zeros)

After:
    %y = linalg.generic {dycl.nest = "factored"} ins(%re, %im, %w0, %w1) outs(%zeros)
         // (b, m, n, k): (b, k, n), (b, k, n), (m, k), (m, k) -> (b, m, n)

Needs:  linalg on tensors, named ops; before `cpu-block-matmuls`.
Leaves: an op that says all that it computes, with `dycl.matrices`, its numbers: what is
        no nest later becomes plain loops.
Skips:  matrices that share too little, or of more than 32 rows or columns; products of
        few columns; other dtypes than f32, and dynamic sizes.

What is infinite or NaN reaches other results by shared sums than by products with
zeros. So the nest computes such columns by the definition.
"""

from collections.abc import Sequence
from typing import Any

from dycl.kernels.cpu import tensor_ops as build
from dycl.kernels.cpu.blocks.block_contractions import NEST
from dycl.kernels.cpu.blocks.block_matmuls import is_plain, repeated
from dycl.kernels.cpu.mlir import functions, ir
from dycl.kernels.cpu.nests.shared_sums import Row, operations

FACTORED = "factored"
"""The kind of nest."""
MATRICES = "dycl.matrices"
"""On the op: the numbers that each of its pieces is multiplied by."""
_MOST = 32
"""Rows and columns of a matrix at most: more vectors leave the registers for good."""
_FEWEST = 4
"""Columns of the product at least, of the sixteen that are computed together."""
_WORTH = 2
"""Products of the definition for one operation here, at least."""


def factor_products(module: Any) -> None:
    """Rewrite every product of `module` for which it is worth it."""
    for func in functions(module):
        for op in [each.operation for each in func.regions[0].blocks[0].operations]:
            rows = None if _cannot(op) else _rows(op.operands[0])
            if rows is not None and _is_worth(rows):
                with ir.InsertionPoint(op), op.location:
                    result = _rewritten(op, rows)
                op.results[0].replace_all_uses_with(result)
                op.erase()


def _cannot(op: Any) -> bool:
    if op.name not in ("linalg.matmul", "linalg.batch_matmul") or not is_plain(op):
        return True
    kinds = [value.type for value in op.operands]
    if not all(map(build.is_static_f32, kinds)):
        return True
    sides = (*kinds[0].shape[-2:], *kinds[1].shape[:-2])
    return (
        0 in sides or max(kinds[0].shape[-2:]) > _MOST or kinds[1].shape[-1] < _FEWEST
    )


def _rows(left: Any) -> list[Row] | None:
    """The numbers of a constant matrix, or of a batch that repeats one."""
    matrix = repeated(left)
    producer = build.owner(matrix)
    if producer is None or producer.name != "arith.constant" or matrix.type.rank != 2:
        return None
    dense = ir.DenseFPElementsAttr(producer.attributes["value"])
    if dense.is_splat:
        return None
    numbers, columns = list(dense), matrix.type.shape[1]
    starts = range(0, len(numbers), columns)
    return [tuple(numbers[start : start + columns]) for start in starts]


def _is_worth(rows: Sequence[Row]) -> bool:
    return _WORTH * operations(rows) <= len(rows) * len(rows[0])


def _rewritten(op: Any, rows: Sequence[Row]) -> Any:
    _, right, init = op.operands
    pieces = _pieces(right)
    depth = len(rows[0]) // len(pieces)
    starts = range(0, len(rows[0]), depth)
    matrices = [[row[start : start + depth] for row in rows] for start in starts]
    constants = [_constant(matrix, init.type.element_type) for matrix in matrices]
    batch = ["b"] if init.type.rank == 3 else []
    loops = f"({', '.join([*batch, 'm', 'n', 'k'])})"
    reads = [[*batch, "k", "n"]] * len(pieces) + [["m", "k"]] * len(pieces)
    maps = [f"{loops} -> ({', '.join(r)})" for r in [*reads, [*batch, "m", "n"]]]

    def body(*values: Any) -> Any:
        *factors, total = values
        vectors, numbers = factors[: len(pieces)], factors[len(pieces) :]
        for pair in zip(vectors, numbers, strict=True):
            product = build.op("arith.mulf", pair, total.type)
            total = build.op("arith.addf", [total, product], total.type)
        return total

    marks = {NEST: ir.StringAttr.get(FACTORED)}
    marks[MATRICES] = ir.ArrayAttr.get(
        [build.owner(c).attributes["value"] for c in constants]
    )
    iterators = "p" * init.type.rank + "r"
    return build.generic([*pieces, *constants], init, maps, iterators, body, **marks)


def _pieces(value: Any) -> list[Any]:
    """What a concatenation of equal sizes along the rows is made of."""
    producer = build.owner(value)
    if producer is None or producer.name != "tensor.concat":
        return [value]
    pieces = list(producer.operands)
    shapes = [list(piece.type.shape) for piece in pieces]
    if int(producer.attributes["dim"]) != value.type.rank - 2:
        return [value]
    return pieces if all(shape == shapes[0] for shape in shapes) else [value]


def _constant(rows: Sequence[Row], element: Any) -> Any:
    kind = ir.RankedTensorType.get([len(rows), len(rows[0])], element)
    numbers = [ir.FloatAttr.get(element, x) for row in rows for x in row]
    value = ir.DenseElementsAttr.get(numbers, kind)
    return build.op("arith.constant", [], kind, value=value)


def matrices_of(op: Any) -> list[Row]:
    """The rows of all pieces, side by side."""
    rows: list[Row] = []
    for attribute in op.attributes[MATRICES]:
        dense = ir.DenseFPElementsAttr(attribute)
        height, width = ir.RankedTensorType(dense.type).shape
        numbers = list(dense)
        piece = [tuple(numbers[i * width : (i + 1) * width]) for i in range(height)]
        rows = [(*a, *b) for a, b in zip(rows, piece, strict=True)] if rows else piece
    return rows
