"""Joining kernels' objects to a shared object that can be loaded: no tool is needed.

LLVM writes kernels for memory of any size: they find everything, each other too,
through one table of addresses, the global offset table. So four kinds of relocation
are all there are.

    page 0        headers, tables for the loader, constants   read
    then          code                                        read, execute
    then          the offset table, data, `_DYNAMIC`          read, write
"""

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from dycl.kernels.cpu.objects.elf import (
    ALLOC,
    EXECUTE,
    GLOBAL,
    LOCAL,
    WEAK,
    WRITE,
    X86_64,
    ObjectFile,
    Relocation,
    read_object,
)

LIBRARIES = ("libm.so.6", "libc.so.6")
"""What kernels need besides themselves."""

_PAGE = 4096
_ABSOLUTE, _GOT_RELATIVE, _GOT_ENTRY, _GOT_HERE = 1, 25, 27, 29
_FROM_ELSEWHERE, _FROM_BASE = 6, 8
_FUNCTION = 2
_GOT_NAME = "_GLOBAL_OFFSET_TABLE_"
_UNUSED = ".eh_frame"


class CannotLink(RuntimeError):
    """The objects do not fit together, or need what only a linker knows."""


def link(objects: Sequence[tuple[bytes, Mapping[str, str]]]) -> bytes:
    """A shared object; beside each object stand new names for some of its symbols.

    The same objects give the same bytes. BadObject, CannotLink.
    """
    image = _Image()
    for number, (code, names) in enumerate(objects):
        image.add(number, read_object(code), names)
    return image.finish()


@dataclass(frozen=True)
class _Placed:
    """An object, and where its sections are in the image: -1 for those left out."""

    number: int
    object: ObjectFile
    names: Mapping[str, str]
    places: list[int] = field(default_factory=list[int])


