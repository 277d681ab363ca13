"""Sizes of a program as steps that the host of a run takes (`dycl.runtime.cuda`)."""

from typing import Any

from dycl.kernels.cuda.tile.program import Program
from dycl.kernels.cuda.tile.sizes import Size, Symbol
from dycl.runtime.cuda.sizes import OpenSizes, Step


class Steps:
    """Steps so far; what is computed twice is one."""

    def __init__(self) -> None:
        self._index: dict[Step, int] = {}

    @property
    def all(self) -> tuple[Step, ...]:
        """In order."""
        return tuple(self._index)

    def of(self, size: Size) -> int:
        """The step that gives a size."""
        if isinstance(size, int):
            return self._step("number", size)
        parts: list[int] = []
        for product, times in size.terms:
            part = [self._symbol(one) for one in product]
            if times != 1 or not part:
                part.append(self._step("number", times))
            parts.append(self._joined("*", part))
        return self._joined("+", parts)

    def _symbol(self, one: Symbol) -> int:
        if one.op == "dim":
            return self._step("dim", *one.of)
        if one.op == "number":
            return self._step("argument", *one.of)
        return self._step(one.op, *(self.of(size) for size in one.of))

    def _joined(self, operation: str, parts: list[int]) -> int:
        total = parts[0]
        for part in parts[1:]:
            total = self._step(operation, total, part)
        return total

    def _step(self, operation: str, *of: Any) -> int:
        return self._index.setdefault((operation, *of), len(self._index))


def numbers_of(program: Program) -> tuple[Size, ...]:
    """The sizes that the functions of a program are given, each once."""
    buffers = [b for f in program.functions for b in f.parameters]
    return tuple(dict.fromkeys(b.size for b in buffers if b.size is not None))


def open_sizes_of(program: Program) -> OpenSizes | None:
    """What a run computes for a program; None: all sizes are known."""
    if program.is_static:
        return None
    tensors = [*program.arguments, *program.results, *program.temporaries]
    steps = Steps()
    results = tuple(
        tuple(steps.of(size) for size in buffer.shape) for buffer in program.results
    )
    temporaries = tuple(steps.of(buffer.bytes) for buffer in program.temporaries)
    blocks = tuple(steps.of(function.blocks) for function in program.functions)
    given = tuple(map(steps.of, numbers_of(program)))
    equal = tuple((steps.of(a), steps.of(b)) for a, b in program.equal)
    counts = dict.fromkeys(steps.of(b.count) for b in tensors if not b.is_scalar)
    return OpenSizes(steps.all, results, temporaries, blocks, given, equal, (*counts,))
