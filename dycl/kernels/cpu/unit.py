"""One kernel on its own: the text that decides its code, and its code.

The text has no name and no places of the user's, so equal kernels of two networks have
one text. Instead of the user's place each op has its number: `loc("kernel":3:1)`.
"""

import json
import struct
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from dycl.diag import SourceLoc
from dycl.kernels.cpu.lower import Settings, lower
from dycl.kernels.cpu.mlir import engine, functions, ir, parse, place_of
from dycl.kernels.cpu.plain import PlainContraction
from dycl.kernels.cpu.weights.origins import WEIGHT
from dycl.kernels.specs import (
    PreparationSpec,
    Recipe,
    TensorSpec,
    preparation_name,
)

NAME = "kernel"
"""What every kernel is called as long as it is alone; also the file of its places."""
_LENGTH = struct.Struct("<Q")


@dataclass(frozen=True)
class Unit:
    """A kernel before it is compiled."""

    name: str
    """What the user's program calls it."""
    text: str
    """A module with this kernel alone."""
    places: tuple[SourceLoc | None, ...]
    """For each op of it, where the user wrote that."""


@dataclass(frozen=True)
class Code:
    """A kernel that is compiled, under the name `kernel`."""

    object: bytes
    prepared: PreparationSpec | None
    """How its weights are to be prepared."""
    plain: tuple[tuple[str, int], ...]
    """The contractions that became plain loops: what, and the number of the op."""
    workspace: int
    """Bytes of memory that it needs during a call."""


def units(module: Any) -> tuple[Unit, ...]:
    """The kernels of a checked module, which is used up."""
    found = functions(module)
    names = {str(func.attributes["sym_name"].value) for func in found}
    with module.context:
        return tuple(_unit(func, names) for func in found)


def compile_unit(text: str, how: Settings) -> Code:
    """Lower a unit's text and compile it. Raises LoweringFailed."""
    module = parse(text)
    lowered = lower(module, how)
    with module.context:
        code = engine(module, how.opt_level)
    code.raw_lookup(NAME)  # What nobody has asked for is not compiled.
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "kernel.o"
        code.dump_to_object_file(str(path))
        made = path.read_bytes()
    plain = tuple(
        (one.what, -1 if one.place is None else one.place.line) for one in lowered.plain
    )
    workspace = lowered.workspaces.get(NAME, 0)
    return Code(made, lowered.prepared.get(NAME), plain, workspace)


def symbols(name: str) -> dict[str, str]:
    """The symbols of a unit's object -> what they are called in a network."""
    pairs = {NAME: name, preparation_name(NAME): preparation_name(name)}
    entries = {entry(old): entry(new) for old, new in pairs.items()}
    return pairs | entries


def entry(name: str) -> str:
    """The symbol that takes the arguments of `name` as an array of their addresses."""
    return f"_mlir_{name}"


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
    }
    head = json.dumps(facts, separators=(",", ":")).encode()
    return _LENGTH.pack(len(head)) + head + code.object


def from_bytes(data: bytes) -> Code:
    """What `to_bytes` has made."""
    (length,) = _LENGTH.unpack_from(data)
    start = _LENGTH.size + length
    facts = json.loads(data[_LENGTH.size : start])
    prepared: Mapping[str, Any] | None = facts["prepared"]
    plain: Sequence[Sequence[Any]] = facts["plain"]
    return Code(
        data[start:],
        None if prepared is None else _preparation(prepared),
        tuple((str(what), int(op)) for what, op in plain),
        int(facts["workspace"]),
    )


def _preparation(entry: Mapping[str, Any]) -> PreparationSpec:
    return PreparationSpec(
        tuple(entry["weights"]),
        tuple(TensorSpec(tuple(o["shape"]), o["dtype"]) for o in entry["outputs"]),
        tuple(entry["inputs_left"]),
        tuple(Recipe(digest, tuple(weights)) for digest, weights in entry["recipes"]),
    )


def _unit(func: Any, names: set[str]) -> Unit:
    name = str(func.attributes["sym_name"].value)
    body = [op.operation for op in func.regions[0].blocks[0].operations]
    if preparation_name(name) in names:
        _forget_weights(func)  # The name of its preparation is taken.
    func.attributes["sym_name"] = ir.StringAttr.get(NAME)
    first, *lines, last = str(func.get_asm(use_local_scope=True)).splitlines()
    assert len(lines) == len(body), "each op of a kernel is one line"
    numbered = [f'{line} loc("{NAME}":{i}:1)' for i, line in enumerate(lines)]
    text = "\n".join([first, *numbered, f'{last} loc("{NAME}":{len(lines)}:1)', ""])
    places = (*(place_of(op.location) for op in body), place_of(func.location))
    return Unit(name, text, places)


def _forget_weights(func: Any) -> None:
    if "arg_attrs" in func.attributes:
        func.attributes["arg_attrs"] = ir.ArrayAttr.get(
            [
                ir.DictAttr.get({a.name: a.attr for a in one if a.name != WEIGHT})
                for one in func.attributes["arg_attrs"]
            ]
        )
