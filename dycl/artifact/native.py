"""A host in C, compiled and linked with its kernels."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from dycl.artifact.link import shared_object
from dycl.host.native import NativeProgram, headers
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
        sources = {"host.c": self.program.source, **headers()}
        tables = json.dumps(self.program.tables, separators=(",", ":"))
        texts = {**sources, "host.json": tables + "\n"}
        return {name: text.encode() for name, text in texts.items()}

    @cached_property
    def host(self) -> NativeHost:
        """The host, loaded into this process."""
        digest = hashlib.sha256(self.code).hexdigest()
        # As the artifact has them: what JSON changes is seen at once.
        tables: Any = json.loads(self.members["host.json"])
        return NativeHost(load_code(memoryview(self.code), digest), tables)


def build_native(
    program: NativeProgram, objects: Mapping[str, bytes], target: str = NATIVE
) -> NativeCode:
    """Compile a host for a target, and link it. LinkError: no C compiler; it fails."""
    sources = {"host.c": program.source, **headers()}
    return NativeCode(program, shared_object(objects, sources, target))
