"""Two networks, compiled once, each with both hosts and loaded from its file."""

import numpy as np
import pytest
import torch
from torch import nn

import dycl
from dycl.toolchain import find_compiler


class Gate(nn.Module):
    """Two decisions, the first an exit."""

    def __init__(self):
        super().__init__()
        self.block = nn.Linear(4, 4)

    def forward(self, x):
        if x.sum() > 10:
            return x * 2
        y = self.block(x)
        if x.max() > 1:
            y = torch.tanh(y)
        return y + 1


def halve(x, n):
    if n == 0:
        return x + 1
    return halve(x / 2, n - 1)


class Everything(nn.Module):
    """State, a loop, a recursion, an exception."""

    def __init__(self):
        super().__init__()
        self.register_buffer("h", torch.zeros(1, 4))

    def forward(self, x, n: int):
        self.h = self.h + x
        while x.max() < 10:
            x = x * 2 + 1
        if x.min() < 0:
            raise ValueError("negative")
        return halve(x, n) + self.h


def _everywhere(model, inputs, folder):
    if find_compiler() is None:
        pytest.skip("there is no C compiler")
    net = dycl.compile(model.eval(), inputs)
    assert net.host == "native"
    path = folder / "net.dycl"
    net.save(path)
    loaded = dycl.load(path, host="native"), dycl.load(path, host="python")
    return {
        "compiled": net,
        "compiled, Python": net.with_python_host(),
        "loaded": loaded[0],
        "loaded, Python": loaded[1],
    }


@pytest.fixture(scope="session")
def gates(tmp_path_factory):
    """The network `Gate`, by how it runs."""
    torch.manual_seed(0)
    return _everywhere(Gate(), (torch.zeros(1, 4),), tmp_path_factory.mktemp("gate"))


@pytest.fixture(scope="session")
def everything(tmp_path_factory):
    """The network `Everything`, by how it runs."""
    inputs = (torch.zeros(1, 4), 3)
    return _everywhere(Everything(), inputs, tmp_path_factory.mktemp("everything"))


HOSTS = ("compiled", "compiled, Python", "loaded", "loaded, Python")


@pytest.fixture(params=HOSTS)
def gate(request, gates):
    """The network `Gate` on each host."""
    return gates[request.param]


@pytest.fixture(params=HOSTS)
def any_net(request, everything):
    """The network `Everything` on each host, with the state that it began with."""
    net = everything[request.param]
    net.reset_state()
    return net


@pytest.fixture(scope="session")
def exits():
    """Inputs of `Gate`: one for each path, by how the two decisions turn out."""
    return {
        (True,): np.full((1, 4), 4, np.float32),
        (False, True): np.array([[2, 0, 0, 0]], np.float32),
        (False, False): np.zeros((1, 4), np.float32),
    }
