"""PTX as text to instructions."""

import re
from dataclasses import dataclass, field
from functools import cached_property

SIZES = {"b128": 16, "f16x2": 4, "bf16x2": 4, "s16x2": 4, "u16x2": 4, "tf32": 4}
SIZES |= {f"{k}{n}": n // 8 for k in "bus" for n in (8, 16, 32, 64)}
SIZES |= {"f16": 2, "bf16": 2, "f32": 4, "f64": 8}
"""Bytes of each type."""

_TABLE = re.compile(
    r"\.global\s+\.align\s+\d+\s+\.(b\d+)\s+(\w+)\[\d+\]\s*=\s*\{([^}]*)\}"
)
_ENTRY = re.compile(r"\.entry\s+([\w$]+)\s*\(([^)]*)\)([^{;]*)\{")


@dataclass
class Instruction:
    """One instruction: `@!%p add.s32 %a, %b, 1;`."""

    text: str
    op: str
    modifiers: list[str]
    operands: list[str]
    guard: str = ""
    is_negated: bool = False
    target: int = -1
    """Of a branch: the number of the instruction."""

    @cached_property
    def types(self) -> list[str]:
        """Those of its modifiers that are types."""
        return [m for m in self.modifiers if m in SIZES or m == "pred"]

    @cached_property
    def bytes(self) -> int:
        """Of memory that it uses at once; 0: none, or parameters."""
        if self.op == "cp" and len(self.operands) > 2:
            return int(self.operands[2], 0)
        if self.op not in ("ld", "st") or self.modifiers[0] in ("param", "local"):
            if self.op == "wgmma" and "mma_async" in self.modifiers:
                return 4 if "tf32" in self.modifiers else 2
            return 16 if self.op in ("ldmatrix", "stmatrix") else 0
        registers = self.operands[self.op == "st"]
        count = len(split(registers[1:-1])) if registers[0] == "{" else 1
        return SIZES[self.types[-1]] * count


@dataclass
class Kernel:
    """One entry."""

    name: str
    parameters: dict[str, tuple[int, int]] = field(default_factory=dict)
    """Offset and size of each."""
    registers: dict[str, str] = field(default_factory=dict)
    shared: dict[str, int] = field(default_factory=dict)
    static_shared: int = 0
    local: dict[str, int] = field(default_factory=dict)
    """Where arrays of a thread's own are."""
    local_size: int = 0
    tables: dict[str, bytes] = field(default_factory=dict)
    """Numbers in global memory that the text has."""
    instructions: list[Instruction] = field(default_factory=list)
    labels: dict[str, int] = field(default_factory=dict)
    threads: int = 0
    """Of a block, if the text says so."""

    @cached_property
    def unit(self) -> int:
        """Bytes that every access of memory is of, or a multiple."""
        return min((i.bytes for i in self.instructions if i.bytes), default=1)

    @cached_property
    def fragments(self) -> frozenset[str]:
        """Registers of products of four warps: their sums, and left matrices."""
        return frozenset(
            name
            for i in self.instructions
            if i.op == "wgmma" and "mma_async" in i.modifiers
            for operand in i.operands[:2]
            if operand.startswith("{")
            for name in split(operand[1:-1])
        )


def parse(text: str) -> Kernel:
    """The only entry of a module. ValueError: there is none."""
    from ptx_machine.body import Body, array, enclosed, functions_of

    text = re.sub(r"//[^\n]*|/\*.*?\*/", "", text, flags=re.S)
    match = _ENTRY.search(text)
    if match is None:
        raise ValueError("no entry")
    kernel = Kernel(match[1])
    for statement in text[: match.start()].split(";"):
        if place := array(kernel, statement[max(0, statement.find(".shared")) :]):
            kernel.shared[place[0]] = place[1]
    for table in _TABLE.finditer(text[: match.start()]):
        words, size = map(int, table[3].split(",")), SIZES[table[1]]
        kernel.tables[table[2]] = b"".join(w.to_bytes(size, "little") for w in words)
    end = 0
    for parameter in filter(None, map(str.strip, match[2].split(","))):
        kind = re.search(r"\.param\s+\.(\w+)", parameter)
        assert kind is not None
        size = SIZES[kind[1]]
        start = -(-end // size) * size
        kernel.parameters[parameter.split()[-1]] = (start, size)
        end = start + size
    threads = re.search(r"\.reqntid\s+(\d+)", match[3])
    kernel.threads = int(threads[1]) if threads else 0
    body = enclosed(text, match.end())
    Body(kernel, functions_of(text)).read(body, {})
    for instruction in kernel.instructions:
        if instruction.op == "bra":
            instruction.target = kernel.labels[instruction.operands[0]]
    return kernel


def split(text: str) -> list[str]:
    """What stands between the commas that are in no bracket."""
    parts, depth = [""], 0
    for letter in text:
        depth += (letter in "{[(") - (letter in "}])")
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts if part.strip()]
