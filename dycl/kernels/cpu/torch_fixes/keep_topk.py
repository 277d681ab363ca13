"""`cpu-keep-topk`: `topk` and `kthvalue` pick among equal elements as eager does.

torch-mlir makes a stable sort of it. Eager selects by the algorithms of its C++
library, which do not keep equal elements in order: of eight zeros, the first are those
at 6 and 5. So both go past torch-mlir as sorts with a mark.

Before:
    %v, %i = torch.aten.topk %x, %int2, %int1, %true, %true      // %x: 1x8

After:
    %t = torch_c.to_builtin_tensor %x
    %s:2 = tm_tensor.sort {dycl.topk = {k = 2, largest = true, sorted = true}}
        dimension(1) outs(%t, %empty : tensor<1x8xf32>, tensor<1x8xi64>) {...}
    %top = tensor.extract_slice %s#0[0, 0] [1, 2] [1, 1]         // and of %s#1
    %v = torch_c.from_builtin_tensor %top                        // and %i

Needs:  the torch dialect, before torch-mlir's own decompositions.
Leaves: the comparison of the sort: whether its first operand comes before the second.
        `cpu-select-topk` does what the mark says.
Skips:  a `k` that is no constant (`cpu-keep-open-topk`); a `k` of 0, tensors of rank 0:
        of equal elements, the first is taken there.
"""

from dataclasses import dataclass
from typing import Any

from dycl.kernels.cpu import build, tensor_ops
from dycl.kernels.cpu import torch_ops as torch
from dycl.kernels.cpu.mlir import ir, ops, run_passes

TOPK = "dycl.topk"
"""On a `tm_tensor.sort`: that only `k` elements are asked for, and in which order.

Without `sorted`, only the last of them: `kthvalue`. Without `k`, the places are it.
"""
TOPK_OF_TORCH = "torch.aten.topk"
_SELECTIONS = (TOPK_OF_TORCH, "torch.aten.kthvalue")
_SIGNED = {8: "si8", 16: "si16", 32: "si32", 64: "si64"}
_SGT, _SLT = 4, 2
"""Predicates of `arith.cmpi`."""


def keep_topk(module: Any) -> None:
    """Take every `topk` of a known number of elements past torch-mlir."""
    selections = [op for op in ops(module.operation) if op.name in _SELECTIONS]
    if not selections:
        return
    load_sorts()
    for op in selections:
        with ir.InsertionPoint(op), op.location:
            asked = _asked(op)
            kind = asked and builtin(op.operands[0], is_open=True)
            if kind is not None and asked is not None:
                mark_sort(op, kind, asked)


def load_sorts() -> None:
    """Have the dialect of sorts: running a pass loads those that it makes ops of."""
    with ir.Location.unknown():
        run_passes(ir.Module.parse(""), "func.func(convert-torch-to-tmtensor)")


@dataclass(frozen=True)
class Asked:
    """What is asked for, along one dimension; `k` may be an i64 of the kernel.

    Of `kthvalue`, only the last of the `k` elements: `is_sorted` is None.
    """

    k: Any
    dim: int
    largest: bool
    is_sorted: bool | None
    keeps_rank: bool

    def mark(self) -> Any:
        """What a sort carries."""
        entries = {"largest": ir.BoolAttr.get(self.largest)}
        if isinstance(self.k, int):
            entries["k"] = build.i64(self.k)
        if self.is_sorted is not None:
            entries["sorted"] = ir.BoolAttr.get(self.is_sorted)
        return ir.DictAttr.get(entries)

    def part(self, whole: Any) -> Any:
        """The elements that are asked for, of a sorted tensor."""
        rank, shape = whole.type.rank, list(whole.type.shape)
        dim, first = self.dim % rank, [0] * rank
        if self.is_sorted is None:
            first[dim] = self.k - 1
        is_known = isinstance(self.k, int)
        dynamic = ir.ShapedType.get_dynamic_size()
        shape[dim] = self.k - first[dim] if is_known else dynamic
        kept = shape if self.keeps_rank else [*shape[:dim], *shape[dim + 1 :]]
        open_sizes = _open_sizes(whole, but=dim)
        if not is_known:
            count = build.op("arith.index_cast", [self.k], ir.IndexType.get())
            open_sizes.insert(shape[:dim].count(dynamic), count)
        return tensor_ops.op(
            "tensor.extract_slice",
            [whole, *open_sizes],
            ir.RankedTensorType.get(kept, whole.type.element_type),
            static_offsets=tensor_ops.ints(first),
            static_sizes=tensor_ops.ints(shape),
            static_strides=tensor_ops.ints([1] * rank),
            operandSegmentSizes=ir.DenseI32ArrayAttr.get([1, 0, len(open_sizes), 0]),
        )


