"""`cpu-decompose`: gelu's approximation, written out with eager's own constants.

torch-mlir multiplies by 0.797724 where sqrt(2 / pi) = 0.797885 belongs, so that its
results differ from eager's by 5e-5.

Before:
    %y = torch.aten.gelu %x, "tanh"

After:
    %t = torch.aten.tanh (sqrt(2 / pi) * (x + 0.044715 * x * x * x))
    %y = 0.5 * x * (1 + t)

Needs:  the torch dialect.
Leaves: gelu without an approximation.
Skips:  half floats, which eager computes in f32 as torch-mlir does, and whose rounding
        is coarser than the difference.
"""

import math
from typing import Any

from dycl.kernels.cpu.mlir import ir, ops

_CUBE = 0.044715
_FACTOR = math.sqrt(2 / math.pi)


def decompose(module: Any) -> None:
    """Write out every `gelu` with `approximate="tanh"` of f32 or f64."""
    for op in ops(module.operation):
        if op.name != "torch.aten.gelu" or not _is_tanh(op.operands[1]):
            continue
        x = op.operands[0]
        if not str(x.type).endswith((",f32>", ",f64>")):
            continue
        with ir.InsertionPoint(op), op.location:
            result = _gelu(x, op.results[0].type)
        op.results[0].replace_all_uses_with(result)
        op.erase()


def _gelu(x: Any, kind: Any) -> Any:
    one = _constant("torch.constant.int", "!torch.int", "1 : i64")

    def product(left: Any, right: Any) -> Any:
        return _op("torch.aten.mul.Tensor", [left, right], kind)

    def scaled(value: Any, factor: float) -> Any:
        return _op("torch.aten.mul.Scalar", [value, _float(factor)], kind)

    cube = scaled(product(product(x, x), x), _CUBE)
    inner = _op("torch.aten.add.Tensor", [x, cube, one], kind)
    tanh = _op("torch.aten.tanh", [scaled(inner, _FACTOR)], kind)
    above = _op("torch.aten.add.Scalar", [tanh, _float(1.0), one], kind)
    return product(scaled(x, 0.5), above)


def _is_tanh(value: Any) -> bool:
    owner = value.owner
    return (
        not isinstance(owner, ir.Block)
        and owner.name == "torch.constant.str"
        and owner.attributes["value"].value == "tanh"
    )


def _float(value: float) -> Any:
    return _constant("torch.constant.float", "!torch.float", f"{value!r} : f64")


def _constant(name: str, kind: str, value: str) -> Any:
    attributes = {"value": ir.Attribute.parse(value)}
    made = ir.Operation.create(
        name, results=[ir.Type.parse(kind)], attributes=attributes
    )
    return made.results[0]


def _op(name: str, operands: list[Any], kind: Any) -> Any:
    return ir.Operation.create(name, operands=operands, results=[kind]).results[0]
