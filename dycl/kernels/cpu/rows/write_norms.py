"""`cpu-write-norms`: group and layer norm, written out in f32 and from the middle.

torch-mlir sums in f64 for a group norm, and takes the mean as f32 gives it. Here what
is left of the mean, when elements are seen from it, mends both mean and variance: the
row is read once less, and of a row whose mean is large beside its deviation more digits
are right than in eager.

Before:
    %y = torch.aten.group_norm %x, %groups, %weight, %bias, %eps, %cudnn

After, where r is a row of a group:
    %d = x - mean(x)
    %e = mean(d)
    %v = relu(mean(d * d) - e * e)
    %y = (d - e) * (rsqrt(v + eps) * weight) + bias

Needs:  the torch dialect, before its ops are decomposed.
Leaves: no such norm of f32 with rows of known length.
Skips:  other dtypes, tensors without elements; rows whose length a run decides, and
        groups of an image whose size a run decides.
"""

import math
from collections.abc import Sequence
from typing import Any

from dycl.kernels.cpu import torch_ops as torch
from dycl.kernels.cpu.mlir import ir, ops
from dycl.kernels.cpu.tensor_ops import owner
from dycl.kernels.specs import TensorSpec


def write_norms(module: Any) -> None:
    """Write out every group norm and layer norm of f32."""
    for op in ops(module.operation):
        if op.name not in ("torch.aten.group_norm", "torch.aten.layer_norm"):
            continue
        spec = torch.spec_of(op.operands[0])
        if spec is None or not all(map(_is_f32, (op.operands[0], *op.operands[2:4]))):
            continue
        if 0 in spec.shape:
            continue
        with ir.InsertionPoint(op), op.location:
            is_layer = op.name == "torch.aten.layer_norm"
            result = _layer_norm(op, spec) if is_layer else _group_norm(op, spec)
        if result is None:
            continue
        op.results[0].replace_all_uses_with(result)
        op.erase()


def _is_f32(value: Any) -> bool:
    spec = torch.spec_of(value)
    return spec.dtype == "float32" if spec is not None else torch.is_none(value)


def _group_norm(op: Any, spec: TensorSpec) -> Any:
    x, groups, weight, bias, eps, _ = op.operands
    count = torch.constant(groups)
    if not isinstance(count, int) or any(dim > 0 for dim in spec.open_dims):
        return None
    batch, channels, *image = spec.shape
    each = (channels // count, math.prod(image))
    centred = _Centred(_viewed(x, (batch, count, *each)), (batch, count, *each), 2)
    weights = [
        None if torch.is_none(item) else _viewed(item, (1, count, each[0], 1))
        for item in (weight, bias)
    ]
    return _viewed(centred.scaled(eps, *weights), spec.shape)


def _layer_norm(op: Any, spec: TensorSpec) -> Any:
    x, over, weight, bias, eps, _ = op.operands
    defining_op = owner(over)
    if defining_op is None or defining_op.name != "torch.prim.ListConstruct":
        return None
    last = len(list(defining_op.operands))
    if any(dim >= len(spec.shape) - last for dim in spec.open_dims):
        return None
    centred = _Centred(x, spec.shape, last)
    weights = [None if torch.is_none(item) else item for item in (weight, bias)]
    return centred.scaled(eps, *weights)


class _Centred:
    """A tensor less the mean of its last dimensions, which are a row."""

    def __init__(self, x: Any, shape: Sequence[int], last: int):
        self._shape = tuple(shape)
        self._dims = tuple(range(len(shape) - last, len(shape)))
        self._rows = (*shape[: len(shape) - last], *([1] * last))
        self._one = torch.number(1)
        self._value = self._less(x, self._mean(x), self._shape)

    def scaled(self, eps: Any, weight: Any, bias: Any) -> Any:
        """The norm: of deviation 1, times the weight, plus the bias; each or None."""
        kind = torch.tensor(self._rows, "float32")
        rest = self._mean(self._value)
        squares = self._mean(self._product(self._value, self._value, self._shape))
        squared = self._product(rest, rest, self._rows)
        variance = torch.op("relu", [self._less(squares, squared, self._rows)], kind)
        lifted = torch.op("add.Scalar", [variance, eps, self._one], kind)
        scale = torch.op("rsqrt", [lifted], kind)
        if weight is not None:
            own = torch.spec_of(weight)
            assert own is not None
            pairs = zip(self._rows[-len(own.shape) :], own.shape, strict=True)
            wide = (-1 if -1 in pair else max(pair) for pair in pairs)
            both = (*self._rows[: -len(own.shape)], *wide)
            scale = self._product(scale, weight, both)
        centred = self._less(self._value, rest, self._shape)
        value = self._product(centred, scale, self._shape)
        if bias is None:
            return value
        tensor = torch.tensor(self._shape, "float32")
        return torch.op("add.Tensor", [value, bias, self._one], tensor)

    def _mean(self, x: Any) -> Any:
        kind = torch.tensor(self._rows, "float32")
        operands = [x, torch.sizes(self._dims), torch.flag(True), torch.none()]
        return torch.op("mean.dim", operands, kind)

    def _less(self, left: Any, right: Any, shape: Sequence[int]) -> Any:
        kind = torch.tensor(shape, "float32")
        return torch.op("sub.Tensor", [left, right, self._one], kind)

    def _product(self, left: Any, right: Any, shape: Sequence[int]) -> Any:
        kind = torch.tensor(shape, "float32")
        return torch.op("mul.Tensor", [left, right], kind)


def _viewed(x: Any, shape: Sequence[int]) -> Any:
    kind = torch.tensor(shape, "float32")
    return torch.op("view", [x, torch.sizes(shape)], kind)
