"""What kernels compute and touch: nominal FLOPs and bytes, from shapes of their ops.

FLOPs are those of convolutions and products of matrices, two for each multiplication
and addition, as torch's FlopCounterMode counts them: taps on padding count, and
Winograd does fewer. What only depends on weights is computed once, and does not count.
Bytes are what a launch is given and gives, weights included.
"""

from collections.abc import Callable, Mapping, Sequence
from math import prod

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Operation, SSAValue

from dycl.ir.torch import ConstantStrOp, ListConstructOp, VTensorType
from dycl.report.graph import Work

_WEIGHT = "dycl.weight"
_Sizes = Sequence[int]
_BITS = {"i1": 8, "bf16": 16, "unk": 0}


def work_of_kernels(module: ModuleOp) -> dict[str, Work]:
    """What each function of a module, but for its entry, does; of those with sizes that
    a run decides, nothing."""
    found: dict[str, Work] = {}
    for op in module.body.ops:
        if not isinstance(op, FuncOp) or "dycl.entry" in op.attributes:
            continue
        if op.body.blocks and (work := _work(op)) is not None:
            found[op.sym_name.data] = work
    return found


def _work(function: FuncOp) -> Work | None:
    block = function.body.block
    fixed = _weights(function)
    flops = 0
    for op in block.ops:
        if op.regions:
            return None
        if all(value in fixed for value in op.operands):
            fixed.update(op.results)
        elif (count := _flops(op)) is None:
            return None
        else:
            flops += count
    end = block.last_op
    values = [*block.args, *(end.operands if end is not None else ())]
    sizes = [_bytes(value.type) for value in values]
    known = [size for size in sizes if size is not None]
    return Work(flops, sum(known)) if len(known) == len(sizes) else None


def _weights(function: FuncOp) -> set[SSAValue]:
    """The arguments that are weights."""
    if not isinstance(function.arg_attrs, ArrayAttr):
        return set()
    pairs = zip(function.body.block.args, function.arg_attrs.data, strict=True)
    return {arg for arg, known in pairs if _is_weight(known)}


def _is_weight(known: Attribute) -> bool:
    return isinstance(known, DictionaryAttr) and _WEIGHT in known.data


def _sizes(value: SSAValue) -> _Sizes | None:
    """The shape of a tensor; None: it is none, or not all of it is known."""
    kind = value.type
    sizes = kind.sizes() if isinstance(kind, VTensorType) else None
    return None if sizes is None or any(size < 0 for size in sizes) else sizes


def _bytes(kind: Attribute) -> int | None:
    """Of a tensor; 0 of a number; None: the run decides it."""
    if not isinstance(kind, VTensorType):
        return 0
    sizes, element = kind.sizes(), str(kind.element_type())
    if sizes is None or any(size < 0 for size in sizes):
        return None
    bits = _BITS.get(element) or int("".join(c for c in element if c.isdigit()) or 32)
    return prod(sizes) * max(8, bits) // 8


def _flops(op: Operation) -> int | None:
    """Of one op: 0 if it is no product; None: the run decides them."""
    name = op.name.removeprefix("torch.aten.").partition(".")[0]
    if (count := _PRODUCTS.get(name)) is None:
        return 0
    result = _sizes(op.results[0])
    tensors = [_sizes(v) for v in op.operands if isinstance(v.type, VTensorType)]
    known = [sizes for sizes in tensors if sizes is not None]
    if result is None or len(known) < len(tensors):
        return None
    return count(op, known, result)


def _product(op: Operation, given: Sequence[_Sizes], result: _Sizes) -> int:
    return 2 * prod(result) * (given[0][-1] if given[0] else 1)


def _added(op: Operation, given: Sequence[_Sizes], result: _Sizes) -> int:
    return 2 * prod(result) * given[1][-1]


def _convolution(op: Operation, given: Sequence[_Sizes], result: _Sizes) -> int:
    given_sizes, weight = given[:2]
    is_up = "transpose" in op.name
    return 2 * prod(given_sizes if is_up else result) * prod(weight[1:])


def _attention(op: Operation, given: Sequence[_Sizes], result: _Sizes) -> int:
    query, key, value = given[:3]
    return 2 * prod(query[:-1]) * key[-2] * (query[-1] + value[-1])


def _einsum(op: Operation, given: Sequence[_Sizes], result: _Sizes) -> int | None:
    text, items = op.operands[0].owner, op.operands[1].owner
    if not isinstance(text, ConstantStrOp) or not isinstance(items, ListConstructOp):
        return None
    words = str(text.value.data).replace(" ", "").partition("->")[0].split(",")
    shapes = [_sizes(item) for item in items.operands]
    sizes: dict[str, int] = {}
    for word, shape in zip(words, shapes, strict=True):
        if shape is None or len(word) != len(shape) or not word.isalpha():
            return None
        sizes |= dict(zip(word, shape, strict=True))
    return 2 * prod(sizes.values()) if len(words) > 1 else 0


_Count = Callable[[Operation, Sequence[_Sizes], _Sizes], int | None]
_PRODUCTS: Mapping[str, _Count] = {
    **dict.fromkeys(("mm", "bmm", "matmul", "linear", "mv", "dot", "vdot"), _product),
    **dict.fromkeys(("addmm", "baddbmm", "addmv", "addbmm"), _added),
    **dict.fromkeys(
        ("conv1d", "conv2d", "conv3d", "convolution", "conv_transpose1d",
         "conv_transpose2d", "conv_transpose3d"),
        _convolution,
    ),
    "scaled_dot_product_attention": _attention,
    "einsum": _einsum,
}  # fmt: skip
