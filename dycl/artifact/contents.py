"""From a compiled model to the members of its artifact."""

import hashlib
import io
import json
import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import metadata
from pathlib import Path
from typing import Any, cast

import numpy as np

from dycl.artifact.archive import write_archive, write_folder, write_members
from dycl.artifact.native import NativeCode, entry_members
from dycl.artifact.program import packed_program
from dycl.artifact.tensors import weights_file
from dycl.diag import CompileError
from dycl.kernels import (
    KernelLibrary,
    KernelSpec,
    ScalarSpec,
    TensorSpec,
    preparation_name,
)
from dycl.report import Graph, graph_data, to_svg
from dycl.report.collapse import collapse
from dycl.runtime.inputs import InputSpec
from dycl.runtime.manifest import (
    CHECK,
    FORMAT,
    GRAPH,
    HOST,
    MANIFEST,
    PICTURE,
    PROGRAM,
    SINGLE,
    SOURCE_MAP,
    WEIGHTS,
    canonical,
)
from dycl.runtime.members import page_sums
from dycl.runtime.open_shapes import Shape, SizeRange
from dycl.runtime.seal import sealed
from dycl.runtime.target_members import DEVICE, beside_gpu
from dycl.runtime.targets import features_of, triple_of
from dycl.runtime.weight_set import Made
from dycl.toolchain import LinkError


@dataclass(frozen=True)
class TargetCode:
    """What is compiled for one kind of processor."""

    target: str
    """The processor: one of `dycl.runtime.targets`."""
    library: KernelLibrary
    native: NativeCode | None
    """The host in C, if there is one."""
    read: frozenset[str]
    """The weights whose own values runs read, not only what is made of them."""


@dataclass(frozen=True)
class Contents:
    """What an artifact is made of."""

    host_source: str
    codes: Sequence[TargetCode]
    """For each processor, the best first; they differ in no kernel's signature."""
    weights: Mapping[str, Any]
    left_out: Mapping[str, tuple[str, tuple[int, ...]]]
    """Dtype and shape of weights that are not in `weights`: no run reads them."""
    made: Mapping[str, Made]
    """What is made of the weights for kernels, of all of `codes`."""
    aliases: Mapping[str, str]
    """Second names of weights that a model has under two -> the name in `weights`."""
    graph: Graph
    inputs: Sequence[InputSpec]
    outputs: Sequence[Any]
    """What `forward` may return, as `dycl.host.outputs` describes it."""
    decisions: Sequence[tuple[str, str, str, int]]
    options: Mapping[str, Any]
    """What it was compiled with, to be read by people."""
    program: str
    """The IR of host and kernels, with the user's lines."""
    signature: Mapping[str, Any] | None = None
    """What is around the inputs: `dycl.runtime.signature`."""
    sizes: Sequence[SizeRange] = ()
    """What the names in the shapes of inputs may stand for."""
    rows: Mapping[str, Any] | None = None
    """What there is to know of inputs with rows: `dycl.runtime.rows`."""
    single: "Contents | None" = None
    """The network for one row, where many are computed together; without weights."""


def save(contents: Contents, path: Path, *, folder: bool = False) -> None:
    """Write an artifact. The same contents give the same bytes.

    OSError: it cannot be written.
    """
    members = _members(contents)
    (write_folder if folder else write_archive)(path, members)


def _inside(contents: Contents) -> bytes:
    """A file without weights, inside another one; nothing for C programs is in it."""
    members = _members(contents, is_whole=False)
    write_members(out := io.BytesIO(), members)
    return out.getvalue()


