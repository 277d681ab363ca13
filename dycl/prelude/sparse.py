"""Matrices of which most elements are zero, as `torch.sparse_coo_tensor` makes them.

A matrix is what it was made of: its elements, and where they stand. A product takes
the elements one by one, so that infinities of the other side meet no zeros.
"""

from dataclasses import dataclass
from typing import Any

import torch

from dycl.prelude.refusals import NotCompiled


@dataclass(frozen=True)
class Sparse:
    """A sparse matrix, not coalesced: elements in one place are summed up."""

    places: Any
    """i64[2, elements]: row and column of each."""
    elements: Any
    """[elements]."""
    rows: Any
    columns: Any

    def __matmul__(self, other: Any) -> Any:
        return product(self, other)

    def matmul(self, other: Any) -> Any:
        """`a @ other`."""
        return product(self, other)

    def mm(self, other: Any) -> Any:
        """`a @ other`."""
        return product(self, other)

    def t(self) -> Any:
        """The transposed matrix."""
        return Sparse(self.places.flip(0), self.elements, self.columns, self.rows)

    def size(self, dim: Any = None) -> Any:
        """Rows and columns, or one of them."""
        sizes = (self.rows, self.columns)
        return sizes if dim is None else sizes[dim]

    @property
    def shape(self) -> Any:
        """Rows and columns."""
        return (self.rows, self.columns)

    def to_dense(self) -> Any:
        """The tensor with its zeros: [rows, columns]."""
        dense = torch.zeros(self.rows * self.columns, dtype=self.elements.dtype)
        places = self.places[0] * self.columns + self.places[1]
        dense = dense.index_add(0, places, self.elements)
        return dense.view(self.rows, self.columns)


def sparse_coo_tensor(
    indices: Any,
    values: Any,
    size: Any = None,
    dtype: Any = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Any:
    """`torch.sparse_coo_tensor` of a matrix: indices [2, N], values [N].

    One value may be a tensor of rank 0.

    Raises RuntimeError: there are more or fewer values than places. An index that is
    not in the matrix is found when it is used, as by torch.
    """
    if values.dim() == 0:  # what `squeeze` makes of a single value
        values = values.unsqueeze(0)
    if size is None or len(size) != 2 or values.dim() != 1:
        raise NotCompiled(
            "a sparse tensor that is not a matrix of a known size",
            "give two indices for each value, and the size: "
            "`torch.sparse_coo_tensor(indices, values, (rows, columns))`",
        )
    rows, columns = size[0], size[1]
    places = indices.to(torch.int64)
    if places.size(1) != values.size(0):
        raise RuntimeError(
            "indices and values must have same nnz, but got nnz from indices: "
            f"{places.size(1)}, nnz from values: {values.size(0)}"
        )
    elements = values if dtype is None else values.to(dtype)
    return Sparse(places, elements, rows, columns)


def product(matrix: Any, other: Any) -> Any:
    """`torch.matmul(matrix, other)`: other [columns, N], the result [rows, N].

    Raises RuntimeError: the shapes do not fit.
    """
    if other.dim() != 2:
        raise NotCompiled(
            "a product of a sparse matrix and what is not a matrix",
            "make it one: `(a @ x.unsqueeze(1)).squeeze(1)`",
        )
    if matrix.columns != other.size(0):
        raise RuntimeError(
            f"mm: Argument #3 (dense): Expected dim 0 size {matrix.columns}, got "
            f"{other.size(0)}"
        )
    row, column = matrix.places[0], matrix.places[1]
    wrong_row = (row < 0) | (row >= matrix.rows)
    wrong_column = (column < 0) | (column >= matrix.columns)
    if (wrong_row | wrong_column).any():
        first = int((wrong_row | wrong_column).to(torch.int64).argmax())
        name, bound, index = "row", matrix.rows, int(row[first])
        if wrong_column[first]:
            name, bound, index = "column", matrix.columns, int(column[first])
        raise RuntimeError(
            f"addmm: index out of {name} bound: {index} not between 1 and {bound}"
        )
    terms = matrix.elements.unsqueeze(1) * other.index_select(0, matrix.places[1])
    zeros = torch.zeros(matrix.rows, other.size(1), dtype=terms.dtype)
    return zeros.index_add(0, matrix.places[0], terms)
