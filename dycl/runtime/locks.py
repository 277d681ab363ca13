"""Locks that a forked child finds free.

A child has one thread, the one that forked it. A lock that another thread held would
stay held, and what that thread was changing would be half done. So a fork waits for all
locks, and both processes go on with them free. It waits for a while only, as a call may
never end; after that, the owner of the lock in the child is told.
"""

from __future__ import annotations

import itertools
import os
import threading
import time
from collections.abc import Callable
from typing import Any
from weakref import WeakMethod, WeakValueDictionary

PATIENCE = 10.0
"""Seconds that a fork waits for locks, all together."""

_locks: WeakValueDictionary[tuple[bool, int], Lock] = WeakValueDictionary()
"""By the order in which a fork takes them: the inner ones last."""
_numbers = itertools.count()
_registry = threading.RLock()
"""Of the thread that adds a lock, or forks: no lock is made meanwhile."""
_held: list[Lock] = []
_missed: list[Lock] = []


class Lock:
    """A lock that the thread which has it may take again."""

    def __init__(
        self, when_torn: Callable[[], None] | None = None, is_inner: bool = False
    ):
        """`when_torn`, a method, is called in a child that was forked meanwhile.

        `is_inner`: who has it takes no other lock, but may have others. A fork takes it
        after these, as everybody does.
        """
        self.lock = threading.RLock()
        """To be taken with `with`."""
        self._when_torn = None if when_torn is None else WeakMethod(when_torn)
        with _registry:
            _locks[is_inner, next(_numbers)] = self

    def free(self) -> None:
        """In a child: forget the thread that had it, and tell the owner."""
        lock: Any = self.lock
        lock._at_fork_reinit()
        tell = None if self._when_torn is None else self._when_torn()
        if tell is not None:
            tell()


def _before() -> None:
    """Take all locks, in the order in which they were made, the inner ones last."""
    _registry.acquire()
    end = time.monotonic() + PATIENCE
    for _, lock in sorted(_locks.items()):
        is_free = lock.lock.acquire(timeout=max(0.0, end - time.monotonic()))
        (_held if is_free else _missed).append(lock)


def _after() -> None:
    while _held:
        _held.pop().lock.release()
    _missed.clear()
    _registry.release()


def _after_in_child() -> None:
    for item in _missed:
        item.free()
    _after()


os.register_at_fork(
    before=_before, after_in_parent=_after, after_in_child=_after_in_child
)
