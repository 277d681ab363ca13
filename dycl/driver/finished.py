"""Networks that were compiled before: all that was made of a program but machine code.

What `dycl.driver.finishing` makes depends on the program at the level `source`, on the
passes, the options and the processor. Under a digest of these it is kept as text; the
code of kernels and hosts stands in stores of its own, from which the text is completed.
"""

import hashlib
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from xdsl.dialects.builtin import ModuleOp

from dycl.artifact import NativeCode, TargetCode, build_native
from dycl.backends import backends_for, chosen_name, default_name
from dycl.compiled import CompiledModel
from dycl.driver.compilation import Compilation
from dycl.driver.inputs import Example
from dycl.driver.kernel_steps import KernelSteps
from dycl.host.native import NativeProgram
from dycl.kernels import KernelLibrary, NoObjectCode
from dycl.options import AUTO
from dycl.report.hcfg_data import graph_data, graph_of
from dycl.runtime.machine import processor
from dycl.runtime.signature import Signature
from dycl.support.plain_data import Format, NotPlainData
from dycl.support.store import Store, default_store
from dycl.toolchain import BOUND as HOSTS
from dycl.toolchain import LinkError

BOUND = 1 << 28


@dataclass(frozen=True)
class Code:
    """What is written for one processor."""

    host: NativeProgram | None
    """The host in C; None: decisions run in Python."""
    read: frozenset[str]
    """The weights whose own values runs read."""


@dataclass(frozen=True)
class Finished:
    """A network without weights and machine code."""

    kernels: str
    """The IR of the kernels alone, with the user's places, as backends take it."""
    codes: tuple[Code, ...]
    """For each target, in the order of the options."""
    host_source: str
    stages: dict[str, str]
    program: str
    why_python: str
    graph: dict[str, Any]
    """What `graph_data` gives."""
    outputs: list[Any]
    signature: dict[str, Any] | None
    """The data of the signature, if there is one."""
    rows: dict[str, Any] | None

    def __post_init__(self) -> None:
        """TypeError, ValueError, KeyError: it is not what `finished` made."""
        hosts = [code.host for code in self.codes if code.host is not None]
        texts: list[object] = [*self.stages, *self.stages.values(), self.program]
        texts += [self.kernels, self.host_source, self.why_python]
        texts += [host.source for host in hosts]
        if not all(isinstance(text, str) for text in texts):
            raise TypeError
        graph_of(self.graph)
        Signature.of(self.signature)


_FORMAT = Format(Finished, Code, NativeProgram)


class Networks:
    """The networks in a store. Nothing here fails: what is damaged is not found."""

    def __init__(self, store: Store | None = None):
        """`store`: the one in the user's cache, if there is none."""
        self.store = store or default_store("networks", BOUND)

    def get(self, key: str) -> Finished | None:
        """The network; None: there is none."""
        return self.store.find(key, _read)

    def put(self, key: str, network: Finished) -> None:
        """Keep a network, if all of it is plain data."""
        try:
            data = _FORMAT.to_bytes(network)
        except NotPlainData:
            return
        self.store.put(key, zlib.compress(data, 1))
        self.store.trim()


def _read(data: bytes) -> Finished:
    network = _FORMAT.from_bytes(zlib.decompress(data))
    if not isinstance(network, Finished):
        raise TypeError
    return network


def key_of(module: ModuleOp, example: Example, run: Compilation) -> str | None:
    """The key of what becomes of a program at `source`; None: it has to be made.

    It has where it is measured on the way, or is not all our backend's.
    """
    options = run.options
    narrows = (options.weight_dtype, options.matmul_dtype) != ("f32", "f32")
    ours = chosen_name(options) == default_name() and options.backend != AUTO
    program = run.key(module)
    if program is None or narrows or not ours or run.profile is not None:
        return None
    around = None if example.signature is None else example.signature.data
    try:
        signature = Format().to_bytes(around).decode()
    except NotPlainData:
        return None
    recorded = sorted(options.recorded.items())
    host = str(run.pipelines["host"])
    what = (program, host, repr(recorded), repr(options.targets), signature)
    return hashlib.sha256("\0".join((*what, processor())).encode()).hexdigest()


def finished(kernels: str, compiled: CompiledModel) -> Finished:
    """What is kept of a network; `kernels`: as backends were given them."""
    codes = tuple(
        Code(None if code.native is None else _plain(code.native.program), code.read)
        for code in compiled.codes
    )
    signature = compiled.signature
    return Finished(
        kernels,
        codes,
        compiled.host_source,
        compiled.stages,
        compiled.program,
        compiled.why_python,
        graph_data(compiled.graph),
        list(compiled.outputs),
        None if signature is None else signature.data,
        None if compiled.rows_form is None else dict(compiled.rows_form),
    )


def _plain(program: NativeProgram) -> NativeProgram:
    return NativeProgram(program.source, dict(program.tables), dict(program.names))


def completed(network: Finished, run: Compilation) -> list[TargetCode] | None:
    """The code for each target, from the stores; None: it cannot be linked here.

    A kernel that is no longer in its store is compiled.
    """
    backends = backends_for(run.options)
    if len(backends) != len(network.codes):
        return None
    made: list[TargetCode] = []
    for code, backend in zip(network.codes, backends, strict=True):
        with run.stage("kernels") as stage:
            steps = KernelSteps(run.listener)
            library = backend.compile(network.kernels, progress=steps.done)
            stage.detail = steps.told(library, chosen_name(run.options), backend.target)
        native = None
        if code.host is not None:
            with run.stage("native host"):
                native = _linked(code.host, library, backend.target)
            if native is None:
                return None
            library.use_linked(native.code)
        made.append(TargetCode(backend.target, library, native, code.read))
    return made


def bytes_told(compiled: CompiledModel) -> str:
    """How large the weights are, and what kernels want made of them, in words."""
    given, prepared = compiled.weight_bytes
    return f"{given / 1e6:.1f} MB, and {prepared / 1e6:.1f} MB made of them"


def _linked(
    program: NativeProgram, library: KernelLibrary, target: str
) -> NativeCode | None:
    """The host, linked with the kernels; None: the compiler that did it has gone."""
    store = default_store("hosts", HOSTS)
    try:
        objects = library.objects()
        return build_native(program, objects, library.symbols, target, store)
    except (LinkError, NoObjectCode):
        return None


def model_of(
    network: Finished,
    codes: list[TargetCode],
    run: Compilation,
    weights: Mapping[str, Any],
    aliases: Mapping[str, str],
) -> CompiledModel:
    """The network with its code, and weights as `finish` takes them."""
    with run.stage("weights") as stage:
        compiled = CompiledModel(
            network.host_source,
            codes,
            weights,
            network.stages,
            graph_of(network.graph),
            network.outputs,
            aliases,
            network.why_python,
            Signature.of(network.signature),
            network.program,
            network.rows,
        )
        stage.detail = bytes_told(compiled)
    compiled.options = run.options.recorded
    return compiled
