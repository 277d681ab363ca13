"""What a global name, an attribute of a module or a default value is in the IR."""

import builtins
import logging
import sys
import types
from collections.abc import Callable
from typing import Any, cast

from dycl.frontend.source import hidden, is_library, undecorated
from dycl.frontend.stand_ins import has_stand_in
from dycl.ir.arrays import array_constant, is_numpys
from dycl.ir.library import MODES, draws_numbers
from dycl.ir.values import (
    DeviceRef,
    FunctionRef,
    GlobalRef,
    LoggerRef,
    UnsupportedRef,
    is_torch_size,
)
from dycl.prelude import FUNCTIONS

MISSING = object()
"""Nothing is known under this name."""


def is_users(function: object) -> bool:
    """Whether a function's body is the user's (or another library's plain Python).

    Functions of torch, NumPy and the standard library are called, not compiled, and so
    are those of other libraries that the prelude has.
    """
    if type(function).__name__ == "_lru_cache_wrapper":
        return is_users(cast(Any, function).__wrapped__)  # refused, likewise
    if type(function).__name__ == "ScriptFunction":
        function = undecorated(cast(Any, function))
    if not isinstance(function, types.FunctionType):
        return False
    if f"{function.__module__}.{function.__qualname__}" in FUNCTIONS:
        return False  # of a library that is compiled, but for this one
    if hidden(function) is not None:
        return True  # to be refused where it is decorated
    plain = cast(Any, undecorated(function))
    return not is_library(plain.__globals__.get("__name__", "").partition(".")[0])


def is_generated(function: object) -> bool:
    """Whether a function was made from a text: a dataclass's `__eq__`, say."""
    code = getattr(function, "__code__", None)
    return getattr(code, "co_filename", "").startswith("<")


def is_users_class(cls: object) -> bool:
    """Whether a class is written in Python outside of the libraries that we know."""
    return isinstance(cls, type) and not is_library(cls.__module__.partition(".")[0])


def is_captured(value: object) -> bool:
    """Whether a value becomes an object of the IR, with attributes that may change."""
    names = [f"{c.__module__}.{c.__qualname__}" for c in type(value).__mro__]
    if "torch.nn.modules.module.Module" in names:
        return True
    plain = is_users_class(type(value)) or isinstance(value, types.SimpleNamespace)
    plain = plain or has_stand_in(value)
    return plain and not isinstance(value, (type, types.ModuleType))


def lookup_global(function: Callable[..., Any], name: str) -> object:
    """The object that a non-local name means inside a function, or MISSING."""
    plain: Any = undecorated(function)
    free = plain.__code__.co_freevars
    if name in free and plain.__closure__ is not None:
        cell = plain.__closure__[free.index(name)]
        try:
            return cell.cell_contents
        except ValueError:
            return MISSING
    if name in plain.__globals__:
        return plain.__globals__[name]
    return getattr(builtins, name, MISSING)


def qualified_name(value: Any) -> str | None:
    """The full name under which something can be imported, or None.

    `typing.OrderedDict` and its like are the classes of which they make instances.
    """
    if isinstance(value, types.ModuleType):
        return value.__name__
    if type(value).__module__ == "typing" and getattr(value, "_inst", False):
        value = value.__origin__
    type_name = type(value).__name__
    if type_name in ("dtype", "layout", "memory_format") and str(value).startswith(
        "torch."
    ):
        return str(value)
    module, qualified, plain, owner = (
        _attribute(value, name)
        for name in ("__module__", "__qualname__", "__name__", "__self__")
    )
    name = plain if qualified is None else qualified
    if module is None and isinstance(owner, types.ModuleType):
        module = owner.__name__
    elif module is None and isinstance(owner, type):
        module = owner.__module__
    if isinstance(module, str) and isinstance(name, str) and "<" not in name:
        module = _PUBLIC.get(module, module)
        if _imports_to(f"{module}.{name}", value):
            return f"{module}.{name}"
        if module.endswith(f".{name}") and _imports_to(module, value):
            return module  # it hides the module that it is defined in
    if isinstance(value, type) and module == "builtins":
        return _KINDS.get(value)
    for generator in ("random", "numpy.random") if owner is not None else ():
        drawn = f"{generator}.{plain}"
        if draws_numbers(drawn) and _imports_to(drawn, value):
            return drawn
    return _search_torch(value)


