"""One kernel on its own, compiled: what there is of it without MLIR."""

import hashlib
import json
import struct
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from dycl.diag import SourceLoc
from dycl.kernels.specs import (
    PreparationSpec,
    Recipe,
    TensorSpec,
)

NAME = "kernel"
"""What every kernel is called while it is lowered; also the file of its places."""
_LENGTH = struct.Struct("<Q")


@dataclass(frozen=True)
class PlainContraction:
    """A convolution, a pool or a matrix product that no nest was generated for."""

    kernel: str
    what: str
    """The op as linalg calls it, or the kind of nest that it was meant for."""
    place: SourceLoc | None
    """Where the user wrote it."""


@dataclass(frozen=True)
class Unit:
    """A kernel on its own."""

    name: str
    """What the user's program calls it."""
    places: tuple[SourceLoc | None, ...]
    """For each op of it, where the user wrote that."""


@dataclass(frozen=True)
class Code:
    """A kernel that is compiled."""

    object: bytes
    symbol: str
    """Its name in `object`, which no other kernel has: a digest of its text is in it.
    So objects of any kernels can be linked, whatever a network calls them."""
    prepared: PreparationSpec | None
    """How its weights are to be prepared."""
    plain: tuple[tuple[str, int], ...]
    """The contractions that became plain loops: what, and the number of the op."""
    workspace: int
    """Bytes of memory that it needs during a call."""
    memory: str = ""
    """What it allocates, where sizes are dynamic: `dycl.ir.host.memory`; "": nothing
    is known."""
    parts: tuple[tuple[str, bytes], ...] = ()
    """Objects that `object` is linked with, each with the one symbol that it defines:
    parts of its preparation. Other kernels may have the same ones."""


def symbol_of(text: str, how: str) -> str:
    """The name in object code of the kernel with this text, compiled with `how`."""
    digest = hashlib.sha256(f"{how}\0{text}".encode()).hexdigest()
    return f"kernel_{digest[:32]}"


def part_symbol(digest: str, how: str) -> str:
    """The name in object code of the part of a preparation that has this recipe."""
    return symbol_of(f"recipe {digest}", how)


def entry(symbol: str) -> str:
    """The symbol that takes the arguments of a symbol as an array of addresses."""
    return f"_mlir_{symbol}"


def plain_of(unit: Unit, code: Code) -> list[PlainContraction]:
    """The contractions that run as plain loops, at the user's lines."""
    return [
        PlainContraction(
            unit.name, what, unit.places[op] if 0 <= op < len(unit.places) else None
        )
        for what, op in code.plain
    ]


def to_bytes(code: Code) -> bytes:
    """As it is stored."""
    facts = {
        "prepared": None if code.prepared is None else asdict(code.prepared),
        "plain": code.plain,
        "workspace": code.workspace,
        "memory": code.memory,
        "symbol": code.symbol,
        "parts": [(symbol, len(part)) for symbol, part in code.parts],
    }
    head = json.dumps(facts, separators=(",", ":")).encode()
    objects = [*(part for _, part in code.parts), code.object]
    return b"".join([_LENGTH.pack(len(head)), head, *objects])


def from_bytes(data: bytes) -> Code:
    """What `to_bytes` has made."""
    (length,) = _LENGTH.unpack_from(data)
    start = _LENGTH.size + length
    facts = json.loads(data[_LENGTH.size : start])
    parts: list[tuple[str, bytes]] = []
    for symbol, length in facts["parts"]:
        parts.append((str(symbol), data[start : start + length]))
        start += length
    prepared: Mapping[str, Any] | None = facts["prepared"]
    plain: Sequence[Sequence[Any]] = facts["plain"]
    return Code(
        data[start:],
        str(facts["symbol"]),
        None if prepared is None else _preparation(prepared),
        tuple((str(what), int(op)) for what, op in plain),
        int(facts["workspace"]),
        str(facts["memory"]),
        tuple(parts),
    )


def _preparation(entry: Mapping[str, Any]) -> PreparationSpec:
    return PreparationSpec(
        tuple(entry["weights"]),
        tuple(TensorSpec(tuple(o["shape"]), o["dtype"]) for o in entry["outputs"]),
        tuple(entry["inputs_left"]),
        tuple(Recipe(digest, tuple(weights)) for digest, weights in entry["recipes"]),
    )
