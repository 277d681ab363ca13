"""`torch.linalg.lstsq`, whose results have shapes that the rank decides."""

from typing import Any

import torch


def lstsq(input: Any, b: Any, rcond: Any = None, *, driver: Any = None) -> Any:
    """[*, m, n], [*, m, k] -> solution [*, n, k], residuals, rank, singular values.

    By the pseudoinverse, for each of LAPACK's drivers: where the rank is below n, the
    smallest of all solutions, as `gelsy`, `gelss` and `gelsd` give it; `gels` takes the
    rank to be full. What a driver does not give is an empty tensor. Raises RuntimeError
    where torch does: a driver that it does not have.
    """
    name = "gelsy" if driver is None else driver
    if name not in ("gels", "gelsy", "gelss", "gelsd"):
        raise RuntimeError(
            "torch.linalg.lstsq: parameter `driver` should be one of (gels, gelsy, "
            f"gelsd, gelss), got {name}"
        )
    rows, columns = input.size(-2), input.size(-1)
    is_vector = input.dim() - 1 == b.dim() and input.shape[:-1] == b.shape
    right = b.unsqueeze(-1) if is_vector else b
    if rcond is None:
        rcond = torch.finfo(input.dtype).eps * max(rows, columns)
    solution = torch.linalg.pinv(input, atol=0.0, rtol=rcond) @ right
    rest = (input @ solution - right).square().sum(-2)
    if is_vector:
        solution = solution.squeeze(-1)
    rank = torch.empty(0, dtype=torch.int64)
    values = torch.empty(0, dtype=input.dtype)
    residuals = torch.empty(0, dtype=input.dtype)
    if name != "gels":
        rank = torch.linalg.matrix_rank(input, atol=0.0, rtol=rcond)
    if name == "gelss" or name == "gelsd":
        values = torch.linalg.svdvals(input)
    if rows > columns and name == "gels":
        residuals = rest
    is_told = rows > columns and (name == "gelss" or name == "gelsd")
    if is_told and (rank == columns).all():
        return _given((solution, rest, rank, values))
    return _given((solution, residuals, rank, values))


def _given(results: Any) -> Any:
    """What torch gives, with its names."""
    return torch.return_types.linalg_lstsq(  # pyright: ignore[reportAttributeAccessIssue]
        results
    )
