"""The attributes of an object or a class, as Python finds them."""

import collections.abc
import functools
import inspect
import types
from collections.abc import Callable
from typing import Any, cast

from dycl.frontend.capture.classes import class_name, function_of, is_static, is_torchs
from dycl.frontend.capture.values import Values
from dycl.frontend.hooks import is_parametrised
from dycl.frontend.instances import RUN_WHEN_MADE, TEMPLATE, replaced_methods
from dycl.frontend.lookup import (
    StoredAttribute,
    find,
    is_data_descriptor,
    is_descriptor,
    names_of,
    of_class,
    own_names,
)
from dycl.frontend.memoised import CachedProperty
from dycl.frontend.names import constant_of, is_generated, is_users, is_users_class
from dycl.frontend.records import (
    RecordPlan,
    compared_by,
    is_dataclass_init,
    object_plan,
    record_plan,
)
from dycl.frontend.stand_ins import alias_of_dicts, function_for
from dycl.ir.library import resolve_global
from dycl.ir.methods import OPERATORS
from dycl.ir.objects import UNKNOWN_SETTERS, full_name
from dycl.ir.records import MAPPING
from dycl.ir.values import (
    FunctionRef,
    GlobalRef,
    MethodRef,
    ObjectRef,
    Partial,
    PropertyRef,
    UnsupportedRef,
)
from dycl.prelude import FUNCTIONS, RETURNED

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
    "__next__",
    "__setattr__",
}
"""Methods that Python's own syntax calls, and that we call likewise."""
_BY_TYPE = (_SPECIAL | OPERATORS) - {"forward"}
"""Names that Python looks up in the class only, whatever the object has."""
_UNUSED_BY_FORWARD = ("forward", "extra_repr", "reset_parameters")
_OPENED = (
    "torch.ao.nn.quantized.modules.functional_modules.FloatFunctional",
    "torch.nn.modules.adaptive.AdaptiveLogSoftmaxWithLoss",
    "torch.nn.parallel.data_parallel.DataParallel",
)
"""Modules of torch that are used by their methods, where a call of one raises, that
call another one, which may be the user's, or that decide by what they are given."""
_UNREADABLE = (property, classmethod, functools.cached_property)
_TUPLE_FIELD = "_tuplegetter"
"""The type of the attributes by which a named tuple's class holds its fields."""


@functools.lru_cache
def _calls_ours(cls: Any) -> bool:
    """Whether torch's `forward` of a class calls a function in whose place ours is."""
    forward = cls.forward
    if not isinstance(forward, types.FunctionType):
        return False
    if forward.__module__.partition(".")[0] != "torch":
        return False
    names = forward.__code__.co_names
    return any(f"torch.nn.functional.{name}" in FUNCTIONS for name in names)


