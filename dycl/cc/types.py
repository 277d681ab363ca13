"""Types of C, how large they are, and what LLVM calls them. Of 64-bit machines."""

from dataclasses import dataclass, field

from dycl.cc.errors import CannotCompile

PTR = "!llvm.ptr"


@dataclass(frozen=True)
class Number:
    """An int, a float or a bool, of a size in bytes."""

    size: int
    signed: bool = True
    real: bool = False
    truth: bool = False
    atomic: bool = False


@dataclass(frozen=True)
class Void:
    """No value."""


@dataclass(frozen=True)
class Pointer:
    """The address of something."""

    to: "Type"
    atomic: bool = False


@dataclass(frozen=True)
class Array:
    """Several of one type; None: what it starts with, or nobody, says how many."""

    of: "Type"
    count: int | None


@dataclass(frozen=True)
class Function:
    """What is called."""

    result: "Type"
    params: "tuple[Type, ...]"
    variadic: bool = False


@dataclass(eq=False)
class Record:
    """A struct or union; one that is not filled has no members yet."""

    name: str
    is_union: bool
    members: "dict[str, tuple[int, Type]]" = field(
        default_factory=dict[str, "tuple[int, Type]"]
    )
    """By name: where it begins, and what it is."""
    size: int = 0
    align: int = 1
    _end: int = 0

    def add(self, name: str, kind: "Type") -> None:
        """One more member."""
        align, size = align_of(kind), size_of(kind)
        start = 0 if self.is_union else -(-self._end // align) * align
        self.members[name] = start, kind
        self._end = max(self._end, start + size)
        self.align = max(self.align, align)
        self.size = -(-self._end // self.align) * self.align


Type = Number | Void | Pointer | Array | Function | Record

VOID = Void()
BOOL = Number(1, False, truth=True)
CHAR = Number(1)
INT = Number(4)
LONG = Number(8)
SIZE = Number(8, False)
FLOAT = Number(4, real=True)
DOUBLE = Number(8, real=True)


def size_of(kind: Type) -> int:
    """In bytes; what has no size, as void, counts as one byte."""
    match kind:
        case Number() | Record():
            return kind.size
        case Pointer():
            return 8
        case Array():
            return size_of(kind.of) * (kind.count or 0)
        case _:
            return 1


def align_of(kind: Type) -> int:
    """Of what number of bytes its address is a multiple."""
    match kind:
        case Record():
            return kind.align
        case Array():
            return align_of(kind.of)
        case _:
            return size_of(kind)


def in_memory(kind: Type) -> str:
    """What LLVM calls the memory for one."""
    if isinstance(kind, Number | Pointer):
        return as_value(kind)
    return f"!llvm.array<{size_of(kind)} x i8>"


def as_value(kind: Type) -> str:
    """What LLVM calls a value. CannotCompile: there are none."""
    match kind:
        case Number():
            return f"{'f' if kind.real else 'i'}{8 * kind.size}"
        case Pointer():
            return PTR
        case Record() if kind.size % 8 == 0:
            return f"!llvm.array<{kind.size // 8} x i64>"
        case _:
            raise CannotCompile(f"a value of {kind}")


def decayed(kind: Type) -> Type:
    """What an expression of a type is worth: arrays and functions are addresses."""
    match kind:
        case Array():
            return Pointer(kind.of)
        case Function():
            return Pointer(kind)
        case Number() if kind.atomic:
            return Number(kind.size, kind.signed, kind.real, kind.truth)
        case Pointer() if kind.atomic:
            return Pointer(kind.to)
        case _:
            return kind


def promoted(kind: Type) -> Number:
    """What numbers are computed with. CannotCompile: it is no number."""
    if not isinstance(kind, Number):
        raise CannotCompile(f"arithmetic with {kind}")
    if kind.real or kind.size >= 4:
        return Number(kind.size, kind.signed, kind.real)
    return INT


def common(a: Type, b: Type) -> Number:
    """What two numbers become before they meet. CannotCompile."""
    left, right = promoted(a), promoted(b)
    if left.real or right.real:
        return Number(max(x.size for x in (left, right) if x.real), real=True)
    if left.size != right.size:
        return left if left.size > right.size else right
    return Number(left.size, left.signed and right.signed)
