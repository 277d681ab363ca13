"""Lines of MLIR's LLVM dialect: values, memory, labels, and how a run ends."""

import struct
from collections.abc import Iterable
from dataclasses import dataclass, field

from xdsl.dialects.builtin import MemRefType, f64, i1, i64
from xdsl.ir import Attribute, SSAValue

from dycl.host.native.tables import Tables
from dycl.host.native.types import CannotPrint
from dycl.ir.host.types import NONE, is_static

PTR = "!llvm.ptr"
_TYPES: dict[Attribute, str] = {i1: "i1", i64: "i64", f64: "f64"}
RETURNED, RAISED, STOPPED, NO_MEMORY = range(4)
"""What `dycl_run` gives."""


@dataclass(kw_only=True)
class Text:
    """The lines of one function, and what each value of the host is called in it."""

    lines: list[str] = field(default_factory=list[str])
    head: list[str] = field(default_factory=list[str])
    """Variables on the stack."""
    values: dict[SSAValue, str] = field(default_factory=dict[SSAValue, str])
    tables: Tables = field(default_factory=Tables)
    count: int = 0
    path: str = ""
    """The variable with the place of the next decision."""
    out: str = ""
    """The outputs of the handle."""

    # ---- text

    def name(self) -> str:
        self.count += 1
        return f"%v{self.count}"

    def label(self) -> str:
        self.count += 1
        return f"^b{self.count}"

    def op(self, text: str) -> str:
        """A new op with one result; its name."""
        name = self.name()
        self.lines.append(f"{name} = {text}")
        return name

    def constant(self, value: float, kind: Attribute) -> str:
        if kind == i1:
            return self.op(f"llvm.mlir.constant({'true' if value else 'false'}) : i1")
        if kind == f64:
            bits = struct.unpack("<Q", struct.pack("<d", value))[0]
            return self.op(f"llvm.mlir.constant(0x{bits:016X} : f64) : f64")
        return self.op(f"llvm.mlir.constant({value} : i64) : i64")

    def at(self, base: str, place: str | int, element: str) -> str:
        kind = f"({PTR})" if isinstance(place, int) else f"({PTR}, i64)"
        return self.op(
            f"llvm.getelementptr {base}[{place}] : {kind} -> {PTR}, {element}"
        )

    def word(self, base: str, place: int) -> str:
        return self.at(base, place, "i64")

    def load(self, address: str, kind: str) -> str:
        return self.op(f"llvm.load {address} : {PTR} -> {kind}")

    def store(self, value: str, address: str, kind: str) -> None:
        self.lines.append(f"llvm.store {value}, {address} : {kind}, {PTR}")

    def load_value(self, address: str, found: Attribute) -> str:
        """What a `dycl_value` holds."""
        if found != i1:
            return self.load(address, kind_of(found))
        return self.truth_of(self.load(address, "i64"), i64)

    def store_value(self, value: SSAValue, address: str) -> None:
        kind = kind_of(value.type)
        text = self.values[value]
        if value.type == i1:
            text, kind = self.op(f"llvm.zext {text} : i1 to i64"), "i64"
        self.store(text, address, kind)

    def variable(self, kind: str) -> str:
        name = self.name()
        self.head.append(f"{name} = llvm.alloca %one x {kind} : (i64) -> {PTR}")
        return name

    def go(self, label: str) -> None:
        self.lines.append(f"llvm.br {label}")

    def branch(self, condition: str, yes: str, no: str) -> None:
        self.lines.append(f"llvm.cond_br {condition}, {yes}, {no}")

    def start(self, label: str) -> None:
        self.lines.append(f"{label}:")

    # ---- how a run ends

    def end(self, site: int, how: int) -> None:
        path, number = self.load(self.path, PTR), self.constant(site, i64)
        self.lines.append(
            f"llvm.call @dycl_end(%h, {path}, {number}) : ({PTR}, {PTR}, i64) -> ()"
        )
        given = self.op(f"llvm.mlir.constant({how} : i32) : i32")
        self.lines.append(f"llvm.return {given} : i32")

    def end_if(self, condition: str, site: int, how: int) -> None:
        bad, good = self.label(), self.label()
        self.branch(condition, bad, good)
        self.start(bad)
        self.end(site, how)
        self.start(good)

    def outputs(self, values: Iterable[SSAValue]) -> None:
        for i, value in enumerate(values):
            if value.type != NONE:
                self.store_value(value, self.word(self.out, i))

    def is_null(self, pointer: str) -> str:
        null = self.op(f"llvm.mlir.zero : {PTR}")
        return self.op(f'llvm.icmp "eq" {pointer}, {null} : {PTR}')

    def truth_of(self, text: str, kind: Attribute) -> str:
        if kind == i1:
            return text
        zero = self.constant(0, kind)
        if kind == f64:
            return self.op(f'llvm.fcmp "une" {text}, {zero} : f64')
        return self.op(f'llvm.icmp "ne" {text}, {zero} : i64')


def kind_of(found: Attribute) -> str:
    """The type of a value in the LLVM dialect. CannotPrint: it has none here."""
    if isinstance(found, MemRefType) and is_static(found):
        return PTR
    if found not in _TYPES:
        raise CannotPrint(f"a value of type {found}")
    return _TYPES[found]
