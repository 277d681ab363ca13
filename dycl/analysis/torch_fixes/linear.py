"""torch's operators of linear algebra, on the methods of `factors`.

Singular values and eigenvalues are in `rotations`. torch is imported in the functions.
"""

from typing import Any

from dycl.analysis.torch_fixes.division import demand
from dycl.analysis.torch_fixes.factors import (
    check_size,
    decompose,
    first_zero,
    inverse_order,
    ordered,
    raise_for,
    root,
    row_numbers,
    solve_factored,
    substitute,
    transposed,
)


def solve_ex(
    op: Any, x: Any, right: Any, *, left: bool = True, check_errors: bool = False
) -> Any:
    """`linalg.solve`: the result, the factors, the pivots and `info`."""
    if check_errors:
        return NotImplemented
    check_size(op, x)
    is_vector = left and (
        right.dim() == 1 or (right.dim() == x.dim() - 1 and right.shape == x.shape[:-1])
    )
    given = right.unsqueeze(-1) if is_vector else right
    both, order, pivots = decompose(x)
    both_, order_, given = _batched(both, order, given, left)
    solution = _solved(both_, order_, given, left, False)
    solution = solution.squeeze(-1) if is_vector else solution
    return solution, both, _counted(pivots), first_zero(both)


def _solved(both: Any, order: Any, right: Any, left: bool, adjoint: bool) -> Any:
    if left:
        return solve_factored(both, order, right, adjoint)
    return transposed(solve_factored(both, order, transposed(right), not adjoint))


def _batched(both: Any, order: Any, right: Any, left: bool) -> tuple[Any, Any, Any]:
    """All of one batch's shape."""
    batch = _batch(both, right)
    return (
        both.expand(*batch, *both.shape[-2:]),
        order.expand(*batch, order.shape[-1]),
        right.expand(*batch, *right.shape[-2:]),
    )


def _batch(x: Any, y: Any) -> Any:
    import torch

    return torch.broadcast_shapes(x.shape[:-2], y.shape[:-2])


def _counted(pivots: Any) -> Any:
    """As LAPACK counts them: int32, from 1 on."""
    import torch

    return (pivots + 1).to(torch.int32)


def inverse(op: Any, x: Any, *, check_errors: bool = False) -> Any:
    """`linalg.inv_ex`: the inverse and `info`."""
    import torch

    if check_errors:
        return NotImplemented
    check_size(op, x)
    both, order, _ = decompose(x)
    identity = torch.eye(x.shape[-1], dtype=x.dtype).expand(x.shape)
    return solve_factored(both, order, identity), first_zero(both)


def factor(op: Any, x: Any, *, pivot: bool = True, check_errors: bool = False) -> Any:
    """`linalg.lu_factor_ex`: both triangles in one matrix, the pivots and `info`."""
    if not pivot or check_errors:
        return NotImplemented
    check_size(op, x)
    both, _, pivots = decompose(x)
    return both, _counted(pivots), first_zero(both)


def split(op: Any, x: Any, *, pivot: bool = True) -> Any:
    """`linalg.lu`: P, L and U."""
    if not pivot:
        return NotImplemented
    check_size(op, x)
    both, order, _ = decompose(x)
    return (_permutation(order, x.dtype), *_triangles(both))


def unpack(
    op: Any, x: Any, pivots: Any, unpack_data: bool = True, unpack_pivots: bool = True
) -> Any:
    """`lu_unpack`: P, L and U; what is not asked for is empty."""
    if not (unpack_data and unpack_pivots):
        return NotImplemented
    check_size(op, x)
    low = high = (
        "pivots passed to lu_unpack must be between 1 and LU.size(-2) inclusive."
    )
    order = _order(pivots, x.shape[-2], low, high)
    return (_permutation(order, x.dtype), *_triangles(x))


def _permutation(order: Any, dtype: Any) -> Any:
    """The matrix P for which P @ x has its rows back in place."""
    import torch

    back = inverse_order(order).unsqueeze(-1)
    return (back == torch.arange(order.shape[-1])).to(dtype)


def _triangles(both: Any) -> tuple[Any, Any]:
    import torch

    rows, columns = both.shape[-2:]
    least = min(rows, columns)
    low = torch.tril(both.narrow(-1, 0, least), -1)
    diagonal = (row_numbers(rows) == torch.arange(least)).to(both.dtype)
    return low + diagonal, torch.triu(both.narrow(-2, 0, least))


def only_determinant(op: Any, x: Any) -> Any:
    """torch-mlir's exchanges no rows, and divides by a zero."""
    return determinant(op, x)[0]


def only_log_determinant(op: Any, x: Any) -> Any:
    """The sign and the logarithm."""
    return log_determinant(op, x)[:2]


def determinant(op: Any, x: Any) -> Any:
    """`linalg.det`: the result, the factors and the pivots."""
    check_size(op, x)
    both, _, pivots = decompose(x)
    result = both.diagonal(0, -2, -1).prod(-1) * _sign(pivots, x.dtype)
    return result, both, _counted(pivots)


