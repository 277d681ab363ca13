"""What a peer compiled is kept in files, so that a race can be run again at once.

What it cost is kept beside it, and stands in the tables whenever the race is run.
"""

import json
import resource
from pathlib import Path

_saved = {"seconds": 0.0, "peak": 0.0}


def kept(file, make):
    """`file`, made by `make()` unless it is there; what that cost is kept beside it."""
    note = file.with_name(file.name + ".json")
    if note.exists():
        _count(note, spent=0.0)
    else:
        begun = cpu_seconds()
        make()
        _write(note, cpu_seconds() - begun)
    return file


def known(note, make):
    """What `make()` gives, made each time by a compiler that has a cache of its own.

    What it cost the first time, when that cache was empty, is kept in the file `note`.
    """
    begun = cpu_seconds()
    made = make()
    spent = cpu_seconds() - begun
    if note.exists():
        _count(note, spent)
    else:
        _write(note, spent)
    return made


def saved_seconds():
    """Of CPU, that this process did not need because files were kept."""
    return _saved["seconds"]


def peak():
    """MiB of memory that this process has had at most, or had when files were made.

    Not `ru_maxrss`, which begins with what the process had that started this one.
    """
    status = Path("/proc/self/status").read_text(encoding="ascii")
    [line] = [line for line in status.splitlines() if line.startswith("VmHWM:")]
    return max(int(line.split()[1]) / 1024, _saved["peak"])


def cpu_seconds():
    """Of this process and the compilers it started and waited for."""
    both = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    used = [resource.getrusage(who) for who in both]
    return sum(each.ru_utime + each.ru_stime for each in used)


def _count(note, spent):
    """Add what a note says to what was saved, less what was spent now."""
    cost = json.loads(note.read_text(encoding="utf-8"))
    _saved["seconds"] += cost["seconds"] - spent
    _saved["peak"] = max(_saved["peak"], cost["peak"])


def _write(note, seconds):
    cost = {"seconds": seconds, "peak": peak()}
    note.write_text(json.dumps(cost) + "\n", encoding="utf-8")
