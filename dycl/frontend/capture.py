"""The model's objects as `dycl.object` ops, and its parameters by name.

Every module gets the path under which `named_modules` finds it first; modules, and
other objects of the user's, that are reached only through lists, dicts or attributes
get the path of the attribute (`heads[0].fc`, `blocks['a']`).
"""

import functools
import inspect
import types
from collections import OrderedDict
from collections.abc import Callable, Mapping
from enum import Enum
from typing import Any, cast

from xdsl.dialects.builtin import (
    DictionaryAttr,
    FileLineColLoc,
    IntAttr,
    StringAttr,
)

from dycl.frontend.hooks import Hooks, is_parametrised, made_weights
from dycl.frontend.names import constant_of, is_generated, is_users, is_users_class
from dycl.frontend.records import record_plan
from dycl.frontend.source import NoSource, read, shown_path
from dycl.ir import ObjectOp
from dycl.ir.dtypes import element_type_of
from dycl.ir.methods import OPERATORS
from dycl.ir.module_walks import ORDER, TABLES
from dycl.ir.values import (
    FunctionRef,
    MethodRef,
    NotAConstant,
    ObjectRef,
    ParamRef,
    Partial,
    PropertyRef,
    UnsupportedRef,
    is_hashable_key,
    to_attr,
)
from dycl.ir.world import full_name

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
_CONTAINERS = (
    "Sequential",
    "ModuleList",
    "ModuleDict",
    "ParameterDict",
    "ParameterList",
)
_SPECIAL = {
    "forward",
    "__bool__",
    "__call__",
    "__contains__",
    "__enter__",
    "__exit__",
    "__getattr__",
    "__getattribute__",
    "__getitem__",
    "__iter__",
    "__len__",
}
"""Methods that Python's own syntax calls, and that we call likewise."""
_UNUSED_BY_FORWARD = ("forward", "extra_repr", "reset_parameters")