_KINDS: dict[type, str] = {
    value: f"types.{name}"
    for name, value in vars(types).items()
    if name in types.__all__
}
"""Classes of Python that have their name in the module `types` only."""


def _attribute(value: object, name: str) -> Any:
    """An attribute, or None: a `__getattr__` of the user's may raise anything."""
    try:
        return getattr(value, name, None)
    except Exception:
        return None


_PUBLIC = {
    "_operator": "operator",
    "_warnings": "warnings",
    "torch._C._nn": "torch._C._nn",
}


def _imports_to(path: str, value: object) -> bool:
    from dycl.ir.library import resolve_global

    try:
        found = resolve_global(path)
        if isinstance(value, types.BuiltinFunctionType):
            return found == value  # a method is another object each time
        return found is value
    except (ImportError, AttributeError):
        return False


def _search_torch(value: object) -> str | None:
    """torch's C functions do not know their own module: look where users find them."""
    torch = sys.modules.get("torch")
    name = _attribute(value, "__name__")
    if torch is None or not isinstance(name, str):
        return None
    for module in ("torch", "torch.nn.functional", "torch.special", "torch.linalg"):
        if _imports_to(f"{module}.{name}", value):
            return f"{module}.{name}"
    return f"torch._C.{name}" if f"torch._C.{name}" in MODES else None


def constant_of(
    value: object, function_symbol: Callable[[Callable[..., Any]], str]
) -> object:
    """The IR value of a Python object that is no container and no part of the model.

    Plain data stays as it is; a user's function becomes a FunctionRef through
    `function_symbol`; what can be imported a GlobalRef; all else an UnsupportedRef.
    """
    if is_numpys(value) and (array := array_constant(value)) is not None:
        return array
    if value is None or isinstance(value, (bool, int, float, str)):
        return _plain(value)
    if type(value) is range:
        return value
    if value is Ellipsis:
        return GlobalRef("builtins.Ellipsis")
    if value is NotImplemented:
        return GlobalRef("builtins.NotImplemented")
    if isinstance(value, logging.Logger):
        return LoggerRef(value.name)
    for stream in ("stdout", "stderr"):
        if value is getattr(sys, stream):
            return GlobalRef(f"sys.{stream}")
    if type(value).__module__ == "torch" and type(value).__name__ == "device":
        return DeviceRef(str(value))
    if is_torch_size(value):
        return value
    if (operator := _operator(value)) is not None:
        return GlobalRef(operator)
    if is_users(value):
        return FunctionRef(function_symbol(cast(Any, value)))
    name = qualified_name(value)
    if name is not None:
        return GlobalRef(name)
    if isinstance(value, type):
        return UnsupportedRef("a class of a library")
    if callable(value) and type(value).__name__ == "builtin_function_or_method":
        return UnsupportedRef("a function without Python source")
    return UnsupportedRef(f"a value of type {type(value).__name__}")


def _operator(value: object) -> str | None:
    """The name of a registered operator: `torch.ops.mine.scale`, also `.overload`."""
    target: Any = value
    match type(value).__name__ if type(value).__module__.startswith("torch.") else "":
        case "CustomOpDef":
            target = target._opoverload.overloadpacket
        case "OpOverloadPacket" | "OpOverload":
            pass
        case _:
            return None
    return f"torch.ops.{str(target).removeprefix('torch.ops.')}"


def _plain(value: object) -> object:
    """Plain data; a subclass (an enum, say) counts as its base value."""
    for base in (bool, int, float, str):
        if isinstance(value, base):
            if type(value) is base:
                return value
            return UnsupportedRef(f"a value of type {type(value).__name__}")
    return value
