"""Sizes that the data decides, as torch reckons with them.

A `Dim` holds the text of an expression over names (`d0 + 1`): a name is a dimension of
a value, or an int, that a run decides. To evaluate an op, each name becomes a symbol of
a torch `ShapeEnv`. The sizes of the results are expressions; what torch had to assume
on its way are *guards*, relations between names. torch reckons with sizes of two and
more: small ones are tried out one by one, and so is what a guard excludes. What then
behaves otherwise is required of the run (`Requirement`), which raises if it is not so.
torch and sympy are imported in the functions.
"""

from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, cast

from dycl.analysis.dynamic_sizes.ranges import (
    is_ranged,
    range_of,
)
from dycl.analysis.dynamic_sizes.size_texts import (
    CannotReckon,
    evaluate,
    python_text,
    words,
)
from dycl.analysis.tensors.abstract import Dim, Scalar, Tensor, leaves, map_leaves


@dataclass(frozen=True)
class Requirement:
    """A relation between names, as Python text, and what to say if it does not hold."""

    relation: str
    message: str


@dataclass(frozen=True)
class Attempt:
    """A size of two or more for each name: torch reckons as with these."""

    hints: tuple[tuple[str, int], ...]


def names_in(trees: Iterable[object]) -> tuple[str, ...]:
    """The names in the sizes of abstract values, each once, in order."""
    result: dict[str, None] = {}
    for tree in trees:
        for leaf in leaves(tree):
            for dim in dims_of(leaf):
                result |= dict.fromkeys(words(dim.text))
    return tuple(result)


def dims_of(leaf: object) -> Iterator[Dim]:
    """The dynamic sizes of a tensor, or the one that an int is."""
    if isinstance(leaf, Tensor):
        yield from (size for size in leaf.shape if isinstance(size, Dim))
    elif isinstance(leaf, Scalar) and leaf.size is not None:
        yield leaf.size


def with_sizes(tree: object, sizes: dict[str, int]) -> object:
    """The abstract value with numbers for its dynamic sizes."""

    def one(leaf: object) -> object:
        if isinstance(leaf, Tensor):
            shape = tuple(
                int(evaluate(size.text, sizes)) if isinstance(size, Dim) else size
                for size in leaf.shape
            )
            return leaf if shape == leaf.shape else Tensor.contiguous(shape, leaf.dtype)
        if isinstance(leaf, Scalar) and leaf.size is not None:
            return int(evaluate(leaf.size.text, sizes))
        return leaf

    return map_leaves(tree, one)


class Symbols:
    """The names of one evaluation as torch's symbols."""

    def __init__(self, attempt: Attempt):
        """Make a `ShapeEnv` in which each name has the hint of `attempt`."""
        from torch._dynamo.source import ConstantSource
        from torch._subclasses.fake_tensor import FakeTensorMode
        from torch.fx.experimental.symbolic_shapes import DimDynamic, ShapeEnv

        self.env: Any = cast(Any, ShapeEnv)(
            specialize_zero_one=True,
            duck_shape=False,
            allow_dynamic_output_shape_ops=True,
        )
        # Only messages that we do not show say where a symbol was made, and to see
        # which frame is not its own torch imports Inductor: 400 modules, half a second.
        self.env._get_user_frame = lambda: None
        self.mode: Any = cast(Any, FakeTensorMode)(shape_env=self.env)
        self.values: dict[str, Any] = {}
        self.names: dict[Any, str] = {}
        self.hints = dict(attempt.hints)
        self._given: dict[str, Any] = {}
        self._counted = 0
        for name, hint in attempt.hints:
            source = cast(Any, ConstantSource)(name)
            symbol = self.env.create_symbol(
                hint,
                source=source,
                dynamic_dim=DimDynamic.DYNAMIC,
                constraint_dim=_constraint(name),
            )
            self.names[symbol] = name
            self.values[name] = self.env.create_symintnode(
                symbol, hint=hint, source=source
            )

    def size(self, dim: Dim) -> Any:
        """The SymInt of a size."""
        self._given[dim.text] = result = evaluate(dim.text, self.values)
        return result

    def holds(self, sizes: dict[str, int]) -> bool:
        """Whether the sizes that were given are then what torch has made of them.

        Of `Max(n - 1, 0)` it makes `n - 1`, which is right for a size of two or more.
        """
        for text, number in self._given.items():
            made = number if isinstance(number, int) else self.text(number)
            if isinstance(made, Dim):
                made = made.text if made.text == text else evaluate(made.text, sizes)
            if made != text and made != evaluate(text, sizes):
                return False
        return True

    def text(self, number: Any) -> "int | Dim":
        """A size that torch gives. CannotReckon: it has no form on the host."""
        expression = number.node.expr
        expression = self.env.replace(expression)
        if expression.is_Integer:
            return int(expression)
        return Dim(self._text(expression))

    def guards(self) -> list[str]:
        """What torch has assumed so far, as Python text."""
        if any(self.env.deferred_runtime_asserts.values()):
            raise CannotReckon(DEPENDS_ON_VALUES)
        result: dict[str, None] = {}
        for guard in self.env.guards:
            result[self._guard(guard.expr)] = None
        return list(result | dict.fromkeys(self._concluded()))

    def equalities(self) -> list[str]:
        """Those of the guards that ask for one size, and what it is is not sure.

        CannotReckon: one has no form on the host.
        """
        found = [guard.expr for guard in self.env.guards]
        named = [self._text(e) for e in found if type(e).__name__ == "Equality"]
        return [*named, *self._concluded()]

    def _concluded(self) -> list[str]:
        """Names that torch takes for one size, though no guard says so: of `n` of two
        and more, `4 - n >= 2` holds for two."""
        sizes = (
            (name, self.env.replace(symbol)) for symbol, name in self.names.items()
        )
        return [f"({name} == {int(size)})" for name, size in sizes if size.is_Integer]

    def _guard(self, expression: Any) -> str:
        """Of `a == 1 or a == b` the part that holds for the hints.

        torch has gone on with that one: with the other, a kernel would broadcast.
        """
        if type(expression).__name__ != "Or":
            return self._text(expression)
        texts = map(self._text, expression.args)
        return next(text for text in texts if evaluate(text, self.hints))

    def _text(self, expression: Any) -> str:
        import sympy

        for symbol in sorted(expression.free_symbols - self.names.keys(), key=str):
            # How many elements a mask selects: the op that makes it gives it a name.
            self.names[symbol] = f"{COUNTED}{self._counted}"
            self._counted += 1
        renamed = expression.xreplace(
            {s: sympy.Symbol(n, integer=True) for s, n in self.names.items()}
        )
        return python_text(renamed)


