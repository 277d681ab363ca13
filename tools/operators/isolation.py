"""Operators in processes of their own, which may die or take too long."""

import contextlib
import os
import pickle
import select
import signal
import time
import traceback
from dataclasses import dataclass
from pathlib import Path

from tools.operators.judge import judge
from tools.operators.samples import lines_of, merged_lines


@dataclass(frozen=True)
class Limits:
    """Seconds of CPU for the calls of one operator together, and for a call alone.

    A process that waits, and uses no CPU for as many seconds, is late, too. A loaded
    machine makes none late.
    """

    together: float
    alone: float


def judged(op, form, dtype, most, limits):
    """(call, outcome, words) of each sample of an operator.

    Outcomes are `same`, `refused`, `wrong`, `died` (the process, or an error that is
    no refusal) and `late`. Where one call ends the process, each has one of its own.
    """
    calls, outcome = within(limits.together, _calls, op, form, dtype, most)
    if outcome:
        return [("its samples", outcome, "")]
    found, outcome = within(limits.together, _judge, (op, form, dtype), most)
    if not outcome:
        return found
    judged = []
    for call in calls:
        found, outcome = within(limits.alone, _judge, (op, form, dtype), most, call)
        judged += [(call, outcome, "")] if outcome else found
    return judged


def judged_together(units, most, limits):
    """The same of several operators, in one model where that goes."""
    found, outcome = within(limits.together, _judge_merged, units, most)
    return [judged(*unit, most, limits) for unit in units] if outcome else found


# What children do. They make their tensors themselves, and give text back: a process
# that goes on for hours keeps nothing of the samples.


def _calls(op, form, dtype, most):
    return lines_of(op, form, dtype, most).calls


def _judge(unit, most, *calls):
    """Of some calls, or of all."""
    lines = lines_of(*unit, most)
    return judge(lines.only(*calls) if calls else lines)


def _judge_merged(units, most):
    """Of each operator."""
    merged = merged_lines(units, most)
    by_call = {call: (call, how, words) for call, how, words in judge(merged.lines)}
    return [[by_call[call] for call in calls] for calls in merged.calls]


def within(seconds, function, *arguments):
    """What a call gives, in a child (it must pickle), and "", `died` or `late`."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        _run(writer, function, arguments)
    os.close(writer)
    data, late, watch = b"", False, _Watch(child, seconds)
    while not late:
        ready, _, _ = select.select([reader], [], [], min(seconds, _LOOK))
        if ready:
            part = os.read(reader, 1 << 16)
            data += part
            if not part:
                break
        late = watch.is_late()
    os.close(reader)
    # Also what the child has started: it may have died, and they not.
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)
    os.waitpid(child, 0)
    if late:
        return None, "late"
    try:
        return pickle.loads(data), ""
    except (EOFError, pickle.UnpicklingError):
        return None, "died"


_LOOK = 0.5
"""Seconds after which the clocks of a process are looked at again."""


class _Watch:
    """Whether a group of processes has used its seconds of CPU, or stands still."""

    def __init__(self, group, seconds):
        """From now on."""
        self._group, self._seconds = group, seconds
        self._used, self._since = 0.0, time.monotonic()

    def is_late(self):
        """Ask often: what has ended since, and nobody waited for, is not counted."""
        used, now = _cpu_seconds(self._group), time.monotonic()
        if used > self._used:
            self._used, self._since = used, now
        return max(self._used, now - self._since) >= self._seconds


def _cpu_seconds(group):
    """Of the processes of a group, and of those that they have waited for."""
    ticks = 0
    for path in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            _, _, rest = path.read_text().rpartition(")")
            fields = rest.split()
            if int(fields[_GROUP]) == group:
                ticks += sum(map(int, fields[_TIMES]))
    return ticks / os.sysconf("SC_CLK_TCK")


_GROUP, _TIMES = 2, slice(11, 15)
"""Fields of a process behind its name: see proc_pid_stat(5)."""


def _run(writer, function, arguments):
    """The child: it leads a group of its own, and ends here."""
    try:
        os.setpgid(0, 0)
        with os.fdopen(writer, "wb") as pipe:
            pickle.dump(function(*arguments), pipe)
    except Exception:
        traceback.print_exc()
    finally:
        os._exit(0)