def log_determinant(op: Any, x: Any) -> Any:
    """`linalg.slogdet`: sign, logarithm, the factors and the pivots."""
    check_size(op, x)
    both, _, pivots = decompose(x)
    diagonal = both.diagonal(0, -2, -1)
    sign = diagonal.sign().prod(-1) * _sign(pivots, x.dtype)
    return sign, diagonal.abs().log().sum(-1), both, _counted(pivots)


def _sign(pivots: Any, dtype: Any) -> Any:
    """-1 for each exchange of two rows."""
    import torch

    changes = (pivots != torch.arange(pivots.shape[-1])).sum(-1)
    return (1 - 2 * (changes % 2)).to(dtype)


def solve_with_factors(
    op: Any, both: Any, pivots: Any, right: Any, *, left: bool = True,
    adjoint: bool = False,
) -> Any:  # fmt: skip
    """`linalg.lu_solve`."""
    check_size(op, both)
    words = "Pivots given to lu_solve must all be"
    low = f"{words} greater or equal to 1."
    high = f"{words} smaller or equal to LU.size(-2)."
    order = _order(pivots, both.shape[-1], low, high)
    return _solved(*_batched(both, order, right, left), left, adjoint)


def _order(pivots: Any, rows: int, low: str, high: str) -> Any:
    """The order of the rows after exchanges with pivots, which count from 1.

    A run raises a RuntimeError of one of the texts where a pivot is no row.
    """
    demand((pivots >= 1).all(), f"RuntimeError: {low}")
    demand((pivots <= rows).all(), f"RuntimeError: {high}")
    return ordered(pivots.long() - 1, rows)


def lu_solve(op: Any, right: Any, both: Any, pivots: Any) -> Any:
    """The older name of it."""
    return solve_with_factors(op, both, pivots, right)


def cholesky_ex(
    op: Any, x: Any, *, upper: bool = False, check_errors: bool = False
) -> Any:
    """`linalg.cholesky_ex`: the triangle and `info`."""
    if check_errors:
        return NotImplemented
    check_size(op, x)
    found, info = root(transposed(x) if upper else x)
    return (transposed(found) if upper else found), info


def cholesky(op: Any, x: Any, upper: bool = False) -> Any:
    """The older name of it; it raises."""
    found, info = cholesky_ex(op, x, upper=upper)
    raise_for(op, info, "cholesky", is_matrix=x.dim() == 2)
    return found


def cholesky_solve(op: Any, right: Any, x: Any, upper: bool = False) -> Any:
    """Of a triangle that `cholesky` gave."""
    check_size(op, x)
    batch = _batch(x, right)
    right = right.expand(*batch, *right.shape[-2:])
    low = transposed(x) if upper else x
    return substitute(
        transposed(low), substitute(low, right, False, False), True, False
    )


def cholesky_inverse(op: Any, x: Any, upper: bool = False) -> Any:
    """The inverse of what `cholesky` was of."""
    import torch

    identity = torch.eye(x.shape[-1], dtype=x.dtype).expand(x.shape)
    return cholesky_solve(op, identity, x, upper)


def solve_triangular(
    op: Any, x: Any, right: Any, *, upper: bool, left: bool = True,
    unitriangular: bool = False,
) -> Any:  # fmt: skip
    """`linalg.solve_triangular`; the other triangle is not looked at."""
    check_size(op, x)
    right = right.expand(*_batch(x, right), *right.shape[-2:])
    if left:
        return substitute(x, right, upper, unitriangular)
    solution = substitute(transposed(x), transposed(right), not upper, unitriangular)
    return transposed(solution)


def triangular_solve(
    op: Any, right: Any, x: Any, upper: bool = True, transpose: bool = False,
    unitriangular: bool = False,
) -> Any:  # fmt: skip
    """The older one: the result, and the matrix."""
    check_size(op, x)
    batch = _batch(x, right)
    right = right.expand(*batch, *right.shape[-2:])
    given = transposed(x) if transpose else x
    solution = substitute(given, right, upper != transpose, unitriangular)
    return solution, x.expand(*batch, *x.shape[-2:]).clone()


REWRITES = {
    "_linalg_solve_ex": solve_ex,
    "_linalg_check_errors": raise_for,
    "linalg_inv_ex": inverse,
    "linalg_lu_factor_ex": factor,
    "linalg_lu": split,
    "lu_unpack": unpack,
    "_linalg_det": determinant,
    "_linalg_slogdet": log_determinant,
    "linalg_lu_solve": solve_with_factors,
    "lu_solve": lu_solve,
    "linalg_cholesky_ex": cholesky_ex,
    "cholesky": cholesky,
    "cholesky_solve": cholesky_solve,
    "cholesky_inverse": cholesky_inverse,
    "linalg_solve_triangular": solve_triangular,
    "triangular_solve": triangular_solve,
}
"""Name of an op -> what it is written as, from the overload and its operands."""
