"""Sums of products that name their dimensions, and copies and parts of matrices.

one row                                        many rows
-------                                        ---------
%y = torch.aten.einsum "bi,ij->bj", [%x, %w]   %y = torch.aten.einsum "Abi,ij->Abj", ..
%u = torch.aten.triu %x, 1                     %u = torch.aten.triu %xb, 1
%r = torch.aten.repeat %x, [2, 3]              %r = torch.aten.repeat %xb, [1, 2, 3]

The rows come in front of all dimensions, under a letter of their own in an equation.
"""

from collections.abc import Callable
from math import prod
from string import ascii_letters
from typing import cast

from xdsl.ir import SSAValue

from dycl.passes.rows.batches import batch_of, dtype_in, tail_of
from dycl.passes.rows.operands import Operands


def einsum(given: Operands) -> list[SSAValue]:
    """Sums of products, of tensors that are the same for all rows and of others."""
    items = given.listed(1)
    equation = cast(str, given.constant(0)).replace(" ", "")
    terms, arrow, result = equation.partition("->")
    if not arrow or "." in equation:
        raise given.cannot("its equation does not name all dimensions")
    if len({dtype_in(item.type) for item in items}) > 1:
        raise given.cannot("its operands have several dtypes")
    letter = next(one for one in ascii_letters if one not in equation)
    batches: list[SSAValue] = []
    named: list[str] = []
    for item, term in zip(items, terms.split(","), strict=True):
        differs = given.varies(item)
        batches.append(given.in_front(item) if differs else given.same(item))
        named.append(letter + term if differs else term)
    kind = batch_of(given.result_sizes(), given.result_dtype())
    operands = [f"{','.join(named)}->{letter}{result}", batches, None]
    return [given.settled(given.emit.aten("einsum", operands, kind))]


def outer(given: Operands) -> list[SSAValue]:
    """Each element of a vector times each of another."""
    left, right = given.op.operands
    if dtype_in(left.type) != dtype_in(right.type):
        raise given.cannot("its operands have several dtypes")
    count, width = given.result_sizes()
    pair = [
        given.emit.seen_as(given.in_front(left), (count, 1)),
        given.emit.seen_as(given.in_front(right), (1, width)),
    ]
    kind = batch_of((count, width), given.result_dtype())
    return [given.settled(given.emit.aten("mul.Tensor", pair, kind))]


def triangles(given: Operands) -> list[SSAValue]:
    """The lower or the upper part of each matrix."""
    rows, diagonal = given.op.operands
    name = given.op.name.removeprefix("torch.aten.")
    batch = given.in_front(rows)
    made = given.emit.aten(name, [batch, given.same(diagonal)], batch.type)
    return [given.settled(made)]


def repeat(given: Operands) -> list[SSAValue]:
    """A tensor so many times along each dimension, of which it may get more."""
    rows, _ = given.op.operands
    times, sizes = given.constants(1) or [], given.one_row(rows)
    if not times:
        return [given.batch(rows)]
    missing = (1,) * (len(times) - len(sizes))
    batch = given.emit.seen_as(given.in_front(rows), (*missing, *sizes))
    kind = batch_of(given.result_sizes(), given.result_dtype())
    return [given.settled(given.emit.aten("repeat", [batch, [1, *times]], kind))]


def squares(given: Operands) -> list[SSAValue]:
    """Squares of differences, their mean, or their sum."""
    left, right, _ = given.op.operands
    emit, dtype, how = given.emit, given.result_dtype(), given.constant(2)
    sizes = given.one_row(left)
    if sizes != given.one_row(right):
        raise given.cannot("its operands are of different shapes")
    if not dtype_in(left.type) == dtype_in(right.type) == dtype:
        raise given.cannot("its operands have several dtypes")
    kind = batch_of(tail_of(sizes), dtype)
    pair = [given.aligned(one, len(kind.sizes() or ())) for one in (left, right)]
    apart = emit.aten("sub.Tensor", [*pair, 1], kind)
    result = emit.aten("mul.Tensor", [apart, apart], kind)
    if how == 0:
        return [result]
    name = "mean.dim" if how == 1 else "sum.dim_IntList"
    flat = emit.seen_as(result, (prod(sizes),))
    return [emit.aten(name, [flat, [1], False, None], batch_of((), dtype))]


PRODUCTS: dict[str, Callable[[Operands], list[SSAValue]]] = {
    "torch.aten.einsum": einsum,
    "torch.aten.outer": outer,
    "torch.aten.tril": triangles,
    "torch.aten.triu": triangles,
    "torch.aten.repeat": repeat,
    "torch.aten.mse_loss": squares,
}
"""Operations -> their rules."""
