"""Small systems of linear equations, by the steps of LAPACK's methods.

A matrix becomes two triangles, a column at a time: each column is a few ops on the
whole batch, so a kernel grows with the number of columns, and large matrices are
refused. What is singular raises in the run. torch is imported in the functions.
"""

from typing import Any

from dycl.analysis.torch_fixes.division import demand
from dycl.analysis.torch_fixes.indices import unchecked
from dycl.analysis.tracing.graph import Untraceable

MOST = 32
"""Columns of a matrix that is taken apart."""


def row_numbers(size: int) -> Any:
    """The number of each row: [size, 1]."""
    import torch

    return torch.arange(size).unsqueeze(-1)


def check_size(op: Any, x: Any) -> None:
    """Untraceable: the matrix is large, or as large as the input decides."""
    if any(type(size) is not int or size > MOST for size in x.shape[-2:]):
        raise Untraceable(
            f"torch op {op._schema.name.replace('::', '.')} of more than {MOST} "
            "rows or columns has no lowering"
        )


def transposed(x: Any) -> Any:
    """With rows for columns."""
    return x.transpose(-2, -1)


def take_rows(x: Any, order: Any) -> Any:
    """The rows of [..., n, r] in an order, [..., n]."""
    with unchecked():
        return x.gather(-2, order.unsqueeze(-1).expand(*order.shape, x.shape[-1]))


def _swapped(x: Any, k: int, other: Any) -> Any:
    """With row k in the place of row `other`, [..., 1, 1], and the other way round."""
    import torch

    row, that = row_numbers(x.shape[-2]), take_rows(x, other.squeeze(-1))
    return torch.where(row == k, that, torch.where(row == other, x.narrow(-2, k, 1), x))


def decompose(x: Any) -> tuple[Any, Any, Any]:
    """Both triangles in one matrix, the order of the rows, and the pivots, from 0."""
    import torch

    rows, columns = x.shape[-2:]
    row, column = row_numbers(rows), torch.arange(columns)
    order = row.expand(*x.shape[:-1], 1)
    pivots: list[Any] = []
    for k in range(min(rows, columns)):
        size = x.narrow(-1, k, 1).abs().masked_fill(row < k, -1.0)
        other = size.argmax(-2, keepdim=True)
        pivots.append(other.reshape(*x.shape[:-2], 1))
        x, order = _swapped(x, k, other), _swapped(order, k, other)
        pivot = x.narrow(-2, k, 1).narrow(-1, k, 1)
        factor = x.narrow(-1, k, 1) / pivot.masked_fill(pivot == 0, 1.0)
        rest = torch.where(column > k, x - factor * x.narrow(-2, k, 1), x)
        updated = torch.where(column == k, factor, rest)
        x = torch.where(row > k, updated, x)
    if not pivots:
        pivots = [torch.zeros((*x.shape[:-2], 0), dtype=torch.long)]
    return x, order.squeeze(-1), torch.cat(pivots, -1)


def ordered(pivots: Any, rows: int) -> Any:
    """The order of the rows after exchanges with pivots, which count from 0."""
    order = row_numbers(rows).expand(*pivots.shape[:-1], rows, 1)
    for k in range(pivots.shape[-1]):
        order = _swapped(order, k, pivots.narrow(-1, k, 1).unsqueeze(-1))
    return order.squeeze(-1)


def inverse_order(order: Any) -> Any:
    """The order that puts rows back."""
    import torch

    with unchecked():
        rows = torch.arange(order.shape[-1]).expand(order.shape)
        return torch.zeros_like(order).scatter(-1, order, rows)


def substitute(x: Any, right: Any, upper: bool, is_unit: bool) -> Any:
    """What a triangle times the result is: [..., n, n], [..., n, r] -> [..., n, r]."""
    import torch

    size = x.shape[-1]
    row = row_numbers(size)
    for k in reversed(range(size)) if upper else range(size):
        column, known = x.narrow(-1, k, 1), right.narrow(-2, k, 1)
        if not is_unit:
            known = known / column.narrow(-2, k, 1)
        behind = row < k if upper else row > k
        right = torch.where(behind, right - column * known, right)
        right = torch.where(row == k, known, right)
    return right


def solve_factored(both: Any, order: Any, right: Any, adjoint: bool = False) -> Any:
    """Of what `decompose` gives, or of its transpose."""
    if not adjoint:
        right = substitute(both, take_rows(right, order), False, True)
        return substitute(both, right, True, False)
    right = substitute(transposed(both), right, False, False)
    right = substitute(transposed(both), right, True, True)
    return take_rows(right, inverse_order(order))


def root(x: Any) -> tuple[Any, Any]:
    """Cholesky's lower triangle, and the order of a minor that is not positive, or 0.

    What is above the diagonal is not looked at.
    """
    import torch

    size = x.shape[-1]
    row, column = row_numbers(size), torch.arange(size)
    info = torch.zeros(x.shape[:-2], dtype=torch.int32)
    for k in range(size):
        pivot = x.narrow(-2, k, 1).narrow(-1, k, 1)
        bad = ~(pivot > 0).reshape(x.shape[:-2])
        info = torch.where((info == 0) & bad, k + 1, info).to(torch.int32)
        factor = x.narrow(-1, k, 1) / pivot.sqrt()
        rest = torch.where(column > k, x - factor * transposed(factor), x)
        x = torch.where(row >= k, torch.where(column == k, factor, rest), x)
    return torch.tril(x), info


def first_zero(both: Any) -> Any:
    """The number of the first zero on the diagonal, from 1 on, or 0: int32."""
    import torch

    if both.shape[-1] == 0 or both.shape[-2] == 0:
        return torch.zeros(both.shape[:-2], dtype=torch.int32)
    is_zero = both.diagonal(0, -2, -1) == 0
    index = torch.where(is_zero.any(-1), is_zero.long().argmax(-1) + 1, 0)
    return index.to(torch.int32)


def raise_for(op: Any, info: Any, api: str, *, is_matrix: bool) -> None:
    """The run raises what eager raises, less the number that it names."""
    text = next((text for part, text in _ERRORS.items() if part in api), None)
    if text is None:
        raise Untraceable(f"torch op {op._schema.name[6:]} of {api} has no lowering")
    demand((info == 0).all(), f"RuntimeError: {api}: {text}")


_ERRORS = {
    "inv": "The diagonal element is zero, the inversion could not be completed because "
    "the input matrix is singular.",
    "solve": "The solver failed because the input matrix is singular.",
    "cholesky": "The factorization could not be completed because the input is not "
    "positive-definite.",
    "lu_factor": "U has a zero on its diagonal and using it on lu_solve would result "
    "in a division by zero.",
}
