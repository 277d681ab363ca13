"""A host in C, compiled and linked with its kernels."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from dycl.artifact.link import LinkError, compiler, shared_object
from dycl.host.native import NativeProgram, headers, print_entry
from dycl.runtime.library import load_code
from dycl.runtime.native import NativeHost
from dycl.runtime.targets import NATIVE
from dycl.store import Store

_LEAST = "x86-64"
"""What every processor of the kind can run, as LLVM calls it."""


@dataclass(frozen=True)
class NativeCode:
    """The host's text and tables, and the shared object with it and the kernels."""

    program: NativeProgram
    code: bytes

    @property
    def members(self) -> Mapping[str, bytes]:
        """What the artifact gets of it, besides model.so."""
        tables = json.dumps(self.program.tables, separators=(",", ":"))
        texts = {"host.c": self.program.source, "host.json": tables + "\n"}
        return {name: text.encode() for name, text in texts.items()}

    @cached_property
    def host(self) -> NativeHost:
        """The host, loaded into this process."""
        digest = hashlib.sha256(self.code).hexdigest()
        # As the artifact has them: what JSON changes is seen at once.
        tables: Any = json.loads(self.members["host.json"])
        return NativeHost(load_code(memoryview(self.code), digest), tables)


def entry_members(natives: Mapping[str, NativeCode | None]) -> dict[str, bytes]:
    """What C programs see of an artifact: headers, and the library that takes the
    host of the best target that the processor can run. By target, the best first.

    Nothing, if a target has no native host.
    """
    found = [native for native in natives.values() if native is not None]
    if not found or len(found) < len(natives):
        return {}
    sources = {"model.c": print_entry(found[0].program, [*natives]), **headers()}
    if compiler() is None:
        code = _through_llvm({}, sources, _LEAST, "model.c")
    else:
        code = shared_object({}, sources, None, "model.c")
    members = {name: text.encode() for name, text in sources.items()}
    return {**members, "model.so": code}


def build_native(
    program: NativeProgram,
    objects: Mapping[str, bytes],
    target: str = NATIVE,
    store: Store | None = None,
) -> NativeCode:
    """Compile a host for a target, and link it; `store` may have it from before.

    LinkError: no C compiler; it fails.
    """
    sources = {"host.c": program.source, **headers()}
    code = shared_object(objects, sources, target, store=store)
    return NativeCode(program, code)


def build_with_llvm(
    program: NativeProgram, objects: Mapping[str, bytes], target: str = NATIVE
) -> NativeCode:
    """The same through LLVM: no C compiler is needed.

    LinkError: the host is not understood, or LLVM or the linker cannot do it.
    """
    sources = {"host.c": program.source, **headers()}
    return NativeCode(program, _through_llvm(objects, sources, target, "host.c"))


def _through_llvm(
    objects: Mapping[str, bytes], sources: Mapping[str, str], target: str, source: str
) -> bytes:
    """What `shared_object` gives, without the machine's compiler and linker."""
    from dycl.cc import CannotCompile, compile_c
    from dycl.kernels.cpu.children import Died, in_child
    from dycl.kernels.cpu.mlir import MLIRError
    from dycl.kernels.cpu.objects.elf import BadObject
    from dycl.kernels.cpu.objects.link import CannotLink, link
    from dycl.kernels.cpu.objects.llvm_object import compile_llvm

    try:
        compiled = compile_c(sources, source)
        given = (compiled.text, target, "dycl_run", compiled.elsewhere)
        host = in_child(compile_llvm, *given)
        if not isinstance(host, Died):
            return link([(host, {}), *((one, {}) for one in objects.values())])
    except (BadObject, CannotCompile, CannotLink, MLIRError, RuntimeError) as error:
        raise LinkError(f"LLVM cannot compile {source}: {error}") from error
    raise LinkError(f"LLVM dies of {source} ({host.why})")
