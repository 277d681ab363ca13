"""Rows in the making: how functions of a selection read, write and compare elements.

An element is a value and where it came from. How equal elements come to lie follows
from the order in which those algorithms compare and exchange that eager's C++ library
(libstdc++) has for `std::nth_element`, `std::partial_sort` and `std::sort`; so each
function here and beside compares and exchanges in that order.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from dycl.kernels.cpu import build
from dycl.kernels.cpu.mlir import ir

_PREDICATES = {
    **{"eq": 0, "slt": 2, "sle": 3, "sgt": 4, "sge": 5},
    **{"ult": 6, "ule": 7, "ugt": 8, "uge": 9},
}
"""Of `arith.cmpi`."""


class Element(NamedTuple):
    """A value of a row, and where it came from."""

    value: Any
    index: Any


@dataclass(frozen=True)
class Order:
    """Rows of `size` elements of a type, the largest first or last.

    A run may decide the size: then functions are given where a row begins, as a memref
    of one element, and those that are called from outside how many there are.

    `name` is what the names of all functions begin with. Functions are made where the
    current insertion point stands.
    """

    name: str
    size: int
    element: Any
    largest: bool

    def function(
        self,
        name: str,
        count: int,
        body: "Callable[..., Sequence[Any]]",
        takes: Sequence[Any] = (),
        gives: Sequence[Any] = (),
    ) -> None:
        """A function on a row, `count` indices, and arguments of further types.

        `body` gets a `Row` and the arguments, and gives the results.
        """
        i64 = ir.IntegerType.get_signless(64)
        size = 1 if self.is_open else self.size
        row = [ir.MemRefType.get([size], kind) for kind in (self.element, i64)]
        indices = [ir.IndexType.get()] * count

        def made(values: Any, places: Any, *arguments: Any) -> Sequence[Any]:
            return body(Row(self, values, places), *arguments)

        build.function(f"{self.name}.{name}", [*row, *indices, *takes], gives, made)

    @property
    def is_open(self) -> bool:
        """Whether a run decides how many elements a row has."""
        return self.size == ir.ShapedType.get_dynamic_size()

    def entry(
        self, name: str, body: "Callable[..., Sequence[Any]]", count: int = 0
    ) -> None:
        """A function on a row that is called from outside; `body` gets the row, how
        many elements it has, and `count` further indices."""

        def made(row: "Row", *given: Any) -> Sequence[Any]:
            size = given[0] if self.is_open else build.index(self.size)
            return body(row, size, *given[int(self.is_open) :])

        self.function(name, int(self.is_open) + count, made)

    def comparison(self) -> None:
        """`before`: a NaN is the largest number."""
        bit = ir.IntegerType.get_signless(1)
        kinds = [self.element, self.element]
        build.function(f"{self.name}.before", kinds, [bit], self._compared)

    def _compared(self, one: Any, other: Any) -> list[Any]:
        if isinstance(self.element, ir.IntegerType):
            sign = _PREDICATES["sgt" if self.largest else "slt"]
            return [build.compare_integers(sign, one, other)]
        beyond = build.compare(build.OGT if self.largest else build.OLT, one, other)
        nan, number = (one, other) if self.largest else (other, one)
        is_nan = build.compare(build.UNO, nan, nan)
        is_number = build.compare(build.ORD, number, number)
        only = build.binary("arith.andi", is_nan, is_number)
        return [build.binary("arith.ori", only, beyond)]


class Row:
    """A row that a function is given, and the constants that it has at hand."""

    def __init__(self, order: Order, values: Any, indices: Any):
        """Make the constants."""
        self.order = order
        self._memory = (values, indices)
        self.c0, self.c1, self.c2, self.c3, self.c16 = map(
            build.index, (0, 1, 2, 3, 16)
        )
        self.no = build.constant(0, ir.IntegerType.get_signless(1))

    def value(self, at: Any) -> Any:
        """The value of an element."""
        return build.load(self._memory[0], [at])

    def load(self, at: Any) -> Element:
        """An element."""
        values, indices = self._memory
        return Element(build.load(values, [at]), build.load(indices, [at]))

    def store(self, element: Element, at: Any) -> None:
        """Write an element."""
        for part, memory in zip(element, self._memory, strict=True):
            build.store(part, memory, [at])

    def call(self, function: str, *arguments: Any) -> None:
        """Call one of the functions with this row."""
        build.call(f"{self.order.name}.{function}", [*self._memory, *arguments])

    def index_of(self, function: str, *arguments: Any) -> Any:
        """Call one of the functions that give an index."""
        name, given = f"{self.order.name}.{function}", [*self._memory, *arguments]
        return build.call(name, given, [ir.IndexType.get()])[0]

    def before(self, one: Any, other: Any) -> Any:
        """Whether the value `one` comes before `other`."""
        bit = ir.IntegerType.get_signless(1)
        return build.call(f"{self.order.name}.before", [one, other], [bit])[0]


def plus(left: Any, right: Any) -> Any:
    """The sum of two indices."""
    return build.binary("arith.addi", left, right)


def minus(left: Any, right: Any) -> Any:
    """The difference of two indices."""
    return build.binary("arith.subi", left, right)


def times(left: Any, right: Any) -> Any:
    """The product of two indices."""
    return build.binary("arith.muli", left, right)


def over(left: Any, right: Any) -> Any:
    """The quotient of two indices, rounded down."""
    return build.binary("arith.divui", left, right)


def compared(predicate: str, left: Any, right: Any) -> Any:
    """`arith.cmpi` of two indices."""
    return build.compare_integers(_PREDICATES[predicate], left, right)
