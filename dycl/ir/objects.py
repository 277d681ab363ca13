"""The model's objects as the IR records them, in the `dycl.object` ops of a module.

Members with special names, written by the frontend:
    `__items__`   list (ModuleList, Sequential) or dict (ModuleDict) of the children; of
                  an enum's class its members
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
    `__makes__`   of a class: the path of the object that stands for its instances
    `__made__`    of an object that the network makes while it runs
    `__unknown_setters__`  names of descriptors that are asked when they are set, and
                  are not compiled
    `__kept__`    of one that it keeps, and that is the same whenever it is made
"""

from collections.abc import Callable, Iterator, KeysView, Mapping
from functools import cache
from typing import Any, cast

from xdsl.dialects.builtin import ArrayAttr, ModuleOp, StringAttr
from xdsl.ir import Operation, SSAValue

from dycl.ir.changes import (
    attributes_set,
    changing_attributes,
    computed_names,
    made_objects,
    names_reached,
)
from dycl.ir.demand import Provider, nowhere
from dycl.ir.dialect import ObjectOp, SetattrOp
from dycl.ir.dialect.model import objects_in, symbol_ops
from dycl.ir.functions import entry_function
from dycl.ir.library import class_of_library
from dycl.ir.not_evaluated import NotEvaluated
from dycl.ir.record_classes import object_of_record
from dycl.ir.recorded import is_equal, members_of
from dycl.ir.state import state_of
from dycl.ir.values import (
    FunctionRef,
    MethodRef,
    ObjectRef,
    ParamRef,
    PropertyRef,
    from_attr,
)
from dycl.ir.walking import walk

MAKES = "__makes__"
KEPT_MEMBER = "__kept__"
UNKNOWN_SETTERS = "__unknown_setters__"
_ENUMS = {"enum.EnumMeta", "enum.EnumType"}
"""The class of classes that are enums, as versions of Python call it."""


CHANGED = "dycl.changed_instances"
"""On a module: the dataclasses whose instances are objects, as their fields are set."""


def change_instances(module: ModuleOp, path: str) -> None:
    """Let the instances of a dataclass be objects from now on."""
    paths = sorted({*changed_instances(module), path})
    module.attributes[CHANGED] = ArrayAttr(map(StringAttr, paths))


def changed_instances(module: ModuleOp) -> list[str]:
    """The dataclasses whose instances are objects, as their fields are set."""
    noted = module.attributes.get(CHANGED)
    items = noted if isinstance(noted, ArrayAttr) else ()
    return [item.data for item in items if isinstance(item, StringAttr)]


def _is_new(objects: "Objects", path: str, name: str) -> bool:
    """Whether a run may give an object this attribute by a computed name."""
    if not name.startswith(objects.starts()) or name in objects.members(path):
        return False
    return class_of_library(objects.classes(ObjectRef(path)), name) is None


