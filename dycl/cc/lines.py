"""Lines of MLIR's LLVM dialect: the text of one function."""

import struct
from dataclasses import dataclass, field

from dycl.cc.types import (
    CHAR,
    PTR,
    Number,
    Pointer,
    Record,
    Type,
    align_of,
    as_value,
    in_memory,
    size_of,
)


@dataclass(frozen=True)
class Value:
    """What an expression gives; of a record, the address of its memory."""

    kind: Type
    text: str


@dataclass(frozen=True)
class Place:
    """Memory for something of a type."""

    kind: Type
    address: str


@dataclass(kw_only=True)
class Lines:
    """The ops of a function so far."""

    lines: list[str] = field(default_factory=list[str])
    head: list[str] = field(default_factory=list[str])
    """Its variables, which stand before all else."""
    count: int = 0
    ended: bool = False
    """Whether the last line leaves its block."""

    def name(self) -> str:
        """A new value's name."""
        self.count += 1
        return f"%v{self.count}"

    def label(self) -> str:
        """A new block's name."""
        self.count += 1
        return f"^b{self.count}"

    def add(self, line: str) -> None:
        """An op without a result."""
        if self.ended:
            self.start(self.label())  # Nobody gets here.
        self.lines.append(line)

    def op(self, text: str) -> str:
        """An op with one result; its name."""
        name = self.name()
        self.add(f"{name} = {text}")
        return name

    # ---- blocks

    def start(self, label: str, argument: str = "") -> None:
        """Begin a block; `argument`: `%x: i32`."""
        if not self.ended:
            self.go(label)
        self.lines.append(f"{label}{f'({argument})' if argument else ''}:")
        self.ended = False

    def leave(self, line: str) -> None:
        """The last op of a block; what follows is never reached, without a label."""
        self.add(line)
        self.ended = True

    def go(self, label: str, value: str = "", kind: str = "") -> None:
        """To another block, which takes a value or none."""
        self.leave(f"llvm.br {label}{f'({value} : {kind})' if value else ''}")

    def branch(self, condition: str, yes: str, no: str) -> None:
        """To one of two blocks."""
        self.leave(f"llvm.cond_br {condition}, {yes}, {no}")

    # ---- values

    def constant(self, value: float, kind: Type) -> str:
        """A known number, or an address that is none."""
        if isinstance(kind, Pointer):
            if not value:
                return self.op(f"llvm.mlir.zero : {PTR}")
            number = self.constant(value, Number(8))
            return self.op(f"llvm.inttoptr {number} : i64 to {PTR}")
        assert isinstance(kind, Number)
        text = as_value(kind)
        if kind.real:
            code, word = ("<d", "<Q") if kind.size == 8 else ("<f", "<I")
            bits = struct.unpack(word, struct.pack(code, value))[0]
            return self.op(
                f"llvm.mlir.constant(0x{bits:0{2 * kind.size}X} : {text}) : {text}"
            )
        return self.op(f"llvm.mlir.constant({int(value)} : {text}) : {text}")

    def variable(self, kind: Type, align: int = 0) -> str:
        """Memory that lasts as long as the function runs."""
        name, text = self.name(), in_memory(kind)
        align = align or align_of(kind)
        self.head.append(
            f"{name} = llvm.alloca %one x {text} {{alignment = {align} : i64}} : "
            f"(i64) -> {PTR}"
        )
        return name

    def at(self, base: str, offset: int) -> str:
        """An address some bytes further on."""
        if offset == 0:
            return base
        return self.op(f"llvm.getelementptr {base}[{offset}] : ({PTR}) -> {PTR}, i8")

    def load(self, kind: Type, address: str) -> str:
        """The number, or the address, that stands in memory."""
        text = f"{PTR} -> {as_value(kind)}"
        if is_atomic(kind):
            how = f"atomic seq_cst {{alignment = {size_of(kind)} : i64}}"
            return self.op(f"llvm.load {address} {how} : {text}")
        return self.op(f"llvm.load {address} : {text}")

    def store(self, kind: Type, value: str, address: str) -> None:
        """Put it there."""
        text = f"{as_value(kind)}, {PTR}"
        how = ""
        if is_atomic(kind):
            how = f" atomic seq_cst {{alignment = {size_of(kind)} : i64}}"
        self.add(f"llvm.store {value}, {address}{how} : {text}")

    def copy(self, kind: Type, source: str, target: str) -> None:
        """All of a record."""
        size = self.constant(size_of(kind), Number(8))
        self.add(
            f'"llvm.intr.memcpy"({target}, {source}, {size}) <{{isVolatile = false}}> '
            f": ({PTR}, {PTR}, i64) -> ()"
        )

    def clear(self, kind: Type, target: str) -> None:
        """Zeros."""
        zero, size = self.constant(0, CHAR), self.constant(size_of(kind), Number(8))
        self.add(
            f'"llvm.intr.memset"({target}, {zero}, {size}) <{{isVolatile = false}}> '
            f": ({PTR}, i8, i64) -> ()"
        )

    def address_of(self, symbol: str) -> str:
        """Of a function, or of memory that lasts."""
        return self.op(f'llvm.mlir.addressof @"{symbol}" : {PTR}')

    def aggregate(self, kind: Record, address: str) -> str:
        """A record as LLVM passes it."""
        return self.op(f"llvm.load {address} : {PTR} -> {as_value(kind)}")

    def spilled(self, kind: Record, value: str) -> str:
        """The address of memory with a record that was passed."""
        address = self.variable(kind)
        self.add(f"llvm.store {value}, {address} : {as_value(kind)}, {PTR}")
        return address


def is_atomic(kind: Type) -> bool:
    """Whether other threads may see it change."""
    return isinstance(kind, Number | Pointer) and kind.atomic
