"""What users say of torch ops: an op in terms of other torch ops, or as MLIR.

    @torch.library.custom_op("mine::scale", mutates_args=())
    def scale(x: torch.Tensor, factor: float) -> torch.Tensor: ...

    @dycl.lowering("mine::scale")          # or "mine::scale.overload", "aten::erfcx"
    def _(x, factor):
        return x * factor

    @dycl.kernel("mine::scale")
    def _(x, factor):                      # x is a TensorSpec: its shape and dtype
        return f"func.func @scale(%x: {x}) -> {x} {{ ... }}"      # or None

A lowering takes the arguments of the op and returns its results; it is traced, so what
it does may depend on shapes and dtypes, but not on elements. It goes before what DyCL
and torch know of the op. A kernel is the text of one function, on tensors of MLIR's
own types; it goes before a lowering, which computes what the kernel refuses by None. A
package brings its own by an entry point of the group `dycl.lowerings`, whose value is
a module to import.
"""

import hashlib
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib.metadata import entry_points
from typing import Any, TypeVar

Lowering = Callable[..., Any]
F = TypeVar("F", bound=Lowering)


@dataclass(frozen=True)
class TensorSpec:
    """Shape and dtype of a tensor argument, for the function of a kernel."""

    shape: tuple[int | None, ...]
    """None: a size that only a run knows."""
    dtype: str
    """As torch calls it: `float32`."""
    element: str
    """As MLIR calls it: `f32`, `i64`, `i1` for bool."""

    def __str__(self) -> str:
        """The type in MLIR: `tensor<2x?xf32>`."""
        sizes = ("?" if size is None else str(size) for size in self.shape)
        return f"tensor<{'x'.join([*sizes, self.element])}>"


@dataclass(frozen=True)
class NumberSpec:
    """A number that depends on the input, for the function of a kernel."""

    kind: str
    """As Python calls it: `int`, `float` or `bool`."""

    @property
    def element(self) -> str:
        """As MLIR calls it: `i64`, `f64` or `i1`."""
        return {"int": "i64", "float": "f64", "bool": "i1"}[self.kind]

    def __str__(self) -> str:
        """The type in MLIR, which is `element`."""
        return self.element


class Lowerings:
    """By op, how it is taken apart, or what its kernel is."""

    def __init__(self) -> None:
        """None are known."""
        self._known: dict[str, tuple[Lowering, str]] = {}

    def add(self, op: str, function: Lowering) -> None:
        """Know a lowering. ValueError: no name of an op, or it has one already."""
        namespace, colons, name = op.partition("::")
        if not colons or not namespace or not name:
            raise ValueError(f"'{op}' names no torch op; write it like aten::relu")
        known = self._known.get(op)
        if (
            known is not None
            and known[0] is not function
            and not _same(known, function)
        ):
            raise ValueError(f"'{op}' has a lowering already: {known[0].__module__}")
        self._known[op] = function, _digest(function)

    def of(self, overload: Any) -> Lowering | None:
        """The lowering of an overload: its own, or that of all overloads."""
        name, overloaded = overload._schema.name, overload._schema.overload_name
        own = self._known.get(f"{name}.{overloaded}") if overloaded else None
        found = own or self._known.get(name)
        return None if found is None else found[0]

    @property
    def key(self) -> str:
        """What is known, as text: it decides what a program becomes."""
        return " ".join(
            f"{op} {digest}" for op, (_, digest) in sorted(self._known.items())
        )


def _same(known: tuple[Lowering, str], function: Lowering) -> bool:
    """Whether it is what stood in its place before its module was loaded again."""
    return _location(known[0]) == _location(function)


def _location(function: Lowering) -> tuple[str, int]:
    code = getattr(function, "__code__", None)
    return function.__module__, -1 if code is None else code.co_firstlineno


def _digest(function: Lowering) -> str:
    """Of its module's source, in which what it calls may be."""
    try:
        source = inspect.getsource(inspect.getmodule(function) or function)
    except (OSError, TypeError):
        source = repr(function)
    return hashlib.sha256(f"{source}{_location(function)}".encode()).hexdigest()


@cache
def known_lowerings() -> Lowerings:
    """All lowerings that modules imported so far have registered."""
    return Lowerings()


@cache
def known_kernels() -> Lowerings:
    """The same for kernels: functions that give MLIR, or None."""
    return Lowerings()


def what_is_known() -> str:
    """Lowerings and kernels as text: they decide what a program becomes."""
    return f"{known_lowerings().key}; {known_kernels().key}"


class BrokenLowerings(Exception):
    """What an installed package brings cannot be imported; the text names it."""


@cache
def load_installed() -> None:
    """Import what installed packages bring. BrokenLowerings: an import raises."""
    for point in sorted(entry_points(group="dycl.lowerings"), key=lambda one: one.name):
        try:
            point.load()
        except Exception as error:
            first, *_ = str(error).splitlines() or [""]
            raise BrokenLowerings(
                f"the lowerings '{point.name}' ({point.value}) cannot be imported: "
                f"{type(error).__name__}: {first}"
            ) from error


def lowering(op: str) -> Callable[[F], F]:
    """Decorate a function that computes the torch op `namespace::name` by others.

    ValueError: see `Lowerings.add`.
    """

    def register(function: F) -> F:
        known_lowerings().add(op, function)
        return function

    return register


def kernel(op: str) -> Callable[[F], F]:
    """Decorate a function that gives the torch op `namespace::name` as MLIR.

    It is called with the arguments of the op, a `TensorSpec` for each tensor and a
    `NumberSpec` for each number that depends on the input, and gives the text of a
    module with one `func.func`, or that module; None: it has no kernel for these. The
    function takes these tensors and numbers in order and gives the results, of types
    like `tensor<2x3xf32>`, by ops of `linalg`, `tensor`, `arith`, `math` and `scf`. It
    must give what the op gives in eager. ValueError: see `Lowerings.add`.
    """

    def register(function: F) -> F:
        known_kernels().add(op, function)
        return function

    return register
