"""What a network with rows returns, as its manifest has it: shown, and checked."""

import json
import zipfile
from typing import NamedTuple

import pytest
import torch
from torch import nn

import dycl
from dycl.runtime import ArtifactError
from dycl.tools import cli
from tools.mutants.archives import write
from tools.mutants.edits import hash_anew


class Alike(nn.Module):
    """One way out, with tensors that have rows and some that have none."""

    def forward(self, x):
        if x.sum() > 0:
            x = x * 2
        return {"y": x, "all": (x.sum(), 3, "up")}


class Pair(NamedTuple):
    y: torch.Tensor
    n: int


class Records(nn.Module):
    """A named tuple, in a dict whose keys are no texts."""

    def forward(self, x):
        n = 0
        if x.sum() > 0:
            n += 1
        return {1: Pair(x, n)}


class Apart(nn.Module):
    """Ways out of different structure."""

    def forward(self, x):
        if x.sum() > 0:
            return x, 1
        return [x[:, :2]]


class Counted(nn.Module):
    """A state: each row is a call."""

    def __init__(self):
        super().__init__()
        self.total = torch.zeros(1, 4)

    def forward(self, x):
        self.total = self.total + x
        return self.total * 2


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    folder = tmp_path_factory.mktemp("rows")
    for model in (Alike, Records, Apart, Counted):
        net = dycl.compile(model().eval(), (torch.ones(1, 4),), rows=True)
        net.save(folder / f"{model.__name__}.dycl")
    return folder


@pytest.mark.parametrize(
    ("name", "lines"),
    [
        (
            "Alike",
            ["{'y': float32[rows, 4], 'all': (list of float32[], list of 3, 'up')}"],
        ),
        ("Records", ["{1: Pair(y=float32[rows, 4], n=list of int)}"]),
        ("Apart", ["list of (float32[1, 4], 1)", "list of [float32[1, 2]]"]),
        ("Counted", ["float32[rows, 4]"]),
    ],
)
def test_what_comes_back_is_shown(saved, capsys, name, lines):
    assert cli.run(["show", str(saved / f"{name}.dycl")]) == 0
    shown = capsys.readouterr().out
    rest = "".join(f"           {line}\n" for line in lines[1:])
    assert f"outputs    {lines[0]}\n{rest}decisions" in shown


@pytest.mark.parametrize(
    "structure",
    [
        {},
        {"leaf": 7},
        {"leaf": "0"},
        {"leaf": True},
        {"set": []},
        {"tuple": {"leaf": 0}},
        {"list": [{"leaf": 0}, 3]},
        {"dict": [["y"]]},
        {"dict": [[["y"], {"leaf": 0}]]},
        {"constant": [1]},
        {"record": {"name": "x.Y", "kind": "dataclass", "fields": [["y"]]}},
        {"record": {"name": "x.Y", "kind": "dataclass", "fields": [[1, {"leaf": 0}]]}},
        [],
        "leaf",
    ],
    ids=str,
)
def test_a_structure_of_no_meaning_is_refused(saved, tmp_path, structure, capsys):
    with zipfile.ZipFile(saved / "Alike.dycl") as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    manifest = json.loads(members["manifest.json"])
    manifest["rows"]["ways"][0]["structure"] = structure
    members["manifest.json"] = json.dumps(manifest).encode()
    hash_anew(members)
    (tmp_path / "net.dycl").write_bytes(write(members))
    with pytest.raises(ArtifactError, match=r"`rows\.ways\[0\]` is not a structure"):
        dycl.load(tmp_path / "net.dycl")
    assert cli.run(["show", str(tmp_path / "net.dycl")]) == 1
    assert "is not a structure" in capsys.readouterr().err
