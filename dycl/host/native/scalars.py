"""Numbers and texts of the host in C: lines that compute one value.

What may fail is an `if (...) RAISE(n);`; the support functions are in support.h. What
C has no exact form of is asked of Python: `dycl_ask`, with the expression that host.py
has.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import MemRefType, f64, i1, i64
from xdsl.ir import Attribute, Operation, SSAValue

import dycl.ir as d
from dycl.host.native.functions import Functions
from dycl.host.native.pieces import NO_INT, TOO_LARGE, RaisingCall
from dycl.host.native.types import (
    CannotPrint,
    c_type,
    declared,
    element_type,
    member,
)
from dycl.host.values import expression
from dycl.ir import host
from dycl.ir.host.types import (
    NONE,
    NUMBERS,
    SCALARS,
    STR,
    dtype_of,
    is_float,
    is_static,
)

_MIXED = {
    "lt": "{} == -1",
    "le": "{} <= 0",
    "gt": "{} == 1",
    "ge": "({} & ~1) == 0",
    "eq": "{} == 0",
    "ne": "{} != 0",
}
SWAPPED = {"lt": "gt", "le": "ge", "gt": "lt", "ge": "le", "eq": "eq", "ne": "ne"}
"""A comparison -> the one that says the same with its operands exchanged."""


@dataclass
class Scalars(Functions):
    """Prints ops on numbers."""

    compares_texts: bool
    """Whether all texts are constants, so that they may be compared."""

    def lines(self, op: Operation) -> list[str]:
        """The lines that declare and compute the result. CannotPrint."""
        try:
            return self._own_lines(op)
        except CannotPrint:
            if not all(v.type in SCALARS for v in op.operands):
                raise
        named = {value: f"a{i}" for i, value in enumerate(op.operands)}
        return self.ask(op, expression(op, named), op.operands)

    def ask(
        self, op: Operation, expression: str, values: Sequence[SSAValue]
    ) -> list[str]:
        """The lines that let Python compute the one result, a number.

        `expression` names the values `a0`, `a1`, ...
        """
        [result] = op.results
        if result.type not in NUMBERS:
            raise CannotPrint(f"`{op.name}` that gives {SCALARS[result.type]}")
        kind = NUMBERS[result.type]
        number = self.printer.tables.add_question(expression, values, kind)
        name = self.printer.local(result)

        def use(given: str) -> list[str]:
            answer = f"{name} = h->net.answer.{member(result.type)};"
            return [f"if (dycl_ask(h, {number}, {given})) STOP;", answer]

        head = f"{declared(c_type(result.type), name)};"
        return self.printer.with_arguments(values, head, use)

    def _own_lines(self, op: Operation) -> list[str]:
        match op:
            case host.ReadOp():
                return self._read_lines(op)
            case d.UnaryOp():
                return self._unary(op)
            case d.BinaryOp():
                return self._binary(op)
            case d.CompareOp():
                return self._value(op.result, self._compare(op))
            case d.ToBoolOp():
                return self._value(op.result, self._to_bool(op.operand))
            case d.SelectOp():
                if op.result.type == NONE:
                    return []
                condition, a, b = (self._text(v) for v in op.operands)
                return self._value(op.result, f"{condition} ? {a} : {b}")
            case d.BuiltinOp():
                return self._builtin(op)
            case _:
                raise CannotPrint(f"`{op.name}`")

    # ---- ops

    def _read_lines(self, op: host.ReadOp) -> list[str]:
        assert isinstance(op.operand.type, MemRefType)
        kind, text = op.operand.type, self._text(op.operand)
        lines: list[str] = []
        if not is_static(kind):
            text_ = "can only convert an array of size 1 to a Python scalar"
            error = self.printer.tables.add_error(op, "builtins.ValueError", [text_])
            many = f"dycl_product({text}->sizes, {kind.get_num_dims()}) != 1"
            lines = [f"if ({many}) RAISE({error});"]
        if op.result.type == i64 and is_float(dtype_of(kind)):
            call = f"dycl_to_int({self._read(op, f64)}"
            return [*lines, *self._fallible(op, op.result, call, NO_INT)]
        return [*lines, *self._value(op.result, self._read(op, op.result.type))]

    def _read(self, op: host.ReadOp, wanted: Attribute) -> str:
        assert isinstance(op.operand.type, MemRefType)
        dtype, text = dtype_of(op.operand.type), self._text(op.operand)
        if not is_static(op.operand.type):
            text = f"((const {element_type(op.operand.type)} *){text}->data)"
        element = f"{text}[0]"
        if dtype == "float16":
            element = f"dycl_half({element})"
        elif dtype == "bfloat16":
            element = f"dycl_from_bf16({element})"
        if wanted == i1:
            return element if dtype == "bool" else f"{element} != 0"
        return element if wanted != f64 or is_float(dtype) else f"(double){element}"

    def _unary(self, op: d.UnaryOp) -> list[str]:
        kind, wanted = op.kind_name, op.result.type
        if kind == "not":
            return self._value(op.result, f"!{self._to_bool(op.operand)}")
        operand = self.as_type(op.operand, wanted)
        if kind == "neg" and wanted == i64:
            call = f"dycl_sub(0, {operand}"
            return self._fallible(op, op.result, call, [TOO_LARGE])
        sign = {"neg": "-", "pos": "+", "invert": "~"}[kind]
        return self._value(op.result, f"{sign}{operand}")

    def _to_bool(self, value: SSAValue) -> str:
        text = self._text(value)
        match value.type:
            case kind if kind == i1:
                return text
            case kind if kind == STR:
                if not self.compares_texts:
                    raise CannotPrint("a text that is made at run time and tested")
                return f"({text}->length != 0)"
            case kind if kind == NONE:
                return "false"
            case _:
                return f"({text} != 0)"

    def _binary(self, op: d.BinaryOp) -> list[str]:
        kind, wanted = op.kind_name, op.result.type
        if wanted not in NUMBERS:
            raise CannotPrint(f"`{op.operator}` of texts")
        whole = f64 not in op.operand_types
        if kind in ("and", "or", "xor") and wanted == i1:
            return self._value(op.result, self._infix(op, op.operator, i1))
        if wanted == i1:
            raise CannotPrint(f"`{op.operator}` that gives a bool")
        if whole and kind == "truediv":
            return self._call(op, "dycl_int_truediv", i64, [lambda: 1 / 0])
        if whole and wanted == f64:
            raise CannotPrint(f"`{op.operator}` of ints that gives a float")
        if not whole:
            return self._float_binary(op)
        match kind:
            case "and" | "or" | "xor":
                return self._value(op.result, self._infix(op, op.operator, i64))
            case "add" | "sub" | "mul":
                return self._call(op, f"dycl_{kind}", i64, [TOO_LARGE])
            case "floordiv":
                errors = [lambda: 1 // 0, TOO_LARGE]
                return self._call(op, "dycl_floordiv", i64, errors)
            case "mod":
                return self._call(op, "dycl_mod", i64, [lambda: 1 % 0])
            case "lshift":
                return self._call(op, "dycl_lshift", i64, [lambda: 1 << -1, TOO_LARGE])
            case "rshift":
                return self._call(op, "dycl_rshift", i64, [lambda: 1 >> -1])
            case _:
                exponent = op.rhs.owner
                known = isinstance(exponent, d.ConstantOp)
                if not known or self._text(op.rhs).startswith("("):
                    raise CannotPrint("`**` of ints whose result may be a float")
                return self._call(op, "dycl_int_pow", i64, [TOO_LARGE])

    def _float_binary(self, op: d.BinaryOp) -> list[str]:
        match op.kind_name:
            case "add" | "sub" | "mul":
                return self._value(op.result, self._infix(op, op.operator, f64))
            case "truediv":
                return self._call(op, "dycl_truediv", f64, [lambda: 1.0 / 0.0])
            case "floordiv":
                return self._call(op, "dycl_float_floordiv", f64, [lambda: 1.0 // 0.0])
            case "mod":
                return self._call(op, "dycl_float_mod", f64, [lambda: 1.0 % 0.0])
            case "pow":
                errors = [
                    lambda: 0.0**-1.0,
                    lambda: 10.0**400.0,
                    "a root of a negative number is complex, which a host in C lacks",
                ]
                return self._call(op, "dycl_float_pow", f64, errors)
            case _:
                raise CannotPrint(f"`{op.operator}` of floats")

    def _infix(self, op: d.BinaryOp, sign: str, kind: Attribute) -> str:
        return f"{self.as_type(op.lhs, kind)} {sign} {self.as_type(op.rhs, kind)}"

    def _call(
        self,
        op: d.BinaryOp,
        name: str,
        kind: Attribute,
        errors: Sequence[RaisingCall | str],
    ) -> list[str]:
        call = f"{name}({self.as_type(op.lhs, kind)}, {self.as_type(op.rhs, kind)}"
        return self._fallible(op, op.result, call, errors)

    def _compare(self, op: d.CompareOp) -> str:
        a, b = op.lhs, op.rhs
        kind = {"is": "eq", "is_not": "ne"}.get(op.kind_name, op.kind_name)
        if a.type in NUMBERS and b.type in NUMBERS:
            if (a.type == f64) == (b.type == f64):
                return f"{self._text(a)} {host_sign(kind)} {self._text(b)}"
            if a.type == f64:
                a, b, kind = b, a, SWAPPED[kind]
            call = f"dycl_mixed({self._text(a)}, {self._text(b)})"
            return _MIXED[kind].format(call)
        if {a.type, b.type} == {STR}:
            return self._compare_texts(kind, self._text(a), self._text(b))
        same = a.type == b.type  # None and None; else nothing equals the other
        return "true" if same == (kind == "eq") else "false"

    def _compare_texts(self, kind: str, a: str, b: str) -> str:
        if not self.compares_texts:
            raise CannotPrint("a text that is made at run time and compared")
        if kind in ("in", "not_in"):
            return f"{'!' if kind == 'not_in' else ''}dycl_in_text({a}, {b})"
        return f"dycl_compare_texts({a}, {b}) {host_sign(kind)} 0"


def host_sign(kind: str) -> str:
    """The comparison's operator in C, which is Python's."""
    return d.CompareOp.KINDS[kind]
