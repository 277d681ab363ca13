"""What a network has taken is given back with the last reference to it."""

import gc

import numpy as np
import pytest
import torch
from torch import nn

import dycl
from dycl.runtime import library
from tools import many_networks

COUNT = 200


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 5)

    def forward(self, x):
        y = self.fc(x)
        if y.sum() > 0:
            print("up")
            return y
        return -y


@pytest.fixture(scope="module", params=["native", "python"])
def net(request):
    torch.manual_seed(0)
    return dycl.compile(Net().eval(), (torch.zeros(1, 4),), host=request.param)


@pytest.fixture(scope="module")
def path(net, tmp_path_factory):
    path = tmp_path_factory.mktemp("unloading") / "net.dycl"
    net.save(path)
    return path


def test_many_networks_leave_nothing(net, path, capsys):
    x = np.ones((1, 4), np.float32)
    kept = []
    early, late = many_networks.soak(
        path,
        [(x,), (torch.from_numpy(x),), (-x,)],
        COUNT,
        lambda loaded, results: kept.append(results[1]),
    )
    gc.collect()
    assert many_networks.is_flat(early, many_networks.usage(), COUNT), (early, late)
    want = net(torch.from_numpy(x))
    assert all(torch.equal(tensor, want) for tensor in kept)
    kept.clear()  # Their memory is freed, though what has made them is gone.


def test_what_grows_is_found(path):
    kept = []
    early, late = many_networks.soak(path, [], 20, lambda net, _: kept.append(net))
    assert not many_networks.is_flat(early, late, 20)


@pytest.fixture
def other(path, tmp_path):
    """An artifact whose code nothing else in this process has."""
    (tmp_path / "other.dycl").write_bytes(many_networks.variants(path)(1 << 40))
    return tmp_path / "other.dycl"


def test_code_is_shared_and_ends_with_its_last_network(other):
    gc.collect()
    before = set(library._loaded)
    one, two = dycl.load(other), dycl.load(other)
    [digest] = set(library._loaded) - before
    del one
    gc.collect()
    assert digest in library._loaded
    assert two(np.ones((1, 4), np.float32)).shape == (1, 5)
    del two
    gc.collect()
    assert digest not in library._loaded


def test_a_native_network_needs_no_garbage_collector(net, other):
    if net.host == "python":
        pytest.skip("a printed host refers to itself")
    gc.collect()
    gc.disable()
    try:
        before, loaded = set(library._loaded), dycl.load(other)
        assert set(library._loaded) > before
        loaded(torch.ones(1, 4))
        del loaded
        assert set(library._loaded) == before
    finally:
        gc.enable()


def test_threads_of_a_pool_keep_their_code(tmp_path):
    """They run in it; nothing tells them to end."""
    model, x = nn.Linear(256, 256).eval(), torch.randn(64, 256)
    net = dycl.compile(model, (x,), threads=2)
    net.save(tmp_path / "net.dycl")
    want = net(x)
    del net
    for _ in range(3):
        assert torch.equal(dycl.load(tmp_path / "net.dycl")(x), want)
        gc.collect()
