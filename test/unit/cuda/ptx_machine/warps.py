"""What the lanes of a warp do together: shuffles, votes, and products of matrices."""

import re
from collections.abc import Iterator
from typing import Any

import numpy as np

from ptx_machine.data import vector
from ptx_machine.machine import Machine
from ptx_machine.memory import PtxError
from ptx_machine.numbers import from_bf16
from ptx_machine.text import Instruction

_LANES = np.arange(32)
_GROUP, _PLACE = _LANES // 4, _LANES % 4


def _shuffle(m: Machine, i: Instruction) -> None:
    mode = next(x for x in i.modifiers if x in ("bfly", "idx", "up", "down"))
    names = i.operands[0].split("|")
    values = m.read(i.operands[1], "b32")
    by, limits, mask = (m.read(o, "u32").astype(np.int64) for o in i.operands[2:5])
    here = np.zeros(m.count + 32, bool)
    here[m.active] = True
    starts = m.warp_start[m.active]
    for lane in range(32):
        asked = (mask >> lane & 1 == 1) & (starts + lane < m.count)
        if not here[(starts + lane)[asked]].all():
            raise PtxError(f"lane {lane} does not come to the shuffle: {i.text}")
    lane = m.lane[m.active]
    segment, bound = limits >> 8 & 31, limits & 31
    most = (lane & segment) | (bound & ~segment)
    least = lane & segment
    by = by & 31
    source, valid = {
        "up": (lane - by, lane - by >= most),
        "down": (lane + by, lane + by <= most),
        "bfly": (lane ^ by, (lane ^ by) <= most),
        "idx": (least | (by & ~segment), (least | (by & ~segment)) <= most),
    }[mode]
    source = np.where(valid, source, lane)
    if not here[starts + source].all():
        raise PtxError(f"a shuffle from a lane that is not there: {i.text}")
    whole = np.zeros(m.count, np.uint32)
    whole[m.active] = values
    m.write(names[0], whole[starts + source])
    if len(names) > 1:
        m.write(names[1], valid)


def _warps(m: Machine, i: Instruction) -> Any:
    if len(m.active) % 32 or (m.lane[m.active].reshape(-1, 32) != _LANES).any():
        raise PtxError(f"not by whole warps: {i.text}")
    return m.active.reshape(-1, 32)


def _rows_of_tiles(
    m: Machine, i: Instruction, place: str, registers: str, is_store: bool
) -> Iterator[tuple[str, Any, Any]]:
    """Of each register, its name, and where rows of 8x8 halves are: memory, indices."""
    warps = _warps(m, i)
    address = m.address(place).reshape(-1, 32)
    for number, name in enumerate(vector(registers)):
        rows = slice(8 * number, 8 * number + 8)
        given, who = address[:, rows].ravel(), warps[:, rows].ravel()
        data, at = m.bytes_at("shared", given, 16, is_store, i.text, who)
        yield name, data, at[:, None] + np.arange(16)


def _load_matrices(m: Machine, i: Instruction) -> None:
    registers, place = i.operands[:2]
    for name, data, at in _rows_of_tiles(m, i, place, registers, False):
        tiles = data[at].view(np.uint16).reshape(-1, 8, 8)
        if "trans" in i.modifiers:
            tiles = tiles.transpose(0, 2, 1)
        m.write(name, np.ascontiguousarray(tiles).view(np.uint32).ravel())


def _store_matrices(m: Machine, i: Instruction) -> None:
    place, registers = i.operands[:2]
    for name, data, at in _rows_of_tiles(m, i, place, registers, True):
        tiles = m.read(name, "b32").view(np.uint16).reshape(-1, 8, 8)
        if "trans" in i.modifiers:
            tiles = tiles.transpose(0, 2, 1)
        data[at] = np.ascontiguousarray(tiles).view(np.uint8).reshape(-1, 16)


