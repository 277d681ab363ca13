"""What launches take by each backend, as measured on this machine: kept on disk.

So a program is divided as it was the last time, until a backend, the processor or the
compiler is another one.
"""

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from xdsl.dialects.builtin import ModuleOp

from dycl.driver.compilation import Compilation
from dycl.driver.ir_dump import printed
from dycl.driver.placement.candidates import our_runs, their_runs
from dycl.driver.placement.timing import Run, fastest
from dycl.driver.program_cache import versions
from dycl.ir.functions import OURS
from dycl.runtime.machine import processor
from dycl.support.store import Store, default_store

BOUND = 1 << 24

Times = dict[str, dict[str, float]]
"""Kernel -> backend -> microseconds of a launch."""


def measured(
    module: ModuleOp, ours: Any, others: Mapping[str, Any], run: Compilation
) -> tuple[Times, bool]:
    """The times of all kernels that can be run alone; whether they were in the cache.

    `ours`: our own backend; `others`: those that are compared with it, by name.
    """
    store = default_store("placements", BOUND) if run.options.cache else None
    key = _key(module, others, run)
    if store is not None and (known := store.find(key, _times)) is not None:
        return known, True
    times = _measure(module, ours, others, run)
    if store is not None:
        _keep(store, key, times)
    return times, False


def _keep(store: Store, key: str, times: Times) -> None:
    store.put(key, json.dumps(times).encode())
    store.trim()


def _measure(
    module: ModuleOp, ours: Any, others: Mapping[str, Any], run: Compilation
) -> Times:
    found: dict[str, dict[str, list[Run]]] = {
        name: {OURS: [launch]} for name, launch in our_runs(module, ours, run).items()
    }
    for other in others:
        for name, parts in their_runs(module, other, ours, run):
            if name in found:
                found[name][other] = parts
    result: Times = {}
    for count, (name, runs) in enumerate(found.items(), start=1):
        if len(runs) > 1:
            seconds = fastest(runs, one_thread=run.options.threads == 1)
            result[name] = {b: round(s * 1e6, 3) for b, s in seconds.items()}
        run.listener.step_done(count, len(found), name, 0.0)
    return result


def _key(module: ModuleOp, others: Mapping[str, Any], run: Compilation) -> str:
    """The digest of all that decides what a launch takes."""
    keys = [f"{name} {getattr(others[name], 'key', '')}" for name in others]
    options = run.options
    parts = (
        *(versions(), processor(), str(options.threads)),
        *(options.weight_dtype, options.matmul_dtype),
        *(*options.without, *keys, printed(module, locations=False)),
    )
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def _times(data: bytes) -> Times:
    times: Times = json.loads(data)
    for by_backend in times.values():
        if not all(isinstance(time, float) for time in by_backend.values()):
            raise TypeError
    return times
