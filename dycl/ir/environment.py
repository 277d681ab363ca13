"""The model's objects, as the IR records them: what `getattr`, `len` or a call finds.

An `Environment` is built from the `dycl.object` ops of a module. It answers questions
about objects without the Python model, so that text alone can be compiled or
interpreted.

The objects themselves are `dycl.ir.objects`.
"""

import logging
from collections.abc import Callable, Iterable
from typing import Any, cast

from dycl.ir.arrays import ArrayConstant, array_constant, array_of
from dycl.ir.attribute_hooks import read_name
from dycl.ir.changes import TABLES
from dycl.ir.containers import bound_method, reading_method
from dycl.ir.equality import look_up
from dycl.ir.legacy_tensors import refuse_maybe_size
from dycl.ir.library import (
    MODES,
    class_of_library,
    member_of_library,
    partial,
    resolve_global,
    tensor_of,
)
from dycl.ir.not_evaluated import NotEvaluated, OfLibrary
from dycl.ir.object_functions import OF_REFERENCES, ON_OBJECTS
from dycl.ir.objects import KEPT_MEMBER, Objects
from dycl.ir.record_classes import RecordClass
from dycl.ir.records import DATACLASS, MAPPING, NAMEDTUPLE, Record, RecordType, instance
from dycl.ir.values import (
    DeviceRef,
    FunctionRef,
    GlobalRef,
    LoggerRef,
    MethodRef,
    ObjectRef,
    ParamRef,
    Partial,
    PropertyRef,
    TensorConstant,
    UnsupportedRef,
)


