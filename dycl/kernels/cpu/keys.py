"""The key of a compiled kernel in the cache: the digest of what decides its code."""

import contextlib
import hashlib
import os
from functools import cache
from importlib import metadata
from pathlib import Path

from dycl.store import digest_of_sources

_SOURCES = (
    *("kernels", "schedules", "ir/host/layouts.py"),
    *("runtime/targets.py", "runtime/machine.py", "placement.py"),
)
"""Where in `dycl` all that decides a kernel's code is; it may not import more."""


def key_of(text: str, how: str) -> str:
    """The digest of everything that decides what becomes of a kernel's text.

    `how` says with which settings it is compiled.
    """
    parts = (compiler_digest(), processor(), how, text)
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


@cache
def compiler_digest() -> str:
    """The digest of torch-mlir's version and of our sources that compile kernels."""
    version = metadata.version("torch-mlir")
    return f"{version} {digest_of_sources(*_SOURCES)}"


@cache
def processor() -> str:
    """What LLVM chooses instructions by: the model of the processor, its features."""
    told = ("vendor_id", "cpu family", "model", "stepping", "flags")
    with contextlib.suppress(OSError):
        first = Path("/proc/cpuinfo").read_text("ascii", "replace").split("\n\n")[0]
        lines = (line.partition(":") for line in first.splitlines())
        return "\n".join(f"{n.strip()}{v}" for n, _, v in lines if n.strip() in told)
    return " ".join(os.uname())
