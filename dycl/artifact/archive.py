"""Members as a zip archive or a folder: the same members give the same bytes."""

import errno
import os
import shutil
import tempfile
import zipfile
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO

ALIGNMENT = 64
PAGE = 4096
"""In the archive each member starts at a multiple of ALIGNMENT, one of at least a page
at a page, so that it can be mapped."""

_FILLER_FIELD = 0xD935
"""The kind of extra field that tools for aligned archives use as a filler."""
_LOCAL_HEADER = 30
_ZIP64_FIELD = 20


def write_archive(path: Path, members: Mapping[str, bytes]) -> None:
    """Write a zip archive, all or nothing: readers never see half a file.

    OSError: it cannot be written; what was there before is there still.
    """
    with _all_or_nothing(path):
        _make_folder(path.parent)
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
        try:
            with os.fdopen(handle, "wb") as out:
                write_members(out, members)
            os.chmod(name, 0o644)
            os.replace(name, path)
        except BaseException:
            os.unlink(name)
            raise


def write_members(out: IO[bytes], members: Mapping[str, bytes]) -> None:
    """Write a zip archive, from the beginning of a file on. OSError."""
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as archive:
        for member, data in members.items():
            archive.writestr(_info(member, data, out.tell()), data)


def write_folder(path: Path, members: Mapping[str, bytes]) -> None:
    """Write a folder with a file for each member; one that is there is replaced.

    FileExistsError: there is something that is no artifact. OSError: it cannot be
    written; what was there before is there still.
    """
    with _all_or_nothing(path):
        if path.exists() and not _is_ours(path):
            raise FileExistsError(
                errno.EEXIST, "there is a file, or a folder with other files in it"
            )
        _make_folder(path.parent)
        folder = Path(tempfile.mkdtemp(prefix=f".{path.name}.", dir=path.parent))
        new, old = folder / "new", folder / "old"
        try:
            for member, data in members.items():
                (new / member).parent.mkdir(parents=True, exist_ok=True)
                (new / member).write_bytes(data)
            os.chmod(new, 0o755)
            if path.exists():
                os.replace(path, old)
            try:
                os.replace(new, path)
            except OSError:
                if old.exists():
                    os.replace(old, path)
                raise
        finally:
            shutil.rmtree(folder, ignore_errors=True)


def _make_folder(path: Path) -> None:
    try:
        path.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError) as error:
        raise NotADirectoryError(
            errno.ENOTDIR, f"'{error.filename}' is not a folder"
        ) from error


def _is_ours(path: Path) -> bool:
    if not path.is_dir():
        return False
    return (path / "manifest.json").is_file() or not any(path.iterdir())


@contextmanager
def _all_or_nothing(path: Path) -> Generator[None]:
    """Says of what the system refuses which artifact it was about."""
    try:
        yield
    except OSError as error:
        why = error.strerror or str(error)
        text = f"'{path}' cannot be written: {why}; nothing was changed"
        raise OSError(error.errno, text) from error


def _info(name: str, data: bytes, offset: int) -> zipfile.ZipInfo:
    """A stored member without time or owner, whose content will be aligned."""
    info = zipfile.ZipInfo(name, date_time=(1980, 1, 1, 0, 0, 0))
    info.create_system = 3
    info.external_attr = 0o100644 << 16
    start = offset + _LOCAL_HEADER + len(name.encode()) + 4
    if len(data) > zipfile.ZIP64_LIMIT:
        start += _ZIP64_FIELD
    fill = -start % (ALIGNMENT if len(data) < PAGE else PAGE)
    head = _FILLER_FIELD.to_bytes(2, "little") + fill.to_bytes(2, "little")
    info.extra = head + bytes(fill)
    return info