class Environment(Objects):
    """What Python's operations find at the objects of a module, and what it names."""

    def getattr(self, value: object, name: str) -> object:
        """`value.name`. Raises AttributeError as Python would."""
        if isinstance(value, ObjectRef):
            return self._member(value, name)
        if isinstance(value, GlobalRef):
            return GlobalRef(f"{value.name}.{name}")
        if isinstance(value, LoggerRef):
            logger, members = logging.getLogger(value.name), vars(logging.Logger)
            own = getattr(members.get(name), "__module__", "logging") == "logging"
            if not own or name in vars(logger).keys() - _OF_LOGGERS:
                raise NotEvaluated(f"`{name}` of a logger")
            value = logger
        if isinstance(value, (DeviceRef, ArrayConstant)):
            value = self.resolve(value)
        if isinstance(value, Record):
            if name in value.type.fields and not self.hides_field(value.type, name):
                return value.items[value.type.fields.index(name)]
            members = self.record_class(value.type.path).getattr(value, name)
            if isinstance(members, UnsupportedRef):
                raise NotEvaluated(members.reason)
            return members
        return getattr(value, _own_name(value, name))

    def hides_field(self, record: RecordType, name: str) -> bool:
        """Whether a property of a record's class comes before its field."""
        if name not in record.fields or record.path not in self._ops:
            return False
        return isinstance(self.record_members(record.path).get(name), PropertyRef)

    def record_class(self, path: str) -> RecordClass:
        """How the class at a path makes instances. NotEvaluated: it makes none."""
        cls = self.members(path).get("__record__")
        if isinstance(cls, dict):
            return RecordClass.of(path, cast(dict[str, object], cls))
        why = "an object made while the network runs"
        raise NotEvaluated(cls.reason if isinstance(cls, UnsupportedRef) else why)

    def _fields(self, record: Record) -> tuple[object, ...]:
        """The items by number. NotEvaluated: a plain dataclass has none."""
        if record.type.kind == NAMEDTUPLE:
            return record.items
        if record.type.kind == MAPPING:
            return tuple(record.entries.values())
        kind = record.type.name.rpartition(".")[2]
        raise NotEvaluated(f"`{kind}` is a dataclass, and has no items")

    def _member(self, ref: ObjectRef, name: str) -> object:
        members = self.members(ref.path)
        name = read_name(self, ref, name, self.function)
        if isinstance(members.get(name), PropertyRef):
            return members[name]  # whatever is set, its setter is what runs
        table = members.get(name) if name in TABLES else None
        if isinstance(table, dict) and any(
            self.changes(ref.path, str(key)) for key in cast("dict[Any, Any]", table)
        ):
            raise NotEvaluated(f"`{name}`, an entry of which is set during the run")
        if self.changes(ref.path, name):
            raise NotEvaluated(
                f"the attribute `{name}`, which is set while the network runs"
            )
        if name not in members:
            if self.asks_getattr(ref, name):
                raise NotEvaluated(f"`__getattr__` of {self.class_name(ref.path)}")
            items = members.get("__items__")
            if (method := reading_method(members, name)) is not None:
                return bound_method(items, method)
            if isinstance(items, dict) and name in ("keys", "values", "items"):
                return bound_method(items, name)
            named = _named_children(items)
            if named is not None and name in ("children", "named_children"):
                pairs = name == "named_children"
                return lambda: [pair if pairs else pair[1] for pair in named]
            kind = self.class_name(ref.path).rpartition(".")[2]
            if (owner := self._library_owner(ref, name)) is not None:
                raise OfLibrary(f"`{name}`, which `{kind}` has from `{owner}`")
            raise AttributeError(f"'{kind}' object has no attribute '{name}'")
        member = members[name]
        if isinstance(member, FunctionRef):
            if name in cast(list[object], members.get("__static__", [])):
                return member
            return MethodRef(member.symbol, ref.path)
        if isinstance(member, UnsupportedRef):
            raise NotEvaluated(member.reason)
        return member

    def asks_getattr(self, ref: ObjectRef, name: str) -> bool:
        """Whether reading an attribute calls the `__getattr__` of the user's class."""
        members = self.members(ref.path)
        if name in members or "__getattr__" not in members or _SUPER in name:
            return False
        is_set = ref.path in self.made and self.changes(ref.path, name)
        return not is_set and self._library_owner(ref, name) is None

    def is_module(self, ref: ObjectRef) -> bool:
        """Whether an object is one of torch's modules."""
        return self._library_owner(ref, "__getattr__") is not None

    def _library_owner(self, ref: ObjectRef, name: str) -> str | None:
        return class_of_library(self.classes(ref), name)

    def subscript(self, value: object, index: object) -> object:
        """`value[index]`, also of a ModuleList, Sequential or ModuleDict."""
        if isinstance(value, ObjectRef):
            self.refuse_special(value, "__getitem__")
            if (members := self.enum_members(value)) is not None:
                return members[cast(str, index)]
            items = self.items(value.path)
            if items is None:
                raise NotEvaluated(f"@{value.path} cannot be subscripted")
            return look_up(self, items, index)
        if isinstance(value, Record):
            if isinstance(index, str) and value.type.kind == MAPPING:
                return value.entries[index]
            return self._fields(value)[cast(Any, index)]
        if isinstance(value, (ArrayConstant, GlobalRef, TensorConstant)):
            value = self.resolve(value)
        return look_up(self, value, index)

    def iterate(self, value: object) -> list[object]:
        """The items of an iterable, all at once."""
        if isinstance(value, ObjectRef):
            self.refuse_special(value, "__iter__", "__getitem__", "__len__")
            items = self.items(value.path)
            if items is None:
                raise NotEvaluated(f"@{value.path} cannot be iterated over")
            return list(items)
        if isinstance(value, Record):
            if value.type.kind == MAPPING:
                return list(value.entries)
            return list(self._fields(value))
        if isinstance(value, ArrayConstant):
            return list(map(array_constant, cast(Any, array_of(value))))
        return list(cast(Iterable[object], value))

    def refuse_special(self, value: ObjectRef | Record, *names: str) -> None:
        """Raise NotEvaluated where Python runs a method of the user's class."""
        is_record = isinstance(value, Record)
        path = value.type.path if is_record else value.path
        members = self.record_members(path) if is_record else self.members(path)
        special = next((n for n in names if n in members), None)
        if special is not None:
            name = path.removeprefix("class ") if is_record else self.class_name(path)
            raise NotEvaluated(f"`{special}` of {name}")

    def refuse_kept(self, ref: ObjectRef) -> None:
        """Raise NotEvaluated for one that stands for all that are made alike."""
        if KEPT_MEMBER in self.members(ref.path):
            raise NotEvaluated("whether an object is the one that was made before")

    def mapping(self, value: object) -> dict[object, object]:
        """The entries of a dict or ModuleDict. Raises TypeError for anything else."""
        if isinstance(value, ObjectRef):
            items = self.items(value.path)
            if isinstance(items, dict):
                return items
        if not isinstance(value, dict):
            kind = type(value).__name__
            raise TypeError(f"argument after ** must be a mapping, not {kind}")
        return cast(dict[object, object], value)

    def to_bool(self, value: object) -> bool:
        """`bool(value)`. NotEvaluated: that is in the elements of a parameter."""
        if isinstance(value, ParamRef):
            raise NotEvaluated(f"the elements of `{value.path}`")
        if isinstance(value, ObjectRef):
            self.refuse_special(value, "__bool__", "__len__")
            data = self.members(value.path)
            if "__data__" in data:
                return bool(data["__data__"])
            items = self.items(value.path)
            return True if items is None else bool(items)
        if isinstance(value, Record):
            self.refuse_special(value, "__bool__", "__len__")
            return value.type.kind == DATACLASS or bool(self._fields(value))
        if isinstance(value, (GlobalRef, FunctionRef, MethodRef, Partial)):
            return True
        return bool(value)

    def call(
        self, function: object, args: list[object], kwargs: dict[str, object]
    ) -> object:
        """Call something that is not the user's own code.

        Raises NotEvaluated for a function of the module: the caller runs its body.
        """
        if isinstance(function, Partial):
            given = {**function.kwargs, **kwargs}
            return self.call(function.callee, [*function.args, *args], given)
        refuse_maybe_size(function, args)
        if isinstance(function, GlobalRef):
            if function.name == "builtins.getattr" and isinstance(args[0], GlobalRef):
                return member_of_library(args[0], *args[1:])
            if function.name in MODES:
                return False
            if function.name == "functools.partial":
                return partial(*args, **kwargs)
            special = ON_OBJECTS.get(function.name)
            if special is not None and (
                any(isinstance(a, ObjectRef) for a in args)
                or (function.name in OF_REFERENCES and _is_reference(args[0]))
            ):
                return special(self, *args)
            if function.name.startswith("torch."):  # which asks for ones to write to
                args = [_copied(a) for a in args]
            function = resolve_global(function.name)
        if isinstance(function, (FunctionRef, MethodRef, ObjectRef)):
            raise NotEvaluated("a function of the model")
        if isinstance(getattr(function, "__self__", None), (list, dict)):
            # What a container holds stays what it is: another list, a reference.
            return cast(Callable[..., object], function)(*args, **kwargs)
        args = [self.resolve(a) for a in args]
        kwargs = {k: self.resolve(v) for k, v in kwargs.items()}
        result = cast(Callable[..., object], function)(*args, **kwargs)
        if function is isinstance and result is False and type(args[0]) is float:
            kinds = args[1] if isinstance(args[1], tuple) else (args[1],)
            if any(cast(type, kind).__module__ == "numpy" for kind in kinds):
                # The model's attribute may have been one: its value is kept only.
                raise NotEvaluated("whether a float is one of NumPy's is not known")
        return result

    def is_plain_class(self, ref: ObjectRef) -> bool:
        """Whether an object is a class of the user's without a metaclass."""
        classes = self.members(ref.path).get("__mro__")
        return ref.path.startswith("class ") and classes == ["builtins.type"]

    def resolve(self, value: object) -> object:
        """The Python thing that a reference stands for; other values as they are.

        A list or dict without references is itself, not a copy: it may be shared.
        """
        match value:
            case GlobalRef(name):
                return resolve_global(name)
            case ObjectRef(path) if "__data__" in self.members(path):
                return self.members(path)["__data__"]
            case DeviceRef(device):
                import torch

                return torch.device(device)
            case LoggerRef(name):
                return logging.getLogger(name)
            case TensorConstant():
                return tensor_of(value)
            case ArrayConstant():
                return array_of(value)
            case _:
                return _resolved(value, self.resolve)


