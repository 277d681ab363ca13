"""PTX as text to instructions."""

import re
from dataclasses import dataclass, field
from functools import cached_property

SIZES = {"b128": 16, "f16x2": 4, "bf16x2": 4, "s16x2": 4, "u16x2": 4, "tf32": 4}
SIZES |= {f"{k}{n}": n // 8 for k in "bus" for n in (8, 16, 32, 64)}
SIZES |= {"f16": 2, "bf16": 2, "f32": 4, "f64": 8}
"""Bytes of each type."""

_REGISTERS = re.compile(r"\.reg\s+\.(\w+)\s+(.*)", re.S)
_ARRAY = re.compile(r"\.shared\s+\.align\s+(\d+)\s+\.(\w+)\s+([\w$]+)\[(\d*)\]")
_TABLE = re.compile(
    r"\.global\s+\.align\s+\d+\s+\.b32\s+(\w+)\[\d+\]\s*=\s*\{([^}]*)\}"
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
        if self.op not in ("ld", "st") or self.modifiers[0][:5] == "param":
            return 16 if self.op == "ldmatrix" else 0
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


def parse(text: str) -> Kernel:
    """The only entry of a module. ValueError: there is none."""
    text = re.sub(r"//[^\n]*|/\*.*?\*/", "", text, flags=re.S)
    match = _ENTRY.search(text)
    if match is None:
        raise ValueError("no entry")
    kernel = Kernel(match[1])
    for array in _ARRAY.finditer(text[: match.start()]):
        _shared(kernel, array)
    for table in _TABLE.finditer(text[: match.start()]):
        words = map(int, table[2].split(","))
        kernel.tables[table[1]] = b"".join(w.to_bytes(4, "little") for w in words)
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
    _body(kernel, text[match.end() : text.rindex("}")])
    for instruction in kernel.instructions:
        if instruction.op == "bra":
            instruction.target = kernel.labels[instruction.operands[0]]
    return kernel


def _shared(kernel: Kernel, array: re.Match[str]) -> None:
    align, size = int(array[1]), int(array[4] or 0) * SIZES[array[2]]
    start = -(-kernel.static_shared // align) * align
    kernel.shared[array[3]] = start
    kernel.static_shared = start + size


def _body(kernel: Kernel, body: str) -> None:
    place = 0
    while match := re.compile(r"[\s{}]*(?:([\w$]+):(?!:))?").match(body, place):
        place = match.end()
        if match[1]:
            kernel.labels[match[1]] = len(kernel.instructions)
            continue
        end = body.find(";", place)
        if end < 0:
            return
        statement = body[place:end].strip()
        place = end + 1
        if registers := _REGISTERS.match(statement):
            for name in split(registers[2]):
                _declare(kernel, name, registers[1])
        elif array := _ARRAY.match(statement):
            _shared(kernel, array)
        elif statement and not statement.startswith("."):
            kernel.instructions.append(_instruction(statement))


def _declare(kernel: Kernel, name: str, kind: str) -> None:
    match = re.match(r"(%?[\w$]+)(?:<(\d+)>)?", name)
    assert match is not None
    if match[2] is None:
        kernel.registers[match[1]] = kind
    else:
        kernel.registers |= {f"{match[1]}{i}": kind for i in range(int(match[2]))}


def _instruction(statement: str) -> Instruction:
    rest, guard, negated = statement, "", False
    if match := re.match(r"@(!?)\s*(%?[\w$]+)\s+", statement):
        guard, negated = match[2], bool(match[1])
        rest = statement[match.end() :]
    name = re.match(r"[\w.:]+", rest)
    assert name is not None
    op, *modifiers = name[0].split(".")
    operands = split(rest[name.end() :])
    return Instruction(statement, op, modifiers, operands, guard, negated)


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
