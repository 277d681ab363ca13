"""The model's objects as `dycl.object` ops, and its parameters by name.

Every module gets the path under which `named_modules` finds it first; modules, and
other objects of the user's, that are reached only through lists, dicts or attributes
get the path of the attribute (`heads[0].fc`, `blocks['a']`).
"""

import inspect
from collections import OrderedDict
from collections.abc import Callable
from enum import Enum, EnumMeta
from typing import Any, cast

from xdsl.dialects.builtin import FileLineColLoc

from dycl.frontend.capture.classes import class_location, class_name
from dycl.frontend.capture.modules import Modules
from dycl.frontend.capture.values import attribute_of
from dycl.frontend.instances import TEMPLATE, template, why_no_instance
from dycl.frontend.opaque import has_no_shape, why_opaque
from dycl.ir import ObjectOp
from dycl.ir.object_texts import HAS_TEXT
from dycl.ir.objects import MAKES
from dycl.ir.record_classes import is_object
from dycl.ir.values import FunctionRef, ObjectRef, UnsupportedRef
from dycl.runtime.weights import parts_of


class Capture(Modules):
    """Walks a model once; `objects` and `params` are what it found, in order."""

    def __init__(self, model: Any, function_symbol: Callable[[Any], str]):
        """A capture of a module, or (None) of what functions mention only."""
        super().__init__(function_symbol)
        self._locations: dict[type, FileLineColLoc] = {}
        self.nodes: set[type] = set()
        """The classes of nodes of trees that are inputs."""
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
            if has_no_shape(tensor) or path.startswith(tuple(closed)):
                continue
            parts = {path: tensor}
            if (pair := self._pair(tensor)) is not None:
                parts = {name: getattr(pair, part) for part, name in parts_of(path)}
            for name, part in parts.items():
                self._param_of.setdefault(id(part), name)
                self.params.setdefault(name, part)

    def op(self, path: str) -> ObjectOp:
        """The `dycl.object` of a captured object, located at its class."""
        target = self.objects[path]
        members = self.members(path)
        attributes = {name: attribute_of(members[name]) for name in sorted(members)}
        cls = self._class_of(path, target)
        op = ObjectOp(path, class_name(cls), attributes)
        cls = target if isinstance(target, type) else cls
        if cls not in self._locations:
            self._locations[cls] = class_location(cls)
        op.location = self._locations[cls]
        return op

    def members(self, path: str) -> dict[str, object]:
        """The IR values of an object's attributes, by name."""
        target = self.objects[path]
        cls = self._class_of(path, target)
        if isinstance(target, type):
            classes = [class_name(c) for c in inspect.getmro(type(target))[:-1]]
            members: dict[str, object] = {"__mro__": classes}
            members |= self._attributes(path, target, target)
            if issubclass(target, Enum) and _goes_over_members(target):
                members["__items__"] = [self.value(m, path) for m in target]
            if issubclass(target, self._torch.autograd.Function):
                members["apply"] = self.value(cast(Any, target).apply, path)
                static = cast("list[str]", members.get("__static__", []))
                members["__static__"] = sorted([*static, "apply"])
            if target in self.nodes:
                members["__node__"] = self._node(target)
            record = self._record(target)
            if record is not None:
                members["__record__"] = record
            if not isinstance(record, dict) or is_object(record):
                members |= self._instances(target)
            return members
        classes = [class_name(c) for c in cls.__mro__[:-1]]
        if path in self.templates:  # which may have bases of ours in between
            made = self.objects[f"class {path.removeprefix(TEMPLATE)}"]
            classes = list(dict.fromkeys([*classes, *map(class_name, made.__mro__)]))
        members = {"__mro__": classes}
        is_module = isinstance(target, self._torch.nn.Module)
        data = {} if is_module else self._data(path, target)
        members |= data
        members |= self._attributes(path, target, cls)
        if stored := [n for n, v in data.items() if isinstance(v, FunctionRef)]:
            # A function that a tuple holds is no method of it.
            static = cast("list[str]", members.get("__static__", []))
            members["__static__"] = sorted([*static, *stored])
        if is_module:
            self._module_members(path, target, members)
            self._made_members(path, target, members)
            if path not in self._unhooked and "__call__" not in members:
                self._hook_members(path, target, members)
        self._super_members(path, target, cls, members)
        if is_module:
            self._super_call(target, cls, members)
        if path in self.templates:
            members["__class__"] = ObjectRef(f"class {path.removeprefix(TEMPLATE)}")
        return members

    def _node(self, cls: type) -> dict[str, object]:
        """What nodes of a class have besides fields and methods, as in
        `dycl.passes.nodes.members`."""
        properties: dict[str, object] = {}
        for base in reversed(cls.__mro__):
            for name, value in vars(base).items():
                properties.pop(name, None)
                if isinstance(value, property):
                    member = self._class_member(None, cls, name, value)
                    properties[name] = member
        note: dict[str, object] = {
            "properties": properties,
            "classes": [class_name(base) for base in cls.__mro__],
            "is_key": cls.__eq__ is object.__eq__,
        }
        if issubclass(cls, tuple) and "__getitem__" not in vars(cls):
            note["items"] = list(cast(Any, cls)._fields)
        return note

    def add_template(self, path: str) -> bool:
        """Capture what an object of a class is when it is made; False: of none."""
        cls = self.objects.get(f"class {path.removeprefix(TEMPLATE)}")
        if not path.startswith(TEMPLATE) or cls is None or why_no_instance(cls):
            return False
        self.objects[path] = template(cls)
        self.templates.add(path)
        return True

    def _instances(self, cls: type) -> dict[str, object]:
        """Where it is written down what an object of a class is, or why nowhere."""
        if (why := why_no_instance(cls)) is None:
            return {MAKES: f"{TEMPLATE}{class_name(cls)}"}
        return {MAKES: UnsupportedRef(why)}

    def _data(self, path: str, target: Any) -> dict[str, object]:
        """What an object is besides its attributes: a number, a tuple, an enum's."""
        data: dict[str, object] = {}
        if isinstance(target, Enum):
            data["name"] = target.name
            data["value"] = self.value(target.value, f"{path}.value")
        if isinstance(target, int):
            data["__data__"] = int.__int__(target)
        elif isinstance(target, float):
            data["__data__"] = float.__float__(target)
        elif isinstance(target, str):
            data["__data__"] = str.__str__(target)
        if "__data__" in data and _is_written_as_data(target):
            data[HAS_TEXT] = True
        if isinstance(target, tuple):
            fields = cast("tuple[str, ...]", getattr(target, "_fields", ()))
            items = [self.value(v, f"{path}[{i}]") for i, v in enumerate(target)]
            data |= dict(zip(fields, items, strict=False))
            data["__items__"] = items
        elif isinstance(target, (list, dict)) and not hasattr(
            type(target), "__missing__"
        ):
            data["__items__"] = self._items(path, target)
        elif isinstance(target, (dict, set)):
            data["__getattribute__"] = UnsupportedRef("a container of its own class")
        if type(target).__eq__ is not object.__eq__:
            data["__eq__"] = True
        return data

    def _items(self, path: str, target: Any) -> object:
        """What a list or dict of a class of its own holds, by the base's methods."""
        if isinstance(target, list):
            return self.value([*list.__iter__(target)], path)
        base = next(c for c in type(target).__mro__ if c in (OrderedDict, dict))
        entries = {k: dict.__getitem__(target, k) for k in base.__iter__(target)}
        return self.value(entries, path)


_TEXTS = (int.__repr__, float.__repr__, str.__str__, int.__format__, float.__format__)


def _is_written_as_data(target: Any) -> bool:
    """Whether texts and formats of an object are those of its number or text."""
    cls = type(target)
    own, form = cls.__str__, cls.__format__
    if form is Enum.__format__ and isinstance(target, str):
        # As many write it who have no `StrEnum`.
        code = getattr(own, "__code__", None)
        is_value = code is not None and (code.co_code, code.co_names) == _VALUE
        value = getattr(target, "value", None)
        return is_value and type(value) is str and value == target
    shown = cls.__repr__ if own is object.__str__ else own
    return shown in _TEXTS and form in (*_TEXTS, str.__format__)


def _value(self: Any) -> Any:
    return self.value


_VALUE = _value.__code__.co_code, _value.__code__.co_names


def _goes_over_members(cls: type[Enum]) -> bool:
    """Whether a loop over an enum, and its length, are as all enums have them."""
    own = type(cls)
    return own.__iter__ is EnumMeta.__iter__ and own.__len__ is EnumMeta.__len__
