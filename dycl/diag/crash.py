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
    """Write `dycl-crash-<hash>/` and return the error to raise `from cause`.

    The folder, made in `folder` or the current directory, holds `input.mlir`,
    `pipeline.txt`, `versions.txt`, `traceback.txt` and `reproduce.sh`. Its name
    depends on input, pipeline and error alone: the same crash writes the same folder.
    """
    headline = f"{type(cause).__name__}: {cause}".splitlines()[0]
    digest = hashlib.sha256("\0".join([input_ir, pipeline, headline]).encode())
    crash = (folder or Path()) / f"dycl-crash-{digest.hexdigest()[:8]}"
    command = f"dycl-opt input.mlir -p {shlex.quote(pipeline)}"
    files = {
        "input.mlir": input_ir,
        "pipeline.txt": pipeline + "\n",
        "versions.txt": _versions(),
        "traceback.txt": "".join(traceback.format_exception(cause)),
        "reproduce.sh": f'#!/bin/sh\ncd "$(dirname "$0")" && {command}\n',
    }
    crash.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (crash / name).write_text(text, encoding="utf-8")
    return InternalError(
        f"internal error[DY901]: {headline}; "
        f"to see it again: sh {crash.as_posix()}/reproduce.sh"
    )


def _versions() -> str:
    """One line for each package that matters; read from metadata, nothing imported."""
    lines = [f"python {platform.python_version()} on {platform.platform()}"]
    for package in ("dycl", "xdsl", "torch", "torch-mlir", "numpy"):
        try:
            lines.append(f"{package} {version(package)}")
        except PackageNotFoundError:
            lines.append(f"{package} (not installed)")
    return "\n".join(lines) + "\n"
