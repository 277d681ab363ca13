"""The model's objects with their weights: parameters are tensors here."""

from collections.abc import Mapping
from typing import Any, cast

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute

from dycl.ir.changes import TABLES
from dycl.ir.dialect.model import ObjectOp
from dycl.ir.environment import Environment
from dycl.ir.library import resolve_global, tensor_of
from dycl.ir.library_objects import as_librarys
from dycl.ir.not_evaluated import NotEvaluated
from dycl.ir.objects import MAKES, full_name
from dycl.ir.records import OBJECT, Record, RecordType
from dycl.ir.values import (
    DeviceRef,
    GlobalRef,
    ObjectRef,
    ParamRef,
    TensorConstant,
    UnsupportedRef,
    from_attr,
)
from dycl.prelude import COMPLEX_RECORD

PARAMETER = "torch.nn.Parameter"
_SEQUENTIAL = "torch.nn.modules.container.Sequential"


class LiveEnvironment(Environment):
    """An `Environment` in which a parameter is the tensor that was given for it.

    What the program stores on an object (`self.count += 1`) stays for the rest of the
    run; each run starts from the module's text.
    """

    def __init__(self, module: ModuleOp, weights: Mapping[str, object]):
        """Weights by their names in the state dict: torch tensors or NumPy arrays."""
        super().__init__(module)
        self._weights = weights
        self._tensors: dict[str, object] = {}
        self._leaves: dict[str, Any] = {}
        self._set: dict[str, tuple[str, str]] = {}
        self._new: dict[str, None] = dict.fromkeys(self.made)
        """The objects that the run has made."""
        self._is_returning = False
        self._own: dict[str, dict[str, None]] = {}
        """The attributes that each of these has, in the order in which they came."""

    def changes(self, path: str, name: str) -> bool:
        """Never: here an attribute has its value of now."""
        return False

    def make(self, template: str) -> ObjectRef:
        """A new object, with the members that those of its class begin with."""
        path, op = f"{template} {len(self._new)}", self.op(template)
        self._ops[path] = op
        self._new[path] = None
        return ObjectRef(path)

    def param(self, path: str) -> object:
        """The tensor of a parameter or buffer, the same one each time.

        Raises KeyError when no weight of this name was given.
        """
        result = self._tensors.get(path)
        if result is None:
            if path not in self._weights:
                raise KeyError(f"there is no weight for '{path}'")
            result = _as_tensor(self._weights[path])
            if self.records_parameters and self.is_parameter(path):
                result = cast(Any, resolve_global(PARAMETER))(
                    result, requires_grad=False
                )
            self._tensors[path] = result
        return result

    def constant(self, attr: Attribute) -> object:
        """A new Python value for an attribute; tensors are made here."""
        return self.live(from_attr(attr))

    def getattr(self, value: object, name: str) -> object:
        """`value.name`, where a parameter is its tensor."""
        if isinstance(value, DeviceRef):
            value = self.resolve(value)
        is_object = isinstance(value, ObjectRef)
        if is_object and name == "forward" and self.is_leaf(value.path):
            return self.leaf(value.path).forward
        if is_object and name in TABLES:
            return self._table(value, name)
        return self.live(super().getattr(value, name))

    def _table(self, owner: ObjectRef, name: str) -> "_Table":
        """A table of a module; to set an entry of it is to set the attribute."""
        members = self.members(owner.path)
        result = cast("dict[str, object]", super().getattr(owner, name))
        if not isinstance(result, _Table):
            result = members[name] = _Table(self, owner, result)
        return result

    def live(self, value: object) -> object:
        """The tensor of a parameter or constant tensor; other values as they are."""
        match value:
            case ParamRef():
                return self.param(value.path)
            case TensorConstant():
                return tensor_of(value)
            case ObjectRef(path) if _is_complex(self._ops.get(path)):
                parts = self.members(path)
                return _complex(self.live(parts["real"]), self.live(parts["imag"]))
            case _:
                return value

    def resolve(self, value: object) -> object:
        """The Python thing that a reference stands for, parameters too."""
        if isinstance(value, ObjectRef) and value.path in self._new:
            value = self._record_of(value.path)
        if isinstance(value, ObjectRef) and value.path.startswith("class "):
            return super().resolve(GlobalRef(value.path.removeprefix("class ")))
        if isinstance(value, Record) and self._is_returning:
            value = as_librarys(value, lambda item: item is None)
        return super().resolve(self.live(value))

    def returned(self, value: object) -> object:
        """What the caller gets: a library's object where a record stands for one."""
        self._is_returning = True
        try:
            return self.resolve(value)
        finally:
            self._is_returning = False

    def setattr(self, value: object, name: str, new: object) -> None:
        """`value.name = new`."""
        if isinstance(value, ObjectRef):
            members = self.members(value.path)
            members[name] = new
            if value.path in self._new:
                self._own.setdefault(value.path, {})[name] = None
                return
            for table in TABLES & members.keys():
                entries = cast("dict[object, object]", members[table])
                if name in entries:
                    dict.__setitem__(entries, name, new)
            self._set[full_name(value.path, name)] = (value.path, name)
        elif isinstance(value, Record):
            raise NotEvaluated("a record, of which a field is set")
        else:
            setattr(value, name, new)

    def call(
        self, function: object, args: list[object], kwargs: dict[str, object]
    ) -> object:
        """As of an `Environment`; `setattr` on an object of the model too.

        `nn.Linear.forward(m, x)` runs on the module of torch that `m` is.
        """
        name = function.name if isinstance(function, GlobalRef) else ""
        is_torchs = name.startswith("torch.nn.") and name.endswith(".forward")
        if is_torchs and isinstance(args[0], ObjectRef):
            args = [self.leaf(args[0].path), *args[1:]]
        if function == GlobalRef("builtins.setattr") and isinstance(args[0], ObjectRef):
            self.setattr(args[0], str(args[1]), args[2])
            return None
        return super().call(function, args, kwargs)

    def set_state(self, values: Mapping[str, object]) -> None:
        """Give attributes their values of now; an object that was made is made anew."""
        for name, value in values.items():
            if isinstance(value, Record) and value.type.kind == OBJECT:
                value = self._made_of(value)
            path, attribute = self._attribute(name)
            recorded = self.members(path).get(attribute)
            if isinstance(recorded, ParamRef) and _is_tensor(value):
                # All objects that hold it have it, also torch's view of a module.
                self._tensors[recorded.path] = value
                self._set[name] = (path, attribute)
            else:
                self.setattr(ObjectRef(path), attribute, value)

    def state(self) -> dict[str, object]:
        """The attributes that were set, and the lists and dicts that were changed."""
        result: dict[str, object] = {}
        for name, (path, attribute) in self._set.items():
            value = self.live(self.members(path)[attribute])
            if isinstance(value, ObjectRef) and value.path in self._new:
                value = self._record_of(value.path)
            result[name] = value
        for path, name, value in self.changed_lists():
            if name in TABLES:
                continue  # its entries are attributes
            result.setdefault(full_name(path, name), self.resolve(value))
        for path, tensor in self._tensors.items():
            name, of_list, _ = path.partition("[")
            if not self._is_changed(path, tensor) or (of_list and not self.paths):
                continue  # without objects, each attribute is an argument
            if of_list:  # the list or dict that holds it is changed
                owner, attribute = self._attribute(name)
                tensor = self.resolve(self.members(owner)[attribute])
            result.setdefault(name, tensor)
        return result

    def _attribute(self, name: str) -> tuple[str, str]:
        """The object, by path, and the name of `control.hidden` in it."""
        owners = [p for p in self.paths if name.startswith(f"{p}." if p else "")]
        path = max(owners, key=len, default="")
        return path, name[len(path) + 1 if path else 0 :]

    def _record_of(self, path: str) -> Record:
        """What an object that the run has made is by now."""
        members, names = self.members(path), tuple(self._own.get(path, ()))
        kind = RecordType(self.class_name(path), OBJECT, names)
        return Record(kind, tuple(members[name] for name in names))

    def _made_of(self, record: Record) -> ObjectRef:
        """The object that a record says another run has left."""
        template = self.members(f"class {record.type.name}")[MAKES]
        new = self.make(str(template))
        for name, item in zip(record.type.fields, record.items, strict=True):
            self.setattr(new, name, item)
        return new

    def _is_changed(self, path: str, tensor: Any) -> bool:
        """Whether a run has written to a parameter or buffer, by `.data` too."""
        if tensor._version:
            return True
        given = cast(Any, _as_tensor(self._weights[path]))
        if tensor.shape != given.shape:
            return True
        return not bool(((tensor == given) | (tensor != tensor)).all())

    def store(self, value: object, index: object, new: object) -> None:
        """`value[index] = new`."""
        if isinstance(value, Record):
            raise NotEvaluated("a record, of which an entry is set")
        if isinstance(value, ObjectRef):
            self.refuse_special(value, "__setitem__")
        cast(Any, self.live(value))[self.resolve(index)] = new

    def chain(self, path: str) -> list[object] | None:
        """The children that a call of an `nn.Sequential` runs, else None."""
        mro = cast(list[object], self.members(path).get("__mro__", []))
        names = [self.class_name(path), *mro]
        if _SEQUENTIAL in names or "torch.nn.Sequential" in names:
            return self.iterate(ObjectRef(path))
        return None

    def leaf(self, path: str) -> Any:
        """The torch module of a leaf, built from its members and weights.

        Raises NotEvaluated when a part of it has no form in the IR.
        """
        if path not in self._leaves:
            self._leaves[path] = self._build(path)
        return self._leaves[path]

    def _build(self, path: str) -> Any:
        import torch

        members = self.members(path)
        mro = cast(list[str], members.get("__mro__") or [self.class_name(path)])
        # A user's subclass cannot be imported here; its methods are torch's.
        name = next((n for n in mro if n.startswith("torch.")), None)
        if name is None:
            raise NotEvaluated(f"@{path} is no module of torch")
        cls = cast(Any, resolve_global(name))
        module = cls.__new__(cls)
        torch.nn.Module.__init__(module)
        for key, value in members.items():
            of_class = key.startswith(("__", "super("))
            if of_class or isinstance(value, UnsupportedRef):
                continue
            if isinstance(value, ObjectRef):
                module.add_module(key, self.leaf(value.path))
            else:
                module.__dict__[key] = self.resolve(value)
        if issubclass(cls, torch.nn.RNNBase):
            # Its weak references to the weights have no form in the IR.
            module._init_flat_weights()
        return module


class _Table(dict[str, object]):
    """`m._buffers` and its like."""

    def __init__(
        self, environment: LiveEnvironment, owner: ObjectRef, entries: dict[str, object]
    ):
        super().__init__({k: environment.live(v) for k, v in entries.items()})
        self.environment, self.owner = environment, owner

    def __setitem__(self, name: str, value: object) -> None:
        super().__setitem__(name, value)
        self.environment.setattr(self.owner, name, value)


def _is_tensor(value: object) -> bool:
    return hasattr(value, "detach")


def _as_tensor(weight: Any) -> object:
    """A tensor of our own: the program may write to it."""
    if _is_tensor(weight):
        return weight.detach().clone()
    import torch

    tensor = torch.tensor(weight)
    # An array of bfloat16 is one of its bits: see dycl/runtime/dtypes.py.
    return tensor.view(torch.bfloat16) if tensor.dtype == torch.uint16 else tensor


def _is_complex(op: ObjectOp | None) -> bool:
    """Whether an object stands for a complex weight."""
    return op is not None and op.class_name.data == COMPLEX_RECORD


def _complex(real: object, imag: object) -> object:
    import torch

    return torch.complex(cast(Any, real), cast(Any, imag))