def _resolved(value: object, resolve: Callable[[object], object]) -> object:
    """A structure with its items resolved; where none changes, itself."""
    match value:
        case Record(kind, items):
            return instance(Record(kind, tuple(map(resolve, items))))
        case tuple() if type(cast(object, value)) is tuple:
            items = tuple(map(resolve, cast("tuple[object]", value)))
            return value if _same(items, cast(Any, value)) else items
        case slice():
            parts = (value.start, value.stop, value.step)
            items = tuple(map(resolve, parts))
            return value if _same(items, parts) else slice(*items)
        case list():
            values = [resolve(v) for v in cast(list[object], value)]
            return value if _same(values, cast(Any, value)) else values
        case dict():
            known = cast(dict[object, object], value)
            entries = {k: resolve(v) for k, v in known.items()}
            return value if _same(entries.values(), known.values()) else entries
        case _:
            return value


def _copied(value: object) -> object:
    """An array that a constant stands for, as one's own; other values as they are."""
    if not isinstance(value, ArrayConstant) or value.shape is None:
        return value
    return cast(Any, array_of(value)).copy()


_OF_LOGGERS = vars(logging.getLogger("dycl")).keys()
_OF_PARTIALS = {"func": "callee", "keywords": "kwargs"}
"""What `functools.partial` calls what it holds -> what `Partial` does."""
_SUPER = "super("


def _own_name(value: object, name: str) -> str:
    """What a value of ours calls what Python's has by this name."""
    return _OF_PARTIALS.get(name, name) if isinstance(value, Partial) else name


def own_of_module(name: str) -> str:
    """The member that torch's `Module.__getattr__` finds, where the user's hides it."""
    return f"{_SUPER}torch.nn.modules.module.Module).{name}"


def _is_reference(value: object) -> bool:
    """Whether the IR has a reference in the place of a function or tensor."""
    return isinstance(value, (FunctionRef, MethodRef, ParamRef, Partial))


def _same(new: Iterable[object], old: Iterable[object]) -> bool:
    """Whether these are the very same objects."""
    return all(a is b for a, b in zip(new, old, strict=True))


def _named_children(items: object) -> list[tuple[str, object]] | None:
    """The children of a container, each module once, as torch lists them."""
    pairs: list[tuple[str, object]] = []
    if isinstance(items, dict):
        pairs = [(str(k), v) for k, v in cast(dict[object, object], items).items()]
    elif isinstance(items, list):
        pairs = [(str(i), v) for i, v in enumerate(cast(list[object], items))]
    if not all(isinstance(child, ObjectRef) for _, child in pairs):
        return None
    first = {child: name for name, child in reversed(pairs)}
    return [(name, child) for name, child in pairs if first[child] == name] or None
