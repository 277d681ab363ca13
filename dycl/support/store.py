"""Values on disk, by the digest of what decides them: one file for each.

What was compiled is kept there: kernels, and programs up to their kernels.

A file is written under another name and then renamed, so readers see all of it or
nothing; it begins with a digest of its key and the rest, so one that is damaged, or
stands where another belongs, is as good as none.
Reading marks a file as used; what has not been used for longest goes first when there
is too much. How much there is stands in the file `lock`, so that nobody has to look at
all files after each compilation; who finds nothing there that can be read, or an old
count, counts anew. Nothing here fails: a folder that cannot be read or written is a
cache in which nothing is found.

Some values are code that is going to run. So files are read, and written, if they and
their folder belong to this user or to root, and nobody else may write to them; what is
made here is for its user alone.
"""

import contextlib
import fcntl
import hashlib
import math
import os
import stat
import struct
import tempfile
import time
from collections.abc import Callable, Generator, Iterator
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")
GIBIBYTE = 1 << 30
_ROOT = 0
_DIGEST = hashlib.sha256().digest_size
_FRESH = 3600.0
"""Seconds for which a file that was used need not be marked again."""
_COUNTED = 86_400.0
"""Seconds after which files are counted anew: some may be gone, or not in the count."""
_PAGE = 4096
"""Bytes that a file takes at least, on most disks: small ones are counted as such."""
_ROOM = 16
"""After throwing away, one part in so many is free: the next file causes no count."""


class Store:
    """A folder of values by key, of bounded size, for any number of processes."""

    def __init__(self, folder: Path, bound: int = GIBIBYTE):
        """`bound`: bytes on the disk in all, after `trim`."""
        self.folder = folder
        self.bound = bound
        self._added = 0

    def get(self, key: str) -> bytes | None:
        """The value; None: there is none, it is damaged, or others may write to it."""
        path = self._path(key)
        if not self._is_ours():
            return None
        try:
            with path.open("rb") as file:
                about = os.fstat(file.fileno())
                if not _is_safe(about) or not stat.S_ISREG(about.st_mode):
                    return None
                data = file.read()
            if time.time() - about.st_mtime > _FRESH:
                os.utime(path)
        except OSError:
            return None
        digest, value = data[:_DIGEST], data[_DIGEST:]
        return value if _digest_of(key, value) == digest else None

    def find(self, key: str, read: Callable[[bytes], T]) -> T | None:
        """What `read` makes of the value; None: there is none that it can read."""
        if (data := self.get(key)) is None:
            return None
        try:
            return read(data)
        except Exception:  # Whatever it is, it is not what was stored under this key.
            return None

    def put(self, key: str, value: bytes) -> None:
        """Store a value, in place of the one that is there."""
        path = self._path(key)
        if not self._is_ours():
            return
        with contextlib.suppress(OSError):
            handle, name = self._new_file(path.parent)
            try:
                with os.fdopen(handle, "wb") as out:
                    out.write(_digest_of(key, value) + value)
                os.replace(name, path)
                self._added += _on_disk(_DIGEST + len(value))
            except BaseException:
                os.unlink(name)
                raise

    def _new_file(self, folder: Path) -> tuple[int, str]:
        """An open file in a folder, which is made if there is none."""
        try:
            return tempfile.mkstemp(prefix=".new-", dir=folder)
        except FileNotFoundError:
            self.folder.parent.mkdir(parents=True, exist_ok=True)
            for made in (self.folder, folder):
                made.mkdir(mode=0o700, exist_ok=True)
            return tempfile.mkstemp(prefix=".new-", dir=folder)

    def trim(self) -> None:
        """Throw away what has not been used for longest, if there is too much.

        As long as there is not, this reads and writes one number.
        """
        with contextlib.suppress(OSError), self._locked() as lock:
            counted, total = _read_count(lock)
            total += self._added
            age = time.time() - counted
            if not 0 <= age < _COUNTED or total > self.bound:
                counted, total = time.time(), self._make_room()
            os.pwrite(lock, _COUNT.pack(counted, total), 0)
            self._added = 0

    @contextlib.contextmanager
    def _locked(self) -> Generator[int]:
        """The open file `lock`. OSError: it cannot be had, or another process has it.

        Then that process counts what is there, or this one's files at the next time.
        """
        lock = os.open(self.folder / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            yield lock
        finally:
            os.close(lock)

    def _make_room(self) -> int:
        """Throw away what is too much; how many bytes there are then."""
        entries = sorted(self._entries())
        total = sum(size for _, size, _ in entries)
        room = self.bound // _ROOM if total > self.bound else 0
        for _, size, path in entries:
            if total <= self.bound - room:
                break
            with contextlib.suppress(FileNotFoundError):
                os.unlink(path)
            total -= size
        return total

    def _is_ours(self) -> bool:
        """Whether only this user, or root, may put files into the folder.

        One of this user's to which others may write is closed to them.
        """
        try:
            about = os.stat(self.folder)
            if about.st_uid == os.geteuid() and about.st_mode & _OTHERS_WRITE:
                os.chmod(self.folder, stat.S_IMODE(about.st_mode) & ~_OTHERS_WRITE)
                return True  # What others have put there is still theirs.
            return _is_safe(about)
        except FileNotFoundError:
            return True  # It is going to be made.
        except OSError:
            return False

    def _path(self, key: str) -> Path:
        return self.folder / key[:2] / key[2:]

    def _entries(self) -> Iterator[tuple[int, int, str]]:
        """When each file was used last, its size, and where it is."""
        for folder in os.scandir(self.folder):
            if folder.is_dir():
                for entry in os.scandir(folder.path):
                    with contextlib.suppress(FileNotFoundError):
                        about = entry.stat()
                        yield about.st_mtime_ns, _on_disk(about.st_size), entry.path


_OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH


def _on_disk(size: int) -> int:
    """The bytes that a file of this size takes, in whole pages."""
    return -(-size // _PAGE) * _PAGE


def _is_safe(about: os.stat_result) -> bool:
    """Whether it belongs to this user or to root, and nobody else may write to it."""
    is_known = about.st_uid in (_ROOT, os.geteuid())
    return is_known and not about.st_mode & _OTHERS_WRITE


def _digest_of(key: str, value: bytes) -> bytes:
    return hashlib.sha256(f"{key}\0".encode() + value).digest()


_COUNT = struct.Struct("<dQ")
"""What is in the file `lock`: when files were counted, and how many bytes there are."""


def _read_count(lock: int) -> tuple[float, int]:
    """When files were counted, and the bytes there were; (-inf, 0): nobody knows."""
    data = os.pread(lock, _COUNT.size, 0)
    return _COUNT.unpack(data) if len(data) == _COUNT.size else (-math.inf, 0)


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
