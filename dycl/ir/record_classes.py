"""The classes whose instances a network may make while it runs.

The object of such a class has a member `__record__`, a dict:

    kind, fields      as in `RecordType`
    keyword_only      the fields that are given by keyword only
    defaults          field -> the value it has when it is not given
    factories         field -> what is called for that value instead
    members, static   methods, properties and constants of an instance, by name, and
                      which of the functions do not take the instance
    classes           full names of the class and its bases
    compared          the fields by which `==` compares instances of a dataclass; none:
                      it compares as objects do
    ordered           whether `<` and its like do so, too

Of a dataclass whose instances may be changed, it also has

    object            the path of the object that stands for its instances
    is_object         whether they are objects in any case: there is a `__post_init__`
    order             the names of all fields and parameters, as they were declared
    set_here          field -> what is called for its value, which is never given
    init_only         of `fields` those that are given to `__post_init__` instead
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar, cast

from dycl.ir.records import NAMEDTUPLE, Record, RecordType
from dycl.ir.signature import Bound, Signature, bind
from dycl.ir.values import FunctionRef, Partial, to_attr

T = TypeVar("T")


def is_object(found: Mapping[str, Any]) -> bool:
    """Whether a `__record__` is of a class whose instances are objects in any case."""
    return bool(found.get("is_object"))


def object_of_record(found: object) -> str | None:
    """The path of the object that stands for the instances of a class, by its
    `__record__`, where they may be changed."""
    path = cast("dict[str, Any]", found).get("object") if found else None
    return path if isinstance(path, str) else None


@dataclass(frozen=True)
class RecordClass:
    """What `__record__` says."""

    type: RecordType
    signature: Signature
    defaults: Mapping[str, object]
    factories: Mapping[str, object]
    members: Mapping[str, object]
    static: Sequence[str]
    classes: Sequence[str]
    compared: Sequence[str] | None = None
    ordered: bool = False
    set_here: Mapping[str, object] = field(default_factory=dict[str, object])
    init_only: Sequence[str] = ()
    order: Sequence[str] = ()

    @staticmethod
    def of(path: str, found: dict[str, Any]) -> "RecordClass":
        """The class at a path, from its `__record__`."""
        fields = tuple(found["fields"])
        kind = RecordType(path.removeprefix("class "), found["kind"], fields)
        defaulted = dict.fromkeys([*found["defaults"], *found["factories"]])
        signature = Signature(
            fields,
            keyword_only=tuple(found["keyword_only"]),
            defaults={name: to_attr(value) for name, value in defaulted.items()},
        )
        rest = (found[key] for key in ("defaults", "factories", "members", "static"))
        return RecordClass(
            *(kind, signature, *rest),
            classes=found["classes"],
            compared=found.get("compared"),
            ordered=bool(found.get("ordered")),
            set_here=found.get("set_here", {}),
            init_only=found.get("init_only", ()),
            order=found.get("order", ()),
        )

    def compares_by(self, kind: str) -> Sequence[str] | None:
        """The fields by which an operator compares two instances; None: by others."""
        is_equality = kind in ("eq", "ne")
        is_ordering = self.ordered and kind in ("lt", "le", "gt", "ge")
        return self.compared if is_equality or is_ordering else None

    def bind(self, args: Sequence[T], kwargs: Mapping[str, T]) -> list[Bound[T]]:
        """One value per field, or `Default`. TypeError as Python raises it."""
        method = "__new__" if self.type.kind == NAMEDTUPLE else "__init__"
        name = f"{self.type.name.rpartition('.')[2]}.{method}"
        return bind(name, self.signature, args, kwargs)

    def getattr(self, record: Record, name: str) -> object:
        """`record.name` of no field; a property as it is. AttributeError as Python."""
        if name not in self.members:
            kind = record.type.name.rpartition(".")[2]
            raise AttributeError(f"'{kind}' object has no attribute '{name}'")
        member = self.members[name]
        if isinstance(member, FunctionRef) and name not in self.static:
            return Partial(member, (record,), {})
        return member
