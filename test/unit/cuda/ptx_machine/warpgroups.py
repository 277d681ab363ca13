"""What four warps do together: products that run in the background, on 9.0.

A product is computed when it is waited for. Until then its sums are in no register, and
what it reads of shared memory has to stay as it was: it is read when the product
begins, for the checks, and again at the end. Each of the four warps reads the right
matrix, and its own rows of the left one. Nobody else may use registers of a product
under way, and between another use of one and a product has to be a fence.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ptx_machine.data import vector
from ptx_machine.machine import LENT, SETTLED, SUMMED, TOUCHED, Machine
from ptx_machine.memory import PtxError
from ptx_machine.numbers import from_bf16
from ptx_machine.text import Instruction
from ptx_machine.warps import numbers_of

_THREADS = 128
_THREAD = np.arange(_THREADS)
_ROW, _PLACE = _THREAD // 32 * 16 + _THREAD % 32 // 4, _THREAD % 4
_OF_LEFT = (np.arange(64)[:, None] // 16 * 32,)
_OF_RIGHT = (0, 32)
"""Threads of a group that read a matrix. All warps read the right one; two are enough,
for whoever else uses a byte is not in both."""
_WIDTHS = {0: 16, 1: 128, 2: 64, 3: 32}
"""Bytes of a line, within which 16 bytes are shuffled, by a descriptor's last bits."""


@dataclass
class Product:
    """One that is under way, of some groups of warps."""

    instruction: Instruction
    groups: Any
    """The numbers of their threads, groups by 128."""
    committed: Any
    """For each group, how many products had been committed before."""
    left: Any
    """The left matrix, if it was in registers; else its descriptor."""
    right: Any
    """The descriptor of the right one."""
    adds: Any
    """For each group, whether sums are added to what there was."""


def multiply(m: Machine, i: Instruction) -> None:
    """`wgmma`: its fence, a product, and what says that products belong together."""
    if "mma_async" in i.modifiers:
        _begin(m, i)
    elif "fence" in i.modifiers:
        for states in m.fragments.values():
            own = states[m.active]
            states[m.active] = np.where(own == TOUCHED, SETTLED, own)
    elif "commit_group" in i.modifiers:
        m.committed[m.active] += 1
    else:
        _end(m, int(i.operands[0]))


def _shape(i: Instruction) -> tuple[int, int, int, str]:
    """Rows, columns and depth of a product, and the type of both matrices."""
    shape = next(x for x in i.modifiers if re.fullmatch(r"m\d+n\d+k\d+", x))
    rows, columns, depth = map(int, re.findall(r"\d+", shape))
    to, kind = i.types[0], i.types[1]
    if (rows, to) != (64, "f32") or kind not in ("tf32", "f16", "bf16"):
        raise PtxError(f"unknown instruction: {i.text}")
    if i.operands[4:6] != ["1", "1"]:
        raise PtxError(f"a product with a sign of its own: {i.text}")
    return rows, columns, depth, kind


def _begin(m: Machine, i: Instruction) -> None:
    _, _, depth, kind = _shape(i)
    groups = m.active.reshape(-1, _THREADS) if len(m.active) % _THREADS == 0 else None
    if groups is None or (groups % _THREADS != _THREAD).any():
        raise PtxError(f"not by whole groups of four warps: {i.text}")
    count = len(groups)
    left = i.operands[1]
    product = Product(
        i, groups, m.committed[groups[:, 0]],
        _fragment(m, left, count, depth, kind) if left[0] == "{"
        else m.read(left, "b64").reshape(count, -1)[:, 0],
        m.read(i.operands[2], "b64").reshape(count, -1)[:, 0],
        m.read(i.operands[3], "pred").reshape(count, -1)[:, 0]
        if i.operands[3] in m.registers
        else np.full(count, i.operands[3] != "0"),
    )  # fmt: skip
    _operands(m, product)
    if left[0] == "{":
        for name in vector(left):
            _take(m, i, name, LENT)
    for name in vector(i.operands[0]):
        fresh = m.active[m.fragments[name][m.active] != SUMMED]
        _take(m, i, name, SUMMED)
        sums = m.sums.setdefault(name, np.zeros(m.count, np.uint32))
        sums[fresh] = m.registers[name][fresh]
    m.products.append(product)


def _take(m: Machine, i: Instruction, name: str, state: int) -> None:
    """A product uses a register from now on, as those under way may do. PtxError."""
    states = m.fragments[name]
    before = states[m.active]
    if (before == TOUCHED).any():
        raise PtxError(f"no fence since {name} was used: {i.text}")
    others = [
        one
        for one in m.products
        if name in vector(one.instruction.operands[0])
        and np.isin(one.groups, m.active).any()
    ]
    if ((before != SETTLED) & (before != state)).any() or any(
        _shape(one.instruction) != _shape(i) for one in others
    ):
        raise PtxError(f"another product under way uses {name}: {i.text}")
    states[m.active] = state


