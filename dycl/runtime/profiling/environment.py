"""DYCL_PROFILE in the environment: every network of the process is profiled.

`DYCL_PROFILE=1` prints a table for each on stderr when the process ends; another value
names a file for the profile as JSON, and those of further networks go beside it.
"""

from __future__ import annotations

import atexit
import os
import sys
from pathlib import Path

from dycl.runtime.profiling.profile import Profile, Profiled
from dycl.runtime.profiling.recorders import ProfileError

VARIABLE = "DYCL_PROFILE"

_profiles: list[tuple[Profile, int]] = []


def profile_if_asked(net: Profiled) -> None:
    """Profile a network until the process ends, if the environment asks for it."""
    if os.environ.get(VARIABLE, "0") in ("", "0"):
        return
    try:
        profile = Profile(net)
    except ProfileError as error:
        print(f"dycl: {VARIABLE}: {error}", file=sys.stderr)
        return
    if not _profiles:
        atexit.register(_report)
    _profiles.append((profile, os.getpid()))
    profile.start()


def _report() -> None:
    """Show all that has run in this process; a fork's are its own."""
    wanted = os.environ.get(VARIABLE, "1")
    mine = [p for p, process in _profiles if process == os.getpid()]
    ran = [profile for profile in mine if profile.data()["calls"]["count"]]
    for number, profile in enumerate(ran, 1):
        if wanted == "1":
            print(f"{VARIABLE}: network {number}\n{profile}\n", file=sys.stderr)
            continue
        path = Path(wanted)
        name = path.name if number == 1 else f"{path.stem}-{number}{path.suffix}"
        try:
            profile.save(path.with_name(name))
        except OSError as error:
            print(f"dycl: {VARIABLE}: {error}", file=sys.stderr)
