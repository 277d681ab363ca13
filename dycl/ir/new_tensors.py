"""Ops that give a tensor object of their own, never one that is there already.

`x.contiguous()`, `x.float()`, `F.dropout(x)` and the like may give `x` itself, so they
are not among them; a view is an object of its own.
"""

from xdsl.ir import Operation, SSAValue

from dycl.ir.constant_values import constant_name, constant_value
from dycl.ir.dialect import BinaryOp, CallOp, CompareOp, InvokeOp, SubscriptOp, UnpackOp
from dycl.ir.dialect.syntax import VALUE
from dycl.ir.environment import Environment
from dycl.ir.torch import BoolT, FloatT, IntT, VTensorType
from dycl.ir.values import ObjectRef
from dycl.ir.walking import walk

IN_PLACE_VIEWS = {
    **{f"{name}_": name for name in ("squeeze", "swapaxes", "swapdims", "t")},
    **{f"{name}_": name for name in ("as_strided", "transpose", "unsqueeze")},
}
"""Methods that give a tensor another shape; what gives a view of it with that shape."""

_METHODS = frozenset(
    (
        *("abs", "add", "all", "any", "argmax", "argmin", "argsort", "bmm", "clamp"),
        *("clone", "cos", "cumsum", "detach", "diagonal", "div", "eq", "exp", "expand"),
        *("gather", "ge", "gt", "index_select", "le", "log", "log_softmax", "lt"),
        *("masked_fill", "matmul", "mean", "mm", "mul", "narrow", "ne", "neg"),
        *("nonzero", "norm", "permute", "pow", "prod", "relu", "repeat", "reshape"),
        *("select", "sigmoid", "sin", "softmax", "sqrt", "squeeze", "std", "sub"),
        *("sum", "swapaxes", "swapdims", "t", "tanh", "transpose", "unsqueeze", "var"),
        *("view", "where"),
    )
)
"""Of tensors; each is a function of `torch` as well, or of `torch.nn.functional`."""

_FUNCTIONS = frozenset(
    (
        *("adaptive_avg_pool1d", "adaptive_avg_pool2d", "adaptive_avg_pool3d"),
        *("arange", "avg_pool1d", "avg_pool2d", "avg_pool3d", "batch_norm", "cat"),
        *("conv1d", "conv2d", "conv3d", "embedding", "full", "full_like", "gelu"),
        *("grid_sample", "interpolate", "layer_norm", "linear", "max_pool1d"),
        *("max_pool2d", "max_pool3d", "one_hot", "ones", "ones_like", "stack"),
        *("tensor", "zeros", "zeros_like"),
    )
)

_MODULES = frozenset(
    (
        *("AdaptiveAvgPool1d", "AdaptiveAvgPool2d", "AdaptiveAvgPool3d", "AvgPool1d"),
        *("AvgPool2d", "AvgPool3d", "BatchNorm1d", "BatchNorm2d", "BatchNorm3d"),
        *("Conv1d", "Conv2d", "Conv3d", "Embedding", "LayerNorm", "Linear"),
        *("MaxPool1d", "MaxPool2d", "MaxPool3d", "Sigmoid", "Softmax", "Tanh"),
    )
)


_SEVERAL = frozenset(
    (
        *("aminmax", "chunk", "cummax", "cummin", "kthvalue", "max", "median", "min"),
        *("mode", "sort", "split", "topk", "unbind"),
    )
)
"""What gives several tensors, each an object of its own, also if it is a single one."""


def reshaped_later(entry: Operation) -> dict[SSAValue, str]:
    """Tensors without a type that get another shape later, and by which method."""
    return {
        op.receiver: op.method.data
        for op in walk(entry)
        if isinstance(op, InvokeOp)
        and op.method.data in IN_PLACE_VIEWS
        and op.receiver.type == VALUE
    }


def gives_new_tensor(
    op: Operation, environment: Environment, tensor: SSAValue | None = None
) -> bool:
    """Whether what an op on tensors gives is no operand, and holds none.

    `tensor`: a value that is known to be one before it has a type.
    """

    def is_tensor(value: SSAValue) -> bool:
        return value is tensor or isinstance(value.type, VTensorType)

    def is_number(value: SSAValue) -> bool:
        known = constant_value(value)
        return value.type in (IntT, FloatT, BoolT) or isinstance(known, (int, float))

    match op:
        case BinaryOp() | CompareOp():
            return all(is_tensor(v) or is_number(v) for v in op.operands)
        case InvokeOp():
            return op.method.data in _METHODS and is_tensor(op.receiver)
        case SubscriptOp() if is_tensor(op.operand):
            return True
        case SubscriptOp() | UnpackOp():
            given = op.operands[0]
            return _gives_several(given) and _is_read_once(op, given)
        case CallOp():
            return _is_of_torch(op, environment)
        case _:
            return False


def _gives_several(value: SSAValue) -> bool:
    """Whether this is a tuple or list of tensors that an op of torch has made."""
    match value.owner:
        case InvokeOp() as op:
            return op.method.data in _SEVERAL and isinstance(
                op.receiver.type, VTensorType
            )
        case CallOp() as op:
            owner, _, name = constant_name(op.callee).rpartition(".")
            return owner == "torch" and name in _SEVERAL
        case _:
            return False


def _is_read_once(op: SubscriptOp | UnpackOp, given: SSAValue) -> bool:
    """Whether no other op reads the same item, or holds what `op` reads."""
    others = [use.operation for use in given.uses if use.operation is not op]
    if isinstance(op, UnpackOp):
        return not others
    places = [constant_value(o.index) for o in others if isinstance(o, SubscriptOp)]
    mine = constant_value(op.index)
    known = [place for place in (mine, *places) if type(place) is int and place >= 0]
    return len(known) == len(others) + 1 and mine not in places


def _is_of_torch(op: CallOp, environment: Environment) -> bool:
    callee = constant_value(op.callee)
    if isinstance(callee, ObjectRef):
        leaf = str(environment.members(callee.path).get("__leaf__", ""))
        module, _, name = leaf.rpartition(".")
        return module.startswith("torch.nn.modules") and name in _MODULES
    owner, _, name = constant_name(op.callee).rpartition(".")
    is_torchs = owner in ("torch", "torch.nn.functional", "torch._C._nn")
    return is_torchs and name in _METHODS | _FUNCTIONS
