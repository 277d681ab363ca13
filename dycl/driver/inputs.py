"""What a model and its example inputs must be before they are compiled."""

import inspect
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from types import NoneType
from typing import Any

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Attribute

from dycl.diag import CompileError, CompileErrors
from dycl.driver.trees import Tree, TreeError, datatype_of, signature_of
from dycl.frontend import is_exported
from dycl.frontend.opaque import why_opaque
from dycl.frontend.records import RecordPlan, record_plan
from dycl.ir.datatypes import Datatype, NodeType
from dycl.ir.dtypes import element_type
from dycl.ir.input_sizes import InputSize
from dycl.ir.opaque import remedy
from dycl.ir.torch import BoolT, FloatT, IntT, VTensorType
from dycl.runtime.signature import Signature


def check_model(model: Any) -> None:
    """CompileErrors: in training mode, or no Python source. TypeError: no model."""
    if isinstance(model, type):
        raise TypeError(
            f"{model.__name__} is a class, not a model: compile an instance of it, "
            f"{model.__name__}(...).eval()"
        )
    if not callable(model):
        raise TypeError(f"{type(model).__name__} is not a model: it cannot be called")
    named_modules: Any = getattr(model, "named_modules", None)
    if named_modules is None:
        return
    if (why := why_opaque(model)) is not None:
        what = f"the model is {why}"
        raise CompileErrors([CompileError("DY110", what, hint=remedy(why, ""))])
    training = [path for path, m in named_modules() if m.training]
    if training:
        which = "the model" if training[0] == "" else f"`{training[0]}`"
        raise CompileErrors(
            [
                CompileError(
                    "DY120",
                    f"{which} is in training mode; DyCL compiles inference",
                    hint="call model.eval() first",
                )
            ]
        )


def example_types(inputs: Sequence[Any]) -> list[Attribute]:
    """The types of tensors and numbers. TypeError: something is neither."""
    return list(example_of(None, inputs).types)


@dataclass(frozen=True)
class Example:
    """Example arguments as a network takes them: inputs, and what is around them."""

    types: tuple[Attribute, ...]
    """Of each tensor and number, in order."""
    values: tuple[Any, ...]
    names: tuple[str, ...]
    """How the user reaches each; (): as `forward` calls its parameters."""
    signature: Signature | None = None
    """None: there are tensors and numbers by position only."""
    classes: Mapping[str, type] = field(default_factory=dict[str, type])
    """The classes of records, by full name."""
    sizes: tuple[InputSize, ...] = ()
    """Those that a call decides: `?` in the types."""
    hints: Mapping[str, Any] | None = None
    """Of an exported program, the sizes that are to have versions, by name."""
    datatypes: tuple[Datatype, ...] = ()
    """Of the trees among the inputs."""
    rows: tuple[str, ...] = ()
    """The inputs that have rows, each of which goes its own way."""

    @property
    def arguments(self) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The example's arguments, by position and by name."""
        if self.signature is None:
            return self.values, {}
        return self.signature.call(self.values)


def example_of(
    model: Any, inputs: Sequence[Any], kwargs: Mapping[str, Any] | None = None
) -> Example:
    """Take example arguments apart.

    TypeError: `inputs` is no sequence, something in them is of no kind that a network
    takes, or they do not fit `forward`.
    """
    if not isinstance(inputs, (tuple, list)):
        raise TypeError(
            "the inputs are given as a tuple: dycl.compile(model, (x,)), not "
            f"dycl.compile(model, x) with a {type(inputs).__name__}"
        )
    plain = [_type_of(value) for value in inputs]
    types = tuple(item for item in plain if item is not None)
    if not kwargs and len(types) == len(plain):
        return Example(types, tuple(inputs), _names(model, len(inputs)))
    if is_exported(model):
        raise TypeError("an exported program takes tensors and numbers by position")
    return _Reader().read(model, inputs, kwargs or {})


