"""Calls whose value is known where their operands are: pure, and small enough."""

from collections.abc import Sequence
from typing import cast

from dycl.analysis.folding.iteration import is_read_only
from dycl.analysis.folding.pure_numpy import is_pure_numpy, is_pure_numpy_method
from dycl.ir import CallOp, InvokeOp
from dycl.ir.arrays import ArrayConstant
from dycl.ir.library import MODES
from dycl.ir.values import (
    FunctionRef,
    GlobalRef,
    MethodRef,
    ObjectRef,
    ParamRef,
    Partial,
    TensorConstant,
    is_torch_size,
)

_CALLED = (FunctionRef, GlobalRef, MethodRef, Partial)
_NEVER_CALLED = (type(None), bool, int, float, str, tuple, list, dict, ParamRef)
MAX_ELEMENTS = 64
"""Tensors with more elements than this are not computed at compile time."""
_BUILTINS = {
    "abs",
    "all",
    "any",
    "bool",
    "divmod",
    "float",
    "format",
    "getattr",
    "hasattr",
    "int",
    "isinstance",
    "len",
    "type",
    "max",
    "min",
    "ord",
    "chr",
    "pow",
    "range",
    "repr",
    "round",
    "str",
    "sum",
    "tuple",
}
_NEW = {"dict", "frozenset", "list", "set", "sorted"}
"""Builtins that give a new container: one that nobody changes may be a constant."""
_METHODS: dict[type, set[str]] = {
    tuple: {"index", "count"},
    list: {"index", "count", "copy"},
    dict: {"get", "keys", "values", "items", "copy"},
}
_SIZE_METHODS = {"index", "count", "numel"}
_SET_METHODS = {"difference", "intersection", "isdisjoint", "issubset", "union"}
_FACTORIES = {
    "arange",
    "as_tensor",
    "device",
    "eye",
    "finfo",
    "full",
    "iinfo",
    "linspace",
    "ones",
    "tensor",
    "zeros",
}
_ON_NUMBERS = {"div", "floor_divide"}
"""What torch computes of plain numbers: `torch.div(x.size(0), 2, ...)`."""
_HELPERS = ("torch.nn._reduction", "torch.nn.modules.utils")
"""Modules of torch with functions of plain data: the number of `"mean"`, pairs."""
_ON_TYPES = {
    "Size",
    "are_deterministic_algorithms_enabled",
    "broadcast_shapes",
    "can_cast",
    "get_default_dtype",
    "promote_types",
}
"""What torch says of dtypes, shapes and its settings, which are in the caches' keys."""
_TENSOR_METHODS = frozenset(
    (
        *("abs", "add", "all", "any", "bool", "ceil", "clamp", "clone", "contiguous"),
        *("cpu", "cumsum", "detach", "diff", "dim", "double", "eq", "exp", "expand"),
        *("flatten", "flip", "float", "floor", "ge", "gt", "int", "item", "le", "log"),
        *("log2", "logical_and", "logical_not", "logical_or", "long", "lt", "max"),
        *("mean", "min", "mul", "ne", "neg", "numel", "permute", "pow", "prod"),
        *("reciprocal", "repeat", "reshape", "round", "sign", "size", "sqrt", "square"),
        *("squeeze", "sub", "sum", "t", "to", "tolist", "transpose", "tril", "triu"),
        *("trunc", "unsqueeze", "view", "where"),
    )
)


def is_pure_call(op: CallOp, operands: Sequence[object]) -> bool:
    """Whether a call of a function of a library may be evaluated now."""
    callee = operands[0]
    if not isinstance(callee, GlobalRef):
        return False
    module, _, name = callee.name.rpartition(".")
    if _holds_parameter(operands[1:]) and (
        name in _READING if module == "builtins" else module in ("math", "operator")
    ):
        return False
    if module == "builtins":
        if any(isinstance(o, (set, frozenset)) for o in operands):
            return _may_fold_set(op, name, operands)
        if name in _NEW:
            return is_read_only(op.result)
        if name == "callable":
            return isinstance(operands[1], (ObjectRef, *_CALLED, *_NEVER_CALLED))
        return name in _BUILTINS
    if callee.name in MODES or callee.name in (
        "logging.getLogger",
        "inspect.isfunction",
    ):
        return True
    if module in ("math", "operator", *_HELPERS):
        return True
    if module == "numpy":
        return is_pure_numpy(op, name, operands[1:])
    if module == "torch" and name in _ON_TYPES:
        return True
    if module == "torch" and isinstance((*operands[1:], None)[0], TensorConstant):
        return name in _TENSOR_METHODS
    if module == "torch" and name in _ON_NUMBERS:
        return all(isinstance(operand, (int, float, str)) for operand in operands[1:])
    if module == "torch":
        return name in _FACTORIES and _size(operands[1:]) <= MAX_ELEMENTS
    return False


_READING = (
    *("abs", "all", "any", "bool", "divmod", "float", "format", "int", "max", "min"),
    *("pow", "repr", "round", "sorted", "str", "sum"),
)
"""Builtins that read the elements of a tensor."""


def _holds_parameter(values: Sequence[object]) -> bool:
    """Whether there is a parameter among values, or in the lists that these are."""
    waiting = list(values)
    while waiting:
        value = waiting.pop()
        if isinstance(value, ParamRef):
            return True
        if isinstance(value, (tuple, list)):
            waiting += cast("list[object]", value)
    return False


def _may_fold_set(op: CallOp, name: str, operands: Sequence[object]) -> bool:
    """Whether a function tells nothing of the order of a set's items.

    That order depends on how the set came about, and for texts on the process.
    """
    if name in ("set", "frozenset"):
        return is_read_only(op.result)
    if name == "sum":
        items = cast("set[object]", operands[1])
        return all(isinstance(v, int) for v in items)
    return name in ("all", "any", "bool", "isinstance", "len", "max", "min", "sorted")


def _size(arguments: Sequence[object]) -> int:
    """An upper bound of the elements that a factory makes."""
    flat: list[object] = []
    for argument in arguments:
        if isinstance(argument, (list, tuple)):
            flat += cast("list[object]", argument)
        else:
            flat.append(argument)
    size = 1
    for item in flat:
        if isinstance(item, ArrayConstant):
            size *= max(1, item.size)
        elif isinstance(item, int) and not isinstance(item, bool):
            size *= max(1, item)
    return max(size, len(flat))


def is_pure_method(op: InvokeOp, operands: Sequence[object]) -> bool:
    """Whether a call of a method of a constant may be evaluated now."""
    receiver, method = operands[0], op.method.data
    if method in ("index", "count") and _holds_parameter(operands):
        return False
    if any(isinstance(o, (set, frozenset)) for o in operands):
        of_set = isinstance(receiver, (set, frozenset)) and method in _SET_METHODS
        return of_set and is_read_only(op.result)
    if isinstance(receiver, (str, int, float)):
        return True
    if isinstance(receiver, ArrayConstant):
        return is_pure_numpy_method(op)
    if isinstance(receiver, TensorConstant):
        return method in _TENSOR_METHODS
    if method == "copy" and not is_read_only(op.result):
        return False
    if is_torch_size(receiver):
        return method in _SIZE_METHODS
    return method in _METHODS.get(type(receiver), ())
