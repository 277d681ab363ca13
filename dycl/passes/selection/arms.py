"""The branches that `dycl-select-elements` writes: an arm for each element.

Before                           After
------                           -----
%table = dycl.tuple(%one, %two)  %0 = dycl.position %k in 2 : i64 else ".."
%m = dycl.subscript %table[%k]   %m = dycl.switch %0 -> (T) case 0 {
dycl.return %m                     dycl.yield %one
                                 } default {
                                   dycl.yield %two
                                 }
                                 dycl.return %m
"""

from dataclasses import dataclass, field, replace
from typing import cast

from xdsl.dialects.builtin import ArrayAttr, StringAttr
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from dycl.ir import (
    CompareOp,
    ConstantOp,
    InvokeOp,
    PositionOp,
    SliceOp,
    SwitchOp,
    TupleOp,
    UnaryOp,
    YieldOp,
)
from dycl.ir.cloning import clone
from dycl.ir.dialect.syntax import VALUE
from dycl.ir.rewriting import insert_value
from dycl.ir.torch import BoolT, IntT, VTensorType
from dycl.ir.values import to_attr
from dycl.passes.selection.choices import Choice
from dycl.passes.selection.elements import Constant, Element, is_attribute
from dycl.passes.selection.tuple_keys import number_of


@dataclass(eq=False)
class Root:
    """The op that looks an element up."""

    op: Operation
    choice: Choice
    position: SSAValue | None = None

    def number(self) -> SSAValue:
        """The element's number, looked up where the user looks it up."""
        if self.position is None:
            key, all_keys = self.choice.key, self.choice.keys
            if isinstance(key.owner, TupleOp) and isinstance(all_keys, tuple):
                raises = bool(self.choice.error)
                self.position = number_of(self.op, key.owner, all_keys, raises)
                return self.position
            if isinstance(key.type, VTensorType):
                item = InvokeOp(key, "item", [])
                item.result.name_hint = key.name_hint
                key = self._put(item)
            keys = to_attr(all_keys)
            self.position = self._put(PositionOp(key, keys, self.choice.error))
        return self.position

    def _put(self, new: Operation) -> SSAValue:
        """The result of an op in front of the lookup; of an equal one, if it is there.

        Then what an `if` on the number decides is known to all that use the number.
        """
        above = self.op.prev_op
        equal = {use.operation for use in new.operands[0].uses}
        while above is not None:
            if above in equal and _is_same(above, new):
                new.erase()
                return above.results[0]
            above = above.prev_op
        return insert_value(self.op, new)

    @property
    def attributes(self) -> dict[str, Attribute]:
        """What the user calls the number, and the cases."""
        result: dict[str, Attribute] = {
            "test": StringAttr(self.choice.key.name_hint or "index")
        }
        cases = self.choice.cases
        if cases is not None:
            result["cases"] = ArrayAttr(map(StringAttr, cases))
        return result


@dataclass
class Selection:
    """A value that is one of these elements."""

    root: Root
    elements: tuple[Element, ...]
    values: dict[tuple[bool, ...], SSAValue] = field(
        default_factory=dict[tuple[bool, ...], SSAValue]
    )
    """The value that is any of those elements for which there is a True."""

    def among(self, possible: tuple[bool, ...]) -> "Selection":
        """The same where it is one of these: for another stands the one before."""
        elements: list[Element] = []
        last = self.elements[possible.index(True)]
        for element, may_be in zip(self.elements, possible, strict=True):
            last = element if may_be else last
            elements.append(last)
        return replace(self, elements=tuple(elements))


def _is_same(one: Operation, other: Operation) -> bool:
    return (
        type(one) is type(other)
        and one.properties == other.properties
        and list(one.operands) == list(other.operands)
    )


def as_test(selection: Selection, definer: Operation) -> SSAValue | None:
    """True for the first elements and false for the rest, or the reverse: `k < n`.

    That is a predicate which the branches on the same number ask as well.
    """
    flags = [e.value if isinstance(e, Constant) else None for e in selection.elements]
    if not all(isinstance(flag, bool) for flag in flags):
        return None
    first = flags[0]
    count = flags.index(not first) if (not first) in flags else len(flags)
    if first in flags[count:]:
        return None
    number = selection.root.number()
    typed = number.type != VALUE
    bound = insert_value(definer, ConstantOp(to_attr(count), IntT if typed else VALUE))
    test = CompareOp("lt", number, bound, BoolT if typed else VALUE)
    value = insert_value(definer, test)
    return value if first else insert_value(definer, UnaryOp("not", value, value.type))


def as_switch(selection: Selection, definer: Operation) -> SSAValue:
    """The value of each element in an arm of its own."""
    arms: list[Region] = []
    for element in _without_equal_end(selection.elements):
        block = Block()
        block.add_op(YieldOp([_as_value(element, block)]))
        arms.append(Region(block))
    root = selection.root
    new = SwitchOp(root.number(), [VALUE], arms, root.attributes)
    return insert_value(definer, new)


def _without_equal_end(elements: tuple[Element, ...]) -> tuple[Element, ...]:
    """The elements up to the first of those at the end that are one."""
    count = len(elements)
    while count > 2 and elements[count - 2] is elements[count - 1]:
        count -= 1
    return elements[:count]


def arm(op: Operation, elements: dict[SSAValue, Element]) -> Region:
    """A region with a copy of `op` on these elements."""
    block = Block()
    mapping = {o: _as_value(e, block) for o, e in elements.items()}
    copy = clone(op, mapping)
    block.add_ops([copy, YieldOp(copy.results)])
    return Region(block)


def _as_value(element: Element, block: Block) -> SSAValue:
    """The SSA value of an element, as a constant at the end of `block` if need be."""
    if isinstance(element, SSAValue):
        return element
    match element.value:
        case slice(start=start, stop=stop, step=step):
            parts = [_as_value(Constant(v), block) for v in (start, stop, step)]
            new = SliceOp(parts)
        case tuple() if not is_attribute(element.value):
            items = cast("tuple[object, ...]", element.value)
            new = TupleOp([_as_value(Constant(v), block) for v in items])
        case value:
            new = ConstantOp(to_attr(value))
    block.add_op(new)
    return new.result
