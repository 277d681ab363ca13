"""A kernel for several rows at once: torch's `vmap` of its ops, traced.

Each row is given arguments of its own, or all rows the same, such as weights. What a
row gets is what the kernel gives, but for the rounding of sums: a product of a matrix
and a vector has become one of two matrices.
"""

from collections.abc import Callable, Collection, Sequence
from typing import Any, cast

from xdsl.dialects.func import FuncOp
from xdsl.ir import SSAValue

from dycl.analysis.tensors.abstract import Tensor, from_type
from dycl.analysis.tensors.fakes import concrete, evaluation_mode, explain, quiet
from dycl.analysis.tracing.decomposing import decompositions, repairs
from dycl.analysis.tracing.fx_graph import read_graph
from dycl.analysis.tracing.graph import Input, Trace, Untraceable
from dycl.analysis.tracing.proxies import traced
from dycl.ir.interpreter.tensors import evaluate_torch
from dycl.ir.torch import TorchOp
from dycl.lowerings import what_is_known


def batched(kernel: FuncOp, is_row: Sequence[bool], rows: int) -> Trace | str:
    """The ops of a kernel for so many rows, or why there are none.

    `is_row` says of each argument whether every row has its own: it then has one more
    dimension in front, as all results have.
    """
    try:
        return _batched(kernel, is_row, rows)
    except Untraceable as error:
        return error.reason
    except Exception as error:
        return explain(error)


def _batched(kernel: FuncOp, is_row: Sequence[bool], rows: int) -> Trace:
    import torch

    block = kernel.body.block
    given: list[Tensor] = []
    for argument, own in zip(block.args, is_row, strict=True):
        known = from_type(argument.type)
        if not isinstance(known, Tensor) or not known.is_static:
            raise Untraceable("it is given a number, or a tensor of any size")
        shape = (rows, *known.shape) if own else known.shape
        given.append(Tensor.contiguous(shape, known.dtype))
    function = _as_function(kernel, is_row)
    placeholders: list[object] = [Input(i) for i in range(len(given))]
    table: dict[Any, Any] = {**repairs(what_is_known())}
    while True:
        with torch.no_grad(), quiet(), evaluation_mode():
            fakes = [concrete(tensor, {}) for tensor in given]
            graph = traced(function, fakes, table, is_pure=True)
        needed = decompositions(graph, table)
        if not needed:
            nodes, outputs, checks = read_graph(graph, placeholders)
            if checks:
                raise Untraceable("it may raise")
            return Trace(nodes, tuple(outputs))
        table |= needed


def _as_function(kernel: FuncOp, is_row: Sequence[bool]) -> Any:
    """A kernel as a function of torch's tensors, those of rows with one dimension more.

    Op by op, so that an op that takes rows as it is stays what it is.
    """
    block = kernel.body.block

    def run(*arguments: Any) -> list[object]:
        values: dict[SSAValue, Any] = dict(zip(block.args, arguments, strict=True))
        own: set[SSAValue] = set()
        own.update(v for v, yes in zip(block.args, is_row, strict=True) if yes)
        for op in block.ops:
            if not isinstance(op, TorchOp):
                return [_whole(values[v], v in own, arguments) for v in op.operands]
            results = _results(op, [values[v] for v in op.operands], own)
            values.update(zip(op.results, results, strict=True))
            if any(v in own for v in op.operands):
                own.update(op.results)
        raise Untraceable("it gives nothing")

    def _whole(value: Any, has_rows: bool, arguments: Sequence[Any]) -> Any:
        if has_rows:
            return value
        rows = arguments[list(is_row).index(True)].shape[0]
        return value.expand(rows, *value.shape).clone()

    return run


def _results(
    op: TorchOp, operands: Sequence[Any], own: Collection[SSAValue]
) -> Sequence[object]:
    """What an op gives, where those operands in `own` have a dimension of rows."""
    import torch

    places = [0 if v in own else None for v in op.operands]
    if not any(place == 0 for place in places):
        return _of_all(op, operands)
    if op.name == "torch.aten.linear" and places[1:].count(0) == 0:
        return evaluate_torch(op, operands)
    if op.name == "torch.prim.ListConstruct":
        return [_Rows(operands, places)]
    flat, structure = _flat(operands, places)

    def one(*row: object) -> tuple[object, ...]:
        return tuple(evaluate_torch(op, structure(row)))

    in_dims = tuple(place for _, place in flat)
    mapped = cast(Any, torch).vmap(one, in_dims=in_dims)
    return mapped(*(value for value, _ in flat))


def _of_all(op: TorchOp, operands: Sequence[Any]) -> Sequence[object]:
    """What an op gives that is the same for all rows."""
    if op.name == "torch.aten.linear" and operands[0].dim() == 1:
        # Of a vector, torch squeezes the result in place, which is no op of a kernel.
        (result,) = evaluate_torch(op, [operands[0].unsqueeze(0), *operands[1:]])
        return [cast(Any, result).squeeze(0)]
    return evaluate_torch(op, operands)


class _Rows(list[Any]):
    """A list of tensors, of which some have a dimension of rows."""

    def __init__(self, items: Sequence[Any], places: Sequence[int | None]):
        super().__init__(items)
        self.places = places


def _flat(
    operands: Sequence[Any], places: Sequence[int | None]
) -> tuple[list[tuple[Any, int | None]], Callable[[Sequence[object]], list[object]]]:
    """Operands, with the items of lists, and what puts them together again."""
    flat: list[tuple[Any, int | None]] = []
    counts: list[int] = []
    for value, place in zip(operands, places, strict=True):
        if isinstance(value, _Rows):
            flat += zip(value, value.places, strict=True)
            counts.append(len(value))
        else:
            flat.append((value, place))
            counts.append(-1)

    def structure(row: Sequence[object]) -> list[object]:
        rest = iter(row)
        return [
            next(rest) if count < 0 else [next(rest) for _ in range(count)]
            for count in counts
        ]

    return flat, structure
