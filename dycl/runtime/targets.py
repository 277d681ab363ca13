"""The processors that code can be compiled for, by the names of compilers.

The levels of x86-64 are those of its psABI, which GCC and LLVM know as well: a program
for a level runs on every processor that has its features.
"""

from __future__ import annotations

from dycl.runtime.machine import cpu_features, triple

NATIVE = "native"
"""The processor that this process runs on, with all that it has."""

_AVX2 = (
    *("pni", "ssse3", "sse4_1", "sse4_2", "popcnt", "avx", "avx2", "fma", "f16c"),
    *("bmi1", "bmi2", "abm", "movbe"),
)
_AVX512 = (*_AVX2, "avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl")

LEVELS: dict[str, tuple[str, ...]] = {
    "x86-64-v4": tuple(sorted(_AVX512)),
    "x86-64-v3": tuple(sorted(_AVX2)),
}
"""Name -> the features it takes, as Linux calls them; the fastest first."""

TARGETS = (NATIVE, *LEVELS)
"""All names that `target` may have."""

MATMUL_DTYPES = ("f32", "bf16")
"""What products of matrices may be computed from; sums are f32."""


def features_of(target: str) -> tuple[str, ...]:
    """What code for a target needs of a processor, sorted. KeyError: unknown name."""
    return cpu_features() if target == NATIVE else LEVELS[target]


def why_no_bf16(target: str) -> str:
    """Why code for a target cannot multiply bf16; "": it can."""
    return "" if "avx512_bf16" in features_of(target) else "it lacks AVX512-BF16"


def triple_of(target: str) -> str:
    """The kind of machine that a target is, as `dycl.runtime.machine.triple` has it."""
    return triple() if target == NATIVE else "x86_64-linux"


def why_not_here(target: str) -> str:
    """Why this machine cannot run code for a target; "": it can."""
    if triple_of(target) != triple():
        return f"this machine is {triple()}"
    missing = [f for f in features_of(target) if f not in cpu_features()]
    return f"this processor lacks {', '.join(missing)}" if missing else ""
