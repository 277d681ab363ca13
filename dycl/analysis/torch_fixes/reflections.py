"""`linalg.qr` and its parts, by Householder's reflections with LAPACK's signs.

torch is imported in the functions.
"""

from typing import Any

from dycl.analysis.torch_fixes.factors import check_size, row_numbers


def reflect(x: Any) -> tuple[Any, Any]:
    """R and below it the vectors of the reflections, and their factors."""
    import torch

    rows, columns = x.shape[-2:]
    row, column = row_numbers(rows), torch.arange(columns)
    factors = [x.new_zeros(*x.shape[:-2], 0)]
    for k in range(min(rows, columns)):
        given = x.narrow(-1, k, 1)
        first = given.narrow(-2, k, 1)
        rest = torch.where(row > k, given * given, 0.0).sum(-2, keepdim=True)
        size = (first * first + rest).sqrt()
        is_done = rest == 0
        end = torch.where(is_done, first, torch.where(first < 0, size, -size))
        factor = torch.where(is_done, 0.0, (end - first) / end.masked_fill(is_done, 1))
        vector = _vector(given / (first - end).masked_fill(is_done, 1), row, k)
        applied = x - factor * vector * (vector * x).sum(-2, keepdim=True)
        x = torch.where((column > k) & (row >= k), applied, x)
        reflector = torch.where(row > k, vector, torch.where(row == k, end, given))
        x = torch.where(column == k, reflector, x)
        factors.append(factor.squeeze(-1))
    return x, torch.cat(factors, -1)


def _vector(x: Any, row: Any, k: int) -> Any:
    """With 1 in row k and 0 above."""
    import torch

    return torch.where(row > k, x, (row == k).to(x.dtype))


def product(x: Any, factors: Any, columns: int) -> Any:
    """The first columns of the product of the reflections."""
    import torch

    row = row_numbers(x.shape[-2])
    result = (row == torch.arange(columns)).to(x.dtype)
    result = result.expand(*x.shape[:-1], columns)
    for k in reversed(range(factors.shape[-1])):
        vector = _vector(x.narrow(-1, k, 1), row, k)
        factor = factors.narrow(-1, k, 1).unsqueeze(-1)
        result = result - factor * vector * (vector * result).sum(-2, keepdim=True)
    return result


def product_with(
    op: Any, x: Any, factors: Any, other: Any, left: bool = True,
    transpose: bool = False,
) -> Any:  # fmt: skip
    """`ormqr`: the product of the reflections, and a matrix on its right or left."""
    if not left:
        turned = other.transpose(-2, -1)
        found = product_with(op, x, factors, turned, True, not transpose)
        return found.transpose(-2, -1)
    check_size(op, x)
    row, count = row_numbers(x.shape[-2]), factors.shape[-1]
    for k in range(count) if transpose else reversed(range(count)):
        vector = _vector(x.narrow(-1, k, 1), row, k)
        factor = factors.narrow(-1, k, 1).unsqueeze(-1)
        other = other - factor * vector * (vector * other).sum(-2, keepdim=True)
    return other


def geqrf(op: Any, x: Any) -> Any:
    """What `reflect` gives."""
    check_size(op, x)
    return reflect(x)


def qr(op: Any, x: Any, mode: str = "reduced") -> Any:
    """Q and R; of the mode `r` Q is empty."""
    import torch

    check_size(op, x)
    rows, columns = x.shape[-2:]
    both, factors = reflect(x)
    least = rows if mode == "complete" else min(rows, columns)
    right = torch.triu(both.narrow(-2, 0, least))
    if mode == "r":
        return x.new_zeros(0), right
    return product(both, factors, least), right


def householder_product(op: Any, x: Any, factors: Any) -> Any:
    """As many columns of the product as there are vectors."""
    check_size(op, x)
    return product(x, factors, x.shape[-1])


REWRITES = {
    "geqrf": geqrf,
    "ormqr": product_with,
    "linalg_qr": qr,
    "linalg_householder_product": householder_product,
}
"""Name of an op -> what it is written as, from the overload and its operands."""