class _Image:
    def __init__(self) -> None:
        self.placed: list[_Placed] = []
        self.exports: dict[str, tuple[_Placed, int]] = {}
        self.imports: dict[str, int] = {}
        """Names that are defined elsewhere -> their numbers in the loader's table."""
        self.got: dict[tuple[int, str], int] = {}
        """Symbols (local ones by object) -> their entries in the offset table."""

    def add(self, number: int, read: ObjectFile, names: Mapping[str, str]) -> None:
        placed = _Placed(number, read, names)
        self.placed.append(placed)
        for index, symbol in enumerate(read.symbols):
            if symbol.binding == LOCAL or not symbol.section:
                continue
            name = names.get(symbol.name, symbol.name)
            if name in self.exports and symbol.binding == WEAK:
                continue  # One of them stands for all.
            if name in self.exports:
                raise CannotLink(f"two kernels define {name}")
            self.exports[name] = placed, index

    def finish(self) -> bytes:
        for placed in self.placed:
            for one in _wanted(placed):
                self._note(placed, one)
        self.order = [*self.imports, *self.exports]
        self.numbers = {name: index + 1 for index, name in enumerate(self.order)}
        strings = _Strings()
        for name in (*self.order, *LIBRARIES, "model.so"):
            strings.add(name)
        dynamic_relocations = len(self.got) + sum(
            one.kind == _ABSOLUTE for p in self.placed for one in _wanted(p)
        )
        out = bytearray(64 + 5 * 56)
        self.symbols_at = _reserve(out, 24 * (1 + len(self.order)), 8)
        self.hash_at = _reserve(out, 4 * (2 + 1 + 1 + len(self.order)), 8)
        self.relocations_at = _reserve(out, 24 * dynamic_relocations, 8)
        self.strings_at = _reserve(out, len(strings.data), 8)
        out[self.strings_at :] = strings.data
        self._lay(out, 0, _UNUSED)
        text_at = _reserve(out, 0, _PAGE)
        self._lay(out, EXECUTE, "")
        got_at = self.got_at = _reserve(out, 8 * (1 + len(self.got)), _PAGE)
        self._lay(out, WRITE, "")
        dynamic_at = _reserve(out, 16 * (len(LIBRARIES) + 11), 8)
        fixes = self._relocate(out)
        out[self.relocations_at : self.relocations_at + len(fixes)] = fixes
        symbols = self._symbols(strings)
        out[self.symbols_at : self.symbols_at + len(symbols)] = symbols
        table = _hash_table(self.order)
        out[self.hash_at : self.hash_at + len(table)] = table
        dynamic = self._dynamic(strings, len(fixes))
        out[dynamic_at : dynamic_at + len(dynamic)] = dynamic
        end = len(out)
        segments = [
            (1, 4, 0, text_at, _PAGE),
            (1, 5, text_at, got_at - text_at, _PAGE),
            (1, 6, got_at, end - got_at, _PAGE),
            (2, 6, dynamic_at, len(dynamic), 8),
            (0x6474E551, 6, 0, 0, 16),
        ]
        head = struct.pack(
            "<16sHHIQQQIHHHHHH",
            *(b"\x7fELF\2\1\1", 3, X86_64, 1, 0, 64, -(-end // 8) * 8),
            *(0, 64, 56, 5, 64, 6, 5),
        )
        for kind, flags, at, size, align in segments:
            head += struct.pack("<IIQQQQQQ", kind, flags, at, at, at, size, size, align)
        out[: len(head)] = head
        strings_end = self.strings_at + len(strings.data)
        return bytes(out) + _section_table(
            end,
            [
                (".text", 1, ALLOC | EXECUTE, text_at, got_at, 0, 0),
                (".dynsym", 11, ALLOC, self.symbols_at, self.hash_at, 3, 24),
                (".dynstr", 3, ALLOC, self.strings_at, strings_end, 0, 0),
                (".dynamic", 6, ALLOC | WRITE, dynamic_at, end, 3, 16),
            ],
        )

    def _note(self, placed: _Placed, one: Relocation) -> None:
        """What a relocation needs of the tables."""
        symbol = placed.object.symbols[one.symbol]
        name = self._name(placed, one.symbol)
        if not symbol.section and name not in self.exports and name != _GOT_NAME:
            if one.kind not in (_GOT_ENTRY, _ABSOLUTE):
                raise CannotLink(f"{name} is defined elsewhere and needed nearby")
            self.imports.setdefault(name, len(self.imports))
        if one.kind == _GOT_ENTRY:
            self.got.setdefault(self._key(placed, one.symbol), 1 + len(self.got))
        elif one.kind not in (_ABSOLUTE, _GOT_RELATIVE, _GOT_HERE):
            raise CannotLink(f"a relocation of kind {one.kind} is unknown here")

    def _name(self, placed: _Placed, index: int) -> str:
        name = placed.object.symbols[index].name
        return placed.names.get(name, name)

    def _key(self, placed: _Placed, index: int) -> tuple[int, str]:
        if placed.object.symbols[index].binding == LOCAL:
            return placed.number, f"{index}"
        return -1, self._name(placed, index)

    def _lay(self, out: bytearray, flags: int, without: str) -> None:
        """Place the sections with these flags."""
        for placed in self.placed:
            for index, section in enumerate(placed.object.sections):
                if len(placed.places) <= index:
                    placed.places.append(-1)
                if not section.flags & ALLOC or section.name == _UNUSED:
                    continue
                if section.flags & (EXECUTE | WRITE) == flags:
                    at = _reserve(out, len(section.data), max(section.align, 1))
                    out[at:] = section.data
                    placed.places[index] = at

    def _address(self, placed: _Placed, index: int) -> int | None:
        """Of a symbol in the image; None: it is elsewhere."""
        symbol = placed.object.symbols[index]
        name = self._name(placed, index)
        if symbol.section:
            return placed.places[symbol.section] + symbol.value
        if name == _GOT_NAME:
            return self.got_at
        if name in self.exports:
            return self._address(*self.exports[name])
        return None

    def _relocate(self, out: bytearray) -> bytes:
        """Write all addresses that are known; the rest is for the loader to do."""
        fixes = bytearray()
        filled: set[int] = set()

        def fix(at: int, target: int | None, name: str, addend: int, kind: int) -> None:
            if target is None:
                info = self.numbers[name] << 32 | kind
                fixes.extend(struct.pack("<QQq", at, info, addend))
            else:
                fixes.extend(struct.pack("<QQq", at, _FROM_BASE, target + addend))

        for placed in self.placed:
            for one in _wanted(placed):
                at = placed.places[one.section] + one.offset
                target = self._address(placed, one.symbol)
                name = self._name(placed, one.symbol)
                if one.kind == _ABSOLUTE:
                    fix(at, target, name, one.addend, _ABSOLUTE)
                    continue
                if one.kind == _GOT_ENTRY:
                    entry = 8 * self.got[self._key(placed, one.symbol)]
                    value = entry + one.addend
                    if entry not in filled:
                        filled.add(entry)
                        fix(self.got_at + entry, target, name, 0, _FROM_ELSEWHERE)
                elif one.kind == _GOT_HERE:
                    value = self.got_at + one.addend - at
                else:
                    assert target is not None
                    value = target + one.addend - self.got_at
                struct.pack_into("<q", out, at, value)
        return bytes(fixes)

    def _symbols(self, strings: "_Strings") -> bytes:
        rows = bytearray(24)
        for name in self.order:
            kind, section, at, size = 0, 0, 0, 0
            if name in self.exports:
                placed, index = self.exports[name]
                symbol = placed.object.symbols[index]
                at = placed.places[symbol.section] + symbol.value
                # The number of the section says only that there is one: `.text`.
                kind, section, size = symbol.kind, 1, symbol.size
            info = GLOBAL << 4 | (kind or _FUNCTION)
            rows += struct.pack(
                "<IBBHQQ", strings.add(name), info, 0, section, at, size
            )
        return bytes(rows)

    def _dynamic(self, strings: "_Strings", fixes: int) -> bytes:
        entries = [(1, strings.add(name)) for name in LIBRARIES]
        entries += [
            (14, strings.add("model.so")),
            (4, self.hash_at),
            (5, self.strings_at),
            (6, self.symbols_at),
            (10, len(strings.data)),
            (11, 24),
            (7, self.relocations_at),
            (8, fixes),
            (9, 24),
            (30, 8),  # all names are looked up when it is loaded
            (0, 0),
        ]
        return b"".join(struct.pack("<qQ", *entry) for entry in entries)


def _wanted(placed: _Placed) -> list[Relocation]:
    """The relocations of sections that will be in memory."""
    sections = placed.object.sections
    return [
        one
        for one in placed.object.relocations
        if sections[one.section].flags & ALLOC and sections[one.section].name != _UNUSED
    ]


class _Strings:
    def __init__(self) -> None:
        self.data = bytearray(1)
        self._places: dict[str, int] = {}

    def add(self, text: str) -> int:
        if text not in self._places:
            self._places[text] = len(self.data)
            self.data += text.encode() + b"\0"
        return self._places[text]


def _reserve(out: bytearray, size: int, align: int) -> int:
    """Room at the end of `out`: where it begins."""
    out += bytes(-len(out) % align)
    start = len(out)
    out += bytes(size)
    return start


def _section_table(
    end: int, sections: Sequence[tuple[str, int, int, int, int, int, int]]
) -> bytes:
    """What stands behind the image: the loader needs nothing of it, but linkers find
    names by it. Each section has a name, kind, flags, start, end, the section that it
    refers to, and how large its entries are."""
    names = _Strings()
    listed = [*sections, (".shstrtab", 3, 0, 0, 0, 0, 0)]
    starts = [names.add(name) for name, *_ in listed]
    table_at = -(-end // 8) * 8
    names_at = table_at + 64 * (1 + len(listed))
    rows = bytearray(64)
    for name, (_, kind, flags, at, stop, link, entry) in zip(
        starts, listed, strict=True
    ):
        place, size = (at, stop - at) if stop else (names_at, len(names.data))
        address = place if stop else 0
        first = 1 if kind == 11 else 0  # of its symbols that is not local
        rows += struct.pack(
            "<IIQQQQIIQQ",
            *(name, kind, flags, address, place, size, link, first, 8, entry),
        )
    return bytes(table_at - end) + bytes(rows) + bytes(names.data)


def _hash_table(names: Sequence[str]) -> bytes:
    """One bucket: a library has few names, and each is looked up once."""
    count = len(names)
    chain = [0, *range(2, count + 1), 0] if count else [0]
    return struct.pack(f"<{4 + count}I", 1, 1 + count, min(count, 1), *chain)
