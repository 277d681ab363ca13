"""What a function takes of a GPU, on paper: blocks at once, waves, microseconds.

    resident = blocks that a processor has room for: by warps, registers, shared memory
    wave     = processors * resident blocks
    step     = what a block loads and computes at once, and then again
    time     = start + waves * steps * the longest of
               latency      a step alone, as far as loads are not under way already
               bandwidth    what all resident blocks load in a step
               compute      what all resident blocks multiply in a step
               but never less than all bytes by the bandwidth of the memory

Numbers of compute capability 9.0 are fitted to times of an H100; those of 8.0 are an
A100's data sheet, with the same share of its peak. They order plans, and are no times
that anybody has promised.
"""

from dataclasses import dataclass, replace

_LATENCY = 1.0
"""Microseconds from a load to its use, with what is computed for addresses."""
_ROUND = 0.2
"""Microseconds of a step that does nothing: a barrier, and the way around the loop."""
_TOUCH = 1.4e5
"""Bytes of operands that a processor finds, copies and converts in a microsecond."""
_SCHEDULERS = 4
"""Of a processor: a warp has one of them, and so a part of its rate."""
_UNIT = 256
"""Registers are given to warps in units of so many."""
_RESERVED = 1024
"""Bytes of shared memory that the system takes of each block."""


def power(n: int) -> int:
    """The least power of two that is not below n."""
    return 1 << max(0, n - 1).bit_length()


@dataclass(frozen=True)
class Launch:
    """How the blocks of a function run."""

    warps: int = 4
    stages: int = 3


USUAL = Launch()


@dataclass(frozen=True)
class Device:
    """A kind of GPU."""

    architecture: int
    processors: int
    bandwidth: float
    """Bytes in a microsecond, from memory."""
    near: float
    """Bytes in a microsecond that a processor gets from the second cache."""
    rates: tuple[float, float]
    """FLOPs in a microsecond of a processor: of f32 as `tf32x3`, of half floats."""
    shared: int
    """Bytes of a processor."""
    most_shared: int
    """Bytes of a block."""
    registers: int = 1 << 16
    warps: int = 64
    blocks: int = 32
    start: float = 0.92
    """Microseconds of a function in a graph that does nothing."""

    @property
    def name(self) -> str:
        """As users know it: `8.0`."""
        return f"{self.architecture // 10}.{self.architecture % 10}"


A100 = Device(80, 108, 1.55e6, 4.2e4, (3.3e5, 1.7e6), 164 << 10, 163 << 10)
H100 = Device(90, 132, 3.35e6, 5.2e4, (5.5e5, 4.5e6), 228 << 10, 227 << 10)
DEVICES = (A100, H100)
"""Those that PTX is made for: a plan is chosen for all of them."""


@dataclass(frozen=True)
class Need:
    """What a block takes of its processor."""

    warps: int
    registers: int = 40
    """Of a thread."""
    shared: int = 0
    """Bytes."""


@dataclass(frozen=True)
class Work:
    """What all blocks of a function do."""

    blocks: int
    need: Need
    bytes: float
    """That are read and written, each counted once."""
    steps: int = 1
    loads: float = 0.0
    """Bytes that a block loads in a step."""
    flops: float = 0.0
    """That a block computes in a step."""
    stages: int = 1
    """Steps whose loads are under way at once."""
    is_half: bool = False
    has_groups: bool = False
    """Whether four warps may multiply half floats together, and load meanwhile, where
    a device can do that (`wgmma`)."""


@dataclass(frozen=True)
class Estimate:
    """How long a function takes, and why."""

    microseconds: float
    resident: int
    """Blocks of a processor at once."""
    limit: str
    """What there is no room for beyond these."""
    waves: int
    bound: str

    def __str__(self) -> str:
        """In words."""
        waves = "1 wave" if self.waves == 1 else f"{self.waves} waves"
        return (
            f"{self.microseconds:.3g} us by {self.bound}, "
            f"{self.resident} at once by {self.limit}, {waves}"
        )


def occupancy(device: Device, need: Need) -> tuple[int, str]:
    """How many blocks a processor has room for, and what decides that; 0: it has not
    what one block needs."""
    if need.registers > 255 or need.shared > device.most_shared:
        return 0, "registers" if need.registers > 255 else "shared memory"
    of_warp = -(-need.registers * 32 // _UNIT) * _UNIT
    rooms = {
        "blocks": device.blocks,
        "warps": device.warps // need.warps,
        "registers": device.registers // of_warp // need.warps,
        "shared memory": device.shared // (need.shared + _RESERVED),
    }
    limit = min(rooms, key=lambda name: rooms[name])
    return rooms[limit], limit


def estimate(device: Device, work: Work) -> Estimate:
    """How long a function takes. ValueError: a block has no room."""
    resident, limit = occupancy(device, work.need)
    if not resident:
        raise ValueError(f"a block has no room: {limit}")
    together = min(resident, -(-work.blocks // device.processors))
    waves = -(-work.blocks // (device.processors * resident))
    one = work.flops / device.rates[work.is_half] + work.loads / _TOUCH
    own = one / min(1, work.need.warps / _SCHEDULERS)
    is_ahead = work.has_groups and work.is_half and device.architecture >= 90
    waits = _ROUND + _LATENCY / max(1, work.stages)
    parts = {
        "latency": max(waits, own) if is_ahead else own + waits,
        "bandwidth": together * work.loads / device.near,
        "compute": together * one,
    }
    bound = max(parts, key=lambda name: parts[name])
    steps = work.steps + (work.stages if work.steps > 1 else 0)
    time, memory = waves * steps * parts[bound], work.bytes / device.bandwidth
    if memory > time:
        time, bound = memory, "bandwidth"
    if bound == "latency" and work.steps * waves == 1:
        bound = "launch"
    return Estimate(device.start + time, resident, limit, waves, bound)


def expected(blocks: int, launch: Launch, size: int, work: Work | None) -> str:
    """What a function takes on each device, in words; `size`: bytes of all that it is
    given; `work`: what its blocks do, if that is more than to go through it once."""
    plain = Work(blocks, Need(launch.warps), size, loads=size / blocks)
    done = plain if work is None else replace(work, bytes=size)
    return "; ".join(f"{d.name}: {estimate(d, done)}" for d in DEVICES)
