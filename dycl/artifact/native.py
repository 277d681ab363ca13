"""A host in C, compiled and linked with its kernels."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from dycl.host.native import NativeProgram, common, headers, print_entry, print_header
from dycl.runtime.cuda.mixed import MixedKernels
from dycl.runtime.engines import EngineKernel
from dycl.runtime.library import load_code
from dycl.runtime.native import NativeHost
from dycl.runtime.targets import NATIVE
from dycl.support.store import Store
from dycl.toolchain import Common, shared_object


@dataclass(frozen=True)
class NativeCode:
    """The host's text and tables, and the shared object with it and the kernels."""

    program: NativeProgram
    code: bytes
    engines: Mapping[str, EngineKernel] = field(default_factory=dict[str, EngineKernel])
    """The kernels that engines run, by name."""
    gpu: MixedKernels | None = None
    """Those of a GPU, and copies, of a network of which it computes a part."""

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
        library = load_code(memoryview(self.code), digest)
        return NativeHost(library, tables, self.engines, self.gpu)


def entry_members(natives: Mapping[str, NativeCode | None]) -> dict[str, bytes]:
    """What C programs see of an artifact: headers, and the library that takes the
    host of the best target that the processor can run. By target, the best first.

    Nothing, if a target has no native host, or engines or a GPU run some kernels.
    """
    hosts = [native for native in natives.values() if native is not None]
    if not hosts or len(hosts) < len(natives):
        return {}
    if any(one.engines or one.gpu is not None for one in hosts):
        return {}
    sources = {"model.c": print_entry(hosts[0].program, [*natives]), **headers()}
    code = shared_object({}, sources, None, "model.c", common=_common("pick.c"))
    texts = sources | common() | {"network.h": print_header(hosts[0].program)}
    members = {name: text.encode() for name, text in texts.items()}
    return {**members, "model.so": code}


def build_native(
    program: NativeProgram,
    objects: Mapping[str, bytes],
    symbols: Mapping[str, str],
    target: str = NATIVE,
    store: Store | None = None,
) -> NativeCode:
    """Compile a host for a target, and link it; `store` may have it from before.

    `objects` and `symbols` are those of a `KernelLibrary`. LinkError: there is no C
    compiler, or it fails.
    """
    sources = {"host.c": program.source, **headers()}
    # In host.c a kernel may have another name: not every name is free in C.
    names = {short: symbols[name] for short, name in program.names.items()}
    code = shared_object(
        objects, sources, target, "host.c", names, store, _common("dycl.c")
    )
    return NativeCode(program, code)


def _common(source: str) -> Common:
    return Common(source, headers() | common())
