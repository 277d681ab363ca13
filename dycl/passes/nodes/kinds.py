"""What a node is used as that may be one of Python's own values.

Before                             After
------                             -----
%y = dycl.subscript %tree[%zero]   %i = dycl.field %tree "items()"
%z = dycl.binary add %tree, %x     %y = dycl.subscript %i[%zero]
dycl.return %y, %z                 %t = dycl.field %tree "tensor()"
                                   %z = dycl.binary add %t, %x
                                   dycl.return %y, %z

Where tests leave one kind, the value is of that kind. Else what is done with it
decides: a subscript is one of a tuple or list, or with a text of a dict; a text is
compared with a text; what computes takes the one kind of number or tensor that the tree
has. A value of another kind then raises a TypeError.
"""

from collections.abc import Mapping
from typing import Any, cast

from xdsl.ir import Operation, SSAValue

from dycl.diag import remark
from dycl.ir import (
    BinaryOp,
    CallOp,
    CompareOp,
    DictOp,
    FieldOp,
    FormatOp,
    ForOp,
    GetattrOp,
    HasAttributeOp,
    HasFieldOp,
    IfOp,
    InplaceOp,
    InvokeOp,
    IsNodeOp,
    ListOp,
    LocalReturnOp,
    NodeType,
    PositionOp,
    ReturnOp,
    SliceOp,
    SubscriptOp,
    ToBoolOp,
    TupleOp,
    UnaryOp,
    UnpackOp,
    YieldOp,
)
from dycl.ir.builtin_nodes import BASES, DICT, ITEMS, LEAVES, LISTS, TENSOR
from dycl.ir.constant_values import MISSING, constant_name, constant_value
from dycl.ir.datatypes import Datatype
from dycl.ir.dialect.local_functions import function_around
from dycl.ir.dialect.nodes import NONE_NAME
from dycl.ir.environment import Environment
from dycl.ir.rewriting import insert_value
from dycl.ir.torch import BoolT, FloatT, IntT, OptionalType, StrT, VTensorType
from dycl.ir.values import ObjectRef
from dycl.passes.nodes.enums import EnumMembers
from dycl.passes.nodes.narrowing import constructors_at
from dycl.passes.nodes.numbers import number_of, takes_number

_TEXT = "builtins.str"
_MODULES = "torch.nn.modules.container.ModuleDict"
_NUMBER_TYPES = (IntT, FloatT, BoolT)


