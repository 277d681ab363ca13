"""How much memory of dynamic sizes a call takes, in words.

a call takes up to 140 * h * w bytes of dynamic sizes at once: 36,700,160 where
h = 512 and w = 512
"""

from collections.abc import Mapping
from typing import Any, cast

from dycl.host.native.needs import Reckoning, reckon
from dycl.ir import host
from dycl.ir.host.memory import KernelMemory
from dycl.ir.input_sizes import InputSize, sizes_of

_UNBOUNDED = 4096
"""A size without a maximum, where the largest of several sums is looked for."""

Both = tuple[int, Any]
"""A number at the maximum of all sizes, and the formula."""


def words_of_memory(
    func: host.FuncOp, memories: Mapping[str, KernelMemory]
) -> list[str]:
    """The lines; [] where a call takes no memory of dynamic sizes that is known of."""
    reckoning = Formulas(func)
    is_whole = reckon(func, memories, reckoning)
    most, formula = reckoning.most
    if not most:
        return []
    text = f"a call takes up to {formula_text(formula)} bytes of dynamic sizes at once"
    sizes = sizes_of(func)
    if all(size.high is not None for size in sizes):
        ends = " and ".join(f"{size.name} = {size.high}" for size in sizes)
        text += f": {most:,} where {ends}"
    rest = [] if is_whole else ["and what it makes of sizes that the data decide"]
    return [text, *rest, "it keeps that memory for the next call"]


class Formulas(Reckoning[Both]):
    """Reckons with the names that the sizes of inputs have."""

    def __init__(self, func: host.FuncOp) -> None:
        import sympy

        self._sympy: Any = sympy
        self._places: dict[tuple[str, int], InputSize] = {
            place: size for size in sizes_of(func) for place in size.places
        }
        self._names = func.param_names
        self._live: Both = self.known(0)
        self.most: Both = self._live
        self._ifs: list[tuple[Both, Both]] = []

    def known(self, value: int) -> Both:
        return value, self._sympy.Integer(value)

    def input_size(self, number: int, dimension: int) -> Both:
        size = self._places[self._names[number], dimension]
        value = _UNBOUNDED if size.high is None else size.high
        return value, self._sympy.Symbol(size.name, integer=True, nonnegative=True)

    def step(self, kind: str, one: Both, other: Both) -> Both:
        (a, x), (b, y) = one, other
        find: Any = self._sympy
        match kind:
            case "add":
                return a + b, x + y
            case "sub":
                return a - b, x - y
            case "mul":
                return a * b, x * y
            case "div":
                return a // b if b else 0, find.floor(x / y)
            case "ceil":
                return -(-a // b) if b else 0, -find.floor(-x / y)
            case "mod":
                return a % b if b else 0, find.Mod(x, y)
            case "max":
                return max(a, b), find.Max(x, y)
            case _:
                return min(a, b), find.Min(x, y)

    def take(self, size: Both) -> None:
        self._live = self._live[0] + size[0], self._live[1] + size[1]
        self.most = max(self.most, self._live, key=_value)

    def give(self, size: Both) -> None:
        self._live = self._live[0] - size[0], self._live[1] - size[1]

    def enter(self) -> None:
        self._ifs.append((self._live, self.known(0)))

    def side(self) -> None:
        before, end = self._ifs[-1]
        self._ifs[-1] = before, max(end, self._live, key=_value)
        self._live = before

    def leave(self) -> None:
        self._live = self._ifs.pop()[1]


def _value(both: Both) -> int:
    return both[0]


def formula_text(formula: Any) -> str:
    """A formula as Python has it, without the parentheses that Python needs not.

    A size of what a network keeps, as that of `self.last[2]_1`, is no name in Python.
    """
    import ast

    import sympy

    from dycl.analysis.dynamic_sizes.size_texts import CannotReckon, python_text

    try:
        text = python_text(cast(Any, sympy).expand(formula))
        return ast.unparse(ast.parse(text, mode="eval"))
    except (CannotReckon, SyntaxError):
        return str(formula)
