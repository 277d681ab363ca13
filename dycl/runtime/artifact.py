"""Load a `.dycl`: check it, map its weights, bind its kernels.

manifest.json        what is in it, for which machines, and the hash of each member
host.py              the program of decisions
TARGET/model.so      for each kind of processor the kernels, and the native host
TARGET/host.json     what values of the native host mean
cuda/kernels.json    kernels for a GPU, as PTX; such a network has no other code
model.so             for C programs: takes one of those
weights.safetensors  the weights by state-dict name, and what is made of them
hcfg.json            decisions, kernels and how they follow one another
srcmap.json          where the user wrote each
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, cast

from dycl.runtime.buffers import Array
from dycl.runtime.cuda import CudaKernels
from dycl.runtime.cuda.kernels import from_json
from dycl.runtime.library import NativeLibrary, load_code
from dycl.runtime.machine import cpu_features, triple
from dycl.runtime.members import ArtifactError, Members, page_sums
from dycl.runtime.native import NativeHost
from dycl.runtime.net import CompiledNet
from dycl.runtime.signature import Signature
from dycl.runtime.weight_set import Made, WeightSet
from dycl.runtime.weights import read_weights

FORMAT = 4
"""The version of the format that is written and read: of its members, and of the
layouts by which Python calls its code (`dycl.runtime.objects`, `cells`, `tensors`)."""

MANIFEST = "manifest.json"
WEIGHTS = "weights.safetensors"
DEVICE = "cuda"
"""The target whose kernels run on a GPU, and its host in Python on any processor."""
CHECK = "check"
"""In the manifest: the hash of all that stands in it besides."""


class LoadedNet(CompiledNet):
    """A network loaded from an artifact; see `CompiledNet`."""

    def __init__(
        self,
        path: Path,
        members: Members,
        manifest: Any,
        target: Mapping[str, Any],
        host: str = "auto",
    ):
        """Bind members that were checked. ArtifactError: it lacks that host."""
        self.manifest: dict[str, Any] = manifest
        """Format, targets, inputs, files."""
        self.target: str = target["name"]
        """The kind of processor that the code which runs was compiled for."""
        self._members = members
        native, library = self._code(path, members, manifest, target, host)
        weights = _weights(members[WEIGHTS], manifest)
        super().__init__(
            bytes(members["host.py"]).decode(),
            library,
            weights,
            filename=f"<{path.name}/host.py>",
            aliases=manifest["aliases"],
            native=native,
            signature=Signature.of(manifest.get("signature")),
        )

    def _code(
        self, path: Path, members: Members, manifest: Any, target: Any, host: str
    ) -> tuple[NativeHost | None, Any]:
        """The native host, if that is to run, and the kernels for the printed one."""
        if self.target == DEVICE:
            if host == "native":
                raise ArtifactError(f"'{path}' has no native host: use host='auto'")
            codes = from_json(bytes(members[f"{DEVICE}/kernels.json"]))
            return None, CudaKernels(codes)
        name, tables = f"{self.target}/model.so", f"{self.target}/host.json"
        digest = manifest["files"][name]["sha256"]
        if tables in manifest["files"] and host != "python":
            code = load_code(members[name], digest)
            return NativeHost(code, json.loads(bytes(members[tables]))), {}
        if host == "native":
            raise ArtifactError(f"'{path}' has no native host: use host='auto'")
        return None, NativeLibrary(members[name], digest, target["kernels"])

    def check_file(self) -> None:
        """ArtifactError: the file, which is mapped, was written to.

        That is found by its size and time, and done where more than a call is asked:
        for a thread's first call, other weights, a new state, a picture.
        """
        files = self.manifest["files"]
        self._members.check(lambda: _first_wrong(self._members, files, True) is None)

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
        return json.loads(bytes(self._members["hcfg.json"]))

    @property
    def source_map(self) -> dict[str, Any]:
        """Where the user wrote kernels and decisions."""
        self.check_file()
        return json.loads(bytes(self._members["srcmap.json"]))


def load(
    path: str | Path,
    *,
    host: Literal["auto", "native", "python"] = "auto",
    target: str | None = None,
    verify: bool = True,
    map: bool = True,
) -> LoadedNet:
    """Load an artifact, a file or a folder. NumPy is all that it needs.

    `host` says what runs the decisions: native code where the artifact has it, or
    Python. Of an artifact for several kinds of processors the best that this one can
    run is taken, or the one that `target`, or else the environment variable
    DYCL_TARGET, names. `verify=False` does not read the weights to look for damage.
    `map=False` copies the file into memory: it may then be written to, but processes
    do not share it. A file that is mapped may be replaced by renaming, or removed.
    ArtifactError: it is damaged, of another version or for other machines, or has no
    native host. OSError: it cannot be read.
    """
    path = Path(path)
    members = Members(path, mapped=map)
    manifest = _manifest(path, members)
    wanted = target or os.environ.get("DYCL_TARGET") or None
    chosen = _choose(path, manifest["targets"], wanted)
    _check_members(path, members, manifest["files"], verify)
    net = LoadedNet(path, members, manifest, chosen, host)
    net.check_file()
    return net


def _weights(data: memoryview, manifest: Mapping[str, Any]) -> WeightSet:
    params, stored = read_weights(data, WEIGHTS)
    prepared = {
        name: Made(tuple(paths), *stored[name])
        for name, paths in manifest["made"].items()
        if name in stored
    }
    left_out = {
        path: (entry["dtype"], tuple(entry["shape"]))
        for path, entry in manifest["left_out"].items()
    }
    return WeightSet(params, prepared, left_out)


def canonical(manifest: Mapping[str, Any]) -> bytes:
    """The bytes of a manifest that its own hash is of."""
    entries = {key: value for key, value in manifest.items() if key != CHECK}
    return json.dumps(entries, sort_keys=True, separators=(",", ":")).encode()


def _manifest(path: Path, members: Mapping[str, memoryview]) -> dict[str, Any]:
    if MANIFEST not in members:
        raise ArtifactError(f"'{path}' is not an artifact: it has no {MANIFEST}")
    try:
        content = json.loads(bytes(members[MANIFEST]))
    except ValueError as error:
        raise _damaged(path, MANIFEST) from error
    if not isinstance(content, dict) or "format" not in content:
        raise _damaged(path, MANIFEST)
    manifest = cast("dict[str, Any]", content)
    if manifest["format"] != FORMAT:
        raise ArtifactError(
            f"'{path}' has format {manifest['format']}; this version of dycl reads "
            f"format {FORMAT}: save it again, or install the version that wrote it"
        )
    if hashlib.sha256(canonical(manifest)).hexdigest() != manifest.get(CHECK):
        raise _damaged(path, MANIFEST)
    return manifest


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
                return target
            lacks = [f for f in target["features"] if f not in cpu_features()]
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


def _check_members(
    path: Path,
    members: Mapping[str, memoryview],
    files: Mapping[str, Any],
    verify: bool,
) -> None:
    for name in files:
        if name not in members:
            raise ArtifactError(f"'{path}' is damaged: {name} is missing")
    wrong = _first_wrong(members, files, verify)
    if wrong is not None:
        raise _damaged(path, wrong)


def _first_wrong(
    members: Mapping[str, memoryview], files: Mapping[str, Any], verify: bool
) -> str | None:
    """The first member that is not what was saved; None: all are."""
    for name, entry in files.items():
        data = members[name]
        if len(data) != entry["bytes"]:
            return name
        if "sums" in entry:
            is_right = not verify or page_sums(data) == entry["sums"]
        else:
            is_right = hashlib.sha256(data).hexdigest() == entry["sha256"]
        if not is_right:
            return name
    return None


def _damaged(path: Path, name: str) -> ArtifactError:
    return ArtifactError(
        f"'{path}' is damaged: {name} is not what was saved; copy or save it again"
    )
