"""What a node has of its class: methods are called, properties are their getters.

Before                           After
------                           -----
%y = dycl.invoke %node "size"()  %p = dycl.is_node %node ["None"]
dycl.return %y                   dycl.if %p {
                                   %t = dycl.constant "'NoneType' object has no attribute 'size'"
                                   dycl.raise "builtins.AttributeError"(%t)
                                 }
                                 %size = dycl.constant #dycl.function<@node_size>
                                 %y = dycl.call %size(%node)
                                 dycl.return %y

Where classes of nodes have different ones, an `if` on the constructor chooses. The
object of a node's class, `class m.Node`, has a member `__node__`, a dict:

    properties   name -> the property
    items        of a named tuple: its fields, in order
    classes      full names of the class and its bases
    is_key       whether its objects are equal and hashed by which they are
"""  # noqa: E501

from collections.abc import Callable, Iterable, Sequence
from typing import cast

from xdsl.ir import Block, Operation, Region, SSAValue

from dycl.diag.source import SourceLoc
from dycl.ir import (
    CallOp,
    ConstantOp,
    GetattrOp,
    IfOp,
    InvokeOp,
    IsNodeOp,
    RaiseOp,
    YieldOp,
)
from dycl.ir.builtin_nodes import BASES, TENSOR, attribute_of
from dycl.ir.datatypes import Datatype, Field
from dycl.ir.dialect.nodes import NONE_NAME
from dycl.ir.dialect.syntax import VALUE
from dycl.ir.environment import Environment
from dycl.ir.rewriting import append, insert_before, insert_value, replace
from dycl.ir.torch import BoolT
from dycl.ir.values import FunctionRef, GlobalRef, ObjectRef, PropertyRef, to_attr
from dycl.passes.calls.recursion import note_inside

_Put = Callable[[Operation], SSAValue]


class NodeMembers:
    """The methods and properties of the classes of nodes."""

    def __init__(self, environment: Environment):
        """`environment` has the objects of these classes."""
        self.environment = environment

    def bases(self, constructor: str) -> Sequence[str]:
        """The full names of a class, or that of an enum's member, and its bases; ():
        they are not known."""
        if constructor in BASES:
            return BASES[constructor]
        if constructor in self.environment.paths:
            member = self.environment.members(constructor)
            return cast("Sequence[str]", member.get("__mro__", ()))
        known = cast("Sequence[str]", self._note(constructor).get("classes", ()))
        is_tuple = "builtins.tuple" in known
        return [*known, "collections.abc.Sequence"] if is_tuple else known

    def has_method(self, constructor: str, name: str) -> bool:
        """Whether a class of nodes has a method of the user's of this name."""
        members = self._members(constructor) if self._note(constructor) else {}
        is_static = name in cast("Sequence[str]", members.get("__static__", ()))
        return isinstance(members.get(name), FunctionRef) and not is_static

    def is_key(self, constructor: str) -> bool:
        """Whether nodes of a class are equal, and keys of a dict, by which they are."""
        return self._note(constructor).get("is_key") is True

    def items(self, constructor: str) -> tuple[str, ...]:
        """The fields of a named tuple, in order; (): the class is none."""
        return tuple(cast("Sequence[str]", self._note(constructor).get("items", ())))

    def hide(self, datatype: Datatype, field: Field) -> bool:
        """Whether nodes without a field have something else of its name."""
        others = set(range(len(datatype.constructors))) - set(field.constructors)
        names = [datatype.constructors[place] for place in others]
        name = attribute_of(field.name)
        return any(
            name in self._members(one)
            or name in cast("dict[str, object]", self._note(one)["properties"])
            for one in names
            if self._note(one)
        )

    def expand(self, op: GetattrOp | InvokeOp, may: Iterable[str]) -> bool:
        """Call what an attribute that is no field means; False: it is not known.

        `may` are the constructors that the node may be of.
        """
        name = op.attribute.data if isinstance(op, GetattrOp) else op.method.data
        found = {one: self._function(one, name, op) for one in may}
        if None in found.values() or not _has_function(found.values()):
            return False
        node = op.operands[0]
        is_none = insert_value(op, IsNodeOp(node, [NONE_NAME], BoolT))
        missing = f"'NoneType' object has no attribute '{name}'"
        end = YieldOp([])
        sides = (_raising(op, missing), _block(op, lambda put: end))
        texts = {"test": to_attr(f"{name} of None")}
        insert_before(op, IfOp(is_none, [], Region(sides[0]), Region(sides[1]), texts))
        replace(op, [self._chosen(op, found, lambda new: insert_value(op, new))])
        return True

    def _chosen(
        self, op: Operation, found: dict[str, FunctionRef | str | None], put: _Put
    ) -> SSAValue:
        """The call of the function that the node's class has."""
        functions = list(dict.fromkeys(found.values()))
        function = functions[0]
        names = [name for name, one in found.items() if one == function]
        if len(functions) == 1:
            assert isinstance(function, FunctionRef)
            return self._call(op, function, put)
        rest = {name: one for name, one in found.items() if one != function}
        test = put(IsNodeOp(op.operands[0], names, BoolT))

        def side(some: dict[str, FunctionRef | str | None]) -> Block:
            missing = next(iter(some.values()))
            if isinstance(missing, str) and len(set(some.values())) == 1:
                return _raising(op, missing)
            return _block(op, lambda put: YieldOp([self._chosen(op, some, put)]))

        sides = side(dict.fromkeys(names, function)), side(rest)
        short = ", ".join(name.rpartition(".")[2] for name in names)
        texts = {"test": to_attr(f"the node is a {short}")}
        return put(IfOp(test, [VALUE], Region(sides[0]), Region(sides[1]), texts))

    @staticmethod
    def _call(op: Operation, function: FunctionRef, put: _Put) -> SSAValue:
        callee = put(ConstantOp(to_attr(function)))
        keywords = op.keyword_names if isinstance(op, InvokeOp) else ()
        call = CallOp(callee, list(op.operands), keywords)
        if _is_inside_itself(op):
            named = op.keyword_arguments if isinstance(op, InvokeOp) else {}
            count = len(op.operands) - len(named)
            note_inside(call, op.operands[:count], named)
        return put(call)

    def _function(
        self, constructor: str, name: str, op: Operation
    ) -> FunctionRef | str | None:
        """What is called; a text: what an AttributeError says; None: not known."""
        if constructor in BASES and not _is_of_tensors(constructor, name):
            return _missing(constructor, name)
        note = self._note(constructor)
        if not note:
            return None
        member = cast("dict[str, object]", note["properties"]).get(name)
        if isinstance(op, GetattrOp):
            if isinstance(member, PropertyRef):
                return FunctionRef(member.symbol)
            members = self._members(constructor)
            return None if member or name in members else _missing(constructor, name)
        members = self._members(constructor)
        static = cast("Sequence[str]", members.get("__static__", ()))
        function = members.get(name)
        if member is not None or name in static:
            return None
        if function is None:
            return _missing(constructor, name)
        return function if isinstance(function, FunctionRef) else None

    def _members(self, constructor: str) -> dict[str, object]:
        path = f"class {constructor}"
        known = path in self.environment.paths
        return self.environment.members(path) if known else {}

    def _note(self, constructor: str) -> dict[str, object]:
        note = self._members(constructor).get("__node__", {})
        return cast("dict[str, object]", note)


