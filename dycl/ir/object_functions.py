"""What Python's built-in functions give for the model's objects."""

import functools
import types
from collections.abc import Callable
from inspect import isfunction
from typing import TYPE_CHECKING, Any, cast

from dycl.ir.arrays import ArrayConstant
from dycl.ir.dtypes import torch_dtype
from dycl.ir.library import canonical_name, resolve_global
from dycl.ir.not_evaluated import NotEvaluated, OfLibrary
from dycl.ir.values import (
    DeviceRef,
    FunctionRef,
    GlobalRef,
    LoggerRef,
    MethodRef,
    ObjectRef,
    ParamRef,
    Partial,
    TensorConstant,
)
from dycl.prelude import STANDS_FOR

if TYPE_CHECKING:
    from dycl.ir.environment import Environment


def _len(environment: "Environment", value: object) -> object:
    return len(environment.iterate(value))


def _class_named(value: object) -> str:
    """The full name of a class; a user's is an object of the module."""
    if isinstance(value, ObjectRef) and value.path.startswith("class "):
        return value.path.removeprefix("class ")
    if isinstance(value, GlobalRef):
        return canonical_name(value.name)
    raise NotEvaluated(f"{value} is no class")


def _has_class(environment: "Environment", ref: ObjectRef, classes: object) -> bool:
    """Whether an object is of one of these classes, by the names recorded for it."""
    mro = cast(list[object], environment.members(ref.path).get("__mro__", []))
    wanted = cast("tuple[object, ...]", classes)
    wanted = wanted if isinstance(classes, tuple) else (classes,)
    librarys, _ = STANDS_FOR.get(environment.class_name(ref.path), ("", ()))
    if librarys:
        known = [resolve_global(w.name) for w in wanted if isinstance(w, GlobalRef)]
        return issubclass(cast(type, resolve_global(librarys)), cast(Any, tuple(known)))
    return any(_class_named(w) in mro for w in wanted)


def _isinstance(environment: "Environment", value: object, classes: object) -> object:
    if isinstance(value, ObjectRef):
        return _has_class(environment, value, classes)
    kind = _kind(environment, value)
    example = _example(value, kind)
    wanted = cast("tuple[object, ...]", classes)
    for item in wanted if isinstance(classes, tuple) else (classes,):
        if isinstance(item, GlobalRef):
            cls = cast(type, resolve_global(item.name))
            if issubclass(kind, cls) or isinstance(example, cls):
                return True
        elif not isinstance(item, ObjectRef) or not environment.is_plain_class(item):
            raise NotEvaluated("isinstance with a model object as class")
    return False


def _kind(environment: "Environment", value: object) -> type:
    """The class of what a value that is no object of the model stands for."""
    match value:
        case FunctionRef():
            return types.FunctionType
        case MethodRef():
            return types.MethodType
        case Partial():
            return functools.partial
        case ParamRef():
            kind = "nn.Parameter" if environment.is_parameter(value.path) else "Tensor"
            return cast(type, resolve_global(f"torch.{kind}"))
        case (
            GlobalRef() | DeviceRef() | LoggerRef() | TensorConstant() | ArrayConstant()
        ):
            return type(environment.resolve(value))
        case None | bool() | int() | float() | str() | tuple() | list() | dict():
            return type(cast(object, value))
        case slice() | range() | set() | frozenset():
            return type(cast(object, value))
        case _:
            raise NotEvaluated("isinstance with a model object as class")


def _example(value: object, kind: type) -> object:
    """A tensor of the dtype of one: `torch.FloatTensor` and `Variable` look at it."""
    if isinstance(value, (ParamRef, TensorConstant)):
        import torch

        result = torch.empty(0, dtype=torch_dtype(value.dtype))
        return result if kind is torch.Tensor else kind(result, requires_grad=False)
    return None


def _callable(environment: "Environment", value: object) -> object:
    if isinstance(value, GlobalRef):
        return callable(resolve_global(value.name))
    if not isinstance(value, ObjectRef):
        return isinstance(value, (FunctionRef, MethodRef, Partial))
    members = environment.members(value.path)
    names = ("__leaf__", "__call__", "forward")
    return value.path.startswith("class ") or any(n in members for n in names)


def _is_function(environment: "Environment", value: object) -> object:
    """A partial function may be a closure, which is a function."""
    if isinstance(value, Partial):
        raise NotEvaluated("inspect.isfunction of a partial function")
    if isinstance(value, GlobalRef):
        value = environment.resolve(value)
    return isinstance(value, FunctionRef) or isfunction(value)


def _type(environment: "Environment", value: object, *rest: object) -> object:
    path = cast(ObjectRef, value).path
    librarys, _ = STANDS_FOR.get(environment.class_name(path), ("", ()))
    if librarys and not rest:
        return GlobalRef(librarys)
    if not rest and "__class__" in environment.members(path):
        return environment.members(path)["__class__"]
    name = environment.class_name(path)
    if rest or not name.startswith("torch."):
        raise NotEvaluated("the class of an object of your own")
    return GlobalRef(name)


def _text(environment: "Environment", value: object) -> object:
    if not isinstance(value, ObjectRef) or not environment.is_plain_class(value):
        raise NotEvaluated("the text of an object")
    return f"<class '{_class_named(value)}'>"


def _signature(environment: "Environment", value: object) -> object:
    raise NotEvaluated("the signature of a function")


def _getattr(
    environment: "Environment", value: object, name: object, *default: object
) -> object:
    is_object = isinstance(value, ObjectRef)
    if default and is_object and environment.changes(value.path, str(name)):
        raise NotEvaluated(
            f"`getattr` with a default, of `{name}`, which is set while the network "
            f"runs: give `{name}` a value in `__init__`, and read it by name"
        )
    try:
        return environment.getattr(value, str(name))
    except AttributeError:
        if default:
            return default[0]
        raise


def _hasattr(environment: "Environment", value: object, name: object) -> object:
    try:
        environment.getattr(value, str(name))
    except AttributeError:
        return False
    except OfLibrary:
        return True
    return True


ON_OBJECTS: dict[str, Callable[..., object]] = {
    "builtins.len": _len,
    "builtins.isinstance": _isinstance,
    "builtins.getattr": _getattr,
    "builtins.hasattr": _hasattr,
    "builtins.list": lambda w, v: w.iterate(v),
    "builtins.tuple": lambda w, v: tuple(w.iterate(v)),
    "builtins.enumerate": lambda w, v, *s: list(enumerate(w.iterate(v), *s)),
    "builtins.iter": lambda w, v: iter(w.iterate(v)),
    "builtins.reversed": lambda w, v: list(reversed(w.iterate(v))),
    "builtins.zip": lambda w, *v: list(zip(*map(w.iterate, v), strict=False)),
    "builtins.bool": lambda w, v: w.to_bool(v),
    "builtins.callable": _callable,
    "inspect.isfunction": _is_function,
    "builtins.type": _type,
    "inspect.signature": _signature,
    "builtins.str": _text,
    "builtins.repr": _text,
}
"""By the function's name, what gives its value: of environment and arguments."""

OF_REFERENCES = frozenset(
    (
        *("builtins.callable", "builtins.isinstance"),
        *("inspect.isfunction", "inspect.signature"),
    )
)
"""Those that know what else in the IR stands for a value of Python's."""
