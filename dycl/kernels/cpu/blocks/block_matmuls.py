"""`cpu-block-matmuls`: matrix products become nests; weights lie in blocks of columns.

A row of the result is computed in panels of 64 columns (with AVX2 16, and 64 for a
single row; half of that of f64, but 16 at least), or with AVX-512 of 48 or 32 where
pairs of them divide all: those columns of a weight lie together, so that it is read
from front to end. With AVX-512 one form of a weight serves any number of rows.

Before:
    %wt = linalg.transpose ins(%w) permutation = [1, 0]              // weight: 512x100
    %y = linalg.matmul ins(%x, %wt : 8x512, 512x100) outs(%init)

After:
    %wb = linalg.pack %wt padding_value(0) outer_dims_perm = [1, 0]
          inner_dims_pos = [1] inner_tiles = [64]                    // 2x512x64
    %y = linalg.generic {dycl.nest = "matmul"} ins(%x, %wb) outs(%init)
         // (m, n, k): (m, k), (n floordiv 64, k, n mod 64) -> (m, n)

Needs:  linalg on tensors, named ops; `dycl.weights`.
Leaves: the result in plain rows: what follows need not know of blocks.
Skips:  other dtypes than f32 and f64, dynamic sizes (but of f32: of rows, single ones
        of a batch that meet one weight among them, and of what is summed up), and a
        small product with a transposed matrix that is no weight: `fold_transposes` lets
        it be read where it stands.
"""

from typing import Any

from dycl.kernels.cpu import tensor_ops as build
from dycl.kernels.cpu.blocks.block_contractions import LANES, NEST
from dycl.kernels.cpu.build import constant
from dycl.kernels.cpu.mlir import functions, ir
from dycl.kernels.cpu.target import registers_of
from dycl.kernels.cpu.weights.origins import PREPARED, WeightValues
from dycl.schedules.schedule import Registers
from dycl.schedules.tiles import columns_together

FEW_ROWS = 2
"""Up to that many rows, wide blocks keep both multipliers busy."""
_ANY = 64
"""Rows that blocks are chosen for where a run decides how many there are."""
_MANY_ROWS = 16
"""From that many rows on, a copy of a transposed matrix costs little."""


def block_matmuls(module: Any) -> None:
    """Rewrite every `linalg.matmul` and `linalg.batch_matmul` that can be a nest."""
    registers = registers_of(module)
    for func in functions(module):
        body = [op.operation for op in func.regions[0].blocks[0].operations]
        products = [op for op in body if op.name in _LOOPS]
        if not products:
            continue
        weights = WeightValues(func)
        for op in products:
            any_rows = _has_any_rows(op) or _sums_any_number(op)
            if _is_static(op) or any_rows or are_rows_of_weight(op, weights):
                with ir.InsertionPoint(op), op.location:
                    result = _rewritten(op, weights, registers)
                if result is not None:
                    op.results[0].replace_all_uses_with(result)
                    op.erase()


_LOOPS = {"linalg.matmul": (), "linalg.batch_matmul": ("b",)}
"""Op -> the loops besides rows, columns and what is summed up."""


def _rewritten(op: Any, weights: WeightValues, registers: Registers) -> Any:
    batch = _LOOPS[op.name]
    left, right, init = op.operands
    if 0 in left.type.shape or 0 in init.type.shape or not is_plain(op):
        return None
    rows = _ANY if left.type.is_dynamic_dim(left.type.rank - 2) else left.type.shape[-2]
    registers = registers.of(init.type.element_type.width)
    matrix = repeated(right) if batch else right
    if matrix in weights and matrix.type.rank == 2:
        if batch and rows == 1:  # all of them meet one weight: they are its rows
            rows = _ANY if left.type.is_dynamic_dim(0) else left.type.shape[0]
        elif batch:
            rows = max(rows, left.type.shape[0])
        block = _block_size(matrix.type.shape[1], rows, registers)
        right = _pack(matrix, block)
        columns = [f"n floordiv {block}", "k", f"n mod {block}"]
    elif rows < _MANY_ROWS and _is_transposed(right):
        return None
    else:
        columns = [*batch, "k", "n"]
    loops = [*batch, "m", "n", "k"]
    each = batch
    if batch and (one := repeated(left)) != left and one.type.rank == 2:
        left, each = one, ()
    maps = [
        f"({', '.join(loops)}) -> ({', '.join(results)})"
        for results in ([*each, "m", "k"], columns, [*batch, "m", "n"])
    ]

    def body(x: Any, w: Any, total: Any) -> Any:
        product = build.op("arith.mulf", [x, w], x.type)
        return build.op("arith.addf", [total, product], x.type)

    iterators = "p" * (len(loops) - 1) + "r"
    mark = {NEST: ir.StringAttr.get("matmul")}
    return build.generic([left, right], init, maps, iterators, body, **mark)


