"""What instructions do with registers; memory and warps have their own files."""

from collections.abc import Callable
from typing import Any

import numpy as np

from ptx_machine.carries import is_with_carry, with_carry
from ptx_machine.data import DATA
from ptx_machine.machine import UNSIGNED, Machine
from ptx_machine.memory import PtxError
from ptx_machine.numbers import (
    converted,
    from_bf16,
    fused,
    integer_quotient,
    to_bf16,
    to_tf32,
    without_denormals,
)
from ptx_machine.text import SIZES, Instruction
from ptx_machine.warpgroups import fence, multiply
from ptx_machine.warps import WARPS

Run = Callable[[Machine, Instruction], None]


def find(instruction: Instruction) -> Run:
    """What runs an instruction. PtxError: the machine does not know it."""
    if is_with_carry(instruction):
        return with_carry
    run = _TABLE.get(instruction.op)
    if run is None:
        raise PtxError(f"unknown instruction: {instruction.text}")
    return run


def _elementwise(compute: Callable[..., Any], count: int) -> Run:
    """Operands and result of one type, the last that is named."""

    def run(m: Machine, i: Instruction) -> None:
        kind = i.types[-1]
        given = [_read(m, operand, kind) for operand in i.operands[1 : 1 + count]]
        _write(m, i, compute(i, *given), kind)

    return run


def _read(m: Machine, operand: str, kind: str) -> Any:
    if kind in ("f16x2", "bf16x2", "s16x2", "u16x2"):
        half = m.read(operand, "b32").view(np.uint16)
        if kind == "bf16x2":
            return from_bf16(half)
        return half.view({"f": np.float16, "s": np.int16, "u": np.uint16}[kind[0]])
    values = m.read(operand, kind)
    return from_bf16(values) if kind == "bf16" else values


def _write(m: Machine, i: Instruction, values: Any, kind: str) -> None:
    if "ftz" in i.modifiers and kind == "f32":
        values = without_denormals(values)
    if "sat" in i.modifiers:
        values = np.where(np.isnan(values), 0, np.clip(values, 0, 1)).astype(
            values.dtype
        )
    if kind.startswith("bf16"):
        values = to_bf16(values)
    if kind.endswith("x2"):
        values = np.ascontiguousarray(values).view(np.uint32)
    m.write(i.operands[0], values)


def _is_float(values: Any) -> bool:
    return values.dtype.kind == "f"


def _add(i: Instruction, a: Any, b: Any) -> Any:
    return a + b


def _subtract(i: Instruction, a: Any, b: Any) -> Any:
    return a - b


def _extreme(of_floats: Any, with_nan: Any, least: bool) -> Callable[..., Any]:
    """Of two zeros, -0 is the lesser one."""

    def compute(i: Instruction, a: Any, b: Any) -> Any:
        if not _is_float(a):
            return with_nan(a, b)
        found = (with_nan if "NaN" in i.modifiers else of_floats)(a, b)
        return np.where(
            (a == b) & (np.signbit(a) != least), b, np.where(a == b, a, found)
        )

    return compute


def _divide(i: Instruction, a: Any, b: Any) -> Any:
    return a / b if _is_float(a) else integer_quotient(a, b)


def _negate(i: Instruction, a: Any) -> Any:
    return -a if a.dtype.kind != "u" else ~a + a.dtype.type(1)


def _by_double(function: Callable[[Any], Any]) -> Run:
    """Of floats, computed in f64 and rounded."""
    return _elementwise(lambda i, a: function(a.astype("f8")).astype(a.dtype), 1)


def _multiply(m: Machine, i: Instruction) -> None:
    kind = i.types[-1]
    a, b = (_read(m, operand, kind) for operand in i.operands[1:3])
    if "wide" in i.modifiers:
        wide = f"{kind[0]}{SIZES[kind] * 16}"
        m.write(i.operands[0], _as(a, wide) * _as(b, wide))
    elif "hi" in i.modifiers:
        if SIZES[kind] == 8:
            product = a.astype(object) * b.astype(object)
            high = [int(p) >> 64 & (2**64 - 1) for p in product]
            m.write(i.operands[0], np.array(high, np.uint64))
            return
        product = _as(a, f"{kind[0]}64") * _as(b, f"{kind[0]}64")
        m.write(i.operands[0], product >> product.dtype.type(8 * SIZES[kind]))
    else:
        _write(m, i, a * b, kind)


