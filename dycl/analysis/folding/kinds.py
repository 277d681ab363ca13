"""Which class a value surely has, though nothing else is known of it."""

from typing import cast

from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, SSAValue

from dycl.ir import (
    BinaryOp,
    CallOp,
    CompareOp,
    DictOp,
    FormatOp,
    GetattrOp,
    InvokeOp,
    ListOp,
    SliceOp,
    SubscriptOp,
    TupleOp,
    UnaryOp,
)
from dycl.ir.constant_values import constant_name
from dycl.ir.environment import Environment
from dycl.ir.library import resolve_global
from dycl.ir.library_objects import TORCH_SIZE
from dycl.ir.torch import BoolT, FloatT, IntT, StrT, VTensorType
from dycl.ir.values import GlobalRef, ObjectRef

TENSOR = "torch.Tensor"
_PARAMETER = "torch.nn.parameter.Parameter"
_NUMBERS = {FloatT: "builtins.float", IntT: "builtins.int", BoolT: "builtins.bool"}
_DISPLAYS = {
    TupleOp: "builtins.tuple",
    ListOp: "builtins.list",
    DictOp: "builtins.dict",
    SliceOp: "builtins.slice",
    FormatOp: "builtins.str",
}
_MAKERS = frozenset(
    (
        *(f"builtins.{n}" for n in ("dict", "frozenset", "list", "set", "tuple")),
        *(TORCH_SIZE, "collections.OrderedDict", "collections.defaultdict"),
    )
)


def class_of(value: SSAValue) -> str | None:
    """The full name of a value's class; None: not known, or a class of the user's.

    A tensor has one only if it cannot be a `torch.nn.Parameter`.
    """
    for kind, name in _NUMBERS.items():
        if value.type == kind:
            return name
    owner = value.owner
    if isinstance(owner, CallOp) and (name := _called(owner)) in _MAKERS:
        return name
    for display, name in _DISPLAYS.items():
        if isinstance(owner, display):
            return name
    if is_shape(value):
        return TORCH_SIZE
    return TENSOR if _is_plain_tensor(value) else None


def is_shape(value: SSAValue) -> bool:
    """Whether a value is `x.shape`, `x.size()`, `torch.Size(v)` or a slice of one."""
    owner = value.owner
    while isinstance(owner, SubscriptOp) and isinstance(owner.index.owner, SliceOp):
        owner = owner.operand.owner
    if isinstance(owner, CallOp):
        return _called(owner) == TORCH_SIZE
    if isinstance(owner, GetattrOp):
        of_tensor = isinstance(owner.operand.type, VTensorType)
        return of_tensor and owner.attribute.data == "shape"
    if isinstance(owner, InvokeOp):
        of_tensor = isinstance(owner.receiver.type, VTensorType)
        return of_tensor and owner.method.data == "size" and not owner.arguments
    return False


def is_instance(
    value: SSAValue, classes: object, environment: Environment
) -> bool | None:
    """`isinstance(value, classes)`, or None where that is not known."""
    name = class_of(value)
    if name is None and value.type == StrT and _are_librarys(classes):
        name = "builtins.str"  # or a class of the user's that derives from it
    if name is not None:
        return _is_one_of(name, classes, environment)
    if not isinstance(value.type, VTensorType):
        return None
    # A tensor that may be a parameter: what both would answer.
    as_tensor = _is_one_of(TENSOR, classes, environment)
    as_parameter = _is_one_of(_PARAMETER, classes, environment)
    return as_tensor if as_tensor == as_parameter else None


def _are_librarys(classes: object) -> bool:
    wanted = classes if isinstance(classes, tuple) else (classes,)
    return all(isinstance(one, GlobalRef) for one in cast("tuple[object]", wanted))


def _is_one_of(name: str, classes: object, environment: Environment) -> bool | None:
    """Whether a class is one of some, or derives from one; None: not known."""
    cls = resolve_global(name)
    known = [
        _is_subclass(cls, wanted, environment)
        for wanted in (classes if isinstance(classes, tuple) else (classes,))  # pyright: ignore[reportUnknownVariableType]
    ]
    if True in known:
        return True
    return None if None in known else False


def _is_subclass(cls: object, wanted: object, environment: Environment) -> bool | None:
    if isinstance(wanted, GlobalRef) and isinstance(cls, type):
        target = resolve_global(wanted.name)
        is_known = isinstance(target, type) and not _asks_tensors(target)
        return issubclass(cls, cast(type, target)) if is_known else None
    plain = isinstance(wanted, ObjectRef) and environment.is_plain_class(wanted)
    return False if plain else None


def _asks_tensors(cls: type) -> bool:
    """Whether a class of torch asks a tensor for its dtype or its flags."""
    if not cls.__module__.startswith("torch") or cls.__name__ == "Parameter":
        return False
    return type(cls).__instancecheck__ is not type.__instancecheck__


def _called(op: CallOp) -> str:
    return constant_name(op.callee)


def _is_plain_tensor(value: SSAValue) -> bool:
    """Whether a tensor is computed, or an input: some methods hand on a parameter."""
    if not isinstance(value.type, VTensorType):
        return False
    owner = value.owner
    if isinstance(owner, Block):
        function = owner.parent_op()
        return isinstance(function, FuncOp) and "dycl.entry" in function.attributes
    if isinstance(owner, (BinaryOp, UnaryOp, CompareOp)):
        return True
    if not isinstance(owner, (CallOp, InvokeOp)):
        return False
    given = [v for v in owner.operands if isinstance(v.type, VTensorType)]
    return bool(given) and all(map(_is_plain_tensor, given))
