"""`cpu-generate-nests`: contractions become loops over tiles of vector registers.

Each marked contraction goes, with the op that fills its sums before it and the
elementwise op behind it, where that changes nothing (`dycl.kernels.cpu.groups`). What
takes its place is a call: contractions that are alike share one function. How a nest
runs is said in `dycl/schedules/tiles.py`.

Before:
    linalg.fill ins(%zero) outs(%sums)
    linalg.generic {dycl.nest = "conv"} ins(%x, %w) outs(%sums)
    linalg.generic {x + bias; relu} ins(%sums, %bias) outs(%out)

After:
    func.call @nest.0(%x, %w, %bias, %out)

    func.func private @nest.0(...) {
      scf.for ... {                                        // tiles of %out
        %sums:28 = scf.for ... iter_args(%zero, ...) {     // channels, window
          vector.load, vector.broadcast, vector.fma ...
        }
        vector.store ...                                   // bias and relu applied
      }
    }

Needs:  linalg on memrefs.
Leaves: calls, and private functions at the end of the module.
        Packing and unpacking of images are calls, too.
Skips:  a contraction whose lanes do not lie side by side, or that has elements of
        another dtype than f32: it becomes plain loops later.
"""

import math
from typing import Any

from dycl.kernels.cpu.accesses import NotLinear, accesses, reductions, sizes
from dycl.kernels.cpu.block_contractions import NEST
from dycl.kernels.cpu.copy_nest import copy_nest_text
from dycl.kernels.cpu.groups import Group, groups_of
from dycl.kernels.cpu.memory import Effects
from dycl.kernels.cpu.mlir import functions, ir
from dycl.kernels.cpu.nest import nest_text
from dycl.kernels.cpu.target import registers_of
from dycl.kernels.cpu.winograd import PIXELS, RESULTS
from dycl.kernels.cpu.winograd_nest import transform_text
from dycl.schedules import tiles

_SCHEDULES: dict[str, tiles.Rule] = {
    "conv": tiles.convolution,
    "depthwise": tiles.windows,
    "grouped": tiles.grouped_windows,
    "pool": tiles.windows,
    "matmul": tiles.matmul,
}
_COPIES = ("pack", "unpack")
_NEST, _COPY = "nest", "copy"


def generate_nests(module: Any) -> None:
    """Rewrite every marked contraction of `module` that can be a nest."""
    known: dict[str, str] = {}
    registers = registers_of(module)
    for func in functions(module):
        block = func.regions[0].blocks[0]
        marked = [op.operation for op in block.operations if NEST in op.attributes]
        if not marked:
            continue
        effects = Effects(block)
        # An op that has gone may not be asked anything, so the last of them go first.
        done: list[Any] = []
        for op in marked:
            if str(op.attributes[NEST].value) in _COPIES:
                if _replace_copy(module, op, known):
                    done.append(op)
                continue
            for group in groups_of(op, effects):
                parts = [group.start, op, group.epilogue]
                parts = [part for part in parts if part is not None]
                if not any(part in done for part in parts) and _replace(
                    module, group, known, registers
                ):
                    done += parts
                    break
        for op in done:
            op.erase()


def _replace(
    module: Any, group: Group, known: dict[str, str], registers: tiles.Registers
) -> bool:
    """Put a call of the group's nest beside it; False: there is no such nest."""
    contraction = group.contraction
    kind = str(contraction.attributes[NEST].value)
    try:
        if kind in (PIXELS, RESULTS):
            text, values = transform_text(group, _NEST)
        else:
            text, values = _nest_text(group, kind, registers)
    except NotLinear:
        return False
    if not all(map(_is_bare, values)):
        return False
    with ir.InsertionPoint(group.place), contraction.location:
        _call(module, text, values, known, _NEST)
    return True


def _nest_text(
    group: Group, kind: str, registers: tiles.Registers
) -> tuple[str, list[Any]]:
    contraction = group.contraction
    out = [index.terms[0].loop for index in accesses(contraction)[-1]]
    image = contraction.operands[0].type
    shape = tiles.Shape(
        out,
        sizes(contraction),
        reductions(contraction),
        _block(contraction),
        4 * math.prod(image.shape),
    )
    return nest_text(group, _SCHEDULES[kind](shape, registers), _NEST)


def _replace_copy(module: Any, op: Any, known: dict[str, str]) -> bool:
    """Put a call of the function that copies an image before it."""
    try:
        text, values = copy_nest_text(op, _COPY)
    except NotLinear:
        return False
    if not all(map(_is_bare, values)):
        return False
    with ir.InsertionPoint(op), op.location:
        _call(module, text, values, known, _COPY)
    return True


def _is_bare(value: Any) -> bool:
    """Whether a pointer says all of a memref: no size or stride is a run's."""
    return "?" not in str(value.type)


def _call(
    module: Any, text: str, values: list[Any], known: dict[str, str], kind: str
) -> None:
    """Call the function of this text; texts that are alike share one."""
    if text not in known:
        # No kernel has such a name: it is no identifier of C.
        known[text] = f"{kind}.{len(known)}"
        _add_function(module, text, known[text])
    callee = ir.FlatSymbolRefAttr.get(known[text])
    ir.Operation.create("func.call", operands=values, attributes={"callee": callee})


def _block(contraction: Any) -> int:
    """Into blocks of how many a loop is divided to read an operand; 0: none is."""
    found = {
        term.by
        for access in accesses(contraction)
        for index in access
        for term in index.terms
        if term.kind in ("div", "mod")
    }
    return max(found, default=0)


def _add_function(module: Any, text: str, name: str) -> None:
    with ir.Location.unknown():
        made = ir.Module.parse(text)
    (func,) = functions(made)
    func.attributes["sym_name"] = ir.StringAttr.get(name)
    internal = ir.Attribute.parse("#llvm.linkage<internal>")
    func.attributes["llvm.linkage"] = internal
    func.clone(ir.InsertionPoint(module.body))