def _is_static(op: Any) -> bool:
    """Whether all matrices have known sizes, and f32 or f64 elements."""
    kinds = [value.type for value in op.operands]
    elements = {str(kind.element_type) for kind in kinds}
    return elements in ({"f32"}, {"f64"}) and all(k.has_static_shape for k in kinds)


def _has_any_rows(op: Any) -> bool:
    """Whether a run decides the rows of f32 matrices, and nothing else of a product."""
    left, right, init = (value.type for value in op.operands)
    dynamic = [[d for d in range(t.rank) if t.is_dynamic_dim(d)] for t in (left, init)]
    return (
        build.is_static_f32(right)
        and all(isinstance(t.element_type, ir.F32Type) for t in (left, init))
        and dynamic == [[left.rank - 2], [init.rank - 2]]
    )


def _sums_any_number(op: Any) -> bool:
    """Whether a run decides how many products of f32 are summed up, and maybe rows."""
    left, right, init = (value.type for value in op.operands)
    dynamic = [
        [d - t.rank for d in range(t.rank) if t.is_dynamic_dim(d)]
        for t in (left, right, init)
    ]
    return all(
        isinstance(t.element_type, ir.F32Type) for t in (left, right, init)
    ) and (dynamic in ([[-1], [-2], []], [[-2, -1], [-2], [-2]]))


def are_rows_of_weight(op: Any, weights: WeightValues) -> bool:
    """Whether an op multiplies single rows of f32, as many as a run decides, with one
    weight: `[?, 1, k]` are the rows of one matrix."""
    if op.name != "linalg.batch_matmul" or not is_plain(op):
        return False
    left, right, init = (value.type for value in op.operands)
    matrix = repeated(op.operands[1])
    return (
        all(isinstance(t.element_type, ir.F32Type) for t in (left, right, init))
        and all(t.is_dynamic_dim(0) for t in (left, init))
        and not any(t.is_dynamic_dim(d) for t in (left, init) for d in (1, 2))
        and left.shape[1] == 1
        and matrix.type.rank == 2
        and matrix in weights
        and matrix.type.has_static_shape
    )


def _block_size(columns: int, rows: int, registers: Registers) -> int:
    block = columns_together(columns, rows <= FEW_ROWS, registers)
    return min(block, -(-columns // LANES) * LANES)


def _pack(matrix: Any, block: int) -> Any:
    """k n -> blocks of n, k, n within a block."""
    height, width = matrix.type.shape
    element = matrix.type.element_type
    into = build.empty([-(-width // block), height, block], element)
    padding = [constant(0.0, element)] if width % block else []
    return build.op(
        "linalg.pack",
        [matrix, into, *padding],
        into.type,
        outer_dims_perm=build.ints([1, 0]),
        inner_dims_pos=build.ints([1]),
        static_inner_tiles=build.ints([block]),
        operandSegmentSizes=ir.DenseI32ArrayAttr.get([1, 1, len(padding), 0]),
        # Be there one column only: to fill it up in each call would take longest.
        **{PREPARED: ir.UnitAttr.get()},
    )


def repeated(value: Any) -> Any:
    """The matrix that a batch of equal matrices repeats; `value` if there is none."""
    producer = build.owner(value)
    if producer is None or not build.is_parallel(producer):
        return value
    maps = [str(m) for m in producer.attributes["indexing_maps"]]
    is_copy = len(producer.regions[0].blocks[0].operations) == 1
    if not is_copy or len(maps) != 2:
        return value
    repeats = "affine_map<(d0, d1, d2) -> (d1, d2)>"
    return producer.operands[0] if maps[0] == repeats else value


def _is_transposed(value: Any) -> bool:
    producer = build.owner(value)
    if producer is None or producer.name != "linalg.transpose":
        return False
    rank = value.type.rank
    swapped = [*range(rank - 2), rank - 1, rank - 2]
    return list(producer.attributes["permutation"]) == swapped


def is_plain(op: Any) -> bool:
    """Whether an op has the indexing maps that its name says."""
    maps = [str(m.value) for m in op.attributes["indexing_maps"]]
    if op.name == "linalg.matmul":
        loops = "(d0, d1, d2)"
        dims = ["(d0, d2)", "(d2, d1)", "(d0, d1)"]
    else:
        loops = "(d0, d1, d2, d3)"
        dims = ["(d0, d1, d3)", "(d0, d3, d2)", "(d0, d1, d2)"]
    return maps == [f"{loops} -> {d}" for d in dims]
