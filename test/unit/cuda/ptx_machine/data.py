"""Loads, stores, moves, and copies in the background."""

from typing import Any

import numpy as np

from ptx_machine.machine import UNSIGNED, Machine, numpy_type
from ptx_machine.memory import PtxError, each, words
from ptx_machine.text import SIZES, Instruction, split


def vector(operand: str) -> list[str]:
    """`{%a, %b}` or `%a`: the registers."""
    return split(operand[1:-1]) if operand.startswith("{") else [operand]


def _space(i: Instruction) -> str:
    names = [m.partition("::")[0] for m in i.modifiers]
    for space in ("param", "global", "shared", "local"):
        if space in names:
            return space
    raise PtxError(f"memory of no known space: {i.text}")


def _load(m: Machine, i: Instruction) -> None:
    kind = i.types[-1]
    size, names = SIZES[kind], vector(i.operands[0])
    if _space(i) == "param":
        start, _ = m.kernel.parameters[i.operands[1].strip("[] ")]
        m.write(names[0], m.given[start : start + size].view(numpy_type(kind)))
        return
    if _space(i) == "local":
        values = _local(m, i, i.operands[1], size * len(names), False)
        for number, name in enumerate(names):
            part = values[:, number * size : (number + 1) * size]
            m.write(name, np.ascontiguousarray(part).view(numpy_type(kind))[:, 0])
        return
    address = m.address(i.operands[1])
    data, at = m.bytes_at(_space(i), address, size * len(names), False, i.text)
    seen, index = words(data, at, size)
    for number, name in enumerate(names):
        m.write(name, seen[index + number].view(numpy_type(kind)))


def _local(
    m: Machine,
    i: Instruction,
    operand: str,
    size: int,
    writes: bool,
    values: Any = None,
) -> Any:
    """Bytes of each thread's own memory, read or written. PtxError."""
    address = m.address(operand) & 0xFFFFFFFF
    if (address % size).any():
        raise PtxError(f"an address is no multiple of {size}: {i.text}")
    if (address + size > m.kernel.local_size).any():
        raise PtxError(f"out of bounds in local memory: {i.text}")
    places = m.active[:, None], address[:, None] + np.arange(size)
    if writes:
        m.local[places], m.local_is_written[places] = values, True
    elif not m.local_is_written[places].all():
        raise PtxError(f"local memory is read that nobody has written: {i.text}")
    return m.local[places]


def _store(m: Machine, i: Instruction) -> None:
    kind = i.types[-1]
    size, names = SIZES[kind], vector(i.operands[1])
    if _space(i) == "local":
        parts = [m.read(n, f"b{8 * size}")[:, None].view(np.uint8) for n in names]
        _local(m, i, i.operands[0], size * len(names), True, np.hstack(parts))
        return
    address = m.address(i.operands[0])
    data, at = m.bytes_at(_space(i), address, size * len(names), True, i.text)
    seen, index = words(data, at, size)
    for number, name in enumerate(names):
        values = m.read(name, f"b{8 * size}")
        seen[index + number] = values
        if (seen[index + number] != values).any():
            raise PtxError(f"race: threads write different values at once: {i.text}")


def _move(m: Machine, i: Instruction) -> None:
    kind = i.types[-1]
    target, source = i.operands
    if kind == "pred":
        if source.isdigit() or source.lstrip("-").isdigit():
            m.write(target, np.full(len(m.active), source != "0"))
        else:
            m.write(target, m.read(source, kind))
        return
    if target.startswith("{"):
        parts = vector(target)
        size = SIZES[kind] // len(parts)
        halves = m.read(source, f"b{8 * SIZES[kind]}").view(UNSIGNED[size])
        for number, name in enumerate(parts):
            m.write(name, halves[number :: len(parts)])
    elif source.startswith("{"):
        parts = vector(source)
        size = SIZES[kind] // len(parts)
        values = [m.read(name, f"b{8 * size}") for name in parts]
        m.write(target, np.stack(values, 1).view(UNSIGNED[SIZES[kind]])[:, 0])
    else:
        # Triton copies sums to sums behind a fence, which the assembler takes care of.
        is_settled = m.is_settled(source)
        m.write(target, m.read(source, kind))
        if is_settled:
            m.settle(source, target)


def _call(m: Machine, i: Instruction) -> None:
    """Call a function of the device's runtime, which a test has set."""
    name, given = i.operands
    function = m.memory.functions.get(name)
    if function is None:
        raise PtxError(f"unknown function: {i.text}")
    names = split(given[1:-1])
    arguments = [m.read(one, m.kernel.registers[one]) for one in names]
    for values in zip(*arguments, strict=True):
        function(*map(int, values))


def _convert_address(m: Machine, i: Instruction) -> None:
    m.write(i.operands[0], m.read(i.operands[1], "u64"))


def _copy(m: Machine, i: Instruction) -> None:
    """`cp.async`: what is copied arrives when it is waited for."""
    if "commit_group" in i.modifiers:
        m.groups[m.active] += 1
    elif "wait_group" in i.modifiers or "wait_all" in i.modifiers:
        _arrive(m, int(i.operands[0]) if i.operands else 0)
    else:
        size = int(i.operands[2], 0)
        taken = np.full(len(m.active), size)
        if len(i.operands) > 3:
            taken = m.read(i.operands[3], "u32").astype(np.int64)
        given = (m.address(i.operands[0]), m.address(i.operands[1]))
        groups = m.groups[m.active]
        _launched(m, given[0], size, i.text)
        m.copies.append((i, m.active.copy(), groups, *given, taken, size))


def _launched(m: Machine, to: Any, size: int, text: str) -> None:
    """Note where a copy is on its way to."""
    at = m.block[m.active] * m.shared_size + to
    inside = (to >= 0) & (to + size <= m.shared_size) & (to % size == 0)
    seen, index = words(m.in_flight, at[inside], size)
    if seen[index].any():
        raise PtxError(f"two copies are on their way to one place: {text}")
    seen[index] = each(size)


def _arrive(m: Machine, left: int) -> None:
    waits = np.zeros(m.count, bool)
    waits[m.active] = True
    rest: list[Any] = []
    for i, who, group, to, source, taken, size in m.copies:
        done = waits[who] & (group < m.groups[who] - left)
        if done.any():
            _copied(m, i, who[done], to[done], source[done], taken[done], size)
        if not done.all():
            kept = (x[~done] for x in (who, group, to, source, taken))
            rest.append((i, *kept, size))
    m.copies = rest


def _copied(
    m: Machine, i: Instruction, who: Any, to: Any, source: Any, taken: Any, size: int
) -> None:
    offsets = m.block[who] * m.shared_size + to
    inside = (to >= 0) & (to + size <= m.shared_size) & (to % size == 0)
    seen, index = words(m.in_flight, offsets[inside], size)
    seen[index] = 0
    data, at = m.bytes_at("shared", to, size, True, i.text, who)
    values = np.zeros((len(who), size), np.uint8)
    some = taken > 0
    if some.any():
        images, places = m.bytes_at(
            "global", source[some], size, False, i.text, who[some]
        )
        values[some] = images[places[:, None] + np.arange(size)]
    values[np.arange(size) >= taken[:, None]] = 0
    data[at[:, None] + np.arange(size)] = values


DATA = {
    "call": _call,
    "ld": _load,
    "st": _store,
    "mov": _move,
    "cvta": _convert_address,
    "cp": _copy,
}
