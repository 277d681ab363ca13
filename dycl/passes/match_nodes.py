"""`dycl-match-nodes`: what a node of a tree is asked matches on its constructor.

Before                                     After
------                                     -----
%l = dycl.getattr %node "left"             %l = dycl.field %node "left"
%p = dycl.compare is %l, %none             %p = dycl.is_node %l ["None"]
%w = dycl.getattr %node "word"             %q = dycl.has_field %node "word"
%q = dycl.compare is_not %w, %none         %r = dycl.is_node %node ["m.Node"]
%r = dycl.call %isinstance(%node, %Node)   dycl.return %p, %q, %r
dycl.return %p, %q, %r

A node is of the type `!dycl.node<...>`, and the entry function says which fields its
data type has (`dycl.ir.datatypes`). So each read has a type at once.

Needs:  an entry function whose arguments have types; bodies of functions are inlined.
Leaves: no attribute of a node is read, and no node tested, but by the four ops.
        Methods and properties of their classes are calls (`dycl/passes/nodes`).
Skips:  a field that may be None, where its value is handed on: a function may ask
        whether it is. With `hand-on`, a last resort, it is read there as well, or an
        `if` gives it or None (`dycl/passes/nodes/optional.py`); None that loops carry
        beside nodes is one then (`carried.py`). What a node has no field for stays, and
        is refused by `dycl-check-typed`.
"""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue, Use
from xdsl.passes import ModulePass

from dycl.diag import remark
from dycl.ir import (
    BinaryOp,
    CallOp,
    CompareOp,
    ConstantOp,
    FieldOp,
    FormatOp,
    ForOp,
    GetattrOp,
    HasFieldOp,
    InplaceOp,
    InvokeOp,
    IsNodeOp,
    NodeType,
    PositionOp,
    RaiseOp,
    SelectOp,
    SubscriptOp,
    ToBoolOp,
    UnaryOp,
    UnpackOp,
)
from dycl.ir.builtin_nodes import BASES, TENSOR
from dycl.ir.constant_values import constant_name, constant_value
from dycl.ir.datatypes import Datatype, Field, datatypes_of
from dycl.ir.dialect.nodes import NONE_NAME
from dycl.ir.environment import Environment
from dycl.ir.functions import entry_function
from dycl.ir.rewriting import erase, insert_value, replace
from dycl.ir.torch import BoolT, OptionalType
from dycl.ir.values import GlobalRef, ObjectRef, to_attr
from dycl.ir.walking import walk
from dycl.passes.nodes.attributes import of_attribute
from dycl.passes.nodes.carried import none_as_node
from dycl.passes.nodes.enums import of_member
from dycl.passes.nodes.identity import (
    compare_identity,
    compare_keys,
    name_key,
    of_identity,
)
from dycl.passes.nodes.keys import of_dict, of_named_tuple
from dycl.passes.nodes.kinds import Kinds, is_library, may_be_there
from dycl.passes.nodes.members import NodeMembers, class_name
from dycl.passes.nodes.narrowing import constructors_at, has_field_at
from dycl.passes.nodes.optional import (
    ask_either,
    either,
    may_be_none,
    take_apart,
    takes_none,
)
from dycl.passes.nodes.special import of_special
from dycl.passes.nodes.tables import of_table


@dataclass(frozen=True)
class MatchNodesPass(ModulePass):
    """What a node of a tree is asked becomes a match on its constructor."""

    name = "dycl-match-nodes"

    hand_on: bool = False
    """Read a field that may be None also where it is handed on: None then raises, if it
    is not returned."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Change the entry function; raises nothing."""
        entry = entry_function(op)
        datatypes = {} if entry is None else datatypes_of(entry)
        if entry is None or not datatypes:
            return
        members = NodeMembers(Environment(op))
        kinds = Kinds(datatypes, members.environment)
        if self.hand_on:
            none_as_node(entry, datatypes)
        for inner in list(walk(entry)):
            if not any(isinstance(v.type, NodeType) for v in inner.operands):
                continue
            if isinstance(inner, RaiseOp):
                name_key(inner)
            if of_special(inner, datatypes, members):
                continue
            if of_identity(inner, datatypes) or of_member(
                inner, datatypes, members.environment
            ):
                continue
            if isinstance(inner, _ASKS):
                _match(inner, datatypes, members, self.hand_on)
            if inner.parent is not None:
                kinds.settle(inner, self.hand_on)


_ASKS = (
    GetattrOp,
    CompareOp,
    ToBoolOp,
    UnaryOp,
    CallOp,
    InvokeOp,
    SubscriptOp,
    UnpackOp,
)