def _open_sizes(tensor: Any, but: int = -1) -> list[Any]:
    """The sizes of a tensor that a run decides, `but` for one dimension."""
    kind = tensor.type
    return [
        tensor_ops.op("tensor.dim", [tensor, build.index(d)], ir.IndexType.get())
        for d in range(kind.rank)
        if kind.is_dynamic_dim(d) and d != but
    ]


def _asked(op: Any) -> Asked | None:
    given = constants(op)
    if None in given or not given[0]:
        return None
    if op.name == TOPK_OF_TORCH:
        k, dim, largest, is_sorted = given
        return Asked(k, dim, largest, is_sorted, True)
    k, dim, keeps_rank = given
    return Asked(k, dim, True, None, keeps_rank)


def constants(op: Any) -> list[Any]:
    """What a selection is given behind its tensor; None for what is not known."""
    return [torch.constant(value) for value in list(op.operands)[1:]]


def builtin(value: Any, *, is_open: bool = False) -> Any:
    """The builtin type of a tensor of known sizes, or None; of any sizes, if it may be
    open."""
    spec = torch.spec_of(value)
    if spec is None or not spec.shape or (not is_open and min(spec.shape) < 0):
        return None
    dynamic = ir.ShapedType.get_dynamic_size()
    shape = [dynamic if size < 0 else size for size in spec.shape]
    element = str(value.type).rpartition(",")[2].removesuffix(">")
    if element.startswith("si"):
        element = element.removeprefix("s")
    if element not in ("f16", "bf16", "f32", "f64", "i8", "i16", "i32", "i64"):
        return None
    return ir.RankedTensorType.get(shape, ir.Type.parse(element))


def mark_sort(op: Any, kind: Any, asked: Asked) -> None:
    """Put a marked sort of a tensor type in the place of a selection.

    Of a `k` that the kernel is given, the places begin as `k`.
    """
    i64 = ir.IntegerType.get_signless(64)
    values = build.op("torch_c.to_builtin_tensor", [op.operands[0]], kind)
    indices = tensor_ops.op(
        "tensor.empty", _open_sizes(values), ir.RankedTensorType.get(kind.shape, i64)
    )
    if not isinstance(asked.k, int):
        indices = tensor_ops.fill(asked.k, indices)
    sort = ir.Operation.create(
        "tm_tensor.sort",
        operands=[values, indices],
        results=[values.type, indices.type],
        attributes={
            "dimension": build.i64(asked.dim % kind.rank),
            "operandSegmentSizes": ir.DenseI32ArrayAttr.get([0, 2]),
            TOPK: asked.mark(),
        },
        regions=1,
    )
    here = ir.Location.current
    element = kind.element_type
    block = sort.regions[0].blocks.append(
        element, element, i64, i64, arg_locs=[here] * 4
    )
    with ir.InsertionPoint(block):
        one, other, *_ = block.arguments
        before = _comes_before(one, other, asked.largest)
        ir.Operation.create("tm_tensor.yield", operands=[before])
    for result, whole in zip(op.results, sort.results, strict=True):
        top = asked.part(whole)
        converted = build.op("torch_c.from_builtin_tensor", [top], result.type)
        result.replace_all_uses_with(converted)
    op.erase()


def _comes_before(one: Any, other: Any, largest: bool) -> Any:
    """Whether `one` is asked for before `other`; a NaN is the largest number."""
    if isinstance(one.type, ir.IntegerType):
        return build.compare_integers(_SGT if largest else _SLT, one, other)
    beyond = build.compare(build.OGT if largest else build.OLT, one, other)
    nan, number = (one, other) if largest else (other, one)
    is_nan = build.compare(build.UNO, nan, nan)
    is_number = build.compare(build.ORD, number, number)
    only = build.op("arith.andi", [is_nan, is_number], is_nan.type)
    return build.op("arith.ori", [only, beyond], only.type)
