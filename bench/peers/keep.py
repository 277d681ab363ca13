"""What a peer compiled is kept in a file, so that a race can be run again at once."""

import json
import resource

_saved = [0.0]


def kept(file, make):
    """`file`, made by `make()` unless it is there; what that cost is kept beside it."""
    note = file.with_name(file.name + ".json")
    if note.exists():
        _saved[0] += json.loads(note.read_text(encoding="utf-8"))
    else:
        begun = cpu_seconds()
        make()
        note.write_text(f"{cpu_seconds() - begun}\n", encoding="utf-8")
    return file


def saved_seconds():
    """Of CPU, that this process did not need because files were kept."""
    return _saved[0]


def cpu_seconds():
    """Of this process and the compilers it started and waited for."""
    both = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    used = [resource.getrusage(who) for who in both]
    return sum(each.ru_utime + each.ru_stime for each in used)
