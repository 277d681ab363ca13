"""Which dataclasses and named tuples a network may make while it runs, and how."""

import dataclasses
import inspect
from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, cast

from dycl.frontend.names import is_users_class
from dycl.ir.records import DATACLASS, MAPPING, NAMEDTUPLE


@dataclass(frozen=True)
class RecordPlan:
    """How instances of a class are made: its `__init__`, in data."""

    kind: str
    fields: tuple[str, ...]
    keyword_only: tuple[str, ...]
    defaults: dict[str, object]
    factories: dict[str, object]
    sample: object
    """An instance without values, to look up methods."""
    set_here: dict[str, object] = field(default_factory=dict[str, object])
    """Fields that are set to what a factory gives, and cannot be given."""
    init_only: tuple[str, ...] = ()
    """Those of `fields` that are handed to `__post_init__`, and not set."""
    order: tuple[str, ...] = ()
    """All of these names, as they were declared."""
    is_object: bool = False
    """Whether an instance is more than its fields: it has a `__post_init__`, say."""


_SPECIAL = (
    "__init__",
    "__new__",
    "__getattr__",
    "__getattribute__",
    "__setattr__",
)
"""Methods that Python runs when an instance is made, read or written."""


def record_plan(cls: type) -> RecordPlan | str | None:
    """The plan of a class; why there is none; None: it is no such class at all."""
    if issubclass(cls, tuple) and isinstance(getattr(cls, "_fields", None), tuple):
        return _of_named_tuple(cls)
    if dataclasses.is_dataclass(cls):
        return _of_dataclass(cls)
    return None


def object_plan(cls: type) -> RecordPlan | str | None:
    """The plan of a dataclass whose instances are objects, which may be changed.

    Why there is none; None: it is no dataclass.
    """
    if not dataclasses.is_dataclass(cls) or issubclass(cls, OrderedDict):
        return None
    if is_frozen(cls):
        return None
    return _of_dataclass(cls, as_object=True)


def is_frozen(cls: type) -> bool:
    """Whether the fields of a dataclass cannot be set."""
    return bool(cast(Any, cls).__dataclass_params__.frozen)


def _of_named_tuple(cls: Any) -> RecordPlan | str:
    made_by = next(c for c in cls.__mro__ if "_fields" in vars(c))
    for name in ("__new__", "__init__"):
        owner = next(c for c in cls.__mro__ if name in vars(c))
        if owner not in (made_by, object):
            return f"has a `{name}` of its own"
    fields = cast("tuple[str, ...]", cls._fields)
    sample = tuple.__new__(cls, [None] * len(fields))
    defaults = dict(cls._field_defaults)
    return RecordPlan(NAMEDTUPLE, fields, (), defaults, {}, sample)


def _of_mapping(cls: Any) -> RecordPlan | str:
    """A dataclass that is an `OrderedDict` of its fields that are not None.

    Whether it is, its own `__post_init__` and methods say, of samples.
    """
    names = tuple(f.name for f in dataclasses.fields(cls))
    missing = dataclasses.MISSING
    defaults = {f.name: f.default for f in dataclasses.fields(cls)}
    if not names or any(d not in (None, missing) for d in defaults.values()):
        return "is an OrderedDict whose fields have defaults that are not None"
    try:
        alike = all(_is_mapping(cls, names, sample) for sample in _samples(names))
    except Exception:  # whatever its own methods raise
        alike = False
    if not alike:
        return "is an OrderedDict of other things than its fields"
    return RecordPlan(
        MAPPING,
        names,
        tuple(f.name for f in dataclasses.fields(cls) if f.kw_only),
        {name: None for name, default in defaults.items() if default is None},
        {},
        OrderedDict.__new__(cls),
    )


def _samples(names: tuple[str, ...]) -> Iterator[dict[str, object]]:
    """All fields; every second one; each alone."""
    import torch

    values: dict[str, object] = {n: torch.tensor(1.0 * i) for i, n in enumerate(names)}
    yield values
    for first in (0, 1):
        yield {name: values[name] for name in names[first::2]}
    for name in names:
        yield {name: values[name]}


