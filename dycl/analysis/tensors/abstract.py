"""Abstract values: what is known about a Python value without running the program.

    value ::= Tensor | Scalar | Sequence | Node                what depends on the input
            | Bound                                        a function and arguments
            | Unknown | Unbound                            ...and nothing is known of
            | Unjoined                                     Unknown, but not on a path
            | None, bool, int, float, str, `...Ref`, ...   known
            | tuple, list, dict, slice, record of values   (named tuples too)

Containers are Python's own, so that `dycl.ir.semantics` can take them apart.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Any, Literal, cast

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Attribute

from dycl.ir import NodeType, SequenceType, ValueType
from dycl.ir.arrays import ArrayConstant
from dycl.ir.library_objects import TORCH_SIZE
from dycl.ir.records import Record
from dycl.ir.torch import (
    DYNAMIC,
    BoolT,
    FloatT,
    IntT,
    NoneT,
    StrT,
    VTensorType,
)
from dycl.ir.type_words import ANY as ANY_SIZE
from dycl.ir.type_words import tensor_words
from dycl.ir.values import is_torch_size, torch_size

Kind = Literal["int", "float", "bool", "str"]


@dataclass(frozen=True)
class Dim:
    """A size that the data decides: equal texts mean equal sizes in any run."""

    text: str

    def __str__(self) -> str:
        return ANY_SIZE


@dataclass(frozen=True)
class Tensor:
    """A tensor of which everything but the numbers is known."""

    shape: tuple[int | Dim, ...]
    dtype: Attribute
    """The IR's element type."""
    strides: tuple[int, ...]
    """Empty where a size is a `Dim`: such a tensor is in row-major order."""

    @staticmethod
    def contiguous(shape: tuple[int | Dim, ...], dtype: Attribute) -> "Tensor":
        """A tensor in row-major order."""
        if any(isinstance(size, Dim) for size in shape):
            return Tensor(shape, dtype, ())
        strides: list[int] = []
        step = 1
        for size in reversed(cast("tuple[int, ...]", shape)):
            strides.append(step)
            step *= max(size, 1)
        return Tensor(shape, dtype, tuple(reversed(strides)))

    @property
    def type(self) -> VTensorType:
        """`!torch.vtensor<...>`."""
        sizes = tuple(DYNAMIC if isinstance(size, Dim) else size for size in self.shape)
        return VTensorType.of(sizes, self.dtype)

    @property
    def is_static(self) -> bool:
        """Whether all sizes are known."""
        return not any(isinstance(size, Dim) for size in self.shape)

    @property
    def sizes(self) -> tuple[int, ...]:
        """The shape of a tensor that `is_static`."""
        return cast("tuple[int, ...]", self.shape)

    def __str__(self) -> str:
        return tensor_words(self.dtype, self.shape)


@dataclass(frozen=True)
class Scalar:
    """A Python number or text that depends on the input."""

    kind: Kind
    size: Dim | None = None
    """Which int it is, where that is said."""

    def __str__(self) -> str:
        return f"a Python {self.kind}"


class OpenSizes(tuple[object, ...]):
    """A `torch.Size` of which a run decides a size, as `abstract.Scalar` or a leaf.

    Its slices are sizes of torch's as well, and known ones where all of them are ints.
    """

    __slots__ = ()

    def __getitem__(self, index: Any) -> Any:  # pyright: ignore[reportIncompatibleMethodOverride]
        part = super().__getitem__(index)
        if not isinstance(index, slice):
            return part
        return sizes_of(cast("tuple[object, ...]", part))


def is_size(value: object) -> bool:
    """Whether a value is a `torch.Size`, of known sizes or of those of a run."""
    return is_torch_size(value) or isinstance(value, OpenSizes)


def sizes_of(sizes: Iterable[object]) -> tuple[object, ...]:
    """A `torch.Size` of ints, or one of which a run decides some."""
    found = tuple(sizes)
    if all(type(size) is int for size in found):
        return torch_size(cast("tuple[int, ...]", found))
    return OpenSizes(found)