class Capture:
    """Walks a model once; `objects` and `params` are what it found, in order."""

    def __init__(self, model: Any, function_symbol: Callable[[Any], str]):
        """A capture of a module, or (None) of what functions mention only."""
        import torch

        self._torch: Any = torch
        self._symbol = function_symbol
        self._path_of: dict[object, str] = {}
        self._param_of: dict[int, str] = {}
        self._views: dict[str, type] = {}
        self._made: dict[int, dict[str, object]] = {}
        self._unhooked: set[str] = set()
        """Those of the views whose calls run no hooks."""
        self.objects: dict[str, Any] = {}
        self.params: dict[str, Any] = {}
        self._held: dict[int, list[str]] = {}
        """The attributes from which each list or dict is reached."""
        if model is None:
            return
        for path, module in model.named_modules():
            self._path_of[id(module)] = path
            self.objects[path] = module
        named = [*model.named_parameters(), *model.named_buffers()]
        for path, tensor in named:
            self._param_of.setdefault(id(tensor), path)
            self.params.setdefault(path, tensor)

    def op(self, path: str) -> ObjectOp:
        """The `dycl.object` of a captured object, located at its class."""
        target = self.objects[path]
        members = self.members(path)
        attributes = {name: _attribute(members[name]) for name in sorted(members)}
        cls = self._class_of(path, target)
        op = ObjectOp(path, class_name(cls), attributes)
        op.location = _class_location(target if isinstance(target, type) else cls)
        return op

    def _class_of(self, path: str, target: Any) -> type:
        """The class of an object; of a parametrised module, the one it had before."""
        made = isinstance(target, self._torch.nn.Module) and is_parametrised(target)
        classes: tuple[type, ...] = inspect.getmro(type(target))
        return self._views.get(path) or classes[1 if made else 0]

    def members(self, path: str) -> dict[str, object]:
        """The IR values of an object's attributes, by name."""
        target = self.objects[path]
        cls = self._class_of(path, target)
        if isinstance(target, type):
            classes = [class_name(c) for c in inspect.getmro(type(target))[:-1]]
            found: dict[str, object] = {"__mro__": classes}
            self._class_members(target, target, found)
            record = self._record(target)
            if record is not None:
                found["__record__"] = record
            return found
        found = {"__mro__": [class_name(c) for c in cls.__mro__[:-1]]}
        self._class_members(target, cls, found)
        if isinstance(target, self._torch.nn.Module):
            self._module_members(path, target, found)
            self._super_members(path, target, cls, found)
            if "__getattr__" in found:  # it comes before the modules and parameters
                found["__getattribute__"] = found["__getattr__"]
        else:
            data = self._data(path, target)
            if "__eq__" in found:
                data.pop("__eq__", None)
            found.update(data)
        for name, value in _own(target).items():
            if name not in _INTERNAL and not isinstance(found.get(name), PropertyRef):
                found[name] = self.value(value, full_name(path, name))
        if isinstance(target, self._torch.nn.Module):
            self._made_members(path, target, found)
            if path not in self._unhooked and "__call__" not in found:
                self._hook_members(path, target, found)
        static = [n for n in found if self._is_static(target, n, found[n])]
        if static:
            found["__static__"] = sorted(static)
        return found

    def _data(self, path: str, target: Any) -> dict[str, object]:
        """What an object is besides its attributes: a number, a tuple, an enum's."""
        found: dict[str, object] = {}
        if isinstance(target, Enum):
            found["name"] = target.name
            found["value"] = self.value(target.value, f"{path}.value")
        if isinstance(target, int):
            found["__data__"] = int.__int__(target)
        elif isinstance(target, float):
            found["__data__"] = float.__float__(target)
        elif isinstance(target, str):
            found["__data__"] = str.__str__(target)
        elif isinstance(target, tuple):
            fields = cast("tuple[str, ...]", getattr(target, "_fields", ()))
            items = [self.value(v, f"{path}[{i}]") for i, v in enumerate(target)]
            found.update(zip(fields, items, strict=False))
            found["__items__"] = items
        elif isinstance(target, (list, dict, set)):
            found["__getattribute__"] = UnsupportedRef("a container of its own class")
        if type(target).__eq__ is not object.__eq__:
            found["__eq__"] = True
        return found

    @staticmethod
    def _is_static(target: Any, name: str, value: object) -> bool:
        """Whether a function is called as it is: one of the object's own, say."""
        if not isinstance(value, FunctionRef) or name.startswith("super("):
            return False
        owners = [_own(target), *(vars(c) for c in type(target).__mro__)]
        found = next(members[name] for members in owners if name in members)
        return name in _own(target) or isinstance(found, staticmethod)

    def _module_members(self, path: str, target: Any, found: dict[str, object]) -> None:
        leaf = self._leaf_class(path, target)
        if leaf is not None:
            found["__leaf__"] = class_name(leaf)
        kind = next((k for k in _CONTAINERS if self._is(target, k)), None)
        if kind == "ModuleDict":
            found["__items__"] = {
                k: self._object(m, f"{path}.{k}") for k, m in target._modules.items()
            }
        elif kind == "ParameterDict":
            found["__items__"] = {
                k: self.value(target[k], f"{path}.{k}") for k in target
            }
        elif kind == "ParameterList":
            found["__items__"] = [
                self.value(v, f"{path}.{i}") for i, v in enumerate(target)
            ]
        elif kind is not None:
            found["__items__"] = [
                self._object(m, f"{path}.{i}") for i, m in enumerate(target)
            ]
        for table in (target._parameters, target._buffers):
            for name, tensor in table.items():
                found[name] = (
                    None if tensor is None else self._param(tensor, f"{path}.{name}")
                )
        for name, module in target._modules.items():
            found[name] = (
                None if module is None else self._object(module, f"{path}.{name}")
            )

    def _made_members(self, path: str, target: Any, found: dict[str, object]) -> None:
        """The weights that torch computes anew in each call."""
        if id(target) not in self._made:
            self._made[id(target)] = made_weights(target)
        for name, weight in self._made[id(target)].items():
            found[name] = self.value(weight, full_name(path, name))

    def _hook_members(self, path: str, target: Any, found: dict[str, object]) -> None:
        """The hooks, and what stands for a torch module that is called without them."""

        def hook(value: object, name: str) -> object:
            found = self.value(value, full_name(path, name))
            if isinstance(found, UnsupportedRef) and found is not value:
                return UnsupportedRef(f"a forward hook that is {found.reason}")
            return found

        hooks = Hooks(target)
        recorded = {
            when: [
                [hook(one, f"hook {when} {i}"), with_keywords]
                for i, (one, with_keywords) in enumerate(each)
            ]
            for when, each in (("before", hooks.before()), ("after", hooks.after()))
        }
        if not any(recorded.values()):
            return
        found["__hooks__"] = recorded
        if "forward" not in found:
            cls = next(c for c in self._class_of(path, target).__mro__ if _is_torchs(c))
            view = f"{path}<{cls.__name__}>"
            self.objects.setdefault(view, target)
            self._views[view] = cls
            self._unhooked.add(view)
            recorded["forward"] = cast(Any, ObjectRef(view))

    def _is(self, target: Any, kind: str) -> bool:
        return isinstance(target, getattr(self._torch.nn, kind))

    def _leaf_class(self, path: str, target: Any) -> type | None:
        """The torch class that a call of this module runs, or None for the user's."""
        cls = self._class_of(path, target)
        forward = cast(Any, cls).forward
        if path not in self._views:
            forward = vars(target).get("forward", forward)
        module = getattr(forward, "__module__", "")
        if module.partition(".")[0] != "torch" or any(
            self._is(target, k) for k in _CONTAINERS
        ):
            return None
        return next(c for c in cls.__mro__ if _is_torchs(c))

    def _class_members(self, target: Any, cls: type, found: dict[str, object]) -> None:
        """Methods and constants of the user's classes, base classes first."""
        for base in reversed(cls.__mro__[:-1]):
            if not is_users_class(base):
                continue
            for name, value in vars(base).items():
                operator = name in OPERATORS and not isinstance(target, type)
                if (
                    name in _SPECIAL
                    or not name.startswith("__")
                    or (operator and not is_generated(value))
                ):
                    found[name] = self._class_member(target, base, name, value)

    def _class_member(self, target: Any, cls: type, name: str, value: object) -> object:
        if isinstance(value, staticmethod):
            value = cast("staticmethod[..., object]", value).__func__
        elif isinstance(value, classmethod):
            made = cast(Any, value).__func__
            if is_users(made):
                owner = target if isinstance(target, type) else type(target)
                return MethodRef(self._symbol(made), self._class(owner).path)
        elif (
            isinstance(value, property)
            and is_users(value.fget)
            and not isinstance(target, type)
        ):
            return PropertyRef(self._symbol(cast(Any, value.fget)))
        if is_users(value):
            return FunctionRef(self._symbol(cast(Any, value)))
        if isinstance(value, (property, classmethod, functools.cached_property)):
            kind = type(cast(object, value)).__name__
            return UnsupportedRef(f"a {kind} of {cls.__name__}")
        return self.value(value, f"{class_name(cls)}.{name}")

    def _record(self, cls: type) -> object:
        """How instances of a dataclass or named tuple are made; None for others.

        What `dycl.ir.record_classes` says, or an UnsupportedRef.
        """
        plan = record_plan(cls)
        if plan is None or isinstance(plan, str):
            return None if plan is None else UnsupportedRef(plan)
        name = class_name(cls)
        members: dict[str, object] = {}
        self._class_members(plan.sample, cls, members)
        for field in plan.fields:
            members.pop(field, None)
        return {
            "kind": plan.kind,
            "fields": list(plan.fields),
            "keyword_only": list(plan.keyword_only),
            "defaults": self.value(plan.defaults, name),
            "factories": self.value(plan.factories, name),
            "members": members,
            "static": [
                n for n, v in members.items() if self._is_static(plan.sample, n, v)
            ],
            "classes": [class_name(c) for c in cls.__mro__],
        }

    def _super_members(
        self, path: str, target: Any, cls: type, found: dict[str, object]
    ) -> None:
        """`super().f` in each of the user's classes: the next class's `f`."""
        classes = cls.__mro__
        users = [c for c in classes if is_users_class(c)]
        for owner in users:
            rest = classes[classes.index(owner) + 1 : -1]
            seen: set[str] = set()
            for base in rest:
                names = vars(base) if is_users_class(base) else ["forward"]
                for name in names:
                    key = f"super({class_name(owner)}).{name}"
                    special = name.startswith("__") and name not in _SPECIAL | OPERATORS
                    if name in seen or special or name not in vars(base):
                        continue
                    seen.add(name)
                    value = vars(base)[name]
                    if is_users_class(base):
                        found[key] = self._class_member(target, base, name, value)
                    elif base is not self._torch.nn.Module:
                        found[key] = self._as_torchs(path, target, base, users)

    def _as_torchs(
        self, path: str, target: Any, cls: type, users: list[type]
    ) -> object:
        """The object as one of its base classes of torch sees it."""
        for user in users:
            for name in vars(user):
                used = name in vars(cls) and not name.startswith("__")
                if used and name not in _UNUSED_BY_FORWARD:
                    what = f"{user.__name__}.{name}, which torch's forward may use"
                    return UnsupportedRef(what)
        view = f"{path}<{cls.__name__}>"
        self.objects.setdefault(view, target)
        self._views[view] = cls
        self._unhooked.add(view)
        return ObjectRef(view)

    def value(self, value: Any, path: str) -> object:
        """The IR value of anything the model refers to; new objects are captured."""
        if isinstance(value, UnsupportedRef):
            return value
        if isinstance(value, self._torch.nn.Module):
            return self._object(value, path)
        if isinstance(value, self._torch.Tensor):
            return self._param(value, path)
        if isinstance(value, types.MethodType):
            return self._bound_method(value, path)
        if isinstance(value, functools.partial):
            args = self.value(value.args, path)
            kwargs = self.value(value.keywords, path)
            callee = self.value(value.func, path)
            return Partial(callee, cast(Any, args), cast(Any, kwargs))
        if type(value) in (list, dict):
            self._held.setdefault(id(value), []).append(path)
        if type(value) in (list, tuple):
            items = [self.value(v, f"{path}[{i}]") for i, v in enumerate(value)]
            return tuple(items) if isinstance(value, tuple) else items
        if type(value) in (dict, OrderedDict):
            entries = cast(dict[Any, Any], value).items()
            keys = [self.value(k, f"{path}.{k}") for k in value]
            if all(map(is_hashable_key, keys)):
                values = [self.value(v, f"{path}[{k!r}]") for k, v in entries]
                return dict(zip(keys, values, strict=True))
        if is_users_class(value):
            return self._class(value)
        known = constant_of(value, self._symbol)
        if isinstance(known, UnsupportedRef) and self._is_plain_object(value):
            return self._object(value, path)
        return known

    def note_shared(self, ops: Mapping[str, ObjectOp]) -> None:
        """Write down which lists, dicts and tensors are reached in two ways.

        Needs all objects to be captured.
        """
        found: dict[str, dict[str, list[object]]] = {}
        for paths in self._held.values():
            for path in paths if len(set(paths)) > 1 else ():
                owner, _, name = path.partition("[")[0].rpartition(".")
                found.setdefault(owner, {}).setdefault("__shared__", []).append(name)
        if overlapping := self.overlapping():
            found.setdefault("", {})["__overlapping__"] = list(overlapping)
        for path, notes in found.items():
            if path in ops:
                members = dict(ops[path].members.data)
                members |= {
                    k: _attribute(sorted(map(str, v))) for k, v in notes.items()
                }
                ops[path].members = DictionaryAttr(dict(sorted(members.items())))

    def note_order(self, ops: Mapping[str, ObjectOp]) -> None:
        """Write down in which order torch has the parts of each module."""
        for path, op in ops.items():
            target = self.objects.get(path)
            if isinstance(target, self._torch.nn.Module) and path not in self._views:
                order = {
                    kind: list(getattr(target, table)) for kind, table in TABLES.items()
                }
                members = {**op.members.data, ORDER: _attribute(order)}
                op.members = DictionaryAttr(dict(sorted(members.items())))

    def overlapping(self) -> list[str]:
        """The tensors whose memory another tensor shares, by name."""
        by_memory: dict[int, list[str]] = {}
        for path, tensor in self.params.items():
            if tensor.layout == self._torch.strided and tensor.numel():
                memory = tensor.untyped_storage().data_ptr()
                by_memory.setdefault(memory, []).append(path)
        groups = [p for m, p in by_memory.items() if m != 0 and len(p) > 1]
        return sorted(path for group in groups for path in group)

    @staticmethod
    def _is_plain_object(value: object) -> bool:
        return is_users_class(type(value)) or isinstance(value, types.SimpleNamespace)

    def _bound_method(self, value: types.MethodType, path: str) -> object:
        if not is_users(value.__func__):
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


def class_name(cls: type) -> str:
    """The full name of a class."""
    return f"{cls.__module__}.{cls.__qualname__}"


def _own(target: object) -> dict[str, Any]:
    """An object's own attributes, from its `__dict__` and its slots."""
    names = [n for c in type(target).__mro__ for n in _slots(c)]
    found = {n: getattr(target, n) for n in names if hasattr(target, n)}
    return {**found, **getattr(target, "__dict__", {})}


def _slots(cls: type) -> list[str]:
    slots = vars(cls).get("__slots__", ()) if is_users_class(cls) else ()
    names = [slots] if isinstance(slots, str) else list(slots)
    return [n for n in names if not n.startswith("__")]


def _is_torchs(cls: type) -> bool:
    return cls.__module__.partition(".")[0] == "torch"


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