class Kinds:
    """Reads values of Python's own kinds where they are used."""

    def __init__(self, datatypes: Mapping[str, Datatype], environment: Environment):
        self.datatypes = datatypes
        self.environment = environment
        self.members = EnumMembers(datatypes, environment)

    def are_several(self, value: SSAValue) -> bool:
        """Whether a value is a node that may be one of Python's own."""
        kind = value.type
        if not isinstance(kind, NodeType) or kind.datatype.data not in self.datatypes:
            return False
        return not BASES.keys().isdisjoint(self._datatype(value).constructors)

    def settle(self, op: Operation, hand_on: bool) -> None:
        """Read each operand as what it is there, if that is known.

        `hand_on`: also where it is handed on, and None would be a value like others.
        """
        if isinstance(op, (IsNodeOp, FieldOp, HasFieldOp, HasAttributeOp)):
            return
        if isinstance(op, YieldOp) and not isinstance(op.parent_op(), IfOp):
            return  # a loop carries the node itself
        for index, value in enumerate(op.operands):
            if not self.are_several(value):
                self._settle_member(op, index, hand_on)
                continue
            may = constructors_at(value, op, self.datatypes)
            name = self._field(op, index, may, hand_on)
            if name is not None:
                op.operands[index] = self._read(op, value, name)

    def _settle_member(self, op: Operation, index: int, hand_on: bool) -> None:
        """Give what computes with a member of an `IntEnum` its number."""
        node, members = op.operands[index], self.members
        is_given = takes_number(op, index, hand_on) and members.are_data(node)
        if is_given and self._computes(op, index):
            may = constructors_at(node, op, self.datatypes)
            op.operands[index] = number_of(op, node, may, members)

    def _datatype(self, value: SSAValue) -> Datatype:
        return self.datatypes[cast(NodeType, value.type).datatype.data]

    def _read(self, op: Operation, value: SSAValue, name: str) -> SSAValue:
        datatype = self._datatype(value)
        place = datatype.place(name)
        assert place is not None
        kind = datatype.fields[place].type
        if isinstance(kind, OptionalType):
            kind = kind.element
        return insert_value(op, FieldOp(value, name, kind))

    def _field(
        self, op: Operation, index: int, may: set[str], hand_on: bool
    ) -> str | None:
        """The field that an op means by an operand; None: the node itself."""
        value = op.operands[index]
        known = {field.name for field in self._datatype(value).fields}
        leaves = {one for one in may & LEAVES.keys() if LEAVES[one] in known}
        others = may - {NONE_NAME}
        computes = self._computes(op, index)
        holds = isinstance(op, _HOLDS) and (hand_on or NONE_NAME not in may)
        if len(leaves) == 1 and leaves == others and (computes or holds):
            return LEAVES[leaves.pop()]
        if _takes_items(op, index):
            if leaves == others and TENSOR in leaves:
                return None  # a tensor or a text: the program does not say which
            return ITEMS if ITEMS in known and may & {*LISTS} else None
        if isinstance(op, CompareOp):
            return self._compared(op, index, leaves)
        if isinstance(op, (ToBoolOp, UnaryOp)) and leaves != others:
            is_list = others <= {*LISTS} and may == others and ITEMS in known
            return ITEMS if is_list else None
        if isinstance(op, GetattrOp) and others - leaves - {*LISTS, DICT}:
            return None
        if isinstance(op, (LocalReturnOp, ReturnOp, YieldOp)):
            return self._alike(op, index, leaves) if hand_on else None
        if isinstance(op, SubscriptOp) and not isinstance(op.operand.type, VTensorType):
            return LEAVES[_TEXT] if _TEXT in leaves and self._has_texts(op) else None
        wanted = leaves - {_TEXT}
        if isinstance(op, CallOp) and constant_name(op.callee) in _OF_LISTS:
            wanted -= wanted if may & {*LISTS} else set()
        if computes and len(wanted) == 1:
            return LEAVES[wanted.pop()]
        if computes and wanted:
            shown = " or ".join(sorted(one.rpartition(".")[2] for one in wanted))
            remark(op, "not matched", f"it may be of type {shown}: ask by `isinstance`")
        return None

    def _compared(self, op: CompareOp, index: int, leaves: set[str]) -> str | None:
        """What is compared with a text is one; with a number, the one kind of them."""
        other = op.operands[1 - index]
        several = _constants(other)
        is_text = all(isinstance(one, str) for one in several)
        is_text = other.type == StrT or (bool(several) and is_text)
        if _TEXT in leaves and is_text:
            return LEAVES[_TEXT]
        is_number = isinstance(other.type, VTensorType) or other.type in _NUMBER_TYPES
        if several:
            is_number = all(isinstance(one, (int, float)) for one in several)
        numbers = leaves - {_TEXT}
        if not is_number:
            return None
        return LEAVES[numbers.pop()] if len(numbers) == 1 else None

    def _alike(self, op: Operation, index: int, leaves: set[str]) -> str | None:
        """What other ends of a function or an `if` give in this place.

        Where they all give nodes, so does this one.
        """
        others = [o for o in _others(op, index) if not isinstance(o.type, NodeType)]
        if not others:
            return None
        datatype = self._datatype(op.operands[index])
        for one in leaves:
            place = datatype.place(LEAVES[one])
            assert place is not None
            if any(other.type == datatype.fields[place].type for other in others):
                return LEAVES[one]
        wanted = leaves - {_TEXT}
        return LEAVES[wanted.pop()] if len(wanted) == 1 else None

    def _computes(self, op: Operation, index: int) -> bool:
        """Whether an op takes a value itself, and hands it on to nothing else."""
        match op:
            case CallOp():
                return index > 0 and is_library(op, self.environment)
            case InvokeOp():
                return index == 0 or isinstance(op.receiver.type, VTensorType)
            case TupleOp() | ListOp() | SliceOp():
                uses = list(op.results[0].uses)
                return len(uses) == 1 and self._computes(
                    uses[0].operation, uses[0].index
                )
            case _:
                return isinstance(op, _COMPUTES)

    def _has_texts(self, op: SubscriptOp) -> bool:
        """Whether the keys of a table, or the names of its modules, are texts."""
        table = constant_value(op.operand)
        if isinstance(table, dict):
            return all(isinstance(key, str) for key in cast("dict[object, Any]", table))
        if isinstance(op.operand.owner, DictOp):
            keys = op.operand.owner.operands[::2]
            return all(isinstance(constant_value(key), str) for key in keys)
        if not isinstance(table, ObjectRef):
            return False
        members = self.environment.members(table.path)
        return _MODULES in cast("list[str]", members.get("__mro__", []))


