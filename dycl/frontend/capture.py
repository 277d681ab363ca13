"""The model's objects as `dycl.object` ops, and its parameters by name.

Every module gets the path under which `named_modules` finds it first; modules, and
other objects of the user's, that are reached only through lists, dicts or attributes
get the path of the attribute (`heads[0].fc`, `blocks['a']`).
"""

import types
from collections.abc import Callable
from typing import Any, cast

from xdsl.dialects.builtin import FileLineColLoc, IntAttr, StringAttr

from dycl.frontend.names import constant_of, is_users
from dycl.frontend.source import NoSource, read, shown_path
from dycl.ir import ObjectOp
from dycl.ir.dtypes import element_type_of
from dycl.ir.values import (
    FunctionRef,
    MethodRef,
    NotAConstant,
    ObjectRef,
    ParamRef,
    UnsupportedRef,
    is_hashable_key,
    to_attr,
)

_INTERNAL = {
    "_parameters",
    "_buffers",
    "_modules",
    "_non_persistent_buffers_set",
    "_backward_pre_hooks",
    "_backward_hooks",
    "_is_full_backward_hook",
    "_forward_hooks",
    "_forward_hooks_with_kwargs",
    "_forward_hooks_always_called",
    "_forward_pre_hooks",
    "_forward_pre_hooks_with_kwargs",
    "_state_dict_hooks",
    "_state_dict_pre_hooks",
    "_load_state_dict_pre_hooks",
    "_load_state_dict_post_hooks",
}
_CONTAINERS = ("Sequential", "ModuleList", "ModuleDict", "ParameterList")


