"""Object files as LLVM writes them for x86-64: reading them, and renaming symbols."""

import struct
from collections.abc import Mapping
from dataclasses import dataclass

X86_64 = 62
"""The machine, as ELF numbers it."""
ALLOC, WRITE, EXECUTE = 2, 1, 4
"""Flags of sections."""
NOBITS = 8
"""The type of a section that is zeros."""
LOCAL, GLOBAL, WEAK = 0, 1, 2
"""Bindings of symbols."""

_SYMBOL_TABLE, _RELOCATIONS = 2, 4
_HEADER = struct.Struct("<16sHHIQQQIHHHHHH")
_SECTION = struct.Struct("<IIQQQQIIQQ")
_SYMBOL = struct.Struct("<IBBHQQ")
_RELOCATION = struct.Struct("<QQq")


class BadObject(ValueError):
    """This is no object file that can be read here."""


@dataclass(frozen=True)
class Section:
    """A part of the memory that the object is to have, or a table."""

    name: str
    kind: int
    flags: int
    align: int
    data: bytes


@dataclass(frozen=True)
class Symbol:
    """A name for a place; `section` 0: it is defined elsewhere."""

    name: str
    binding: int
    kind: int
    section: int
    value: int
    size: int


@dataclass(frozen=True)
class Relocation:
    """What is to be written at `offset` of a section when addresses are known."""

    section: int
    offset: int
    kind: int
    symbol: int
    addend: int


@dataclass(frozen=True)
class ObjectFile:
    """A relocatable object; symbols and sections are known by their numbers."""

    sections: tuple[Section, ...]
    symbols: tuple[Symbol, ...]
    relocations: tuple[Relocation, ...]


def read_object(code: bytes) -> ObjectFile:
    """Read a relocatable object for x86-64. BadObject: it is something else."""
    rows = _section_rows(code)
    names = _bytes(code, rows[_HEADER.unpack_from(code)[13]])
    sections = [
        Section(_text(names, row[0]), row[1], row[2], row[8], _bytes(code, row))
        for row in rows
    ]
    symbols: list[Symbol] = []
    relocations: list[Relocation] = []
    for row in rows:
        data = _bytes(code, row)
        if row[1] == _SYMBOL_TABLE:
            texts = _bytes(code, rows[row[6]])
            for name, info, _, section, value, size in _SYMBOL.iter_unpack(data):
                symbols.append(
                    Symbol(
                        _text(texts, name), info >> 4, info & 15, section, value, size
                    )
                )
        elif row[1] == _RELOCATIONS:
            for offset, info, addend in _RELOCATION.iter_unpack(data):
                relocations.append(
                    Relocation(row[7], offset, info & 0xFFFFFFFF, info >> 32, addend)
                )
    return ObjectFile(tuple(sections), tuple(symbols), tuple(relocations))


def renamed(code: bytes, names: Mapping[str, str]) -> bytes:
    """The same object with other names for some symbols.

    BadObject: it cannot be read.
    """
    rows = _section_rows(code)
    made = bytearray(code)
    table_at: int = _HEADER.unpack_from(code)[6]
    for row in rows:
        if row[1] != _SYMBOL_TABLE:
            continue
        texts = bytearray(_bytes(code, rows[row[6]]))
        for at in range(row[4], row[4] + row[5], _SYMBOL.size):
            old = _text(texts, struct.unpack_from("<I", code, at)[0])
            if old in names:
                struct.pack_into("<I", made, at, len(texts))
                texts += names[old].encode() + b"\0"
        # The longer table of names stands behind everything else.
        entry = table_at + row[6] * _SECTION.size
        struct.pack_into("<QQ", made, entry + 24, len(made), len(texts))
        made += texts
    return bytes(made)


def _section_rows(code: bytes) -> list[tuple[int, ...]]:
    if len(code) < _HEADER.size or code[:6] != b"\x7fELF\2\1":
        raise BadObject("it is no 64-bit ELF object")
    header = _HEADER.unpack_from(code)
    if header[1] != 1 or header[2] != X86_64:
        raise BadObject("it is no relocatable object for x86-64")
    start, count = header[6], header[12]
    try:
        return [
            _SECTION.unpack_from(code, start + i * _SECTION.size) for i in range(count)
        ]
    except struct.error as error:
        raise BadObject("its table of sections is cut off") from error


def _bytes(code: bytes, row: tuple[int, ...]) -> bytes:
    return bytes(row[5]) if row[1] == NOBITS else code[row[4] : row[4] + row[5]]


def _text(table: bytes | bytearray, start: int) -> str:
    return bytes(table[start : table.index(b"\0", start)]).decode()
