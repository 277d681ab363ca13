"""A saved network by unmodified `cuda-core`: its PTX, its geometry, and its tensors."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import nn

import dycl

pytest.importorskip("cuda.core", reason="cuda-core is not installed")
pytest.importorskip("triton")


class Branches(nn.Module):
    """Two products, a softmax or a running sum, and a temporary between functions."""

    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(6, 5), nn.Linear(5, 4)

    def forward(self, x):
        y = self.first(x).relu()
        if y.sum() > 3:
            return torch.softmax(self.second(y), -1)
        return y.cumsum(-1)


@pytest.fixture(scope="module")
def both(library, tmp_path_factory):
    """For each input, what eager gives and what the child says."""
    folder = tmp_path_factory.mktemp("core")
    torch.manual_seed(0)
    model = Branches().eval()
    x = torch.randn(3, 6)
    inputs = torch.stack([x, 5 * x, -x, x * 0, x / 0])
    net = dycl.compile(model, (x,), backend="cuda")
    net.save(folder / "net.dycl")
    np.save(folder / "inputs.npy", inputs.numpy())
    child = Path(__file__).with_name("core_child.py")
    given = [library.parent, folder / "net.dycl", folder / "inputs.npy"]
    done = subprocess.run(
        [sys.executable, str(child), *map(str, given)],
        env=os.environ | {"LD_LIBRARY_PATH": str(library.parent)},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    with torch.no_grad():
        expected = [(model(one), model.first(one).relu().sum() > 3) for one in inputs]
    return list(zip(expected, found, strict=True))


@pytest.mark.parametrize("who", ["theirs", "lent"])
def test_values_and_paths_are_eagers(both, who):
    assert {bool(taken) for (_, taken), _ in both} == {True, False}
    for (value, taken), found in both:
        result, path = found[who]
        assert path == [bool(taken)]
        torch.testing.assert_close(torch.tensor(result), value, equal_nan=True)


def test_each_function_of_the_path_is_launched(both):
    for (_, taken), found in both:
        kernel = "forward_second_then" if taken else "forward_tail"
        assert found["names"][0] == "forward_first_0"
        assert {name.rsplit("_", 1)[0] for name in found["names"]} == {
            "forward_first",
            kernel,
        }
