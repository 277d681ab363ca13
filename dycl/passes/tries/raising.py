"""What in the body of a `try` may raise, as far as is known before the run.

Before                        After
------                        -----
%r = dycl.try -> (T) {        %s = dycl.binary add %x, %x
  %s = dycl.binary add %x, %x dycl.return %s
  dycl.yield %s
} except "ValueError" {
  dycl.yield %x
}
dycl.return %r

Operators of torch on known shapes were asked for these; what depends on elements, an
index or an integer that is divided by, may raise.
"""

from collections.abc import Iterator
from typing import cast

from xdsl.dialects.builtin import f32, f64
from xdsl.ir import Block, Operation, SSAValue

from dycl.analysis.folding.iteration import items_of
from dycl.ir import (
    BinaryOp,
    CallOp,
    CompareOp,
    ConstantOp,
    DictOp,
    ForOp,
    GetattrOp,
    IfOp,
    InplaceOp,
    InvokeOp,
    ListOp,
    RaiseOp,
    ScopeOp,
    SelectOp,
    SequenceType,
    SetattrOp,
    StoreSubscriptOp,
    SubscriptOp,
    ToBoolOp,
    TryOp,
    TupleOp,
    UnaryOp,
    UnboundOp,
    UnpackOp,
    UnsupportedOp,
    WhileOp,
)
from dycl.ir.changes import object_of
from dycl.ir.constant_values import constant_value
from dycl.ir.environment import Environment
from dycl.ir.interfaces import RegionTerminator
from dycl.ir.torch import BoolT, FloatT, IntT, VTensorType
from dycl.ir.values import GlobalRef, ObjectRef, ParamRef, PropertyRef, UnsupportedRef
from dycl.ir.walking import walk

_NEVER = (ConstantOp, IfOp, ListOp, ScopeOp, SelectOp, TupleOp, WhileOp)
"""Ops besides the ends of regions that never raise."""
_LAYERS = frozenset(
    (
        *("AdaptiveAvgPool2d", "AvgPool2d", "BatchNorm1d", "BatchNorm2d", "Conv1d"),
        *("Conv2d", "Conv3d", "ConvTranspose2d", "Dropout", "ELU", "Flatten", "GELU"),
        *("GroupNorm", "Hardswish", "Identity", "InstanceNorm2d", "LayerNorm"),
        *("LeakyReLU", "Linear", "MaxPool2d", "Mish", "ReLU", "RMSNorm", "Sigmoid"),
        *("SiLU", "Softmax", "Softplus", "Tanh", "Upsample"),
    )
)
_FUNCTIONS = frozenset(
    (
        *("abs", "adaptive_avg_pool2d", "add", "addmm", "amax", "amin", "atan2"),
        *("avg_pool2d", "batch_norm", "bmm", "cat", "cdist", "ceil", "clamp", "clone"),
        *("concat", "conv1d", "conv2d", "conv3d", "conv_transpose2d"),
        *("cosine_similarity", "cos", "cumsum", "detach", "dot", "dropout", "einsum"),
        *("elu", "exp", "flatten", "flip", "floor", "gelu", "group_norm", "hardswish"),
        *("interpolate", "layer_norm", "leaky_relu", "lerp", "linear", "log", "log1p"),
        *("log_softmax", "logsumexp", "matmul", "max", "max_pool2d", "maximum"),
        *("mean", "min", "minimum", "mm", "mse_loss", "mul", "mv", "neg", "norm"),
        *("normalize", "ones_like", "outer", "pad", "permute", "pow", "prod", "relu"),
        *("reshape", "roll", "round", "rsqrt", "scaled_dot_product_attention"),
        *("sigmoid", "sign", "silu", "sin", "softmax", "softplus", "sqrt", "square"),
        *("squeeze", "stack", "std", "sub", "sum", "t", "tanh", "tile", "transpose"),
        *("unsqueeze", "var", "view", "where", "zeros_like"),
    )
)
"""Layers, functions and methods that raise for shapes and dtypes, never for numbers."""
_NEW = frozenset(("empty", "eye", "full", "linspace", "ones", "zeros"))
"""Those of torch that raise for no size that has been asked."""
_TESTS = frozenset(("all", "any", "isfinite", "isinf", "isnan"))
"""Those that raise for no tensor, whatever its dtype."""
_NUMBERS = (BoolT, FloatT, IntT)
KEYS = (str, int, float, type(None))
"""What hashes: of these a constant is made."""