class Objects:
    """The objects of one module: members, classes, and which attributes change."""

    def __init__(
        self,
        module: ModuleOp,
        provider: Provider = nowhere,
        changing: Callable[[ModuleOp], frozenset[str]] = changing_attributes,
    ):
        """`provider`: where functions come from that the module lacks.

        `changing`: who is asked, at most once, which attributes a run may set.
        """
        self._ops = objects_in(module)
        self._members: dict[str, dict[str, object]] = {}
        self._parameters: set[str] | None = None
        self._module = module
        self._provider = provider
        self._ask_changing = changing
        self._changing: frozenset[str] | None = None
        self._made: frozenset[str] | None = None
        self._set_anywhere: tuple[frozenset[str], tuple[str, ...]] | None = None
        self._lifted: frozenset[str] | None = None
        self.starts = cache(lambda: names_reached(module))
        """How the names begin that a run may set by `setattr`."""

    @property
    def changing(self) -> frozenset[str]:
        """Names of attributes that a run may set: what is recorded is their start."""
        if self._changing is None:
            self._changing = self._ask_changing(self._module)
        return self._changing

    def changes(self, path: str, name: str) -> bool:
        """Whether a run may set this attribute, or could before `dycl-lift-state`."""
        if path in self.made:
            return name in self.changing or self._is_set_anywhere(name)
        if self._lifted is None:
            states = map(state_of, self._module.body.ops)
            variables = [v for s in states if s is not None for v in s.variables]
            self._lifted = frozenset(v.name for v in variables)
        known = name in self.changing or full_name(path, name) in self._lifted
        return known or _is_new(self, path, name)

    @property
    def made(self) -> frozenset[str]:
        """The objects that the network makes while it runs."""
        if self._made is None:
            self._made = made_objects(self._module)
        return self._made

    def classes(self, ref: ObjectRef) -> list[str]:
        """The names of an object's class and its bases, most derived first."""
        classes = self.members(ref.path).get("__mro__", [self.class_name(ref.path)])
        return cast("list[str]", classes)

    def is_librarys_init(self, path: str, method: str) -> bool:
        """Whether a method is the `super().__init__` of `object` or of all modules.

        What that does to an object is known when it is made.
        """
        is_init = method.startswith("super(") and method.endswith(").__init__")
        return is_init and method not in self.members(path)

    def _is_set_anywhere(self, name: str) -> bool:
        """Whether a function of the module sets this attribute of some object."""
        if self._set_anywhere is None:
            module = self._module
            self._set_anywhere = attributes_set(module), computed_names(module)
        names, starts = self._set_anywhere
        return name in names or name.startswith(starts)

    @property
    def methods(self) -> frozenset[str]:
        """The names under which objects have functions."""
        return frozenset(
            name
            for path in self._ops
            for name, value in self.members(path).items()
            if isinstance(value, (FunctionRef, MethodRef))
        )

    def values_set(self) -> dict[str, list[SSAValue]]:
        """What the entry function sets attributes to, by their names."""
        by_name: dict[str, list[SSAValue]] = {}
        entry = entry_function(self._module)
        for op in () if entry is None else walk(entry):
            if isinstance(op, SetattrOp):
                by_name.setdefault(op.attribute.data, []).append(op.value)
        return by_name

    @property
    def properties(self) -> frozenset[str]:
        """The names under which objects have properties."""
        return frozenset(
            name
            for path in self._ops
            for name, value in self.members(path).items()
            if isinstance(value, PropertyRef)
        )

    @property
    def paths(self) -> KeysView[str]:
        """All objects, in order."""
        return self._ops.keys()

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
        """The attributes that are this parameter or buffer: object, name.

        An object as a class of torch's sees it is no other object.
        """
        result: dict[tuple[str, str], tuple[str, str]] = {}
        for path in sorted(self._ops, key=lambda path: path != viewed(path)):
            for name, value in self.members(path).items():
                if isinstance(value, ParamRef) and value.path == param:
                    result.setdefault((viewed(path), name), (path, name))
        return list(result.values())

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
        result = self._members.get(path)
        if result is None:
            op = self._ops.get(path)
            if op is None:
                raise NotEvaluated(f"the module has no object @{path}")
            result = self._members[path] = members_of(op)
        return result

    def add(self, stem: str, make: Callable[[str], ObjectOp], at: Operation) -> str:
        """Put a new object into the module, under a path that begins like this.

        It stands for what `at` makes.
        """
        path, count = stem, 1
        while path in self._ops:
            path, count = f"{stem}_{count}", count + 1
        self._ops[path] = op = make(path)
        self._made = None
        op.location = at.location
        block = self._module.body.block
        block.insert_ops_before([op], next(iter(block.ops)))
        return path

    def record_members(self, path: str) -> Mapping[str, object]:
        """What instances of a record's class have besides their fields."""
        return self.record(path).get("members", {})

    def maker(self, path: str) -> str | None:
        """The object that stands for the instances of a class; None: it makes records,
        or nothing."""
        maker = self.members(path).get(MAKES)
        if path in changed_instances(self._module):
            maker = object_of_record(self.record(path))
        return maker if isinstance(maker, str) else None

    def record(self, path: str) -> Mapping[str, Any]:
        """The `__record__` of a class; empty: it has none."""
        cls = self.members(path).get("__record__") if path in self._ops else None
        return cast(Any, cls) if isinstance(cls, dict) else {}

    def enum_members(self, ref: ObjectRef) -> dict[str, object] | None:
        """The members of an enum by name, aliases too; None: it is no such class."""
        members, cls = self.members(ref.path), ref.path.removeprefix("class ")
        classes = cast("list[str]", members.get("__mro__", []))
        if cls == ref.path or not _ENUMS.intersection(classes):
            return None
        return {
            name: value
            for name, value in members.items()
            if isinstance(value, ObjectRef) and self.class_name(value.path) == cls
        }

    def by_value(self, ref: ObjectRef) -> list[tuple[object, ObjectRef]] | None:
        """The members of an enum with their values, in order.

        None: it is no such class, or one that looks for values by itself.
        """
        members = self.members(ref.path)
        if self.enum_members(ref) is None or "_missing_" in members:
            return None
        items = cast("list[ObjectRef]", members.get("__items__", []))
        return [(self.members(item.path).get("value"), item) for item in items]

    def class_name(self, path: str) -> str:
        """Full name of an object's class."""
        return self._ops[path].class_name.data

    def is_leaf(self, path: str) -> bool:
        """Whether a call of the object runs torch's own `forward`, and no hooks."""
        members = self.members(path)
        return "__leaf__" in members and "__hooks__" not in members

    def items(self, path: str) -> list[object] | dict[object, object] | None:
        """Children of a container, or None for an object that is none."""
        return cast(
            "list[object] | dict[object, object] | None",
            self.members(path).get("__items__"),
        )

    def op(self, path: str) -> ObjectOp:
        """What the module records of an object."""
        return self._ops[path]

    def function(self, symbol: str) -> Operation | None:
        """A function of the module; None: it is not there, or not yet."""
        return symbol_ops(self._module).get(symbol)

    def demanded(self, symbol: str) -> Operation | None:
        """A function of the module, which is imported if need be."""
        self._provider(self._module, symbol)
        return self.function(symbol)


def full_name(path: str, name: str) -> str:
    """How an attribute is reached from the model."""
    return f"{viewed(path)}.{name}" if path else name


def viewed(path: str) -> str:
    """The object that `conv<Conv2d>` is, as that class of torch's sees it."""
    whole, _, cls = path.rpartition("<")
    return whole if cls.endswith(">") else path
