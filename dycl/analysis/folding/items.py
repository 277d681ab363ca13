"""The items of an iterable, as far as they are known without the data."""

from collections.abc import Callable
from dataclasses import dataclass

from xdsl.ir import Operation, SSAValue

from dycl.ir import CallOp, ConstantOp, SubscriptOp, TupleOp
from dycl.ir.values import to_attr


@dataclass(frozen=True)
class Items:
    """Several items as one: what `enumerate` and `zip` give at each step."""

    parts: "tuple[Item, ...]"


@dataclass(frozen=True)
class Known:
    """An item known at compile time."""

    value: object


@dataclass(frozen=True)
class Row:
    """An item of a tensor, along its first dimension."""

    of: SSAValue
    index: int


@dataclass(frozen=True)
class Applied:
    """What a function gives of an item each of some iterables: a step of `map`."""

    function: SSAValue
    parts: "tuple[Item, ...]"


Item = Known | Items | Row | Applied | SSAValue

MOST_ROWS = 128
"""A tensor of more rows is not taken apart: the code would grow too long."""


def materialise(item: Item, add: Callable[[Operation], SSAValue]) -> SSAValue:
    """The SSA value of an item; `add` puts an op in its place and gives its result."""
    match item:
        case Known(value):
            return add(ConstantOp(to_attr(value)))
        case Items(parts):
            return add(TupleOp([materialise(part, add) for part in parts]))
        case Row(tensor, index):
            return add(SubscriptOp(tensor, add(ConstantOp(to_attr(index)))))
        case Applied(function, parts):
            return add(CallOp(function, [materialise(part, add) for part in parts]))
        case _:
            return item


def applies(item: Item) -> bool:
    """Whether to make an item calls a function, which is done once for each."""
    if isinstance(item, Items):
        return any(map(applies, item.parts))
    return isinstance(item, Applied)
