"""Memory that lasts, and what it starts with: bytes, and addresses in it."""

import struct
from collections.abc import Callable
from dataclasses import dataclass, field

from dycl.cc.errors import CannotCompile
from dycl.cc.expressions import parts
from dycl.cc.folding import wrapped
from dycl.cc.syntax import (
    Braced,
    Cast,
    Constant,
    Expression,
    Initial,
    Name,
    Text,
    Unary,
)
from dycl.cc.types import PTR, Array, Number, Pointer, Record, Type, size_of

_AT_ONCE = 64
"""Fields of one record: LLVM makes a new one of the old for each that is put in."""


@dataclass
class Data:
    """The bytes of a variable."""

    symbol_of: Callable[[str], str]
    text: Callable[[bytes], str]
    content: bytearray = field(default_factory=bytearray)
    addresses: dict[int, str] = field(default_factory=dict[int, str])
    """Where the address of a symbol stands."""

    def fill(self, kind: Type, initial: Initial | None) -> None:
        """All of it. CannotCompile: it is known only when the program runs."""
        self.content = bytearray(size_of(kind))
        if initial is not None:
            self._put(0, kind, initial)

    def _put(self, at: int, kind: Type, initial: Initial) -> None:
        if isinstance(initial, Braced) and isinstance(kind, Array | Record):
            for offset, inner, one in parts(kind, initial):
                self._put(at + offset, inner, one)
        elif isinstance(initial, Braced):
            [(_, only)] = initial.items
            self._put(at, kind, only)
        elif isinstance(kind, Array | Record):
            if not isinstance(initial, Constant) or initial.value:
                raise CannotCompile("a value without braces for several")
        else:
            self._one(at, kind, initial)

    def _one(self, at: int, kind: Type, initial: Expression) -> None:
        while isinstance(initial, Cast) and isinstance(kind, Pointer):
            initial = initial.operand
        match initial:
            case Constant() if isinstance(kind, Number) and kind.real:
                code = "<d" if kind.size == 8 else "<f"
                struct.pack_into(code, self.content, at, initial.value)
            case Constant():
                size = size_of(kind)
                value = int(wrapped(initial.value, Number(size, signed=False)))
                if isinstance(kind, Number) and kind.truth:
                    value = int(initial.value != 0)
                self.content[at : at + size] = value.to_bytes(size, "little")
            case Text():
                self.addresses[at] = self.text(initial.data)
            case Name() | Unary("&", Name()):
                name = initial if isinstance(initial, Name) else initial.operand
                assert isinstance(name, Name)
                self.addresses[at] = self.symbol_of(name.name)
            case _:
                raise CannotCompile("memory that starts with what is not known")

    # ---- text

    def printed(self, symbol: str, words: str, align: int) -> str:
        """The global of the LLVM dialect; `words`: its linkage, whether it changes."""
        head = f'llvm.mlir.global {words} @"{symbol}"'
        traits = f"{{addr_space = 0 : i32, alignment = {align} : i64}}"
        whole = f"!llvm.array<{len(self.content)} x i8>"
        if not self.addresses:
            if any(self.content):
                return f'{head}("{_escaped(self.content)}") {traits} : {whole}'
            zero = f"%0 = llvm.mlir.zero : {whole}"
            body = f"{zero}\nllvm.return %0 : {whole}"
            return f"{head}() {traits} : {whole} {{\n{body}\n}}"
        lines: list[str] = []
        fields = self._fields(lines)
        value, kind = _record(fields, lines)
        body = "\n".join([*lines, f"llvm.return {value} : {kind}"])
        return f"{head}() {traits} : {kind} {{\n{body}\n}}"

    def _fields(self, lines: list[str]) -> list[tuple[str, str]]:
        """Bytes and addresses by turns: what each is called, and its type."""
        fields: list[tuple[str, str]] = []
        end = 0

        def add(text: str, kind: str) -> None:
            name = f"%f{len(lines)}"
            lines.append(f"{name} = {text} : {kind}")
            fields.append((name, kind))

        def add_bytes(until: int) -> None:
            if until > end:
                kind = f"!llvm.array<{until - end} x i8>"
                data = _escaped(self.content[end:until])
                add(f'llvm.mlir.constant("{data}")', kind)

        for at, symbol in sorted(self.addresses.items()):
            add_bytes(at)
            add(f'llvm.mlir.addressof @"{symbol}"', PTR)
            end = at + 8
        add_bytes(len(self.content))
        return fields


def _record(fields: list[tuple[str, str]], lines: list[str]) -> tuple[str, str]:
    """A record without gaps; a long one is made of shorter ones."""
    while len(fields) > _AT_ONCE:
        groups = [fields[i : i + _AT_ONCE] for i in range(0, len(fields), _AT_ONCE)]
        fields = [_record(group, lines) for group in groups]
    kind = f"!llvm.struct<packed ({', '.join(k for _, k in fields)})>"
    name = f"%f{len(lines)}"
    lines.append(f"{name} = llvm.mlir.undef : {kind}")
    for i, (value, _) in enumerate(fields):
        made = f"%f{len(lines)}"
        lines.append(f"{made} = llvm.insertvalue {value}, {name}[{i}] : {kind}")
        name = made
    return name, kind


def _escaped(data: bytes | bytearray) -> str:
    return "".join(f"\\{b:02X}" for b in data)
