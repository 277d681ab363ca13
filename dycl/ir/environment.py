"""The model's objects, as the IR records them: what `getattr`, `len` or a call finds.

An `Environment` is built from the `dycl.object` ops of a module. It answers questions
about objects without the Python model, so that text alone can be compiled or
interpreted.

Members with special names, written by the frontend:
    `__items__`   list (ModuleList, Sequential) or dict (ModuleDict) of the children
    `__mro__`     names of the object's classes, most derived first
    `__leaf__`    name of the torch class whose `forward` a call runs
    `__static__`  names of the functions that are called without the object
    `__record__`  of a class: how its instances are made (`dycl.ir.record_classes`)
    `__of_class__`  the attributes of a module's class that functions set on the module
    `__order__`   the names of a module's parts (`dycl.ir.module_walks`)
    `__hooks__`   what a call of the object runs (`dycl.ir.hooks`)
    `__hidden__`  parameters, buffers and submodules whose name means something else
    `__shared__`  names of the lists and dicts that another attribute holds as well
    `__overlapping__`  (of the model) tensors that share memory with another one
"""

import logging
from collections.abc import Callable, Iterable, Iterator
from typing import Any, cast

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from dycl.ir.attribute_hooks import read_name
from dycl.ir.changes import TABLES, changing_attributes
from dycl.ir.demand import demand
from dycl.ir.dialect import ObjectOp
from dycl.ir.dialect.model import symbol_ops
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
from dycl.ir.record_classes import RecordClass
from dycl.ir.recorded import is_equal, members_of
from dycl.ir.records import NAMEDTUPLE, Record, RecordType, instance
from dycl.ir.state import state_of
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
    from_attr,
)


