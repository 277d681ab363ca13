"""The body of an entry to instructions: scopes have names of their own, and a function
of the same text stands where it is called."""

import re
from collections import ChainMap
from collections.abc import Mapping
from dataclasses import dataclass

from ptx_machine.text import SIZES, Instruction, Kernel, split

_REGISTERS = re.compile(r"\.reg\s+\.(\w+)\s+(.*)", re.S)
_ARRAY = re.compile(r"\.(shared|local)\s+\.align\s+(\d+)\s+\.(\w+)\s+([\w$]+)\[(\d*)\]")
_PARAMETER = re.compile(r"\.param\s+(?:\.align\s+\d+\s+)?\.\w+\s+([\w$]+)")
_FUNCTION = re.compile(r"\.func\s*(?:\(([^)]*)\))?\s*([\w$]+)\s*\(([^)]*)\)\s*\{")
_CALL = re.compile(r"call(?:\.uni)?\s+(?:\(([^)]*)\),\s*)?([\w$]+)(?:,\s*\(([^)]*)\))?")
_NAME = re.compile(r"(?<![\w$.%])%?[A-Za-z_$][\w$]*")


@dataclass(frozen=True)
class _Function:
    """What a call of it runs."""

    parameters: tuple[str, ...]
    """Those of its result first."""
    body: str


def functions_of(text: str) -> dict[str, _Function]:
    """The functions that a module defines, beside its entry."""
    found: dict[str, _Function] = {}
    for match in _FUNCTION.finditer(text):
        names = _PARAMETER.findall(f"{match[1] or ''},{match[3]}")
        found[match[2]] = _Function(tuple(names), enclosed(text, match.end()))
    return found


def enclosed(text: str, start: int) -> str:
    """What stands from `start`, behind a brace, to the brace that closes it."""
    depth = 1
    for match in re.compile(r"[{}]").finditer(text, start):
        depth += 1 if match[0] == "{" else -1
        if depth == 0:
            return text[start : match.start()]
    raise ValueError("a brace that nothing closes")


def array(kernel: Kernel, statement: str) -> tuple[str, int, str] | None:
    """The name, place and space of an array, for which there is room now."""
    match = _ARRAY.match(statement)
    if match is None:
        return None
    space, align, size = match[1], int(match[2]), SIZES[match[3]] * int(match[5] or 0)
    used = kernel.static_shared if space == "shared" else kernel.local_size
    start = -(-used // align) * align
    if space == "shared":
        kernel.static_shared = start + size
    else:
        kernel.local_size = start + size
    return match[4], start, space


class Body:
    """Fills in a kernel."""

    def __init__(self, kernel: Kernel, functions: Mapping[str, _Function]):
        self.kernel, self.functions = kernel, functions
        self.scopes = 0

    def read(self, body: str, given: Mapping[str, str], unique: str = "") -> None:
        """Add a body's instructions; `given`: its names that are names outside.

        `unique`: stands behind all names that it declares; "": it is the entry's.
        """
        names: ChainMap[str, str] = ChainMap(dict(given))
        endings = [unique]
        for label in re.findall(r"(?:^|[\s;{}])([\w$]+):(?!:)", body):
            names[label] = label + unique
        place = 0
        while match := re.compile(r"\s*(?:([{}])|([\w$]+):(?!:))?").match(body, place):
            place = match.end()
            if match[1] == "{":
                self.scopes += 1
                names, endings = names.new_child(), [*endings, f"'{self.scopes}"]
            elif match[1] == "}":
                names, endings = names.parents, endings[:-1]
            elif match[2]:
                self.kernel.labels[names[match[2]]] = len(self.kernel.instructions)
            else:
                end = body.find(";", place)
                if end < 0:
                    break
                self._statement(body[place:end].strip(), names, endings[-1])
                place = end + 1
        if unique:
            self.kernel.labels[f"end{unique}"] = len(self.kernel.instructions)

    def _statement(self, text: str, names: ChainMap[str, str], ending: str) -> None:
        if registers := _REGISTERS.match(text):
            for name in split(registers[2]):
                self._declare(name, registers[1], names, ending)
        elif found := array(self.kernel, text):
            name, start, space = found
            names[name] = name + ending
            where = self.kernel.shared if space == "shared" else self.kernel.local
            where[name + ending] = start
        elif parameter := _PARAMETER.match(text):
            names[parameter[1]] = parameter[1] + ending
        elif (call := _CALL.match(text)) and call[2] in self.functions:
            self._called(call, names)
        elif text and not text.startswith("."):
            self._add(text, names)

    def _declare(
        self, name: str, kind: str, names: ChainMap[str, str], ending: str
    ) -> None:
        match = re.match(r"(%?[\w$]+)(?:<(\d+)>)?", name)
        assert match is not None
        all_names = [match[1]]
        if match[2] is not None:
            all_names = [f"{match[1]}{i}" for i in range(int(match[2]))]
        for one in all_names:
            names[one] = one + ending
            self.kernel.registers[one + ending] = kind

    def _called(self, call: re.Match[str], names: ChainMap[str, str]) -> None:
        function = self.functions[call[2]]
        outside = [*split(call[1] or ""), *split(call[3] or "")]
        self.scopes += 1
        given = {
            inner: names[outer]
            for inner, outer in zip(function.parameters, outside, strict=True)
        }
        ending = f"'{self.scopes}"
        self.read(function.body, given | {"ret": f"end{ending}"}, ending)

    def _add(self, text: str, names: ChainMap[str, str]) -> None:
        instruction = parsed(text, names)
        if instruction.op == "ret" and "ret" in names:
            instruction.op, instruction.operands = "bra", [names["ret"]]
        if instruction.op in ("st", "ld") and "param" in instruction.modifiers:
            is_load = instruction.op == "ld"
            place = instruction.operands[is_load].strip("[] ")
            if place.partition("+")[0] not in self.kernel.parameters:
                kind = instruction.types[-1]
                self.kernel.registers[place] = kind
                other = instruction.operands[not is_load]
                instruction.op, instruction.modifiers = "mov", [kind]
                instruction.operands = [other, place] if is_load else [place, other]
        self.kernel.instructions.append(instruction)


def parsed(statement: str, names: Mapping[str, str]) -> Instruction:
    """One statement, its names those of its scope."""
    rest, guard, negated = statement, "", False
    if match := re.match(r"@(!?)\s*(%?[\w$]+)\s+", statement):
        guard, negated = match[2], bool(match[1])
        rest = statement[match.end() :]
    name = re.match(r"[\w.:]+", rest)
    assert name is not None
    op, *modifiers = name[0].split(".")
    operands = _NAME.sub(lambda m: names.get(m[0], m[0]), rest[name.end() :])
    return Instruction(
        statement, op, modifiers, split(operands), names.get(guard, guard), negated
    )
