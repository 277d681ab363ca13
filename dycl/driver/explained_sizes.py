"""What `dycl.explain` says of the sizes that each call decides.

sizes that each call decides
    n = 1..512: dimension 1 of `x`
    `n` must be a multiple of 4 (net.py:30)
    a version of its own: n == 64; n == 128
    64 bytes are laid out beforehand; each call allocates up to 3 tensors whose
    size it decides, and the next one frees them
"""

from dataclasses import dataclass, field

from xdsl.dialects.builtin import IntegerAttr, ModuleOp

from dycl.ir import CheckedOp, host
from dycl.ir.dialect.model import INPUT_ERROR
from dycl.ir.host.types import ARENA, is_static
from dycl.ir.input_sizes import SIZES, InputSize, sizes_of, versions_of, words
from dycl.ir.walking import walk


@dataclass
class SizesSeen:
    """What the levels of one compilation say of sizes."""

    sizes: tuple[InputSize, ...] = ()
    constraints: dict[str, None] = field(default_factory=dict[str, None])
    """What a call must fulfil, each once, in order."""
    memory: str = ""

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
                self.memory = _memory(function)

    def lines(self) -> list[str]:
        """All of it, for reading; [] where no call decides a size."""
        if not self.sizes:
            return []
        ranges = [
            f"{size.name} = {size.range_text}: {size.where}" for size in self.sizes
        ]
        own = "; ".join(map(words, versions_of(self.sizes)))
        versions = [f"a version of its own: {own}"] if own else []
        said = [*ranges, *self.constraints, *versions, self.memory]
        return [
            "sizes that each call decides",
            *(f"    {line}" for line in said if line),
        ]


def _memory(function: host.FuncOp) -> str:
    arena = function.attributes.get(ARENA)
    size = arena.value.data if isinstance(arena, IntegerAttr) else 0
    count = sum(
        isinstance(op, host.AllocOp) and not is_static(op.result.type)
        for op in walk(function)
    )
    text = f"{size:,} bytes are laid out beforehand"
    if not count:
        return text
    what = "a tensor" if count == 1 else f"up to {count} tensors"
    return (
        f"{text}; each call allocates {what} whose size it decides, and the next one "
        "frees them (a loop anew in each iteration)"
    )
