"""Arithmetic of values: numbers of any kind, addresses, comparisons, conversions."""

from dycl.cc.errors import CannotCompile
from dycl.cc.lines import Lines, Value
from dycl.cc.types import (
    BOOL,
    INT,
    LONG,
    PTR,
    VOID,
    Function,
    Number,
    Pointer,
    Record,
    Type,
    as_value,
    common,
    decayed,
    in_memory,
    promoted,
    size_of,
)

COMPARED = {
    "==": ("eq", "eq", "oeq"),
    "!=": ("ne", "ne", "une"),
    "<": ("slt", "ult", "olt"),
    "<=": ("sle", "ule", "ole"),
    ">": ("sgt", "ugt", "ogt"),
    ">=": ("sge", "uge", "oge"),
}
"""A comparison -> what it is called of ints, of those without a sign, of floats."""
_COMPUTED = {"+": "add", "-": "sub", "*": "mul", "&": "and", "|": "or", "^": "xor"}


class Arithmetic(Lines):
    """What operators become."""

    # ---- conversions

    def converted(self, value: Value, kind: Type) -> Value:
        """The value as one of another type. CannotCompile."""
        found, wanted = value.kind, decayed(kind)
        if wanted == VOID or isinstance(wanted, Record):
            return Value(wanted, value.text)
        if found == wanted or (
            isinstance(found, Pointer) and isinstance(wanted, Pointer)
        ):
            return Value(wanted, value.text)
        if wanted == BOOL:
            return Value(BOOL, self.op(f"llvm.zext {self.truth(value)} : i1 to i8"))
        if isinstance(found, Number) and isinstance(wanted, Pointer):
            value = self.converted(value, LONG)
            found = value.kind
        word = _conversion(found, wanted)
        if not word:
            return Value(wanted, value.text)
        kinds = f"{as_value(found)} to {as_value(wanted)}"
        return Value(wanted, self.op(f"llvm.{word} {value.text} : {kinds}"))

    def truth(self, value: Value) -> str:
        """Whether a value is not zero, as one bit."""
        kind = value.kind
        zero = self.constant(0, kind)
        real = isinstance(kind, Number) and kind.real
        test = 'fcmp "une"' if real else 'icmp "ne"'
        return self.op(f"llvm.{test} {value.text}, {zero} : {as_value(kind)}")

    def flag(self, bit: str) -> Value:
        """One bit as an int."""
        return Value(INT, self.op(f"llvm.zext {bit} : i1 to i32"))

    # ---- operators

    def computed(self, sign: str, a: Value, b: Value) -> Value:
        """Arithmetic of numbers and addresses."""
        if isinstance(a.kind, Pointer) and isinstance(b.kind, Pointer) and sign == "-":
            return self.distance(a, b)
        if isinstance(b.kind, Pointer) and sign == "+":
            a, b = b, a
        if isinstance(a.kind, Pointer) and sign in "+-":
            steps = self.converted(b, LONG).text
            if sign == "-":
                zero = self.constant(0, LONG)
                steps = self.op(f"llvm.sub {zero}, {steps} : i64")
            to = a.kind.to
            element = "i8" if isinstance(to, Function) or to == VOID else in_memory(to)
            step = f"{a.text}[{steps}] : ({PTR}, i64) -> {PTR}, {element}"
            return Value(a.kind, self.op(f"llvm.getelementptr {step}"))
        if sign in ("<<", ">>"):
            kind = promoted(a.kind)
            word = "shl" if sign == "<<" else "ashr" if kind.signed else "lshr"
        else:
            kind = common(a.kind, b.kind)
            word = _COMPUTED.get(sign, "")
            if kind.real:
                word = {"/": "fdiv"}.get(sign, f"f{word}")
            elif sign in "/%":
                short = "div" if sign == "/" else "rem"
                word = f"{'s' if kind.signed else 'u'}{short}"
        left, right = (self.converted(one, kind).text for one in (a, b))
        return Value(kind, self.op(f"llvm.{word} {left}, {right} : {as_value(kind)}"))

    def distance(self, a: Value, b: Value) -> Value:
        """How many elements lie between two addresses."""
        assert isinstance(a.kind, Pointer)
        left, right = (self.converted(one, LONG).text for one in (a, b))
        found = self.op(f"llvm.sub {left}, {right} : i64")
        size = self.constant(size_of(a.kind.to), LONG)
        return Value(LONG, self.op(f"llvm.sdiv {found}, {size} : i64"))

    def compared(self, sign: str, a: Value, b: Value) -> str:
        """A comparison, as one bit."""
        signed, unsigned, real = COMPARED[sign]
        kind: Type
        if isinstance(a.kind, Pointer) or isinstance(b.kind, Pointer):
            kind, word = Pointer(VOID), f'icmp "{unsigned}"'
        else:
            kind = common(a.kind, b.kind)
            word = f'icmp "{signed if kind.signed else unsigned}"'
            word = f'fcmp "{real}"' if kind.real else word
        left, right = (self.converted(one, kind).text for one in (a, b))
        return self.op(f"llvm.{word} {left}, {right} : {as_value(kind)}")

    def atomic(self, sign: str, address: str, by: Value) -> Value:
        """Add or take off in one step; what was there before."""
        word = "add" if sign == "+" else "sub"
        kind = as_value(by.kind)
        text = f"llvm.atomicrmw {word} {address}, {by.text} seq_cst : {PTR}, {kind}"
        return Value(by.kind, self.op(text))


def _conversion(found: Type, wanted: Type) -> str:
    """The op that makes one number or address another; "": none is needed."""
    match found, wanted:
        case Pointer(), Number():
            return "ptrtoint"
        case Number(), Pointer():
            return "inttoptr"
        case Number(), Number() if found.real and wanted.real:
            return "fpext" if wanted.size > found.size else "fptrunc"
        case Number(), Number() if found.real:
            return "fptosi" if wanted.signed else "fptoui"
        case Number(), Number() if wanted.real:
            return "sitofp" if found.signed else "uitofp"
        case Number(), Number():
            if wanted.size == found.size:
                return ""
            wider = "sext" if found.signed else "zext"
            return wider if wanted.size > found.size else "trunc"
        case _:
            raise CannotCompile(f"{found} as {wanted}")
