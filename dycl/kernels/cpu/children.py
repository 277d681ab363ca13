"""Work that may end its process, done in processes that are forked for it.

torch-mlir and LLVM abort on what they do not expect, and no table says what that is. So
they get no program of a user's in that user's process. A child is forked with all that
is loaded here, takes one job after the other, and ends with the `with` block; the job
of one that dies, or is ended because it takes too long, has `Died` as its result.

Jobs and results are pickled, as `multiprocessing` does it: they go through a pipe that
only this process and its child have, and never to a file.
"""

import contextlib
import ctypes
import faulthandler
import gc
import math
import os
import pickle
import resource
import signal
import sys
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from multiprocessing import Pipe
from multiprocessing.connection import Connection, wait
from typing import Any, Self, TypeVar, cast

R = TypeVar("R")
_prctl = ctypes.CDLL(None).prctl
_PR_SET_PDEATHSIG = 1
_WORDS = 300
"""Characters of what a process says last that are worth a message."""


@dataclass(frozen=True)
class Died:
    """The result of a job that ended its process; `why` is how, and its last words."""

    why: str
    is_late: bool = False
    """Whether it would have gone on, but for the time limit."""


@dataclass
class _Child:
    """A process, the end of a pipe to it, and the job that it has."""

    pid: int
    pipe: Connection
    said: int
    """A file in memory with all that it wrote to stderr."""
    job: int | None = None
    end: float = math.inf
    """When that job has taken too long, by the monotonic clock."""


class Children:
    """Processes for the jobs of one `with` block, forked when there is work."""

    def __init__(self, limit: float = math.inf) -> None:
        """None yet; `limit`: seconds that a job may take."""
        self.limit = limit
        self._idle: list[_Child] = []
        self._busy: dict[Connection, _Child] = {}

    def __enter__(self) -> Self:
        """The children themselves."""
        return self

    def __exit__(self, *_: object) -> None:
        """End all of them, also those that are at work."""
        for child in (*self._idle, *self._busy.values()):
            with contextlib.suppress(ProcessLookupError):
                os.kill(child.pid, signal.SIGKILL)
            self._buried(child)
        self._idle, self._busy = [], {}

    def one(self, function: Callable[..., R], *given: object) -> R | Died:
        """The result of one call."""
        ((_, result),) = self.each(function, [given], 1)
        return result

    def each(
        self, function: Callable[..., R], jobs: Sequence[Sequence[object]], most: int
    ) -> Iterator[tuple[int, R | Died]]:
        """Each job's number and result, as they are done, by `most` processes at most.

        What `function`, of a module, raises is raised here, with a note of where.
        """
        try:
            yield from self._each(function, jobs, most)
        except BaseException:
            self.__exit__()  # Some are at work on what nobody waits for.
            raise

    def _each(
        self, function: Callable[..., R], jobs: Sequence[Sequence[object]], most: int
    ) -> Iterator[tuple[int, R | Died]]:
        todo = list(reversed(range(len(jobs))))
        while todo or self._busy:
            while todo and len(self._busy) < most:
                child = self._idle.pop() if self._idle else self._forked()
                child.job = todo.pop()
                child.end = time.monotonic() + self.limit
                self._busy[child.pipe] = child
                # One that died between two jobs is found dead below.
                with contextlib.suppress(BrokenPipeError):
                    child.pipe.send_bytes(pickle.dumps((function, jobs[child.job])))
            ready = cast("list[Connection]", wait(list(self._busy), self._patience()))
            if not ready:
                yield from self._late()
            for pipe in ready:
                child = self._busy.pop(pipe)
                number = child.job
                assert number is not None
                try:
                    succeeded, result = pickle.loads(pipe.recv_bytes())
                except (EOFError, ConnectionResetError):
                    yield number, Died(self._buried(child))
                    continue
                self._idle.append(child)
                if not succeeded:
                    raise result
                yield number, result

    def _patience(self) -> float | None:
        """Seconds until some child has taken too long; None: none ever does."""
        end = min(child.end for child in self._busy.values())
        return None if end == math.inf else max(0.0, end - time.monotonic())

    def _late(self) -> Iterator[tuple[int, Died]]:
        """End the children that take too long; the numbers of their jobs."""
        now = time.monotonic()
        for child in [item for item in self._busy.values() if item.end <= now]:
            del self._busy[child.pipe]
            assert child.job is not None
            os.kill(child.pid, signal.SIGKILL)
            self._buried(child)
            yield child.job, Died(f"not finished after {self.limit:g} s", is_late=True)

    def _forked(self) -> _Child:
        ours, theirs = Pipe()
        stderr = os.memfd_create("dycl-stderr")
        sys.stdout.flush()
        sys.stderr.flush()
        parent = os.getpid()
        if (pid := os.fork()) == 0:
            try:
                for other in (*self._idle, *self._busy.values()):
                    other.pipe.close()  # Else it would not learn of this one's end.
                ours.close()
                _end_with_parent(parent)
                _serve(theirs, stderr)
            finally:
                os._exit(0)
        theirs.close()
        return _Child(pid, ours, stderr)

    def _buried(self, child: _Child) -> str:
        """Close what belongs to a child that is dead, or about to be; why it died."""
        child.pipe.close()
        _, status = os.waitpid(child.pid, 0)
        lines = os.pread(child.said, 1 << 20, 0).decode(errors="replace").split("\n")
        os.close(child.said)
        number = os.waitstatus_to_exitcode(status)
        how = f"exit code {number}"
        if number < 0:
            how = signal.Signals(-number).name
        if -number == signal.SIGKILL:
            return f"{how}, as happens when memory runs out"
        words = next((line for line in lines if line.strip()), "").strip()[:_WORDS]
        return f"{how}, {words!r}" if words else how


def in_child(
    function: Callable[..., R], *given: object, limit: float = math.inf
) -> R | Died:
    """The result of one call, in a process of its own; raises what it raises."""
    with Children(limit) as children:
        return children.one(function, *given)


def _end_with_parent(parent: int) -> None:
    """Have the kernel end this process when its parent is killed, even in a job."""
    _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(0)


def _serve(pipe: Connection, said: int) -> None:
    """Do what comes through the pipe, until it is closed."""
    os.dup2(said, 2)
    faulthandler.disable()  # What it would show is how this one came here.
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    gc.freeze()  # Looking at what is the parent's would copy it.
    while True:
        try:
            function, given = pickle.loads(pipe.recv_bytes())
        except EOFError:
            return
        pipe.send_bytes(_done(function, given))
        sys.stdout.flush()


def _done(function: Callable[..., Any], given: Sequence[object]) -> bytes:
    try:
        return pickle.dumps((True, function(*given)), protocol=5)
    except Exception as error:
        error.add_note(traceback.format_exc())
        try:
            data = pickle.dumps((False, error), protocol=5)
            pickle.loads(data)
        except Exception:
            message = f"{type(error).__name__}: {error}"
            return pickle.dumps((False, RuntimeError(message)), protocol=5)
        return data
