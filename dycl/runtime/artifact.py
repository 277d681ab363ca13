"""Load a `.dycl`: check it, map its weights, bind its kernels.

manifest.json        what is in it, for which machine, and the hash of each member
host.py              the program of decisions
model.so             the kernels
weights.safetensors  the weights, by state-dict name
hcfg.json            decisions, kernels and how they follow one another
srcmap.json          where the user wrote each
"""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, cast

from dycl.runtime.library import NativeLibrary, load_code
from dycl.runtime.machine import cpu_features, triple
from dycl.runtime.members import ArtifactError, open_members
from dycl.runtime.native import NativeHost
from dycl.runtime.net import CompiledNet
from dycl.runtime.weights import read_weights

FORMAT = 1
"""The version of the format that is written and read."""

MANIFEST = "manifest.json"
CHECK = "check"
"""In the manifest: the hash of all that stands in it besides."""


class LoadedNet(CompiledNet):
    """A network loaded from an artifact; see `CompiledNet`."""

    def __init__(
        self,
        path: Path,
        members: Mapping[str, memoryview],
        manifest: Any,
        host: str = "auto",
    ):
        """Bind members that were checked. ArtifactError: it lacks that host."""
        self.manifest: dict[str, Any] = manifest
        """Format, target, inputs, kernels, files."""
        self._members = members
        digest = manifest["files"]["model.so"]["sha256"]
        native, library = None, {}
        if "host.json" in manifest["files"] and host != "python":
            code = load_code(members["model.so"], digest)
            native = NativeHost(code, json.loads(bytes(members["host.json"])))
        elif host == "native":
            raise ArtifactError(f"'{path}' has no native host: use host='auto'")
        else:
            library = NativeLibrary(members["model.so"], digest, manifest["kernels"])
        weights = read_weights(members["weights.safetensors"], "weights.safetensors")
        super().__init__(
            bytes(members["host.py"]).decode(),
            library,
            weights,
            filename=f"<{path.name}/host.py>",
            aliases=manifest["aliases"],
            native=native,
        )

    @property
    def hcfg(self) -> dict[str, Any]:
        """Nodes and edges of the control flow, for pictures."""
        return json.loads(bytes(self._members["hcfg.json"]))

    @property
    def source_map(self) -> dict[str, Any]:
        """Where the user wrote kernels and decisions."""
        return json.loads(bytes(self._members["srcmap.json"]))


def load(
    path: str | Path,
    *,
    host: Literal["auto", "native", "python"] = "auto",
    verify: bool = True,
) -> LoadedNet:
    """Load an artifact, a file or a folder. NumPy is all that it needs.

    `host` says what runs the decisions: native code where the artifact has it, or
    Python. `verify=False` does not read all weights to compare their hash.
    ArtifactError: it is damaged, of another version or for another machine, or has no
    native host. OSError: it cannot be read.
    """
    path = Path(path)
    members = open_members(path)
    manifest = _manifest(path, members)
    _check_machine(path, manifest["target"])
    _check_members(path, members, manifest["files"], verify)
    return LoadedNet(path, members, manifest, host)


def canonical(manifest: Mapping[str, Any]) -> bytes:
    """The bytes of a manifest that its own hash is of."""
    entries = {key: value for key, value in manifest.items() if key != CHECK}
    return json.dumps(entries, sort_keys=True, separators=(",", ":")).encode()


def _manifest(path: Path, members: Mapping[str, memoryview]) -> dict[str, Any]:
    if MANIFEST not in members:
        raise ArtifactError(f"'{path}' is no artifact: it has no {MANIFEST}")
    try:
        found = json.loads(bytes(members[MANIFEST]))
    except ValueError as error:
        raise _damaged(path, MANIFEST) from error
    if not isinstance(found, dict) or "format" not in found:
        raise _damaged(path, MANIFEST)
    manifest = cast("dict[str, Any]", found)
    if manifest["format"] != FORMAT:
        raise ArtifactError(
            f"'{path}' has format {manifest['format']}; this version of dycl reads "
            f"format {FORMAT}: save it anew, or install the version that wrote it"
        )
    if hashlib.sha256(canonical(manifest)).hexdigest() != manifest.get(CHECK):
        raise _damaged(path, MANIFEST)
    return manifest


def _check_machine(path: Path, target: Mapping[str, Any]) -> None:
    if target["triple"] != triple():
        raise ArtifactError(
            f"'{path}' was compiled for {target['triple']}; this machine is "
            f"{triple()}: compile it there"
        )
    if missing := [f for f in target["features"] if f not in cpu_features()]:
        raise ArtifactError(
            f"'{path}' was compiled for a processor with {', '.join(missing)}, which "
            "this one lacks: compile it on this machine, or on one of its kind"
        )


def _check_members(
    path: Path,
    members: Mapping[str, memoryview],
    files: Mapping[str, Any],
    verify: bool,
) -> None:
    for name, entry in files.items():
        if name not in members:
            raise ArtifactError(f"'{path}' is damaged: {name} is missing")
        data = members[name]
        if len(data) != entry["bytes"]:
            raise _damaged(path, name)
        if not verify and name.endswith(".safetensors"):
            continue
        if hashlib.sha256(data).hexdigest() != entry["sha256"]:
            raise _damaged(path, name)


def _damaged(path: Path, name: str) -> ArtifactError:
    return ArtifactError(
        f"'{path}' is damaged: {name} is not what was saved; copy or save it anew"
    )