class _Reader:
    """Finds the inputs in arguments, and notes their structure."""

    def __init__(self) -> None:
        self.types: list[Attribute] = []
        self.values: list[Any] = []
        self.names: list[str] = []
        self.classes: dict[str, type] = {}
        self.datatypes: dict[str, Datatype] = {}

    def read(
        self, model: Any, inputs: Sequence[Any], kwargs: Mapping[str, Any]
    ) -> Example:
        function = model.forward if hasattr(model, "named_modules") else model
        positional = _positional(function, len(inputs))
        if len(inputs) > len(positional):
            raise TypeError(
                f"{len(inputs)} inputs are given by position, but the model takes "
                f"{len(positional)}: {', '.join(positional)}"
            )
        by_place = dict(zip(positional, inputs, strict=False))
        if twice := by_place.keys() & kwargs.keys():
            raise TypeError(f"the input `{min(twice)}` is given twice")
        arguments = {
            name: self.structure(value, name, top=name in by_place)
            for name, value in {**by_place, **kwargs}.items()
        }
        return Example(
            tuple(self.types),
            tuple(self.values),
            tuple(self.names),
            Signature(arguments, positional, len(inputs), _defaults(function)),
            self.classes,
            datatypes=tuple(self.datatypes.values()),
        )

    def structure(self, value: Any, name: str, top: bool = False) -> dict[str, Any]:
        """What `dycl.runtime.signature` says; a truth by position is an input."""
        if isinstance(value, Tree):
            return self.tree(value, name)
        if isinstance(value, Enum):
            raise TypeError(
                f"the input `{name}` is {value!r}: give its value, or let the model "
                "hold the member"
            )
        if value is None or isinstance(value, (str, *(() if top else (bool,)))):
            return {"constant": value}
        if (known := _type_of(value)) is not None:
            self.types.append(known)
            self.values.append(value)
            self.names.append(name)
            return {"leaf": name}
        if type(value) in (tuple, list):
            items = [self.structure(v, f"{name}[{i}]") for i, v in enumerate(value)]
            return {type(value).__name__: items}
        if type(value) in (dict, OrderedDict):
            return {"dict": [self.entry(k, v, name) for k, v in value.items()]}
        plan = record_plan(type(value))
        if isinstance(plan, RecordPlan):
            fields = {
                f: self.structure(getattr(value, f), f"{name}.{f}") for f in plan.fields
            }
            full = f"{type(value).__module__}.{type(value).__qualname__}"
            self.classes[full] = type(value)
            return {"record": full, "kind": plan.kind, "fields": fields}
        why = f": it {plan}" if isinstance(plan, str) else ""
        raise TypeError(
            f"the input `{name}` is a {type(value).__name__}{why}; a network takes "
            "tensors, arrays, numbers, None, strings, and tuples, lists, dicts, named "
            "tuples and dataclasses of these; nodes of a tree as dycl.Tree(root)"
        )

    def tree(self, value: Tree, name: str) -> dict[str, Any]:
        """A tree whose structure each call decides. TreeError."""
        datatype, enums, classes = datatype_of(value.root, name, _type_of)
        known = self.datatypes.setdefault(datatype.name, datatype)
        if known != datatype:
            raise TreeError(
                f"two trees have roots of the class {datatype.name}, and what their "
                "nodes hold differs: give one example that shows all of it to both"
            )
        self.datatypes |= enums
        self.classes |= classes
        self.types.append(NodeType(StringAttr(datatype.name)))
        self.values.append(value.root)
        self.names.append(name)
        return {"tree": name, **signature_of(datatype, enums)}

    def entry(self, key: object, value: Any, name: str) -> list[Any]:
        """A key, which is part of the signature, and the structure of its value."""
        if not isinstance(key, (str, int, bool, NoneType)):
            raise TypeError(
                f"the input `{name}` has the key {key!r}, which is neither a string "
                "nor an int"
            )
        return [key, self.structure(value, f"{name}[{key!r}]")]


def _names(model: Any, count: int) -> tuple[str, ...]:
    """What a decorated `forward` calls its parameters; (): it says so itself.

    `run(*args)` around `forward(x)` has an `x` for the user, as `inspect` says.
    """
    function = getattr(model, "forward", model)
    if not hasattr(function, "__wrapped__"):
        return ()
    names = parameter_names(model, count)[:count]
    return tuple(names) if len(names) == count else ()


def parameter_names(model: Any, count: int) -> list[str]:
    """The names of a model's parameters that may be given by position.

    Of `*args` as many as there are among `count` arguments.
    """
    return _positional(
        model.forward if hasattr(model, "named_modules") else model, count
    )


def _positional(function: Any, count: int) -> list[str]:
    """The names of the parameters that may be given by position, `*args` included."""
    result: list[str] = []
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind is parameter.VAR_POSITIONAL:
            rest = range(count - len(result))
            return result + [f"{parameter.name}_{i}" for i in rest]
        if parameter.kind in (
            parameter.POSITIONAL_ONLY,
            parameter.POSITIONAL_OR_KEYWORD,
        ):
            result.append(parameter.name)
    return result


def _defaults(function: Any) -> dict[str, object]:
    """Those of a function's parameters that are plain data."""
    known = inspect.signature(function).parameters.values()
    plain = (bool, int, float, str, NoneType)
    return {p.name: p.default for p in known if isinstance(p.default, plain)}


def _type_of(value: Any) -> Attribute | None:
    """The type of a tensor or number; None: it is neither, or more than that."""
    if isinstance(value, Enum):
        return None
    if isinstance(value, bool):
        return BoolT
    if isinstance(value, int):
        return IntT
    if isinstance(value, float):
        return FloatT
    if hasattr(value, "shape") and hasattr(value, "dtype"):
        name = str(value.dtype).removeprefix("torch.")
        try:
            return VTensorType.of([int(s) for s in value.shape], element_type(name))
        except KeyError:
            raise TypeError(f"an input has the dtype {name}") from None
    return None
