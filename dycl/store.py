"""Values on disk, by the digest of what decides them: one file for each.

What was compiled is kept there: kernels, and programs up to their kernels.

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
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path

GIBIBYTE = 1 << 30
_DIGEST = hashlib.sha256().digest_size
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


def default_store(kind: str, bound: int = GIBIBYTE) -> Store:
    """Folder `kind` in `$DYCL_CACHE_DIR`, else in `dycl` in `$XDG_CACHE_HOME` or
    `~/.cache`."""
    folder = os.environ.get("DYCL_CACHE_DIR")
    if folder:
        return Store(Path(folder) / kind, bound)
    base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return Store(Path(base) / "dycl" / kind, bound)


def digest_of_sources(*places: str) -> str:
    """The digest of our own sources in these files and folders of `dycl`."""
    found = hashlib.sha256()
    for at in places:
        for name, data in _sources(resources.files("dycl").joinpath(at), at):
            found.update(f"\0{name}\0{len(data)}\0".encode() + data)
    return found.hexdigest()


def _sources(place: Traversable, at: str) -> Iterator[tuple[str, bytes]]:
    if place.is_dir():
        for one in sorted(place.iterdir(), key=lambda one: one.name):
            yield from _sources(one, f"{at}/{one.name}")
    elif at.endswith((".py", ".mlir")):
        yield at, place.read_bytes()
