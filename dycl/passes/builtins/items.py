"""What the expansions of builtins share: items, and ops made in their place.

Before                   After
------                   -----
%l = dycl.list(%a, %b)   %0 = dycl.to_bool %a
%r = dycl.call %any(%l)  %r = dycl.if %0 -> (T) {
dycl.return %r             dycl.yield %true
                         } else {
                           %1 = dycl.to_bool %b
                           dycl.yield %1
                         }
                         dycl.return %r
"""

from collections.abc import Callable, Sequence

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from dycl.analysis.folding.items import Item, materialise
from dycl.analysis.folding.iteration import is_read_only, items_of
from dycl.ir import (
    CallOp,
    CompareOp,
    ConstantOp,
    ForOp,
    IfOp,
    ListOp,
    RaiseOp,
    SelectOp,
    ToBoolOp,
    TupleOp,
    UnaryOp,
    YieldOp,
)
from dycl.ir.constant_values import MISSING, constant_value
from dycl.ir.dialect.syntax import VALUE
from dycl.ir.environment import Environment
from dycl.ir.rewriting import insert_before, replace
from dycl.ir.torch import BoolT, FloatT, IntT, VTensorType
from dycl.ir.values import GlobalRef, to_attr

MOST_ITEMS = 1024
"""A function of more items is left alone: its code would grow too long."""


def is_number(value: SSAValue) -> bool:
    """Whether a value is a Python number, known or not."""
    constant = constant_value(value)
    return value.type in (IntT, FloatT, BoolT) or isinstance(constant, (int, float))


def is_settled(value: SSAValue) -> bool:
    """Whether the kind of a value is known by now, so that it can be worked with."""
    plain = constant_value(value) is not MISSING
    return plain or is_number(value) or isinstance(value.type, VTensorType)


def displayed(value: SSAValue, until: Operation | None = None) -> list[SSAValue] | None:
    """The items of a tuple, or of a list that nobody changes; None: it is neither.

    `until`: the op that asks, if what is behind it may change the list.

    A list that is changed is given as it is where it is used, as another list, by
    `dycl-scalarize-aggregates`.
    """
    owner = value.owner
    if isinstance(owner, TupleOp) or (
        isinstance(owner, ListOp) and is_read_only(value, until)
    ):
        return list(owner.items)
    return None


class Site:
    """The place of an op, where others are put in its stead.

    `within` moves the place into a branch for a while.
    """

    def __init__(self, op: Operation, environment: Environment):
        self.op = op
        self.environment = environment
        self._block: Block | None = None

    def items(self, value: SSAValue) -> list[Item] | None:
        """The items of an iterable, if they are known and not too many."""
        result = items_of(value, self.environment)
        return None if result is None or len(result) > MOST_ITEMS else result

    def values(self, items: Sequence[Item]) -> list[SSAValue]:
        """Items as values, in order."""
        return [materialise(item, self.add) for item in items]

    def add(self, op: Operation) -> SSAValue:
        """Put an op here; gives its first result."""
        self._put(op)
        return op.results[0]

    def _put(self, op: Operation) -> None:
        if self._block is None:
            insert_before(self.op, op)
        else:
            self._block.add_op(op)

    def constant(self, value: object) -> SSAValue:
        """A Python value known now."""
        return self.add(ConstantOp(to_attr(value)))

    def to_bool(self, value: SSAValue) -> SSAValue:
        """`bool(value)`."""
        return value if value.type == BoolT else self.add(ToBoolOp(value))

    def compare(self, kind: str, lhs: SSAValue, rhs: SSAValue) -> SSAValue:
        """One comparison; of numbers it is a bool."""
        numbers = is_number(lhs) and is_number(rhs)
        return self.add(CompareOp(kind, lhs, rhs, BoolT if numbers else VALUE))

    def negated(self, value: SSAValue) -> SSAValue:
        """`not value`."""
        return self.add(UnaryOp("not", value, BoolT if value.type == BoolT else VALUE))

    def either(self, test: SSAValue, then: SSAValue, els: SSAValue) -> SSAValue:
        """`then if test else els`, of values that are there."""
        return self.add(SelectOp(test, then, els))

    def branch(
        self,
        test: SSAValue,
        text: str,
        then: Callable[[], Sequence[SSAValue]],
        els: Callable[[], Sequence[SSAValue]],
    ) -> list[SSAValue]:
        """An `if` whose sides give as many values."""
        regions: list[Region] = []
        counts: list[int] = []
        outside = self._block
        for side in (then, els):
            self._block = Block()
            given = side()
            self._block.add_op(YieldOp(given))
            counts.append(len(given))
            regions.append(Region(self._block))
        self._block = outside
        types: list[Attribute] = [VALUE] * counts[0]
        op = IfOp(test, types, regions[0], regions[1])
        op.attributes["test"] = StringAttr(text)
        self._put(op)
        return list(op.results)

    def call(self, function: str, *arguments: SSAValue) -> SSAValue:
        """A call of one of Python's functions."""
        callee = self.constant(GlobalRef(f"builtins.{function}"))
        return self.add(CallOp(callee, arguments))

    def loop(
        self,
        iterable: SSAValue,
        initial: Sequence[SSAValue],
        text: str,
        body: Callable[[SSAValue, Sequence[SSAValue]], Sequence[SSAValue]],
    ) -> list[SSAValue]:
        """A `for`: `body` takes the item and what is carried, and gives that anew."""
        outside = self._block
        block = Block(arg_types=[VALUE] * (1 + len(initial)))
        self._block = block
        block.add_op(YieldOp(body(block.args[0], block.args[1:])))
        self._block = outside
        op = ForOp(iterable, initial, Region(block))
        op.attributes["test"] = StringAttr(text)
        self._put(op)
        return list(op.results)

    def raise_if(self, test: SSAValue, error: str, *message: SSAValue) -> None:
        """An exception with this message, if any, if a test holds."""
        fails, goes_on = Block([RaiseOp(error, message)]), Block([YieldOp()])
        op = IfOp(test, [], Region(fails), Region(goes_on))
        op.attributes["test"] = StringAttr(error.rpartition(".")[2])
        self._put(op)

    def done(self, *values: SSAValue) -> bool:
        """Let the values stand for the op's results."""
        replace(self.op, values)
        return True
