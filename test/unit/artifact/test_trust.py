"""Which file is loaded, what is found before anything runs, and what a file says."""

import builtins
import hashlib
import json
import zipfile

import pytest

import dycl
from dycl.runtime import ArtifactError, artifact
from dycl.tools import cli, entry
from tools.mutants.archives import write
from tools.mutants.edits import hash_anew


@pytest.fixture
def nothing_runs(monkeypatch):
    """Neither native code nor a printed host."""
    monkeypatch.setattr(artifact, "load_code", None)
    monkeypatch.setattr(artifact, "NativeLibrary", None)
    monkeypatch.setattr(builtins, "exec", None)


@pytest.fixture
def members(saved):
    with zipfile.ZipFile(saved) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def test_the_file_that_is_expected(saved):
    digest = hashlib.sha256(saved.read_bytes()).hexdigest()
    assert dycl.load(saved, expect_sha256=digest.upper()).host == "native"


def test_another_file_than_is_expected(saved, nothing_runs):
    with pytest.raises(ArtifactError, match=r"is not what is expected.*not 00.*DY603"):
        dycl.load(saved, expect_sha256="00" * 32)


def test_of_a_folder_it_is_the_manifest(net, tmp_path, nothing_runs):
    """The manifest has the digest of all else; the weights', too, are compared."""
    net.save(tmp_path / "net", folder=True)
    data = (tmp_path / "net" / "manifest.json").read_bytes()
    digest = hashlib.sha256(data).hexdigest()
    weights = tmp_path / "net" / "weights.safetensors"
    wrong = bytearray(weights.read_bytes())
    # Two words that change alike: sums of rows and columns are what they were.
    for row, sign in ((0, 1), (1, -1)):
        for column, other in ((600, sign), (601, -sign)):
            at = row * 4096 + column % 512 * 8
            word = int.from_bytes(wrong[at : at + 8], "little") + other
            wrong[at : at + 8] = (word % (1 << 64)).to_bytes(8, "little")
    weights.write_bytes(wrong)
    with pytest.raises(ArtifactError, match=r"damaged: weights\.safetensors"):
        dycl.load(tmp_path / "net", expect_sha256=digest)


def test_tables_of_another_network(members, tmp_path, nothing_runs):
    """All hashes are right; the code was compiled with another table."""
    tables = json.loads(members["native/host.json"])
    tables["returns"][0]["types"] = [["float32", [1, 5000]]]
    members["native/host.json"] = json.dumps(tables).encode()
    hash_anew(members)
    (tmp_path / "net.dycl").write_bytes(write(members))
    with pytest.raises(ArtifactError, match=r"compiled with another host\.py"):
        dycl.load(tmp_path / "net.dycl")
    assert cli.run(["verify", str(tmp_path / "net.dycl")]) == 1


def test_verify(saved, capsys, nothing_runs):
    digest = hashlib.sha256(saved.read_bytes()).hexdigest()
    assert cli.run(["verify", str(saved), "--sha256", digest]) == 0
    assert capsys.readouterr().out == f"{digest}  {saved}\n"
    assert cli.run(["verify", str(saved), "--sha256", digest[:-1]]) == 1
    assert "is not what is expected" in capsys.readouterr().err
    assert cli.run(["verify", "none.dycl"]) == 1
    assert "there is no file 'none.dycl'" in capsys.readouterr().err


def test_show(saved, capsys, nothing_runs):
    assert cli.run(["show", str(saved)]) == 0
    said = capsys.readouterr().out
    for text in (
        *("inputs     x: float32[1, 4]\n", "{'y': float32[1, 5], 'side': 'up'}"),
        *("y.sum() > 0 (conftest.py:", "fc.weight: float32[5, 4], 80 bytes"),
        *("native, native host", "weights.safetensors: ", "threads=1", "dycl 0.1.0"),
    ):
        assert text in said
    assert cli.run(["show", str(saved), "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["inputs"] == [{"name": "x", "dtype": "float32", "shape": [1, 4]}]
    assert facts["files"]["host.py"] > 0


def test_show_draws(net, saved, capsys, nothing_runs):
    for form in ("dot", "mermaid", "svg"):
        assert cli.run(["show", str(saved), "hcfg", "--format", form]) == 0
        assert capsys.readouterr().out.rstrip("\n") == net.hcfg(form).rstrip("\n")
    assert cli.run(["show", str(saved), "host"]) == 0
    assert capsys.readouterr().out == net.host_source


def test_a_network_in_one_line(net, saved):
    rest = "x: float32[1, 4]; 1 decision; native host; 188 bytes of weights)"
    assert repr(net) == f"CompiledModel(for native; {rest}"
    assert repr(dycl.load(saved)) == f"LoadedNet('{saved.name}'; for native; {rest}"


def test_what_was_meant(saved, capsys, model):
    with pytest.raises(SystemExit, match="2"):
        entry.main(["run", str(saved), "--sead", "3"])
    assert "unrecognized arguments: --sead 3; did you mean '--seed'?" in (
        capsys.readouterr().err
    )
    with pytest.raises(SystemExit, match="2"):
        entry.main(["compile", "net.py:build", "--tread", "2"])
    assert "did you mean '--threads'?" in capsys.readouterr().err
    with pytest.raises(SystemExit, match="2"):
        entry.main(["docter"])
    assert "did you mean 'doctor'?" in capsys.readouterr().err
    with pytest.raises(TypeError, match=r"no option 'taget'; did you mean 'target'\?"):
        dycl.compile(model, (), taget="native")
