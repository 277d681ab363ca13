"""What `dycl.explain` says of the sizes that each call decides.

sizes that each call decides
    n = 1..512: dimension 1 of `x`
    `n` must be a multiple of 4 (net.py:30)
    a version of its own: n == 64; n == 128
    64 bytes are laid out beforehand
    a call takes up to 1024 * n bytes of dynamic sizes at once: 524,288 where n = 512
    it keeps that memory for the next call
"""

from dataclasses import dataclass, field

from xdsl.dialects.builtin import IntegerAttr, ModuleOp

from dycl.driver.explained_memory import words_of_memory
from dycl.ir import CheckedOp, host
from dycl.ir.dialect.model import INPUT_ERROR
from dycl.ir.host.memory import memories_of
from dycl.ir.host.types import ARENA
from dycl.ir.input_sizes import SIZES, InputSize, sizes_of, versions_of, words
from dycl.ir.walking import walk


@dataclass
class SizesSeen:
    """What the levels of one compilation say of sizes."""

    sizes: tuple[InputSize, ...] = ()
    constraints: dict[str, None] = field(default_factory=dict[str, None])
    """What a call must fulfil, each once, in order."""
    memory: list[str] = field(default_factory=list[str])

    def look(self, level: str, module: ModuleOp) -> None:
        """Note what a level says."""
        for function in module.body.ops:
            if SIZES not in function.attributes:
                continue
            if level == "hcfg":
                self.sizes = sizes_of(function)
                for op in walk(function):
                    if isinstance(op, CheckedOp):
                        message = op.message.data
                        if message.startswith(INPUT_ERROR):
                            self.constraints[message.removeprefix(INPUT_ERROR)] = None
            elif isinstance(function, host.FuncOp):
                self.memory = _memory(module, function)

    def lines(self) -> list[str]:
        """All of it, for reading; [] where no call decides a size."""
        if not self.sizes:
            return []
        ranges = [
            f"{size.name} = {size.range_text}: {size.where}" for size in self.sizes
        ]
        own = "; ".join(map(words, versions_of(self.sizes)))
        versions = [f"a version of its own: {own}"] if own else []
        said = [*ranges, *self.constraints, *versions, *self.memory]
        return [
            "sizes that each call decides",
            *(f"    {line}" for line in said if line),
        ]


def _memory(module: ModuleOp, function: host.FuncOp) -> list[str]:
    arena = function.attributes.get(ARENA)
    size = arena.value.data if isinstance(arena, IntegerAttr) else 0
    lines = words_of_memory(function, memories_of(module))
    return [f"{size:,} bytes are laid out beforehand", *lines]
