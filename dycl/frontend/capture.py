"""The model's objects as `dycl.object` ops, and its parameters by name.

Every module gets the path under which `named_modules` finds it first; modules, and
other objects of the user's, that are reached only through lists, dicts or attributes
get the path of the attribute (`heads[0].fc`, `blocks['a']`).
"""

import functools
import inspect
import types
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping
from enum import Enum
from typing import Any, cast

from xdsl.dialects.builtin import (
    DictionaryAttr,
    FileLineColLoc,
    IntAttr,
    StringAttr,
)

from dycl.frontend.hooks import Hooks, is_parametrised, made_weights
from dycl.frontend.lookup import TABLES, Found, find, is_descriptor, names_of
from dycl.frontend.names import constant_of, is_generated, is_users, is_users_class
from dycl.frontend.opaque import has_no_shape, why_opaque
from dycl.frontend.records import record_plan
from dycl.frontend.source import NoSource, read, shown_path
from dycl.ir import ObjectOp
from dycl.ir.dtypes import element_type_of
from dycl.ir.methods import OPERATORS
from dycl.ir.module_walks import ORDER
from dycl.ir.module_walks import TABLES as ORDERED
from dycl.ir.opaque import LAZY
from dycl.ir.values import (
    FunctionRef,
    GlobalRef,
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
from dycl.ir.world import full_name, own_of_module

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
    "__setattr__",
}
"""Methods that Python's own syntax calls, and that we call likewise."""
_BY_TYPE = (_SPECIAL | OPERATORS) - {"forward"}
"""Names that Python looks up in the class only, whatever the object has."""
_UNUSED_BY_FORWARD = ("forward", "extra_repr", "reset_parameters")
_UNREADABLE = (property, classmethod, functools.cached_property)
_TUPLE_FIELD = "_tuplegetter"
"""The type of the attributes by which a named tuple's class holds its fields."""


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
        closed: list[str] = []
        for path, module in model.named_modules():
            if why_opaque(module) is not None or path.startswith(tuple(closed)):
                closed.append(f"{path}.")
            else:
                self._path_of[id(module)] = path
                self.objects[path] = module
        named = [*model.named_parameters(), *model.named_buffers()]
        for path, tensor in named:
            if not has_no_shape(tensor) and not path.startswith(tuple(closed)):
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
            found |= self._attributes(path, target, target)
            record = self._record(target)
            if record is not None:
                found["__record__"] = record
            return found
        found = {"__mro__": [class_name(c) for c in cls.__mro__[:-1]]}
        is_module = isinstance(target, self._torch.nn.Module)
        if not is_module:
            found |= self._data(path, target)
        found |= self._attributes(path, target, cls)
        if is_module:
            self._module_members(path, target, found)
            self._made_members(path, target, found)
            if path not in self._unhooked and "__call__" not in found:
                self._hook_members(path, target, found)
        self._super_members(path, target, cls, found)
        return found

    def _attributes(self, path: str, target: Any, cls: type) -> dict[str, object]:
        """All that may be read of an object or a class, as Python finds it."""
        members: dict[str, object] = {}
        static: list[str] = []
        opened = self._opened(path, target, cls)
        for name in names_of(target, cls):
            found = find(target, name, cls)
            if found is None or name in _INTERNAL:
                continue
            if found.owner is None:
                if name not in _BY_TYPE:
                    members[name] = self.value(found.value, full_name(path, name))
            elif name in opened and not is_users_class(found.owner):
                members[name] = FunctionRef(self._symbol(_function(found.value)))
            elif self._is_taken(target, name, found):
                members[name] = self._class_member(
                    target, found.owner, name, found.value
                )
            bound = found.owner is not None and not _is_static(found.value)
            if isinstance(members.get(name), FunctionRef) and not bound:
                static.append(name)
        if static:
            members["__static__"] = sorted(static)
        return members

    def _opened(self, path: str, target: Any, cls: type) -> set[str]:
        """The methods of torch's classes that are compiled from their source.

        These are all that a module has, if torch's `forward` may call one in whose
        place the user has put another; else none.
        """
        if path in self._views or not isinstance(target, self._torch.nn.Module):
            return set()
        names = {
            name
            for base in cls.__mro__
            if _is_torchs(base) and base is not self._torch.nn.Module
            for name, value in vars(base).items()
            if isinstance(value, (types.FunctionType, staticmethod))
            and not name.startswith("__")
        }
        found = {name: find(target, name, cls) for name in names}
        users = {n for n, one in found.items() if one and is_users_class(one.owner)}
        own = {n for n, one in found.items() if one and one.owner is None}
        inner = (users | own) - set(_UNUSED_BY_FORWARD)
        # A class without a `forward` of its own is run by torch when it is analysed.
        return names if own & inner or (inner and "forward" in users) else set()

    @staticmethod
    def _is_taken(target: Any, name: str, found: Found) -> bool:
        """Whether an attribute of a class is recorded with its objects."""
        if (
            not is_users_class(found.owner)
            or type(found.value).__name__ == _TUPLE_FIELD
        ):
            return False
        if isinstance(target, type) and found.owner not in target.__mro__:
            return False  # the metaclass's
        if name in OPERATORS and not isinstance(target, type):
            return not is_generated(found.value)
        return name in _SPECIAL or not name.startswith("__")

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
            found |= dict(zip(fields, items, strict=False))
            found["__items__"] = items
        elif isinstance(target, (list, dict, set)):
            found["__getattribute__"] = UnsupportedRef("a container of its own class")
        if type(target).__eq__ is not object.__eq__:
            found["__eq__"] = True
        return found

    def _module_members(self, path: str, target: Any, found: dict[str, object]) -> None:
        cls = self._class_of(path, target)
        leaf = self._leaf_class(path, target)
        if leaf is not None:
            found["__leaf__"] = class_name(leaf)
        kind = next((k for k in _CONTAINERS if self._is(target, k)), None)
        if kind == "ModuleDict":
            found["__items__"] = {
                k: self.value(m, f"{path}.{k}") for k, m in target._modules.items()
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
                self.value(m, f"{path}.{i}") for i, m in enumerate(target)
            ]

        hidden = {
            name: self.value(value, full_name(path, name))
            for table in TABLES
            for name, value in vars(target)[table].items()
            if (seen := find(target, name, cls)) is None or seen.place != "table"
        }
        if hidden:
            found["__hidden__"] = hidden
        if "__getattr__" in found:  # the user's may ask torch's
            found |= {own_of_module(name): value for name, value in hidden.items()}

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
        if self._opened(path, target, cls):
            return None
        forward = cast(Any, cls).forward
        if path not in self._views and (found := find(target, "forward", cls)):
            forward = found.value
        module = getattr(forward, "__module__", "")
        if module.partition(".")[0] != "torch" or any(
            self._is(target, k) for k in _CONTAINERS
        ):
            return None
        return next(c for c in cls.__mro__ if _is_torchs(c))

    def _class_member(self, target: Any, cls: type, name: str, value: object) -> object:
        """What an attribute of a class is for an object of it, or for the class."""
        of_class = isinstance(target, type)
        if isinstance(value, staticmethod):
            value = cast("staticmethod[..., object]", value).__func__
            if not is_users(value):
                return self.value(value, f"{class_name(cls)}.{name}")
        elif isinstance(value, classmethod):
            made = cast(Any, value).__func__
            if is_users(made):
                owner = target if of_class else type(target)
                return MethodRef(self._symbol(made), self._class(owner).path)
        elif isinstance(value, property) and not of_class and is_users(value.fget):
            getter = self._symbol(cast(Any, value.fget))
            setter = is_users(value.fset) and self._symbol(cast(Any, value.fset))
            return PropertyRef(getter, setter or "")
        if is_users(value):
            return FunctionRef(self._symbol(cast(Any, value)))
        if name == "__setattr__" or (is_descriptor(value) and not of_class):
            return self._unusual(target, cls, value)
        if isinstance(value, _UNREADABLE):
            return UnsupportedRef(f"a {type(value).__name__} of {cls.__name__}")
        return self.value(value, f"{class_name(cls)}.{name}")

    def _unusual(self, target: Any, cls: type, value: Any) -> object:
        """A library's function as a method, or a descriptor that we do not call."""
        if isinstance(value, types.FunctionType) and not is_generated(value):
            known = constant_of(value, self._symbol)
            path = self._path_of.get(id(target))
            if path is not None and isinstance(known, GlobalRef):
                return Partial(known, (ObjectRef(path),), {})
        return UnsupportedRef(f"a {type(value).__name__} of {cls.__name__}")

    def _record(self, cls: type) -> object:
        """How instances of a dataclass or named tuple are made; None for others.

        What `dycl.ir.record_classes` says, or an UnsupportedRef.
        """
        plan = record_plan(cls)
        if plan is None or isinstance(plan, str):
            return None if plan is None else UnsupportedRef(plan)
        name = class_name(cls)
        members = self._attributes(name, plan.sample, cls)
        static = members.pop("__static__", [])
        for field in plan.fields:
            if not isinstance(members.get(field), PropertyRef):
                members.pop(field, None)
        return {
            "kind": plan.kind,
            "fields": list(plan.fields),
            "keyword_only": list(plan.keyword_only),
            "defaults": self.value(plan.defaults, name),
            "factories": self.value(plan.factories, name),
            "members": members,
            "static": static,
            "classes": [class_name(c) for c in cls.__mro__],
        }

    def _super_members(
        self, path: str, target: Any, cls: type, found: dict[str, object]
    ) -> None:
        """`super().f` in each of the user's classes: the next class's `f`."""
        classes = cls.__mro__
        static = cast("list[str]", found.get("__static__", []))
        users = [c for c in classes if is_users_class(c)]
        opened = self._opened(path, target, cls)
        for owner in users:
            rest = classes[classes.index(owner) + 1 : -1]
            seen: set[str] = set()
            for base in rest:
                torchs = ("forward", *sorted(opened - {"forward"}))
                for name in vars(base) if is_users_class(base) else torchs:
                    key = f"super({class_name(owner)}).{name}"
                    special = name.startswith("__") and name not in _SPECIAL | OPERATORS
                    if name in seen or special or name not in vars(base):
                        continue
                    seen.add(name)
                    value = vars(base)[name]
                    if is_users_class(base):
                        found[key] = self._class_member(target, base, name, value)
                    elif opened:
                        found[key] = FunctionRef(self._symbol(_function(value)))
                    elif _is_torchs(base) and base is not self._torch.nn.Module:
                        found[key] = self._as_torchs(path, target, base)
                    if isinstance(value, staticmethod):
                        static = [*static, key]
                seen.update(vars(base))
        if static:
            found["__static__"] = sorted(static)

    def _as_torchs(self, path: str, target: Any, cls: type) -> object:
        """The object as one of its base classes of torch sees it."""
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
            if (why := why_opaque(value)) is not None:
                return UnsupportedRef(why)
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
                    kind: list(getattr(target, table))
                    for kind, table in ORDERED.items()
                }
                members = {**op.members.data, ORDER: _attribute(order)}
                op.members = DictionaryAttr(dict(sorted(members.items())))

    def note_modules(self, ops: Mapping[str, ObjectOp]) -> None:
        """Write down the table of the submodules of each module.

        Needs all objects to be captured, so that all of these are known.
        """
        for path, op in ops.items():
            target: Any = self.objects.get(path)
            if isinstance(target, self._torch.nn.Module):
                table = self.value(dict(target._modules), f"{path}._modules")
                members = {**op.members.data, "_modules": _attribute(table)}
                op.members = DictionaryAttr(dict(sorted(members.items())))

    def note_class_attributes(
        self, ops: Mapping[str, ObjectOp], names: Iterable[str]
    ) -> None:
        """Write down which of these names, which functions set, the classes have.

        A module that is set under such a name is registered, and never read.
        """
        for path, op in ops.items():
            target = self.objects.get(path)
            if not isinstance(target, self._torch.nn.Module):
                continue
            found = [(n, find(target, n)) for n in sorted(names)]
            of_class = [n for n, one in found if one and one.place == "class"]
            if of_class:
                members = {**op.members.data, "__of_class__": _attribute(of_class)}
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
        if has_no_shape(tensor):
            return UnsupportedRef(f"a weight of {LAZY}")
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


def _function(value: Any) -> Any:
    """The function that an attribute of a class is."""
    return value.__func__ if isinstance(value, staticmethod) else value


def _is_static(value: object) -> bool:
    """Whether a function of a class is called without the object."""
    return isinstance(value, staticmethod)


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
