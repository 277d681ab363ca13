"""IREE's compiler, which is a program of its own: it may die, and be late."""

import hashlib
import subprocess
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib import metadata
from typing import Any

from dycl.runtime.engines import EngineMissing
from dycl.runtime.engines.iree import OLDEST, Iree
from dycl.runtime.engines.sessions import check_version
from dycl.runtime.machine import processors
from dycl.runtime.targets import NATIVE, features_of
from dycl.support.store import Store

PACKAGE = "iree-base-compiler"
_FLAGS = (
    "--iree-hal-target-backends=llvm-cpu",
    "--iree-input-type=none",
    "--iree-opt-level=O2",
    "--iree-input-demote-f64-to-f32=false",
    "--iree-input-demote-i64-to-i32=false",
)


class Failed(Exception):
    """IREE's compiler refuses a kernel; the text is its own."""


class Compiler:
    """IREE's compiler for a processor."""

    def __init__(self, target: str, store: Store | None, limit: float):
        """`store`: where what it made is kept; `limit`: seconds for each kernel.
        EngineMissing: it is not installed, or too old."""
        try:
            from iree.compiler.tools import (  # pyright: ignore[reportMissingImports]
                binaries,
            )

            version = metadata.version(PACKAGE)
        except ImportError as error:
            raise EngineMissing(Iree.title, Iree.name, str(error)) from error
        check_version(Iree.title, Iree.name, version, OLDEST)
        tools: Any = binaries
        self._program = str(tools.find_tool("iree-compile"))
        cpu = "host" if target == NATIVE else target
        self._flags = (*_FLAGS, f"--iree-llvmcpu-target-cpu={cpu}")
        self._store, self._limit = store, limit
        self.key = " ".join((PACKAGE, version, *self._flags, *features_of(target)))

    def each(self, texts: Sequence[str]) -> list[bytes | Failed]:
        """The modules of texts, side by side."""
        with ThreadPoolExecutor(processors()) as pool:
            return list(pool.map(self._one, texts))

    def _one(self, text: str) -> bytes | Failed:
        key = hashlib.sha256(f"{self.key}\0{text}".encode()).hexdigest()
        if self._store is not None and (known := self._store.get(key)) is not None:
            return known
        made = self._compiled(text)
        if self._store is not None and isinstance(made, bytes):
            self._store.put(key, made)
        return made

    def _compiled(self, text: str) -> bytes | Failed:
        limit = None if self._limit == float("inf") else self._limit
        try:
            done = subprocess.run(
                [self._program, "-", *self._flags],
                input=text.encode(),
                capture_output=True,
                check=False,
                timeout=limit,
            )
        except subprocess.TimeoutExpired:
            return Failed(f"its compiler takes longer than {self._limit:g} s")
        if done.returncode == 0:
            return done.stdout
        return Failed(_reason(done.stderr.decode(errors="replace"), done.returncode))


def _reason(said: str, code: int) -> str:
    """The first error of a program, or how it ended."""
    for line in said.splitlines():
        _, found, error = line.partition("error: ")
        if found:
            return error.strip()
    return f"its compiler ends with status {code}"
