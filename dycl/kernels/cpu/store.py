"""Compiled kernels on disk, by what decides their code: one file for each.

A file is written under another name and then renamed, so readers see all of it or
nothing; it begins with a digest of the rest, so one that is damaged is as good as none.
Reading marks a file as used; what has not been used for longest goes first when there
is too much. Nothing here fails: a folder that cannot be read or written is a cache in
which nothing is found.
"""

import contextlib
import fcntl
import hashlib
import os
import tempfile
import time
from collections.abc import Iterator
from functools import cache
from importlib import metadata, resources
from importlib.resources.abc import Traversable
from pathlib import Path

GIBIBYTE = 1 << 30
_DIGEST = hashlib.sha256().digest_size
_SOURCES = (
    *("kernels", "schedules", "ir/host/layouts.py"),
    *("runtime/targets.py", "runtime/machine.py", "placement.py"),
)
"""Where in `dycl` all that decides a kernel's code is; it may not import more."""
_FRESH = 3600.0
"""Seconds for which a file that was used need not be marked again."""


class Store:
    """A folder of values by key, of bounded size, for any number of processes."""

    def __init__(self, folder: Path, bound: int = GIBIBYTE):
        """`bound`: bytes in all, after `trim`."""
        self.folder = folder
        self.bound = bound

    def get(self, key: str) -> bytes | None:
        """The value; None: there is none, or it is damaged."""
        path = self._path(key)
        try:
            data = path.read_bytes()
            if time.time() - path.stat().st_mtime > _FRESH:
                os.utime(path)
        except OSError:
            return None
        digest, value = data[:_DIGEST], data[_DIGEST:]
        return value if hashlib.sha256(value).digest() == digest else None

    def put(self, key: str, value: bytes) -> None:
        """Store a value, in place of the one that is there."""
        path = self._path(key)
        with contextlib.suppress(OSError):
            path.parent.mkdir(parents=True, exist_ok=True)
            handle, name = tempfile.mkstemp(prefix=".new-", dir=path.parent)
            try:
                with os.fdopen(handle, "wb") as out:
                    out.write(hashlib.sha256(value).digest() + value)
                os.replace(name, path)
            except BaseException:
                os.unlink(name)
                raise

    def trim(self) -> None:
        """Throw away what has not been used for longest, if there is too much."""
        with contextlib.suppress(OSError), open(self.folder / "lock", "wb") as lock:
            # Whoever holds the lock does the same.
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            entries = sorted(self._entries())
            total = sum(size for _, size, _ in entries)
            for _, size, path in entries:
                if total <= self.bound:
                    break
                with contextlib.suppress(FileNotFoundError):
                    os.unlink(path)
                total -= size

    def _path(self, key: str) -> Path:
        return self.folder / key[:2] / key[2:]

    def _entries(self) -> Iterator[tuple[int, int, str]]:
        """When each file was used last, its size, and where it is."""
        for folder in os.scandir(self.folder):
            if folder.is_dir():
                for entry in os.scandir(folder.path):
                    with contextlib.suppress(FileNotFoundError):
                        about = entry.stat()
                        yield about.st_mtime_ns, about.st_size, entry.path


def default_store() -> Store:
    """`$DYCL_CACHE_DIR`, else `dycl` in `$XDG_CACHE_HOME` or `~/.cache`."""
    folder = os.environ.get("DYCL_CACHE_DIR")
    if folder:
        return Store(Path(folder) / "kernels")
    base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return Store(Path(base) / "dycl" / "kernels")


def key_of(text: str, how: str) -> str:
    """The digest of everything that decides what becomes of a kernel's text.

    `how` says with which settings it is compiled.
    """
    parts = (compiler_digest(), _processor(), how, text)
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


@cache
def compiler_digest() -> str:
    """The digest of torch-mlir's version and of our sources that compile kernels."""
    found = hashlib.sha256(metadata.version("torch-mlir").encode())
    for at in _SOURCES:
        for name, data in _sources(resources.files("dycl").joinpath(at), at):
            found.update(f"\0{name}\0{len(data)}\0".encode() + data)
    return found.hexdigest()


def _sources(place: Traversable, at: str) -> Iterator[tuple[str, bytes]]:
    if place.is_dir():
        for one in sorted(place.iterdir(), key=lambda one: one.name):
            yield from _sources(one, f"{at}/{one.name}")
    elif at.endswith((".py", ".mlir")):
        yield at, place.read_bytes()


@cache
def _processor() -> str:
    """What LLVM chooses instructions by: the model of the processor, its features."""
    told = ("vendor_id", "cpu family", "model", "stepping", "flags")
    with contextlib.suppress(OSError):
        first = Path("/proc/cpuinfo").read_text("ascii", "replace").split("\n\n")[0]
        lines = (line.partition(":") for line in first.splitlines())
        return "\n".join(f"{n.strip()}{v}" for n, _, v in lines if n.strip() in told)
    return " ".join(os.uname())
