"""Sizes of inputs that a call decides: their names, ranges, and where they stand.

    dycl.sizes = [#dycl.size<"n", 1 to 512, "x" 1, "mask" 0>]

says that dimension 1 of the input `x` and dimension 0 of `mask` are of one size `n`,
which is 1 to 512; without `to`, it has no upper bound. `1 to 512 for 64 128` asks for
a version of its own for each of these sizes (`dycl-specialize-sizes`). The attribute is
that of the entry function and, after `dycl-lower-host`, of the host function.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from xdsl.dialects.builtin import ArrayAttr, IntAttr, StringAttr
from xdsl.ir import Attribute, Operation, ParametrizedAttribute
from xdsl.irdl import irdl_attr_definition, param_def
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from dycl.ir.classes import ByType

SIZES = "dycl.sizes"
"""The attribute of the entry function, or of the host function."""


@dataclass(frozen=True)
class InputSize:
    """One size that several dimensions of inputs may have."""

    name: str
    low: int
    high: int | None
    """The largest size; None: any."""
    places: tuple[tuple[str, int], ...]
    """The name of an input, and a dimension of it."""
    versions: tuple[int, ...] = ()
    """Sizes for which there is a version of the network."""

    @property
    def range_text(self) -> str:
        """`1..512`, `0..`."""
        return f"{self.low}..{'' if self.high is None else self.high}"

    @property
    def where(self) -> str:
        """The dimensions that are of this size, in words."""
        return ", ".join(f"dimension {d} of `{name}`" for name, d in self.places)

    def to_attr(self) -> "SizeAttr":
        """`#dycl.size<...>`."""
        high = -1 if self.high is None else self.high
        return SizeAttr(
            StringAttr(self.name),
            IntAttr(self.low),
            IntAttr(high),
            ArrayAttr(StringAttr(name) for name, _ in self.places),
            ArrayAttr(IntAttr(dimension) for _, dimension in self.places),
            ArrayAttr(map(IntAttr, self.versions)),
        )


@irdl_attr_definition
class SizeAttr(ParametrizedAttribute, metaclass=ByType):
    """A size of inputs: its name, its range, and the dimensions that have it."""

    name = "dycl.size"
    symbol: StringAttr = param_def()
    low: IntAttr = param_def()
    high: IntAttr = param_def()
    inputs: ArrayAttr[StringAttr] = param_def()
    dimensions: ArrayAttr[IntAttr] = param_def()
    versions: ArrayAttr[IntAttr] = param_def()

    def size(self) -> InputSize:
        """What it says."""
        return InputSize(
            self.symbol.data,
            self.low.data,
            None if self.high.data < 0 else self.high.data,
            tuple(
                (name.data, dimension.data)
                for name, dimension in zip(self.inputs, self.dimensions, strict=True)
            ),
            tuple(size.data for size in self.versions),
        )

    def verify(self) -> None:
        """Raise VerifyException for a range without a size in it."""
        high = self.high.data
        if self.low.data < 0 or 0 <= high < max(2, self.low.data):
            raise VerifyException(
                f"the size `{self.symbol.data}` is {self.low.data} to {high}: it needs "
                "a range of sizes that ends at two or more"
            )
        if len(self.inputs) != len(self.dimensions) or not self.inputs.data:
            raise VerifyException(f"the size `{self.symbol.data}` is that of no input")
        for size in self.versions:
            if size.data < self.low.data or 0 <= high < size.data:
                raise VerifyException(
                    f"the size `{self.symbol.data}` is {self.low.data} to {high}, and "
                    f"has a version for {size.data}"
                )

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            symbol = parser.parse_str_literal()
            parser.parse_punctuation(",")
            low, high = parser.parse_integer(allow_boolean=False), -1
            if parser.parse_optional_keyword("to") is not None:
                high = parser.parse_integer(allow_boolean=False, allow_negative=False)
            versions: list[int] = []
            if parser.parse_optional_keyword("for") is not None:
                while (size := parser.parse_optional_integer()) is not None:
                    versions.append(size)
            inputs: list[str] = []
            dimensions: list[int] = []
            while parser.parse_optional_punctuation(",") is not None:
                inputs.append(parser.parse_str_literal())
                dimensions.append(parser.parse_integer(allow_negative=False))
        return [
            StringAttr(symbol),
            IntAttr(low),
            IntAttr(high),
            ArrayAttr(map(StringAttr, inputs)),
            ArrayAttr(map(IntAttr, dimensions)),
            ArrayAttr(map(IntAttr, versions)),
        ]

    def print_parameters(self, printer: Printer) -> None:
        size = self.size()
        with printer.in_angle_brackets():
            printer.print_string_literal(size.name)
            printer.print_string(f", {size.low}")
            if size.high is not None:
                printer.print_string(f" to {size.high}")
            if size.versions:
                printer.print_string(f" for {' '.join(map(str, size.versions))}")
            for name, dimension in size.places:
                printer.print_string(", ")
                printer.print_string_literal(name)
                printer.print_string(f" {dimension}")


def sizes_attr(sizes: Sequence[InputSize]) -> ArrayAttr[Attribute]:
    """The attribute `dycl.sizes`."""
    return ArrayAttr(size.to_attr() for size in sizes)


def sizes_of(op: Operation) -> tuple[InputSize, ...]:
    """The sizes that calls decide of an entry or host function; (): there are none."""
    found = op.attributes.get(SIZES)
    if not isinstance(found, ArrayAttr):
        return ()
    return tuple(one.size() for one in found if isinstance(one, SizeAttr))


def versions_of(sizes: Sequence[InputSize]) -> list[Mapping[str, int]]:
    """Name of a size -> what it is, for each choice of the sizes that have versions."""
    chosen = [size for size in sizes if size.versions]
    names = [size.name for size in chosen]
    choices = product(*(size.versions for size in chosen)) if chosen else ()
    return [dict(zip(names, values, strict=True)) for values in choices]


def words(version: Mapping[str, int]) -> str:
    """`h == 224 and w == 320`."""
    return " and ".join(f"{name} == {value}" for name, value in version.items())


def with_names(
    op: Operation, name: str, shape: Sequence[int] | None
) -> tuple[int | str, ...] | None:
    """The shape of the input `name` with the names of its open sizes."""
    if shape is None:
        return None
    names = {place: size.name for size in sizes_of(op) for place in size.places}
    return tuple(names.get((name, d), size) for d, size in enumerate(shape))
