"""The number or text that a member of an enum is, where something computes with it.

Before                              After
------                              -----
%y = dycl.binary mul %rank, %x      %p = dycl.is_node %rank ["None"]
dycl.return %y                      dycl.if %p {
                                      %t = dycl.constant
                                          "None is taken for the member of an enum"
                                      dycl.raise "builtins.TypeError"(%t)
                                    }
                                    %q = dycl.is_node %rank ["m.Rank.LOW"]
                                    %n = dycl.select %q, %one, %two
                                    %y = dycl.binary mul %n, %x
                                    dycl.return %y
"""

from xdsl.ir import Block, Operation, Region, SSAValue

from dycl.ir import (
    BinaryOp,
    CallOp,
    ConstantOp,
    IfOp,
    InplaceOp,
    InvokeOp,
    IsNodeOp,
    ListOp,
    PositionOp,
    RaiseOp,
    SelectOp,
    SliceOp,
    SubscriptOp,
    TupleOp,
    YieldOp,
)
from dycl.ir.constant_values import MISSING, constant_value
from dycl.ir.dialect.nodes import NONE_NAME
from dycl.ir.dialect.syntax import VALUE
from dycl.ir.rewriting import append, insert_before, insert_value
from dycl.ir.torch import BoolT
from dycl.ir.values import to_attr
from dycl.passes.nodes.enums import EnumMembers

_TAKES_NUMBERS = (
    *(BinaryOp, CallOp, InplaceOp, InvokeOp, ListOp, PositionOp, SliceOp),
    TupleOp,
)
"""What is given the number alone, where it computes with an operand."""


def takes_number(op: Operation, index: int, last: bool) -> bool:
    """Whether an op that computes with a member sees no more than its number.

    `last`: nothing more will be known of a container, which may be a dict till then.
    """
    if isinstance(op, SubscriptOp):
        of = op.operand
        is_known = of.type != VALUE or constant_value(of) is not MISSING
        return index == 1 and (last or is_known or isinstance(of.owner, ListOp))
    is_receiver = index == 0 and isinstance(op, InvokeOp)
    return isinstance(op, _TAKES_NUMBERS) and not is_receiver


def number_of(
    op: Operation, node: SSAValue, may: set[str], members: EnumMembers
) -> SSAValue:
    """In front of an op, the number of a member that may be one of these, or None."""
    if NONE_NAME in may:
        raise_of_none(op, node, "None is taken for the member of an enum")
    names = [one for one in members.of(node) if one in may] or members.of(node)[:1]
    numbers = [to_attr(members.data(one)) for one in names]
    number = insert_value(op, ConstantOp(numbers[-1]))
    for name, other in zip(reversed(names[:-1]), reversed(numbers[:-1]), strict=True):
        constant = insert_value(op, ConstantOp(other))
        test = insert_value(op, IsNodeOp(node, [name], BoolT))
        number = insert_value(op, SelectOp(test, constant, number))
    return number


def raise_of_none(op: Operation, node: SSAValue, text: str) -> None:
    """In front of an op, raise TypeError where there is no node."""
    is_none = insert_value(op, IsNodeOp(node, [NONE_NAME], BoolT))
    fails, goes_on = Block(), Block()
    message = ConstantOp(to_attr(text))
    append(fails, message, source=op)
    append(fails, RaiseOp("builtins.TypeError", [message.result]), source=op)
    append(goes_on, YieldOp([]), source=op)
    texts = {"test": to_attr("there is no member")}
    insert_before(op, IfOp(is_none, [], Region(fails), Region(goes_on), texts))
