"""Reproducers: what a developer needs to see an internal error again."""

import hashlib
import platform
import shlex
import traceback
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from dycl.diag.errors import InternalError


def report_crash(
    cause: BaseException, input_ir: str, pipeline: str, folder: Path | None = None
) -> InternalError:
    """Write `dycl-crash-<hash>/` and return the error to raise `from cause`."""
    return internal_error(cause, crash_folder(cause, input_ir, pipeline, folder))


def crash_folder(
    cause: BaseException, input_ir: str, pipeline: str, folder: Path | None = None
) -> Path:
    """Write `dycl-crash-<hash>/` for passes that fail on a module.

    The folder is that of `write_reproducer`, and holds `pipeline.txt`, too.
    """
    command = f"dycl-opt input.mlir -p {shlex.quote(pipeline)}"
    crash = write_reproducer(cause, input_ir, command, folder)
    (crash / "pipeline.txt").write_text(pipeline + "\n", encoding="utf-8")
    return crash


def write_reproducer(
    cause: BaseException, input_ir: str, command: str, folder: Path | None = None
) -> Path:
    """Write `dycl-crash-<hash>/` for a command that fails on `input.mlir`.

    The folder, made in `folder` or the current directory, holds `input.mlir`,
    `versions.txt`, `traceback.txt` and `reproduce.sh`. Its name depends on input,
    command and error alone: the same crash writes the same folder.
    """
    digest = hashlib.sha256("\0".join([input_ir, command, _headline(cause)]).encode())
    crash = (folder or Path()) / f"dycl-crash-{digest.hexdigest()[:8]}"
    files = {
        "input.mlir": input_ir,
        "versions.txt": _versions(),
        "traceback.txt": "".join(traceback.format_exception(cause)),
        "reproduce.sh": f'#!/bin/sh\ncd "$(dirname "$0")" && {command}\n',
    }
    crash.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (crash / name).write_text(text, encoding="utf-8")
    return crash


def internal_error(cause: BaseException, crash: Path) -> InternalError:
    """The error to raise `from cause`, for a folder that shows it again."""
    return InternalError(
        f"internal error[DY901]: {_headline(cause)}; {see_again(crash)}"
    )


def see_again(crash: Path) -> str:
    """What to do with the folder."""
    return f"to see it again: sh {crash.as_posix()}/reproduce.sh"


def _headline(cause: BaseException) -> str:
    return f"{type(cause).__name__}: {cause}".splitlines()[0]


def _versions() -> str:
    """One line for each package that matters; read from metadata, nothing imported."""
    lines = [f"python {platform.python_version()} on {platform.platform()}"]
    for package in ("dycl", "xdsl", "torch", "torch-mlir", "numpy"):
        try:
            lines.append(f"{package} {version(package)}")
        except PackageNotFoundError:
            lines.append(f"{package} (not installed)")
    return "\n".join(lines) + "\n"
