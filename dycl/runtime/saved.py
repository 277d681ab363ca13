"""An artifact that was opened and checked, and of which nothing has run.

`load` goes on from here, `dycl verify` and `dycl show` stay here.
"""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from dycl.runtime.manifest import (
    GRAPH,
    HOST,
    LARGEST_PROGRAM,
    MANIFEST,
    PICTURE,
    PROGRAM,
    SINGLE,
    SOURCE_MAP,
    WEIGHTS,
    check_graph,
    check_source_map,
    damaged,
    read_json,
    read_manifest,
    unfit,
)
from dycl.runtime.members import ArtifactError, Members, page_sums
from dycl.runtime.seal import BrokenSeal, unsealed
from dycl.runtime.target_members import DEVICE, code_of, has_code
from dycl.runtime.weight_set import Made, WeightSet
from dycl.runtime.weights import read_weights


class Saved:
    """The members of an artifact, checked against its manifest."""

    def __init__(
        self,
        path: Path,
        *,
        mapped: bool = True,
        verify: bool = True,
        expect_sha256: str | None = None,
        around: Saved | None = None,
    ):
        """`verify`: look for damage in the weights, too. `around`: the artifact that it
        is in, as the network for one row.

        ArtifactError: it is damaged, of another version, or not the file whose SHA-256
        is expected. OSError: it cannot be read.
        """
        self.path = path
        self._around = around
        if around is None:
            self._members = Members(path, mapped=mapped)
        else:
            self._members = around._members.inner(SINGLE)
        if expect_sha256 is not None:
            self._expect(expect_sha256)
        self.manifest = read_manifest(path, self._members.content)
        self._files: Mapping[str, Any] = self.manifest["files"]
        for name in self._files:
            if name not in self._members.content:
                raise ArtifactError(f"'{path}' is damaged: {name} is missing")
        is_exact = expect_sha256 is not None and self._members.whole is None
        wrong = self._first_wrong(verify, is_exact)
        if wrong is not None:
            raise damaged(path, wrong)

    @property
    def sha256(self) -> str:
        """Of the file, as `sha256sum` has it; of a folder, of its manifest."""
        content = self._members.whole
        if content is None:
            content = self._members.content.get(MANIFEST, memoryview(b""))
        return hashlib.sha256(content).hexdigest()

    def _expect(self, wanted: str) -> None:
        if (found := self.sha256) != wanted.strip().lower():
            what = "" if self._members.whole is not None else f"{MANIFEST} of "
            raise ArtifactError(
                f"{what}'{self.path}' is not what is expected: its SHA-256 is {found}, "
                f"not {wanted.strip()}"
            )

    def has(self, name: str) -> bool:
        """Whether there is a member of this name, of which the manifest knows."""
        return name in self._files

    def __getitem__(self, name: str) -> memoryview:
        """The content of a member. ArtifactError: there is none of this name."""
        if name not in self._files:
            raise unfit(self.path, f"it has no {name}")
        return self._members.content[name]

    def json(self, name: str) -> Any:
        """The content of a member. ArtifactError: it is no JSON."""
        return read_json(self.path, name, self[name])

    def single(self) -> Saved | None:
        """The network for one row, if there is one. ArtifactError: it is damaged."""
        return Saved(self.path, around=self) if self.has(SINGLE) else None

    def check_file(self) -> None:
        """ArtifactError: the file, which is mapped, was written to."""
        if self._around is not None:
            self._around.check_file()
            return
        self._members.check(lambda: self._first_wrong(verify=True) is None)

    def _first_wrong(self, verify: bool, is_exact: bool = False) -> str | None:
        """The first member that is not what was saved; None: all are."""
        for name, entry in self._files.items():
            data = self._members.content[name]
            if len(data) != entry["bytes"]:
                return name
            if "sums" in entry and not is_exact:
                is_right = not verify or page_sums(data) == entry["sums"]
            else:
                is_right = hashlib.sha256(data).hexdigest() == entry["sha256"]
            if not is_right:
                return name
        return None

    def code(self, target: Mapping[str, Any]) -> tuple[memoryview, str]:
        """The code for a target that is a processor, and its digest.

        ArtifactError: it is not sealed together with what tells what it means.
        """
        name, tables = code_of(target["name"]), f"{target['name']}/host.json"
        told = self[tables] if self.has(tables) else b""
        try:
            return unsealed(self[name], self[HOST], told, target.get("kernels", []))
        except BrokenSeal as error:
            raise unfit(
                self.path,
                f"{name} was compiled with another {HOST}, host.json or table of "
                "kernels than stand beside it",
            ) from error

    def weights(self) -> WeightSet:
        """The weights, in the memory of the file. ArtifactError: they cannot be read.

        What is made of weights is left out where it is not as kernels want it.
        """
        params, stored = read_weights(self[WEIGHTS], WEIGHTS)
        made = {
            name: Made(tuple(paths), *stored[name])
            for name, paths in self.manifest["made"].items()
            if name in stored
        }
        left_out = {
            path: (entry["dtype"], tuple(entry["shape"]))
            for path, entry in self.manifest["left_out"].items()
        }
        if both := sorted(left_out.keys() & params.keys()):
            raise unfit(self.path, f"the weight `{both[0]}` is there and left out")
        return WeightSet(params, made, left_out)

    def graph(self) -> dict[str, Any]:
        """Nodes and edges of the control flow. ArtifactError: they are none."""
        return check_graph(self.path, self.json(GRAPH))

    def picture(self) -> str:
        """The control flow as SVG, with repeated blocks folded; "": it was left out.

        ArtifactError: it is no text.
        """
        if not self.has(PICTURE):
            return ""
        try:
            return bytes(self[PICTURE]).decode()
        except UnicodeDecodeError as error:
            raise damaged(self.path, PICTURE) from error

    def program(self) -> str:
        """The IR of host and kernels; "": it was left out. ArtifactError: no text."""
        if not self.has(PROGRAM):
            return ""
        unpacking = zlib.decompressobj()
        try:
            data = unpacking.decompress(bytes(self[PROGRAM]), LARGEST_PROGRAM)
            if unpacking.eof:
                return data.decode()
        except (zlib.error, ValueError):
            pass
        raise damaged(self.path, PROGRAM)

    def source_map(self) -> dict[str, Any]:
        """Where the user wrote kernels and decisions. ArtifactError: not said."""
        return check_source_map(self.path, self.json(SOURCE_MAP))

    def check_all(self) -> None:
        """What `load` checks of some targets only, and what is only looked at.

        ArtifactError: something in it is not what was saved, or does not fit the rest.
        """
        if (wrong := self._first_wrong(verify=True)) is not None:
            raise damaged(self.path, wrong)
        exact = hashlib.sha256(self[WEIGHTS]).hexdigest()
        if exact != self._files[WEIGHTS]["sha256"]:
            raise damaged(self.path, WEIGHTS)
        for target in self.manifest["targets"]:
            if target["name"] != DEVICE and has_code(target):
                self.code(target)
        for name in self._files:
            if name.endswith(".json"):
                self.json(name)
        self.weights()
        if (single := self.single()) is not None:
            single.check_all()
        self.graph()
        self.picture()
        self.source_map()
