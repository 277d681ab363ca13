"""The batches of a known size in a function, and where their samples lie.

Convolutions and pools say what samples are: images lie along dimension 0. From there it
is followed through what computes each sample alone, forwards to all that depends on an
input, backwards to what a batch is made of. That a place is here proves nothing:
`dycl.kernels.cpu.samples.each_sample` does, op by op.
"""

import re
from collections.abc import Iterator
from typing import Any

from dycl.kernels.cpu import tensor_ops as build
from dycl.kernels.cpu.mlir import ir
from dycl.kernels.cpu.samples.each_sample import is_windowed
from dycl.kernels.cpu.weights.origins import WeightValues, outside_values


def fixed_batches(func: Any) -> dict[Any, int]:
    """Value -> the dimension that its samples lie along, of at least two."""
    body = [op.operation for op in func.regions[0].blocks[0].operations]
    todo: list[tuple[Any, int]] = []
    for op in filter(is_windowed, body):
        image = op.operands[0].type
        if image.has_static_shape and image.shape[0] > 1:
            todo += [(op.operands[0], 0), (op.results[0], 0)]
    places: dict[Any, int] = {}
    if not todo:
        return places
    varying = _varying(func, body)
    while todo:
        value, dim = todo.pop()
        if value in places or not _may_be_batch(value.type, dim):
            continue
        places[value] = dim
        users = [use.owner.operation for use in value.uses] if value in varying else []
        near = [build.owner(value), *users]
        for op in near:
            if op is not None and op.block == func.regions[0].blocks[0]:
                todo += _around(op, value, dim)
    return places


def _varying(func: Any, body: list[Any]) -> set[Any]:
    """The values that are not the same in every call."""
    weights, arguments = WeightValues(func), func.regions[0].blocks[0].arguments
    found = {value for value in arguments if value not in weights}
    for op in body:
        if not found.isdisjoint(outside_values(op)):
            found.update(op.results)
    return found


def _may_be_batch(kind: Any, dim: int) -> bool:
    """Whether samples of a type lie along a dimension, one behind the other."""
    if not isinstance(kind, ir.RankedTensorType) or not kind.has_static_shape:
        return False
    *outer, count = list(kind.shape)[: dim + 1]
    return count > 1 and all(size == 1 for size in outer) and 0 not in kind.shape


def _around(op: Any, value: Any, dim: int) -> Iterator[tuple[Any, int]]:
    """What else an op takes and gives that is a batch if `value` is one."""
    if is_windowed(op):
        if value != op.operands[1]:
            yield from ((v, 0) for v in (op.operands[0], op.operands[2], *op.results))
    elif op.name == "linalg.generic":
        yield from _around_generic(op, value, dim)
    elif op.name == "linalg.transpose":
        source, into = op.operands
        moved = list(op.attributes["permutation"])
        if value == source:
            dim = moved.index(dim)
        yield from ((source, moved[dim]), (into, dim), (op.results[0], dim))
    elif op.name == "linalg.broadcast":
        source, into = op.operands
        added = list(op.attributes["dimensions"])
        kept = [d for d in range(into.type.rank) if d not in added]
        if value == source:
            dim = kept[dim]
        yield from ((into, dim), (op.results[0], dim))
        if dim in kept:
            yield source, kept.index(dim)
    elif op.name in ("tensor.collapse_shape", "tensor.expand_shape"):
        yield from _around_reshape(op, value, dim)
    elif op.name in _ALIKE:
        both = (*op.operands, *op.results)
        yield from ((v, dim) for v in both if _rank(v) == _rank(value))


def _around_generic(op: Any, value: Any, dim: int) -> Iterator[tuple[Any, int]]:
    maps = [attribute.value for attribute in op.attributes["indexing_maps"]]
    operands = list(op.operands)
    into = len(operands) - len(op.results)
    values = [*operands, *op.results]
    places = [list(map(str, m.results)) for m in (*maps, *maps[into:])]
    loop = places[values.index(value)][dim]
    if re.fullmatch(r"d\d+", loop):
        for other, where in zip(values, places, strict=True):
            if loop in where:
                yield other, where.index(loop)


def _around_reshape(op: Any, value: Any, dim: int) -> Iterator[tuple[Any, int]]:
    """Of a reshape in which samples go together with dimensions of size 1 only."""
    groups = [[int(d.value) for d in g] for g in op.attributes["reassociation"]]
    fewer, more = sorted((op.operands[0], op.results[0]), key=lambda one: one.type.rank)
    number = (
        dim if value == fewer else next(i for i, g in enumerate(groups) if dim in g)
    )
    large = [d for d in groups[number] if more.type.shape[d] > 1]
    if len(large) == 1:
        yield from ((fewer, number), (more, large[0]))


def _rank(value: Any) -> int | None:
    kind = value.type
    return kind.rank if isinstance(kind, ir.RankedTensorType) else None


_ALIKE = (
    "linalg.fill",
    "tensor.concat",
    "tensor.extract_slice",
    "tensor.insert_slice",
    "tensor.pad",
)
"""Ops whose operands and results have the same dimensions."""
