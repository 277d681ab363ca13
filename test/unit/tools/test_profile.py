"""`dycl profile`, and its profile in `dycl show NET hcfg --profile`."""

import json
import re
from pathlib import Path

import numpy as np
import pytest
import torch

import dycl
from dycl.tools import cli

NET = """
import torch

class Net(torch.nn.Module):
    def forward(self, x, n: int):
        if x.sum() > n:
            return x + 1
        if x.sum() < -100:
            raise ValueError("far too small")
        return x - 1

def build():
    return Net().eval()

def example_inputs():
    return torch.ones(2), 1
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A model's file, its network, and four samples: three take the first exit."""
    folder = tmp_path_factory.mktemp("profile")
    (folder / "cli_profiled.py").write_text(NET)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.syspath_prepend(str(folder))
        args = ["compile", "cli_profiled.py:build", "-o", "net.dycl"]
        assert cli.run(args) == 0
    x = np.array([[5, 5], [-1, 0], [9, 0], [0, 8]], np.float32)
    np.save(folder / "x.npy", x)
    np.save(folder / "n.npy", np.array([1, 1, 2, 3]))
    np.save(folder / "one.npy", x[0])
    np.save(folder / "low.npy", x * 0 - 100)
    return folder


@pytest.fixture(autouse=True)
def there(folder, monkeypatch):
    monkeypatch.chdir(folder)


SAMPLES = ["--samples", "x.npy", "--samples", "n.npy"]


@pytest.mark.parametrize("net", ["net.dycl", "cli_profiled.py:build"])
def test_samples_are_given_in_turn(net, capsys):
    """Of an artifact and of a model: 20 calls, 15 of which take the exit."""
    asked = ["profile", net, *SAMPLES, "--calls", "20", "-o", "p.json"]
    assert cli.run(asked) == 0
    out = capsys.readouterr().out
    assert out.startswith("20 calls, ")
    assert "75%" in out
    assert out.endswith("written    p.json\n")
    profile = json.loads(Path("p.json").read_text())["profile"]
    counts = {tuple(s for _, s in p["path"]): p["count"] for p in profile["paths"]}
    assert counts == {(True,): 15, (False, False): 5}


def test_one_input_again_and_again(capsys):
    asked = ["profile", "net.dycl", "-i", "one.npy", "-i", "1", "--calls", "7"]
    assert cli.run(asked) == 0
    assert capsys.readouterr().out.startswith("7 calls, ")


@pytest.mark.parametrize("form", ["dot", "mermaid", "svg"])
def test_the_picture_has_the_counts(form, capsys):
    cli.run(["profile", "net.dycl", *SAMPLES, "--calls", "8", "-o", "p.json"])
    capsys.readouterr()
    asked = ["hcfg", "--format", form, "--profile", "p.json"]
    assert cli.run(["show", "net.dycl", *asked]) == 0
    drawn = capsys.readouterr().out
    assert "yes 75%" in drawn
    assert "no 100%" in drawn
    assert cli.run(["show", "cli_profiled.py:build", *asked]) == 0
    assert capsys.readouterr().out == drawn


@pytest.mark.parametrize(
    ("asked", "status", "words"),
    [
        (["net.dycl", "--calls", "0", *SAMPLES], 2, "at least 1"),
        (
            ["net.dycl", "-i", "f32[2]", "-i", "1", *SAMPLES[:2]],
            2,
            "--samples for each",
        ),
        (["net.dycl", *SAMPLES[:3], "one.npy"], 2, "of as many inputs"),
        (["net.dycl", *SAMPLES[:3], "none.npy"], 2, "there is no file"),
        (["net.dycl", "-i", "f32[3]", "-i", "1"], 1, "x"),
        (["net.dycl", "--samples", "low.npy", *SAMPLES[2:]], 1, "far too small"),
    ],
)
def test_what_cannot_be_profiled(asked, status, words, capsys):
    assert cli.run(["profile", *asked]) == status
    assert words in capsys.readouterr().err


def test_profiles_that_do_not_fit_are_refused(tmp_path, capsys):
    other = dycl.compile(torch.nn.ReLU().eval(), (torch.ones(2),))
    with dycl.profile(other) as p:
        other(torch.ones(2))
    p.save(tmp_path / "other.json")
    (tmp_path / "none.json").write_text("{}")
    for name, words in (("other", "another network"), ("none", "not a profile")):
        asked = ["hcfg", "--profile", str(tmp_path / f"{name}.json")]
        assert cli.run(["show", "net.dycl", *asked]) == 1
        assert words in capsys.readouterr().err
    assert cli.run(["show", "net.dycl", "ir"]) == 2
    assert cli.run(["show", "net.dycl", "hcfg", "--profile", "gone.json"]) == 1
    assert cli.run(["show", "cli_profiled.py:build", "ir", "--profile", "p.json"]) == 2


def test_a_report_has_passes_sources_kernels_and_times(capsys):
    cli.run(["profile", "net.dycl", *SAMPLES, "--calls", "8", "-o", "p.json"])
    asked = ["show", "cli_profiled.py:build", "report", "--profile", "p.json"]
    assert cli.run([*asked, "-o", "r.html"]) == 0
    assert "written    r.html" in capsys.readouterr().out
    page = Path("r.html").read_text()
    text = re.search(r'id="data">(.*?)</script>', page, re.DOTALL)[1]
    data = json.loads(text)
    names = [step["name"] for step in data["steps"]]
    assert [n for n in names if not n.startswith("dycl-")] == [
        *("source", "normal", "typed", "hcfg", "host"),
    ]
    assert "dycl-lower-host" in names
    assert data["sources"] == {"cli_profiled.py": NET.splitlines()}
    assert set(data["host"]) == {"host.py", "host.c"}
    kernels = {n["name"] for n in data["graph"]["nodes"] if n["kind"] == "kernel"}
    assert kernels <= set(data["kernels"])
    for stages in data["kernels"].values():
        assert {"torch", "linalg"} <= set(stages)
    assert data["profile"]["calls"]["count"] == 8
    assert "yes 75%" in page
    hcfg = next(s for s in data["steps"] if s["name"] == "hcfg")
    line = NET.splitlines().index("        if x.sum() > n:") + 1
    assert f"cli_profiled.py:{line}" in hcfg["places"]


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        (["net.dycl", "report", "-o", "r.html"], "needs the model"),
        (["cli_profiled.py:build", "report"], "-o report.html"),
        (
            ["cli_profiled.py:build", "report", "-o", "r", "--keep", "k"],
            "one of the two",
        ),
    ],
)
def test_what_has_no_report(asked, words, capsys):
    assert cli.run(["show", *asked]) == 2
    assert words in capsys.readouterr().err


def test_another_number_of_inputs_is_told_with_their_names(capsys):
    three = ["--input", "one.npy"] * 3
    assert cli.run(["profile", "net.dycl", *three]) == 2
    assert "'net.dycl' takes 2 inputs (x, n), not 3" in capsys.readouterr().err
    check = ["check", "net.dycl", "--against", "cli_profiled.py:build", *three]
    assert cli.run(check) == 2
    words = "takes 2 inputs (x, n), so give 2 for each call, and not 3"
    assert words in capsys.readouterr().err
