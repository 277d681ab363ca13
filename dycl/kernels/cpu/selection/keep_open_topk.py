"""`cpu-keep-open-topk`: the same where a run decides how many elements are asked for.

`scores.topk(min(100, n))` of detectors. The mark has no `k`: the tensor of places,
which the selection writes, begins as `k` in each row.

Before:
    %v, %i = torch.aten.topk %x, %k, %int1, %true, %true         // %x: 1x8

After:
    %n = torch_c.to_i64 %k
    %f = linalg.fill ins(%n : i64) outs(%empty : tensor<1x8xi64>)
    %s:2 = tm_tensor.sort {dycl.topk = {largest = true, sorted = true}}
        dimension(1) outs(%t, %f : tensor<1x8xf32>, tensor<1x8xi64>) {...}
    %top = tensor.extract_slice %s#0[0, 0] [1, %n] [1, 1]        // and of %s#1

Needs:  the torch dialect, `cpu-keep-topk` done.
Leaves: as `cpu-keep-topk`.
Skips:  tensors of rank 0, and results of a known size.
"""

from typing import Any

from dycl.kernels.cpu import build
from dycl.kernels.cpu import torch_ops as torch
from dycl.kernels.cpu.mlir import ir, ops
from dycl.kernels.cpu.torch_fixes.keep_topk import (
    TOPK_OF_TORCH,
    Asked,
    builtin,
    constants,
    load_sorts,
    mark_sort,
)


def keep_open_topk(module: Any) -> None:
    """Take every `topk` of a number of elements that a run decides past torch-mlir."""
    found = [op for op in ops(module.operation) if op.name == TOPK_OF_TORCH]
    if not found:
        return
    load_sorts()
    for op in found:
        with ir.InsertionPoint(op), op.location:
            asked, kind = _asked(op), builtin(op.operands[0], is_open=True)
            if asked is not None and kind is not None:
                mark_sort(op, kind, asked)


def _asked(op: Any) -> Asked | None:
    count, *given = constants(op)
    result = torch.spec_of(op.results[0])
    if count is not None or None in given or result is None or not result.shape:
        return None
    dim, largest, is_sorted = given
    if result.shape[dim] >= 0:
        return None
    i64 = ir.IntegerType.get_signless(64)
    k = build.op("torch_c.to_i64", [op.operands[1]], i64)
    return Asked(k, dim, largest, is_sorted, True)
