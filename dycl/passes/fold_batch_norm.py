"""`dycl-fold-batch-norm`: batch norm goes into the layer before it.

Before                                  After
------                                  -----
%y = torch.aten.linear %x, %w, %b       %v = torch.aten.add.Scalar %var, %eps, %int1
%z = torch.aten.batch_norm %y, %gamma,  %r = torch.aten.rsqrt %v
     %beta, %mean, %var, %no, %eps,     %s = torch.aten.mul.Tensor %r, %gamma
     %eps, %no                          %d = torch.aten.sub.Tensor %mean, %b, %int1
func.return %z                          %e = torch.aten.mul.Tensor %d, %s
                                        %c = torch.aten.sub.Tensor %beta, %e, %int1
                                        %f = torch.aten.view %s, %shape
                                        %u = torch.aten.mul.Tensor %w, %f
                                        %z = torch.aten.linear %x, %u, %c
                                        func.return %z

Needs:  `dycl-mark-weights`. In a shared kernel it is then done once for all launches.
Leaves: convolutions and linear layers that scale and shift by themselves. What is new
        depends on weights alone, so a backend computes it once, not at each launch.
        Results differ from eager's in rounding only.
Skips:  batch norms that count (training), whose input has another user, is no such
        layer, or one whose weights are not `dycl.weight`; transposed convolutions,
        whose weights have their channels elsewhere; float16 and bfloat16, where a
        scaled weight would lose digits that eager keeps.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from xdsl.context import Context
from xdsl.dialects.builtin import Float32Type, Float64Type, LocationAttr, ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

from dycl.diag import remark
from dycl.ir.rewriting import apply_patterns
from dycl.ir.torch import (
    ConstantBoolOp,
    ConstantNoneOp,
    ConstantOp,
    IntT,
    ListConstructOp,
    PythonScalar,
    TorchOp,
    VTensorType,
    constant,
    plain_op,
)
from dycl.passes.mark_weights import is_weight

_LAYERS = frozenset(f"torch.aten.{n}" for n in ("conv1d", "conv2d", "conv3d", "linear"))
"""Their operands are input, weight, bias, ...; weights have their channels first."""


@dataclass(frozen=True)
class FoldBatchNormPass(ModulePass):
    """Batch norm goes into the layer before it."""

    name = "dycl-fold-batch-norm"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Change layers and erase batch norms; raises nothing."""
        apply_patterns(op, FoldIntoLayer(), kinds=(TorchOp,))


class FoldIntoLayer(RewritePattern):
    """A batch norm and the layer before it are one layer, as above."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        """Replace the layer and the batch norm, or say why not."""
        if op.name != "torch.aten.batch_norm":
            return
        if why := _cannot(op):
            remark(op, "batch norm not folded", why)
        else:
            _fold(op, rewriter)


def _cannot(norm: Operation) -> str:
    """Why a batch norm stays; empty if it goes."""
    layer = norm.operands[0].owner
    training = norm.operands[5].owner
    if not isinstance(training, ConstantBoolOp) or training.python_value():
        return "it may count what it sees"
    if not isinstance(layer, Operation) or layer.name not in _LAYERS:
        return "its input is not the result of a convolution or linear layer"
    if layer.results[0].has_more_than_one_use():
        return "the layer's own result is used as well"
    tensor_type = _tensor_type(layer.results[0])
    if layer.name.endswith("linear") and len(tensor_type.sizes() or ()) != 2:
        return "the features of the linear layer are not its channels"
    if not isinstance(tensor_type.dtype, (Float32Type, Float64Type)):
        return "a scaled weight of this dtype would lose digits"
    weights = [
        v for v in (*layer.operands[1:3], *norm.operands[1:5]) if not _is_none(v)
    ]
    if not all(map(is_weight, weights)):
        return "a weight is not the same in every call"
    if any(_tensor_type(v).dtype != tensor_type.dtype for v in weights):
        return "the weights have another dtype"
    return ""


def _fold(norm: Operation, rewriter: PatternRewriter) -> None:
    """Replace a batch norm by its layer, with weights that do both."""
    layer = cast(Operation, norm.operands[0].owner)
    _, weight, bias = layer.operands[:3]
    gamma, beta, mean, var = norm.operands[1:5]
    emit = _Emitter(rewriter, norm.location, cast(VTensorType, var.type))
    constant = emit.constant(1)
    scale = emit.op("rsqrt", [emit.op("add.Scalar", [var, norm.operands[7], constant])])
    if not _is_none(gamma):
        scale = emit.op("mul.Tensor", [scale, gamma])
    shift = mean if _is_none(bias) else emit.op("sub.Tensor", [mean, bias, constant])
    shift = emit.op("mul.Tensor", [shift, scale])
    if _is_none(beta):
        shift = emit.op("neg", [shift])
    else:
        shift = emit.op("sub.Tensor", [beta, shift, constant])
    sizes = _tensor_type(weight).sizes() or ()
    column = [size if i == 0 else 1 for i, size in enumerate(sizes)]
    factor = emit.op("view", [scale, emit.ints(column)], column)
    scaled = emit.op("mul.Tensor", [weight, factor], sizes)
    operands = [layer.operands[0], scaled, shift, *layer.operands[3:]]
    new = plain_op(layer.name)(operands, norm.result_types, location=layer.location)
    owners = dict.fromkeys(v.owner for v in (*norm.operands, *layer.operands))
    rewriter.replace(norm, new)
    rewriter.erase(layer)
    for old in owners:
        if isinstance(old, ConstantOp) and not old.results[0].uses:
            rewriter.erase(old)


@dataclass
class _Emitter:
    """Puts ops on a batch norm's weights before it."""

    rewriter: PatternRewriter
    location: LocationAttr
    channels: VTensorType

    def constant(self, value: PythonScalar) -> SSAValue:
        return self.rewriter.insert(constant(value, location=self.location)).results[0]

    def ints(self, values: Sequence[int]) -> SSAValue:
        items = [self.constant(value) for value in values]
        list_construct_op = ListConstructOp(items, IntT, location=self.location)
        return self.rewriter.insert(list_construct_op).results[0]

    def op(
        self,
        name: str,
        operands: Sequence[SSAValue],
        sizes: Sequence[int] | None = None,
    ) -> SSAValue:
        """An op of the `aten` namespace; by default it gives one value per channel."""
        kind = self.channels
        if sizes is not None:
            kind = VTensorType.of(sizes, self.channels.dtype)
        op = plain_op(f"torch.aten.{name}")(operands, [kind], location=self.location)
        return self.rewriter.insert(op).results[0]


def _tensor_type(value: SSAValue) -> VTensorType:
    return cast(VTensorType, value.type)


def _is_none(value: SSAValue) -> bool:
    return isinstance(value.owner, ConstantNoneOp)