def _members(contents: Contents, is_whole: bool = True) -> dict[str, bytes]:
    contents = replace(contents, codes=_different(contents.codes))
    read = frozenset[str]().union(*(code.read for code in contents.codes))
    weights = contents.weights
    files = {
        HOST: contents.host_source.encode(),
        **(
            entry_members({c.target: c.native for c in contents.codes})
            if is_whole
            else {}
        ),
        **({} if contents.single is None else {SINGLE: _inside(contents.single)}),
        **{
            f"{_target_name(code)}/{name}": data
            for code in contents.codes
            for name, data in _code(code, contents.host_source.encode()).items()
        },
        GRAPH: _json(graph_data(contents.graph)),
        PICTURE: to_svg(collapse(contents.graph).graph).encode(),
        SOURCE_MAP: _json(_source_map(contents)),
        PROGRAM: packed_program(contents.program),
        WEIGHTS: weights_file(
            {path: array for path, array in weights.items() if path in read},
            contents.made,
            {path: array for path, array in weights.items() if path not in read},
        ),
    }
    manifest: dict[str, Any] = {
        "format": FORMAT,
        "made_by": _versions(),
        "targets": [_target(code) for code in contents.codes],
        "inputs": [
            {"name": spec.name, **_value(spec.dtype, spec.shape)}
            for spec in contents.inputs
        ],
        **(
            {"sizes": [_range(one) for one in contents.sizes]} if contents.sizes else {}
        ),
        **({} if contents.rows is None else {"rows": contents.rows}),
        "signature": contents.signature,
        "outputs": list(contents.outputs),
        "options": dict(contents.options),
        "aliases": dict(contents.aliases),
        "made": {
            name: list(prepared.weights) for name, prepared in contents.made.items()
        },
        "left_out": {
            path: _value(dtype, shape)
            for path, (dtype, shape) in contents.left_out.items()
        },
        "files": {
            name: {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
            for name, data in files.items()
        },
    }
    manifest["files"][WEIGHTS]["sums"] = page_sums(files[WEIGHTS])
    manifest[CHECK] = hashlib.sha256(canonical(manifest)).hexdigest()
    return {MANIFEST: _json(manifest), **files}


def _different(codes: Sequence[TargetCode]) -> list[TargetCode]:
    """One of each name: what a GPU computes alone is the same for each processor."""
    result: dict[str, TargetCode] = {}
    for code in codes:
        result.setdefault(_target_name(code), code)
    return [*result.values()]


def _for_device(code: TargetCode) -> bool:
    """Whether the kernels run on a GPU: the processor does not matter then."""
    return hasattr(code.library, "device_members")


def _engines(code: TargetCode) -> dict[str, bytes]:
    """The kernels that engines run, by the engine's name."""
    members: Any = getattr(code.library, "engine_members", dict[str, bytes])
    return members()


def _on_gpu(code: TargetCode) -> dict[str, bytes]:
    """The kernels that a GPU runs of a network of which it computes a part."""
    members: Any = getattr(code.library, "gpu_members", dict[str, bytes])
    return members()


def _coded(code: TargetCode) -> KernelLibrary:
    """The kernels that are object code."""
    return getattr(code.library, "coded", code.library)


def _target_name(code: TargetCode) -> str:
    if hasattr(code.library, "gpu_members"):
        return beside_gpu(code.target)
    return DEVICE if _for_device(code) else code.target


def _code(code: TargetCode, host: bytes) -> dict[str, bytes]:
    """What lies in the folder of a target."""
    if _for_device(code):
        library: Any = code.library
        return dict(library.device_members())
    engines = _engines(code)
    members = {f"engines/{name}.json": data for name, data in engines.items()}
    members |= _on_gpu(code)
    if code.native is None:
        library = _coded(code)
        if members and not library.specs:
            return members
        try:
            native = library.shared_object()
        except LinkError as error:
            raise CompileError(
                "DY504", f"the network runs here, but it cannot be saved: {error}"
            ) from error
    else:
        native, members = code.native.code, {**members, **code.native.members}
    kernels = _target(code)["kernels"]
    tables = members.get("host.json", b"")
    return {"model.so": sealed(native, host, tables, kernels), **members}


def _target(code: TargetCode) -> dict[str, Any]:
    if _for_device(code):
        return {"name": DEVICE, "triple": "", "features": []}
    library = _coded(code)
    entry: dict[str, Any] = {
        "name": _target_name(code),
        "triple": triple_of(code.target),
        "features": list(features_of(code.target)),
        "kernels": [_kernel(library, spec) for spec in library.specs],
    }
    if hasattr(code.library, "gpu_members"):
        entry["memories"] = [DEVICE]
    if engines := _engines(code):
        entry["engines"] = sorted(engines)
    return entry


def _versions() -> dict[str, str]:
    names = ("dycl", "xdsl", "torch", "torch-mlir")
    versions = {name: metadata.version(name) for name in names}
    return {"python": platform.python_version(), "numpy": np.__version__, **versions}


def _range(size: SizeRange) -> dict[str, Any]:
    return {"name": size.name, "min": size.low, "max": size.high}


def _value(dtype: str, shape: Shape | None) -> dict[str, Any]:
    if shape is None:
        return {"scalar": dtype}
    return {"dtype": dtype, "shape": list(shape)}


def _kernel(library: KernelLibrary, spec: KernelSpec) -> dict[str, Any]:
    """What the kernel takes and gives, and what is made of its weights beforehand."""

    def one(value: TensorSpec | ScalarSpec) -> dict[str, Any]:
        if isinstance(value, ScalarSpec):
            return _value(value.kind, None)
        return _value(value.dtype, value.shape)

    entry: dict[str, Any] = {
        "name": spec.name,
        "symbol": library.symbols[spec.name],
        "inputs": [one(value) for value in spec.inputs],
        "outputs": [one(value) for value in spec.outputs],
    }
    kernel = library[spec.name]
    if kernel.prepared is not None:
        entry["prepared"] = {
            "symbol": library.symbols[preparation_name(spec.name)],
            "weights": list(kernel.prepared.weights),
            "inputs_left": list(kernel.inputs_left),
            "outputs": [one(value) for value in kernel.prepared.outputs],
            "recipes": [
                [recipe.digest, list(recipe.weights)]
                for recipe in kernel.prepared.recipes
            ],
        }
    if kernel.workspace:
        entry["workspace"] = kernel.workspace
    return entry


def _source_map(contents: Contents) -> dict[str, Any]:
    """Places in the user's files, which are named without their folders."""
    kernels: dict[str, Any] = {}
    for spec in contents.codes[0].library.specs:
        if spec.location is not None:
            file = spec.location.file.replace("\\", "/").rpartition("/")[2]
            kernels[spec.name] = {"file": file, "line": spec.location.line}
    decisions = [
        {"name": name, "test": test, "file": file, "line": line}
        for name, test, file, line in contents.decisions
    ]
    return {"kernels": kernels, "decisions": decisions}


def _json(value: Any) -> bytes:
    return (_text(value, 2) + "\n").encode()


def _text(value: Any, levels: int, pad: str = "") -> str:
    """JSON with a line for each entry of the outer levels."""
    if not levels or not isinstance(value, dict | list) or not value:
        return json.dumps(value)
    inner = f"{pad} "
    if isinstance(value, dict):
        entries = cast("dict[str, Any]", value).items()
        lines = [f"{json.dumps(k)}: {_text(v, levels - 1, inner)}" for k, v in entries]
        start, end = "{}"
    else:
        lines = [_text(v, levels - 1, inner) for v in cast("list[Any]", value)]
        start, end = "[]"
    return f"{start}\n{inner}" + f",\n{inner}".join(lines) + f"\n{pad}{end}"
