"""A function in the making, as MLIR text: lines, constants, loops of vectors."""

from collections.abc import Sequence
from dataclasses import dataclass, field

LANES = 16
"""f32 values in one vector of AVX-512."""
VECTOR = f"vector<{LANES}xf32>"


@dataclass
class FunctionText:
    """The lines of one function and the constants that they use."""

    lines: list[str] = field(default_factory=list[str])
    constants: dict[str, str] = field(default_factory=dict[str, str])
    count: int = 0

    def name(self) -> str:
        """A name that is not in use."""
        self.count += 1
        return f"%v{self.count}"

    def emit(self, text: str) -> str:
        """Add the line `name = text`; the name."""
        name = self.name()
        self.lines.append(f"{name} = {text}")
        return name

    def constant(self, text: str) -> str:
        """A constant by its text: `4 : index`."""
        return self.constants.setdefault(text, f"%c{len(self.constants)}")

    def index(self, value: int) -> str:
        """A constant index."""
        return self.constant(f"{value} : index")

    def splat(self, value: str, element: str = "f32") -> str:
        """A constant vector of one value, given as text."""
        return self.constant(f"dense<{value}> : vector<{LANES}x{element}>")

    def mask(self, lanes: int) -> str:
        """A vector of bits: the first `lanes` lanes."""
        bits = ", ".join(["true"] * lanes + ["false"] * (LANES - lanes))
        return self.constant(f"dense<[{bits}]> : vector<{LANES}xi1>")

    def loop(
        self,
        trips: tuple[int, int, int],
        carried: Sequence[str] = (),
        attribute: str = "",
    ) -> "LoopText":
        """Open a loop `(low, high, step)` that carries vectors."""
        return LoopText(self, trips, carried, attribute)

    def function(self, name: str, arguments: str) -> str:
        """The whole function."""
        head = [f"{name} = arith.constant {t}" for t, name in self.constants.items()]
        body = "\n".join([*head, *self.lines])
        return f"func.func private @{name}({arguments}) {{\n{body}\nreturn\n}}"


class LoopText:
    """An `scf.for` that has been opened and not closed yet."""

    def __init__(
        self,
        text: FunctionText,
        trips: tuple[int, int, int],
        carried: Sequence[str],
        attribute: str,
    ):
        """Write the head of the loop."""
        self.text = text
        self._attribute = attribute
        self.runs = text.name()
        """The value of the loop."""
        self.carried = [text.name() for _ in carried]
        """The carried vectors, as they are inside."""
        self._result = text.name()
        low, high, step = map(text.index, trips)
        head = f"scf.for {self.runs} = {low} to {high} step {step}"
        if carried:
            pairs = zip(self.carried, carried, strict=True)
            starts = ", ".join(f"{inner} = {outer}" for inner, outer in pairs)
            types = ", ".join([VECTOR] * len(carried))
            head = f"{self._result}:{len(carried)} = {head} iter_args({starts})"
            head += f" -> ({types})"
        text.lines.append(head + " {")

    def close(self, carried: Sequence[str] = ()) -> list[str]:
        """End the loop; the names of the carried vectors behind it."""
        if carried:
            types = ", ".join([VECTOR] * len(carried))
            self.text.lines.append(f"scf.yield {', '.join(carried)} : {types}")
        said = f" {{{self._attribute}}}" if self._attribute else ""
        self.text.lines.append("}" + said)
        return [f"{self._result}#{i}" for i in range(len(carried))]
