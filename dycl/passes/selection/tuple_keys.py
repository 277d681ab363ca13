"""Which entry of a dict a tuple means, some of whose parts only a run knows.

Before                                  After
------                                  -----
%p = dycl.constant #dycl.tuple<[7, 1]>  %0 = dycl.position %k in #dycl.tuple<[7, 8]>
%q = dycl.constant #dycl.tuple<[8, 1]>  %v = dycl.switch %0 -> (T) case 0 {
%d = dycl.dict(%p, %half, %q, %one)       dycl.yield %half
%t = dycl.tuple(%k, %one)               } case 1 {
%v = dycl.invoke %d "get"(%t)             dycl.yield %one
dycl.return %v                          } default {
                                          dycl.yield %none
                                        } {cases = ["(7, 1)", "(8, 1)"]}
                                        dycl.return %v

With two open parts, `%0` is one number made of the positions of both.
"""

from typing import cast

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from dycl.ir import (
    BinaryOp,
    CompareOp,
    ConstantOp,
    IfOp,
    InvokeOp,
    PositionOp,
    RaiseOp,
    TupleOp,
    YieldOp,
)
from dycl.ir.constant_values import MISSING, constant_value
from dycl.ir.dialect.syntax import VALUE
from dycl.ir.rewriting import append, insert_before, insert_constant, insert_value
from dycl.ir.values import to_attr


def number_of(
    op: Operation, key: TupleOp, keys: tuple[object, ...], raises: bool
) -> SSAValue:
    """The place of a tuple among `keys`, put in front of `op`; else their number.

    All keys have the parts of the tuple that are constants. `raises`: a tuple that is
    no key raises KeyError, with the tuple as text.
    """
    tuples = cast("tuple[tuple[object, ...], ...]", keys)
    codes = [0] * len(tuples)
    code: SSAValue | None = None
    is_code = True
    for place, part in enumerate(key.items):
        if constant_value(part) is not MISSING:
            continue
        column = [names[place] for names in tuples]
        distinct = tuple(dict.fromkeys(column))
        position = insert_value(op, PositionOp(part, to_attr(distinct), ""))
        base = len(distinct) + 1
        codes = [
            c * base + distinct.index(n) for c, n in zip(codes, column, strict=True)
        ]
        is_code = code is None and codes == list(range(len(distinct)))
        if code is not None:
            scaled = BinaryOp("mul", code, insert_constant(op, base), VALUE)
            position = insert_value(
                op, BinaryOp("add", insert_value(op, scaled), position, VALUE)
            )
        code = position
    assert code is not None  # a key without an open part is a constant
    number = code
    if not is_code:
        number = insert_value(op, PositionOp(code, to_attr(tuple(codes)), ""))
    if raises:
        _raise_if_missing(op, key.result, number, len(keys))
    return number


def _raise_if_missing(
    op: Operation, key: SSAValue, number: SSAValue, count: int
) -> None:
    test = CompareOp("eq", number, insert_constant(op, count), VALUE)
    is_missing = insert_value(op, test)
    fails, goes_on = Block(), Block()
    template = ConstantOp(to_attr("{}"))
    text = InvokeOp(template.result, "format", [key])
    append(fails, template, text, source=op)
    append(fails, RaiseOp("builtins.KeyError", [text.result]), source=op)
    append(goes_on, YieldOp([]), source=op)
    texts: dict[str, Attribute] = {
        "test": StringAttr(f"{key.name_hint or 'the key'} is no key")
    }
    insert_before(op, IfOp(is_missing, [], Region(fails), Region(goes_on), texts))