def is_library(op: CallOp, environment: Environment) -> bool:
    """Whether a call is one of torch's functions, of a module of torch, or of one of
    Python's functions on numbers."""
    callee = constant_value(op.callee)
    if isinstance(callee, ObjectRef):
        members = environment.members(callee.path)
        classes = cast("list[str]", members.get("__mro__", ["?"]))
        return classes[0].startswith("torch.")
    name = constant_name(op.callee)
    return name.startswith(("torch.", "math.")) or name in _NUMBERS


def may_be_there(
    value: SSAValue, op: Operation, datatypes: Mapping[str, Datatype]
) -> bool:
    """Whether the truth of a node is that it is not None: it is of no class that has
    another one, as numbers, texts, tuples and tensors have."""
    if (
        not isinstance(value.type, NodeType)
        or value.type.datatype.data not in datatypes
    ):
        return isinstance(value.type, NodeType)
    return BASES.keys().isdisjoint(constructors_at(value, op, datatypes))


_COMPUTES = (
    *(BinaryOp, CompareOp, FormatOp, GetattrOp, InplaceOp, PositionOp),
    *(SubscriptOp, ToBoolOp, UnaryOp, ForOp, UnpackOp),
)
_HOLDS = (TupleOp, ListOp, LocalReturnOp, ReturnOp, YieldOp)
_NUMBERS = {f"builtins.{name}" for name in ("int", "float", "abs", "round", "range")}
_OF_LISTS = {
    f"torch.{name}"
    for name in ("tensor", "as_tensor", "stack", "cat", "concat", "LongTensor")
}
"""Functions that take a tuple or list as well as a number."""
_OF_ITEMS = {
    f"builtins.{name}"
    for name in (
        *("len", "enumerate", "zip", "map", "reversed", "list", "tuple", "iter"),
        *("sum", "any", "all", "sorted", "max", "min"),
    )
}


def _constants(value: SSAValue) -> list[object]:
    """What is known of a value, or of the items of a tuple or list; [] if nothing."""
    owner = value.owner
    if isinstance(owner, (TupleOp, ListOp)):
        found = [constant_value(item) for item in owner.operands]
        return [] if MISSING in found else found
    known = constant_value(value)
    if isinstance(known, (tuple, list)):
        return list(cast("list[object]", known))
    return [] if known is MISSING else [known]


def _takes_items(op: Operation, index: int) -> bool:
    """Whether an op is about the items of an operand."""
    match op:
        case SubscriptOp() | ForOp() | UnpackOp():
            return index == 0
        case CallOp():
            name = constant_name(op.callee)
            if name in ("builtins.max", "builtins.min") and len(op.operands) != 2:
                return False
            return index > 0 and name in _OF_ITEMS
        case _:
            return False


def _others(op: Operation, index: int) -> list[SSAValue]:
    """What other ends of the same function or `if` give in a place."""
    ends: list[Operation | None] = []
    around = op.parent_op()
    if isinstance(op, YieldOp) and around is not None:
        ends += [region.block.last_op for region in around.regions]
    elif (function := function_around(op)) is not None:
        ends += function.returns
    found = [end for end in ends if end is not None and end is not op]
    return [end.operands[index] for end in found if index < len(end.operands)]