@dataclass(frozen=True)
class Sequence:
    """A list whose length depends on the input."""

    element: "Tensor | Scalar | Sequence | Node | None"
    """What every item is; None: no item is known of yet."""

    def __str__(self) -> str:
        items = "no items yet" if self.element is None else f"{self.element}"
        items = items.removeprefix("a ").removeprefix("an ")
        return f"a list (of {items}) as long as the input decides"


@dataclass(frozen=True)
class Node:
    """A node of a tree, or None."""

    datatype: str

    def __str__(self) -> str:
        return f"a node of {self.datatype.rpartition('.')[2]}"


@dataclass(frozen=True)
class Bound:
    """What `functools.partial` gives: a function and arguments, all of them known.

    No two are one value: a call of one has to know which it is.
    """

    def __str__(self) -> str:
        return "a function that holds values"


@dataclass(frozen=True)
class Unknown:
    """A value of which nothing is known, and why.

    Without a reason it derives from another unknown value, or is not worked out yet.
    """

    reason: str = ""


@dataclass(frozen=True)
class Unjoined(Unknown):
    """A value that each path knows, but that has no one type where they meet.

    `dycl-specialize-joins` gives each of them its own copy of what follows.
    """


@dataclass(frozen=True)
class Pending(Unknown):
    """What a recursion gives, of which no path that ends has been seen yet."""


@dataclass(frozen=True)
class Unbound:
    """A local name without a value on this path."""

    variable: str


VALUE = ValueType()
_SCALAR_TYPES: dict[Kind, Attribute] = {
    "int": IntT,
    "float": FloatT,
    "bool": BoolT,
    "str": StrT,
}
_KINDS: dict[Attribute, Kind] = {t: kind for kind, t in _SCALAR_TYPES.items()}


def kind_of(value: object) -> Kind | None:
    """The kind of a number or text, known or not; None for all else."""
    match value:
        case Scalar(kind):
            return kind
        case bool():
            return "bool"
        case int():
            return "int"
        case float():
            return "float"
        case str():
            return "str"
        case ArrayConstant(_, None, (number,)):
            return kind_of(number)
        case _:
            return None


def type_of(value: object) -> Attribute:
    """The IR type of an abstract value; `!dycl.value` when it has no better one."""
    if isinstance(value, Tensor):
        return value.type
    if isinstance(value, Sequence):
        element = value.element
        return VALUE if element is None else SequenceType(type_of(element))
    if (kind := kind_of(value)) is not None:
        return _SCALAR_TYPES[kind]
    if isinstance(value, Node):
        return NodeType(StringAttr(value.datatype))
    return NoneT if value is None else VALUE


def from_type(found: Attribute) -> object:
    """What a type says about its values."""
    if isinstance(found, VTensorType):
        shape, dtype = found.sizes(), found.element_type()
        if shape is not None and dtype is not None and min(shape, default=0) >= 0:
            return Tensor.contiguous(shape, dtype)
        return Unknown(f"the type {found} leaves its shape or dtype open")
    if isinstance(found, SequenceType):
        element = of_any_size(found.element)
        return Sequence(element if isinstance(element, ITEMS) else None)
    if isinstance(found, NodeType):
        return Node(found.datatype.data)
    if found == NoneT:
        return None
    return Scalar(_KINDS[found]) if found in _KINDS else Unknown()


ITEMS = (Tensor, Scalar, Sequence, Node)
"""What a list whose length the data decides may hold."""
ANY = Dim("any")
"""The size of an item of a list, which is another one for each item; or of state."""


def of_any_size(found: Attribute) -> object:
    """What a type says about all its values, of which each has sizes of its own."""
    if isinstance(found, VTensorType):
        sizes, dtype = found.sizes(), found.element_type()
        if sizes is not None and dtype is not None:
            shape = tuple(ANY if size == DYNAMIC else size for size in sizes)
            return Tensor.contiguous(shape, dtype)
    return from_type(found)


