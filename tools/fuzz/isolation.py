"""Calls in a process of their own: what dies there does not end the whole run."""

import gc
import os
import signal
import time
import traceback
from multiprocessing import Pipe

TOGETHER = 125
"""Calls made in one process: what it learns of torch in one, it knows in the next."""

PATIENCE = 300
"""Seconds of its own until a call counts as dead that gives nothing: so many of work,
or so many in which it has not worked at all, however slow the machine is."""


def isolated(function, *arguments):
    """What the call gives (it must pickle), or None if its process died."""
    return next(each_isolated(lambda _: function(*arguments), [None]))


def each_isolated(function, items, together=TOGETHER, patience=PATIENCE):
    """What the function gives for each item in order, or None where its process died.

    The items after one that ended its process have a new one.
    """
    items = list(items)
    while items:
        done = 0
        for result in _results(function, items[:together], patience):
            done += 1
            yield result
        items = items[done:]


def _results(function, items, patience):
    """What one process gives for each item; at the one that it dies of, None ends."""
    reader, writer = Pipe(duplex=False)
    child = os.fork()
    if child == 0:
        reader.close()
        _answer(function, items, writer)
    writer.close()
    try:
        for _ in items:
            try:
                result = reader.recv() if _comes(reader, child, patience) else None
            except EOFError:
                result = None
            yield result
            if result is None:
                return
    finally:
        reader.close()
        os.kill(child, signal.SIGKILL)  # It has given all, hangs, or is asked no more.
        os.waitpid(child, 0)


def _comes(reader, child, patience):
    """Whether there is something to read before a process has lost our patience."""
    start = last = _worked(child)
    idle_since = time.monotonic()
    while not reader.poll(min(patience, 5)):
        now = _worked(child)
        if now != last:
            last, idle_since = now, time.monotonic()
        if now - start > patience or time.monotonic() - idle_since > patience:
            return False
    return True


def _worked(process):
    """The seconds that a process and its ended children have spent."""
    with open(f"/proc/{process}/stat") as file:
        fields = file.read().rpartition(")")[2].split()
    return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")


def _answer(function, items, writer):
    """The child: one result after the other, and the end."""
    try:
        gc.disable()  # It ends before there is much to throw away.
        for item in items:
            writer.send(function(item))
    except Exception:
        traceback.print_exc()
    finally:
        os._exit(0)
