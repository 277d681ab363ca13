"""A number of the data's as a tensor.

Before                                        After
------                                        -----
%y = dycl.call %tensor(%k, dtype = %float32)  %s = dycl.constant #dycl.tuple<[]>
dycl.return %y                                %o = dycl.call %ones(%s, dtype = %int64)
                                              %t = dycl.binary mul %o, %k
                                              %y = dycl.invoke %t "to"(%float32)
                                              dycl.return %y

The multiplication with one is exact, in the dtype that has all numbers of the kind.
"""

from collections.abc import Callable, Sequence

from xdsl.ir import Operation, SSAValue

from dycl.ir import BinaryOp, CallOp, ConstantOp, InvokeOp
from dycl.ir.values import GlobalRef, to_attr

Put = Callable[[Operation], SSAValue]
"""Puts a new op in its place; gives its result."""

EXACT = {"int": "torch.int64", "float": "torch.float64"}
"""The dtype that has all numbers of a kind."""


def tensor_of_number(
    value: SSAValue, kind: str, dtype: str, shape: Sequence[int], put: Put
) -> SSAValue:
    """A tensor of an open int or float, of `dtype`: `torch.float32`, say."""

    def constant(value: object) -> SSAValue:
        return put(ConstantOp(to_attr(value)))

    exact = EXACT[kind]
    given = [constant(tuple(shape)), constant(GlobalRef(exact))]
    ones = put(CallOp(constant(GlobalRef("torch.ones")), given, ["dtype"]))
    result = put(BinaryOp("mul", ones, value))
    if exact != dtype:
        result = put(InvokeOp(result, "to", [constant(GlobalRef(dtype))]))
    return result
