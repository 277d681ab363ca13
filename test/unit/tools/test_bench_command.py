"""`dycl bench`: paths, both medians, the ratio, and whether all is equal."""

import json

import numpy as np
import pytest

from dycl.tools import cli

NET = """
import time
import torch

class Net(torch.nn.Module):
    delay = 0.02
    step = 1

    def forward(self, x, n: int):
        if x.sum() > n:
            return x + self.step
        if x.sum() < -100:
            raise ValueError("far too small")
        return x - 1

class Slow(Net):
    def forward(self, x, n: int):
        time.sleep(self.delay)
        return super().forward(x, n)

class Other(Net):
    step = 2

class Counting(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.calls = 0

    def forward(self, x):
        self.calls = self.calls + 1
        if x.sum() > self.calls:
            return x + 1
        return x - 1

def example_inputs():
    return torch.ones(2), 1
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A model's file, its network, and four samples: three take the first exit."""
    folder = tmp_path_factory.mktemp("bench")
    (folder / "cli_raced.py").write_text(NET)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.syspath_prepend(str(folder))
        assert cli.run(["compile", "cli_raced.py:Net", "-o", "net.dycl"]) == 0
    x = np.array([[5, 5], [-1, 0], [9, 0], [0, 8]], np.float32)
    np.save(folder / "x.npy", x)
    np.save(folder / "n.npy", np.array([1, 1, 2, 3]))
    np.save(folder / "one.npy", x[0])
    np.save(folder / "low.npy", x[0] * 0 - 100)
    return folder


@pytest.fixture(autouse=True)
def there(folder, monkeypatch):
    monkeypatch.chdir(folder)


@pytest.fixture
def bench(capsys):
    def run(*args):
        status = cli.run(["bench", *args])
        said = capsys.readouterr()
        return status, said.out, said.err

    return run


SAMPLES = ["--samples", "x.npy", "--samples", "n.npy", "--calls", "5"]


def test_each_path_has_a_row_and_both_medians(bench):
    """Eager sleeps for 20 ms: the ratio is of its median to the network's."""
    asked = ["net.dycl", "--against", "cli_raced.py:Slow", *SAMPLES]
    status, out, _ = bench(*asked, "--json")
    found = json.loads(out)
    assert status == 0
    assert (found["ok"], found["threads"], found["calls"]) == (True, 1, 5)
    assert [([d["taken"] for d in p["path"]], p["inputs"]) for p in found["paths"]] == [
        ([True], 3),
        ([False, False], 1),
    ]
    for row in found["paths"]:
        here, eager = row["dycl_us"]["median"], row["eager_us"]["median"]
        assert row["equal"]
        assert row["path_equal"]
        assert row["eager_us"]["least"] >= 20_000 > here > 0
        assert row["ratio"] == pytest.approx(eager / here)
    status, out, _ = bench(*asked)
    head, first, second, mean = out.splitlines()
    assert status == 0
    assert head.split()[:3] == ["path", "inputs", "dycl:"]
    assert (first.split()[:2], first.split()[-1]) == (["T", "3"], "yes")
    assert second.split()[:2] == ["FF", "1"]
    assert mean.endswith("5 calls of each, in turns, 1 thread, eager in inference_mode")


def test_another_result_is_status_1_and_said_below_the_table(bench):
    status, out, _ = bench("net.dycl", "--against", "cli_raced.py:Other", *SAMPLES)
    rows = out.splitlines()
    assert status == 1
    assert [row.split()[-1] for row in rows[1:3]] == ["NO", "yes"]
    assert "T differs from eager" in rows


def test_an_exception_of_the_model_is_a_path(bench):
    asked = ["-a", "cli_raced.py:Net", "-i", "low.npy", "-i", "1", "--calls", "3"]
    status, out, _ = bench("net.dycl", *asked)
    assert status == 0
    assert out.splitlines()[1].split()[0] == "FT"


def test_a_model_alone_is_compiled_and_its_state_begins_anew(bench):
    """Without that, later calls would take the other side."""
    asked = ["cli_raced.py:Counting", "-i", "one.npy", "--calls", "12", "--json"]
    status, out, _ = bench(*asked)
    [row] = json.loads(out)["paths"]
    assert status == 0
    assert [d["taken"] for d in row["path"]] == [True]


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        (["net.dycl"], "say what to compare 'net.dycl' with"),
        (["net.dycl", "-a", "cli_raced.py:Net", "--calls", "0"], "at least 1"),
        (["net.dycl", "-a", "cli_raced.py:Net", "--samples", "x.npy"], "2 inputs"),
        (["net.dycl", "-a", "cli_raced.py:Net", "-i", "one.npy"], "2 for each call"),
    ],
)
def test_what_cannot_be_compared_is_status_2(bench, asked, message):
    status, _, err = bench(*asked)
    assert status == 2
    assert message in err
