"""Evaluating one op at compile time, if that gives exactly what the run would.

Only what is pure, deterministic and small is evaluated: Python's operators and a list
of its builtins on plain data, torch's functions on small constants (never random ones).
"""

import sys
from collections.abc import Sequence
from logging import Logger
from typing import Any, cast

from xdsl.ir import Operation

from dycl.analysis.folding.dtype_facts import dtype_fact
from dycl.analysis.folding.function_facts import function_fact
from dycl.analysis.folding.iteration import is_read_only
from dycl.analysis.folding.kinds import class_of, is_instance
from dycl.analysis.folding.pure_calls import MAX_ELEMENTS, is_pure_call, is_pure_method
from dycl.analysis.folding.tensor_facts import tensor_fact
from dycl.ir import (
    BinaryOp,
    CallOp,
    CompareOp,
    ConstantOp,
    DictOp,
    GetattrOp,
    InplaceOp,
    InvokeOp,
    ItemOp,
    ListOp,
    PositionOp,
    ScalarOp,
    SliceOp,
    SubscriptOp,
    ToBoolOp,
    TupleOp,
    UnaryOp,
    UnpackOp,
)
from dycl.ir.arrays import ArrayConstant, array_constant, is_numpys
from dycl.ir.dtypes import element_type_of
from dycl.ir.environment import Environment
from dycl.ir.not_evaluated import NotEvaluated
from dycl.ir.semantics import evaluate
from dycl.ir.state import NO_VALUE
from dycl.ir.torch import VTensorType
from dycl.ir.values import (
    DeviceRef,
    FunctionRef,
    GlobalRef,
    LoggerRef,
    MethodRef,
    NotAConstant,
    ObjectRef,
    ParamRef,
    Partial,
    TensorConstant,
    UnsupportedRef,
    from_attr,
    is_class_of_sizes,
    is_torch_size,
)

_PURE = (
    UnaryOp,
    BinaryOp,
    CompareOp,
    ToBoolOp,
    GetattrOp,
    SubscriptOp,
    TupleOp,
    SliceOp,
    UnpackOp,
    ConstantOp,
    ItemOp,
    PositionOp,
    ScalarOp,
)
ASKING = (GetattrOp, InvokeOp, CallOp, CompareOp, ToBoolOp)
"""Ops that may be known though their operands are not."""
_PLAIN = (bool, int, float, str, type(None))
_CLASSES = (bool, int, float, str, tuple, list, dict, set, frozenset, slice, range)
_REFS = (
    ObjectRef,
    FunctionRef,
    MethodRef,
    GlobalRef,
    DeviceRef,
    LoggerRef,
    ParamRef,
    Partial,
)
_VALUES = (*_PLAIN, *_REFS, ArrayConstant, TensorConstant, slice, range)
_EXACT = frozenset[type](_VALUES)


def fold(
    op: Operation, operands: Sequence[object], environment: Environment
) -> list[object] | None:
    """The results of an op, or None when they are not known without the data.

    An operand of which nothing is known is any object that is not a Python value of the
    IR (`dycl.analysis.folding.constants.UNKNOWN`).
    """
    if isinstance(op, ASKING):
        shaped = tensor_fact(op, operands, environment)
        if shaped is None:
            shaped = _class_fact(op, operands, environment)
        if shaped is None:
            shaped = function_fact(op, operands, _is_value)
        if shaped is None:
            shaped = dtype_fact(op)
        if shaped is not None:
            return [shaped]
    if isinstance(op, ConstantOp):
        return constant(op)
    if not all(map(_is_value, operands)) or not _may_fold(op, operands):
        return None
    try:
        return [_from_python(v) for v in evaluate(op, operands, environment)]
    except NotEvaluated:
        return None
    except Exception:
        # The run raises it too, if it gets here: the op stays where it is.
        return None


def constant(op: ConstantOp) -> list[object] | None:
    """`fold` of a constant, which most ops are."""
    try:
        value = from_attr(op.value)
        return [value if type(value) in _EXACT else _from_python(value)]
    except (NotAConstant, NotEvaluated):
        return None


def _class_fact(
    op: Operation, operands: Sequence[object], environment: Environment
) -> object:
    """`type(v)`, `isinstance(v, classes)`, `v is None` of a value that is not known."""
    if isinstance(op, CompareOp):
        return _is_none(op, operands)
    if not isinstance(op, CallOp) or not isinstance(callee := operands[0], GlobalRef):
        return None
    if op.is_starred or op.keyword_names:
        return None
    if callee.name == "builtins.type" and len(operands) == 2:
        name = None if _is_value(operands[1]) else class_of(op.operands[1])
        return None if name is None else GlobalRef(name)
    if callee.name != "builtins.isinstance" or len(operands) != 3:
        return None
    if _is_value(operands[1]) or not _is_value(operands[2]):
        return None
    return is_instance(op.operands[1], operands[2], environment)


