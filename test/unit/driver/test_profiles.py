"""A profile given back: the code of decisions, the artifact, what is refused."""

import json

import numpy as np
import pytest
import torch
from torch import nn

import dycl
from dycl.tools import cli


class Net(nn.Module):
    """An exit, a branch with two sides, and a loop that the data ends."""

    def forward(self, x):
        if x.sum() > 10:
            return x * 3
        x = x + 1 if x.max() > 0 else x - 1
        while x.sum() < 20:
            x = x + 1
        return x


class Other(nn.Module):
    def forward(self, x):
        if x.max() > 10:
            return x * 3
        return x


INPUTS = [torch.full((2,), value) for value in (6.0, 1.0, 1.0, 1.0, 3.0, -1.0)]
CALLS = [(x,) for x in INPUTS]


@pytest.fixture(scope="module")
def plain():
    return dycl.compile(Net().eval(), CALLS[0])


@pytest.fixture(scope="module")
def counts(plain):
    """Exit 1: 1 of 6; the branch: 4 of 5; the loop: goes on most times."""
    with dycl.profile(plain) as found:
        for x in INPUTS:
            plain(x)
    return found


@pytest.fixture(scope="module")
def laid_out(counts):
    return dycl.compile(Net().eval(), CALLS[0], profile=counts)


def decided(net):
    lines = net.native.program.source.splitlines()
    return [line.split("//")[0].strip() for line in lines if "DECIDE(" in line]


def test_the_native_host_says_which_side_is_likely(plain, laid_out):
    assert not any("LIKELY" in line for line in decided(plain))
    first, branch, loop = decided(laid_out)
    assert first.startswith("if (UNLIKELY(DECIDE(0, ")
    assert branch.startswith("if (LIKELY(DECIDE(1, ")
    assert loop.startswith("if (!LIKELY(DECIDE(2, ")


def test_results_and_paths_are_the_same(plain, laid_out):
    for x in INPUTS:
        assert torch.equal(laid_out(x), plain(x))
        assert laid_out.path == plain.path


def test_sides_that_are_both_taken_often_are_left_alone(plain):
    net = dycl.compile(Net().eval(), CALLS[0], profile=[CALLS[0], CALLS[1]])
    assert decided(net)[0].startswith("if (DECIDE(0, ")


def test_equal_counts_give_equal_bytes_whatever_the_times(
    plain, counts, laid_out, tmp_path
):
    """From the file, from its data with other times, and from samples."""
    counts.save(tmp_path / "p.json")
    data = json.loads(json.dumps(counts.data()))
    for entry in data["launches"]:
        entry["total_us"] = 1e6
    laid_out.save(tmp_path / "wanted.dycl")
    wanted = (tmp_path / "wanted.dycl").read_bytes()
    for profile in (tmp_path / "p.json", data, CALLS):
        net = dycl.compile(Net().eval(), CALLS[0], profile=profile)
        net.save(tmp_path / "net.dycl")
        assert (tmp_path / "net.dycl").read_bytes() == wanted
    plain.save(tmp_path / "net.dycl")
    assert (tmp_path / "net.dycl").read_bytes() != wanted


def test_the_artifact_records_it(laid_out, tmp_path, capsys):
    laid_out.save(tmp_path / "net.dycl")
    said = laid_out.options["profile"]
    assert said.startswith("6 calls, sha256 ")
    assert dycl.load(tmp_path / "net.dycl").manifest["options"]["profile"] == said
    assert cli.run(["show", str(tmp_path / "net.dycl")]) == 0
    assert f"profile={said}" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("profile", "message"),
    [
        ({"decisions": []}, "the profile is of another network: "),
        (7, "a int is no profile"),
        ([], "samples of a profile are a list of tuples"),
        ([INPUTS[0]], "samples of a profile are a list of tuples"),
    ],
)
def test_what_is_no_profile_is_refused(profile, message):
    with pytest.raises(dycl.CompileError, match=message) as caught:
        dycl.compile(Net().eval(), CALLS[0], profile=profile)
    assert caught.value.code == "DY506"


def test_one_of_another_network_is_refused(counts):
    with pytest.raises(dycl.CompileError) as caught:
        dycl.compile(Other().eval(), CALLS[0], profile=counts)
    assert caught.value.code == "DY506"
    assert "of another network: here is no forward" in caught.value.what


def test_the_command_line(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    assert cli.run(["example", "net"]) == 0
    (tmp_path / "net.py").rename(tmp_path / "profiled_network.py")
    np.save("x.npy", np.ones((4, 1, 8), np.float32))
    assert (
        cli.run(
            ["profile", "profiled_network.py:build", "--samples", "x.npy", "-o", "p"]
        )
        == 0
    )
    asked = ["compile", "profiled_network.py:build", "--profile", "p", "-o", "net.dycl"]
    assert cli.run(asked) == 0
    assert cli.run(["show", "net.dycl"]) == 0
    assert "profile=200 calls, sha256" in capsys.readouterr().out
    (tmp_path / "p").write_text("{}")
    assert cli.run(asked) == 1
    assert "error[DY506]: 'p' is not a profile" in capsys.readouterr().err
