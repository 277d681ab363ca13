"""Operators of the user's classes: what Python makes of `a + b` is a method call.

Before                          After
------                          -----
%c = dycl.binary add %gate, %x  %d = dycl.invoke %gate "__eq__"(%x)
%e = dycl.compare ne %gate, %x  %p = dycl.to_bool %d
dycl.return %c, %e              %e = dycl.unary not %p
func.func @add(%a, %b) {        dycl.return %x, %e
  dycl.return %b
}
func.func @eq(%a, %b) {
  dycl.return %b
}

A method that may give `NotImplemented` is not called: the other side would be asked.
"""

from collections.abc import Callable

from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue

from dycl.ir import (
    BinaryOp,
    CallOp,
    CompareOp,
    ConstantOp,
    InplaceOp,
    InvokeOp,
    StoreSubscriptOp,
    ToBoolOp,
    UnaryOp,
)
from dycl.ir.constant_values import MISSING, constant_name, constant_value
from dycl.ir.methods import BUILTINS, COMPARED, UNARY
from dycl.ir.rewriting import insert_before
from dycl.ir.torch import BoolT, FloatT, IntT, VTensorType
from dycl.ir.walking import walk

Has = Callable[[SSAValue, str], str | None]
"""The symbol of the user's method of a name that a value's class has."""
Function = Callable[[str], Operation | None]


class Operators:
    """Finds the method behind an operator."""

    def __init__(self, has: Has, function: Function):
        self.has = has
        self.function = function

    def spelled_out(self, op: Operation) -> Operation | None:
        """The call that an op makes; None: it makes none, or none that is known."""
        match op:
            case BinaryOp():
                return self.binary(op, op.kind_name, op.lhs, op.rhs)
            case InplaceOp():
                result = self.call(op.lhs, f"__i{op.kind_name}__", op.rhs)
                return result or self.binary(op, op.kind_name, op.lhs, op.rhs)
            case CompareOp() if op.kind_name in COMPARED:
                return self.compare(op)
            case UnaryOp() if op.kind_name in UNARY:
                return self.call(op.operand, UNARY[op.kind_name])
            case CallOp() if len(op.arguments) == 1 and not op.keyword_names:
                name = constant_name(op.callee).removeprefix("builtins.")
                method = BUILTINS.get(name, "")
                return self.call(op.arguments[0], method)
            case StoreSubscriptOp():
                value, index, new = op.operands
                return self.call(value, "__setitem__", index, new)
            case _:
                return None

    def binary(
        self, op: Operation, kind: str, lhs: SSAValue, rhs: SSAValue
    ) -> Operation | None:
        """`a + b`: of a's class, or else, where a cannot add it, of b's."""
        if self.has(lhs, f"__{kind}__") is not None:
            if self.has(rhs, f"__r{kind}__") is not None and not _same(lhs, rhs):
                return None  # a subclass comes first
            return self.call(lhs, f"__{kind}__", rhs)
        if _is_plain(lhs):
            return self.call(rhs, f"__r{kind}__", lhs)
        return None

    def compare(self, op: CompareOp) -> Operation | None:
        """`a < b` may be `b > a`; `a != b` is `not a == b`."""
        kind = op.kind_name
        for name, one, other in (
            (f"__{kind}__", op.lhs, op.rhs),
            (f"__{COMPARED[kind]}__", op.rhs, op.lhs),
        ):
            if self.has(one, name) is not None:
                return self.call(one, name, other)
            if kind == "ne" and self.has(one, "__eq__") is not None:
                equal = self.call(one, "__eq__", other)
                if equal is None:
                    return None
                truth = ToBoolOp(equal.results[0])
                insert_before(op, equal, truth)
                return UnaryOp("not", truth.result)
            if one is op.lhs and not _is_plain(one):
                return None
        return None

    def call(self, value: SSAValue, name: str, *given: SSAValue) -> Operation | None:
        """A call of the user's method, if there is one that always answers."""
        symbol = self.has(value, name)
        if symbol is None or self.may_decline(symbol):
            return None
        return InvokeOp(value, name, list(given))

    def may_decline(self, symbol: str) -> bool:
        """Whether a function may give `NotImplemented`."""
        function = self.function(symbol)
        if not isinstance(function, FuncOp):
            return True
        return any(
            isinstance(op, ConstantOp)
            and constant_name(op.result) == "builtins.NotImplemented"
            for op in walk(function)
        )


def _same(one: SSAValue, other: SSAValue) -> bool:
    constant = constant_value(one)
    return constant not in (None, MISSING) and constant == constant_value(other)


def _is_plain(value: SSAValue) -> bool:
    """Whether a value is a tensor or a number, which know nothing of other classes."""
    numbers = (IntT, FloatT, BoolT)
    constant = isinstance(constant_value(value), (int, float))
    return constant or value.type in numbers or isinstance(value.type, VTensorType)