def _fragment(m: Machine, operand: str, count: int, depth: int, kind: str) -> Any:
    """The left matrix of each group, from registers: count by 64 by depth."""
    each = 1 if kind == "tf32" else 2
    result = np.zeros((count, 64, depth))
    for number, name in enumerate(vector(operand)):
        bits = m.registers[name][m.active].reshape(count, _THREADS)
        values = numbers_of(bits, kind)
        for part in range(each):
            column = _PLACE * each + part + 4 * each * (number // 2)
            result[:, _ROW + 8 * (number % 2), column] = values[..., part]
    return result


def _operands(m: Machine, product: Product) -> tuple[Any, Any]:
    """Both matrices, the right one as columns by depth. PtxError."""
    i = product.instruction
    rows, columns, depth, _ = _shape(i)
    flags = [flag != "0" for flag in i.operands[6:]]
    left = product.left
    if left.ndim == 1:
        is_across = bool(flags) and flags[0]
        left = _matrix(m, product, left, rows, depth, is_across, _OF_LEFT)
    is_across = bool(flags) and flags[-1]
    right = _matrix(m, product, product.right, columns, depth, is_across, _OF_RIGHT)
    return left, right


def _matrix(
    m: Machine, product: Product, descriptors: Any, rows: int, depth: int,
    is_across: bool, readers: Sequence[Any],
) -> Any:  # fmt: skip
    """A matrix of shared memory, for each group, rows by depth. PtxError.

    `is_across`: rows lie side by side, and not what is summed; `readers`: which threads
    of a group read it, each for all rows or by row.
    """
    i = product.instruction
    kind = i.types[1]
    size = 4 if kind == "tf32" else 2
    row, at = np.arange(rows)[:, None], np.arange(depth)[None, :]
    result = np.zeros((len(descriptors), rows, depth))
    for number, (given, who) in enumerate(
        zip(descriptors, product.groups, strict=True)
    ):
        start, leading, stride = (int(given) >> s & 0x3FFF for s in (0, 16, 32))
        width = _WIDTHS[int(given) >> 62]
        if is_across:
            per = width // size
            place = row // per * (leading << 4) + at // 8 * (stride << 4)
            place = place + at % 8 * width + row % per * size
        elif width == 16:
            per = 16 // size
            place = row // 8 * (stride << 4) + at // per * (leading << 4)
            place = place + row % 8 * 16 + at % per * size
        else:
            place = row // 8 * (stride << 4) + row % 8 * width + at * size
        place = place + (start << 4)
        place = place ^ ((place >> 7) & (width // 16 - 1)) << 4
        for reader in readers:
            threads = np.broadcast_to(who[reader], place.shape).ravel()
            result[number] = _loaded(m, i, place, size, kind, threads)
    return result


def _loaded(
    m: Machine, i: Instruction, place: Any, size: int, kind: str, threads: Any
) -> Any:
    data, at = m.bytes_at("shared", place.ravel(), size, False, i.text, threads)
    if m.unfenced[at].any():
        raise PtxError(f"no fence behind what was written to shared memory: {i.text}")
    bits = data.view(f"u{size}")[at // size].reshape(place.shape)
    if kind == "tf32":
        return numbers_of(bits, kind)[..., 0]
    return from_bf16(bits) if kind == "bf16" else bits.view(np.float16)


def _end(m: Machine, left: int) -> None:
    """Compute what is waited for, in order; sums of which none is under way any more
    go to their registers."""
    waits = np.zeros(m.count, bool)
    waits[m.active] = True
    rest: list[Product] = []
    for one in m.products:
        first = one.groups[:, 0]
        done = waits[first] & (one.committed < m.committed[first] - left)
        if done.any():
            _compute(m, _part(one, done))
        if not done.all():
            rest.append(_part(one, ~done))
    m.products = rest
    for name, states in m.fragments.items():
        busy = np.zeros(m.count, bool)
        for one in rest:
            if name in _registers(one.instruction):
                busy[one.groups.ravel()] = True
        free = m.active[(states[m.active] > TOUCHED) & ~busy[m.active]]
        summed = free[states[free] == SUMMED]
        if len(summed):
            m.registers[name][summed] = m.sums[name][summed]
        states[free] = SETTLED


def _registers(i: Instruction) -> list[str]:
    """Those that a product uses as long as it is under way."""
    left = i.operands[1]
    return vector(i.operands[0]) + (vector(left) if left[0] == "{" else [])


def _part(one: Product, some: Any) -> Product:
    arrays = (one.groups, one.committed, one.left, one.right, one.adds)
    return Product(one.instruction, *(a[some] for a in arrays))


def _compute(m: Machine, one: Product) -> None:
    names = vector(one.instruction.operands[0])
    left, right = _operands(m, one)
    total = left @ right.transpose(0, 2, 1)
    for number, name in enumerate(names):
        row = _ROW + 8 * (number // 2 % 2)
        column = number // 4 * 8 + _PLACE * 2 + number % 2
        sums = m.sums[name][one.groups].view(np.float32)
        part = total[:, row, column] + np.where(one.adds[:, None], sums, 0)
        m.sums[name][one.groups] = part.astype(np.float32).view(np.uint32)


def fence(m: Machine, i: Instruction) -> None:
    """What the active threads have written to shared memory may be read by products."""
    if "proxy" not in i.modifiers:
        return  # Order is stronger here than it asks for.
    own = np.zeros(int(m.number.max()) + 2, bool)
    own[m.number[m.active] + 1] = True
    written = own[m.shared_shadow.writer]
    m.unfenced &= ~np.repeat(written, m.shared_shadow.unit)[: len(m.unfenced)]