_LEAVES = frozenset[type]((Tensor, Scalar, Node, type(None), bool, int, float, str))


def is_container(value: object) -> bool:
    """Whether a value is made of abstract values."""
    if type(value) in _LEAVES:
        return False
    if isinstance(value, tuple):
        return not is_torch_size(value)  # which holds ints
    return isinstance(value, (list, dict, slice, Record))


def children(value: object) -> list[object]:
    """The parts of a container, in order; of a dict the values."""
    match value:
        case slice():
            return [
                cast(Any, value.start),
                cast(Any, value.stop),
                cast(Any, value.step),
            ]
        case Record():
            return list(value.items)
        case dict():
            return list(cast(dict[object, object], value).values())
        case _:
            return list(cast("tuple[object, ...] | list[object]", value))


def leaves(value: object) -> Iterator[object]:
    """The parts of a value that are no containers, in order."""
    if not is_container(value):
        return iter((value,))
    return chain.from_iterable(map(leaves, children(value)))


def map_leaves(
    value: object,
    f: Callable[[object], object],
    size: Callable[[list[object]], object] = OpenSizes,
) -> object:
    """The value with `f` of every leaf, in the order of `leaves`.

    `size` makes what is in the place of a `torch.Size` of which a run decides a size.
    """
    if not is_container(value):
        return f(value)
    parts = [map_leaves(child, f, size) for child in children(value)]
    match value:
        case OpenSizes():
            return size(parts)
        case slice():
            return slice(*parts)
        case dict():
            return dict(zip(cast(dict[object, object], value), parts, strict=True))
        case list():
            return parts
        case Record(kind, _):
            return Record(kind, tuple(parts))
        case _:
            return _tuple_like(value, parts)


def _tuple_like(value: object, parts: list[object]) -> object:
    cls = cast(Any, type(value))
    if cls is tuple:
        return tuple(parts)
    if hasattr(cls, "_fields"):
        return cls(*parts)
    return cls(tuple(parts))  # torch's named results, such as those of torch.max


def signature(value: object) -> object:
    """A hashable key: equal keys mean that ops do the same with both values."""
    if not is_container(value):
        if isinstance(value, (Tensor, Scalar, Sequence, Node)):
            return value
        return (type(value).__name__, repr(value))
    keys: tuple[object, ...] = ()
    if isinstance(value, dict):
        keys = tuple(map(repr, cast(dict[object, object], value)))
    kind = value.type if isinstance(value, Record) else type(value).__name__
    parts = tuple(signature(child) for child in children(value))
    return (kind, keys, parts)


def is_open(value: object) -> bool:
    """Whether something in a value is not known on some path alone."""
    return any(
        isinstance(leaf, Unknown) and not isinstance(leaf, Unjoined)
        for leaf in leaves(value)
    )


def is_unjoined(value: object) -> bool:
    """Whether something in a value has no one type."""
    return any(isinstance(leaf, Unjoined) for leaf in leaves(value))


def name(value: object) -> str:
    """An abstract value in words."""
    match value:
        case Tensor() | Scalar() | Sequence() | Node() | Bound():
            return str(value)
        case Unknown() | Unbound():
            return "a value that is not known"
        case None | bool() | int() | float() | str():
            return repr(value)
        case Record():
            return f"a {value.type.name.rpartition('.')[2]}"
        case tuple() if is_torch_size(value):
            return f"a `{value}`"
        case OpenSizes():
            return f"a `{TORCH_SIZE}`"
        case _:
            return f"a {type(value).__name__}"


def dynamic_sizes(value: object) -> list[Dim]:
    """The sizes in a value that the data decides, or that are not known yet."""
    tensors = [leaf for leaf in leaves(value) if isinstance(leaf, Tensor)]
    return [d for tensor in tensors for d in tensor.shape if isinstance(d, Dim)]
