"""`cpu-decompose`: gelu, written out with eager's own constants.

torch-mlir approximates it with 0.797724 where sqrt(2 / pi) = 0.797885 belongs, so that
its results differ from eager's by 5e-5; and it divides by sqrt(2), which takes longer
than all the rest, where eager multiplies by sqrt(1 / 2).

Before:
    %y = torch.aten.gelu %x, "tanh"
    %z = torch.aten.gelu %x, "none"

After:
    %t = torch.aten.tanh (sqrt(2 / pi) * (x + 0.044715 * x * x * x))
    %y = 0.5 * x * (1 + t)
    %e = torch.aten.erf (sqrt(1 / 2) * x)
    %z = 0.5 * x * (1 + e)

Needs:  the torch dialect.
Leaves: no gelu of f32 or f64.
Skips:  half floats, which eager computes in f32 as torch-mlir does, and whose rounding
        is coarser than the difference.
"""

import math
from typing import Any

from dycl.kernels.cpu import torch_ops as torch
from dycl.kernels.cpu.mlir import ir, ops

_CUBE = 0.044715
_TANH_FACTOR = math.sqrt(2 / math.pi)
_ERF_FACTOR = math.sqrt(1 / 2)


def decompose(module: Any) -> None:
    """Write out every `gelu` of f32 or f64."""
    for op in ops(module.operation):
        if op.name != "torch.aten.gelu":
            continue
        kind = torch.constant(op.operands[1])
        x = op.operands[0]
        if kind is None or not str(x.type).endswith((",f32>", ",f64>")):
            continue
        with ir.InsertionPoint(op), op.location:
            result = _gelu(x, op.results[0].type, kind == "tanh")
        op.results[0].replace_all_uses_with(result)
        op.erase()


def _gelu(x: Any, kind: Any, by_tanh: bool) -> Any:
    number = torch.number(1)

    def product(left: Any, right: Any) -> Any:
        return torch.op("mul.Tensor", [left, right], kind)

    def scaled(value: Any, factor: float) -> Any:
        return torch.op("mul.Scalar", [value, torch.number(factor)], kind)

    if by_tanh:
        cube = scaled(product(product(x, x), x), _CUBE)
        inner = torch.op("add.Tensor", [x, cube, number], kind)
        curve = torch.op("tanh", [scaled(inner, _TANH_FACTOR)], kind)
    else:
        curve = torch.op("erf", [scaled(x, _ERF_FACTOR)], kind)
    above = torch.op("add.Scalar", [curve, torch.number(1.0), number], kind)
    return product(scaled(x, 0.5), above)
