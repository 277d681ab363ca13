"""Products of groups of rows, whose bounds are in a tensor: those of experts, say."""

from typing import Any

import torch


def grouped_mm(
    mat_a: Any, mat_b: Any, *, offs: Any = None, bias: Any = None, out_dtype: Any = None
) -> Any:
    """`torch.nn.functional.grouped_mm` of f32, bf16 or f16 tensors.

    [M, K] by [G, K, N] gives [M, N]: group g has the rows up to `offs[g]`, i32[G].
    [G, M, K] by [K, N] gives [M, N], of groups of columns; [M, K] by [K, N] gives
    [G, M, N], of groups of what is summed; [G, M, K] by [G, K, N] is `bmm`. What no
    group has, which torch leaves undefined, is zero.

    Raises RuntimeError where torch does, but for strides that are not aligned, which
    its kernel refuses.
    """
    a_is_flat, b_is_flat = mat_a.dim() == 2, mat_b.dim() == 2
    _check(mat_a, mat_b, offs, bias, out_dtype)
    if offs is None:
        return torch.bmm(mat_a, mat_b)
    ends = [offs[group] for group in range(offs.shape[0])]
    if a_is_flat and b_is_flat:
        return torch.stack([mat_a[:, k] @ mat_b[k] for k in _groups(mat_b, 0, ends)])
    if a_is_flat:
        result = mat_a.new_zeros((mat_a.shape[0], mat_b.shape[2]))
        for group, rows in enumerate(_groups(mat_a, 0, ends)):
            if rows.numel() > 0:
                result = result.index_copy(0, rows, mat_a[rows] @ mat_b[group])
        return result
    result = mat_a.new_zeros((mat_a.shape[1], mat_b.shape[1]))
    for group, columns in enumerate(_groups(mat_b, 1, ends)):
        if columns.numel() > 0:
            product = mat_a[group] @ mat_b[:, columns]
            result = result.index_copy(1, columns, product)
    return result


def _groups(matrix: Any, dim: int, ends: Any) -> Any:
    """The positions along `dim` of each group, i64[?], in order."""
    positions = torch.arange(matrix.shape[dim])
    starts = [0, *ends[:-1]]
    return [
        torch.nonzero((positions >= start) & (positions < end)).squeeze(1)
        for start, end in zip(starts, ends, strict=True)
    ]


def _check(mat_a: Any, mat_b: Any, offs: Any, bias: Any, out_dtype: Any) -> None:
    """Raise what torch raises, in its order."""
    for name, matrix in (("mat_a", mat_a), ("mat_b", mat_b)):
        if matrix.dim() not in (2, 3):
            raise RuntimeError(f"{name} has to be 2 or 3d")
    for name, matrix in (("mat_a", mat_a), ("mat_b", mat_b)):
        if matrix.dtype not in (torch.float32, torch.bfloat16, torch.float16):
            raise RuntimeError(
                f"Expected {name} to be Float32, BFloat16 or Float16 matrix"
            )
    if mat_a.shape[-1] != mat_b.shape[-2]:
        raise RuntimeError("contraction dimension of mat_a and mat_b must match")
    if (offs is None) == (mat_a.dim() == 2 or mat_b.dim() == 2):
        raise RuntimeError(
            "Have to provide offsets if there is a 2d matrix, or no offset if both "
            "matrices are 3d"
        )
    if offs is not None and offs.dim() != 1:
        raise RuntimeError("offs has to be 1D")
    if offs is not None and offs.dtype != torch.int32:
        raise RuntimeError("Offsets have to be int32")
    if bias is not None:
        raise RuntimeError("Bias not supported yet")
    if out_dtype is not None and out_dtype != mat_a.dtype:
        raise RuntimeError("Grouped gemm output dtype must match `mat_a` dtype")
    if offs is None and mat_a.shape[0] != mat_b.shape[0]:
        raise RuntimeError("batched dimension has to match")
    count = mat_a.shape[0] if offs is None else offs.shape[0]
    for matrix in (mat_a, mat_b):
        if matrix.dim() == 3 and matrix.shape[0] != count:
            raise RuntimeError("matrix batch sizes have to match")
    if mat_a.dtype != mat_b.dtype:
        raise RuntimeError("expected m1 and m2 to have the same dtype")
