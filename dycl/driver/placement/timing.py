"""What a launch of a compiled kernel takes: on numbers of its own, the fastest of some.

On a machine that does other work, too, a launch of 100 ms is interrupted each time. So
one thread is timed by two clocks, that of the wall and that of the processor, which
stands still meanwhile; a backend is as fast as the worse of the two says.

Floats are between 0 and 1, so that variances, roots and logarithms of them are numbers:
of NaN, kernels compute in another way. Indices are 0, so that they are in range.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol, cast

import numpy as np

from dycl.kernels import KernelSpec, ScalarSpec, TensorSpec
from dycl.runtime.buffers import adopt, allocate
from dycl.runtime.dtypes import BFLOAT16, numpy_dtype
from dycl.runtime.kernels import Argument, make_launch
from dycl.runtime.preparation import Preparations

ROUNDS = 25
FEWEST = 5
"""Rounds of launches that take long."""
_ROUND = 3e-4
"""Seconds that a round takes at least, by each of those that are compared: so few that
most are not interrupted."""
_MOST = 0.5
"""Seconds after which no further round begins, if there were a few."""

Run = Callable[[], None]


def runner(kernel: Any, spec: KernelSpec) -> Run | None:
    """What launches a kernel once, on numbers that it keeps.

    None: sizes are open, or a weight of it is a number. Raises what its preparation
    does.
    """
    tensors = [s for s in (*spec.inputs, *spec.outputs) if isinstance(s, TensorSpec)]
    if any(tensor.open_dims for tensor in tensors):
        return None
    random = np.random.default_rng(0)
    given = [argument(one, random) for one in spec.inputs]
    if kernel.prepared is not None and any(
        isinstance(spec.inputs[index], ScalarSpec) for index in kernel.prepared.weights
    ):
        return None
    inputs = Preparations().inputs(spec.name, kernel, given)
    outputs = [allocate(output.dtype, output.shape) for output in spec.outputs]
    size = getattr(kernel, "workspace", 0)
    own = [allocate("uint8", (size,))] if size else []
    launch = make_launch(kernel, [*inputs, *outputs, *own])
    return _Kept(launch, (given, inputs, outputs, own))


class Clocked(Protocol):
    """Launches that somebody else's clock times."""

    def seconds(self, count: int) -> float:
        """What so many launches take."""
        ...


class _Kept:
    """A launch, and the memory that it is about."""

    def __init__(self, launch: Run, memory: object):
        self._launch, self._memory = launch, memory

    def __call__(self) -> None:
        self._launch()


def argument(spec: TensorSpec | ScalarSpec, random: np.random.Generator) -> Argument:
    """What a kernel is given for an input while it is timed."""
    if isinstance(spec, ScalarSpec):
        return {"float": 1.0, "bool": False}.get(spec.kind, 0)
    if spec.dtype.startswith(("float", "bfloat")):
        numbers = random.random(spec.shape, np.float32) * 0.45 + 0.05
        if spec.dtype == BFLOAT16:
            return adopt((numbers.view(np.uint32) >> 16).astype(np.uint16))
        return adopt(numbers.astype(numpy_dtype(spec.dtype)))
    buffer = allocate(spec.dtype, spec.shape)
    buffer.array.fill(0)
    return buffer


def fastest(
    runs: Mapping[str, Sequence[Run]], *, one_thread: bool = False
) -> dict[str, float]:
    """Seconds that the launches of each name take, one after the other.

    The names take turns, so that what slows the machine slows all of them. Of
    `one_thread`, others than the first name take as much longer than that, by the wall
    or by the processor, as is more.
    """
    counts: dict[str, int] = {}
    for name, launches in runs.items():
        once = min(_seconds(launches, 1).wall for _ in range(2))  # The first warms up.
        counts[name] = max(1, min(1000, round(_ROUND / max(once, 1e-7))))
    never = _Seconds(float("inf"), float("inf"))
    result = dict.fromkeys(runs, never)
    start = time.perf_counter()
    for number in range(1, ROUNDS + 1):
        for name, launches in runs.items():
            took = _seconds(launches, counts[name])
            result[name] = result[name].least(took, counts[name])
        if number >= FEWEST and time.perf_counter() - start > _MOST:
            break
    first = next(iter(result.values()), never)
    return {
        name: first.wall * took.ratio(first) if one_thread else took.wall
        for name, took in result.items()
    }


class _Seconds(NamedTuple):
    """What launches take by two clocks."""

    wall: float
    processor: float
    """Of all threads of this process."""

    def least(self, other: "_Seconds", count: int) -> "_Seconds":
        """The least of this and of one of `count` launches."""
        return _Seconds(
            min(self.wall, other.wall / count),
            min(self.processor, other.processor / count),
        )

    def ratio(self, first: "_Seconds") -> float:
        """How much longer than the first this takes, by the worse clock."""
        if not first.wall or not first.processor:
            return 1.0
        return max(self.wall / first.wall, self.processor / first.processor)


def _seconds(launches: Sequence[Run], count: int) -> _Seconds:
    # A launch on a GPU has a clock of its own.
    clocked = [launch for launch in launches if hasattr(launch, "seconds")]
    seconds = sum(cast(Clocked, launch).seconds(count) for launch in clocked)
    others = [launch for launch in launches if launch not in clocked]
    start, begun = time.perf_counter(), time.process_time()
    for _ in range(count):
        for launch in others:
            launch()
    spent = time.process_time() - begun
    return _Seconds(seconds + time.perf_counter() - start, seconds + spent)