def count_of(value: SSAValue) -> int | None:
    """The number of items of a tuple, or of a constant; None: not known."""
    if isinstance(value.owner, TupleOp):
        return len(value.owner.operands)
    constant = constant_value(value)
    if isinstance(constant, (tuple, list, dict, str)):
        return len(cast("tuple[object, ...]", constant))
    return None


def that_may_raise(block: Block, environment: Environment) -> Iterator[Operation]:
    """The ops of a block, at any depth, that may raise, in order."""
    for op in walk(block):
        if not isinstance(op, _NEVER) and not _cannot_raise(op, environment):
            yield op


def culprit(op: TryOp, environment: Environment) -> Operation | None:
    """What a `try` is refused for: the first op of its body that may raise by itself.

    None: something inside is refused for another reason, which says it all.
    """
    if any(isinstance(o, UnsupportedOp) and not is_unused(o) for o in walk(op)):
        return None
    found = [o for o in that_may_raise(op.body.block, environment)]
    plain = (o for o in found if not isinstance(o, RaiseOp | TryOp))
    return next(plain, found[0] if found else op)


def is_unused(op: Operation) -> bool:
    """Whether an op only refuses something, or puts a refusal into a tuple, in vain."""
    if isinstance(op, TupleOp):
        given = [v.owner for v in op.operands]
        return any(isinstance(o, UnsupportedOp) for o in given) and not op.result.uses
    if not isinstance(op, UnsupportedOp) or op.code.data != TryOp.REFUSAL[0]:
        return False
    users = [use.operation for use in op.result.uses]
    return all(isinstance(u, TupleOp) and is_unused(u) for u in users)


def _cannot_raise(op: Operation, environment: Environment) -> bool:
    typed = all(map(_is_float, op.results)) and not any(
        isinstance(v.type, VTensorType) and not _is_float(v) for v in op.operands
    )
    match op:
        case RegionTerminator():
            return not isinstance(op, RaiseOp)
        case GetattrOp() | SetattrOp():
            return _is_plain_access(op, environment)
        case SubscriptOp() | StoreSubscriptOp() if _is_cell(op.operand, op.index):
            return True
        case UnboundOp():  # what reads one that is handed on is refused
            handed_on = (DictOp, RegionTerminator)
            return all(isinstance(u.operation, handed_on) for u in op.result.uses)
        case ForOp():
            return items_of(op.iterable, environment) is not None
        case UnpackOp():
            count = count_of(op.operand)
            return count is not None and op.fits(count)
        case DictOp():
            return all(isinstance(constant_value(k), KEYS) for k in op.items[::2])
        case ToBoolOp():
            return _has_truth(op.operand)
        case UnaryOp():
            return typed or (op.kind_name == "not" and _has_truth(op.operand))
        case CompareOp():
            numbers = all(v.type in _NUMBERS for v in op.operands)
            return numbers or isinstance(op.result.type, VTensorType)
        case BinaryOp() | InplaceOp():
            of_numbers = all(v.type in _NUMBERS for v in op.operands)
            if of_numbers and op.result.type in _NUMBERS:
                return op.kind_name in ("add", "mul", "sub")
            return typed and op.kind_name in ("add", "matmul", "mul", "sub", "truediv")
        case InvokeOp() if isinstance(op.receiver.owner, ListOp):
            return op.method.data in ("append", "clear")
        case SubscriptOp() if isinstance(op.operand.type, VTensorType):
            is_place = _is_place(constant_value(op.index))  # shapes were asked
            return is_place and isinstance(op.result.type, VTensorType)
        case InvokeOp() if op.method.data == "item":
            return op.result.type in _NUMBERS and _is_single(op.receiver)
        case InvokeOp() if isinstance(op.receiver.type, VTensorType):
            is_test = op.method.data in _TESTS and not op.arguments
            return is_test or (typed and op.method.data in _FUNCTIONS)
        case CallOp():
            return _call_cannot_raise(op, typed, environment)
        case _:
            return False


