"""What the attributes of objects are at one place of the program.

Before                       After
------                       -----
%n = dycl.getattr %cell "n"  dycl.return %zero
dycl.return %n

An attribute has a value, is not set, or may be anything: a call that is not inlined yet
may set it.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Final

from xdsl.ir import Operation, SSAValue

from dycl.ir import ConstantOp, UnboundOp
from dycl.ir.environment import Environment
from dycl.ir.interfaces import forwarded_from
from dycl.ir.values import (
    FunctionRef,
    MethodRef,
    NotAConstant,
    PropertyRef,
    UnsupportedRef,
    to_attr,
)
from dycl.passes.state.attributes import Key

KEPT = "an object that is made while the network runs is kept in the model"
"""What no state holds; `KEPT_HINT`: what to do."""
KEPT_HINT = "make it in `__init__`, or keep what is in it, each in an attribute"


class _NotSet:
    """The object has no such attribute of its own."""


NOT_SET: Final = _NotSet()


@dataclass
class Cells:
    """The attributes by object and name; None: it may be anything."""

    values: dict[Key, SSAValue | None] = field(
        default_factory=dict[Key, SSAValue | None]
    )
    is_open: bool = False
    """Whether one that is not among the values may be anything."""
    private: frozenset[str] = frozenset()
    """The objects of which no call knows (`objects.private`)."""

    def of(self, key: Key) -> SSAValue | _NotSet | None:
        """What an attribute is here."""
        if key in self.values or (self.is_open and key[0] not in self.private):
            return self.values.get(key)
        return NOT_SET

    def copy(self) -> "Cells":
        """The same for another path."""
        return Cells(dict(self.values), self.is_open, self.private)

    def become(self, other: "Cells", is_seen: Callable[[SSAValue], bool]) -> None:
        """What another path has left; what is not seen here may be anything."""
        self.is_open = other.is_open
        self.values = {
            key: value if value is not None and is_seen(value) else None
            for key, value in other.values.items()
        }

    def lose(self) -> None:
        """Whatever comes now may set any of them, but for those of private objects."""
        self.values = {k: v for k, v in self.values.items() if k[0] in self.private}
        self.is_open = True

    def lose_some(self, keys: Iterable[Key]) -> None:
        """These may be anything now."""
        self.values.update(dict.fromkeys(keys))


def of_class(key: Key, environment: Environment) -> ConstantOp | None:
    """What an object gives for an attribute that it has not; None: nothing known.

    A method, or a constant of the class. A list or dict of the class is shared by all
    its objects: that is not read here.
    """
    path, name = key
    members = environment.members(path)
    member = members.get(name, UnsupportedRef(name))
    if isinstance(member, FunctionRef):
        is_static = name in list(members.get("__static__", []))  # type: ignore[call-overload]
        member = member if is_static else MethodRef(member.symbol, path)
    if isinstance(member, PropertyRef | UnsupportedRef | list | dict):
        return None
    try:
        return ConstantOp(to_attr(member))
    except NotAConstant:
        return None


def is_bound(value: SSAValue) -> bool:
    """Whether a value is one on all paths, and not what was never set."""
    waiting, seen = [value], {value}
    while waiting:
        one = waiting.pop()
        if isinstance(one.owner, UnboundOp):
            return False
        new = [v for v in forwarded_from(one) if v not in seen]
        seen.update(new)
        waiting += new
    return True


def holds(op: Operation, paths: frozenset[str]) -> bool:
    """Whether an op uses one of these objects, as it is or inside something."""
    return any(leads_to(value, paths) for value in op.operands)


def leads_to(value: SSAValue, paths: frozenset[str]) -> bool:
    """Whether a value is one of these objects, or something with one inside."""
    from dycl.passes.objects.returned import objects_in

    return not paths.isdisjoint(objects_in(value))
