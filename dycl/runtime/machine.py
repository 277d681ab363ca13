"""What this machine is: its target triple, and the features of its processor."""

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
