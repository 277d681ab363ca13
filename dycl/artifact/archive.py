"""Members as a zip archive or a folder: the same members give the same bytes."""

import os
import shutil
import tempfile
import zipfile
from collections.abc import Mapping
from pathlib import Path

ALIGNMENT = 64
PAGE = 4096
"""In the archive each member starts at a multiple of ALIGNMENT, one of at least a page
at a page, so that it can be mapped."""

_FILLER_FIELD = 0xD935
"""The kind of extra field that tools for aligned archives use as a filler."""
_LOCAL_HEADER = 30
_ZIP64_FIELD = 20


def write_archive(path: Path, members: Mapping[str, bytes]) -> None:
    """Write a zip archive, all or nothing: readers never see half a file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with (
            os.fdopen(handle, "wb") as out,
            zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as archive,
        ):
            for member, data in members.items():
                archive.writestr(_info(member, data, out.tell()), data)
        os.chmod(name, 0o644)
        os.replace(name, path)
    except BaseException:
        os.unlink(name)
        raise


def write_folder(path: Path, members: Mapping[str, bytes]) -> None:
    """Write a folder with a file for each member; one that is there is replaced.

    FileExistsError: there is a folder that is no artifact.
    """
    if path.exists() and not (path / "manifest.json").is_file() and any(path.iterdir()):
        raise FileExistsError(f"'{path}' is a folder with other files in it")
    path.parent.mkdir(parents=True, exist_ok=True)
    made = Path(tempfile.mkdtemp(prefix=f".{path.name}.", dir=path.parent))
    try:
        for member, data in members.items():
            (made / member).parent.mkdir(exist_ok=True)
            (made / member).write_bytes(data)
        os.chmod(made, 0o755)
        if path.exists():
            shutil.rmtree(path)
        os.replace(made, path)
    except BaseException:
        shutil.rmtree(made, ignore_errors=True)
        raise


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
