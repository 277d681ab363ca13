"""`cpu-fold-transposes`: a transposed matrix is read where it stands.

torch-mlir gives `linear` as a transpose into a new tensor and a matmul of that.

Before:
    %t = linalg.transpose ins(%w) permutation = [1, 0]
    %y = linalg.matmul ins(%x, %t)

After:
    %y = linalg.matmul indexing_maps = [(m, k), (n, k), (m, n)] ins(%x, %w)

Needs:  linalg on tensors, named ops.
Leaves: `dycl.rows` on products whose operands both stand in rows, for
        `dycl/schedules/loop-order.mlir`.
Skips:  transposes that move other dimensions than the last two.
"""

from typing import Any

from dycl.kernels.cpu.mlir import ir, ops
from dycl.kernels.cpu.tensor_ops import affine_map, owner


def fold_transposes(module: Any) -> None:
    """Let every product whose right operand is transposed read it by columns."""
    for op in ops(module.operation):
        if op.name not in ("linalg.matmul", "linalg.batch_matmul"):
            continue
        rank = len(op.operands[1].type.shape)
        producer = owner(op.operands[1])
        swapped = [*range(rank - 2), rank - 1, rank - 2]
        if (
            producer is None
            or producer.name != "linalg.transpose"
            or list(producer.attributes["permutation"]) != swapped
        ):
            op.attributes["dycl.rows"] = ir.UnitAttr.get(op.context)
            continue
        batch = ["b"] * (rank == 3)
        names = ", ".join([*batch, "m", "n", "k"])
        maps = [", ".join([*batch, *dims]) for dims in ("mk", "nk", "mn")]
        with op.context:
            op.attributes["indexing_maps"] = ir.ArrayAttr.get(
                [affine_map(f"({names}) -> ({dims})") for dims in maps]
            )
        op.operands[1] = producer.operands[0]
