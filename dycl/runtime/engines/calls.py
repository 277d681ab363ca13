"""The kernels of engines, as native code calls them: by their sessions.

To tell an engine where its arguments are takes longer than a small kernel. So there are
several calls of a session, each for the addresses that it was told last: a kernel may
be launched at many places, and results of a loop lie in two places by turns.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from typing import Any

from dycl.runtime.engines.kernels import EngineKernel
from dycl.runtime.engines.sessions import Call, session_of
from dycl.runtime.values import ARGUMENTS, SITE, Values, words_at

_MOST_CALLS = 32
"""Of one session, for one handle."""


def engine_calls(
    values: Values,
    sessions: Mapping[int, EngineKernel],
    on_gpu: Callable[[int], None] | None = None,
) -> Generator[int, int]:
    """Each answer runs the kernel that a handle asks for, one of `sessions`, or what
    `on_gpu` knows."""
    words = values.words
    known: dict[int, KnownCalls] = {}

    def run() -> None:
        number = words[SITE]
        if number < 0:
            assert on_gpu is not None
            on_gpu(number)
            return
        kernel = sessions[number]
        try:
            if number not in known:
                count = len(kernel.inputs) + len(kernel.code.outputs)
                known[number] = KnownCalls(session_of(number).call, count)
            known[number].at(words[ARGUMENTS])()
        except Exception as error:
            raise kernel.library.failed(kernel.code, error) from error

    return values.answers(run)


class KnownCalls:
    """The calls of a kernel for one handle, by the addresses of their arguments."""

    def __init__(self, make: Callable[[], Call], count: int):
        """`make` makes one; `count`: of the arguments."""
        self._make, self._count = make, count
        self._calls: dict[tuple[int, ...], Call] = {}
        """The one that was told its addresses last comes last."""
        self._arguments: Any = None
        self._address = 0

    def at(self, address: int) -> Call:
        """The call on the arguments of which the addresses are there."""
        if address != self._address:
            self._arguments = words_at(address, self._count)
            self._address = address
        addresses = tuple(self._arguments)
        call = self._calls.get(addresses)
        return self._told(addresses) if call is None else call

    def _told(self, addresses: tuple[int, ...]) -> Call:
        if len(self._calls) < _MOST_CALLS:
            call, before = self._make(), (None,) * self._count
        else:
            before = next(iter(self._calls))
            call = self._calls.pop(before)
        for index, (new, old) in enumerate(zip(addresses, before)):
            if new != old:
                call.store(index, new)
        self._calls[addresses] = call
        return call