def numbers_of(bits: Any, kind: str) -> Any:
    """The numbers in registers of 32 bits, those in one beside each other."""
    if kind == "tf32":
        return (bits & np.uint32(0xFFFFE000)).view(np.float32)[..., None]
    halves = np.stack([bits & np.uint32(0xFFFF), bits >> np.uint32(16)], -1)
    halves = halves.astype(np.uint16)
    return from_bf16(halves) if kind == "bf16" else halves.view(np.float16)


def _multiply_matrices(m: Machine, i: Instruction) -> None:
    """`mma.sync` of 16 by 8: fragments to matrices, the product in f64, and back."""
    shape = next(x for x in i.modifiers if re.fullmatch(r"m\d+n\d+k\d+", x))
    rows, columns, depth = map(int, re.findall(r"\d+", shape))
    to, kind = i.types[0], i.types[1]
    if (rows, columns, to) != (16, 8, "f32") or kind not in ("tf32", "f16", "bf16"):
        raise PtxError(f"unknown instruction: {i.text}")
    count = len(_warps(m, i))
    each = 1 if kind == "tf32" else 2

    def fragment(names: list[str]) -> list[Any]:
        return [numbers_of(m.read(n, "b32").reshape(count, 32), kind) for n in names]

    left = np.zeros((count, rows, depth))
    for number, values in enumerate(fragment(vector(i.operands[1]))):
        for part in range(each):
            column = _PLACE * each + part + 4 * each * (number // 2)
            left[:, _GROUP + 8 * (number % 2), column] = values[..., part]
    right = np.zeros((count, depth, columns))
    for number, values in enumerate(fragment(vector(i.operands[2]))):
        for part in range(each):
            row = _PLACE * each + part + 4 * each * number
            right[:, row, _GROUP] = values[..., part]
    total = left @ right
    for number, name in enumerate(vector(i.operands[3])):
        row, column = _GROUP + 8 * (number // 2), _PLACE * 2 + number % 2
        total[:, row, column] += m.read(name, "f32").reshape(count, 32)
    for number, name in enumerate(vector(i.operands[0])):
        row, column = _GROUP + 8 * (number // 2), _PLACE * 2 + number % 2
        m.write(name, total[:, row, column].astype(np.float32).ravel())


def _vote(m: Machine, i: Instruction) -> None:
    holds = m.read(i.operands[1], "pred")
    counts = np.zeros(m.count + 32, np.int64)
    np.add.at(counts, m.warp_start[m.active], holds)
    everyone = np.zeros(m.count + 32, np.int64)
    np.add.at(everyone, m.warp_start[m.active], 1)
    start = m.warp_start[m.active]
    if "ballot" in i.modifiers:
        bits = np.zeros(m.count + 32, np.uint64)
        lanes = np.uint64(1) << m.lane[m.active].astype(np.uint64)
        np.add.at(bits, start, np.where(holds, lanes, 0).astype(np.uint64))
        m.write(i.operands[0], bits[start].astype(np.uint32))
    else:
        is_all = counts[start] == everyone[start]
        m.write(i.operands[0], is_all if "all" in i.modifiers else counts[start] > 0)


def _reduce(m: Machine, i: Instruction) -> None:
    """`redux.sync`: what all active lanes of a warp have, put together."""
    values = m.read(i.operands[1], i.types[-1])
    name = next(x for x in i.modifiers if x in _REDUCTIONS)
    result = np.empty_like(values)
    starts = m.warp_start[m.active]
    for start in np.unique(starts):
        own = starts == start
        result[own] = _REDUCTIONS[name].reduce(values[own])
    m.write(i.operands[0], result)


_REDUCTIONS = {
    "add": np.add,
    "min": np.minimum,
    "max": np.maximum,
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
}


WARPS = {
    "stmatrix": _store_matrices,
    "redux": _reduce,
    "shfl": _shuffle,
    "vote": _vote,
    "ldmatrix": _load_matrices,
    "mma": _multiply_matrices,
}
