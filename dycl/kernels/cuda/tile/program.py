"""A kernel at the tile level: Triton functions, and the order in which they run."""

from collections.abc import Sequence
from dataclasses import dataclass

from dycl.kernels.cuda.tile.helpers import HELPERS
from dycl.kernels.cuda.tile.sizes import Size, count
from dycl.schedules.cuda_model import Launch
from dycl.schedules.cuda_products import Sizes

HEAD = """import triton
import triton.language as tl
from triton.language.extra import libdevice
"""


@dataclass(frozen=True)
class Buffer:
    """Memory that a function reads or writes, or a number that it is given."""

    name: str
    shape: tuple[Size, ...]
    dtype: str
    is_scalar: bool = False
    table: bytes = b""
    """What it holds, if the compiler knows: it is a part of the code then."""
    size: Size | None = None
    """Of a number that the host computes from sizes: which."""
    meaning: str = ""
    """The same in words, if the name does not say it."""

    @property
    def bytes(self) -> Size:
        """Its size."""
        bits = 8 if self.dtype == "i1" else int(self.dtype.lstrip("bfi"))
        return self.count * (bits // 8)

    @property
    def count(self) -> Size:
        """How many elements it has."""
        return count(self.shape)

    def __str__(self) -> str:
        """As a comment has it: `x: f32[2, 3]`."""
        if self.size is not None:
            return f"{self.name}: {self.meaning or 'size'}"
        sizes = "" if self.is_scalar else str(list(self.shape))
        kind = "table of " if self.table else ""
        return f"{self.name}: {kind}{self.dtype}{sizes}"


@dataclass(frozen=True)
class Function:
    """One Triton function, launched once."""

    name: str
    parameters: tuple[Buffer, ...]
    """In order; those that are written stand last."""
    written: int
    """How many are written."""
    lines: tuple[str, ...]
    helpers: tuple[str, ...]
    blocks: Size
    launch: Launch
    places: tuple[str, ...]
    """The user's lines that it computes."""
    expected: str = ""
    """How long it takes, on paper, and why."""
    product: Sizes | None = None
    """The contraction that it is a function of."""
    grid: str = ""
    """`blocks` as a text."""

    def text(self) -> str:
        """As it stands in a module."""
        read = self.parameters[: -self.written]
        written = self.parameters[-self.written :]
        names = ", ".join(p.name for p in self.parameters)
        return "\n".join(
            [
                f"# {', '.join(self.places) or 'no line of the user'}",
                f"# {', '.join(map(str, read)) or 'nothing'}"
                f" -> {', '.join(map(str, written))}",
                f"# blocks: {self.grid or self.blocks}, warps: {self.launch.warps}"
                + (self.expected and f"; {self.expected}"),
                "@triton.jit",
                f"def {self.name}({names}):",
                *self.lines,
            ]
        )


@dataclass(frozen=True)
class Program:
    """One kernel of the user's program."""

    name: str
    arguments: tuple[Buffer, ...]
    results: tuple[Buffer, ...]
    temporaries: tuple[Buffer, ...]
    functions: tuple[Function, ...]
    """In the order in which they run."""
    equal: tuple[tuple[Size, Size], ...] = ()
    """Sizes that have to be equal in a run."""
    is_static: bool = True
    """Whether no size is left to a run."""


def module_text(programs: Sequence[Program]) -> str:
    """A module with the functions of these kernels, and with what they call."""
    functions = [f for program in programs for f in program.functions]
    needed = dict.fromkeys(h for f in functions for h in f.helpers)
    helpers = [f"@triton.jit\n{HELPERS[name]}" for name in sorted(needed)]
    return (
        "\n\n\n".join([HEAD.rstrip(), *helpers, *(f.text() for f in functions)]) + "\n"
    )