def _is_none(op: CompareOp, operands: Sequence[object]) -> bool | None:
    """`v is None` of what is made in this run, such as a dict that others change."""
    if op.kind_name not in ("is", "is_not"):
        return None
    for value, other in ((op.lhs, operands[1]), (op.rhs, operands[0])):
        is_none = other is None or other == NO_VALUE
        is_made = is_none and not isinstance(value.type, VTensorType)
        if is_made and class_of(value) is not None:
            return op.kind_name == "is_not"
    return None


def failure(
    op: Operation, operands: Sequence[object], environment: Environment
) -> type[Exception] | None:
    """What an op on known operands surely raises; None: nothing, or not known.

    An attribute is surely missing only if no class of the object has it.
    """
    if not all(map(_is_value, operands)) or not _may_fold(op, operands):
        return None
    if isinstance(op, GetattrOp):
        owner, name = operands[0], op.attribute.data
        if not isinstance(owner, ObjectRef) or name.startswith("_"):
            return None
        classes = cast("list[str]", environment.members(owner.path).get("__mro__", []))
        if any(_class_has(cls, name) for cls in classes):
            return None
    elif (
        not isinstance(op, (CallOp, SubscriptOp))
        or not all(isinstance(o, _PLAIN) for o in operands[1:])
        or (isinstance(op, SubscriptOp) and not isinstance(operands[0], (dict, tuple)))
    ):
        return None
    try:
        evaluate(op, operands, environment)
    except NotEvaluated:
        return None
    except (AttributeError, LookupError, ValueError) as error:
        return type(error)
    except Exception:
        return None
    return None


def _class_has(full_name: str, attribute: str) -> bool:
    """Whether a class that is imported has an attribute of its own or a base's."""
    module, _, name = full_name.rpartition(".")
    cls = getattr(sys.modules.get(module), name, None)
    return hasattr(cls, attribute)


def _is_value(value: object) -> bool:
    if type(value) in _EXACT:
        return True
    if isinstance(value, (tuple, list)):
        return all(map(_is_value, cast("list[object]", value)))
    if isinstance(value, (set, frozenset)):
        return all(map(_is_value, cast("set[object]", value)))
    if isinstance(value, dict):
        items = cast(dict[object, object], value).items()
        return all(_is_value(k) and _is_value(v) for k, v in items)
    return isinstance(value, _VALUES)


def _may_fold(op: Operation, operands: Sequence[object]) -> bool:
    if isinstance(op, (ListOp, DictOp)):
        return is_read_only(op.result)
    if isinstance(op, InplaceOp):
        number = isinstance(operands[0], ArrayConstant) and operands[0].shape is None
        return number or isinstance(operands[0], (*_PLAIN, tuple))
    if isinstance(op, CallOp):
        return is_pure_call(op, operands)
    if isinstance(op, InvokeOp):
        return is_pure_method(op, operands)
    if isinstance(op, UnpackOp) and isinstance(operands[0], (set, frozenset)):
        return False
    if isinstance(op, (BinaryOp, SubscriptOp)):
        fresh = any(isinstance(o, (list, set)) for o in operands)
        return not fresh or isinstance(op, SubscriptOp) or is_read_only(op.result)
    return isinstance(op, _PURE)


def _from_python(value: object) -> object:
    """A Python value as the IR has it; raises NotEvaluated when it has no form."""
    if type(value) in _EXACT:
        return value
    if is_numpys(value):
        if (array := array_constant(value)) is None:
            raise NotEvaluated("an array that is large, or of no numbers")
        return array
    if isinstance(value, _VALUES):
        return value
    if isinstance(value, UnsupportedRef):
        raise NotEvaluated(value.reason)
    kind = type(value).__name__
    if is_torch_size(value):
        return value
    if kind == "tuple":
        return tuple(_from_python(v) for v in cast("tuple[object, ...]", value))
    if isinstance(value, (list, dict)):
        if isinstance(value, list):
            return [_from_python(v) for v in cast("list[object]", value)]
        entries = cast(dict[object, object], value).items()
        return {_from_python(k): _from_python(v) for k, v in entries}
    if isinstance(value, Logger):
        return LoggerRef(value.name)
    if isinstance(value, (set, frozenset)):
        items = cast("set[object]", value)
        return type(value)(_from_python(v) for v in items)
    if kind == "dtype":
        return GlobalRef(str(value))
    if kind == "device":
        return DeviceRef(str(value))
    if kind == "Tensor":
        if cast(Any, value).numel() > MAX_ELEMENTS:
            raise NotEvaluated("a large tensor")
        return tensor_constant(value)
    if isinstance(value, type) and value in _CLASSES:
        return GlobalRef(f"builtins.{cast(type, value).__name__}")
    if is_class_of_sizes(value):
        return GlobalRef("torch.Size")
    if value is ... or value is NotImplemented:
        return GlobalRef(f"builtins.{value}")
    raise NotEvaluated(f"a {kind}")


def tensor_constant(value: Any) -> TensorConstant:
    """A tensor's elements as a literal. Raises NotEvaluated: the IR lacks its dtype."""
    try:
        dtype = element_type_of(value.dtype)
    except KeyError:
        raise NotEvaluated(f"a tensor of {value.dtype}") from None
    return TensorConstant(tuple(value.shape), dtype, tuple(value.flatten().tolist()))