def _match(
    op: Operation,
    datatypes: dict[str, Datatype],
    members: NodeMembers,
    hand_on: bool,
) -> None:
    """Put a match in the place of an op that asks something of a node, if it does."""
    match op:
        case GetattrOp():
            datatype = _datatype(op.operand, datatypes)
            place = None if datatype is None else datatype.place(op.attribute.data)
            if datatype is None:
                return
            if datatype.has_table(op.attribute.data):
                of_table(op)
            elif place is None:
                members.expand(op, _may(op, datatypes))
            elif members.hide(datatype, datatype.fields[place]):
                remark(op, "not matched", "other nodes have a member of this name")
            else:
                _read(op, datatype.fields[place], members.environment, hand_on)
        case SubscriptOp() | InvokeOp() | CompareOp() if of_dict(op, datatypes):
            pass
        case SubscriptOp() | UnpackOp() if of_named_tuple(op, datatypes, members):
            pass
        case InvokeOp():
            datatype = _datatype(op.receiver, datatypes)
            if datatype is not None and datatype.place(op.method.data) is None:
                members.expand(op, _may(op, datatypes))
        case CompareOp() if op.kind_name in ("is", "is_not", "eq", "ne"):
            _compare(op, datatypes, members)
        case ToBoolOp() if may_be_there(op.operands[0], op, datatypes):
            _is_there(op, op.operands[0])
        case UnaryOp() if op.kind_name == "not" and may_be_there(
            op.operands[0], op, datatypes
        ):
            node = op.operands[0]
            replace(op, [insert_value(op, IsNodeOp(node, [NONE_NAME], BoolT))])
        case CallOp() if constant_name(op.callee) == "builtins.type":
            _match_class(op, datatypes)
        case CallOp() if of_attribute(op, datatypes, members):
            pass
        case CallOp() if constant_name(op.callee) in _INSTANCE:
            _is_instance(op, datatypes, members)
        case CallOp() if constant_name(op.callee) == "builtins.bool" and may_be_there(
            op.operands[1], op, datatypes
        ):
            _is_there(op, op.operands[1])
        case _:
            pass


def _datatype(value: SSAValue, datatypes: dict[str, Datatype]) -> Datatype | None:
    kind = value.type
    return datatypes.get(kind.datatype.data) if isinstance(kind, NodeType) else None


def _may(op: Operation, datatypes: dict[str, Datatype]) -> list[str]:
    """The constructors that a node may be of at an op that asks it, in order."""
    node = op.operands[0]
    datatype = _datatype(node, datatypes)
    known = () if datatype is None else datatype.constructors
    if BASES.keys().isdisjoint(known):
        return list(known)
    may = constructors_at(node, op, datatypes)
    return [one for one in known if one in may]


def _read(op: GetattrOp, field: Field, environment: Environment, hand_on: bool) -> None:
    """`node.name`: the field; `node.name is None`: whether it is there."""
    name, kind = field.name, field.type
    if not isinstance(kind, OptionalType):
        replace(op, [insert_value(op, FieldOp(op.operand, name, kind))])
        return
    for use in list(op.result.uses):
        test = use.operation
        if isinstance(test, CompareOp) and _of_none(test) is not None:
            has = insert_value(test, HasFieldOp(op.operand, name, BoolT))
            is_none = test.kind_name in ("is", "eq")
            replace(test, [_not(test, has) if is_none else has])
    for use in [use for use in op.result.uses if takes_none(use.operation, kind)]:
        if use.operation.parent is not None:  # `node.name == node.name` is used twice
            ask_either(use.operation, op, kind)
    for choice in dict.fromkeys(use.operation for use in op.result.uses):
        if hand_on and isinstance(choice, SelectOp):
            take_apart(choice)
    for use in [
        use for use in op.result.uses if _is_sure(use, op, environment, hand_on)
    ]:
        # Not here: a test of None may stand between.
        read = FieldOp(op.operand, name, kind.element)
        read.result.name_hint = op.result.name_hint
        use.operation.operands[use.index] = insert_value(use.operation, read)
    or_none = [u for u in op.result.uses if hand_on and may_be_none(u, kind)]
    if or_none:
        value = either(op, kind)
        for use in or_none:
            use.operation.operands[use.index] = value
    if op.result.uses and hand_on:
        replace(op, [insert_value(op, FieldOp(op.operand, name, kind.element))])
    elif op.result.uses:
        remark(op, "not matched", "it may be None, and is handed on")
    else:
        erase(op)


def _is_sure(
    use: Use, read: GetattrOp, environment: Environment, hand_on: bool
) -> bool:
    """Whether a field is no None where it is used, or None would be an error."""
    if _computes(use, environment):
        return True
    name = read.attribute.data
    return hand_on and has_field_at(read.operand, name, use.operation)


