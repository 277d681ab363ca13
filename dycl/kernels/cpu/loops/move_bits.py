"""`cpu-move-bits`: what is moved of bf16 are its bits, as integers.

LLVM may keep a bf16 that goes from one block to another as f32, and round it back by an
instruction that takes denormals for zeros, where a processor has one. Eager does not.

Before:
    %x = llvm.load %p : !llvm.ptr -> bf16
    llvm.br ^next(%x : bf16)
    ^next(%y: bf16):
      %bits = llvm.bitcast %y : bf16 to i16

After:
    %x = llvm.load %p : !llvm.ptr -> i16
    llvm.br ^next(%x : i16)
    ^next(%y: i16):

Memory on the stack is for integers, too.

Needs:  the LLVM dialect; `cpu-expand-bf16`, so that nothing computes with bf16.
Leaves: bf16 at the border of ops that take it, such as products of its vectors, and of
        functions that are called from elsewhere, or by a pointer.
Skips:  kernels without bf16.
"""

import itertools
import re
import struct
from typing import Any

from dycl.kernels.cpu import build
from dycl.kernels.cpu.check import kernel_name
from dycl.kernels.cpu.mlir import callee, ir

_MOVES = frozenset(
    f"llvm.{name}"
    for name in (
        *("load", "store", "select", "freeze", "br", "cond_br", "switch", "bitcast"),
        *("intr.masked.load", "intr.masked.store", "intr.masked.gather"),
        *("intr.masked.scatter", "intr.masked.expandload"),
        *("intr.masked.compressstore", "intr.vector.insert", "intr.vector.extract"),
        *("extractelement", "insertelement", "shufflevector"),
        *("extractvalue", "insertvalue"),
        *("mlir.undef", "mlir.poison", "mlir.zero", "mlir.constant"),
    )
)
_NUMBER = re.compile(r"-?\d+\.\d+e[-+]\d+|0x[0-9A-F]{4}")


def move_bits(module: Any) -> None:
    """Make all values of bf16 in the functions of `module` integers."""
    bits = _Types()
    functions = [
        op.operation
        for op in module.body.operations
        if op.operation.name == "llvm.func"
    ]
    own = _own(functions)
    for func in functions:
        _move(func, bits, own)
        for op in _inside(func):
            if op.name == "llvm.alloca":
                # Where LLVM makes values of such memory, they have its type.
                _as_integers(op, "elem_type")
    for func in functions:
        if kernel_name(func) in own:
            _as_integers(func, "function_type")


def _own(functions: list[Any]) -> frozenset[str]:
    """The names of functions that are called in the module only, and by name. Without
    bf16 in the processor, LLVM rounds what is handed over as one."""
    pointed_at = {
        ir.FlatSymbolRefAttr(op.attributes["global_name"]).value
        for func in functions
        for op in _inside(func)
        if op.name == "llvm.mlir.addressof"
    }
    internal = {
        kernel_name(func)
        for func in functions
        if len(func.regions[0].blocks) and "internal" in str(func.attributes["linkage"])
    }
    return frozenset(internal - pointed_at)


def _inside(func: Any) -> list[Any]:
    """The ops of a function; in the LLVM dialect, none has others inside."""
    return [op for block in func.regions[0].blocks for op in block.operations]


def _as_integers(op: Any, name: str) -> None:
    """Make a type that an op has as an attribute one of integers."""
    kind = str(op.attributes[name])
    if "bf16" in kind:
        op.attributes[name] = ir.Attribute.parse(kind.replace("bf16", "i16"))


class _Types:
    """By type, what becomes of it: None for one that is not of bf16."""

    def __init__(self):
        self._known: dict[Any, Any] = {}

    def __call__(self, of: Any) -> Any:
        """A value's type as one of integers, if it is of bf16."""
        kind = of.type
        if kind not in self._known:
            text = str(kind)
            is_half = "bf16" in text
            bits = ir.Type.parse(text.replace("bf16", "i16")) if is_half else None
            self._known[kind] = bits
        return self._known[kind]


def _move(func: Any, bits: _Types, own: frozenset[str]) -> None:
    """Rewrite a function; `own` are those of the module. All is found before, as types
    tell what there is to do."""
    is_own = kernel_name(func) in own
    blocks = list(func.regions[0].blocks)
    inside = _inside(func)
    starts = [a for block in blocks[:1] for a in block.arguments]
    made = (value for op in inside for value in op.results)
    if not any(map(bits, itertools.chain(starts, made))):
        return
    given = [] if is_own else [a for a in starts if bits(a)]
    inner = blocks if is_own else blocks[1:]
    values = [a for block in inner for a in block.arguments if bits(a)]
    moves: list[Any] = []
    taken: list[tuple[Any, int]] = []
    for op in inside:
        results = [result for result in op.results if bits(result)]
        operands = [i for i, value in enumerate(op.operands) if bits(value)]
        if (
            op.name in _MOVES
            or (is_own and op.name == "llvm.return")
            or (op.name == "llvm.call" and callee(op) in own)
        ):
            values += results
            moves += [op.operation] if results or operands else []
        else:
            given += results
            taken += [(op.operation, i) for i in operands]
    for op, i in taken:
        with ir.InsertionPoint(op), op.location:
            value = op.operands[i]
            op.operands[i] = _cast(value, value.type)
    for value in given:
        with _behind(value.owner), value.location:
            cast = _cast(value, bits(value))
        value.replace_all_uses_except(cast, cast.owner.operation)
    for value in values:
        value.set_type(bits(value))
    for op in moves:
        _mend(op)


def _behind(owner: Any) -> Any:
    if isinstance(owner, ir.Block):
        return ir.InsertionPoint.at_block_begin(owner)
    return ir.InsertionPoint.after(owner)


def _cast(value: Any, kind: Any) -> Any:
    return build.op("llvm.bitcast", [value], kind)


def _mend(op: Any) -> None:
    """Make what an op says beside its operands fit integers."""
    if op.name == "llvm.bitcast" and op.operands[0].type == op.results[0].type:
        op.results[0].replace_all_uses_with(op.operands[0])
        op.erase()
    elif op.name == "llvm.mlir.constant":
        op.attributes["value"] = ir.Attribute.parse(_bits(str(op.attributes["value"])))
    elif "fastmathFlags" in op.attributes:
        op.attributes["fastmathFlags"] = ir.Attribute.parse("#llvm.fastmath<none>")


def _bits(attribute: str) -> str:
    """An attribute of numbers as one of integers: `1.0 : bf16` is `16256 : i16`."""
    numbers, _, kind = attribute.rpartition(" : ")
    if '"' not in numbers:  # in quotes, they are bits already
        numbers = _NUMBER.sub(_integer, numbers)
    return f"{numbers} : {kind.replace('bf16', 'i16')}"


def _integer(number: re.Match[str]) -> str:
    text = number.group()
    if text.startswith("0x"):
        return str(int(text, 16))
    # As many digits as tell it from its neighbours: the nearest one is meant.
    (single,) = struct.unpack("<I", struct.pack("<f", float(text)))
    return str((single + 0x8000) >> 16)
