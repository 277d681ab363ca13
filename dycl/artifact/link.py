"""From kernels' object code, and a host in C, to a shared object.

It needs libc and libm alone.
"""

import shutil
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

_COMPILE = (
    *("-std=gnu11", "-O1", "-fPIC", "-fno-strict-aliasing", "-ffp-contract=off"),
    *("-fno-math-errno", "-fno-asynchronous-unwind-tables", "-w", "-c"),
)
_LINK = (
    "-shared",
    "-nostdlib",
    "-Wl,-Bsymbolic,-soname,model.so,--build-id=none,-z,noexecstack,-z,defs,-s",
)


class LinkError(RuntimeError):
    """The kernels, or the host in C, cannot be built; the text has the tool's words."""


def compiler() -> str | None:
    """The C compiler of this machine, or None."""
    return shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")


def shared_object(code: bytes, sources: Mapping[str, str] | None = None) -> bytes:
    """A shared object of an ELF object file, if any, and of `host.c` in `sources`.

    LinkError: the machine has no C compiler, or it fails.
    """
    cc = compiler()
    if cc is None:
        raise LinkError("a C compiler is needed to link the kernels: install gcc")
    with tempfile.TemporaryDirectory() as folder:
        at = Path(folder)
        objects: list[str] = []
        if code:
            (at / "kernels.o").write_bytes(code)
            objects.append("kernels.o")
        if sources is not None:
            for name, text in sources.items():
                (at / name).write_text(text, "utf-8")
            _run([cc, *_COMPILE, "host.c", "-o", "host.o"], at)
            objects.append("host.o")
        _run([cc, *_LINK, "-o", "model.so", *objects, "-lm", "-lc"], at)
        return (at / "model.so").read_bytes()


def _run(command: Sequence[str], at: Path) -> None:
    done = subprocess.run(command, cwd=at, capture_output=True, text=True)
    if done.returncode:
        raise LinkError(f"`{' '.join(command)}` fails:\n{done.stderr.strip()}")