def _computes(use: Use, environment: Environment) -> bool:
    """Whether an op takes a value itself: None would be an error there."""
    op = use.operation
    if isinstance(op, CallOp):
        if isinstance(constant_value(op.callee), GlobalRef):
            return constant_name(op.callee) not in _ASK_OF_NONE
        return is_library(op, environment)
    if isinstance(op, InvokeOp) and isinstance(constant_value(op.receiver), ObjectRef):
        return False  # a method of the user's
    return isinstance(op, _COMPUTES) and not isinstance(op, ToBoolOp)


_ASK_OF_NONE = {
    "builtins.bool",
    "builtins.isinstance",
    "builtins.print",
    "builtins.repr",
    "builtins.str",
}
_COMPUTES = (
    *(BinaryOp, CompareOp, FormatOp, InplaceOp, InvokeOp, PositionOp),
    *(SubscriptOp, ForOp, UnaryOp),
)
"""Ops that do something with a value, and hand it on to nothing of the user's."""


def _of_none(op: CompareOp) -> SSAValue | None:
    """What a comparison compares with None; None: it does not."""
    first, second = op.lhs, op.rhs
    if constant_value(second) is None:
        return first
    return second if constant_value(first) is None else None


def _compare(
    op: CompareOp, datatypes: dict[str, Datatype], members: NodeMembers
) -> None:
    """`node is None`, `node is not other`."""
    node = _of_none(op)
    if node is None and op.kind_name in ("is", "is_not"):
        compare_identity(op, datatypes)
    elif node is None and compare_keys(op, datatypes, members):
        return
    if node is None or not isinstance(node.type, NodeType):
        return
    test = insert_value(op, IsNodeOp(node, [NONE_NAME], BoolT))
    replace(op, [test if op.kind_name in ("is", "eq") else _not(op, test)])


def _is_there(op: Operation, node: SSAValue) -> None:
    """Whether a node is true: its class says nothing else, so it is not None."""
    test = insert_value(op, IsNodeOp(node, [NONE_NAME], BoolT))
    replace(op, [_not(op, test)])


def _not(anchor: Operation, value: SSAValue) -> SSAValue:
    return insert_value(anchor, UnaryOp("not", value, BoolT))


def _match_class(op: CallOp, datatypes: dict[str, Datatype]) -> None:
    """`type(node) is C`: of this very class, or any member of this enum."""
    datatype = _datatype(op.operands[1], datatypes) if len(op.operands) == 2 else None
    for use in list(op.results[0].uses):
        test = use.operation
        if not isinstance(test, CompareOp) or datatype is None:
            continue
        name = class_name(constant_value(test.operands[1 - use.index]))
        if name is None or test.kind_name not in ("is", "is_not", "eq", "ne"):
            continue
        is_enum = datatype.is_enum and datatype.name == name
        names = [*datatype.constructors] if is_enum else [name]
        found = insert_value(test, IsNodeOp(op.operands[1], names, BoolT))
        is_same = test.kind_name in ("is", "eq")
        replace(test, [found if is_same else _not(test, found)])
    if not op.results[0].uses:
        erase(op)


_INSTANCE = ("builtins.isinstance", "torch.is_tensor")


def _is_instance(
    op: CallOp, datatypes: dict[str, Datatype], members: NodeMembers
) -> None:
    """`isinstance(node, C)`: `C` is the class of nodes, a base, or of none of them."""
    is_short = constant_name(op.callee) == "torch.is_tensor"
    if len(op.operands) != (2 if is_short else 3):
        return
    node = op.operands[1]
    wanted = GlobalRef(TENSOR) if is_short else constant_value(op.operands[2])
    datatype = _datatype(node, datatypes)
    several = wanted if isinstance(wanted, tuple) else (wanted,)
    names = {class_name(one) for one in several}
    if datatype is None or None in names:
        return
    if "builtins.object" in names:
        replace(op, [insert_value(op, ConstantOp(to_attr(True)))])
        return
    if any(str(one).startswith(_ABSTRACT) for one in names - _KNOWN_ABSTRACT):
        remark(op, "not matched", "an abstract class says itself what it is one of")
        return
    bases = {one: members.bases(one) for one in datatype.constructors}
    found = [one for one in bases if one in names or not names.isdisjoint(bases[one])]
    others = names.difference(bases)
    if not all(bases.values()) and not others <= _OTHERS:
        remark(op, "not matched", "which of the nodes' classes it is a base of")
        return
    if not found:
        replace(op, [insert_value(op, ConstantOp(to_attr(False)))])
        return
    replace(op, [insert_value(op, IsNodeOp(node, found, BoolT))])


_ABSTRACT = ("collections.abc.", "typing.", "numbers.")
_KNOWN_ABSTRACT = {"collections.abc.Sequence", "collections.abc.Mapping"}
_OTHERS = {*BASES, "builtins.type"}
"""Classes that no node of a class is of."""
