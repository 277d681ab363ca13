"""The function of host.c that says how much memory a call is about to take.

static size_t dycl_needed(const dycl_value *in)
{
    size_t live = 0, most = 0;
    const int64_t s0 = in[0].sized->sizes[1];
    const int64_t t0 = 256 * s0;
    TAKES(t0);
    ...
    return most;
}
"""

from collections.abc import Mapping

from dycl.host.native.needs import Reckoning, reckon
from dycl.ir import host
from dycl.ir.host.memory import KernelMemory

_STEPS = {
    "add": "{} + {}",
    "sub": "{} - {}",
    "mul": "{} * {}",
    "div": "dycl_quotient({}, {})",
    "ceil": "-dycl_quotient(-({}), {})",
    "mod": "dycl_rest({}, {})",
    "max": "dycl_larger({}, {})",
    "min": "dycl_smaller({}, {})",
}


def room_function(func: host.FuncOp, memories: Mapping[str, KernelMemory]) -> list[str]:
    """Its lines; [] if a call takes no memory of dynamic sizes that is known of."""
    printer = _Printer()
    reckon(func, memories, printer)
    if not printer.asks:
        return []
    return [
        "static size_t dycl_needed(const dycl_value *in)",
        "{",
        *(f"    {line}" for line in printer.lines),
        "    return most;",
        "}",
        "",
    ]


class _Printer(Reckoning[str]):
    """A number is a name of C, or an int as text."""

    def __init__(self) -> None:
        self.lines = ["size_t live = 0, most = 0;"]
        self.asks = False
        self._names: dict[str, str] = {}
        """By an expression the name that it has, in the blocks around."""
        self._marks: list[int] = []
        self._count = 0

    def known(self, value: int) -> str:
        return str(value) if value >= 0 else f"({value})"

    def input_size(self, number: int, dimension: int) -> str:
        self.asks = True
        return self._named("s", f"in[{number}].sized->sizes[{dimension}]")

    def step(self, kind: str, one: str, other: str) -> str:
        if kind == "mul" and "1" in (one, other):
            return other if one == "1" else one
        return self._named("t", _STEPS[kind].format(one, other))

    def take(self, size: str) -> None:
        self.lines.append(f"TAKES({size});")

    def give(self, size: str) -> None:
        self.lines.append(f"GIVES({size});")

    def enter(self) -> None:
        self._count += 1
        self._marks.append(self._count)
        self.lines.append(
            f"const size_t before{self._count} = live; size_t end{self._count} = 0;"
        )

    def side(self) -> None:
        mark = self._marks[-1]
        self.lines.append(f"if (live > end{mark}) end{mark} = live;")
        self.lines.append(f"live = before{mark};")

    def leave(self) -> None:
        self.lines.append(f"live = end{self._marks.pop()};")

    def _named(self, letter: str, expression: str) -> str:
        if (known := self._names.get(expression)) is not None:
            return known
        name = self._names[expression] = f"{letter}{len(self._names)}"
        self.lines.append(f"const int64_t {name} = {expression};")
        return name
