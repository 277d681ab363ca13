"""Expressions as ops of the LLVM dialect."""

from abc import abstractmethod
from dataclasses import dataclass, field

from dycl.cc.arithmetic import COMPARED, Arithmetic
from dycl.cc.errors import CannotCompile
from dycl.cc.lines import Place, Value, is_atomic
from dycl.cc.syntax import (
    Assign,
    Binary,
    Braced,
    Call,
    Cast,
    Choice,
    Constant,
    Expression,
    Initial,
    Literal,
    Member,
    Name,
    SizeOf,
    Step,
    Text,
    Unary,
)
from dycl.cc.types import (
    CHAR,
    INT,
    PTR,
    SIZE,
    VOID,
    Array,
    Function,
    Number,
    Pointer,
    Record,
    Type,
    as_value,
    common,
    decayed,
    promoted,
    size_of,
)


@dataclass(kw_only=True)
class Expressions(Arithmetic):
    """What expressions of one function become."""

    locals: dict[str, Place] = field(default_factory=dict[str, Place])

    @abstractmethod
    def outside(self, name: str) -> Place:
        """What the file has under a name. CannotCompile: nothing."""

    @abstractmethod
    def text(self, data: bytes) -> str:
        """The symbol of a string literal."""

    @abstractmethod
    def builtin(self, name: str, call: Call) -> Value | None:
        """A call of what the compiler itself has; None: it is another function."""

    # ---- values

    def value(self, found: Expression) -> Value:
        """What an expression gives. CannotCompile."""
        match found:
            case Constant():
                return Value(found.kind, self.constant(found.value, found.kind))
            case Text():
                return Value(Pointer(CHAR), self.address_of(self.text(found.data)))
            case Name() | Member() | Unary("*", _) | Literal():
                return self.read(self.place(found))
            case Unary("&", operand):
                place = self.place(operand)
                return Value(Pointer(place.kind), place.address)
            case Unary():
                return self.unary(found)
            case Step():
                one = Constant(1, INT)
                place = self.place(found.operand)
                return self.change(found.sign[0], place, one, late=found.late)
            case Binary():
                return self.binary(found)
            case Assign():
                place = self.place(found.target)
                if found.sign:
                    return self.change(found.sign, place, found.value)
                return self.assign(place, self.value(found.value))
            case Choice():
                return self.choice(found)
            case Call():
                return self.call(found)
            case Cast():
                return self.converted(self.value(found.operand), found.kind)
            case SizeOf():
                size = size_of(self.kind_of(found.operand))
                return Value(SIZE, self.constant(size, SIZE))

    def kind_of(self, found: Expression) -> Type:
        """The type of an expression, of which nothing is run."""
        lines, head, ended = [*self.lines], [*self.head], self.ended
        try:
            match found:
                case Text():
                    return Array(CHAR, len(found.data))
                case Name() | Member() | Unary("*", _):
                    return self.place(found).kind
                case _:
                    return self.value(found).kind
        finally:
            self.lines, self.head, self.ended = lines, head, ended

    def read(self, place: Place) -> Value:
        """What stands there; of arrays and functions the address."""
        kind = decayed(place.kind)
        if isinstance(place.kind, Array | Function | Record):
            return Value(kind, place.address)
        return Value(kind, self.load(place.kind, place.address))

    def place(self, found: Expression) -> Place:
        """Where something stands. CannotCompile: it is in no memory."""
        match found:
            case Name():
                return self.locals.get(found.name) or self.outside(found.name)
            case Unary("*", operand):
                pointer = self.value(operand)
                if not isinstance(pointer.kind, Pointer):
                    raise CannotCompile(f"an address that is {pointer.kind}")
                return Place(pointer.kind.to, pointer.text)
            case Member():
                base = self.place(found.base)
                if not isinstance(base.kind, Record):
                    raise CannotCompile(f"a member `{found.name}` of {base.kind}")
                offset, kind = base.kind.members[found.name]
                return Place(kind, self.at(base.address, offset))
            case Literal():
                kind = found.kind
                if isinstance(kind, Array) and kind.count is None:
                    kind = Array(kind.of, len(found.initial.items))
                place = Place(kind, self.variable(kind))
                self.initialize(place, found.initial)
                return place
            case _:
                made = self.value(found)
                if not isinstance(made.kind, Record):
                    raise CannotCompile("an address of what is in no memory")
                return Place(made.kind, made.text)

    # ---- conditions

    def condition(self, found: Expression) -> str:
        """Whether an expression is not zero, as one bit."""
        match found:
            case Unary("!", operand):
                one = self.op("llvm.mlir.constant(true) : i1")
                return self.op(f"llvm.xor {self.condition(operand)}, {one} : i1")
            case Binary(sign, left, right) if sign in COMPARED:
                return self.compared(sign, self.value(left), self.value(right))
            case Binary("&&" | "||" as sign, left, right):
                more, after, name = self.label(), self.label(), self.name()
                known = self.condition(left)
                yes, no = (more, after) if sign == "&&" else (after, more)
                given = f"({known} : i1)"
                targets = [f"{to}{given if to == after else ''}" for to in (yes, no)]
                self.branch(known, *targets)
                self.start(more)
                self.go(after, self.condition(right), "i1")
                self.start(after, f"{name}: i1")
                return name
            case _:
                return self.truth(self.value(found))

    # ---- operators

    def unary(self, found: Unary) -> Value:
        """`- ~ !`"""
        if found.sign == "!":
            return self.flag(self.condition(found))
        value = self.value(found.operand)
        value = self.converted(value, promoted(value.kind))
        text = as_value(value.kind)
        if found.sign == "~":
            ones = self.constant(-1, value.kind)
            return Value(value.kind, self.op(f"llvm.xor {value.text}, {ones} : {text}"))
        if isinstance(value.kind, Number) and value.kind.real:
            return Value(value.kind, self.op(f"llvm.fneg {value.text} : {text}"))
        zero = self.constant(0, value.kind)
        return Value(value.kind, self.op(f"llvm.sub {zero}, {value.text} : {text}"))

    def binary(self, found: Binary) -> Value:
        """An operator between two expressions."""
        sign = found.sign
        if sign == ",":
            self.value(found.left)
            return self.value(found.right)
        if sign in COMPARED or sign in ("&&", "||"):
            return self.flag(self.condition(found))
        return self.computed(sign, self.value(found.left), self.value(found.right))

    def choice(self, found: Choice) -> Value:
        """`condition ? yes : no`"""
        kind = _joined(*(decayed(self.kind_of(one)) for one in (found.yes, found.no)))
        yes, no, after, name = self.label(), self.label(), self.label(), self.name()
        text = PTR if isinstance(kind, Record) else as_value(kind)
        self.branch(self.condition(found.condition), yes, no)
        for label, side in ((yes, found.yes), (no, found.no)):
            self.start(label)
            self.go(after, self.converted(self.value(side), kind).text, text)
        self.start(after, f"{name}: {text}")
        return Value(kind, name)

    # ---- changes

    def assign(self, place: Place, value: Value) -> Value:
        """Put a value there."""
        if isinstance(place.kind, Record):
            self.copy(place.kind, value.text, place.address)
            return Value(place.kind, place.address)
        made = self.converted(value, place.kind)
        self.store(place.kind, made.text, place.address)
        return made

    def change(
        self, sign: str, place: Place, by: Expression, late: bool = False
    ) -> Value:
        """`place sign= by`; `late`: its value is that from before."""
        if is_atomic(place.kind):
            if sign not in "+-" or not isinstance(place.kind, Number):
                raise CannotCompile(f"an atomic `{sign}=`")
            more = self.converted(self.value(by), place.kind)
            before = self.atomic(sign, place.address, more)
        else:
            more = self.value(by)
            before = self.read(place)
        after = self.computed(sign, before, more)
        if is_atomic(place.kind):
            return before if late else self.converted(after, place.kind)
        made = self.assign(place, after)
        return before if late else made

    def initialize(self, place: Place, initial: Initial) -> None:
        """What a variable starts with; what is not said is zero."""
        kind = place.kind
        if not isinstance(initial, Braced):
            if isinstance(kind, Array):
                raise CannotCompile("an array that starts with what has no braces")
            self.assign(place, self.value(initial))
            return
        if not isinstance(kind, Array | Record):
            [(_, only)] = initial.items
            self.initialize(place, only)
            return
        self.clear(kind, place.address)
        for offset, inner, one in parts(kind, initial):
            if not isinstance(one, Constant) or one.value:
                self.initialize(Place(inner, self.at(place.address, offset)), one)

    # ---- calls

    def call(self, found: Call) -> Value:
        """A function by its name, or through an address."""
        name = found.function.name if isinstance(found.function, Name) else ""
        if name and name not in self.locals:
            made = self.builtin(name, found)
            if made is not None:
                return made
            place = self.outside(name)
            target, kind = f'@"{self.symbol_of(name)}"', place.kind
        else:
            target, kind = "", VOID
        if not isinstance(kind, Function):
            pointer = self.value(found.function)
            target = pointer.text
            kind = pointer.kind.to if isinstance(pointer.kind, Pointer) else VOID
        if not isinstance(kind, Function):
            raise CannotCompile(f"a call of {kind}")
        given: list[Value] = []
        for i, one in enumerate(found.arguments):
            value = self.value(one)
            wanted = kind.params[i] if i < len(kind.params) else _wide(value)
            given.append(self.converted(value, wanted))
        texts = [
            self.aggregate(one.kind, one.text)
            if isinstance(one.kind, Record)
            else one.text
            for one in given
        ]
        kinds = ", ".join(as_value(one.kind) for one in given)
        result = "()" if kind.result == VOID else as_value(kind.result)
        variadic = ""
        if kind.variadic:
            fixed = ", ".join(as_value(one) for one in kind.params)
            short = "void" if kind.result == VOID else as_value(kind.result)
            text = f"!llvm.func<{short} ({fixed}, ...)>"
            variadic = f" vararg({text})"
        through = f"{PTR}, " if target.startswith("%") else ""
        line = f"llvm.call {target}({', '.join(texts)}){variadic} : "
        line += f"{through}({kinds}) -> {result}"
        if kind.result == VOID:
            self.add(line)
            return Value(VOID, "")
        made = self.op(line)
        if isinstance(kind.result, Record):
            return Value(kind.result, self.spilled(kind.result, made))
        return Value(decayed(kind.result), made)

    @abstractmethod
    def symbol_of(self, name: str) -> str:
        """What the linker calls a function."""


def parts(kind: Array | Record, initial: Braced) -> list[tuple[int, Type, Initial]]:
    """Where each value in braces goes. CannotCompile: there are too many."""
    found: list[tuple[int, Type, Initial]] = []
    if isinstance(kind, Array):
        size = size_of(kind.of)
        for i, (_, one) in enumerate(initial.items):
            found.append((i * size, kind.of, one))
        return found
    members = list(kind.members.values())
    for i, (name, one) in enumerate(initial.items):
        if name is None and i >= len(members):
            raise CannotCompile(f"too many values for {kind.name}")
        offset, inner = members[i] if name is None else kind.members[name]
        found.append((offset, inner, one))
    return found


def _joined(a: Type, b: Type) -> Type:
    """What both sides of a choice become."""
    if isinstance(a, Pointer) or isinstance(b, Pointer):
        first, other = (a, b) if isinstance(a, Pointer) else (b, a)
        is_void = first == Pointer(VOID) and isinstance(other, Pointer)
        return other if is_void else first
    return a if a == b else common(a, b)


def _wide(value: Value) -> Type:
    """What a value becomes where nobody says what it is to be."""
    kind = value.kind
    if isinstance(kind, Number):
        return Number(8, real=True) if kind.real else promoted(kind)
    return kind