class Attributes(Values):
    """What may be read of objects: their own values and those of their classes."""

    def __init__(self, function_symbol: Callable[[Any], str]):
        super().__init__(function_symbol)
        self.views: dict[str, type] = {}
        """Objects as a base class of theirs, of torch's, sees them -> the class."""
        self.templates: set[str] = set()
        """Objects that stand for those that are made while the network runs."""
        self._unhooked: set[str] = set()
        """Those of the views whose calls run no hooks."""
        self._passed_over: dict[type, frozenset[str]] = {}
        """Class -> `_of_libraries`."""

    def _class_of(self, path: str, target: Any) -> type:
        """The class of an object; of a parametrised module, the one it had before."""
        is_parametrisation = isinstance(
            target, self._torch.nn.Module
        ) and is_parametrised(target)
        classes: tuple[type, ...] = inspect.getmro(type(target))
        return self.views.get(path) or classes[1 if is_parametrisation else 0]

    def _attributes(self, path: str, target: Any, cls: type) -> dict[str, object]:
        """All that may be read of an object or a class, as Python finds it."""
        members: dict[str, object] = {}
        static: list[str] = []
        unknown: list[str] = []
        opened = self._opened(path, target, cls)
        names = names_of(target, cls)
        if not isinstance(target, type):
            own, passed_over = own_names(target), self._of_libraries(cls) - opened
            if path in self.templates:
                passed_over -= RUN_WHEN_MADE
            names = [n for n in names if n in own or n not in passed_over]
        for name in names:
            value = find(target, name, cls)
            if value is None or name in _INTERNAL:
                continue
            if value.owner is None:
                if name not in _BY_TYPE:
                    members[name] = self.value(value.value, full_name(path, name))
            elif name in opened and not is_users_class(value.owner):
                ours = FUNCTIONS.get(f"{class_name(value.owner)}.{name}")
                ours = ours or self._symbol(function_of(value.value))
                members[name] = FunctionRef(ours)
            elif self._is_taken(target, name, value) or (
                path in self.templates and _is_init(name, value)
            ):
                members[name] = self._class_member(
                    target, value.owner, name, value.value
                )
            bound = value.owner is not None and not is_static(value.value)
            if isinstance(members.get(name), FunctionRef) and not bound:
                static.append(name)
            is_unknown = isinstance(members.get(name), UnsupportedRef)
            if is_unknown and bound and is_data_descriptor(value.value):
                unknown.append(name)
        if static:
            members["__static__"] = sorted(static)
        if unknown:
            members[UNKNOWN_SETTERS] = sorted(unknown)
        return members

    def _of_libraries(self, cls: type) -> frozenset[str]:
        """The names of a class that are recorded with none of its objects.

        Unless an object has something of its own there: most of what a module has
        is torch's, and the same for each module of the class.
        """
        known = self._passed_over.get(cls)
        if known is None:
            names = {name for base in cls.__mro__ for name in vars(base)}
            attributes = {name: of_class(cls, name) for name in names}
            known = self._passed_over[cls] = frozenset(
                name
                for name, attribute in attributes.items()
                if attribute is not None and not self._is_taken(None, name, attribute)
            )
        return known

    def _opened(self, path: str, target: Any, cls: type) -> set[str]:
        """The methods of torch's classes that are compiled from their source.

        These are all that a module has, if torch's `forward` may call one in whose
        place the user has put another, or the module is there for them; else none.
        """
        if path in self.views or not isinstance(target, self._torch.nn.Module):
            return set()
        names = {
            name
            for base in cls.__mro__
            if is_torchs(base) and base is not self._torch.nn.Module
            for name, value in vars(base).items()
            if isinstance(value, (types.FunctionType, staticmethod))
            and not name.startswith("__")
        }
        if _calls_ours(cls) or any(class_name(c) in _OPENED for c in cls.__mro__):
            return names
        attributes = {name: find(target, name, cls) for name in names}
        users = {
            n
            for n, attribute in attributes.items()
            if attribute and is_users_class(attribute.owner)
        }
        own = {
            n
            for n, attribute in attributes.items()
            if attribute and attribute.owner is None
        }
        inner = (users | own) - set(_UNUSED_BY_FORWARD)
        # A class without a `forward` of its own is run by torch when it is analysed.
        return names if own & inner or (inner and "forward" in users) else set()

    @staticmethod
    def _is_taken(target: Any, name: str, found: StoredAttribute) -> bool:
        """Whether an attribute of a class is recorded with its objects."""
        if function_for(found.value) is not None:
            return not isinstance(target, type)
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

    def _class_member(self, target: Any, cls: type, name: str, value: object) -> object:
        """What an attribute of a class is for an object of it, or for the class."""
        of_class = isinstance(target, type)
        value = function_for(value) or alias_of_dicts(value) or value
        if isinstance(value, staticmethod):
            value = cast("staticmethod[..., object]", value).__func__
            if not is_users(value):
                return self.value(value, f"{class_name(cls)}.{name}")
        elif isinstance(value, classmethod):
            function = cast(Any, value).__func__
            if is_users(function):
                owner = target if of_class else type(target)
                return MethodRef(self._symbol(function), self._class(owner).path)
        elif isinstance(value, functools.cached_property) and not of_class:
            if is_users(value.func):
                return PropertyRef(self._symbol(CachedProperty(value.func)), "")
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
            constant = constant_of(value, self._symbol)
            path = self._path_of.get(id(target))
            if path is not None and isinstance(constant, GlobalRef):
                return Partial(constant, (ObjectRef(path),), {})
        return UnsupportedRef(f"a {type(value).__name__} of {cls.__name__}")

    def _record(self, cls: type) -> object:
        """How instances of a dataclass or named tuple are made; None for others.

        What `dycl.ir.record_classes` says, or an UnsupportedRef.
        """
        plan, changed = record_plan(cls), object_plan(cls)
        if isinstance(plan, str) and isinstance(changed, RecordPlan):
            plan = changed
        if plan is None or isinstance(plan, str):
            return None if plan is None else UnsupportedRef(plan)
        name = class_name(cls)
        members = self._attributes(name, plan.sample, cls)
        if (librarys := RETURNED.get(name)) is not None:
            members |= replaced_methods(cast(type, resolve_global(librarys)))
        static = members.pop("__static__", [])
        if plan.kind == MAPPING:  # what these do of its entries is known
            for special in _BY_TYPE & members.keys():
                del members[special]
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
            **compared_by(cls, plan),
            **_of_objects(name, changed, self.value),
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
                named = is_users_class(base) or base is collections.abc.Mapping
                for name in vars(base) if named else torchs:
                    key = f"super({class_name(owner)}).{name}"
                    special = name.startswith("__") and name not in _SPECIAL | OPERATORS
                    special &= name not in RUN_WHEN_MADE or path not in self.templates
                    if name in seen or special or name not in vars(base):
                        continue
                    seen.add(name)
                    value = vars(base)[name]
                    if is_users_class(base) or function_for(value) is not None:
                        found[key] = self._class_member(target, base, name, value)
                    elif base is collections.abc.Mapping:
                        continue
                    elif opened:
                        found[key] = FunctionRef(self._symbol(function_of(value)))
                    elif is_torchs(base) and base is not self._torch.nn.Module:
                        found[key] = self._as_torchs(path, target, base)
                    if isinstance(value, staticmethod):
                        static = [*static, key]
                seen.update(vars(base))
        if static:
            found["__static__"] = sorted(static)

    def _as_torchs(self, path: str, target: Any, cls: type) -> object:
        """The object as one of its base classes of torch sees it.

        `cls` has the `forward`, which may call a method of a class before it: batch
        norm's checks its input so.
        """
        forward = vars(cls)["forward"]
        order = [c for c in self._class_of(path, target).__mro__ if is_torchs(c)]
        cls = next(c for c in order if cast(Any, c).forward is forward)
        view = f"{path}<{cls.__name__}>"
        self.objects.setdefault(view, target)
        self.views[view] = cls
        self._unhooked.add(view)
        return ObjectRef(view)


def _is_init(name: str, found: StoredAttribute) -> bool:
    """Whether a method runs when an object is made, and is the user's."""
    is_fields = name == "__init__" and is_dataclass_init(found.value)
    return name in RUN_WHEN_MADE and not is_fields and is_users_class(found.owner)


def _of_objects(
    name: str, plan: RecordPlan | str | None, value: Callable[[object, str], object]
) -> dict[str, object]:
    """What `__record__` says of a dataclass whose instances may be changed."""
    if not isinstance(plan, RecordPlan):
        return {}
    return {
        "object": f"{TEMPLATE}{name}",
        "is_object": plan.is_object,
        "order": list(plan.order),
        "set_here": value(plan.set_here, name),
        "init_only": list(plan.init_only),
    }
