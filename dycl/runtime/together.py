"""Calls whose kernels run together: `together.c`.

A network that is compiled with `batch_trees` puts launches off, so that those of
several nodes run as one. Calls with several trees do so beside each other, and the
launches of all of them run together.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from typing import Any

from dycl.runtime.kernels import Argument
from dycl.runtime.library import address_if_any
from dycl.runtime.native import NativeHost, NativeInstance

_OK, _RAISED = 0, 1
_ADDRESS = ctypes.c_void_p

MOST_CALLS = 16
"""Run beside each other: more gain nothing, as kernels take six rows at a time."""
MOST_MEMORY = 64 << 20
"""Bytes that the buffers of all of them may have."""


def most_together(host: NativeHost | None) -> int:
    """How many calls of a host may run beside each other; below 2: it puts nothing off,
    or what it does between its kernels can be seen from outside."""
    if host is None or host.gpu is not None or not host.tables.get("puts_off"):
        return 0
    prints = any("expression" not in entry for entry in host.tables["effects"])
    if prints or address_if_any(host.library, "dycl_run_together") is None:
        return 0
    return min(MOST_CALLS, MOST_MEMORY // (host.tables["arena"] + 1))


class Together:
    """Runs calls on handles of its own, for one thread."""

    def __init__(self, host: NativeHost, new: Callable[[], NativeInstance]):
        self._new = new
        self._instances: list[NativeInstance] = []
        kinds = _ADDRESS, ctypes.c_int64, ctypes.POINTER(ctypes.c_int64)
        self._run = host.library.function("dycl_run_together", ctypes.c_int, *kinds)
        self._busy = False

    def run(
        self, calls: Sequence[Sequence[Argument]]
    ) -> list[tuple[Any, bytes]] | None:
        """What each call returns, and what it has decided.

        None: one raises, or this runs already; the calls are then to be made one by
        one. MemoryError; and what stops a run is raised, as KeyboardInterrupt.
        """
        if self._busy:
            return None
        self._busy = True
        try:
            return self._on_instances(calls)
        finally:
            self._busy = False

    def _on_instances(
        self, calls: Sequence[Sequence[Argument]]
    ) -> list[tuple[Any, bytes]] | None:
        while len(self._instances) < len(calls):
            self._instances.append(self._new())
        instances = self._instances[: len(calls)]
        for instance, arguments in zip(instances, calls):
            instance.start()
            instance.give(arguments)
        handles = (_ADDRESS * len(calls))(*(one.handle.value for one in instances))
        failed = ctypes.c_int64()
        how = self._run(handles, len(calls), ctypes.byref(failed))
        if how == _RAISED:
            return None
        if how != _OK:
            instances[failed.value].failed(-how)
        return [(one.result(), one.path_bytes()) for one in instances]
