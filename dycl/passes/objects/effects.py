"""Which ops may set attributes of objects, or read them, where nobody sees it.

Before                          After
------                          -----
dycl.setattr %cell "n", %x      dycl.setattr %cell "n", %x
%n = dycl.getattr %cell "n"     %s = dycl.getattr %cell "size"
%s = dycl.getattr %cell "size"  %m = dycl.getattr %cell "n"
%m = dycl.getattr %cell "n"     dycl.return %x, %s, %m
dycl.return %n, %s, %m

A call that is not inlined yet may do anything. So may what is syntax for a call: a
property, an operator, `len`, a loop over an object.
"""

from xdsl.ir import Block, Operation, SSAValue

from dycl.ir import (
    BinaryOp,
    CallOp,
    CompareOp,
    DictOp,
    ForOp,
    GetattrOp,
    InplaceOp,
    InvokeOp,
    SetattrOp,
    StoreSubscriptOp,
    SubscriptOp,
    ToBoolOp,
    UnaryOp,
    UnpackOp,
)
from dycl.ir.changes import object_of
from dycl.ir.constant_values import MISSING, constant_name, constant_value
from dycl.ir.contexts import ENTER, EXIT
from dycl.ir.dialect.syntax import VALUE
from dycl.ir.environment import Environment
from dycl.ir.interfaces import RegionBranchOp, forwarded_from
from dycl.ir.torch import TorchType
from dycl.ir.values import FunctionRef, MethodRef, ObjectRef, Partial, PropertyRef
from dycl.passes.state.readiness import is_settled


class Effects:
    """What is asked of ops, with what is known of the module's objects."""

    def __init__(self, environment: Environment):
        self.environment = environment
        self.methods = environment.methods
        self.properties = environment.properties
        self.set = environment.values_set()
        self.special = frozenset(filter(_is_called_by_syntax, self.methods))
        """The methods that syntax calls; `__call__` only where a function is taken."""

    def is_harmless(self, op: Operation) -> bool:
        """Whether an op runs no function of the user's that is not in sight."""
        if isinstance(op, GetattrOp):
            return _is_data(op.operand) or not self._is_property(op)
        if isinstance(op, SetattrOp):
            return object_of(op.operand) is not None and not self._is_property(op)
        if isinstance(op, _SYNTAX):
            return not any(map(self.has_methods, op.operands))
        if isinstance(op, CallOp) and constant_name(op.callee) in _SETTERS:
            path = object_of(op.arguments[0]) if op.arguments else None
            return path is not None and path not in self.environment.made
        if isinstance(op, CallOp) and any(map(_is_function, op.arguments)):
            return constant_name(op.callee) == "functools.partial"  # calls it later
        if isinstance(op, CallOp) and constant_name(op.callee) in _CALL_METHODS:
            is_called = bool(op.keyword_names) or constant_name(op.callee) in _CALLING
            return not any(self.has_methods(v, is_called) for v in op.arguments)
        return is_settled(op, self.environment, self.methods)

    def _is_property(self, op: GetattrOp | SetattrOp) -> bool:
        """Whether an attribute may be a property: of a known object that is known."""
        name, path = op.attribute.data, object_of(op.operand)
        if path is None:
            return name in self.properties
        return self.has_property(path, name)

    def has_property(self, path: str, name: str) -> bool:
        """Whether an attribute of an object is a property."""
        return isinstance(self.environment.members(path).get(name), PropertyRef)

    def may_read(self, op: Operation) -> bool:
        """Whether an op may read an attribute of an object that is not known yet."""
        if isinstance(op, GetattrOp):
            owner, name = op.operand, op.attribute.data
        elif isinstance(op, CallOp) and constant_name(op.callee) in _BY_NAME:
            owner = op.operands[1]
            default = constant_value(op.operands[2]) if len(op.operands) > 2 else None
            name = default if isinstance(default, str) else None
        else:
            return False
        if name is not None and name not in self.set and name not in self.properties:
            return False
        return constant_value(owner) is MISSING and not _is_data(owner)

    def has_methods(self, value: SSAValue, called: bool = False) -> bool:
        """Whether a value may be an object with methods that syntax calls.

        `called`: whether it may be called, as by `map`, or by `max` as its `key`.
        """
        special = self.special if called else self.special - {"__call__"}
        if not special:
            return False
        waiting, seen = [value], {value}
        while waiting:
            one = waiting.pop()
            constant = constant_value(one)
            if isinstance(constant, ObjectRef):
                if self._has_any(constant, special):
                    return True
            elif constant is MISSING and not _is_data(one):
                sources = self._sources(one)
                if not sources and self._may_be_object(one):
                    return True
                waiting += [v for v in sources if v not in seen]
                seen.update(sources)
        return False

    def _may_be_object(self, value: SSAValue) -> bool:
        """Whether what is not known of a value may be that it is an object."""
        owner = value.owner
        match owner:
            case Block():
                return isinstance(owner.parent_op(), ForOp)
            case CallOp():
                return constant_name(owner.callee) in ("", "builtins.getattr")
            case InvokeOp():
                name = owner.method.data
                if isinstance(owner.receiver.owner, DictOp) and name in _VIEWS:
                    return False
                gives = name in self.methods or name in _GIVE_ITEMS
                return gives and not _is_data(owner.receiver)
            case GetattrOp() | SubscriptOp() | UnpackOp():
                whole = owner.operands[0]
                is_open = isinstance(whole.owner, CallOp | InvokeOp)
                known = is_open and not self._may_be_object(whole)
                return not known and not _is_data(whole)
            case _:
                return isinstance(owner, RegionBranchOp)

    def _sources(self, value: SSAValue) -> list[SSAValue]:
        """What a value is one of; none: that is not known."""
        owner = value.owner
        if isinstance(owner, GetattrOp):
            path = object_of(owner.operand)
            if path in self.environment.made:
                return self.set.get(owner.attribute.data, [])
        return forwarded_from(value)

    def _has_any(self, ref: ObjectRef, special: frozenset[str]) -> bool:
        if ref.path.startswith("class "):
            return False
        members = self.environment.members(ref.path)
        return any(isinstance(members.get(n), FunctionRef | MethodRef) for n in special)


def _is_called_by_syntax(method: str) -> bool:
    """Whether an operator or a loop may call a method: `with` does by its name."""
    return method.startswith("__") and method not in ("__init__", ENTER, EXIT)


def _is_data(value: SSAValue) -> bool:
    return isinstance(value.type, TorchType) or value.type != VALUE


def _is_function(value: SSAValue) -> bool:
    constant = constant_value(value)
    return isinstance(constant, FunctionRef | MethodRef | Partial)


_CALLING = ("builtins.filter", "builtins.iter", "builtins.map")
_VIEWS = ("items", "keys", "values")
_GIVE_ITEMS = ("copy", "get", "items", "pop", "popitem", "setdefault", "values")
_SETTERS = ("builtins.setattr", "builtins.delattr")
_BY_NAME = ("builtins.getattr", "builtins.hasattr", "builtins.vars")
_SYNTAX = (
    *(BinaryOp, CompareOp, ForOp, InplaceOp, StoreSubscriptOp, SubscriptOp),
    *(ToBoolOp, UnaryOp, UnpackOp),
)
_CALL_METHODS = frozenset(
    f"builtins.{name}"
    for name in (
        *("abs", "all", "any", "bool", "dict", "divmod", "enumerate", "filter"),
        *("float", "format", "hash", "int", "iter", "len", "list", "map", "max"),
        *("min", "next", "pow", "print", "repr", "reversed", "round", "set"),
        *("sorted", "str", "sum", "tuple", "zip"),
    )
)
