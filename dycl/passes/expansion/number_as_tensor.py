"""A number of the data's as a tensor.

Before                                        After
------                                        -----
%y = dycl.call %tensor(%k, dtype = %float32)  %s = dycl.constant #dycl.tuple<[]>
dycl.return %y                                %o = dycl.call %ones(%s, dtype = %int64)
                                              %t = dycl.binary mul %o, %k
                                              %y = dycl.invoke %t "to"(%float32)
                                              dycl.return %y

The multiplication with one is exact, in the dtype that has all numbers of the kind. A
number that eager does not convert to the dtype raises before.
"""

import math
from collections.abc import Callable, Sequence

from xdsl.ir import Operation, SSAValue

from dycl.analysis.tensors.number_ranges import AS_NEGATED, fits, range_of
from dycl.ir import (
    BinaryOp,
    CallOp,
    CheckedOp,
    CompareOp,
    ConstantOp,
    InvokeOp,
    ItemOp,
    SelectOp,
    UnaryOp,
)
from dycl.ir.constant_values import constant_value
from dycl.ir.dtypes import element_type
from dycl.ir.torch import BoolT, FloatT, IntT, VTensorType
from dycl.ir.values import GlobalRef, to_attr

Put = Callable[[Operation], SSAValue]
"""Puts a new op in its place; gives its result."""

EXACT = {"int": "torch.int64", "float": "torch.float64"}
"""The dtype that has all numbers of a kind."""


def tensor_of_number(
    value: SSAValue,
    kind: str,
    dtype: str,
    shape: Sequence[int],
    put: Put,
    how: str | None = None,
) -> SSAValue:
    """A tensor of an open int or float, of `dtype`: `torch.float32`, say.

    `how`: how eager converts the number, which raises if it does not fit
    (`dycl.analysis.tensors.number_ranges`).
    """
    if how is not None:
        value = fitting(value, kind, dtype.removeprefix("torch."), how, put)

    def constant(value: object) -> SSAValue:
        return put(ConstantOp(to_attr(value)))

    exact = EXACT[kind]
    given = [constant(tuple(shape)), constant(GlobalRef(exact))]
    ones = put(CallOp(constant(GlobalRef("torch.ones")), given, ["dtype"]))
    result = put(BinaryOp("mul", ones, value))
    if exact != dtype:
        result = put(InvokeOp(result, "to", [constant(GlobalRef(dtype))]))
    return result


def fitting(value: SSAValue, kind: str, dtype: str, how: str, put: Put) -> SSAValue:
    """An int or float that is there only if eager converts it to a dtype."""
    found = range_of(kind, dtype, how)
    known = constant_value(value)
    if found is None or (isinstance(known, int | float) and fits(known, found)):
        return value
    if _is_of(value, dtype) and how != AS_NEGATED:
        return value
    type_ = IntT if kind == "int" else FloatT

    def compared(how: str, limit: float) -> SSAValue:
        constant = put(ConstantOp(to_attr(limit), type_))
        return put(CompareOp(how, value, constant, BoolT))

    if not found.takes_infinity:
        above, below = compared("ge", found.low), compared("le", found.high)
        inside = put(SelectOp(above, below, above))
        return put(CheckedOp(value, inside, found.error))
    for how, limit, end in (
        ("gt", found.high, math.inf),
        ("lt", found.low, -math.inf),
    ):
        beyond = compared(how, limit)
        outside = put(SelectOp(beyond, compared("ne", end), beyond))
        inside = put(UnaryOp("not", outside, BoolT))
        value = put(CheckedOp(value, inside, found.error))
    return value


def _is_of(value: SSAValue, dtype: str) -> bool:
    """Whether a number is read from a tensor of the dtype, so that it fits; of floats,
    the negative of one does, too."""
    match value.owner:
        case UnaryOp() if value.owner.kind_name == "neg" and "float" in dtype:
            return _is_of(value.owner.operands[0], dtype)
        case ItemOp():
            tensor, wanted = value.owner.operand.type, element_type(dtype)
            return isinstance(tensor, VTensorType) and tensor.element_type() == wanted
        case _:
            return False
