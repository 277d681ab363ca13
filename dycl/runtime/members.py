"""The members of an artifact, be it a file or a folder, mapped into memory.

The file is a zip archive whose members are stored as they are, so that each can be
mapped where it lies. A file that is mapped may be replaced or removed, but not written
to: that would change, or take away, the memory of a network that runs.
"""

from __future__ import annotations

import hashlib
import io
import mmap
import os
import struct
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import IO

import numpy as np


class ArtifactError(ValueError):
    """An artifact cannot be loaded; the text says why, and what to do."""

    code = "DY603"

    def __str__(self) -> str:
        """The sentence, and the code to look up."""
        return f"{super().__str__()} ({self.code})"


class Members:
    """What is in an artifact; and whether the files still are what was opened."""

    def __init__(self, path: Path, *, mapped: bool = True):
        """ArtifactError: it is no artifact; OSError: it cannot be read.

        Without `mapped` the content is copied, and what becomes of the files is no
        matter.
        """
        self._path = path
        self._opened: list[_Opened] = []
        self._is_mapped = mapped
        self.whole: memoryview | None = None
        """The file; None: it is a folder."""
        self.content: Mapping[str, memoryview] = (
            self._folder() if path.is_dir() else self._archive()
        )
        """Name -> content."""

    def inner(self, name: str) -> Members:
        """What is in a member that is a file of its own. ArtifactError: it is none."""
        made = Members.__new__(Members)
        made._path, made._is_mapped, made._opened = self._path, self._is_mapped, []
        made.whole = content = self.content[name]
        try:
            made.content = _listed(content, io.BytesIO(content))
        except _NO_ARCHIVE as error:
            raise ArtifactError(
                f"'{self._path}' is damaged: {name} is no .dycl file: {error}"
            ) from error
        return made

    def check(self, is_right: Callable[[], bool]) -> None:
        """ArtifactError if a file that is mapped was written to.

        Where only a file's time is another one, `is_right` says whether its content is
        as it was.
        """
        wrong = [item for item in self._opened if item.was_changed()]
        if not wrong:
            return
        if any(item.has_other_size() for item in wrong) or not is_right():
            raise ArtifactError(
                f"'{self._path}' was written to while a network that was loaded from "
                "it is in use: load it again. Save to another file and rename that, as "
                "`save` does, or load with map=False"
            )
        for item in wrong:
            item.accept()

    def _folder(self) -> dict[str, memoryview]:
        path = self._path
        paths = (*path.glob("*"), *path.glob("*/*"))
        files = sorted(file for file in paths if file.is_file())
        content: dict[str, memoryview] = {}
        for file in files:
            with file.open("rb") as opened:
                content[file.relative_to(path).as_posix()] = self._content(opened, file)
        return content

    def _archive(self) -> dict[str, memoryview]:
        if self._path.exists() and not self._path.is_file():
            raise ArtifactError(f"'{self._path}' is neither a file nor a folder")
        try:
            with self._path.open("rb") as opened:
                self.whole = content = self._content(opened, self._path)
                return _listed(content, opened)
        except _NO_ARCHIVE as error:
            raise ArtifactError(
                f"'{self._path}' is not a .dycl file, or it is damaged: {error}"
            ) from error

    def _content(self, opened: io.BufferedReader, file: Path) -> memoryview:
        """What is in a file; it lives as long as someone looks at it."""
        about = os.fstat(opened.fileno())
        if about.st_size == 0:
            return memoryview(b"")
        if self._is_mapped:
            self._opened.append(_Opened(file, about))
            whole = mmap.mmap(opened.fileno(), 0, access=mmap.ACCESS_READ)
            return memoryview(whole)
        copy = memoryview(mmap.mmap(-1, about.st_size))  # it begins at a page
        opened.seek(0)
        read = opened.readinto(copy)
        return copy[:read].toreadonly()


class _Opened:
    """A file that is mapped, and what it was like."""

    def __init__(self, file: Path, about: os.stat_result):
        self._file = file
        self._before = about
        self._now = about

    def was_changed(self) -> bool:
        """Whether the very file, not one in its place, was written to or touched."""
        try:
            self._now = self._file.stat()
        except OSError:
            return False  # gone, or out of reach: what is mapped stays
        before, now = self._before, self._now
        if (before.st_dev, before.st_ino) != (now.st_dev, now.st_ino):
            return False
        return before.st_mtime_ns != now.st_mtime_ns or self.has_other_size()

    def has_other_size(self) -> bool:
        """Whether, when it was last looked at, it was longer or shorter."""
        return self._before.st_size != self._now.st_size

    def accept(self) -> None:
        """Take it for what it is now."""
        self._before = self._now


_NO_ARCHIVE = (
    *(zipfile.BadZipFile, struct.error),
    # What else zipfile raises of bytes that it does not understand.
    *(NotImplementedError, ValueError, OverflowError, EOFError, LookupError),
)

_ROW = 4096
_AT_ONCE = 64
"""Rows that are summed both ways while they are in the cache."""


def page_sums(data: bytes | memoryview) -> str:
    """A digest of weights that is found at the speed of memory; SHA-256 is not.

    The data is a table of 8-byte words, a page in each row; the digest is of the sums
    of its rows and columns and of its size. A change of one word changes its row's sum,
    words that change places change the sums of columns or rows.
    """
    whole = len(data) // _ROW * _ROW
    table = np.frombuffer(data[:whole], "<u8").reshape(-1, _ROW // 8)
    last = np.frombuffer(bytes(data[whole:]).ljust(_ROW, b"\0"), "<u8")
    digest = hashlib.sha256(len(data).to_bytes(8, "little"))
    columns = last.copy()
    for start in range(0, len(table), _AT_ONCE):
        rows = table[start : start + _AT_ONCE]
        digest.update(np.add.reduce(rows, axis=1).tobytes())
        columns += np.add.reduce(rows, axis=0)
    digest.update(np.add.reduce(last).tobytes())
    digest.update(columns.tobytes())
    return digest.hexdigest()


def _listed(content: memoryview, opened: IO[bytes]) -> dict[str, memoryview]:
    """The members of an archive that is opened, and of which this is the content."""
    with zipfile.ZipFile(opened) as archive:
        listed = archive.infolist()
        members = {i.filename: _member(content, i) for i in listed}
        if len(members) < len(listed):
            raise zipfile.BadZipFile("two of its members have one name")
        return members


_LOCAL = struct.Struct("<4s22xHH")
"""A member's own header: its signature, the lengths of its name and extra field."""


def _member(whole: memoryview, info: zipfile.ZipInfo) -> memoryview:
    start = info.header_offset
    signature, name, extra = _LOCAL.unpack_from(whole, start)
    start += _LOCAL.size + name + extra
    is_stored = info.compress_type == zipfile.ZIP_STORED
    if signature != b"PK\3\4" or not is_stored or start + info.file_size > len(whole):
        raise zipfile.BadZipFile(f"'{info.filename}' is not stored in it")
    return whole[start : start + info.file_size]