def _as(values: Any, kind: str) -> Any:
    return values.astype(f"{'i' if kind[0] == 's' else 'u'}{SIZES[kind]}")


def _multiply_add(m: Machine, i: Instruction) -> None:
    kind = i.types[-1]
    if kind[0] in "fb" and kind not in ("b16", "b32", "b64"):
        a, b, c = (_read(m, operand, kind) for operand in i.operands[1:4])
        down = "rm" in i.modifiers
        _write(m, i, fused(a, b, c, down=down), kind)
        return
    wide = f"{kind[0]}{SIZES[kind] * 16}" if "wide" in i.modifiers else kind
    a, b = (_as(m.read(operand, kind), wide) for operand in i.operands[1:3])
    m.write(i.operands[0], a * b + m.read(i.operands[3], wide))


def _logic(on_bits: Callable[..., Any], count: int) -> Run:
    def run(m: Machine, i: Instruction) -> None:
        given = [m.read(o, i.types[-1]) for o in i.operands[1 : 1 + count]]
        m.write(i.operands[0], on_bits(*given))

    return run


def _shift(m: Machine, i: Instruction) -> None:
    kind = i.types[-1]
    values, by = m.read(i.operands[1], kind), m.read(i.operands[2], "u32")
    width = 8 * SIZES[kind]
    least = np.minimum(by, width - 1).astype(values.dtype)
    if i.op == "shl":
        moved = np.where(by >= width, 0, values << least)
    elif kind[0] == "s":
        moved = values >> least
    else:
        moved = np.where(by >= width, 0, values >> least)
    m.write(i.operands[0], moved.astype(values.dtype))