class Environment:
    """The objects of one module, and the importable things it names."""

    def __init__(self, module: ModuleOp):
        self._ops = {
            op.sym_name.data: op for op in module.body.ops if isinstance(op, ObjectOp)
        }
        self._members: dict[str, dict[str, object]] = {}
        self._parameters: set[str] | None = None
        self._module = module
        self._changing: frozenset[str] | None = None
        self._lifted: frozenset[str] | None = None

    @property
    def changing(self) -> frozenset[str]:
        """Names of attributes that a run may set: what is recorded is their start."""
        if self._changing is None:
            self._changing = changing_attributes(self._module)
        return self._changing

    def changes(self, path: str, name: str) -> bool:
        """Whether a run may set this attribute, or could before `dycl-lift-state`."""
        if self._lifted is None:
            states = map(state_of, self._module.body.ops)
            variables = [v for s in states if s is not None for v in s.variables]
            self._lifted = frozenset(v.name for v in variables)
        return name in self.changing or full_name(path, name) in self._lifted

    @property
    def methods(self) -> frozenset[str]:
        """The names under which objects have functions."""
        return frozenset(
            name
            for path in self._ops
            for name, value in self.members(path).items()
            if isinstance(value, (FunctionRef, MethodRef))
        )

    @property
    def paths(self) -> list[str]:
        """All objects."""
        return list(self._ops)

    def changed_lists(self) -> Iterator[tuple[str, str, object]]:
        """Lists and dicts that are not as recorded any more: object, name, value."""
        for path, members in self._members.items():
            recorded = self._ops[path].members.data
            for name, value in members.items():
                if isinstance(value, (list, dict)) and name in recorded:
                    before = from_attr(recorded[name])
                    if not is_equal(before, value):
                        yield path, name, cast(object, value)

    def is_shared(self, param: str) -> bool:
        """Whether the memory of a parameter or buffer is reached in another way too."""
        model = self.members("") if "" in self._ops else {}
        overlapping = cast("list[object]", model.get("__overlapping__", []))
        return len(self.holders(param)) > 1 or param in overlapping

    def holders(self, param: str) -> list[tuple[str, str]]:
        """The attributes that are this parameter or buffer: object, name."""
        found: list[tuple[str, str]] = []
        for path in self._ops:
            for name, value in self.members(path).items():
                if isinstance(value, ParamRef) and value.path == param:
                    found.append((path, name))
        return found

    @property
    def records_parameters(self) -> bool:
        """Whether the frontend has written down what the modules' parameters are."""
        return any("__order__" in op.members.data for op in self._ops.values())

    def is_parameter(self, path: str) -> bool:
        """Whether a tensor of the model is a `torch.nn.Parameter`.

        NotEvaluated: no function asks for classes, so it is not recorded.
        """
        if self._parameters is None:
            self._parameters = set()
            for each in map(self.members, self._ops):
                order = cast("dict[str, list[str]]", each.get("__order__", {}))
                named = [each.get(name) for name in order.get("parameters", ())]
                self._parameters |= {p.path for p in named if isinstance(p, ParamRef)}
        if not self.records_parameters:
            raise NotEvaluated("whether a tensor is a parameter")
        return path in self._parameters

    def members(self, path: str) -> dict[str, object]:
        """All members of an object, by name.
        Raises NotEvaluated when the module has no such object.
        """
        found = self._members.get(path)
        if found is None:
            op = self._ops.get(path)
            if op is None:
                raise NotEvaluated(f"the module has no object @{path}")
            found = self._members[path] = members_of(op)
        return found

    def add(self, stem: str, make: Callable[[str], ObjectOp], at: Operation) -> str:
        """Put a new object into the module, under a path that begins like this.

        It stands for what `at` makes.
        """
        path, count = stem, 1
        while path in self._ops:
            path, count = f"{stem}_{count}", count + 1
        self._ops[path] = op = make(path)
        op.location = at.location
        block = self._module.body.block
        block.insert_ops_before([op], next(iter(block.ops)))
        return path

    def class_name(self, path: str) -> str:
        """Full name of an object's class."""
        return self._ops[path].class_name.data

    def is_leaf(self, path: str) -> bool:
        """Whether a call of the object runs torch's own `forward`."""
        return "__leaf__" in self.members(path)

    def items(self, path: str) -> list[object] | dict[object, object] | None:
        """Children of a container, or None for an object that is none."""
        return cast(
            "list[object] | dict[object, object] | None",
            self.members(path).get("__items__"),
        )

    def getattr(self, value: object, name: str) -> object:
        """`value.name`. Raises AttributeError as Python would."""
        if isinstance(value, ObjectRef):
            return self._member(value, name)
        if isinstance(value, GlobalRef):
            return GlobalRef(f"{value.name}.{name}")
        if isinstance(value, (DeviceRef, LoggerRef)):
            value = self.resolve(value)
        if isinstance(value, Record):
            if name in value.type.fields and not self.hides_field(value.type, name):
                return value.items[value.type.fields.index(name)]
            found = self.record_class(value.type.path).getattr(value, name)
            if isinstance(found, UnsupportedRef):
                raise NotEvaluated(found.reason)
            return found
        return getattr(value, name)

    def hides_field(self, record: RecordType, name: str) -> bool:
        """Whether a property of a record's class comes before its field."""
        if name not in record.fields or record.path not in self._ops:
            return False
        found = self.members(record.path).get("__record__")
        members = cast(Any, found)["members"] if isinstance(found, dict) else {}
        return isinstance(members.get(name), PropertyRef)

    def record_class(self, path: str) -> RecordClass:
        """How the class at a path makes instances. NotEvaluated: it makes none."""
        found = self.members(path).get("__record__")
        if isinstance(found, dict):
            return RecordClass.of(path, cast(dict[str, object], found))
        why = "an object made while the network runs"
        raise NotEvaluated(found.reason if isinstance(found, UnsupportedRef) else why)

    def _fields(self, record: Record) -> tuple[object, ...]:
        """The items of a named tuple. NotEvaluated: a dataclass has none."""
        if record.type.kind == NAMEDTUPLE:
            return record.items
        kind = record.type.name.rpartition(".")[2]
        raise NotEvaluated(f"`{kind}` is a dataclass, and has no items")

    def op(self, path: str) -> ObjectOp:
        """What the module records of an object."""
        return self._ops[path]

    def function(self, symbol: str) -> Operation | None:
        """A function of the module; None: it is not there, or not yet."""
        return symbol_ops(self._module).get(symbol)

    def demanded(self, symbol: str) -> Operation | None:
        """A function of the module, which is imported if need be."""
        demand(self._module, symbol)
        return self.function(symbol)

    def _member(self, ref: ObjectRef, name: str) -> object:
        members = self.members(ref.path)
        name = read_name(self, ref, name, self.function)
        if isinstance(members.get(name), PropertyRef):
            return members[name]  # whatever is set, its setter is what runs
        if name in TABLES and any(
            self.changes(ref.path, str(key))
            for key in cast("dict[object, object]", members.get(name) or {})
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
            if isinstance(items, dict) and name in ("keys", "values", "items"):
                views = cast(Callable[[], Iterable[object]], getattr(items, name))
                return lambda: list(views())
            named = _named_children(items)
            if named is not None and name in ("children", "named_children"):
                pairs = name == "named_children"
                return lambda: [pair if pairs else pair[1] for pair in named]
            kind = self.class_name(ref.path).rpartition(".")[2]
            if (owner := self._library_owner(ref, name)) is not None:
                raise OfLibrary(f"`{name}`, which `{kind}` has from `{owner}`")
            raise AttributeError(f"'{kind}' object has no attribute '{name}'")
        found = members[name]
        if isinstance(found, FunctionRef):
            if name in cast(list[object], members.get("__static__", [])):
                return found
            return MethodRef(found.symbol, ref.path)
        if isinstance(found, UnsupportedRef):
            raise NotEvaluated(found.reason)
        return found

    def asks_getattr(self, ref: ObjectRef, name: str) -> bool:
        """Whether reading an attribute calls the `__getattr__` of the user's class."""
        members = self.members(ref.path)
        if name in members or "__getattr__" not in members or _SUPER in name:
            return False
        return self._library_owner(ref, name) is None

    def _library_owner(self, ref: ObjectRef, name: str) -> str | None:
        classes = self.members(ref.path).get("__mro__", [self.class_name(ref.path)])
        return class_of_library(cast("list[str]", classes), name)

    def subscript(self, value: object, index: object) -> object:
        """`value[index]`, also of a ModuleList, Sequential or ModuleDict."""
        if isinstance(value, ObjectRef):
            self.refuse_special(value, "__getitem__")
            items = self.items(value.path)
            if items is None:
                raise NotEvaluated(f"@{value.path} cannot be subscripted")
            return cast(Any, items)[index]
        if isinstance(value, Record):
            return self._fields(value)[cast(Any, index)]
        if isinstance(value, TensorConstant):
            value = tensor_of(value)
        return cast(Any, value)[index]

    def iterate(self, value: object) -> list[object]:
        """The items of an iterable, all at once."""
        if isinstance(value, ObjectRef):
            self.refuse_special(value, "__iter__", "__getitem__", "__len__")
            items = self.items(value.path)
            if items is None:
                raise NotEvaluated(f"@{value.path} cannot be iterated over")
            return list(items)
        if isinstance(value, Record):
            return list(self._fields(value))
        return list(cast(Iterable[object], value))

    def refuse_special(self, ref: ObjectRef, *names: str) -> None:
        """Raise NotEvaluated where Python runs a method of the user's class."""
        members = self.members(ref.path)
        found = next((n for n in names if n in members), None)
        if found is not None:
            raise NotEvaluated(f"`{found}` of {self.class_name(ref.path)}")

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

    def truth(self, value: object) -> bool:
        """`bool(value)`."""
        if isinstance(value, ObjectRef):
            self.refuse_special(value, "__bool__", "__len__")
            data = self.members(value.path)
            if "__data__" in data:
                return bool(data["__data__"])
            items = self.items(value.path)
            return True if items is None else bool(items)
        if isinstance(value, Record) and value.type.kind == NAMEDTUPLE:
            return bool(value.items)
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
            function = resolve_global(function.name)
        if isinstance(function, (FunctionRef, MethodRef, ObjectRef)):
            raise NotEvaluated("a function of the model")
        if isinstance(getattr(function, "__self__", None), (list, dict)):
            # What a container holds stays what it is: another list, a reference.
            return cast(Callable[..., object], function)(*args, **kwargs)
        args = [self.resolve(a) for a in args]
        kwargs = {k: self.resolve(v) for k, v in kwargs.items()}
        return cast(Callable[..., object], function)(*args, **kwargs)

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
            case Record(kind, items):
                return instance(Record(kind, tuple(map(self.resolve, items))))
            case tuple() if type(cast(object, value)) is tuple:
                items = tuple(self.resolve(v) for v in cast("tuple[object]", value))
                return value if _same(items, cast(Any, value)) else items
            case list():
                values = [self.resolve(v) for v in cast(list[object], value)]
                return value if _same(values, cast(Any, value)) else values
            case dict():
                known = cast(dict[object, object], value)
                entries = {k: self.resolve(v) for k, v in known.items()}
                return value if _same(entries.values(), known.values()) else entries
            case _:
                return value


_SUPER = "super("


def own_of_module(name: str) -> str:
    """The member that torch's `Module.__getattr__` finds, where the user's hides it."""
    return f"{_SUPER}torch.nn.modules.module.Module).{name}"


def full_name(path: str, name: str) -> str:
    """How an attribute is reached from the model."""
    return f"{path}.{name}" if path else name


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
