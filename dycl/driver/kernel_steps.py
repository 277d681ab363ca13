"""How far the kernels of a compilation are, for its listener."""

import time
from typing import Any

from dycl.backends import machine_of
from dycl.report import Listener


class KernelSteps:
    """Passes on how far the kernels are; counts those that were in the cache."""

    def __init__(self, listener: Listener):
        self.listener = listener
        self.before = time.perf_counter()
        self.cached = 0

    def done(self, count: int, total: int, name: str, cached: bool) -> None:
        """`count` of `total` kernels are done, `name` since the last one."""
        now = time.perf_counter()
        self.listener.step_done(count, total, name, now - self.before)
        self.before = now
        self.cached += cached

    def told(self, library: Any, backend: str, target: str) -> str:
        """How many kernels a library has, for which machine, in words."""
        what = f"{len(library.specs)} kernels for {machine_of(backend, target)}"
        if self.cached:
            what += f", {self.cached} of them from the cache"
        return what
