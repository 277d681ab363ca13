"""Numbers of the host in the LLVM dialect: one value each, as Python computes it."""

from collections.abc import Callable
from dataclasses import dataclass

from xdsl.dialects.builtin import MemRefType, f64, i1, i64
from xdsl.ir import Attribute, Operation, SSAValue

from dycl.host.native.llvm_text import RAISED, Text, kind_of
from dycl.host.native.scalars import SWAPPED, TOO_LARGE
from dycl.host.native.tables import raised
from dycl.host.native.types import CannotPrint, item_size
from dycl.ir import host
from dycl.ir.host.types import NONE, NUMBERS, dtype_of
from dycl.ir.values import LeafRef

_ELEMENTS = {
    "float16": "f16",
    "float32": "f32",
    "float64": "f64",
    "bool": "i8",
    "uint8": "i8",
}
_COMPARED = {
    "eq": ("eq", "oeq"),
    "ne": ("ne", "une"),
    "lt": ("slt", "olt"),
    "le": ("sle", "ole"),
    "gt": ("sgt", "ogt"),
    "ge": ("sge", "oge"),
}


@dataclass(kw_only=True)
class Numbers(Text):
    """Prints ops on numbers."""

    def converted(self, value: SSAValue, wanted: Attribute) -> str:
        """A number as another kind of number."""
        text, kind = self.values[value], value.type
        if kind == wanted:
            return text
        if wanted == i1:
            return self.truth_of(text, kind)
        if wanted == i64 and kind == i1:
            return self.op(f"llvm.zext {text} : i1 to i64")
        if wanted == f64 and kind in (i1, i64):
            sign = "u" if kind == i1 else "s"
            return self.op(f"llvm.{sign}itofp {text} : {kind_of(kind)} to f64")
        raise CannotPrint(f"a {NUMBERS[kind]} as {NUMBERS[wanted]}")

    def read(self, op: host.ReadOp) -> None:
        assert isinstance(op.operand.type, MemRefType)
        kind_of(op.operand.type)
        dtype, wanted = dtype_of(op.operand.type), op.result.type
        element = _ELEMENTS.get(dtype, f"i{8 * item_size(dtype)}")
        text = self.load(self.values[op.operand], element)
        if element.startswith("f"):
            if element != "f64":
                text = self.op(f"llvm.fpext {text} : {element} to f64")
            if wanted == i64:
                raise CannotPrint("an int that is read from floats")
            self.values[op.result] = self.truth_of(text, f64) if wanted == i1 else text
            return
        if element != "i64":
            extend = "zext" if dtype in ("bool", "uint8") else "sext"
            text = self.op(f"llvm.{extend} {text} : {element} to i64")
        if wanted == f64:
            text = self.op(f"llvm.sitofp {text} : i64 to f64")
        self.values[op.result] = self.truth_of(text, i64) if wanted == i1 else text

    def unary(self, op: host.UnaryOp) -> None:
        kind, wanted = op.kind_name, op.result.type
        if kind == "not":
            self.values[op.result] = self.negated(self.truth(op.operand))
            return
        text = self.converted(op.operand, wanted)
        if kind == "neg":
            if wanted == f64:
                text = self.op(f"llvm.fneg {text} : f64")
            else:
                text = self.checked_int(op, "ssub", self.constant(0, i64), text)
        elif kind == "invert":
            text = self.op(f"llvm.xor {text}, {self.constant(-1, i64)} : i64")
        self.values[op.result] = text

    def negated(self, text: str) -> str:
        return self.op(f"llvm.xor {text}, {self.constant(1, i1)} : i1")

    def truth(self, value: SSAValue) -> str:
        if value.type == NONE:
            return self.constant(0, i1)
        kind_of(value.type)
        return self.truth_of(self.values[value], value.type)

    def checked_int(self, op: Operation, kind: str, a: str, b: str) -> str:
        """An int that has to fit in 64 bits."""
        pair = "!llvm.struct<(i64, i1)>"
        both = self.op(
            f'"llvm.intr.{kind}.with.overflow"({a}, {b}) : (i64, i64) -> {pair}'
        )
        over = self.op(f"llvm.extractvalue {both}[1] : {pair}")
        error = self.tables.add_error(op, "builtins.OverflowError", [TOO_LARGE])
        self.end_if(over, error, RAISED)
        return self.op(f"llvm.extractvalue {both}[0] : {pair}")

    def binary(self, op: host.BinaryOp) -> None:
        kind, wanted = op.kind_name, op.result.type
        whole = f64 not in op.operand_types
        if wanted in (i1, i64) and whole and kind in ("and", "or", "xor"):
            a, b = (self.converted(v, wanted) for v in op.operands)
            text = self.op(f"llvm.{kind} {a}, {b} : {kind_of(wanted)}")
        elif wanted == i64 and whole and kind in ("add", "sub", "mul"):
            a, b = (self.converted(v, i64) for v in op.operands)
            text = self.checked_int(op, f"s{kind}", a, b)
        elif wanted == i64 and whole and kind in ("floordiv", "mod"):
            text = self.divided(op, kind)
        elif wanted == f64 and not whole and kind in ("add", "sub", "mul", "truediv"):
            a, b = (self.converted(v, f64) for v in op.operands)
            if kind == "truediv":
                self.not_zero(op, b, f64, lambda: 1.0 / 0.0)
            text = self.op(f"llvm.f{kind.removeprefix('true')} {a}, {b} : f64")
        else:
            raise CannotPrint(f"`{op.operator}`")
        self.values[op.result] = text

    def not_zero(
        self, op: Operation, b: str, kind: Attribute, error: Callable[[], object]
    ) -> None:
        """Raise what Python does where a divisor is zero."""
        name, arguments = raised(error)
        number = self.tables.add_error(op, name, arguments)
        self.end_if(self.negated(self.truth_of(b, kind)), number, RAISED)

    def divided(self, op: host.BinaryOp, kind: str) -> str:
        """The quotient, rounded down, or what is left, of the divisor's sign."""
        a, b = (self.converted(v, i64) for v in op.operands)
        is_mod = kind == "mod"
        self.not_zero(op, b, i64, (lambda: 1 % 0) if is_mod else (lambda: 1 // 0))
        # The one quotient that is too large: -2**63 by -1, which no processor divides.
        one, zero = self.constant(1, i64), self.constant(0, i64)
        is_minus = self.op(f'llvm.icmp "eq" {b}, {self.constant(-1, i64)} : i64')
        if not is_mod:
            least = self.op(f'llvm.icmp "eq" {a}, {self.constant(-(2**63), i64)} : i64')
            over = self.op(f"llvm.and {is_minus}, {least} : i1")
            error = self.tables.add_error(op, "builtins.OverflowError", [TOO_LARGE])
            self.end_if(over, error, RAISED)
        else:
            b = self.op(f"llvm.select {is_minus}, {one}, {b} : i1, i64")
        rest = self.op(f"llvm.srem {a}, {b} : i64")
        is_rest = self.op(f'llvm.icmp "ne" {rest}, {zero} : i64')
        signs = self.op(f"llvm.xor {rest}, {b} : i64")
        differ = self.op(f'llvm.icmp "slt" {signs}, {zero} : i64')
        down = self.op(f"llvm.and {is_rest}, {differ} : i1")
        if is_mod:
            more = self.op(f"llvm.select {down}, {b}, {zero} : i1, i64")
            return self.op(f"llvm.add {rest}, {more} : i64")
        quotient = self.op(f"llvm.sdiv {a}, {b} : i64")
        less = self.op(f"llvm.zext {down} : i1 to i64")
        return self.op(f"llvm.sub {quotient}, {less} : i64")

    def mixed(self, kind: str, a: str, b: str) -> str:
        """An int and a float compared exactly, as `dycl_mixed` in support.h does."""

        def test(sign: str, value: str, limit: float) -> str:
            bound = self.constant(limit, f64)
            return self.op(f'llvm.fcmp "{sign}" {value}, {bound} : f64')

        def both(word: str, one: str, other: str) -> str:
            return self.op(f"llvm.{word} {one}, {other} : i1")

        high, low = test("oge", b, 2.0**63), test("olt", b, -(2.0**63))
        outside = both("or", both("or", high, low), test("uno", b, 0.0))
        zero = self.constant(0.0, f64)
        inside = self.op(f"llvm.select {outside}, {zero}, {b} : i1, f64")
        whole = self.op(f"llvm.fptosi {inside} : f64 to i64")
        back = self.op(f"llvm.sitofp {whole} : i64 to f64")
        rest = self.op(f"llvm.fsub {inside}, {back} : f64")
        within = self.negated(outside)
        same = self.op(f'llvm.icmp "eq" {a}, {whole} : i64')

        def beyond(sign: str, far: str, rests: str) -> str:
            by_whole = self.op(f'llvm.icmp "{sign}" {a}, {whole} : i64')
            by_rest = both("and", same, test(rests, rest, 0.0))
            near = both("and", within, both("or", by_whole, by_rest))
            return both("or", far, near)

        equal = both("and", both("and", within, same), test("oeq", rest, 0.0))
        match kind:
            case "lt":
                return beyond("slt", high, "ogt")
            case "le":
                return both("or", beyond("slt", high, "ogt"), equal)
            case "gt":
                return beyond("sgt", low, "olt")
            case "ge":
                return both("or", beyond("sgt", low, "olt"), equal)
            case "eq":
                return equal
            case _:
                return self.negated(equal)

    def compare(self, op: host.CompareOp) -> None:
        kind = {"is": "eq", "is_not": "ne"}.get(op.kind_name, op.kind_name)
        types = set(op.operand_types)
        if NONE in types and types <= {NONE, *NUMBERS}:
            self.values[op.result] = self.constant(
                (len(types) == 1) == (kind == "eq"), i1
            )
            return
        if types == {f64}:
            a, b = (self.values[v] for v in op.operands)
            self.values[op.result] = self.op(
                f'llvm.fcmp "{_COMPARED[kind][1]}" {a}, {b} : f64'
            )
        elif types <= {i1, i64}:
            a, b = (self.converted(v, i64) for v in op.operands)
            self.values[op.result] = self.op(
                f'llvm.icmp "{_COMPARED[kind][0]}" {a}, {b} : i64'
            )
        elif types <= {i1, i64, f64}:
            a, b = op.lhs, op.rhs
            if a.type == f64:
                a, b, kind = b, a, SWAPPED[kind]
            whole = self.converted(a, i64)
            self.values[op.result] = self.mixed(kind, whole, self.values[b])
        else:
            raise CannotPrint("a comparison of what is no number")

    def select(self, op: host.SelectOp) -> None:
        if op.result.type == NONE:
            return
        kind = kind_of(op.result.type)
        condition, a, b = (self.values[v] for v in op.operands)
        self.values[op.result] = self.op(
            f"llvm.select {condition}, {a}, {b} : i1, {kind}"
        )

    def position(self, op: host.PositionOp) -> None:
        keys = op.known_keys
        if isinstance(keys, tuple) or op.key.type not in (i1, i64):
            raise CannotPrint("a key of a dict")
        key, length = self.converted(op.key, i64), self.constant(int(str(keys)), i64)
        zero = self.constant(0, i64)
        below = self.op(f'llvm.icmp "slt" {key}, {zero} : i64')
        moved = self.op(f"llvm.add {key}, {length} : i64")
        place = self.op(f"llvm.select {below}, {moved}, {key} : i1, i64")
        outside = self.op(f'llvm.icmp "uge" {place}, {length} : i64')
        if not op.error.data:
            self.values[op.result] = self.op(
                f"llvm.select {outside}, {length}, {place} : i1, i64"
            )
            return
        name, _, text = op.error.data.partition(": ")
        if text:
            error = self.tables.add_formatted(op, f"builtins.{name}", text, op.key)
        else:
            leaves = [LeafRef(0)]
            error = self.tables.add_error(op, f"builtins.{name}", leaves, [op.key])
        self.outputs([op.key])
        self.end_if(outside, error, RAISED)
        self.values[op.result] = place
