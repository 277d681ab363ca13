"""From kernels' object code, and a host in C, to a shared object.

It needs libc and libm alone.
"""

import shutil
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from dycl.runtime.targets import NATIVE

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


def shared_object(
    objects: Mapping[str, bytes],
    sources: Mapping[str, str],
    target: str | None = NATIVE,
    source: str = "host.c",
) -> bytes:
    """A shared object of ELF object files, by kernel, and of one of the `sources`.

    `target` is the processor that it is for, one of `dycl.runtime.targets`, by which
    names compilers know it, too; None: any of its kind. LinkError: the machine has no
    C compiler, or it fails.
    """
    cc = compiler()
    if cc is None:
        raise LinkError("a C compiler is needed for a native host: install gcc")
    with tempfile.TemporaryDirectory() as folder:
        at = Path(folder)
        (at / "host").mkdir()  # a kernel may be called host
        for name, text in sources.items():
            (at / name).write_text(text, "utf-8")
        for name, code in objects.items():
            (at / f"{name}.o").write_bytes(code)
        (at / "objects").write_text("".join(f"{name}.o\n" for name in objects))
        machine = [] if target is None else [f"-march={target}"]
        _run([cc, *_COMPILE, *machine, source, "-o", "host/host.o"], at)
        command = [cc, *_LINK, "-o", "model.so", "@objects", "host/host.o"]
        _run([*command, "-lm", "-lc"], at)
        return (at / "model.so").read_bytes()


def _run(command: Sequence[str], at: Path) -> None:
    done = subprocess.run(command, cwd=at, capture_output=True, text=True)
    if done.returncode:
        raise LinkError(f"`{' '.join(command)}` fails:\n{done.stderr.strip()}")
