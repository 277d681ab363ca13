"""Load a `.dycl`: check it, map its weights, bind its kernels.

manifest.json        what is in it, for which machines, and the hash of each member
host.py              the program of decisions
single.dycl          the network for one row, where many rows are computed together
TARGET/model.so      for each kind of processor the kernels, and the native host
TARGET/host.json     what values of the native host mean
TARGET/engines/..    kernels that an engine runs, as models in ONNX
TARGET/kernels.json  kernels that a GPU runs, as PTX, of a network that is divided
TARGET/copies.json   what is copied between its memory and that of the processor
cuda/kernels.json    kernels for a GPU, as PTX
cuda/graph.json      the network as one graph, or its segments as graphs
model.so             for C programs: takes one of those
weights.safetensors  the weights by state-dict name, and what is made of them
hcfg.json            decisions, kernels and how they follow one another
hcfg.svg             the same as a picture
srcmap.json          where the user wrote each
program.mlir.zlib    the IR of host and kernels, which `dycl.check` compares with
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from dycl.runtime.buffers import Array
from dycl.runtime.cuda import CudaKernels, why_no_gpu
from dycl.runtime.cuda.kernels import from_json
from dycl.runtime.cuda.mixed import MixedKernels, copies_from_json
from dycl.runtime.cuda.tree import trees_from_json
from dycl.runtime.decisions import Decision
from dycl.runtime.engines import EngineKernel, EngineMissing
from dycl.runtime.engines.kernels import from_json as kernels_of_engine
from dycl.runtime.keywords import suggests
from dycl.runtime.library import NativeLibrary, load_code
from dycl.runtime.machine import cpu_features, triple
from dycl.runtime.manifest import HOST, unfit
from dycl.runtime.members import ArtifactError
from dycl.runtime.native import NativeHost
from dycl.runtime.net import CompiledNet
from dycl.runtime.notebook import as_html
from dycl.runtime.rows import Rows
from dycl.runtime.saved import Saved
from dycl.runtime.signature import Signature
from dycl.runtime.target_members import (
    DEVICE,
    TREE,
    code_of,
    member_of_engine,
    members_for_gpu,
    targets_for_one_row,
)
from dycl.runtime.weight_set import WeightSet


class LoadedNet(CompiledNet):
    """A network loaded from an artifact; see `CompiledNet`."""

    def __init__(
        self,
        saved: Saved,
        target: Mapping[str, Any],
        host: str = "auto",
        weights: WeightSet | None = None,
    ):
        """Bind the code for a target, and `weights`, or those that are saved.

        ArtifactError: it lacks that host.
        """
        self.manifest: dict[str, Any] = saved.manifest
        self.options: dict[str, Any] = saved.manifest["options"]
        """What it was compiled with, by the names of `dycl.CompileOptions`."""
        """Format, targets, inputs, files."""
        self.target: str = target["name"]
        """The kind of processor that the code which runs was compiled for."""
        self._saved = saved
        native, library = self._code(saved, target, host)
        super().__init__(
            bytes(saved[HOST]).decode(),
            library,
            saved.weights() if weights is None else weights,
            filename=f"<{saved.path.name}/host.py>",
            aliases=self.manifest["aliases"],
            native=native,
            signature=Signature.of(self.manifest["signature"]),
        )
        inputs = [(s.name, s.dtype, s.shape) for s in self.inputs]
        listed = [_listed(entry) for entry in self.manifest["inputs"]]
        if inputs != listed:
            raise unfit(saved.path, "its manifest lists other inputs than its host")
        form = self.manifest.get("rows")
        self.single = None if form is None else self._single(saved, host)
        """The same for one row, where many are computed together."""
        self.rows = None
        """How it is called with many rows, if it is compiled for that."""
        if form is not None:
            self.rows = Rows(self, form, self.single)

    def __call__(self, *args: object, **kwargs: object) -> Any:
        """Run the network. InputError: an argument does not fit."""
        if self.rows is None:
            return super().__call__(*args, **kwargs)
        return self.rows(args, kwargs)

    def _single(self, saved: Saved, host: str) -> LoadedNet | None:
        """The network for one row, with the weights of this one."""
        if (inner := saved.single()) is None:
            return None
        targets = targets_for_one_row(inner.manifest["targets"], self.target)
        if not targets:
            raise unfit(saved.path, f"it has no code for one row for {self.target}")
        chosen = _choose(saved.path, targets, None)
        return LoadedNet(inner, chosen, host, self.weight_set)

    def use(self, weights: WeightSet) -> None:
        """Run with these weights from the next call on, also with few rows."""
        if self.single is not None:
            self.single.use(weights)
        super().use(weights)

    @property
    def paths(self) -> tuple[tuple[Decision, ...], ...]:
        """The decisions of each row of the last call. TypeError: it has no rows."""
        if self.rows is None:
            raise TypeError("the network was not compiled with rows: it has one path")
        return self.rows.paths

    def _code(
        self, saved: Saved, target: Mapping[str, Any], host: str
    ) -> tuple[NativeHost | None, Any]:
        """The native host, if that is to run, and the kernels for the printed one."""
        tables = f"{self.target}/host.json"
        if host == "native" and not saved.has(tables):
            raise ArtifactError(f"'{saved.path}' has no native host: use host='auto'")
        if self.target == DEVICE:
            return None, _on_device(saved)
        gpu = members_for_gpu(target)
        if saved.has(tables) and host != "python":
            code, digest = saved.code(target)
            kernels = _by_engines(saved, target)
            mixed = _mixed(saved, {}, *gpu) if gpu else None
            told = saved.json(tables)
            return NativeHost(load_code(code, digest), told, kernels, mixed), {}
        if gpu:
            return None, _mixed(saved, _with_engines(saved, target), *gpu)
        if not target.get("engines"):
            code, digest = saved.code(target)
            return None, NativeLibrary(code, digest, target.get("kernels", []))
        return None, _with_engines(saved, target)

    def __repr__(self) -> str:
        """File, target, inputs, decisions, host and weights, in one line."""
        return self._summary(f"'{self._saved.path.name}'", f"for {self.target}")

    def _repr_html_(self) -> str:
        """The network for notebooks: its picture, inputs, decisions and weights."""
        return as_html(repr(self), self, self._saved.picture())

    def check_file(self) -> None:
        """ArtifactError: the file, which is mapped, was written to.

        That is found by its size and time, and done where more than a call is asked:
        for a thread's first call, other weights, a new state, a picture.
        """
        self._saved.check_file()

    def reset_state(self) -> None:
        """Make the state what it was when the model was compiled."""
        self.check_file()
        super().reset_state()

    @property
    def weights(self) -> Mapping[str, Array]:
        """The weights by name, as they are now, in mapped memory; see `CompiledNet`.

        ArtifactError: their file was written to.
        """
        self.check_file()
        return super().weights

    @property
    def hcfg(self) -> dict[str, Any]:
        """Nodes and edges of the control flow, for pictures."""
        self.check_file()
        return self._saved.graph()

    @property
    def program(self) -> str:
        """The IR of host and kernels, with the user's lines; "": it is not there.

        ArtifactError: it is no such text.
        """
        self.check_file()
        return self._saved.program()

    @property
    def kernels(self) -> Any:
        """The kernels of the code that runs, by name; of a GPU's there are none here.

        ArtifactError: they cannot be loaded.
        """
        self.check_file()
        if self.target == DEVICE:
            return {}
        targets = {target["name"]: target for target in self.manifest["targets"]}
        target = targets[self.target]
        if members_for_gpu(target):
            return {}
        code, digest = self._saved.code(target)
        return NativeLibrary(code, digest, target.get("kernels", []))

    @property
    def source_map(self) -> dict[str, Any]:
        """Where the user wrote kernels and decisions."""
        self.check_file()
        return self._saved.source_map()


_UNFIT = (
    *(ArithmeticError, AssertionError, AttributeError, LookupError, NameError),
    *(RecursionError, SyntaxError, TypeError, ValueError),
)
"""What is raised where parts of an artifact do not fit one another."""


@suggests
def load(
    path: str | Path,
    *,
    host: Literal["auto", "native", "python"] = "auto",
    target: str | None = None,
    verify: bool = True,
    map: bool = True,
    expect_sha256: str | None = None,
) -> LoadedNet:
    """Load an artifact, a file or a folder. NumPy is all that it needs.

    A network is a program: load those only whose maker you trust. `expect_sha256` is
    what `sha256sum` says of the file (of a folder, of its manifest.json): of any other
    file nothing runs.

    `host` says what runs the decisions: native code where the artifact has it, or
    Python. Of an artifact for several kinds of processors the best that this one can
    run is taken, or the one that `target`, or else the environment variable
    DYCL_TARGET, names. `verify=False` does not read the weights to look for damage.
    `map=False` copies the file into memory: it may then be written to, but processes
    do not share it. A file that is mapped may be replaced by renaming, or removed.
    ArtifactError: it is damaged, of another version or for other machines, not the one
    that is expected, or has no native host. OSError: it cannot be read.
    """
    if host not in ("auto", "native", "python"):
        raise ValueError(f"host is {host!r}, not 'auto', 'native' or 'python'")
    saved = Saved(Path(path), mapped=map, verify=verify, expect_sha256=expect_sha256)
    wanted = target or os.environ.get("DYCL_TARGET") or None
    chosen = _choose(saved.path, saved.manifest["targets"], wanted)
    try:
        net = LoadedNet(saved, chosen, host)
    except ArtifactError:
        raise
    except _UNFIT as error:
        raise unfit(saved.path, f"{type(error).__name__}: {error}") from error
    net.check_file()
    return net


def _listed(entry: Mapping[str, Any]) -> tuple[str, str, tuple[int, ...] | None]:
    if "scalar" in entry:
        return entry["name"], entry["scalar"], None
    return entry["name"], entry["dtype"], tuple(entry["shape"])


def _choose(
    path: Path, targets: Sequence[Mapping[str, Any]], wanted: str | None
) -> Mapping[str, Any]:
    """The first of the targets that this machine can run, or the one that is named."""
    names = [target["name"] for target in targets]
    if wanted is not None and wanted not in names:
        raise ArtifactError(
            f"'{path}' has no code for '{wanted}', only for {', '.join(names)}"
        )
    why: list[str] = []
    for target in targets:
        if wanted in (None, target["name"]):
            if target["name"] == DEVICE:
                # One that is asked for, or the only one, says when it is called.
                if len(targets) == 1 or wanted or not (lacking := why_no_gpu()):
                    return target
                why.append(f"{lacking} (for {DEVICE})")
                continue
            lacks = [f for f in target["features"] if f not in cpu_features()]
            if members_for_gpu(target) and len(targets) > 1 and not wanted:
                lacks += [lacking] if (lacking := why_no_gpu()) else []
            if target["triple"] != triple():
                why.append(f"{target['triple']} (for {target['name']})")
            elif lacks:
                why.append(f"{', '.join(lacks)} (for {target['name']})")
            else:
                return target
    raise ArtifactError(
        f"'{path}' has no code that this machine, {triple()}, can run. What it lacks: "
        f"{'; '.join(why)}. Compile it on this machine, or for a target that fits it"
    )


def _on_device(saved: Saved) -> CudaKernels:
    """The kernels for a GPU, and the network as one graph, if it is one."""
    codes = from_json(bytes(saved[code_of(DEVICE)]))
    if not saved.has(TREE):
        return CudaKernels(codes)
    must_be_whole = bool(saved.manifest["options"].get("whole_graph"))
    return CudaKernels(
        codes, lambda: trees_from_json(bytes(saved[TREE])), must_be_whole
    )


def _mixed(
    saved: Saved, others: Mapping[str, Any], kernels: str, copies: str
) -> MixedKernels:
    """The kernels of a GPU, `others` of the processor, and what copies between both.

    ArtifactError: a member has no copies.
    """
    try:
        between = copies_from_json(saved.json(copies))
    except (LookupError, TypeError, ValueError) as error:
        raise unfit(saved.path, f"{copies} has no copies") from error
    codes = from_json(bytes(saved[kernels]))
    return MixedKernels(CudaKernels(codes), others, between)


def _with_engines(saved: Saved, target: Mapping[str, Any]) -> dict[str, Any]:
    """Kernels for the printed host: those of engines, and those that are code.

    ArtifactError: what `_by_engines` raises.
    """
    result: dict[str, Any] = {}
    if kernels := target.get("kernels", []):
        code, digest = saved.code(target)
        library = NativeLibrary(code, digest, kernels)
        result = {entry["name"]: library[entry["name"]] for entry in kernels}
    return result | _by_engines(saved, target)


def _by_engines(saved: Saved, target: Mapping[str, Any]) -> dict[str, EngineKernel]:
    """The kernels of a target that engines run.

    ArtifactError: an engine is not there, or a member has no kernels for it.
    """
    result: dict[str, EngineKernel] = {}
    for engine in target.get("engines", []):
        member = member_of_engine(target["name"], engine)
        try:
            result |= kernels_of_engine(saved.json(member)).by_name
        except EngineMissing as error:
            raise ArtifactError(f"'{saved.path}': {error.args[0]}") from error
        except (LookupError, TypeError, ValueError) as error:
            raise unfit(saved.path, f"{member} has no kernels for {engine}") from error
    return result
