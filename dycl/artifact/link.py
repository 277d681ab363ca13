"""From kernels' object code, and a host in C, to a shared object.

It needs libc and libm alone.
"""

import contextlib
import hashlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from dycl.kernels.cpu.keys import processor
from dycl.runtime.targets import NATIVE
from dycl.store import Store

_COMPILE = (
    *("-std=gnu11", "-O1", "-fPIC", "-fno-strict-aliasing", "-ffp-contract=off"),
    *("-fno-math-errno", "-fno-asynchronous-unwind-tables", "-w", "-c"),
)
_LINK = (
    "-shared",
    "-nostdlib",
    "-Wl,-Bsymbolic,-soname,model.so,--build-id=none,-z,noexecstack,-z,defs,-s",
)


BOUND = 1 << 28
"""Bytes of shared objects that are kept: one has the code of all its kernels."""
_ASKED_OF = (
    *("COMPILER_PATH", "GCC_EXEC_PREFIX", "CPATH", "C_INCLUDE_PATH", "LIBRARY_PATH"),
    *("CCC_OVERRIDE_OPTIONS", "SOURCE_DATE_EPOCH"),
)
"""Variables by which compilers choose their parts, headers and libraries."""


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
    store: Store | None = None,
) -> bytes:
    """A shared object of ELF object files, by kernel, and of one of the `sources`.

    `target` is the processor that it is for, one of `dycl.runtime.targets`, by which
    names compilers know it, too; None: any of its kind. In `store` it is looked for,
    and left. LinkError: the machine has no C compiler, or it fails.
    """
    cc = compiler()
    if cc is None:
        raise LinkError("a C compiler is needed for a native host: install gcc")
    machine = [] if target is None else [f"-march={target}"]
    compiling = [*_COMPILE, *machine, source]
    if store is None:
        return _built(cc, compiling, objects, sources)
    key = _key(cc, compiling, objects, sources)
    if (made := store.get(key)) is None:
        made = _built(cc, compiling, objects, sources)
        store.put(key, made)
        store.trim()
    return made


def _key(
    cc: str,
    compiling: Sequence[str],
    objects: Mapping[str, bytes],
    sources: Mapping[str, str],
) -> str:
    """The digest of all that decides a shared object."""
    found = hashlib.sha256()

    def note(part: str | bytes) -> None:
        data = part.encode() if isinstance(part, str) else part
        found.update(f"{len(data)}\0".encode() + data)

    about = os.stat(cc)
    facts = (os.path.realpath(cc), about.st_size, about.st_mtime_ns, _libc())
    settings = [(name, os.environ.get(name)) for name in _ASKED_OF]
    note(repr((facts, settings, compiling, _LINK, processor())))
    for name, text in sources.items():
        note(name)
        note(text)
    note("objects")
    for name, code in objects.items():
        note(name)
        note(code)
    return found.hexdigest()


def _libc() -> str | None:
    with contextlib.suppress(AttributeError, ValueError, OSError):
        return os.confstr("CS_GNU_LIBC_VERSION")
    return None


def _built(
    cc: str,
    compiling: Sequence[str],
    objects: Mapping[str, bytes],
    sources: Mapping[str, str],
) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        at = Path(folder)
        (at / "host").mkdir()  # a kernel may be called host
        for name, text in sources.items():
            (at / name).write_text(text, "utf-8")
        for name, code in objects.items():
            (at / f"{name}.o").write_bytes(code)
        (at / "objects").write_text("".join(f"{name}.o\n" for name in objects))
        _run([cc, *compiling, "-o", "host/host.o"], at)
        command = [cc, *_LINK, "-o", "model.so", "@objects", "host/host.o"]
        _run([*command, "-lm", "-lc"], at)
        return (at / "model.so").read_bytes()


def _run(command: Sequence[str], at: Path) -> None:
    done = subprocess.run(command, cwd=at, capture_output=True, text=True)
    if done.returncode:
        raise LinkError(f"`{' '.join(command)}` fails:\n{done.stderr.strip()}")
