"""From a function in linalg on tensors to nodes.

Before:
    %p = tensor.pad %x low[0, 1] high[0, 1] {...}
    %y = linalg.generic {...} ins(%p) outs(%zeros) {...}

After:
    y = Loop(Inset(x, 0), start Constant(0))

Needs:  named ops as `linalg.generic`.
Leaves: graph of nodes, one for each tensor that a result depends on.
Skips:  nothing: an op without a template is refused, at the user's line.
"""

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from dycl.ir.host.layouts import Blocks
from dycl.kernels.cpu.attention.fuse_attention import RULE
from dycl.kernels.cpu.errors import Refused
from dycl.kernels.cpu.mlir import ir, location_of
from dycl.kernels.cuda.tile.apart import attention_of, scan_of, scatter_of, sort_of
from dycl.kernels.cuda.tile.cuts import Number
from dycl.kernels.cuda.tile.index import Atom, Index, of
from dycl.kernels.cuda.tile.nodes import (
    Argument,
    Constant,
    FromBlocks,
    Known,
    Loop,
    Nest,
    Node,
    Table,
    in_blocks,
)
from dycl.kernels.cuda.tile.read_movements import MOVEMENTS, inner
from dycl.kernels.cuda.tile.shapes import Shape, Sizes, Unknown
from dycl.kernels.cuda.tile.sizes import Size
from dycl.schedules.cuda import LARGEST_TABLE

_MOST = 2**31
"""Elements of a tensor must have numbers of 32 bits."""


