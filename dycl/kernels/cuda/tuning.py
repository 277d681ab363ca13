"""Plans of products by their times on a GPU: `dycl tune`.

Each product is compiled with the plans that are fastest on paper, and each of them runs
on the device, with the epilogue it has in the network; the fastest one is kept. What
it multiplies is 0, so times say nothing of work that depends on numbers.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from dycl.diag import CompileError
from dycl.kernels.cuda.backend import codes_of
from dycl.kernels.cuda.building import tiles_of
from dycl.kernels.cuda.tile.program import Program
from dycl.kernels.cuda.tile.sizes import usual
from dycl.runtime.cuda.driver import CudaError, Device
from dycl.runtime.cuda.kernels import ARCHITECTURES
from dycl.runtime.cuda.timing import Clock, microseconds
from dycl.schedules.cuda_products import DotPlan, Sizes, best_plans
from dycl.schedules.cuda_tuning import Ranked, Timing, Timings, timings_of

Listener = Callable[[int, int, str], None]
"""Is told how many products of how many are timed, and the last one in words."""


@dataclass(frozen=True)
class Effort:
    """How much is tried and timed."""

    plans: int = 8
    """Of each product, those that are fastest on paper."""
    launches: int = 20
    """In a graph, whose time is divided by them."""
    rounds: int = 7
    """Graphs of which the fastest one counts."""


USUAL = Effort()


def tune(
    module_text: str,
    device: Device,
    effort: Effort = USUAL,
    clock: Clock = time.perf_counter,
    listener: Listener | None = None,
    limit: float = 1800.0,
) -> Timings:
    """Time the plans of all products of a module of kernels.

    Raises CompileError (DY292, DY502) and CudaError (DY505).
    """
    found: dict[Sizes, dict[DotPlan, float]] = {}
    for place in range(effort.plans):
        tiles = tiles_of(module_text, limit, Ranked(place))
        sites = _sites(tiles.programs)
        for number, (sizes, program) in enumerate(sites.items(), start=1):
            plan = Ranked(place)(sizes)
            times = found.setdefault(sizes, {})
            if plan not in times:
                times[plan] = _time(program, sizes, device, effort, clock)
            if listener is not None:
                done = place * len(sites) + number
                total = effort.plans * len(sites)
                listener(done, total, f"{plan}: {times[plan]:.1f} us")
    return Timings(
        device.name,
        device.capability,
        tuple(_fastest(sizes, times) for sizes, times in found.items()),
    )


def _sites(programs: Sequence[Program]) -> dict[Sizes, Program]:
    """Each product, and the first kernel that computes it."""
    found: dict[Sizes, Program] = {}
    for program in programs:
        for function in program.functions:
            if function.product is not None and program.is_static:
                found.setdefault(function.product, program)
    return found


def _time(
    program: Program, sizes: Sizes, device: Device, effort: Effort, clock: Clock
) -> float:
    first = next(f for f in program.functions if f.product == sizes)
    at = program.functions.index(first)
    own = [f for f in program.functions[at : at + 2] if f.product == sizes]
    newest = ARCHITECTURES[-1]
    architecture = newest if device.capability == newest else ARCHITECTURES[0]
    (code,) = codes_of([replace(program, functions=tuple(own))], architecture)
    buffers = (*program.arguments, *program.results, *program.temporaries)
    return microseconds(
        device,
        code,
        [8 if buffer.is_scalar else usual(buffer.bytes) for buffer in buffers],
        clock,
        effort.launches,
        effort.rounds,
    )


def _fastest(sizes: Sizes, times: dict[DotPlan, float]) -> Timing:
    """Of equal ones, the first on paper."""
    plan = min(times, key=lambda one: times[one])
    (usual,) = best_plans(sizes, 1)
    return Timing(sizes, plan, times[plan], times[usual])


def read_timings(path: str) -> Timings:
    """The plans of a file that `dycl tune` has written, for the GPU of this machine, if
    it has one. CompileError (DY508): there is no such file, or it is for another GPU.
    """
    from dycl.runtime.cuda.driver import device

    try:
        with open(path, encoding="utf-8") as file:
            timings = timings_of(file.read())
    except OSError as error:
        raise _unfit(path, str(error.strerror or error).lower()) from error
    except ValueError as error:
        raise _unfit(path, str(error)) from error
    try:
        here = device()
    except CudaError:
        return timings
    if (here.name, here.capability) != (timings.device, timings.capability):
        why = f"it is of '{timings.device}', and this machine has '{here.name}'"
        raise _unfit(path, why)
    return timings


def _unfit(path: str, why: str) -> CompileError:
    return CompileError(
        "DY508",
        f"the tuning file '{path}' cannot be used: {why}",
        hint=f"`dycl tune NET -o {path}` writes it anew, on the GPU that it is for",
    )
