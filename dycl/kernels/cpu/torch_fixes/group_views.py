"""`cpu-group-views`: a view of two dynamic sizes says what is put together.

torch-mlir takes the first sizes of both shapes for equal if it knows neither, and
asserts that of what it knows. `x.view(-1, 6)` of `[?, ?, 6]` had as many rows as the
first size, and the memory behind them was written to.

Before:
    %y = torch.aten.view %x, [-1, 6] : [?,?,2,3] -> [?,6]

After:
    %t = torch_c.to_builtin_tensor %x : tensor<?x?x2x3xf32>
    %c = tensor.collapse_shape %t [[0, 1], [2, 3]] : tensor<?x6xf32>
    %y = torch_c.from_builtin_tensor %c

Needs:  the torch dialect; a shape that was found to have as many elements.
Leaves: sizes at the end that both have in common; of what is before them, the one
        dynamic size is how many elements there are by those that are known.
Skips:  shapes of which torch-mlir knows enough: one dynamic size in the tensor, or two
        in the view, which become a `tensor.reshape`; known sizes of 0, unless another
        one is dynamic, for which torch-mlir divides by 0: that is a `tensor.empty`.
"""

from collections.abc import Sequence
from functools import reduce
from math import prod
from typing import Any

from dycl.kernels.cpu import build, tensor_ops
from dycl.kernels.cpu import torch_ops as torch
from dycl.kernels.cpu.mlir import ir, ops, run_passes
from dycl.kernels.cpu.tensor_sizes import empty_of, expand_to, size_of

_VIEWS = ("torch.aten.view", "torch.aten.reshape")
_FLATTEN = "torch.aten.flatten.using_ints"


def group_views(module: Any) -> None:
    """Write out every view that torch-mlir would guess."""
    views = [op for op in ops(module.operation) if op.name in (*_VIEWS, _FLATTEN)]
    if not views:
        return
    # Running a pass loads the dialects that it makes ops of.
    with ir.Location.unknown():
        run_passes(ir.Module.parse(""), "func.func(convert-torch-to-linalg)")
    for op in views:
        with ir.InsertionPoint(op), op.location:
            if (shapes := _shapes(op)) is not None:
                _write(op, *shapes)
            elif (shapes := _shapes_of_none(op)) is not None:
                _write_none(op, *shapes)


def _shapes(op: Any) -> tuple[list[int], list[int]] | None:
    """The shapes of the tensor and of its view; None: torch-mlir may have it.

    Of a `flatten` it has the size that is put together be computed from the others,
    of which one may be 0.
    """
    given, found = torch.spec_of(op.operands[0]), torch.spec_of(op.results[0])
    if given is None or found is None or 0 in (*given.shape, *found.shape):
        return None
    shape, wanted = list(given.shape), list(found.shape)
    if op.name == _FLATTEN:
        first, last = (torch.constant(value) for value in list(op.operands)[1:])
        is_known = isinstance(first, int) and isinstance(last, int)
        return (shape, wanted) if shape.count(-1) and shape and is_known else None
    sizes = tensor_ops.owner(op.operands[1])
    if sizes is None or sizes.name != "torch.prim.ListConstruct":
        return None
    known = [torch.constant(size) for size in sizes.operands]
    unknown = sum(not isinstance(size, int) or size < 0 for size in known)
    is_guessed = shape.count(-1) > 1 and unknown <= 1 and wanted.count(-1) <= 1
    return (shape, wanted) if is_guessed and wanted else None


def _shapes_of_none(op: Any) -> tuple[list[int], list[int]] | None:
    """The shapes of a tensor of no elements and of its view, of which torch-mlir would
    divide by 0; None: it may have it, or nothing says what a size is."""
    given, found = torch.spec_of(op.operands[0]), torch.spec_of(op.results[0])
    if op.name == _FLATTEN or given is None or found is None or 0 not in found.shape:
        return None
    sizes = tensor_ops.owner(op.operands[1])
    if sizes is None or sizes.name != "torch.prim.ListConstruct":
        return None
    asked = [torch.constant(size) for size in sizes.operands]
    shape, wanted = list(given.shape), list(found.shape)
    if -1 not in (*shape, *wanted):
        return None
    if -1 in asked and wanted[place := asked.index(-1)] < 0:
        rest = len(wanted) - place - 1
        same_end = rest and shape[-rest:] == wanted[-rest:] and 0 in wanted[-rest:]
        if place or not same_end or 0 in shape[:-rest]:
            return None
    return shape, wanted


