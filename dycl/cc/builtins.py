"""Calls of what no library has: exact arithmetic, atomics, the processor's own."""

from collections.abc import Callable, Mapping, Sequence

from dycl.cc.expressions import Expressions
from dycl.cc.lines import Place, Value
from dycl.cc.syntax import Call, Expression
from dycl.cc.types import BOOL, INT, LONG, PTR, VOID, Number, Pointer, as_value


class Builtins(Expressions):
    """Calls that become ops."""

    def builtin(self, name: str, call: Call) -> Value | None:
        made = _BUILTINS.get(name)
        return None if made is None else made(self, call.arguments)

    def pointed(self, found: Expression) -> Place:
        """Where an address leads that is an argument."""
        pointer = self.value(found)
        assert isinstance(pointer.kind, Pointer)
        return Place(pointer.kind.to, pointer.text)

    def overflow(self, word: str, given: Sequence[Expression]) -> Value:
        """Arithmetic of ints of 64 bits; whether the result does not fit."""
        a, b = (self.converted(self.value(one), LONG).text for one in given[:2])
        to = self.pointed(given[2])
        pair = "!llvm.struct<(i64, i1)>"
        both = self.op(
            f'"llvm.intr.s{word}.with.overflow"({a}, {b}) : (i64, i64) -> {pair}'
        )
        made = self.op(f"llvm.extractvalue {both}[0] : {pair}")
        self.store(LONG, made, to.address)
        return self.flag(self.op(f"llvm.extractvalue {both}[1] : {pair}"))

    def leading_zeros(self, given: Sequence[Expression]) -> Value:
        """Of 64 bits; of zero nobody knows."""
        value = self.converted(self.value(given[0]), LONG).text
        count = self.op(
            f'"llvm.intr.ctlz"({value}) <{{is_zero_poison = true}}> : (i64) -> i64'
        )
        return self.converted(Value(LONG, count), INT)

    # ---- threads

    def fetch(self, sign: str, given: Sequence[Expression]) -> Value:
        """Change a number in one step; what it was."""
        place = self.pointed(given[0])
        by = self.converted(self.value(given[1]), place.kind)
        return self.atomic(sign, place.address, by)

    def exchange(self, given: Sequence[Expression]) -> Value:
        """Change a number if it is what was expected; what it was goes there."""
        place, expected = self.pointed(given[0]), self.pointed(given[1])
        wanted = self.converted(self.value(given[2]), place.kind)
        before, kind = self.read(expected), as_value(place.kind)
        pair = f"!llvm.struct<({kind}, i1)>"
        both = self.op(
            f"llvm.cmpxchg {place.address}, {before.text}, {wanted.text} "
            f"seq_cst seq_cst : {PTR}, {kind}"
        )
        found = self.op(f"llvm.extractvalue {both}[0] : {pair}")
        self.store(expected.kind, found, expected.address)
        done = self.op(f"llvm.extractvalue {both}[1] : {pair}")
        return Value(BOOL, self.op(f"llvm.zext {done} : i1 to i8"))

    def test_and_set(self, given: Sequence[Expression]) -> Value:
        """Set a flag; whether it was set."""
        place, one = self.pointed(given[0]), self.constant(1, BOOL)
        text = f"xchg {place.address}, {one} seq_cst : {PTR}, i8"
        return Value(BOOL, self.op(f"llvm.atomicrmw {text}"))

    def clear_flag(self, given: Sequence[Expression]) -> Value:
        """The flag is free."""
        place = self.pointed(given[0])
        kind = Number(1, False, truth=True, atomic=True)
        self.store(kind, self.constant(0, BOOL), place.address)
        return Value(VOID, "")

    # ---- the processor

    def control(self, name: str, given: Sequence[Expression]) -> Value:
        """How it rounds: read, or written."""
        kind = Number(4, False)
        place = self.variable(kind)
        if given:
            value = self.converted(self.value(given[0]), kind)
            self.store(kind, value.text, place)
        self.add(f'llvm.call_intrinsic "llvm.x86.sse.{name}"({place}) : ({PTR}) -> ()')
        return Value(VOID, "") if given else Value(kind, self.load(kind, place))

    def pause(self) -> Value:
        """It waits for another one."""
        self.add('llvm.call_intrinsic "llvm.x86.sse2.pause"() : () -> ()')
        return Value(VOID, "")


_Maker = Callable[[Builtins, Sequence[Expression]], Value]
_BUILTINS: Mapping[str, _Maker] = {
    "__builtin_add_overflow": lambda b, given: b.overflow("add", given),
    "__builtin_sub_overflow": lambda b, given: b.overflow("sub", given),
    "__builtin_mul_overflow": lambda b, given: b.overflow("mul", given),
    "__builtin_clzll": lambda b, given: b.leading_zeros(given),
    "__builtin_ia32_pause": lambda b, _: b.pause(),
    "__builtin_ia32_stmxcsr": lambda b, given: b.control("stmxcsr", given),
    "__builtin_ia32_ldmxcsr": lambda b, given: b.control("ldmxcsr", given),
    "atomic_fetch_add": lambda b, given: b.fetch("+", given),
    "atomic_fetch_sub": lambda b, given: b.fetch("-", given),
    "atomic_compare_exchange_strong": lambda b, given: b.exchange(given),
    "atomic_flag_test_and_set": lambda b, given: b.test_and_set(given),
    "atomic_flag_clear": lambda b, given: b.clear_flag(given),
}
