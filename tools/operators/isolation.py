"""Operators in processes of their own, which may die or take too long."""

import contextlib
import os
import pickle
import select
import signal
import time
import traceback
from dataclasses import dataclass

from tools.operators.judge import judge
from tools.operators.samples import lines_of, merged_lines


@dataclass(frozen=True)
class Limits:
    """Seconds for the calls of one operator together, and for a call alone."""

    together: float
    alone: float


def judged(op, form, dtype, most, limits):
    """(call, outcome, words) of each sample of an operator.

    Outcomes are `same`, `refused`, `wrong`, `died` (the process, or an error that is
    no refusal) and `late`. Where one call ends the process, each has one of its own.
    """
    lines, outcome = within(limits.together, lines_of, op, form, dtype, most)
    if outcome:
        return [("its samples", outcome, "")]
    found, outcome = within(limits.together, judge, lines)
    if not outcome:
        return found
    calls = []
    for call in lines.calls:
        found, outcome = within(limits.alone, judge, lines.only(call))
        calls += [(call, outcome, "")] if outcome else found
    return calls


def judged_together(units, most, limits):
    """The same of several operators, in one model where that goes."""
    merged, outcome = within(limits.together, merged_lines, units, most)
    if not outcome:
        found, outcome = within(limits.together, judge, merged.lines)
    if outcome:
        return [judged(*unit, most, limits) for unit in units]
    by_call = {call: (call, how, words) for call, how, words in found}
    return [[by_call[call] for call in calls] for calls in merged.calls]


def within(seconds, function, *arguments):
    """What a call gives, in a child (it must pickle), and "", `died` or `late`."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        _run(writer, function, arguments)
    os.close(writer)
    end, data, late = time.monotonic() + seconds, b"", False
    while not late:
        ready, _, _ = select.select([reader], [], [], max(0, end - time.monotonic()))
        late = not ready
        if ready:
            part = os.read(reader, 1 << 16)
            data += part
            if not part:
                break
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
