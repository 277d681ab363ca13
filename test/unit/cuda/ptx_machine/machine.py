"""Threads: which run, what they wait for, and what their registers hold."""

import re
import struct
from typing import Any

import numpy as np

from ptx_machine.memory import GLOBAL, Memory, PtxError, Shadow, each, words
from ptx_machine.text import SIZES, Instruction, Kernel

UNSIGNED = {1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64}
_AT_ONCE = 4096
"""Threads that run side by side, in whole blocks."""
_ADDRESS = re.compile(r"\[\s*([^+\]\s]+)\s*(?:\+\s*(-?\w+)\s*)?\]")
UNSET = 0xDEADBEEFDEADBEEF
"""What a register holds that nobody has set."""
SETTLED, TOUCHED, LENT, SUMMED = range(4)
"""What a product of four warps finds in a register: nobody has used it since a fence;
somebody has; one under way reads it; one under way sums to it."""


def launch(
    kernel: Kernel, blocks: int, threads: int, arguments: list[Any], memory: Memory,
    shared: int = 0, most: int | None = None,
) -> int:  # fmt: skip
    """Run a kernel, in `most` steps; how many it took. PtxError."""
    if kernel.threads not in (0, threads):
        raise PtxError(f"a block has {kernel.threads} threads, not {threads}")
    if len(arguments) != len(kernel.parameters):
        raise PtxError(f"{len(kernel.parameters)} parameters, {len(arguments)} given")
    size = max((s + n for s, n in kernel.parameters.values()), default=0)
    given = np.zeros(size, np.uint8)
    for (start, n), value in zip(kernel.parameters.values(), arguments, strict=True):
        data = struct.pack("<Q", value) if isinstance(value, int) else value.tobytes()
        given[start : start + n] = np.frombuffer(data[:n], np.uint8)
    for data in kernel.tables.values():
        memory.table(data)  # It is allocated now, not by the first thread that reads.
    shadow = Shadow(memory.top, "global", kernel.unit, memory.is_written)
    steps = 0
    many = max(1, _AT_ONCE // threads)
    with np.errstate(all="ignore"):
        for first in range(0, blocks, many):
            numbers = np.arange(first, min(first + many, blocks))
            machine = Machine(kernel, numbers, threads, given, memory, shadow, shared)
            steps = max(steps, machine.run(blocks, most))
    return steps


class Machine:
    """Some blocks of a launch."""

    def __init__(
        self, kernel: Kernel, blocks: Any, threads: int, given: Any, memory: Memory,
        shadow: Shadow, shared: int,
    ):  # fmt: skip
        self.kernel, self.memory, self.given = kernel, memory, given
        self.global_shadow = shadow
        self.threads = threads
        count = len(blocks) * threads
        self.count = count
        inside = np.tile(np.arange(threads), len(blocks))
        self.block = np.repeat(np.arange(len(blocks)), threads)
        self.number = np.repeat(blocks, threads) * threads + inside
        self.lane = inside % 32
        self.warp_start = np.arange(count) - self.lane
        self.special = {"%tid.x": inside, "%ctaid.x": np.repeat(blocks, threads)}
        self.special |= {"%laneid": self.lane, "%warpid": inside // 32}
        self.special["%ntid.x"] = np.full(count, threads)
        self.registers = {
            name: np.zeros(count, bool)
            if kind == "pred"
            else np.full(count, UNSET & (256 ** SIZES[kind] - 1), UNSIGNED[SIZES[kind]])
            for name, kind in kernel.registers.items()
        }
        self.shared_size = -(-(kernel.static_shared + shared) // 16) * 16
        self.shared = np.zeros(len(blocks) * self.shared_size, np.uint8)
        self.shared_shadow = Shadow(len(self.shared), "shared", kernel.unit)
        self.barriers = np.zeros(count, np.int64)
        """How many of its block each thread has passed."""
        self.syncs = np.zeros(count, np.int64)
        """How many of its warp."""
        self.carries = np.zeros(count, bool)
        """The flag of each thread that sums with a carry set."""
        self.local = np.zeros((count, kernel.local_size), np.uint8)
        self.local_is_written = np.zeros(self.local.shape, bool)
        self.copies: list[Any] = []
        self.in_flight = np.zeros(len(self.shared), bool)
        """Bytes of shared memory that a copy in the background will write."""
        self.groups = np.zeros(count, np.int64)
        self.products: list[Any] = []
        """Those in the background, in order."""
        self.committed = np.zeros(count, np.int64)
        """How many groups of them each thread has said to belong together."""
        self.sums: dict[str, Any] = {}
        """What registers will hold that are `SUMMED`."""
        self.fragments = {n: np.full(count, TOUCHED) for n in kernel.fragments}
        self.unfenced = np.zeros(len(self.shared), bool)
        """Bytes of shared memory that products may not read yet."""
        self.active: Any = np.arange(count)

    def run(self, grid: int, most: int | None = None) -> int:
        """Until all threads have ended; how many steps that took. PtxError."""
        from ptx_machine.instructions import find

        self.special["%nctaid.x"] = np.full(self.count, grid)
        code = self.kernel.instructions
        run = [find(instruction) for instruction in code]
        leaders = {*self.kernel.labels.values()}
        end = len(code)
        at = np.zeros(self.count, np.int64)
        waits = np.zeros(self.count, bool)
        early = np.zeros(self.count, bool)
        steps = 0
        while True:
            ready = (at < end) & ~waits
            if not ready.any():
                if not waits.any():
                    self._ended()
                    return steps
                self._release(at, waits, end)
                continue
            go_on = ready & ~early
            is_last_try = not go_on.any()
            here = int(at[ready if is_last_try else go_on].min())
            everyone = np.nonzero(ready & (at == here))[0]
            early[everyone] = False
            while True:
                instruction = code[here]
                if len(everyone) < self.count and _is_of_warps(instruction):
                    everyone = np.nonzero(ready & (at == here))[0]
                    early[everyone] = ~is_last_try & self._misses_lanes(everyone)
                    everyone = everyone[~early[everyone]]
                    if not len(everyone):
                        break
                steps += 1
                if most is not None and steps > most:
                    raise PtxError(f"no end after {most} steps")
                self.active = self._guarded(instruction, everyone)
                here += 1
                at[everyone] = here
                if instruction.op == "bra":
                    at[self.active] = instruction.target
                    break
                if instruction.op in ("ret", "exit"):
                    at[self.active] = end
                    break
                if instruction.op == "bar" and "warp" not in instruction.modifiers:
                    waits[self.active] = True
                    break
                if len(self.active):
                    if "sync" in instruction.modifiers:
                        self.syncs[self.active] += 1
                    run[here - 1](self, instruction)
                if here in leaders:
                    break

    def _ended(self) -> None:
        if self.copies:
            raise PtxError(f"nobody waits for a copy: {self.copies[0][0].text}")
        if self.products:
            text = self.products[0].instruction.text
            raise PtxError(f"nobody waits for a product: {text}")

    def _misses_lanes(self, threads: Any) -> Any:
        """Of each thread, whether lanes of its warp are not among them: it waits, for
        they may come another way."""
        counts = np.bincount(self.warp_start[threads], minlength=self.count)
        return counts[self.warp_start[threads]] < 32

    def _guarded(self, instruction: Instruction, everyone: Any) -> Any:
        if not instruction.guard:
            return everyone
        holds = self.registers[instruction.guard][everyone]
        return everyone[holds != instruction.is_negated]

    def _release(self, at: Any, waits: Any, end: int) -> None:
        """Let the blocks go on all of whose threads wait at one barrier."""
        for block in np.unique(self.block[waits]):
            own = self.block == block
            places = np.unique(at[own])
            if len(places) > 1 or not waits[own].all():
                raise PtxError(f"not all threads of block {block} reach a barrier")
            waits[own] = False
            self.barriers[own] += 1

    # ---------------------------------------------------------------- operands

    def read(self, operand: str, kind: str) -> Any:
        """The values of an operand for the threads that are active, by its type."""
        if kind == "pred":
            negated = operand.startswith("!")
            values = self.registers[operand.lstrip("!")][self.active]
            return ~values if negated else values
        unsigned = UNSIGNED[SIZES[kind]]
        if operand in self.registers:
            self._use(operand)
            values = self.registers[operand][self.active]
        elif operand in self.special:
            values = self.special[operand][self.active]
        elif operand in self.kernel.shared:
            values = np.full(len(self.active), self.kernel.shared[operand], np.uint64)
        elif operand in self.kernel.local:
            values = np.full(len(self.active), self.kernel.local[operand], np.uint64)
        elif operand in self.kernel.tables:
            where = self.memory.table(self.kernel.tables[operand])
            values = np.full(len(self.active), where, np.uint64)
        else:
            values = np.full(len(self.active), _number(operand, SIZES[kind]), np.uint64)
        values = np.ascontiguousarray(values.astype(unsigned, copy=False))
        return values.view(numpy_type(kind))

    def write(self, operand: str, values: Any) -> None:
        """Set a register of the active threads."""
        if operand == "_":
            return
        self._use(operand)
        register = self.registers[operand]
        values = np.asarray(values)
        if register.dtype == bool:
            register[self.active] = values
            return
        if values.dtype.kind == "f":
            values = np.ascontiguousarray(values).view(UNSIGNED[values.itemsize])
        elif values.dtype.kind == "i":
            values = values.astype(np.int64)
        register[self.active] = values.astype(register.dtype)

    def _use(self, register: str) -> None:
        """The active threads read a register, or set it. PtxError: it is not theirs."""
        states = self.fragments.get(register)
        if states is None:
            return
        if (states[self.active] > TOUCHED).any():
            raise PtxError(f"a product that is under way uses {register}")
        states[self.active] = TOUCHED

    def is_settled(self, register: str) -> bool:
        """Whether a product may use what the active threads have in a register."""
        states = self.fragments.get(register)
        return states is not None and bool((states[self.active] == SETTLED).all())

    def settle(self, *registers: str) -> None:
        """Let a product use what the active threads have in registers."""
        for register in self.fragments.keys() & registers:
            self.fragments[register][self.active] = SETTLED

    # ---------------------------------------------------------------- memory

    def address(self, operand: str) -> Any:
        """The address in brackets, for each active thread."""
        match = _ADDRESS.match(operand)
        assert match is not None, operand
        base = self.read(match[1], "b64").astype(np.int64)
        return base + (int(match[2], 0) if match[2] else 0)

    def bytes_at(
        self,
        space: str,
        address: Any,
        size: int,
        writes: bool,
        text: str,
        who: Any = None,
    ) -> tuple[Any, Any]:
        """The memory, and where in it the addresses are. PtxError."""
        who = self.active if who is None else who
        if (address % size).any():
            raise PtxError(f"an address is no multiple of {size}: {text}")
        if space == "global":
            offsets = address - GLOBAL
            valid = self.memory.is_valid
            inside = (offsets >= 0) & (offsets + size <= len(valid))
            inside[inside] &= valid[offsets[inside]]
            inside[inside] &= valid[offsets[inside] + size - 1]
            data, shadow = self.memory.bytes, self.global_shadow
        else:
            inside = (address >= 0) & (address + size <= self.shared_size)
            offsets = self.block[who] * self.shared_size + address
            data, shadow = self.shared, self.shared_shadow
            if self.copies:
                seen, index = words(self.in_flight, offsets[inside], size)
                if seen[index].any():
                    raise PtxError(f"a copy is on its way to what is used: {text}")
        if not inside.all():
            thread = self.number[who[~inside][0]]
            raise PtxError(f"out of bounds in {space} memory, thread {thread}: {text}")
        epochs = (self.barriers[who] << 32) | self.syncs[who]
        numbers = self.number[who]
        shadow.touch(offsets, size, numbers, epochs, self._ordered, writes, text)
        if writes and space == "shared":
            seen, index = words(self.unfenced, offsets, size)
            seen[index] = each(size)
        return data, offsets

    def _ordered(self, one: Any, at: Any, other: Any, then: Any) -> Any:
        """Whether a barrier stands between two accesses of two threads."""
        same_block = one // self.threads == other // self.threads
        same_warp = same_block & (
            one % self.threads // 32 == other % self.threads // 32
        )
        return same_block & ((at >> 32 != then >> 32) | (same_warp & (at != then)))


def _is_of_warps(instruction: Instruction) -> bool:
    """Whether all lanes of a warp do it at once."""
    return "sync" in instruction.modifiers and instruction.op != "bar"


def numpy_type(kind: str) -> Any:
    """The type of NumPy that an operand of this type is computed in."""
    if kind in ("f16", "f32", "f64"):
        return np.dtype(f"f{SIZES[kind]}")
    if kind[0] == "s" and kind != "s16x2":
        return np.dtype(f"i{SIZES[kind]}")
    return UNSIGNED[SIZES[kind]]


def _number(text: str, size: int) -> int:
    if text[:2] in ("0f", "0F", "0d", "0D"):
        return int(text[2:], 16)
    if text in ("true", "false"):
        return int(text == "true")
    return int(text.rstrip("U"), 0) & (256**size - 1)
