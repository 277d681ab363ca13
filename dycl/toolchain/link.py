"""From kernels' object code, and a host in C, to a shared object.

It needs libc and libm alone.
"""

import contextlib
import hashlib
import os
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from dycl.runtime.machine import processor
from dycl.runtime.targets import NATIVE
from dycl.support.store import Store
from dycl.toolchain.compiler import INSTALL, CCompiler, find_compiler

_COMPILE = (
    *("-std=gnu11", "-O1", "-fPIC", "-fno-strict-aliasing", "-ffp-contract=off"),
    *("-fno-math-errno", "-fno-asynchronous-unwind-tables", "-w", "-c"),
)
_LINK = (
    "-shared",
    "-nostdlib",
    "-Wl,-Bsymbolic,-soname,model.so,--build-id=none,-z,noexecstack,-s",
    "-Wl,--gc-sections",
)
_LIBRARIES = ("-lm", "-lc", "-Wl,-z,defs")
"""All that is needed from elsewhere: what these lack is an error."""
_SECTIONS = ("-ffunction-sections", "-fdata-sections")
"""Of what many have in common each takes what it uses."""


BOUND = 1 << 28
"""Bytes of shared objects that are kept: one has the code of all its kernels."""
_ASKED_OF = (
    *("COMPILER_PATH", "GCC_EXEC_PREFIX", "CPATH", "C_INCLUDE_PATH", "LIBRARY_PATH"),
    *("CCC_OVERRIDE_OPTIONS", "SOURCE_DATE_EPOCH"),
)
"""Variables by which compilers choose their parts, headers and libraries."""


class LinkError(RuntimeError):
    """The kernels, or the host in C, cannot be built; the text has the tool's words."""


class Common(NamedTuple):
    """C that many shared objects have in common: it is compiled once for all."""

    source: str
    """The one of the `sources` that is compiled."""
    sources: Mapping[str, str]


_common: dict[str, bytes] = {}
"""The objects of what is common that this process has had, by `_key`."""


def shared_object(
    objects: Mapping[str, bytes],
    sources: Mapping[str, str] | None = None,
    target: str | None = NATIVE,
    source: str | None = None,
    names: Mapping[str, str] | None = None,
    store: Store | None = None,
    common: Common | None = None,
) -> bytes:
    """A shared object of ELF object files, by a name that is a file's, and of C.

    `source` is the one of the `sources` that is compiled; None: there are only
    objects. `names` are those by which it calls symbols of the objects: name -> symbol.
    `target` is the processor that it is for, one of `dycl.runtime.targets`; None: any
    of its kind. `common` is linked with it. In `store` both are looked for, and left.
    LinkError: the machine has no C compiler, or it fails.
    """
    cc = find_compiler()
    if cc is None:
        raise LinkError(f"there is no C compiler: {INSTALL}")
    texts = dict(sources or {})
    compiling: list[str] = []
    if source is not None:
        compiling = [*_COMPILE, *cc.options_for(target), source]
    if names:
        texts["names.h"] = "".join(f"#define {n} {s}\n" for n, s in names.items())
        compiling += ["-include", "names.h"]
    options = [*_COMPILE, *_SECTIONS, *cc.options_for(target)]
    shared = ""
    if common is not None:
        options.append(common.source)
        shared = _key(cc, options, {}, common.sources)

    def build() -> bytes:
        others: dict[str, bytes] = {}
        if common is not None:
            others[common.source] = _object_of(cc, options, common, shared, store)
        return _built(cc, compiling, objects, texts, others)

    if store is None:
        return build()
    key = _key(cc, compiling, objects, texts, shared)
    if (result := store.find(key, _elf)) is None:
        result = build()
        store.put(key, result)
        store.trim()
    return result


def object_file(source: str, target: str, store: Store | None = None) -> bytes:
    """The ELF object file of a text in C, for a processor. In `store` it is looked for,
    and left. LinkError: the machine has no C compiler, or it fails."""
    cc = find_compiler()
    if cc is None:
        raise LinkError(f"there is no C compiler: {INSTALL}")
    options = [*_COMPILE, "-O3", *cc.options_for(target), "kernel.c"]
    sources = {"kernel.c": source}
    key = _key(cc, options, {}, sources)
    return _object_of(cc, options, Common("kernel.c", sources), key, store)


def _key(
    cc: CCompiler,
    compiling: Sequence[str],
    objects: Mapping[str, bytes],
    sources: Mapping[str, str],
    common: str = "",
) -> str:
    """The digest of all that decides a shared object; `common`: that of what it has in
    common with others."""
    digest = hashlib.sha256()

    def note(part: str | bytes) -> None:
        data = part.encode() if isinstance(part, str) else part
        digest.update(f"{len(data)}\0".encode() + data)

    settings = [(name, os.environ.get(name)) for name in _ASKED_OF]
    linking = *_LINK, *_LIBRARIES
    note(
        repr((cc.identity, _libc(), settings, compiling, linking, processor(), common))
    )
    for name, text in sources.items():
        note(name)
        note(text)
    note("objects")
    for name, code in objects.items():
        note(name)
        note(code)
    return digest.hexdigest()


def _elf(data: bytes) -> bytes:
    """The data, if it looks like an object."""
    if not data.startswith(b"\x7fELF"):
        raise ValueError
    return data


def _libc() -> str | None:
    with contextlib.suppress(AttributeError, ValueError, OSError):
        return os.confstr("CS_GNU_LIBC_VERSION")
    return None


def _object_of(
    cc: CCompiler,
    options: Sequence[str],
    common: Common,
    key: str,
    store: Store | None,
) -> bytes:
    """The object of what is common, which this process or the store may have."""
    result = _common.get(key)
    if result is None and store is not None:
        result = store.find(key, _elf)
    if result is None:
        with tempfile.TemporaryDirectory() as folder:
            at = Path(folder)
            for name, text in common.sources.items():
                (at / name).write_text(text, "utf-8")
            _run([*cc.command, *options, "-o", "common.o"], at)
            result = (at / "common.o").read_bytes()
        if store is not None:
            store.put(key, result)
    _common[key] = result
    return result


def _built(
    cc: CCompiler,
    compiling: Sequence[str],
    objects: Mapping[str, bytes],
    sources: Mapping[str, str],
    others: Mapping[str, bytes],
) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        at = Path(folder)
        (at / "host").mkdir()  # a kernel may be called host
        for name, text in sources.items():
            (at / name).write_text(text, "utf-8")
        for name, code in objects.items():
            (at / f"{name}.o").write_bytes(code)
        for name, code in others.items():
            (at / "host" / f"{name}.o").write_bytes(code)
        linked = [f"{name}.o" for name in objects]
        linked += [f"host/{name}.o" for name in others]
        if compiling:
            _run([*cc.command, *compiling, "-o", "host/host.o"], at)
            linked.append("host/host.o")
        (at / "objects").write_text("".join(f"{name}\n" for name in linked))
        command = [*cc.command, *_LINK, "-o", "model.so", "@objects", *_LIBRARIES]
        _run(command, at)
        return (at / "model.so").read_bytes()


def _run(command: Sequence[str], at: Path) -> None:
    try:
        done = subprocess.run(command, cwd=at, capture_output=True, text=True)
    except OSError as error:
        raise LinkError(f"`{command[0]}` cannot be run: {error}") from error
    if done.returncode:
        raise LinkError(f"`{' '.join(command)}` fails:\n{done.stderr.strip()}")
