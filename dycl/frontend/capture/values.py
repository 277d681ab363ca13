"""The IR values of what a model refers to; objects and tensors get their paths here."""

import functools
import types
from collections import OrderedDict
from collections.abc import Callable
from enum import Enum
from typing import Any, cast

from dycl.frontend.autograd import applied
from dycl.frontend.capture.classes import class_name
from dycl.frontend.names import (
    constant_of,
    is_users,
    is_users_class,
    qualified_name,
)
from dycl.frontend.opaque import has_no_shape, why_opaque
from dycl.frontend.process_environment import reads_environment
from dycl.frontend.stand_ins import object_for, pair_of
from dycl.ir.dtypes import element_type_of
from dycl.ir.library import draws_numbers
from dycl.ir.opaque import LAZY
from dycl.ir.values import (
    FunctionRef,
    GlobalRef,
    MethodRef,
    NotAConstant,
    ObjectRef,
    ParamRef,
    Partial,
    UnsupportedRef,
    is_hashable_key,
    to_attr,
)


class Values:
    """The objects and the tensors found so far, each under one path."""

    def __init__(self, function_symbol: Callable[[Any], str]):
        import torch

        self._torch: Any = torch
        self._symbol = function_symbol
        self._path_of: dict[object, str] = {}
        self._param_of: dict[int, str] = {}
        self.objects: dict[str, Any] = {}
        self.params: dict[str, Any] = {}
        self._stand_ins: dict[int, object] = {}
        """What stands for objects of Python's, by their identity."""
        self.held: dict[int, list[str]] = {}
        """The attributes from which each list or dict is reached."""

    def value(self, value: Any, path: str) -> object:
        """The IR value of anything the model refers to; new objects are captured."""
        if isinstance(value, UnsupportedRef):
            return value
        if isinstance(value, self._torch.nn.Module):
            if (why := why_opaque(value)) is not None:
                return UnsupportedRef(why)
            return self._object(value, path)
        if isinstance(value, self._torch.Tensor):
            return self._param(value, path)
        if (function := applied(value)) is not None:
            return FunctionRef(self._symbol(function))
        if isinstance(value, types.MethodType):
            return self._bound_method(value, path)
        if isinstance(value, functools.partial):
            args = self.value(value.args, path)
            kwargs = self.value(value.keywords, path)
            callee = self.value(value.func, path)
            return Partial(callee, cast(Any, args), cast(Any, kwargs))
        if type(value) in (list, dict):
            self.held.setdefault(id(value), []).append(path)
        if type(value) in (list, tuple):
            items = [self.value(v, f"{path}[{i}]") for i, v in enumerate(value)]
            return tuple(items) if isinstance(value, tuple) else items
        if type(value) in (dict, OrderedDict):
            entries = cast(dict[Any, Any], value).items()
            keys = [self.value(k, f"{path}.{k}") for k in value]
            if all(map(is_hashable_key, keys)):
                values = [self.value(v, f"{path}[{k!r}]") for k, v in entries]
                return dict(zip(keys, values, strict=True))
        if type(value) in (set, frozenset) and all(map(is_hashable_key, value)):
            return type(value)(value)
        if is_users_class(value):
            return self._class(value)
        if (stand_in := object_for(value)) is not None:
            return self._object(self._stand_ins.setdefault(id(value), stand_in), path)
        constant = constant_of(value, self._symbol)
        if isinstance(constant, UnsupportedRef) and self._is_plain_object(value):
            return self._object(value, path)
        return constant

    @staticmethod
    def _is_plain_object(value: object) -> bool:
        return is_users_class(type(value)) or isinstance(value, types.SimpleNamespace)

    def _bound_method(self, value: types.MethodType, path: str) -> object:
        if not is_users(value.__func__):
            if reads_environment(value):
                return GlobalRef("os.environ.get")
            if draws_numbers(name := qualified_name(value) or ""):
                return GlobalRef(name)
            return UnsupportedRef(f"a bound method of {type(value.__self__).__name__}")
        owner = self.value(value.__self__, path)
        if not isinstance(owner, ObjectRef):
            return UnsupportedRef(f"a bound method of {type(value.__self__).__name__}")
        return MethodRef(self._symbol(value.__func__), owner.path)

    def _class(self, cls: type) -> ObjectRef:
        """A class of the user's, as an object with its constants and functions."""
        return self._object(cls, f"class {class_name(cls)}")

    def _object(self, value: Any, path: str) -> ObjectRef:
        known = self._path_of.get(id(value))
        if known is None:
            if isinstance(value, Enum):
                path = f"{class_name(type(value))}.{value.name}"
            known, count = path, 1
            while known in self.objects:
                known, count = f"{path}_{count}", count + 1
            self._path_of[id(value)] = known
            self.objects[known] = value
        return ObjectRef(known)

    def _pair(self, tensor: Any) -> Any:
        """What stands for a complex tensor, always the same; None: it is another."""
        if id(tensor) not in self._stand_ins:
            if (pair := pair_of(tensor)) is None:
                return None
            self._stand_ins[id(tensor)] = pair
        return self._stand_ins[id(tensor)]

    def _param(self, tensor: Any, path: str) -> ParamRef | ObjectRef | UnsupportedRef:
        if has_no_shape(tensor):
            return UnsupportedRef(f"a weight of {LAZY}")
        if (pair := self._pair(tensor)) is not None:
            self._class(type(pair))
            return self._object(pair, path)
        known = self._param_of.get(id(tensor))
        if known is None:
            self._param_of[id(tensor)] = known = path
            self.params[path] = tensor
        try:
            dtype = element_type_of(tensor.dtype)
        except KeyError:
            return UnsupportedRef(f"a tensor of type {tensor.dtype}")
        return ParamRef(known, tuple(tensor.shape), dtype)


def attribute_of(value: object) -> Any:
    """The IR attribute of an IR value; what has none is an UnsupportedRef."""
    try:
        return to_attr(value)
    except NotAConstant as why:
        return to_attr(UnsupportedRef(str(why)))
