"""What a tensor's type alone says: its shape, dtype and device."""

from collections.abc import Callable, Sequence

from xdsl.ir import Operation

from dycl.ir import CallOp, CompareOp, GetattrOp, InvokeOp
from dycl.ir.dtypes import dtype_name
from dycl.ir.environment import Environment
from dycl.ir.torch import BoolT, FloatT, IntT, VTensorType
from dycl.ir.values import DeviceRef, GlobalRef, ObjectRef, torch_size

_NUMBERS = (BoolT, FloatT, IntT)


def tensor_fact(
    op: Operation, operands: Sequence[object], environment: Environment
) -> object:
    """The value of an op that asks a typed tensor about itself, or None.

    `operands` are the values known at compile time; the tensor's own is not used.
    """
    if not op.operands or not op.results:
        return None
    if isinstance(op, GetattrOp):
        typed = _static_type(op.operand.type)
        return None if typed is None else _attribute(op.attribute.data, typed)
    if isinstance(op, InvokeOp):
        typed = _static_type(op.receiver.type)
        return None if typed is None else _method(op.method.data, operands[1:], typed)
    if isinstance(op, CallOp) and len(op.operands) >= 2:
        typed = op.operands[1].type
        is_tensor = isinstance(typed, VTensorType)
        return _call(operands[0], operands[1:], typed) if is_tensor else None
    if isinstance(op, CompareOp) and op.kind_name in ("is", "is_not"):
        for value, other in ((op.lhs, operands[1]), (op.rhs, operands[0])):
            typed = value.type in _NUMBERS or _static_type(value.type) is not None
            if typed and _is_another(value.type, other):
                return op.kind_name == "is_not"
    return None


def _is_another(kind: object, value: object) -> bool:
    """Whether a known value is surely no object of a type: None, a module, a bool."""
    if value is None or isinstance(value, ObjectRef):
        return True
    if value == GlobalRef("builtins.NotImplemented"):
        return True
    return isinstance(value, bool) and kind in (IntT, FloatT)


def _static_type(type_: object) -> VTensorType | None:
    """A tensor type of which everything is known."""
    if isinstance(type_, VTensorType):
        sizes = type_.sizes()
        if sizes is not None and all(s >= 0 for s in sizes) and type_.is_fully_typed():
            return type_
    return None


def _sizes(typed: VTensorType) -> tuple[int, ...]:
    sizes = typed.sizes()
    assert sizes is not None
    return tuple(sizes)


def _numel(typed: VTensorType) -> int:
    count = 1
    for size in _sizes(typed):
        count *= size
    return count


def _dtype(typed: VTensorType) -> GlobalRef:
    element = typed.element_type()
    assert element is not None
    return GlobalRef(f"torch.{dtype_name(element)}")


_ATTRIBUTES: dict[str, Callable[[VTensorType], object]] = {
    "shape": lambda t: torch_size(_sizes(t)),
    "ndim": lambda t: len(_sizes(t)),
    "dtype": _dtype,
    "device": lambda t: DeviceRef("cpu"),
    "is_cuda": lambda t: False,
}


def _attribute(name: str, typed: VTensorType) -> object:
    known = _ATTRIBUTES.get(name)
    return None if known is None else known(typed)


def _method(name: str, arguments: Sequence[object], typed: VTensorType) -> object:
    sizes = _sizes(typed)
    if name == "size":
        if not arguments:
            return torch_size(sizes)
        index = arguments[0]
        if isinstance(index, int) and -len(sizes) <= index < len(sizes):
            return sizes[index]
        return None
    if arguments:
        return None
    if name in ("dim", "ndimension"):
        return len(sizes)
    if name in ("numel", "nelement"):
        return _numel(typed)
    if name == "is_floating_point":
        return str(typed.element_type()).startswith(("f", "bf"))
    return None


def _call(callee: object, arguments: Sequence[object], typed: VTensorType) -> object:
    """What a function says of a tensor, of which not all sizes need be known."""
    if not isinstance(callee, GlobalRef):
        return None
    if callee.name in ("builtins.len", "torch.numel"):
        if (static := _static_type(typed)) is None:
            return None
        sizes = _sizes(static)
        if callee.name == "torch.numel":
            return _numel(static)
        return sizes[0] if sizes else None
    if callee.name == "torch.is_tensor":
        return True
    if callee.name in ("inspect.isfunction", "builtins.callable"):
        return False
    if callee.name == "builtins.isinstance" and len(arguments) == 2:
        return _isinstance(arguments[1])
    return None


def _isinstance(classes: object) -> bool | None:
    wanted = classes if isinstance(classes, tuple) else (classes,)
    names: list[str] = []
    for item in wanted:  # pyright: ignore[reportUnknownVariableType]
        if not isinstance(item, (GlobalRef, ObjectRef)):
            return None
        names.append(item.name if isinstance(item, GlobalRef) else item.path)
    if any(n in ("torch.Tensor", "torch._tensor.Tensor") for n in names):
        return True
    return False if all(n.startswith("builtins.") for n in names) else None
