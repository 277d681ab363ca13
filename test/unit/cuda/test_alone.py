"""A saved network runs with NumPy and the driver: no torch, Triton or compiler."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch
from test_networks import Exits, inputs_of_exits, same

import dycl

pytest.importorskip("triton")

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def packages(tmp_path_factory):
    """A folder with NumPy alone."""
    at = tmp_path_factory.mktemp("packages")
    for name in ("numpy", "numpy.libs"):
        if (found := Path(np.__file__).parents[1] / name).exists():
            (at / name).symlink_to(found)
    return at


@pytest.fixture(scope="module", params=["cuda", "cuda,cpu"])
def alone(library, packages, tmp_path_factory, request):
    """A model, its inputs and paths, and what a process with NumPy alone says."""
    folder = tmp_path_factory.mktemp("alone")
    torch.manual_seed(0)
    model, inputs = Exits().eval(), inputs_of_exits()
    net = dycl.compile(model, (inputs[0],), backend=request.param)
    net.save(folder / "net.dycl")
    np.save(folder / "inputs.npy", torch.stack(inputs).numpy())
    ours, paths = dycl.compile(model, (inputs[0],)), []
    for x in inputs:
        ours(x)
        paths.append([[d.name, d.taken] for d in ours.path])
    child = Path(__file__).with_name("alone_child.py")
    given = [library, packages, folder / "net.dycl", folder / "inputs.npy", ROOT]
    done = subprocess.run(
        [sys.executable, "-S", "-E", str(child), *map(str, given)],
        env={name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    return model, list(zip(inputs, paths, strict=True)), json.loads(done.stdout)


@pytest.mark.parametrize("way", ["graph", "host"])
def test_values_and_paths_are_eagers(alone, way):
    model, cases, said = alone
    assert said[way]["target"] == "cuda"
    for (x, path), (results, taken) in zip(cases, said[way]["found"], strict=True):
        same([torch.tensor(result) for result in results], list(model(x)))
        assert taken == path
    sides = {tuple(side) for _, path in cases for side in path}
    assert len(sides) == 2 * len({name for name, _ in sides})
    assert (said[way]["graphs"] == len(cases)) == (way == "graph")
    assert bool(said[way]["launches"]) == (way == "host")


def test_numpy_is_all_that_it_takes(alone):
    assert alone[2]["imported"] == ["dycl", "numpy"]
