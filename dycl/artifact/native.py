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


@dataclass(frozen=True)
class NativeCode:
    """The host's text and tables, and the shared object with it and the kernels."""

    program: NativeProgram
    code: bytes

    @property
    def members(self) -> Mapping[str, bytes]:
        """What the artifact gets of it, besides model.so."""
        name = "host.mlir" if self.program.language == "llvm" else "host.c"
        tables = json.dumps(self.program.tables, separators=(",", ":"))
        texts = {name: self.program.source, "host.json": tables + "\n"}
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

    Nothing, if a target has no native host, or there is no C compiler to build it.
    """
    found = [native for native in natives.values() if native is not None]
    if not found or len(found) < len(natives) or compiler() is None:
        return {}
    sources = {"model.c": print_entry(found[0].program, [*natives]), **headers()}
    members = {name: text.encode() for name, text in sources.items()}
    return {**members, "model.so": shared_object({}, sources, None, "model.c")}


def build_native(
    program: NativeProgram, objects: Mapping[str, bytes], target: str = NATIVE
) -> NativeCode:
    """Compile a host for a target, and link it. LinkError: no C compiler; it fails."""
    sources = {"host.c": program.source, **headers()}
    return NativeCode(program, shared_object(objects, sources, target))


def build_with_llvm(
    program: NativeProgram, objects: Mapping[str, bytes], target: str = NATIVE
) -> NativeCode:
    """The same of a host in the LLVM dialect, without a C compiler.

    LinkError: LLVM or the linker cannot do it.
    """
    from dycl.kernels.cpu.objects.elf import BadObject
    from dycl.kernels.cpu.objects.link import CannotLink, link
    from dycl.kernels.cpu.objects.llvm_object import compile_llvm

    try:
        host = compile_llvm(program.source, target, "dycl_run", program.calls)
        code = link([(host, {}), *((one, {}) for one in objects.values())])
    except (BadObject, CannotLink, RuntimeError) as error:
        raise LinkError(f"LLVM cannot make a host of it: {error}") from error
    return NativeCode(program, code)
