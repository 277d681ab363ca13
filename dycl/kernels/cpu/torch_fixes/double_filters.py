"""`cpu-double-filters`: transposed convolutions of single channels have two filters.

torch-mlir takes one in groups of one channel and one filter for a depthwise convolution
and cannot lower its transposed weights. With each filter twice it can; every other
channel of the result is what was asked for.

Before:
    %y = torch.aten.conv_transpose2d.input %x, %w, %b, ... %int32     // %w: 32x1x4x4

After:
    %w2 = torch.aten.cat [%w, %w], 1                                  // 32x2x4x4
    %y2 = torch.aten.conv_transpose2d.input %x, %w2, %b2, ... %int32
    %y = torch.aten.slice.Tensor %y2, 1, 0, 64, 2

Needs:  the torch dialect, before torch-mlir's own decompositions.
Leaves: no transposed convolution with as many groups as channels and filters.
Skips:  those whose groups are not known, dynamic sizes, half floats; a group
        alone, which has a lowering.
"""

from typing import Any

from dycl.kernels.cpu import torch_ops as torch
from dycl.kernels.cpu.mlir import ir, ops
from dycl.kernels.specs import TensorSpec

_CONVOLUTION = "torch.aten.convolution"
_GROUPS = {
    "torch.aten.conv_transpose1d": 6,
    "torch.aten.conv_transpose2d.input": 6,
    _CONVOLUTION: 8,
}
"""The operand that says how many groups there are."""
_TRANSPOSED = 6
"""The operand of the general op that says whether it is transposed."""


def double_filters(module: Any) -> None:
    """Rewrite every transposed convolution of single channels in `module`."""
    for op in ops(module.operation):
        if op.name not in _GROUPS:
            continue
        weights, result = (torch.spec_of(v) for v in (op.operands[1], op.results[0]))
        if (
            not _is_transposed(op)
            or weights is None
            or result is None
            or result.dtype not in ("float32", "float64")
            or min(*weights.shape, *result.shape) < 0
            or not _is_depthwise(op, weights)
        ):
            continue
        with ir.InsertionPoint(op), op.location:
            doubled = _doubled(op, weights, result)
        op.results[0].replace_all_uses_with(doubled)
        op.erase()


def _is_transposed(op: Any) -> bool:
    return op.name != _CONVOLUTION or torch.constant(op.operands[_TRANSPOSED]) is True


def _is_depthwise(op: Any, weights: TensorSpec) -> bool:
    """Whether each of several channels has one filter of its own."""
    groups = torch.constant(op.operands[_GROUPS[op.name]])
    return groups == weights.shape[0] > 1 == weights.shape[1]


def _doubled(op: Any, weights: TensorSpec, result: TensorSpec) -> Any:
    """The convolution with each filter twice, and one of each two results."""
    operands = list(op.operands)
    count, _, *window = weights.shape
    operands[1] = _twice(operands[1], torch.tensor([count, 2, *window], result.dtype))
    if not torch.is_none(operands[2]):
        dtype = result.dtype
        column = torch.op(
            "unsqueeze",
            [operands[2], torch.number(1)],
            torch.tensor([count, 1], dtype),
        )
        pairs = _twice(column, torch.tensor([count, 2], result.dtype))
        all_of_them = torch.tensor([2 * count], dtype)
        operands[2] = torch.op("view", [pairs, torch.sizes([2 * count])], all_of_them)
    batch, _, *space = result.shape
    wide = torch.tensor([batch, 2 * count, *space], result.dtype)
    name = op.name.removeprefix("torch.aten.")
    places = map(torch.number, (1, 0, 2 * count, 2))
    return torch.op(
        "slice.Tensor", [torch.op(name, operands, wide), *places], op.results[0].type
    )


def _twice(value: Any, kind: Any) -> Any:
    """A tensor beside itself along dimension 1, which is of type `kind` then."""
    listed = str(value.type).removeprefix("!torch.")
    both = ir.Operation.create(
        "torch.prim.ListConstruct",
        operands=[value, value],
        results=[ir.Type.parse(f"!torch.list<{listed}>")],
    ).results[0]
    return torch.op("cat", [both, torch.number(1)], kind)