def _has_function(found: Iterable[FunctionRef | str | None]) -> bool:
    return any(isinstance(one, FunctionRef) for one in found)


def _is_inside_itself(op: Operation) -> bool:
    """Whether what an op calls has led to the op: it would be called without end."""
    place = SourceLoc.from_attr(op.location)
    around = None if place is None else place.called_from
    while place is not None and around is not None:
        if (around.file, around.line, around.col) == (
            place.file,
            place.line,
            place.col,
        ):
            return True
        around = around.called_from
    return False


def _is_of_tensors(constructor: str, name: str) -> bool:
    """Whether a node of a constructor is a tensor, which has such a member."""
    if constructor != TENSOR:
        return False
    import torch

    return hasattr(torch.Tensor, name)


def _missing(constructor: str, name: str) -> str:
    kind = constructor.rpartition(".")[2]
    return f"'{kind}' object has no attribute '{name}'"


def _block(op: Operation, make: Callable[[_Put], Operation]) -> Block:
    """A new block; `make` puts ops into it, and gives its end."""
    block = Block()

    def put(new: Operation) -> SSAValue:
        append(block, new, source=op)
        return new.results[0]

    append(block, make(put), source=op)
    return block


def _raising(op: Operation, text: str) -> Block:
    return _block(
        op,
        lambda put: RaiseOp(
            "builtins.AttributeError", [put(ConstantOp(to_attr(text)))]
        ),
    )


def yielding(op: Operation, ops: Sequence[Operation], given: SSAValue) -> Block:
    """A side of an `if` in front of `op`: these ops, and what it gives."""
    block = Block()
    for one in (*ops, YieldOp([given])):
        append(block, one, source=op)
    return block


def class_name(value: object) -> str | None:
    """The full name of a class that a program names; None: it is no class."""
    match value:
        case GlobalRef(name):
            return name
        case ObjectRef(path) if path.startswith("class "):
            return path.removeprefix("class ")
        case _:
            return None
