"""The key of a compiled kernel in the cache: the digest of what decides its code."""

import hashlib
from functools import cache
from importlib import metadata

from dycl.runtime.machine import processor
from dycl.support.store import digest_of_sources

_SOURCES = (
    *("kernels/cpu", "schedules"),
    *("kernels/__init__.py", "kernels/specs.py", "ir/host/layouts.py"),
    "ir/host/memory.py",
    "ir/custom_kernels.py",
    *("runtime/targets.py", "runtime/machine.py", "support/placement.py"),
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
