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

Where a method may give `NotImplemented`, a function of `dycl.prelude.operators` asks
the other side, too.
"""

from collections.abc import Callable, Sequence

from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Operation, SSAValue

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
from dycl.ir.constant_values import constant_name, constant_value
from dycl.ir.dialect.operators import BINARY_KINDS, COMPARE_KINDS
from dycl.ir.library import class_of_library
from dycl.ir.methods import BUILTINS, COMPARED, UNARY
from dycl.ir.rewriting import insert_before, insert_constant
from dycl.ir.torch import BoolT, FloatT, IntT, VTensorType
from dycl.ir.values import FunctionRef
from dycl.ir.walking import walk
from dycl.prelude import ASKS

Has = Callable[[SSAValue, str], str | None]
"""The symbol of the user's method of a name that a value's class has."""
Classes = Callable[[SSAValue], Sequence[str] | None]
"""The names of a value's class and its bases; None: it is no object of the user's."""
Function = Callable[[str], Operation | None]
Asked = tuple[SSAValue, str]
_EQUAL = ("__eq__", "__ne__")


class Operators:
    """Finds the method behind an operator."""

    def __init__(self, has: Has, classes: Classes, function: Function):
        self.has = has
        self.classes = classes
        self.function = function

    def spelled_out(self, op: Operation) -> Operation | None:
        """The call that an op makes; None: it makes none, or none that is known."""
        match op:
            case BinaryOp():
                return self.binary(op, op.kind_name, op.lhs, op.rhs)
            case InplaceOp():
                own = f"__i{op.kind_name}__"
                if self.has(op.lhs, own) is not None:
                    return self.call(op.lhs, own, op.rhs)
                return self.binary(op, op.kind_name, op.lhs, op.rhs)
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
        own, reflected = f"__{kind}__", f"__r{kind}__"
        asked = self.asked(lhs, own, rhs, reflected)
        if asked is None:
            return None
        sides = map(self.classes, (lhs, rhs))
        if len(asked) == 2 and len({tuple(c or ()) for c in sides}) == 1:
            asked = [(lhs, own)]  # b's is the same, and is not asked
        sign = BINARY_KINDS[kind] + ("=" if isinstance(op, InplaceOp) else "")
        sign = {"**": "** or pow()"}.get(sign, sign)
        return self.ask(op, asked, lhs, rhs, f"unsupported operand type(s) for {sign}:")

    def asked(
        self, lhs: SSAValue, own: str, rhs: SSAValue, reflected: str
    ) -> list[Asked] | None:
        """Whose method Python asks, in order; None: that is not known."""
        ours, theirs = self.has(lhs, own), self.has(rhs, reflected)
        above, below = self.classes(lhs), self.classes(rhs)
        if ours is None and not _is_plain(lhs) and _may_have(above, own):
            return None
        asked = [(lhs, own)] if ours is not None else []
        if theirs is None:
            return asked or None
        is_sub = above and below and above != below and above[0] in below
        overrides = is_sub and (ours != theirs or own in _EQUAL)
        return [(rhs, reflected), *asked] if overrides else [*asked, (rhs, reflected)]

    def ask(
        self, op: Operation, asked: list[Asked], lhs: SSAValue, rhs: SSAValue, what: str
    ) -> Operation | None:
        """A call of the first method, or of all until one has an answer.

        `what` begins the words of the error, if none has; "": identity answers then.
        """
        (one, method), *rest = asked
        other = rhs if one is lhs else lhs
        symbol = self.has(one, method)
        if symbol is None:
            return None
        if not self.may_decline(symbol):
            return InvokeOp(one, method, [other])
        names = [_type_name(v, self.classes(v)) for v in (lhs, rhs)]
        if None in names:
            return None
        end = " and ".join(f"'{name}'" for name in names)
        last: object = f"{what} {end}" if what else method == "__ne__"
        name = ("first" if rest else "only") + ("" if what else "_equal")
        reflected = [insert_constant(op, name) for _, name in rest[:1]]
        given = [one, insert_constant(op, method), other, *reflected]
        callee = insert_constant(op, FunctionRef(f"{ASKS}{name}"))
        return CallOp(callee, [*given, insert_constant(op, last)])

    def compare(self, op: CompareOp) -> Operation | None:
        """`a < b` may be `b > a`; `a != b` is `not a == b`."""
        kind = op.kind_name
        own, reflected = f"__{kind}__", f"__{COMPARED[kind]}__"
        if kind == "ne" and not any(self.has(v, own) for v in (op.lhs, op.rhs)):
            if (asked := self.asked(op.lhs, "__eq__", op.rhs, "__eq__")) is None:
                return None
            if (equal := self.ask(op, asked, op.lhs, op.rhs, "")) is None:
                return None
            truth = ToBoolOp(equal.results[0])
            insert_before(op, equal, truth)
            return UnaryOp("not", truth.result)
        if (asked := self.asked(op.lhs, own, op.rhs, reflected)) is None:
            return None
        sign = COMPARE_KINDS[kind]
        what = f"'{sign}' not supported between instances of"
        return self.ask(op, asked, op.lhs, op.rhs, "" if own in _EQUAL else what)

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


def _may_have(classes: Sequence[str] | None, method: str) -> bool:
    """Whether a library's class, of which nothing is recorded, may have a method."""
    if not classes:
        return True
    return class_of_library(classes, method) not in (None, "object")


def _is_plain(value: SSAValue) -> bool:
    """Whether a value is a tensor or a number, which know nothing of other classes."""
    numbers = (IntT, FloatT, BoolT)
    constant = isinstance(constant_value(value), (int, float))
    return constant or value.type in numbers or isinstance(value.type, VTensorType)


def _type_name(value: SSAValue, classes: Sequence[str] | None) -> str | None:
    """What Python calls the class of a value; None: that is not known."""
    constant = constant_value(value)
    if classes:
        return classes[0].rpartition(".")[2]
    if constant is None or isinstance(constant, bool | int | float | str):
        return type(constant).__name__
    if isinstance(value.type, VTensorType):
        return "Tensor"
    numbers: dict[Attribute, str] = {IntT: "int", FloatT: "float", BoolT: "bool"}
    return numbers.get(value.type)