def _write_none(op: Any, shape: Sequence[int], wanted: Sequence[int]) -> None:
    """A tensor of no elements; the first size is what the end in common leaves."""
    i64, index = ir.IntegerType.get_signless(64), ir.IndexType.get()
    kind = ir.RankedTensorType.get(_dynamic(shape), _element(op.operands[0]))
    sizes: list[Any] = []
    for size, asked in zip(
        wanted, tensor_ops.owner(op.operands[1]).operands, strict=True
    ):
        if size < 0 and torch.constant(asked) == -1:
            tensor = build.op("torch_c.to_builtin_tensor", [op.operands[0]], kind)
            head = [size_of(tensor, d) for d in range(len(shape) - len(wanted) + 1)]
            size = reduce(lambda a, b: build.op("arith.muli", [a, b], index), head)
        elif size < 0:
            count = build.op("torch_c.to_i64", [asked], i64)
            size = build.op("arith.index_cast", [count], index)
        sizes.append(size)
    empty = empty_of(sizes, kind.element_type)
    made = build.op("torch_c.from_builtin_tensor", [empty], op.results[0].type)
    op.results[0].replace_all_uses_with(made)
    op.erase()


def _write(op: Any, shape: Sequence[int], wanted: Sequence[int]) -> None:
    element = _element(op.operands[0])
    kind = ir.RankedTensorType.get(_dynamic(shape), element)
    tensor = build.op("torch_c.to_builtin_tensor", [op.operands[0]], kind)
    if op.name == _FLATTEN:
        first, last = (torch.constant(value) for value in list(op.operands)[1:])
        groups = _flattened(len(shape), int(first or 0), int(last or 0))
        result = tensor_ops.collapse(tensor, _dynamic(wanted), groups)
    else:
        result = _viewed(tensor, shape, wanted)
    if list(result.type.shape) != _dynamic(wanted):
        kind = ir.RankedTensorType.get(_dynamic(wanted), element)
        result = build.op("tensor.cast", [result], kind)
    made = build.op("torch_c.from_builtin_tensor", [result], op.results[0].type)
    op.results[0].replace_all_uses_with(made)
    op.erase()


def _viewed(tensor: Any, shape: Sequence[int], wanted: Sequence[int]) -> Any:
    """A view whose last sizes are those of the tensor, or as many elements."""
    rest, first = _ends(shape, wanted)
    inner, outer = list(shape[rest:]), list(wanted[first:])
    in_common = inner == outer
    if not in_common:
        inner = [prod(inner)]
    groups = [rest, *([1] * len(inner) if in_common else [len(shape) - rest])]
    flat = tensor_ops.collapse(tensor, _dynamic([-1, *inner]), groups)
    parts = [len(outer)] if not in_common else [1] * len(outer)
    if first == 1 and in_common:
        return flat
    sizes = _sizes(flat, wanted[:first])
    if all(isinstance(size, int) for size in sizes):
        kind = ir.RankedTensorType.get([prod(sizes), *inner], flat.type.element_type)
        flat = build.op("tensor.cast", [flat], kind)
    return expand_to(flat, [*sizes, *outer], [first, *parts])


def _ends(shape: Sequence[int], wanted: Sequence[int]) -> tuple[int, int]:
    """Where the ends of both begin that have as many elements, all of them known; one
    size at least is before each."""
    best = len(shape), len(wanted)
    for start in range(len(shape) - 1, 0, -1):
        if shape[start] < 0:
            break
        for place in range(len(wanted) - 1, 0, -1):
            if wanted[place] < 0:
                break
            if prod(shape[start:]) == prod(wanted[place:]):
                best = start, place
    return best


def _sizes(flat: Any, wanted: Sequence[int]) -> list[Any]:
    """What the first size becomes: of those wanted, one may be what is left."""
    if len(wanted) == 1:
        return [build.op("tensor.dim", [flat, build.index(0)], ir.IndexType.get())]
    known = prod(size for size in wanted if size >= 0)
    if -1 not in wanted:
        return list(wanted)
    total = build.op("tensor.dim", [flat, build.index(0)], ir.IndexType.get())
    left = build.op("arith.divui", [total, build.index(known)], total.type)
    return [left if size < 0 else size for size in wanted]


def _flattened(rank: int, first: int, last: int) -> list[int]:
    """How many dimensions go into each of the result."""
    first, last = first % rank, last % rank
    return [*([1] * first), last - first + 1, *([1] * (rank - last - 1))]


def _dynamic(shape: Sequence[int]) -> list[int]:
    return [ir.ShapedType.get_dynamic_size() if size < 0 else size for size in shape]


def _element(value: Any) -> Any:
    """The builtin element type of a tensor."""
    text = str(value.type).rpartition(",")[2].removesuffix(">")
    is_integer = text.startswith(("si", "ui"))
    return ir.Type.parse(text[1:] if is_integer else text)
