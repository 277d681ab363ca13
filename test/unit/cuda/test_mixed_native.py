"""The native host of a network of which a GPU computes a part."""

import itertools
import threading

import pytest
import torch
from mixed_models import Carried, Descends, Remembers, parts, rounds
from test_lent import Exporter, found_in
from test_mixed import HOSTS, homes
from test_networks import same

import dycl
from dycl.diag import CompileError
from dycl.runtime.cuda import CudaError, driver

pytest.importorskip("triton")


def carried():
    torch.manual_seed(0)
    model = Carried().eval()
    xs = [torch.randn(1, 4) * scale for scale in (0.01, 5.0)]
    numbers = (0, 1, 3), (0.5, 3.0, float("nan")), (True, False)
    return model, [*itertools.product(xs, *numbers)]


@pytest.fixture(scope="module")
def carried_file(tmp_path_factory):
    model, cases = carried()
    net = dycl.compile(model, cases[0], backend="cuda+cpu", verify=True)
    path = tmp_path_factory.mktemp("net") / "net.dycl"
    net.save(path)
    return net, path


def test_what_is_carried_and_joined_on_the_gpu(gpu, carried_file):
    model, cases = carried()
    net, path = carried_file
    assert {"CudaKernel", "CpuKernel", "CopyKernel"} <= {*homes(net).values()}
    assert "dycl_keep_on_device(" in net.native.program.source
    loaded = [dycl.load(path, host=host) for host in HOSTS]
    assert [one.host for one in loaded] == HOSTS
    sides = set()
    for given in cases:
        expected = model(*given)
        for one in (net, *loaded):
            same(one(*given), expected)
            assert one.path == net.path
        sides |= {(d.name, d.taken) for d in net.path}
    assert len(sides) == 2 * len(net.decisions)


def test_what_is_lent_to_it_stays_there(gpu, carried_file):
    model, cases = carried()
    loaded = dycl.load(carried_file[1])
    for x, *numbers in cases:
        lent = Exporter(gpu, x.numpy(), skip=4)
        for found, expected in zip(
            loaded(lent, *numbers), model(x, *numbers), strict=True
        ):
            same(found_in(gpu, found), expected)
        same(loaded(x, *numbers), model(x, *numbers))
        gpu.live.pop(lent.address)


def test_state(gpu, tmp_path):
    def stepped(net):
        torch.manual_seed(0)
        model, sides = Remembers().eval(), set()
        for i in range(12):
            x = torch.randn(1, 4) * (0.1, 1.0, 0.02)[i % 3]
            same(net(x), model(x))
            same(net.state["hidden"], model.hidden)
            assert net.state["count"] == model.count
            sides |= {d.taken for d in net.path}
        assert sides == {True, False}

    torch.manual_seed(0)
    net = dycl.compile(Remembers().eval(), (torch.zeros(1, 4),), backend="cuda+cpu")
    assert net.host == "native"
    net.save(tmp_path / "net.dycl")
    stepped(net)
    for host in HOSTS:
        stepped(dycl.load(tmp_path / "net.dycl", host=host))


def test_other_weights(gpu):
    model, cases = parts()
    net = dycl.compile(model, cases[0], backend="cuda+cpu")
    same(net(*cases[0]), model(*cases[0]))
    other = type(model)().eval()
    net.load_weights(other.state_dict())
    for given in cases:
        same(net(*given), other(*given))


def test_threads_share_weights_and_nothing_else(gpu):
    model, cases = parts()
    net = dycl.compile(model, cases[0], backend="cuda+cpu")
    with torch.no_grad():
        expected = [model(*given) for given in cases]
    errors = []

    def calls():
        try:
            for given, wanted in zip(cases, expected, strict=True):
                same(net(*given), wanted)
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=calls) for _ in range(3)]
    for one in threads:
        one.start()
    for one in threads:
        one.join(60)
    assert not errors


def test_a_call_after_one_that_failed(gpu, carried_file):
    model, cases = carried()
    loaded = dycl.load(carried_file[1])
    given = next(c for c in cases if c[1:] == (3, 0.5, True))
    for function in ("cuMemcpyDtoDAsync_v2", "cuLaunchKernel", "cuStreamSynchronize"):
        gpu.fails = {function: 400}
        with pytest.raises(CudaError, match="DY505"):
            loaded(*given)
        gpu.fails = {}
        same(loaded(*given), model(*given))


def test_a_side_that_needs_no_gpu_asks_for_none(monkeypatch):
    """Neither compiling nor loading takes one."""

    class Seldom(torch.nn.Module):
        def forward(self, x, asks: bool):
            if asks:
                return x.exp() * 2
            return torch.linalg.svdvals(x)

    monkeypatch.setattr(driver, "LIBRARY", "libcuda-that-is-not-there.so.1")
    driver.device.cache_clear()
    model, x = Seldom().eval(), torch.randn(2, 3)
    net = dycl.compile(model, (x, False), backend="cuda+cpu")
    assert {"CudaKernel", "CpuKernel"} <= {*homes(net).values()}
    same(net(x, False), model(x, False))
    with pytest.raises(CudaError, match="is for a GPU"):
        net(x, True)
    driver.device.cache_clear()


def test_a_recursion_has_a_python_host(gpu):
    model = Descends().eval()
    given = torch.randn(1, 4), 3
    with pytest.raises(CompileError, match=r"DY503.*memory of a GPU in a recursion"):
        dycl.compile(model, given, backend="cuda+cpu", host="native")
    net = dycl.compile(model, given, backend="cuda+cpu")
    assert (net.host, net.why_python) == ("python", "memory of a GPU in a recursion")
    for n in (0, 1, 4):
        same(net(given[0], n), model(given[0], n))


def test_a_profile_waits_for_the_gpu(gpu):
    """So that each launch takes as long as the GPU does, while the profile lasts."""
    model, cases = rounds()
    net = dycl.compile(model, cases[0], backend="cuda+cpu")
    net(*cases[0])
    with dycl.profile(net):
        net(*cases[0])
        gpu.fails["cuStreamSynchronize"] = 2
        with pytest.raises(CudaError, match="DY505") as caught:
            net(*cases[0])
    assert "copy_to_cuda" in str(caught.value)
    gpu.fails.clear()
    same(net(*cases[0]), model(*cases[0]))
