"""One kernel on its own: the text that decides its code, and its code.

The text has no name and no places of the user's, so equal kernels of two networks have
one text. Instead of the user's place each op has its number: `loc("kernel":3:1)`.
"""

import ctypes
import tempfile
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from dycl.kernels.cpu.code import NAME, Code, Unit, symbol_of
from dycl.kernels.cpu.keys import key_of
from dycl.kernels.cpu.lower import Lowered, lower, lower_part, part_symbol
from dycl.kernels.cpu.mlir import engine, functions, ir, location_of, parse
from dycl.kernels.cpu.settings import Settings
from dycl.kernels.cpu.weights.origins import WEIGHT
from dycl.kernels.specs import preparation_name
from dycl.support.store import Store


def units(module: Any) -> tuple[tuple[Unit, str], ...]:
    """The kernels of a checked module, which is used up: each with its text, which is
    that of a module with this kernel alone."""
    all_functions = functions(module)
    names = {str(func.attributes["sym_name"].value) for func in all_functions}
    with module.context:
        return tuple(_unit(func, names) for func in all_functions)


def compile_unit(
    text: str, how: Settings, verify_each: bool = True, parts: Store | None = None
) -> Code:
    """Lower a unit's text and compile it; see `lower`. Raises LoweringFailed.

    `parts`: where other processes leave the parts of preparations that they compile.
    """
    symbol = symbol_of(text, str(how))
    module = parse(text)
    lowered = lower(module, how, verify_each=verify_each, apart=NAME)
    names = {part_symbol(digest, how): digest for digest in lowered.parts}
    for name, digest in names.items():
        if name not in _parts:
            part = lowered.parts[digest]
            _parts[name] = _part_object(name, part, how, verify_each, parts)
    plain = tuple(
        (item.what, -1 if item.place is None else item.place.line)
        for item in lowered.plain
    )
    return Code(
        _object_of(_in_jit(module, how, symbol, [*names])),
        symbol,
        lowered.prepared.get(NAME),
        plain,
        lowered.workspaces.get(NAME, 0),
        lowered.memories.get(NAME, ""),
        tuple((name, _parts[name]) for name in sorted(names)),
    )


_parts: dict[str, bytes] = {}
"""By symbol, the parts of preparations that this process has compiled: a child, which
ends with its network."""


def _part_object(
    name: str, part: Any, how: Settings, verify_each: bool, parts: Store | None
) -> bytes:
    """A part of a preparation as an object: one that is known, or a new one."""
    key = key_of(f"part {name}", str(how))
    if parts is not None and (known := parts.get(key)) is not None:
        return known
    lower_part(part, how, verify_each)
    made = _object_of(_in_jit(part, how, name))
    if parts is not None:
        parts.put(key, made)
    return made


def _object_of(code: Any) -> bytes:
    """What LLVM's JIT has compiled, as an object file."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "kernel.o"
        code.dump_to_object_file(str(path))
        return path.read_bytes()


_FIRST = """
func.func @kernel(%a: !torch.vtensor<[2,2],f32>) -> !torch.vtensor<[2,2],f32> {
  %b = torch.aten.mm %a, %a : !torch.vtensor<[2,2],f32>, !torch.vtensor<[2,2],f32>
      -> !torch.vtensor<[2,2],f32>
  %c = torch.aten.exp %b : !torch.vtensor<[2,2],f32> -> !torch.vtensor<[2,2],f32>
  return %c : !torch.vtensor<[2,2],f32>
}
"""


@cache
def set_up() -> None:
    """Compile a kernel of our own, once in a process, and forget it.

    MLIR and LLVM set themselves up at the first one, for 0.2 s: from here on that is
    done in all children that this process forks. It is the same kernel each time, so
    it cannot end the process as one of the user's may.
    """
    jit_unit(_FIRST, Settings(), NAME)


def jit_unit(
    text: str, how: Settings, symbol: str, verify_each: bool = True
) -> tuple[Any, Lowered]:
    """A unit in LLVM's JIT, under the name `symbol`, and what lowering it has told.

    Its preparation is one piece, which needs nothing else. Raises LoweringFailed.
    """
    module = parse(text)
    lowered = lower(module, how, verify_each=verify_each)
    return _in_jit(module, how, symbol), lowered


def _in_jit(module: Any, how: Settings, symbol: str, needs: Sequence[str] = ()) -> Any:
    """A lowered unit in LLVM's JIT; what calls the functions it `needs` may not run."""
    with module.context:
        _rename(module, NAME, symbol)
        _rename(module, preparation_name(NAME), preparation_name(symbol))
        code = engine(module, how.opt_level)
    for name in needs:
        code.raw_register_runtime(name, ctypes.c_void_p(1))
    code.raw_lookup(symbol)  # What nobody has asked for is not compiled.
    return code


def _rename(module: Any, old: str, new: str) -> None:
    """Give a function another name, if there is such a function; nothing calls it."""
    symbols = ir.SymbolTable(module.operation)
    if old in symbols:
        symbols.set_symbol_name(symbols[old], new)


def _unit(func: Any, names: set[str]) -> tuple[Unit, str]:
    name = str(func.attributes["sym_name"].value)
    body = [op.operation for op in func.regions[0].blocks[0].operations]
    if preparation_name(name) in names:
        _forget_weights(func)  # The name of its preparation is taken.
    func.attributes["sym_name"] = ir.StringAttr.get(NAME)
    first, *lines, last = str(func.get_asm(use_local_scope=True)).splitlines()
    assert len(lines) == len(body), "each op of a kernel is one line"
    numbered = [f'{line} loc("{NAME}":{i}:1)' for i, line in enumerate(lines)]
    text = "\n".join([first, *numbered, f'{last} loc("{NAME}":{len(lines)}:1)', ""])
    places = (*(location_of(op.location) for op in body), location_of(func.location))
    return Unit(name, places), text


def _forget_weights(func: Any) -> None:
    if "arg_attrs" in func.attributes:
        func.attributes["arg_attrs"] = ir.ArrayAttr.get(
            [
                ir.DictAttr.get({a.name: a.attr for a in attribute if a.name != WEIGHT})
                for attribute in func.attributes["arg_attrs"]
            ]
        )
