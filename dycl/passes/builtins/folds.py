"""`sum`, `any`, `all` and `v[::-1]` of lists whose length the data decides: loops.

And `math.prod` of numbers that are known one by one.
"""

from collections.abc import Sequence

from xdsl.ir import SSAValue

from dycl.ir import (
    BinaryOp,
    CallOp,
    InvokeOp,
    ListOp,
    SequenceType,
    SliceOp,
    SubscriptOp,
)
from dycl.ir.constant_values import constant_name, constant_value
from dycl.ir.torch import BoolT, FloatT, IntT, VTensorType
from dycl.passes.builtins.items import Site, is_number


def total(site: Site, op: CallOp) -> bool:
    """`sum(v)` and `sum(v, start)` of numbers or tensors, from the left.

    The sum of no floats or tensors is the start, which is an int unless one is given:
    that side of the program is another one.
    """
    if op.keyword_names or not 1 <= len(op.positional) <= 2:
        return False
    items, *rest = op.positional
    if not isinstance(items.type, SequenceType):
        return False
    element = items.type.element
    if not isinstance(element, VTensorType) and element not in (IntT, FloatT):
        return False
    start = rest[0] if rest else site.constant(0)

    def add(item: SSAValue, carried: Sequence[SSAValue]) -> list[SSAValue]:
        return [site.add(BinaryOp("add", carried[0], item))]

    if element == IntT:
        return site.done(site.loop(items, [start], "sum", add)[0])

    def add_others() -> list[SSAValue]:
        zero, one = site.constant(0), site.constant(1)
        first = site.add(BinaryOp("add", start, site.add(SubscriptOp(items, zero))))

        def add_at(at: SSAValue, carried: Sequence[SSAValue]) -> list[SSAValue]:
            return add(site.add(SubscriptOp(items, at)), carried)

        numbers = site.call("range", one, site.call("len", items))
        return site.loop(numbers, [first], "sum", add_at)

    has_items = site.to_bool(items)
    (result,) = site.branch(has_items, "sum", add_others, lambda: [start])
    return site.done(result)


def product(site: Site, op: CallOp) -> bool:
    """`math.prod(v)` and `math.prod(v, start=s)` of known items, from the left."""
    given = op.keyword_arguments
    if len(op.positional) != 1 or set(given) - {"start"}:
        return False
    items = site.items(op.positional[0])
    values = None if items is None else site.values(items)
    if values is None or not all(map(is_number, values)):
        return False
    result = given["start"] if "start" in given else site.constant(1)
    for value in values:
        result = site.add(BinaryOp("mul", result, value))
    return site.done(result)


def any_or_all(site: Site, op: CallOp) -> bool:
    """`any(v)` and `all(v)` of numbers and tensors of one element."""
    if op.keyword_names or len(op.positional) != 1:
        return False
    (items,) = op.positional
    if not isinstance(items.type, SequenceType):
        return False
    element = items.type.element
    if not isinstance(element, VTensorType) and element not in (IntT, FloatT, BoolT):
        return False
    is_any = constant_name(op.callee) == "builtins.any"

    def look(item: SSAValue, carried: Sequence[SSAValue]) -> list[SSAValue]:
        test = site.to_bool(item)
        sides = (test, carried[0]) if is_any else (carried[0], test)
        return [site.either(test, *sides)]

    text = "any" if is_any else "all"
    return site.done(site.loop(items, [site.constant(not is_any)], text, look)[0])


def turned_around(site: Site, op: SubscriptOp) -> bool:
    """`v[::-1]` of a list."""
    index = op.index.owner
    if not isinstance(op.operand.type, SequenceType) or not isinstance(index, SliceOp):
        return False
    if [constant_value(value) for value in index.items] != [None, None, -1]:
        return False
    found = site.add(ListOp([]))

    def keep(item: SSAValue, _: Sequence[SSAValue]) -> list[SSAValue]:
        site.add(InvokeOp(found, "append", [item]))
        return []

    site.loop(site.call("reversed", op.operand), [], "reversed", keep)
    return site.done(found)
