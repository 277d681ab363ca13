"""A list item is set at a data-dependent index: each item is selected.

Before                               After
------                               -----
%l = dycl.list(%one, %two)           %0 = dycl.position %k in 2 : i64 else ".."
dycl.store_subscript %l[%k], %three  %1 = dycl.compare eq %0, %zero
%x, %y = dycl.unpack %l -> 2         %x = dycl.select %1, %three, %one
dycl.return %x, %y                   %2 = dycl.compare eq %0, %one
                                     %y = dycl.select %2, %three, %two
                                     dycl.return %x, %y

Numbers are selected. Of tensors and others one is taken by an `if`, which says what is
a second name of what.
"""

from collections.abc import Iterable

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Block, Operation, Region, SSAValue

from dycl.ir import (
    CompareOp,
    ConstantOp,
    IfOp,
    InvokeOp,
    PositionOp,
    SelectOp,
    StoreSubscriptOp,
    YieldOp,
)
from dycl.ir.constant_values import constant_value
from dycl.ir.dialect.syntax import VALUE
from dycl.ir.rewriting import insert_value
from dycl.ir.torch import BoolT, FloatT, IntT, VTensorType
from dycl.ir.values import to_attr
from dycl.passes.aggregates.items import Items, is_dict
from dycl.passes.aggregates.names import is_or_holds_list
from dycl.passes.selection.choices import is_index
from dycl.passes.selection.elements import number_type

_LIMIT = 64
"""Items of a list that is changed so: each costs a comparison at every store."""


def is_chosen(op: StoreSubscriptOp, items: Items) -> bool:
    """Whether the data says which of these items the op sets."""
    return (
        not is_dict(op.operand)
        and is_index(op.index)
        and 0 < len(items) <= _LIMIT
        and not any(map(is_or_holds_list, (op.value, *items)))
    )


def with_chosen(op: StoreSubscriptOp, items: Items) -> Items:
    """The items after the op; what they are is said in front of it."""
    key = op.index
    if isinstance(key.type, VTensorType):
        key = insert_value(op, InvokeOp(key, "item", []))
        key.name_hint = op.index.name_hint
    error = "IndexError: list assignment index out of range"
    number = insert_value(op, PositionOp(key, to_attr(len(items)), error))
    plain = are_numbers((op.value, *items))
    after: list[SSAValue] = []
    for position, item in enumerate(items):
        index = insert_value(op, ConstantOp(to_attr(position)))
        test = insert_value(op, CompareOp("eq", number, index))
        words = f"{key.name_hint or 'index'} == {position}"
        after.append(one_of(op, test, (op.value, item), plain, words))
    return tuple(after)


def are_numbers(values: Iterable[SSAValue]) -> bool:
    """Whether these are numbers of one type."""
    kinds = set(map(_kind_of, values))
    return len(kinds) == 1 and None not in kinds


def one_of(
    op: Operation,
    test: SSAValue,
    sides: tuple[SSAValue, SSAValue],
    are_plain: bool,
    words: str,
) -> SSAValue:
    """The first if the test is true, else the second; made in front of `op`.

    Of numbers (`are_plain`) one is selected. `words` are what the user calls the test.
    """
    one, other = sides
    if are_plain:
        return insert_value(op, SelectOp(test, one, other))
    type_ = one.type if one.type == other.type else VALUE
    then, els = (Region(Block([YieldOp([side])])) for side in sides)
    return insert_value(op, IfOp(test, [type_], then, els, {"test": StringAttr(words)}))


def _kind_of(value: SSAValue) -> object:
    """The type of a number; None: it is none, or not known to be one."""
    if value.type in (IntT, FloatT, BoolT):
        return value.type
    return number_type(constant_value(value))