def _constraint(name: str) -> Any:
    """The range of a size of an input, in torch's words; None: it is any size."""
    if not is_ranged(name):
        return None
    from torch.fx.experimental.symbolic_shapes import StrictMinMaxConstraint
    from torch.utils._sympy.numbers import int_oo
    from torch.utils._sympy.value_ranges import ValueRanges

    low, high = range_of(name)
    least = max(2, low)
    # Of 0 to 2, torch would see 2 alone, and take the size for that number.
    most = int_oo if high is None else max(least + 1, high)
    values = cast(Any, ValueRanges)(least, most)
    return cast(Any, StrictMinMaxConstraint)(warn_only=False, vr=values)


_current: ContextVar[Symbols | None] = ContextVar("dycl_symbols", default=None)
"""Set around the run of one op on fake tensors, by `reckoning`: what makes the tensors
is called by the op's own Python, which hands on operands only."""


def current() -> Symbols | None:
    """The symbols of the evaluation that is under way, if it has any."""
    return _current.get()


@contextmanager
def reckoning(attempt: Attempt) -> Generator[Symbols]:
    """Evaluate with symbols for the names of `attempt`; they have a fake mode.

    Without oneDNN: which library would compute a convolution depends on how large its
    image is, and torch would demand that every run decides alike. By torch's rules in
    Python, where there are some: those in C++ take only known sizes of `interpolate`.
    """
    from torch._dispatch.python import enable_python_dispatcher

    symbols = Symbols(attempt)
    token = _current.set(symbols)
    try:
        with without_onednn(), cast(Any, enable_python_dispatcher)():
            yield symbols
    finally:
        _current.reset(token)


def with_attention_as_products() -> AbstractContextManager[None]:
    """Attention is reckoned as its two products, which ask that there are as many keys
    as values: the kernel that fuses them does not, and reads past the end of either."""
    return _switched_off("_get_flash_sdp_enabled", "_set_sdp_use_flash")


def without_onednn() -> AbstractContextManager[None]:
    """Without oneDNN, torch has fewer ways to compute an op, and recurrent layers are
    the ops that they are made of."""
    return _switched_off("_get_mkldnn_enabled", "_set_mkldnn_enabled")


@contextmanager
def _switched_off(asked: str, put: str) -> Generator[None]:
    """A setting of torch's, by its two functions, is off inside."""
    import torch

    library = cast(Any, torch)._C
    before = getattr(library, asked)()
    getattr(library, put)(False)
    try:
        yield
    finally:
        getattr(library, put)(before)


COUNTED = "_"
"""How a size begins that an op has counted, until the result of the op has a name."""
DEPENDS_ON_VALUES = "the shape of the result depends on the values of a tensor"


def is_counted(dim: Dim) -> bool:
    """Whether the op that gives a tensor of this size has just counted it."""
    return any(name.startswith(COUNTED) for name in words(dim.text))


Probe = Callable[[dict[str, int]], str | None]
"""Runs an op with these sizes: how it differs from what was reckoned, or None."""


CHANGES = "a data-dependent size changes the result"
"""What a probe says of an op that works with other sizes, but gives another shape."""
GUARD = "data-dependent sizes do not fit"
"""What is said of an assumption of torch's that does not hold."""
NEGATIVE = "a size is below zero"
"""What is said of a number that is a size, and must be one."""