class Reader:
    """Makes nodes of the values of one function, on demand."""

    def __init__(self) -> None:
        """None yet."""
        self.nodes: dict[Any, Node] = {}
        self.tables: list[Table] = []
        self.nests: dict[Any, Nest] = {}

    def read(
        self, function: Any, blocks: Sequence[Blocks | None] = ()
    ) -> tuple[list[Argument], list[Node]]:
        """The arguments and results of a function; `blocks`: of arguments that stand
        in memory in blocks. Raises Refused."""
        block = function.regions[0].blocks[0]
        place = location_of(function.location)
        self.sizes = Sizes(function)
        arguments: list[Argument] = []
        for number, value in enumerate(block.arguments):
            shape, dtype = self._kind(value, place)
            is_scalar = not isinstance(value.type, ir.RankedTensorType)
            node = Argument(shape, dtype, place, number=number, is_scalar=is_scalar)
            cut = blocks[number] if number < len(blocks) else None
            arguments.append(node)
            self.nodes[value] = node
            if cut is not None:
                node.shape = in_blocks(cut, shape)
                self.nodes[value] = FromBlocks(
                    shape, dtype, place, source=node, dim=cut.dim, size=cut.size
                )
        last = block.operations[len(block.operations) - 1].operation
        return arguments, [self.node(value) for value in last.operands]

    def node(self, value: Any) -> Node:
        """The node of a value. Raises Refused."""
        todo = [value]
        while todo:
            if todo[-1] in self.nodes:
                todo.pop()
                continue
            needed = [v for v in _needs(todo[-1].owner) if v not in self.nodes]
            if needed:
                todo += needed
            else:
                value_now = todo.pop()
                self.nodes[value_now] = self._made(value_now)
        return self.nodes[value]

    def _made(self, value: Any) -> Node:
        op = value.owner
        place = location_of(op.location)
        shape, dtype = self._kind(value, place)
        if op.name in MOVEMENTS:
            return MOVEMENTS[op.name](self.nodes, self.sizes, op, value, shape, dtype)
        if op.name in _READERS:
            return _READERS[op.name](self, op, value, shape, dtype)
        if op.name in ("tensor.dim", "affine.apply"):
            return Known((), dtype, place, size=self._known(value, place))
        if not shape and op.name.startswith("arith."):
            given = [self.nodes[v] for v in op.operands]
            return Number(shape, dtype, place, op=op, operands=given)
        raise Refused(f"has no template for CUDA: {op.name}", place)

    def _kind(self, value: Any, place: Any) -> tuple[Shape, str]:
        shape = self.sizes.shape(value)
        if not all(size != 0 for size in shape):
            raise Refused(
                "is of a tensor without elements: no template for CUDA", place
            )
        if math.prod(n for n in shape if isinstance(n, int)) >= _MOST:
            raise Refused("is of a tensor too large: no template for CUDA", place)
        is_tensor = isinstance(value.type, ir.RankedTensorType)
        return shape, str(value.type.element_type if is_tensor else value.type)

    def _known(self, value: Any, place: Any) -> Size:
        try:
            return self.sizes.size(value)
        except Unknown as error:
            raise Refused(
                "is of an unknown size: no template for CUDA", place
            ) from error

    def loop(self, op: Any, value: Any, shape: Shape, dtype: str) -> Node:
        """`linalg.generic`."""
        place = location_of(op.location)
        splat = self._splat(op)
        if splat is not None:
            return Constant(shape, dtype, place, splat)
        if op not in self.nests:
            make = self._attention if RULE in op.attributes else self._nest
            self.nests[op] = make(op)
        number = list(op.results).index(value)
        return Loop(shape, dtype, place, nest=self.nests[op], result=number)

    def table(self, op: Any, shape: Shape, dtype: str) -> Table:
        """The node of an array of constants; what is equal is one. Raises Refused."""
        place = location_of(op.location)
        data = _bytes(op.attributes["value"], dtype)
        if data is None or len(data) > LARGEST_TABLE:
            raise Refused(
                f"needs a table of {math.prod(shape)} constants: no template for CUDA",
                place,
            )
        kind = "i32" if dtype == "index" else dtype
        for known in self.tables:
            if (known.shape, known.dtype, known.data) == (shape, kind, data):
                return known
        self.tables.append(Table(shape, kind, place, data))
        return self.tables[-1]

    def _splat(self, op: Any) -> Any:
        """The number that a fill writes everywhere, if it is one."""
        body = list(op.regions[0].blocks[0].operations)
        if len(op.operands) != 2 or len(body) != 1 or _is_reduction(op):
            return None
        argument = op.regions[0].blocks[0].arguments[0]
        node = self.nodes[op.operands[0]]
        is_fill = body[0].operation.operands[0] == argument
        if is_fill and isinstance(node, Constant) and not node.shape:
            return node.value
        return None

    def _attention(self, op: Any) -> Nest:
        inputs = [self.nodes[v] for v in op.operands]
        return attention_of(op, inputs, location_of(op.location))

    def _nest(self, op: Any) -> Nest:
        place = location_of(op.location)
        count = ir.DenseI32ArrayAttr(op.attributes["operandSegmentSizes"])[0]
        operands = list(op.operands)
        maps = [ir.AffineMapAttr(a).value for a in op.attributes["indexing_maps"]]
        sizes = _sizes(maps, [self.nodes[v].shape for v in operands], place)
        dims = tuple(Atom(f"d{i}", n) for i, n in enumerate(sizes))
        kinds = tuple("reduction" in str(a) for a in op.attributes["iterator_types"])
        outer = _outer_values(op)
        lookups = [o for o in inner(op) if o.name == "tensor.extract"]
        return Nest(
            dims,
            kinds,
            [self.nodes[v] for v in operands[:count]],
            [self.nodes[v] for v in operands[count:]],
            [tuple(_index(e, dims, place) for e in m.results) for m in maps],
            op,
            [self.nodes[o.operands[0]] for o in lookups],
            {v: self.nodes[v] for v in outer},
            place,
        )


def _needs(op: Any) -> list[Any]:
    if not hasattr(op, "name"):  # A block: an argument, which has been read.
        return []
    outer = _outer_values(op) if op.name in _WITH_BODIES else []
    if op.name == "tensor.reshape":  # The other operand is its shape.
        return [op.operands[0]]
    return [*op.operands, *outer]


def _outer_values(op: Any) -> list[Any]:
    """What the body of an op uses from outside."""
    ops = inner(op)
    own = {r for o in ops for r in o.results}
    own |= {a for r in op.regions for b in r.blocks for a in b.arguments}
    used = (v for o in ops for v in o.operands)
    return list(dict.fromkeys(v for v in used if v not in own))


