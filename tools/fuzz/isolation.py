"""Calls in a process of their own: what dies there does not end the whole run."""

import gc
import os
import signal
import traceback
from multiprocessing import Pipe

TOGETHER = 125
"""Calls made in one process: what it learns of torch in one, it knows in the next."""

PATIENCE = 300
"""Seconds until a call counts as dead that gives nothing."""


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
                result = reader.recv() if reader.poll(patience) else None
            except EOFError:
                result = None
            yield result
            if result is None:
                return
    finally:
        reader.close()
        os.kill(child, signal.SIGKILL)  # It has given all, hangs, or is asked no more.
        os.waitpid(child, 0)


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
