"""The members of an artifact, be it a file or a folder, mapped into memory.

The file is a zip archive whose members are stored as they are, so that each can be
mapped where it lies.
"""

import hashlib
import mmap
import struct
import zipfile
from collections.abc import Mapping
from pathlib import Path

import numpy as np


class ArtifactError(ValueError):
    """An artifact cannot be loaded; the text says why, and what to do."""

    code = "DY603"

    def __str__(self) -> str:
        """The sentence, and the code to look up."""
        return f"{super().__str__()} ({self.code})"


def open_members(path: Path) -> Mapping[str, memoryview]:
    """Name -> content. ArtifactError: it is no artifact; OSError: it cannot be read."""
    if path.is_dir():
        found = (*path.glob("*"), *path.glob("*/*"))
        files = sorted(file for file in found if file.is_file())
        return {file.relative_to(path).as_posix(): _mapped(file) for file in files}
    whole = _mapped(path)
    try:
        with zipfile.ZipFile(path) as archive:
            return {i.filename: _member(whole, i) for i in archive.infolist()}
    except _NO_ARCHIVE as error:
        raise ArtifactError(
            f"'{path}' is no .dycl file, or it is damaged: {error}"
        ) from error


_NO_ARCHIVE = (
    *(zipfile.BadZipFile, struct.error),
    # What else zipfile raises of bytes that it does not understand.
    *(NotImplementedError, ValueError, OverflowError, EOFError),
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


def _mapped(file: Path) -> memoryview:
    """The content of a file; it lives as long as someone looks at it."""
    with file.open("rb") as opened:
        try:
            return memoryview(mmap.mmap(opened.fileno(), 0, access=mmap.ACCESS_READ))
        except ValueError:  # an empty file cannot be mapped
            return memoryview(b"")
