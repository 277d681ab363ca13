"""From an object file to a shared object that needs libc and libm alone."""

import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

_FLAGS = (
    "-shared",
    "-nostdlib",
    "-Wl,-Bsymbolic,-soname,model.so,--build-id=none,-z,noexecstack,-z,defs,-s",
)


class LinkError(RuntimeError):
    """The kernels cannot be linked; the text has the linker's words."""


def compiler() -> str | None:
    """The C compiler of this machine, or None."""
    return shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")


def shared_object(code: bytes, symbols: Sequence[str]) -> bytes:
    """A shared object with the global `symbols` of an ELF object file.

    LinkError: the machine has no C compiler to link with, or it fails.
    """
    cc = compiler()
    if cc is None:
        raise LinkError("a C compiler is needed to link the kernels: install gcc")
    with tempfile.TemporaryDirectory() as folder:
        at = Path(folder)
        (at / "kernels.o").write_bytes(code)
        _link(cc, at)
        return (at / "model.so").read_bytes()


def _link(cc: str, at: Path) -> None:
    command = [cc, *_FLAGS, "-o", "model.so", "kernels.o", "-lm", "-lc"]
    done = subprocess.run(command, cwd=at, capture_output=True, text=True)
    if done.returncode:
        raise LinkError(f"`{' '.join(command)}` fails:\n{done.stderr.strip()}")
