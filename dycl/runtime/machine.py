"""What this machine is: its target triple, its processors and their features."""

from __future__ import annotations

import contextlib
import os
import platform
import sys
from functools import lru_cache
from pathlib import Path

_CODE = (
    "pni ssse3 sse4_1 sse4_2 sse4a popcnt avx avx2 fma fma4 f16c bmi1 bmi2 abm movbe "
    "avx512f avx512bw avx512cd avx512dq avx512vl avx512ifma avx512vbmi avx512_vbmi2 "
    "avx512_vnni avx512_bitalg avx512_vpopcntdq avx512_bf16 avx512_fp16 "
    "avx512_vp2intersect avx_vnni gfni vaes vpclmulqdq "
    "asimd asimdhp asimddp asimdfhm bf16 i8mm sve sve2 fphp"
)
"""The features, as Linux calls them, that a compiler may use in what it writes."""


def triple() -> str:
    """The machine as LLVM names it: `x86_64-linux`."""
    return f"{platform.machine()}-{sys.platform}"


@lru_cache(maxsize=1)
def cpu_features() -> tuple[str, ...]:
    """What this processor has beyond the least of its kind, sorted."""
    try:
        text = Path("/proc/cpuinfo").read_text("ascii", "replace")
    except OSError:
        return ()
    for line in text.splitlines():
        name, _, flags = line.partition(":")
        if name.strip() in ("flags", "Features"):
            return tuple(sorted(set(_CODE.split()) & set(flags.split())))
    return ()


@lru_cache(maxsize=1)
def counts_steadily() -> bool:
    """Whether the processor has a counter of one pace that all its cores share."""
    try:
        text = Path("/proc/cpuinfo").read_text("ascii", "replace")
    except OSError:
        return False
    return {"constant_tsc", "nonstop_tsc"} <= set(text.split())


@lru_cache(maxsize=1)
def processor() -> str:
    """What compilers choose instructions by: the processor's model and features."""
    keys = ("vendor_id", "cpu family", "model", "stepping", "flags")
    with contextlib.suppress(OSError):
        first = Path("/proc/cpuinfo").read_text("ascii", "replace").split("\n\n")[0]
        lines = (line.partition(":") for line in first.splitlines())
        return "\n".join(f"{n.strip()}{v}" for n, _, v in lines if n.strip() in keys)
    return " ".join(os.uname())


def processors(root: Path = Path("/")) -> int:
    """How many processors this process may use: those it is bound to, or fewer, where
    a group that it is in has a quota of their time. `root` is another one in tests.
    """
    return min(len(os.sched_getaffinity(0)), quota(root))


def quota(root: Path = Path("/")) -> int:
    """The whole processors that quotas leave, at least one: cgroups of both versions.

    A large number: there is no quota. quota.h has the same for C.
    """
    least = sys.maxsize
    for line in _text(root / "proc/self/cgroup").splitlines():
        _, controllers, group = [*line.split(":", 2), "", ""][:3]
        # Those of the second version are all in one.
        if controllers and "cpu" not in controllers.split(","):
            continue
        top = root / "sys/fs/cgroup" / ("cpu" if controllers else "")
        folder = top / group.strip("/")
        for item in (folder, *folder.parents):
            least = min(least, _group_quota(item))
            if item == top:
                break
    return least


def _group_quota(folder: Path) -> int:
    words = _text(folder / "cpu.max").split()
    if not words:
        words = _text(folder / "cpu.cfs_quota_us").split()
        words += _text(folder / "cpu.cfs_period_us").split()
    try:
        allowed, period = (int(word) for word in words)
    except ValueError:
        return sys.maxsize
    if allowed <= 0 or period <= 0:
        return sys.maxsize
    return max(allowed // period, 1)


def _text(path: Path) -> str:
    try:
        return path.read_text("ascii", "replace")
    except OSError:
        return ""