def _call_cannot_raise(op: CallOp, typed: bool, environment: Environment) -> bool:
    """`typed`: it is given tensors of floats, and gives one."""
    is_tensor = isinstance(op.result.type, VTensorType)
    if not is_tensor and items_of(op.result, environment) is not None:
        return True  # what a loop went over: `range(3)`, `enumerate(layers)`
    match constant_value(op.callee):
        case GlobalRef("builtins.isinstance" | "builtins.hasattr"):
            return op.result.type == BoolT  # it has been asked
        case GlobalRef("builtins.float"):
            return all(v.type in _NUMBERS or _is_single(v) for v in op.positional)
        case GlobalRef("builtins.len"):
            return isinstance(op.arguments[0].type, SequenceType)
        case GlobalRef(name):
            root, _, last = name.rpartition(".")
            if root == "torch" and last in _TESTS and len(op.operands) == 2:
                return isinstance(op.arguments[0].type, VTensorType)
            if root == "torch" and last in _NEW:
                return typed and _is_static(op.result)
            return typed and root.startswith("torch") and last in _FUNCTIONS
        case ObjectRef(path) if environment.is_leaf(path):
            name = environment.members(path)["__leaf__"]
            return typed and str(name).rpartition(".")[2] in _LAYERS
        case _:
            return False


def _is_plain_access(op: GetattrOp | SetattrOp, environment: Environment) -> bool:
    """Whether an attribute is one that the model's object has, and no property."""
    path, name = object_of(op.operand), op.attribute.data
    if path is None:
        return False
    members, is_made = environment.members(path), path in environment.made
    methods = ("__getattr__", "__getattribute__", "__setattr__")
    if any(m in members for m in (*methods, "__slots__")):
        return False
    member = members.get(name)
    if isinstance(member, PropertyRef | UnsupportedRef):
        return False
    if isinstance(op, SetattrOp):
        return not isinstance(member, ParamRef)
    return name in members and not is_made


def _is_place(index: object) -> bool:
    """Whether an index chooses by place, not by a mask or a list of places."""
    if isinstance(index, tuple):
        return all(map(_is_place, cast("tuple[object, ...]", index)))
    return index is None or isinstance(index, (int, slice))


def _is_cell(owner: SSAValue, index: SSAValue) -> bool:
    """Whether an item is that of a dict which stands for a variable."""
    made, key = owner.owner, constant_value(index)
    if not isinstance(made, DictOp) or not isinstance(key, KEYS):
        return False
    keys = [constant_value(k) for k in made.items[::2]]
    return any(type(k) is type(key) and k == key for k in keys) and not any(
        isinstance(use.operation, InvokeOp | CallOp) for use in made.result.uses
    )


def _is_float(value: SSAValue) -> bool:
    """Whether a value is a tensor for which every operator has a kernel."""
    number = value.type
    return isinstance(number, VTensorType) and number.dtype in (f32, f64)


def _is_static(value: SSAValue) -> bool:
    """Whether a value is a tensor whose sizes are all known."""
    if not isinstance(value.type, VTensorType):
        return False
    sizes = value.type.sizes()
    return sizes is not None and all(size >= 0 for size in sizes)


def _has_truth(value: SSAValue) -> bool:
    """Whether `bool(value)` is one of True and False."""
    return value.type == BoolT or _is_single(value)


def _is_single(value: SSAValue) -> bool:
    """Whether a value is a tensor of one element."""
    return isinstance(value.type, VTensorType) and value.type.is_single
