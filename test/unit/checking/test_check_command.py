"""`dycl check`: its exit status, its text, and its JSON."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from dycl.tools import cli
from dycl.tools.cli_check import comparing

MODELS = Path(__file__).parent / "models"
FLOAT = {"dtype": "float32", "absolute": 0.0, "relative": 0.0, "ulp": 0.0}
NOTHING = {**FLOAT, "here": 0.0, "expected": 0.0, "place": []}


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """A folder with the model's file and the compiled network."""
    folder = tmp_path_factory.mktemp("check")
    shutil.copy(MODELS / "exact.py", folder / "checked_exact.py")
    target = f"{folder}/checked_exact.py:Exact"
    assert cli.run(["compile", target, "-o", f"{folder}/net.dycl"]) == 0
    return folder


@pytest.fixture
def check(files, capsys):
    """Run `dycl check` on the network; status, output, messages."""

    def run(*args, net="net.dycl"):
        status = cli.run(["check", f"{files}/{net}", *args])
        said = capsys.readouterr()
        return status, said.out, said.err

    return run


def model(files, name="Exact"):
    return f"--against={files}/checked_exact.py:{name}"


def test_equal_is_0(check, files):
    status, out, _ = check(model(files))
    assert status == 0
    assert out.splitlines() == [
        "equal to eager",
        "values    equal, largest error none",
        "path      1 decision, as in eager",
        "kernels   2 launches, none drifts; the largest error: launch 0, forward_head "
        "(checked_exact.py:11): none",
        "margins   exit 1: y.sum() > 3 (checked_exact.py:12): 3 > 3, margin 0, "
        "error 2.4e-07, may flip",
    ]


def test_different_is_1(check, files):
    status, out, _ = check(model(files, "Other"))
    assert status == 1
    assert out.startswith("differs from eager\nvalues    differ, largest error 1 ")
    assert "program   the interpreter, too, gives another result" in out


def test_json(check, files):
    status, out, _ = check(model(files), "--json")
    assert status == 0
    found = json.loads(out)
    (call,) = found.pop("calls")
    assert found == {"ok": True}
    decision = {
        "name": "exit 1",
        "test": "y.sum() > 3",
        "taken": False,
        "file": "checked_exact.py",
        "line": 12,
    }
    assert [launch.pop("kernel")[:8] for launch in call["launches"]] == ["forward_"] * 2
    comparison = {"sign": ">", "value": 3.0, "threshold": 3.0, "dtype": "float32"}
    assert call == {
        "name": "",
        "ok": True,
        "values": [
            {"name": n, "error": e, "wrong": "", "is_rounding": False}
            for n, e in (("output['y']", NOTHING), ("output['n']", None))
        ],
        "left": [],
        "raised": {"here": "", "eager": ""},
        "path": [decision],
        "path_difference": None,
        "drift": None,
        "launches": [
            {
                "index": 0,
                "place": "checked_exact.py:11",
                "lines": ["checked_exact.py:11", "checked_exact.py:12"],
                "result": 0,
                "own": NOTHING,
                "whole": NOTHING,
                "drifts": False,
            },
            {
                "index": 1,
                "place": "checked_exact.py:14",
                "lines": ["checked_exact.py:14"],
                "result": 0,
                "own": NOTHING,
                "whole": NOTHING,
                "drifts": False,
            },
        ],
        "margins": [
            {
                "index": 0,
                "decision": decision,
                "comparison": comparison,
                "here": comparison,
                "error": 2**-22,
                "margin": 0.0,
                "may_flip": True,
            }
        ],
        "host_differs": False,
        "program_differs": False,
        "notes": [],
    }


def test_inputs_for_several_calls(check, files):
    np.save(files / "x.npy", np.float32([[2, 0.5]]))
    inputs = ["-i", f"{files}/x.npy", "-i", "f32[1,2]"]
    status, out, _ = check(model(files), *inputs)
    assert status == 0
    assert "call 1\n" in out
    assert "5 > 3, margin 2" in out
    assert "call 2\n" in out


def test_a_model_is_compiled_and_checked_against_itself_or_another(check, files):
    assert check(net="checked_exact.py:Exact")[0] == 0
    assert check(model(files, "Other"), net="checked_exact.py:Exact")[0] == 1


@pytest.mark.parametrize(
    ("args", "words"),
    [
        ([], "--against FILE.py:NAME"),
        (["--against=nowhere.py:Exact"], "there is no file"),
        (["AGAINST", "-i", "f32[1,3]"], "has shape [1, 3]"),
        (["AGAINST", "-i", "f32[1,2]", "-i", "y.npy"], "there is no file"),
    ],
)
def test_what_cannot_be_compared_is_2(check, files, args, words):
    args = [model(files) if arg == "AGAINST" else arg for arg in args]
    status, out, err = check(*args)
    assert (status, out) == (2, "")
    assert words in err


def test_a_damaged_network_is_2(check, files):
    (files / "damaged.dycl").write_bytes(b"nothing")
    status, _, err = check(model(files), net="damaged.dycl")
    assert status == 2
    assert "DY603" in err


def test_a_reader_that_has_left_is_no_error():
    with pytest.raises(BrokenPipeError), comparing():  # `dycl check ... | head`
        raise BrokenPipeError
