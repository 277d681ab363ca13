"""One kernel on its own: the text that decides its code, and its code.

The text has no name and no places of the user's, so equal kernels of two networks have
one text. Instead of the user's place each op has its number: `loc("kernel":3:1)`.
"""

from functools import cache
from typing import Any

from dycl.kernels.cpu.code import NAME, Code, Unit, symbol_of
from dycl.kernels.cpu.jit import in_jit, object_of
from dycl.kernels.cpu.lower import Lowered, lower
from dycl.kernels.cpu.mlir import functions, ir, location_of, parse
from dycl.kernels.cpu.parts import objects_of
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

    `parts`: where other processes leave what kernels have in common, when they have
    compiled it: parts of preparations, and nests.
    """
    symbol = symbol_of(text, str(how))
    module = parse(text)
    lowered = lower(module, how, verify_each=verify_each, apart=NAME)
    in_common = objects_of(lowered, how, verify_each, parts)
    plain = tuple(
        (item.what, -1 if item.place is None else item.place.line)
        for item in lowered.plain
    )
    return Code(
        object_of(in_jit(module, how, symbol, [name for name, _ in in_common])),
        symbol,
        lowered.prepared.get(NAME),
        plain,
        lowered.workspaces.get(NAME, 0),
        lowered.memories.get(NAME, ""),
        in_common,
    )


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
    return in_jit(module, how, symbol), lowered


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
