"""Sorts, scans, scatters, attention: no loops, and computed by functions of their own.

Before:
    %s:2 = tm_tensor.sort dimension(1) outs(%x, %places : ...) {stays in front}
    %c:2 = tm_tensor.scan dimension(1) inclusive(true) ins(%x) outs(%e, %f) {join}
    %p = tm_tensor.scatter ins(%updates, %indices) outs(%x) {combine}
    %o = linalg.generic {dycl.nest = "attention"} ins(%q, %k, %v) outs(%e)

After:
    Loops, one for each result, of a `Sort`, `Scan`, `Scatter` or `Attention`

Needs:  static sizes.
Leaves: nothing is decided about functions.
Skips:  nothing: what no template computes is refused, at the user's line.
"""

from dataclasses import dataclass
from typing import Any

from dycl.kernels.cpu.attention.fuse_attention import RULE
from dycl.kernels.cpu.errors import Refused
from dycl.kernels.cpu.mlir import ir
from dycl.kernels.cpu.torch_fixes.keep_topk import TOPK
from dycl.kernels.cuda.tile.index import own_atoms
from dycl.kernels.cuda.tile.nodes import Nest, Node
from dycl.kernels.cuda.tile.sizes import Size


@dataclass(eq=False)
class Apart(Nest):
    """An op whose results have memory always; `inputs` are its operands, and its
    results have the shape that `maps` end with."""

    reads_again: tuple[bool, ...] = ()
    """Whether elements are read again and again, for each input."""


@dataclass(eq=False)
class Sort(Apart):
    """Inputs sorted along a dimension, by what the body says of two elements."""

    dim: int = 0


@dataclass(eq=False)
class Selection(Sort):
    """A sort of values, whose places are moved along: of the sorted ones only the
    first `k` are asked for, or the last of these if `is_sorted` is None (`kthvalue`).
    Equal elements come in eager's order, and all of them, unless sorted."""

    k: int = 1
    greatest: bool = True
    is_sorted: bool | None = True


@dataclass(eq=False)
class Scan(Apart):
    """Running sums, products and the like along a dimension."""

    dim: int = 0


@dataclass(eq=False)
class Scatter(Apart):
    """`inputs`: a tensor, updates of it, and where they go: dimensions `into`."""

    into: tuple[int, ...] = ()


@dataclass(eq=False)
class Attention(Apart):
    """`inputs`: queries, keys, values, and a mask as numbers (n h s l), if there is
    one; what is done with scores, `cpu-fuse-attention` says."""

    scale: float = 1.0
    fills: bool = False
    is_causal: bool = False
    empty_is_zero: bool = False


def sort_of(op: Any, inputs: list[Node], place: Any) -> Sort:
    """`tm_tensor.sort`, whose operands are values and what is moved with them.
    Raises Refused."""
    nest = _as_nest(op, inputs, [node.shape for node in inputs], place)
    dim = _number(op, "dimension")
    if TOPK not in op.attributes:
        return Sort(*nest, place=place, reads_again=(True,) * len(inputs), dim=dim)
    mark = op.attributes[TOPK]
    return Selection(
        *nest,
        place=place,
        reads_again=(True,) * len(inputs),
        dim=dim,
        k=_number(mark, "k"),
        greatest=bool(ir.BoolAttr(mark["largest"]).value),
        is_sorted=bool(ir.BoolAttr(mark["sorted"]).value) if "sorted" in mark else None,
    )


def scan_of(op: Any, inputs: list[Node], place: Any) -> Scan:
    """`tm_tensor.scan`. Raises Refused."""
    if str(op.attributes["inclusive"]) != "true" or list(op.results[1].uses):
        raise Refused("scans in a way of its own: no template for CUDA", place)
    shapes = [inputs[0].shape, inputs[2].shape]
    nest = _as_nest(op, inputs[:1], shapes, place)
    return Scan(*nest, place=place, reads_again=(False,), dim=_number(op, "dimension"))


def scatter_of(op: Any, inputs: list[Node], place: Any) -> Scatter:
    """`tm_tensor.scatter`. Raises Refused."""
    updates, indices, whole = inputs
    into = tuple(ir.DenseI64ArrayAttr(op.attributes["dimension_map"]))
    sizes = (1,) * (len(whole.shape) - len(updates.shape) + 1) + updates.shape[1:]
    wanted = (1 if d in into else n for d, n in enumerate(whole.shape))
    if tuple(wanted) != sizes:
        raise Refused("scatters parts of rows: no template for CUDA", place)
    return Scatter(
        *_as_nest(op, [whole, updates, indices], [whole.shape], place),
        place=place,
        reads_again=(False, True, True),
        into=into,
    )


def attention_of(op: Any, inputs: list[Node], place: Any) -> Attention:
    """A `linalg.generic` that is marked as an attention; `inputs`: all operands."""
    rule = op.attributes[RULE]
    flags = {
        name: bool(ir.BoolAttr(rule[name]).value)
        for name in ("fills", "is_causal", "empty_is_zero")
    }
    return Attention(
        *_as_nest(op, inputs[:-1], [inputs[-1].shape], place),
        place=place,
        reads_again=(False, True, True, True)[: len(inputs) - 1],
        scale=float(ir.FloatAttr(rule["scale"]).value),
        **flags,
    )


def _as_nest(
    op: Any, inputs: list[Node], shapes: list[tuple[Size, ...]], place: Any
) -> tuple[Any, ...]:
    """The first fields of a nest: its loops are those over a result."""
    if not inputs[0].shape:
        raise Refused("is of a single number: no template for CUDA", place)
    atoms = own_atoms(shapes[0])
    dims = tuple(atom for index in atoms for atom in index.atoms)
    maps = [own_atoms(node.shape) for node in inputs]
    maps += [own_atoms(shape) for shape in shapes]
    return dims, (False,) * len(dims), inputs, [], maps, op


def _number(op: Any, name: str) -> int:
    entries = getattr(op, "attributes", op)
    return int(ir.IntegerAttr(entries[name]).value)
