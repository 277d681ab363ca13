"""Packing and unpacking of an image as text: squares of 16x16 turned in registers.

Sixteen rows of sixteen pixels, one row for each channel, are sixteen vectors; after
four rounds of shuffles they are sixteen pixels with their channels side by side. The
way back is the same. Lanes beyond the last channel get, and overwrite, what belongs to
the last one; a row that is no multiple of sixteen ends with a square that overlaps.
"""

from typing import Any

from dycl.kernels.cpu.blocks.block_contractions import LANES, NEST
from dycl.kernels.cpu.blocks.lower_blocks import CHANNELS
from dycl.kernels.cpu.buffers.memory import has_unit_stride, is_dense
from dycl.kernels.cpu.loops.accesses import NotLinear
from dycl.kernels.cpu.mlir import ops
from dycl.kernels.cpu.nests.function_text import VECTOR, FunctionText
from dycl.kernels.cpu.nests.turned import turned


def copy_nest_text(op: Any, name: str) -> tuple[str, list[Any]]:
    """The copy as a function, and the memrefs to call it with: source, result.

    Raises NotLinear, with the reason, if there is no such function.
    """
    if CHANNELS not in op.attributes:
        raise NotLinear("it is not an image")
    source, result = _source(op), op.operands[len(op.operands) - 1]
    packs = str(op.attributes[NEST].value) == "pack"
    plain, blocked = (source, result) if packs else (result, source)
    for value in (source, result):
        if str(value.type.element_type) != "f32":
            raise NotLinear("not all of its elements are f32")
        if not has_unit_stride(value):
            raise NotLinear("its rows do not lie side by side")
    shape = list(plain.type.shape)
    if min(shape[2:]) < 1 or len(shape) < 3:
        raise NotLinear("there are no rows")
    copy = _Copy(packs, shape, plain.type, blocked.type)
    return copy.write(name), [source, result]


class _Copy:
    def __init__(self, packs: bool, shape: list[int], plain: Any, blocked: Any):
        self.packs = packs
        self.batch, self.channels, *self.space = shape
        self.types = {"plain": str(plain), "blocked": str(blocked)}
        self.names = {"plain": "%a0", "blocked": "%a1"}
        if not packs:
            self.names = {"plain": "%a1", "blocked": "%a0"}
        self.text = FunctionText()
        self.arguments = dict(self.types)
        if len(self.space) > 1 and is_dense(plain) and is_dense(blocked):
            self._flatten()

    def write(self, name: str) -> str:
        """The text of the function."""
        blocks = -(-self.channels // LANES)
        runs = [
            self.text.loop((0, size, 1))
            for size in (self.batch, blocks, *self.space[:-1])
        ]
        batch, block, *rows = [run.runs for run in runs]
        self._row(batch, block, rows)
        for run in reversed(runs):
            run.close()
        order = ("plain", "blocked") if self.packs else ("blocked", "plain")
        arguments = [f"%a{i}: {self.arguments[k]}" for i, k in enumerate(order)]
        return self.text.function(name, ", ".join(arguments))

    def _flatten(self) -> None:
        """See rows that lie one behind the other as one."""
        pixels = 1
        for size in self.space:
            pixels *= size
        blocks = -(-self.channels // LANES)
        middle = f"[{', '.join(str(2 + i) for i in range(len(self.space)))}]"
        last = f", [{2 + len(self.space)}]"
        for key, sizes, tail in (
            ("plain", [self.batch, self.channels, pixels], ""),
            ("blocked", [self.batch, blocks, pixels, LANES], last),
        ):
            made = f"memref<{'x'.join(map(str, sizes))}xf32>"
            self.names[key] = self.text.emit(
                f"memref.collapse_shape {self.names[key]} [[0], [1], {middle}{tail}] "
                f": {self.types[key]} into {made}"
            )
            self.types[key] = made
        self.space = [pixels]

    def _row(self, batch: str, block: str, rows: list[str]) -> None:
        """Squares along a row; the last one overlaps the one before it."""
        width = self.space[-1]
        if width <= LANES:
            self._square(batch, block, rows, self.text.index(0), width)
            return
        run = self.text.loop((0, width, LANES))
        at = run.runs
        if width % LANES:
            last = self.text.index(width - LANES)
            at = self.text.emit(f"arith.minui {at}, {last} : index")
        self._square(batch, block, rows, at, LANES)
        run.close()

    def _square(
        self, batch: str, block: str, rows: list[str], at: str, pixels: int
    ) -> None:
        text = self.text
        first = text.emit(f"arith.muli {block}, {text.index(LANES)} : index")

        def channel(i: int) -> str:
            here = text.emit(f"arith.addi {first}, {text.index(i)} : index")
            if self.channels % LANES:
                last = text.index(self.channels - 1)
                here = text.emit(f"arith.minui {here}, {last} : index")
            places = ", ".join([batch, here, *rows, at])
            return f"{self.names['plain']}[{places}]"

        def pixel(j: int) -> str:
            here = text.emit(f"arith.addi {at}, {text.index(j)} : index")
            places = ", ".join([batch, block, *rows, here, text.index(0)])
            return f"{self.names['blocked']}[{places}]"

        plain, blocked = self.types["plain"], self.types["blocked"]
        if self.packs:
            vectors = [self._load(channel(i), plain, pixels) for i in range(LANES)]
            for j, vector in enumerate(turned(text, vectors)[:pixels]):
                self._store(vector, pixel(j), blocked, LANES)
            return
        zero = text.splat("0.0")
        vectors = [
            self._load(pixel(j), blocked, LANES) if j < pixels else zero
            for j in range(LANES)
        ]
        # Backwards: of all that is written to the last channel, its own comes last.
        for i, vector in reversed(list(enumerate(turned(text, vectors)))):
            self._store(vector, channel(i), plain, pixels)

    def _load(self, at: str, kind: str, lanes: int) -> str:
        if lanes == LANES:
            return self.text.emit(f"vector.load {at} : {kind}, {VECTOR}")
        mask, zero = self.text.mask(lanes), self.text.splat("0.0")
        kinds = f"{kind}, vector<{LANES}xi1>, {VECTOR} into {VECTOR}"
        return self.text.emit(f"vector.maskedload {at}, {mask}, {zero} : {kinds}")

    def _store(self, value: str, at: str, kind: str, lanes: int) -> None:
        if lanes == LANES:
            self.text.lines.append(f"vector.store {value}, {at} : {kind}, {VECTOR}")
            return
        mask = self.text.mask(lanes)
        kinds = f"{kind}, vector<{LANES}xi1>, {VECTOR}"
        self.text.lines.append(f"vector.maskedstore {at}, {mask}, {value} : {kinds}")


def _source(op: Any) -> Any:
    """What is copied: the operand, or what the payload of a padding copy reads."""
    if len(op.operands) == 2:
        return op.operands[0]
    (load,) = [inner for inner in ops(op) if inner.name == "memref.load"]
    return load.operands[0]