def _is_mapping(cls: Any, names: tuple[str, ...], given: dict[str, object]) -> bool:
    """Whether an instance has just what it is given, and takes one more at the end."""
    instance = cls(**{name: given.get(name) for name in names})
    if list(instance.items()) != list(given.items()):
        return False
    values = list(given.values())
    for i, (name, value) in enumerate(given.items()):
        if any(
            v is not value
            for v in (instance[name], instance[i], getattr(instance, name))
        ):
            return False
    if any(getattr(instance, name) is not None for name in names if name not in given):
        return False
    if list(instance[:]) != values:
        return False
    last = names[-1]
    instance[last] = values[0]
    return list(instance) == [*(n for n in given if n != last), last] and (
        instance[last] is values[0] is getattr(instance, last)
    )


def _of_dataclass(cls: Any, *, as_object: bool = False) -> RecordPlan | str:
    """`as_object`: more may happen to an instance than that its fields are read."""
    fields = dataclasses.fields(cls)
    if issubclass(cls, OrderedDict):
        return _of_mapping(cls)
    if hasattr(cls, "__post_init__") and not as_object:
        return "has a `__post_init__`"
    if type(cls).__call__ is not type.__call__:
        return f"has the metaclass {type(cls).__name__}"
    for base in cls.__mro__[:-1]:
        if not is_users_class(base) and base.__module__ not in ("abc", "typing"):
            return f"is a {base.__name__}"
    for name in _SPECIAL:
        if _owner(cls, name) is not None:
            return f"has a `{name}` of its own"
    given = [f for f in cls.__dataclass_fields__.values() if _is_given(f)]
    init_only = tuple(f.name for f in given if f._field_type.name == "_FIELD_INITVAR")
    if init_only and not as_object:
        return "has an `InitVar`"
    for each in fields:
        if not each.init and not as_object:
            return f"does not take the field `{each.name}` when it is made"
        default = inspect.getattr_static(cls, each.name, None)
        if isinstance(default, property):
            return f"has a property in the place of the field `{each.name}`"
    missing = dataclasses.MISSING
    factories = {
        f.name: f.default_factory for f in fields if f.default_factory is not missing
    }
    names = [f.name for f in given]
    known = {*names, *factories}
    return RecordPlan(
        DATACLASS,
        tuple(names),
        tuple(f.name for f in given if f.kw_only),
        {f.name: f.default for f in given if f.default is not missing},
        {name: v for name, v in factories.items() if name in names},
        object.__new__(cls),
        {name: v for name, v in factories.items() if name not in names},
        init_only,
        tuple(name for name in cls.__dataclass_fields__ if name in known),
        hasattr(cls, "__post_init__") or len(names) != len(fields),
    )


def _is_given(each: Any) -> bool:
    """Whether a field of a dataclass, or what looks like one, is a parameter."""
    return bool(each.init) and each._field_type.name != "_FIELD_CLASSVAR"


def _owner(cls: type, name: str) -> type | None:
    """The user's class that has a method which no decorator wrote."""
    owner = next((c for c in cls.__mro__ if name in vars(c)), object)
    is_own = is_users_class(owner) and not _is_generated(vars(owner)[name])
    return owner if is_own else None


def compared_by(cls: type, plan: RecordPlan) -> dict[str, object]:
    """What `dycl.ir.record_classes` says of how instances of a dataclass compare."""
    if plan.kind != DATACLASS or not _is_generated(getattr(cls, "__eq__", None)):
        return {}
    made_by = next(c for c in cls.__mro__ if "__eq__" in vars(c))
    if made_by is not cls:
        return {}  # an instance of the base class compares as equal to none of these
    fields = dataclasses.fields(cast(Any, cls))
    return {
        "compared": [f.name for f in fields if f.compare],
        "ordered": "__lt__" in vars(cls) and _is_generated(vars(cls)["__lt__"]),
    }


def is_dataclass_init(method: object) -> bool:
    """Whether this is an `__init__` of which the fields of a dataclass say all."""
    return _is_generated(method)


def _is_generated(method: Any) -> bool:
    """Whether the `dataclass` decorator wrote a method."""
    code = getattr(method, "__code__", None)
    return code is not None and code.co_filename == "<string>"
