"""A race in slices: stretches of time in which the machine does nothing else.

`Slices("hold-others 110", 90)` starts `hold-others 110 cat` before the first turn,
waits until that `cat` answers, and ends it when 90 seconds are over: what the command
does for the program that it runs (stopping other work, waiting for a place in a queue)
it does for the turns of one slice. Contestants start and compile outside of slices.
"""

import shlex
import subprocess
import time
from contextlib import suppress


class Slices:
    """Turns are taken inside of one; `number` is that of the slice that is on."""

    def __init__(self, within: str = "", seconds: float = 90.0):
        """`within`: the command; "": there is none, and slices end nothing."""
        self.number = -1
        self._within = shlex.split(within)
        self._seconds = seconds
        self._process: subprocess.Popen[bytes] | None = None
        self._begun = 0.0

    def room_for(self, seconds: float) -> None:
        """Be in a slice that lasts so long still, or else begin the next one."""
        over = time.monotonic() + seconds > self._begun + self._seconds
        dead = self._process is not None and self._process.poll() is not None
        if self.number < 0 or over or dead:
            self.close()
            self._begin()

    def close(self) -> None:
        """End the slice that is on."""
        if self._process is not None:
            with suppress(OSError):
                self._process.stdin.close()
            self._process.wait()
            self._process.stdout.close()
            self._process = None

    def _begin(self) -> None:
        if self._within:
            self._process = subprocess.Popen(
                [*self._within, "cat"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
            )
            with suppress(BrokenPipeError):
                self._process.stdin.write(b"begun\n")
                self._process.stdin.flush()
            if not self._process.stdout.readline():
                self.close()
                raise RuntimeError(f"`{shlex.join(self._within)} cat` gives no answer")
        self.number += 1
        self._begun = time.monotonic()