def _extract_bits(m: Machine, i: Instruction) -> None:
    kind = i.types[-1]
    width = 8 * SIZES[kind]
    values = m.read(i.operands[1], f"u{width}").astype(np.uint64)
    start, count = (m.read(o, "u32").astype(np.uint64) for o in i.operands[2:4])
    one = np.uint64(1)
    found = (values >> start) & ((one << count) - one)
    if kind[0] == "s":
        sign = one << (count - one)
        found = (found ^ sign) - sign
    m.write(i.operands[0], found.astype(UNSIGNED[width // 8]))


def _count_bits(m: Machine, i: Instruction) -> None:
    bits = np.unpackbits(m.read(i.operands[1], i.types[-1])[:, None].view("u1"), axis=1)
    m.write(i.operands[0], bits.sum(1).astype(np.uint32))


def _count_leading_zeros(m: Machine, i: Instruction) -> None:
    values = m.read(i.operands[1], i.types[-1])
    bits = np.unpackbits(values.astype(values.dtype.newbyteorder(">")).view("u1"))
    bits = np.hstack([bits.reshape(len(values), -1), np.ones((len(values), 1), "u1")])
    m.write(i.operands[0], bits.argmax(1).astype(np.uint32))


def _shift_two(m: Machine, i: Instruction) -> None:
    """`shf`: 32 bits of the 64 in two registers."""
    low, high, by = (m.read(o, "u32").astype(np.uint64) for o in i.operands[1:4])
    by = by & np.uint64(31) if "wrap" in i.modifiers else np.minimum(by, np.uint64(32))
    both, word = (high << np.uint64(32)) | low, np.uint64(32)
    moved = (both << by) >> word if "l" in i.modifiers else both >> by
    m.write(i.operands[0], moved.astype(np.uint32))


def _permute(m: Machine, i: Instruction) -> None:
    a, b, how = (m.read(o, "b32").astype(np.uint64) for o in i.operands[1:4])
    both = a | (b << np.uint64(32))
    result = np.zeros_like(both)
    for byte in range(4):
        choice = (how >> np.uint64(4 * byte)) & np.uint64(15)
        found = (both >> ((choice & np.uint64(7)) * np.uint64(8))) & np.uint64(255)
        sign = np.where(found >= 128, 255, 0).astype(np.uint64)
        found = np.where(choice >= 8, sign, found)
        result |= found << np.uint64(8 * byte)
    m.write(i.operands[0], result.astype(np.uint32))


def _lookup(m: Machine, i: Instruction) -> None:
    a, b, c = (m.read(o, "b32") for o in i.operands[1:4])
    table = int(i.operands[4], 0)
    result = np.zeros_like(a)
    for row in range(8):
        if table >> row & 1:
            left = a if row & 4 else ~a
            result |= left & (b if row & 2 else ~b) & (c if row & 1 else ~c)
    m.write(i.operands[0], result)


_COMPARE: dict[str, Callable[[Any, Any], Any]] = {
    "eq": np.equal,
    "ne": np.not_equal,
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
}


def _compared(how: str, a: Any, b: Any) -> Any:
    if not _is_float(a):
        return _COMPARE[how](a, b)
    unordered = np.isnan(a) | np.isnan(b)
    if how in ("num", "nan"):
        return unordered if how == "nan" else ~unordered
    if how[-1] == "u":
        return _COMPARE[how[:2]](a, b) | unordered
    return _COMPARE[how](a, b) & ~unordered


def _set_predicate(m: Machine, i: Instruction) -> None:
    kind = i.types[-1]
    a, b = (_read(m, operand, kind) for operand in i.operands[1:3])
    result = _compared(i.modifiers[0], a, b)
    join = next((x for x in i.modifiers[1:] if x in ("and", "or", "xor")), None)
    if join is not None:
        other = m.read(i.operands[3], "pred")
        result = {"and": result & other, "or": result | other}.get(join, result ^ other)
    both = (result[::2], result[1::2]) if kind.endswith("x2") else (result, ~result)
    for name, values in zip(i.operands[0].split("|"), both, strict=False):
        m.write(name, values)


def _select(m: Machine, i: Instruction) -> None:
    a, b = (m.read(operand, i.types[-1]) for operand in i.operands[1:3])
    m.write(i.operands[0], np.where(m.read(i.operands[3], "pred"), a, b))


def _convert(m: Machine, i: Instruction) -> None:
    to, source = i.types[0], i.types[1]
    if to in ("f16x2", "bf16x2"):
        high, low = (m.read(o, "f32") for o in i.operands[1:3])
        narrow = to_bf16 if to == "bf16x2" else lambda v: v.astype("f2").view("u2")
        m.write(i.operands[0], (narrow(high).astype("u4") << 16) | narrow(low))
    elif to == "tf32":
        m.write(i.operands[0], to_tf32(m.read(i.operands[1], "b32")))
    else:
        values = _read(m, i.operands[1], source)
        m.write(i.operands[0], converted(values, to, i.modifiers))


def _nothing(m: Machine, i: Instruction) -> None:
    """Order is stronger here than any of these asks for."""


_TABLE: dict[str, Run] = {
    "add": _elementwise(_add, 2),
    "sub": _elementwise(_subtract, 2),
    "mul": _multiply,
    "mad": _multiply_add,
    "fma": _multiply_add,
    "div": _elementwise(_divide, 2),
    "rem": _elementwise(lambda i, a, b: np.fmod(a, b), 2),
    "min": _elementwise(_extreme(np.fmin, np.minimum, True), 2),
    "max": _elementwise(_extreme(np.fmax, np.maximum, False), 2),
    "neg": _elementwise(_negate, 1),
    "abs": _elementwise(lambda i, a: np.abs(a), 1),
    "sqrt": _by_double(np.sqrt),
    "rsqrt": _by_double(lambda a: 1 / np.sqrt(a)),
    "rcp": _by_double(lambda a: 1 / a),
    "ex2": _by_double(np.exp2),
    "lg2": _by_double(np.log2),
    "sin": _by_double(np.sin),
    "cos": _by_double(np.cos),
    "tanh": _by_double(np.tanh),
    "copysign": _elementwise(lambda i, a, b: np.copysign(b, a), 2),
    "and": _logic(np.bitwise_and, 2),
    "or": _logic(np.bitwise_or, 2),
    "xor": _logic(np.bitwise_xor, 2),
    "not": _logic(np.invert, 1),
    "shl": _shift,
    "shr": _shift,
    "bfe": _extract_bits,
    "popc": _count_bits,
    "clz": _count_leading_zeros,
    "shf": _shift_two,
    "prmt": _permute,
    "lop3": _lookup,
    "setp": _set_predicate,
    "selp": _select,
    "cvt": _convert,
    **DATA,
    **WARPS,
    "wgmma": multiply,
    "fence": fence,
    **dict.fromkeys(("bra", "ret", "exit", "bar", "membar"), _nothing),
}
