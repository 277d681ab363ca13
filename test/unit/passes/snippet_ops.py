"""The context of heads: all dialects, and one of an op on tensors that a user wrote."""

from xdsl.dialects.builtin import Float64Type, FloatAttr
from xdsl.ir import Dialect
from xdsl.irdl import irdl_op_definition, operand_def, prop_def, result_def

from dycl.ir import TensorOp
from dycl.tools import same


@irdl_op_definition
class ShrinkOp(TensorOp):
    """`mine.shrink`, which a call of torch.ops.mine.shrink becomes."""

    name = "mine.shrink"
    x = operand_def()
    eps = prop_def(FloatAttr[Float64Type])
    result = result_def()


def new_context():
    context = same.new_context()
    context.load_dialect(Dialect("mine", [ShrinkOp]))
    return context
