"""What kernels compute and touch: nominal FLOPs and bytes, from shapes of their ops.

FLOPs are those of convolutions and products of matrices (`dycl/ir/flops.py`). What only
depends on weights is computed once, and does not count.
Bytes are what a launch is given and gives, weights included.
"""

from math import prod

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, SSAValue

from dycl.ir.flops import flops_of
from dycl.ir.torch import VTensorType
from dycl.report.graph import Work

_WEIGHT = "dycl.weight"
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
        elif (count := flops_of(op)) is None:
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


def _bytes(kind: Attribute) -> int | None:
    """Of a tensor; 0 of a number; None: the run decides it."""
    if not isinstance(kind, VTensorType):
        return 0
    sizes, element = kind.sizes(), str(kind.element_type())
    if sizes is None or any(size < 0 for size in sizes):
        return None
    bits = _BITS.get(element) or int("".join(c for c in element if c.isdigit()) or 32)
    return prod(sizes) * max(8, bits) // 8