def _is_reduction(op: Any) -> bool:
    return any("reduction" in str(a) for a in op.attributes["iterator_types"])


def _sizes(maps: Sequence[Any], shapes: Sequence[Shape], place: Any) -> list[Size]:
    result: list[Size] = [0] * maps[0].n_dims
    for one, shape in zip(maps, shapes, strict=True):
        for expression, size in zip(one.results, shape, strict=True):
            if isinstance(expression, ir.AffineDimExpr):
                position = ir.AffineDimExpr(expression).position
                if result[position] == 0 or isinstance(size, int):
                    result[position] = size
    if not all(size != 0 for size in result):
        raise Refused(
            "has a loop whose length no operand has: no template for CUDA", place
        )
    return result


def _index(expression: Any, dims: Sequence[Atom], place: Any) -> Index:
    if isinstance(expression, ir.AffineDimExpr):
        return of(dims[ir.AffineDimExpr(expression).position])
    if isinstance(expression, ir.AffineConstantExpr):
        return Index((), ir.AffineConstantExpr(expression).value)
    pair = ir.AffineBinaryExpr(expression)
    left, right = (_index(e, dims, place) for e in (pair.lhs, pair.rhs))
    if isinstance(expression, ir.AffineAddExpr):
        return left + right
    if not right.terms:
        if isinstance(expression, ir.AffineMulExpr):
            return left * right.constant
        if isinstance(expression, ir.AffineFloorDivExpr):
            return left.split(right.constant)[0]
        if isinstance(expression, ir.AffineModExpr):
            return left.split(right.constant)[1]
    raise Refused(f"reads at {expression}: no template for CUDA", place)


def _constant(reader: Reader, op: Any, value: Any, shape: Shape, dtype: str) -> Node:
    attribute = op.attributes["value"]
    if not isinstance(value.type, ir.RankedTensorType):
        return Constant((), dtype, None, number_of(attribute))
    dense = ir.DenseElementsAttr(attribute) if "dense<" in str(attribute)[:6] else None
    if dense is not None and dense.is_splat:
        return Constant(shape, dtype, None, number_of(dense.get_splat_value()))
    return reader.table(op, shape, dtype)


def _bytes(attribute: Any, dtype: str) -> bytes | None:
    """The numbers of an array, row by row; None: they cannot be had."""
    if dtype == "bf16":  # NumPy has no such numbers, and reads others.
        return None
    try:
        numbers = np.array(ir.DenseElementsAttr(attribute))
    except (TypeError, ValueError):  # Not dense.
        return None
    return (numbers.astype(np.int32) if dtype == "index" else numbers).tobytes()


def number_of(attribute: Any) -> float | int | bool:
    """The number in an attribute."""
    if isinstance(attribute, ir.FloatAttr):
        return float(ir.FloatAttr(attribute).value)
    if isinstance(attribute, ir.BoolAttr):
        return bool(ir.BoolAttr(attribute).value)
    number = int(ir.IntegerAttr(attribute).value)
    return bool(number) if str(attribute).endswith(": i1") else number


def _empty(reader: Reader, op: Any, value: Any, shape: Shape, dtype: str) -> Node:
    return Constant(shape, dtype, None, 0)


def _apart(reader: Reader, op: Any, value: Any, shape: Shape, dtype: str) -> Node:
    place = location_of(op.location)
    if op not in reader.nests:
        nest = _APART[op.name](op, [reader.nodes[v] for v in op.operands], place)
        nest.nodes = {v: reader.nodes[v] for v in _outer_values(op)}
        reader.nests[op] = nest
    number = list(op.results).index(value)
    return Loop(shape, dtype, place, nest=reader.nests[op], result=number)


_APART: dict[str, Callable[[Any, list[Node], Any], Nest]] = {
    "tm_tensor.scan": scan_of,
    "tm_tensor.scatter": scatter_of,
    "tm_tensor.sort": sort_of,
}
_WITH_BODIES = ("linalg.generic", "tensor.pad", *_APART)

_READERS: dict[str, Callable[..., Node]] = {
    "arith.constant": _constant,
    "linalg.generic": Reader.loop,
    "tensor.empty": _empty,
    **dict.fromkeys(_APART, _apart),
}