class Capture:
    """Walks a model once; `objects` and `params` are what it found, in order."""

    def __init__(self, model: Any, function_symbol: Callable[[Any], str]):
        import torch

        self._torch: Any = torch
        self._symbol = function_symbol
        self._path_of: dict[int, str] = {}
        self._param_of: dict[int, str] = {}
        self.objects: dict[str, Any] = {}
        self.params: dict[str, Any] = {}
        for path, module in model.named_modules():
            self._path_of[id(module)] = path
            self.objects[path] = module
        named = [*model.named_parameters(), *model.named_buffers()]
        for path, tensor in named:
            self._param_of.setdefault(id(tensor), path)
            self.params.setdefault(path, tensor)

    def members(self, path: str) -> dict[str, object]:
        """The IR values of an object's attributes, by name."""
        target = self.objects[path]
        found: dict[str, object] = {}
        found["__mro__"] = [
            f"{c.__module__}.{c.__qualname__}" for c in type(target).__mro__[:-1]
        ]
        self._class_members(target, found)
        if isinstance(target, self._torch.nn.Module):
            self._module_members(path, target, found)
        for name, value in vars(target).items():
            if name not in _INTERNAL:
                found[name] = self.value(value, f"{path}.{name}" if path else name)
        static = [name for name in found if self._is_static(target, name, found[name])]
        if static:
            found["__static__"] = sorted(static)
        return found

    @staticmethod
    def _is_static(target: Any, name: str, value: object) -> bool:
        """Whether a function is called as it is: one of the object's own, say."""
        if not isinstance(value, FunctionRef):
            return False
        owners = [vars(target), *(vars(c) for c in type(target).__mro__)]
        found = next(members[name] for members in owners if name in members)
        return name in vars(target) or isinstance(found, staticmethod)

    def _module_members(self, path: str, target: Any, found: dict[str, object]) -> None:
        hooks = ("_forward_hooks", "_forward_pre_hooks")
        if any(getattr(target, h) for h in hooks):
            found["__hooks__"] = True
        leaf = self._leaf_class(target)
        if leaf is not None:
            found["__leaf__"] = leaf
        kind = next((k for k in _CONTAINERS if self._is(target, k)), None)
        if kind == "ModuleDict":
            found["__items__"] = {
                k: self._object(m, f"{path}.{k}") for k, m in target._modules.items()
            }
        elif kind == "ParameterList":
            found["__items__"] = [
                self.value(v, f"{path}.{i}") for i, v in enumerate(target)
            ]
        elif kind is not None:
            found["__items__"] = [self._object(m, path) for m in target]
        for table in (target._parameters, target._buffers):
            for name, tensor in table.items():
                found[name] = (
                    None if tensor is None else self._param(tensor, f"{path}.{name}")
                )
        for name, module in target._modules.items():
            found[name] = None if module is None else self._object(module, name)

    def _is(self, target: Any, kind: str) -> bool:
        return isinstance(target, getattr(self._torch.nn, kind))

    def _leaf_class(self, target: Any) -> str | None:
        """The torch class that a call of this module runs, or None for the user's."""
        forward = vars(target).get("forward", type(target).forward)
        module = getattr(forward, "__module__", "")
        if module.partition(".")[0] != "torch" or any(
            self._is(target, k) for k in _CONTAINERS
        ):
            return None
        owner = next(
            c for c in type(target).__mro__ if c.__module__.partition(".")[0] == "torch"
        )
        return f"{owner.__module__}.{owner.__qualname__}"

    def _class_members(self, target: Any, found: dict[str, object]) -> None:
        """Methods and constants of the user's classes, base classes first."""
        for cls in reversed(type(target).__mro__[:-1]):
            if cls.__module__.partition(".")[0] == "torch":
                continue
            for name, value in vars(cls).items():
                if name == "forward" or not name.startswith("__"):
                    found[name] = self._class_member(cls, name, value)

    def _class_member(self, cls: type, name: str, value: object) -> object:
        if isinstance(value, staticmethod):
            value = cast("staticmethod[..., object]", value).__func__
        if is_users(value):
            return FunctionRef(self._symbol(value))
        if isinstance(value, (property, classmethod)):
            kind = type(cast(object, value)).__name__
            return UnsupportedRef(f"a {kind} of {cls.__name__}")
        return self.value(value, name)

    def value(self, value: Any, path: str) -> object:
        """The IR value of anything the model refers to; new objects are captured."""
        if isinstance(value, self._torch.nn.Module):
            return self._object(value, path)
        if isinstance(value, self._torch.Tensor):
            return self._param(value, path)
        if isinstance(value, types.MethodType):
            return self._bound_method(value, path)
        if type(value) in (list, tuple):
            items = [self.value(v, f"{path}[{i}]") for i, v in enumerate(value)]
            return tuple(items) if isinstance(value, tuple) else items
        if isinstance(value, dict) and all(map(is_hashable_key, cast(Any, value))):
            entries = cast(dict[Any, Any], value).items()
            return {k: self.value(v, f"{path}[{k!r}]") for k, v in entries}
        known = constant_of(value, self._symbol)
        if isinstance(known, UnsupportedRef) and self._is_plain_object(value):
            return self._object(value, path)
        return known

    @staticmethod
    def _is_plain_object(value: object) -> bool:
        root = type(value).__module__.partition(".")[0]
        return hasattr(value, "__dict__") and root not in ("torch", "numpy", "builtins")

    def _bound_method(self, value: types.MethodType, path: str) -> object:
        if not is_users(value.__func__):
            return UnsupportedRef(f"a bound method of {type(value.__self__).__name__}")
        owner = self._object(value.__self__, path)
        return MethodRef(self._symbol(value.__func__), owner.path)

    def _object(self, value: Any, path: str) -> ObjectRef:
        known = self._path_of.get(id(value))
        if known is None:
            self._path_of[id(value)] = known = path
            self.objects[path] = value
        return ObjectRef(known)

    def _param(self, tensor: Any, path: str) -> ParamRef | UnsupportedRef:
        known = self._param_of.get(id(tensor))
        if known is None:
            self._param_of[id(tensor)] = known = path
            self.params[path] = tensor
        try:
            dtype = element_type_of(tensor.dtype)
        except KeyError:
            return UnsupportedRef(f"a tensor of type {tensor.dtype}")
        return ParamRef(known, tuple(tensor.shape), dtype)


def object_op(path: str, target: Any, members: dict[str, object]) -> ObjectOp:
    """The `dycl.object` of one captured object, located at its class."""
    attributes = {name: _attribute(members[name]) for name in sorted(members)}
    cls = type(target)
    op = ObjectOp(path, f"{cls.__module__}.{cls.__qualname__}", attributes)
    op.location = _class_location(cls)
    return op


def _attribute(value: object) -> Any:
    try:
        return to_attr(value)
    except NotAConstant as why:
        return to_attr(UnsupportedRef(str(why)))


def _class_location(cls: Any) -> FileLineColLoc:
    """Where a class is: its `forward` or `__init__`, whichever has a source."""
    for name in ("forward", "__init__"):
        try:
            source = read(getattr(cls, name))
        except (NoSource, AttributeError, TypeError):
            continue
        return source.location(source.node)
    return FileLineColLoc(
        StringAttr(shown_path(cls.__module__)), IntAttr(0), IntAttr(0)
    )
