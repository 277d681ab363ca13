"""Jobs of one call that several threads take in turn; results are in their order."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence
from queue import SimpleQueue
from typing import Any

Job = Callable[[], Any]

CHUNKS = 4
"""Parts for each thread into which rows go that are computed one by one: they may take
different times."""


def even(count: int, parts: int) -> list[tuple[int, int]]:
    """Bounds of so many parts of equal size, or one less."""
    ends = [count * place // parts for place in range(parts + 1)]
    return list(zip(ends, ends[1:]))


class _Round:
    """The jobs of one call, and what has become of them."""

    def __init__(self, jobs: Sequence[Job]):
        self._jobs = jobs
        self._lock = threading.Lock()
        self._next, self._left = 0, len(jobs)
        self.results: list[Any] = [None] * len(jobs)
        self.errors: list[BaseException | None] = [None] * len(jobs)
        self.done = threading.Lock()
        self.done.acquire()

    def work(self) -> None:
        """Do jobs that nobody has taken, until there are none, or one has failed."""
        while True:
            with self._lock:
                place = self._next
                if place >= len(self._jobs):
                    return
                self._next += 1
            try:
                self.results[place] = self._jobs[place]()
            except BaseException as error:  # it is raised where the call is made
                self.errors[place] = error
                self._skip_rest()
            with self._lock:
                self._left -= 1
                if self._left == 0:
                    self.done.release()

    def _skip_rest(self) -> None:
        with self._lock:
            self._left -= len(self._jobs) - self._next
            self._next = len(self._jobs)


class Threads:
    """Threads that help the one that calls; they begin with the first call.

    One call at a time has them: another one that meets it does its jobs alone, as does
    a forked child, which has none of its parent's threads, until it starts its own.
    """

    def __init__(self, count: int):
        """`count`: of all threads, with the one that calls."""
        self.count = count
        self._rounds: SimpleQueue[_Round | None] = SimpleQueue()
        self._busy = threading.Lock()
        self._owner = 0
        """The process whose threads they are."""

    def share(self, jobs: Sequence[Job]) -> list[Any]:
        """What the jobs give. Raises what the first of those raised that failed."""
        if len(jobs) < 2 or not self._busy.acquire(blocking=False):
            return [job() for job in jobs]
        try:
            if self._owner != os.getpid():
                self._start()
            shared = _Round(jobs)
            for _ in range(min(self.count, len(jobs)) - 1):
                self._rounds.put(shared)
            shared.work()
            shared.done.acquire()
        finally:
            self._busy.release()
        for error in shared.errors:
            if error is not None:
                raise error
        return shared.results

    def close(self) -> None:
        """End the threads."""
        if self._owner == os.getpid():
            for _ in range(self.count - 1):
                self._rounds.put(None)
        self._owner = 0

    def _start(self) -> None:
        self._rounds = SimpleQueue()
        for number in range(1, self.count):
            name = f"dycl-rows-{number}"
            rounds = (self._rounds,)
            threading.Thread(target=_help, args=rounds, name=name, daemon=True).start()
        self._owner = os.getpid()


def _help(rounds: SimpleQueue[_Round | None]) -> None:
    while (shared := rounds.get()) is not None:
        shared.work()
        del shared  # it refers to the network, which may go meanwhile
