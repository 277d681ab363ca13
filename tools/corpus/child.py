"""Calls in processes of their own, with limits: neither a hang nor a death ends us."""

import os
import pickle
import resource
import select
import signal
import sys
import time
import traceback

GIB = 2**30


def limited(function, *arguments, seconds, gib):
    """What the call gives (it must pickle), or `died` or `late` as a text.

    The process, and what it starts, ends after so many seconds; it gets so much memory
    beyond what it was forked with. What it prints goes to stderr.
    """
    reader, writer = os.pipe()
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        os.close(reader)
        _run(writer, gib, function, arguments)
    os.close(writer)
    data, is_late = _read(reader, time.monotonic() + seconds)
    _end(child)
    if is_late:
        return "late"
    return pickle.loads(data) if data else "died"


def _run(writer, gib, function, arguments):
    status = 1
    try:
        os.setsid()
        os.dup2(2, 1)
        resource.setrlimit(resource.RLIMIT_AS, (_size() + int(gib * GIB),) * 2)
        data = pickle.dumps(function(*arguments))
        with os.fdopen(writer, "wb") as pipe:
            pipe.write(data)
        status = 0
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(status)


def _size():
    """How much address space this process has, in bytes."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[0]) * resource.getpagesize()


def _read(reader, end):
    """What is written until the other end is closed, and whether time ran out."""
    data = b""
    with os.fdopen(reader, "rb", buffering=0) as pipe:
        while True:
            left = end - time.monotonic()
            if left <= 0 or not select.select([pipe], [], [], left)[0]:
                return b"", True
            piece = pipe.read(1 << 20)
            if not piece:
                return data, False
            data += piece


def _end(child):
    """End the process and those that it started (they are of its session)."""
    try:
        os.killpg(child, signal.SIGKILL)
    except ProcessLookupError:
        os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
