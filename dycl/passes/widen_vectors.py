"""`dycl-widen-vectors`: a linear layer of a vector is one of a matrix with one row.

Before                              After
------                              -----
%d = torch.aten.linear %v, %w, %b   %r = torch.aten.unsqueeze %v, %int0
func.return %d                      %s = torch.aten.linear %r, %w, %b
                                    %d = torch.aten.squeeze.dim %s, %int0
                                    func.return %d

Kernels of products have blocks for rows: one row and a matrix of 1500 x 600 take a
tenth of the time of a vector, which is summed up element by element.

Needs:  `dycl-outline-branches`: on the host the new ops would be views.
Leaves: no `torch.aten.linear` of a vector in a kernel. Results differ from eager's in
        rounding only.
Skips:  vectors of integers, whose sums torch reckons by itself.
"""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

from dycl.analysis.tensors.abstract import Tensor, from_type
from dycl.diag import remark
from dycl.ir.dtypes import dtype_name
from dycl.ir.rewriting import apply_patterns
from dycl.ir.torch import TorchOp, constant, plain_op


@dataclass(frozen=True)
class WidenVectorsPass(ModulePass):
    """A linear layer of a vector is one of a matrix with one row."""

    name = "dycl-widen-vectors"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Change kernels; raises nothing."""
        for kernel in op.body.ops:
            if "dycl.kernel" in kernel.attributes:
                apply_patterns(kernel, WidenLinear(), kinds=(TorchOp,))


class WidenLinear(RewritePattern):
    """The vector of a linear layer is a row, as above."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        """Replace the layer, or say why not."""
        if op.name != "torch.aten.linear":
            return
        given, made = from_type(op.operands[0].type), from_type(op.results[0].type)
        if not isinstance(given, Tensor) or not isinstance(made, Tensor):
            return
        if len(given.shape) != 1 or len(made.shape) != 1:
            return
        if "float" not in dtype_name(given.dtype):
            remark(op, "not widened", "its vector is of integers")
            return
        at = op.location
        zero = rewriter.insert(constant(0, location=at)).results[0]
        row = Tensor.contiguous((1, *given.shape), given.dtype).type
        wide = Tensor.contiguous((1, *made.shape), made.dtype).type
        first, *rest = op.operands
        widen = plain_op("torch.aten.unsqueeze")([first, zero], [row], location=at)
        given_row = rewriter.insert(widen).results[0]
        layer = plain_op(op.name)([given_row, *rest], [wide], location=at)
        made_row = rewriter.insert(layer).results[0]
        kinds = [op.results[0].type]
        narrow = plain_op("torch.aten.squeeze.dim")(
            [made_row, zero], kinds, location=at
        )
        rewriter.replace(op, narrow)
