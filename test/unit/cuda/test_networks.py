"""Whole networks through a driver without a GPU: values and paths are eager's."""

import gc
import re
import subprocess

import numpy as np
import pytest
import torch
from fake_driver import ILLEGAL_ADDRESS
from torch import nn
from torch.nn import functional

import dycl
from dycl.runtime import cuda
from dycl.runtime.cuda import driver, kernels
from dycl.tools import cli

pytest.importorskip("triton")


class Exits(nn.Module):
    """Two early exits, and a join."""

    def __init__(self):
        super().__init__()
        self.first = nn.Linear(6, 5)
        self.second = nn.Linear(5, 5)
        self.register_buffer("shift", torch.tensor(0.25))

    def forward(self, x):
        y = self.first(x).relu()
        if y.sum() > 3:
            return y, x
        y = y - self.shift if x.max() < 0.5 else torch.softmax(self.second(y), -1) + y
        if torch.isnan(y).any():
            return y * 0, y
        return self.second(y), y


class Loop(nn.Module):
    """A loop that the data ends, with a counter and two values handed on."""

    def forward(self, x, y):
        count = 0
        while x.sum() < 20 and count < 6:
            x, y = x * 2 + y, x
            count += 1
        return x, y, count


class Collects(nn.Module):
    """A list of tensors, as long as the data says, and what kernels make of it."""

    def forward(self, x):
        seen = []
        while x.sum() < 9:
            seen.append(x)
            x = x * 2
        if len(seen) > 1:
            return seen[0] + seen[-1], seen
        return x, seen


class Steps(nn.Module):
    """Columns at places that a run tells, and a table of constants."""

    def forward(self, x, count):
        total = x[:, [2, 0, 5]].sort(-1)[0]
        for t in range(int(count)):
            total = total + x[:, t, None].cumsum(0)
        return total


class Pools(nn.Module):
    """Places of the greatest elements of windows."""

    def forward(self, x):
        return (
            *functional.max_pool2d(x, 3, 2, 1, return_indices=True),
            *functional.adaptive_max_pool2d(x, 3, return_indices=True),
        )


class Counts(nn.Module):
    """State from call to call."""

    def __init__(self):
        super().__init__()
        self.total = torch.zeros(3)

    def forward(self, x):
        self.total = self.total + x
        if self.total.sum() > 4:
            self.total = self.total * 0
        return self.total * 2


def same(found, expected):
    if isinstance(expected, dict):
        assert list(found) == list(expected)
        same(list(found.values()), list(expected.values()))
    elif isinstance(expected, (tuple, list)):
        assert len(found) == len(expected)
        for one, other in zip(found, expected, strict=True):
            same(one, other)
    elif isinstance(expected, torch.Tensor):
        torch.testing.assert_close(found, expected, equal_nan=True)
    else:
        assert found == expected


def ones(*shape, of=1.0):
    return torch.full(shape, of)


def inputs_of_exits():
    torch.manual_seed(1)
    x = torch.randn(1, 6)
    nan = x.clone()
    nan[0, 2] = float("nan")
    return [x, 10 * x, -10 * x, x.clamp(max=0.4), nan, ones(1, 6, of=0.5), 40 * x.abs()]


@pytest.mark.parametrize("architecture", [80, 90], indirect=True)
def test_both_sides_of_every_decision(gpu):
    torch.manual_seed(0)
    model = Exits().eval()
    cases = inputs_of_exits()
    net = dycl.compile(model, (cases[0],), backend="cuda")
    ours = dycl.compile(model, (cases[0],))
    sides = set()
    for x in cases:
        same(net(x), model(x))
        ours(x)
        assert net.path == ours.path
        sides |= {(d.name, d.taken) for d in net.path}
    assert len(sides) == 2 * len(net.decisions)
    assert gpu.launches


def test_kernels_that_are_given_the_same_again_are_graphs(gpu):
    torch.manual_seed(0)
    model = Exits().eval()
    cases = inputs_of_exits()
    net = dycl.compile(model, (cases[0],), backend="cuda")
    counts = []
    for _ in range(3):
        before = len(gpu.launches)
        for x in cases:
            same(net(x), model(x))
        counts.append((len(gpu.launches) - before, len(gpu.executables)))
    assert counts[0][0] == counts[1][0] == counts[2][0], "the same functions run"
    assert 0 < counts[2][1] == counts[1][1]
    del net
    gc.collect()
    assert not gpu.executables


def test_memory_may_go_back_while_a_graph_is_made(gpu):
    """As when Python collects another network just then."""
    torch.manual_seed(0)
    model = Exits().eval()
    x = inputs_of_exits()[0]
    net = dycl.compile(model, (x,), backend="cuda")
    spares = [driver.device().allocate(64) for _ in range(20)]
    gpu.while_capturing = lambda: driver.device().free(spares.pop())
    for _ in range(3):
        same(net(x), model(x))
    assert len(spares) < 20


def test_a_loop(gpu):
    model = Loop().eval()
    net = dycl.compile(model, (ones(4), ones(4)), backend="cuda")
    for scale in (0.1, 1.0, 5.0, -1.0, 0.0):
        given = ones(4, of=scale), ones(4, of=0.5)
        same(net(*given), model(*given))


@pytest.mark.parametrize("architecture", [80, 90], indirect=True)
def test_places_that_a_run_tells(gpu):
    model = Steps().eval()
    x = torch.randn(3, 7)
    net = dycl.compile(model, (x, torch.tensor(2)), backend="cuda")
    for count in (0, 1, 7):
        same(net(x, torch.tensor(count)), model(x, torch.tensor(count)))


def test_pools_give_places(gpu):
    """Those of 7 columns are cut unevenly, part by part."""
    model = Pools().eval()
    net = dycl.compile(model, (ones(1, 2, 9, 7),), backend="cuda")
    for share in (0.0, 0.3, 0.8):
        x = torch.randn(1, 2, 9, 7).round()
        x[torch.rand(x.shape) < share] = -float("inf")
        x[torch.rand(x.shape) < share / 2] = float("nan")
        same(net(x), model(x))


def test_a_list(gpu):
    model = Collects().eval()
    net = dycl.compile(model, (ones(3),), backend="cuda")
    for scale in (0.5, 1.0, 2.9, 3.0, 9.0):
        same(net(ones(3, of=scale)), model(ones(3, of=scale)))


def test_state(gpu):
    model = Counts().eval()
    net = dycl.compile(Counts().eval(), (ones(3),), backend="cuda")
    for _ in range(4):
        same(net(ones(3, of=0.75)), model(ones(3, of=0.75)))


def test_an_artifact_runs_with_the_driver_alone(gpu, tmp_path):
    torch.manual_seed(0)
    model = Exits().eval()
    cases = inputs_of_exits()
    net = dycl.compile(model, (cases[0],), backend="cuda")
    for name in ("a", "b"):
        net.save(tmp_path / name)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    loaded = dycl.load(tmp_path / "a")
    assert loaded.host == "python"
    assert loaded.target == "cuda"
    for x in cases:
        same([torch.from_numpy(v) for v in loaded(x.numpy())], model(x))
    with pytest.raises(dycl.runtime.ArtifactError, match="no native host"):
        dycl.load(tmp_path / "a", host="native")


def test_other_weights(gpu):
    torch.manual_seed(0)
    model, other = Exits().eval(), Exits().eval()
    x = inputs_of_exits()[0]
    net = dycl.compile(model, (x,), backend="cuda")
    net.load_weights(other.state_dict())
    same(net(x), other(x))


def test_memory_goes_back(gpu):
    net = dycl.compile(Loop().eval(), (ones(4), ones(4)), backend="cuda")
    net(ones(4), ones(4))
    assert gpu.live
    del net
    gc.collect()
    assert not gpu.live


def test_ptx_for_9_0_is_for_9_0_alone(gpu):
    asked = []

    def codes(architecture):
        asked.append(architecture)
        return []

    for capability, architecture in (((8, 6), 80), ((9, 0), 90), ((10, 0), 80)):
        driver.device.cache_clear()
        gpu.capability = capability
        with pytest.raises(KeyError):
            kernels.CudaKernels(codes)["none"]
        assert asked.pop() == architecture


@pytest.mark.parametrize(
    ("backend", "function"),
    [
        ("cuda", "cuDevicePrimaryCtxRetain"),
        ("cuda", "cuModuleLoadDataEx"),
        ("cuda", "cuMemAlloc_v2"),
        ("cuda+cpu", "cuStreamCreate"),
        ("cuda,cpu", "cuDevicePrimaryCtxRetain"),
        ("cuda,cpu", "cuMemAlloc_v2"),
    ],
)
def test_a_full_gpu_is_told_by_calls_until_there_is_room(
    gpu, tmp_path, backend, function
):
    """A network is made and saved there, as where there is no GPU."""
    model, [x, *_] = Exits().eval(), inputs_of_exits()
    gpu.fails[function] = 2
    net = dycl.compile(model, (x,), backend=backend)
    net.save(tmp_path / "net.dycl")
    for run in (net, lambda x: dycl.load(tmp_path / "net.dycl")(x)):
        with pytest.raises(cuda.CudaError, match="no memory left: free") as caught:
            run(x)
        assert str(caught.value).endswith("(DY505)")
        gpu.fails.clear()
        same(run(x), model(x))
        gpu.fails[function] = 2
        driver.device.cache_clear()


def test_weights_for_which_there_is_no_room_are_not_taken(gpu):
    model, other, [x, *_] = Exits().eval(), Exits().eval(), inputs_of_exits()
    net = dycl.compile(model, (x,), backend="cuda")
    same(net(x), model(x))
    gpu.fails["cuMemAlloc_v2"] = 2
    with pytest.raises(cuda.CudaError, match=r"cuMemAlloc_v2 of \d+ bytes: "):
        net.load_weights(other.state_dict())
    same(net(x), model(x))
    gpu.fails.clear()
    net.load_weights(other.state_dict())
    same(net(x), other(x))


@pytest.fixture
def artifact(tmp_path):
    """A network for a GPU, saved where there is none."""
    net = dycl.compile(Loop().eval(), (ones(4), ones(4)), backend="cuda")
    net.save(tmp_path / "net.dycl")
    return tmp_path / "net.dycl"


def refusal(artifact):
    """What is said of a network that cannot run, by its file."""
    with pytest.raises(cuda.CudaError) as caught:
        dycl.load(artifact)(np.ones(4, "f4"), np.ones(4, "f4"))
    assert str(caught.value).endswith("(DY505)")
    return str(caught.value)


def test_no_driver(artifact, monkeypatch):
    monkeypatch.setattr(driver, "LIBRARY", "libcuda-that-is-not-there.so.1")
    driver.device.cache_clear()
    assert "no NVIDIA driver here" in refusal(artifact)


@pytest.mark.parametrize("command", ["run", "profile"])
def test_the_command_line_says_it_in_one_line(artifact, monkeypatch, capfd, command):
    monkeypatch.setattr(driver, "LIBRARY", "libcuda-that-is-not-there.so.1")
    driver.device.cache_clear()
    assert cli.run([command, str(artifact)]) == 1
    told = capfd.readouterr().err
    assert re.fullmatch(r"dycl: error: there is no NVIDIA.*\(DY505\)\n", told), told


def test_so_it_does_of_a_network_that_it_compiles(gpu, tmp_path, capfd):
    (tmp_path / "on_gpu.py").write_text(
        "import torch\ndef build(): return torch.nn.ReLU().eval()\n"
    )
    gpu.fails["cuLaunchKernel"] = ILLEGAL_ADDRESS
    gpu.fails["cuGraphLaunch"] = ILLEGAL_ADDRESS
    given = ["--backend", "cuda", "-i", "f32[2]"]
    command = ["run", f"{tmp_path / 'on_gpu.py'}:build", *given]
    assert cli.run(command) == 1
    told = capfd.readouterr().err
    assert "Traceback" not in told
    assert re.search(r"dycl: error: kernel @\w+.*ILLEGAL_ADDRESS.*\(DY505\)\n", told)


@pytest.mark.parametrize(
    ("body", "says"),
    {
        "old": ("return 0;", "the driver is of CUDA 11.2, .* install a newer driver"),
        "stub": ("return 34;", "cuInit: A_NAME; this is the toolkit's stub"),
        "another": ("version = 12080; return 0;", "has no cuDeviceGet, so it is not"),
    }.values(),
)
def test_libraries_that_are_no_driver(artifact, tmp_path, monkeypatch, body, says):
    """What such a library lacks is not looked for before it has said what it is."""
    source, library = tmp_path / "driver.c", tmp_path / "libcuda.so.1"
    source.write_text(
        f"static int version = 11020; int cuInit(unsigned flags) {{ {body} }}"
        "int cuDriverGetVersion(int *to) { *to = version; return 0; }"
        'int cuGetErrorName(int s, const char **to) { *to = "A_NAME"; return 0; }'
    )
    command = ["cc", "-shared", "-fPIC", str(source), "-o", str(library)]
    subprocess.run(command, check=True, timeout=60)
    monkeypatch.setattr(driver, "LIBRARY", str(library))
    driver.device.cache_clear()
    assert re.search(says, refusal(artifact))


@pytest.mark.parametrize(
    ("breaks", "says"),
    {
        "old driver": (lambda gpu: setattr(gpu, "version", 11080), "of CUDA 11.8"),
        "old GPU": (lambda gpu: setattr(gpu, "capability", (7, 5)), "capability 7.5"),
        "no GPU": (lambda gpu: gpu.fails.update(cuInit=100), "CUDA_VISIBLE_DEVICES"),
        "no memory": (lambda gpu: gpu.fails.update(cuMemAlloc_v2=2), "no memory left"),
        "busy": (lambda gpu: gpu.fails.update(cuInit=46), "wait for that one to end"),
        "unknown": (lambda gpu: gpu.fails.update(cuInit=999), "can run on the CPU"),
        "PTX": (lambda gpu: gpu.fails.update(cuModuleLoadDataEx=218), "loading @"),
        "no JIT": (lambda gpu: gpu.fails.update(cuModuleLoadDataEx=221), "ptxjit"),
        "launch": (lambda gpu: gpu.fails.update(cuLaunchKernel=1), "kernel @forward"),
    }.values(),
)
def test_what_a_gpu_cannot_do(artifact, gpu, breaks, says):
    breaks(gpu)
    assert says in refusal(artifact)


def test_a_kernel_that_fails_is_named_with_its_line(artifact, gpu, monkeypatch):
    net = dycl.load(artifact)
    gpu.fails["cuLaunchKernel"] = ILLEGAL_ADDRESS
    with pytest.raises(cuda.CudaError) as caught:
        net(np.ones(4, "f4"), np.ones(4, "f4"))
    said = str(caught.value)
    assert re.search(r"kernel @\w+ \(.*test_networks\.py:\d+", said), said
    assert "cannot use the GPU any more" in said


def test_a_failure_that_is_told_later(artifact, gpu):
    net = dycl.load(artifact)
    gpu.fails["cuStreamSynchronize"] = ILLEGAL_ADDRESS
    with pytest.raises(cuda.CudaError, match="DYCL_CUDA_SYNC=1") as caught:
        net(np.ones(4, "f4"), np.ones(4, "f4"))
    assert "kernel @forward" in caught.value.__notes__[0]


def test_a_failure_that_is_waited_for_names_its_kernel(artifact, gpu, monkeypatch):
    """What to set is not said where it is set."""
    monkeypatch.setenv("DYCL_CUDA_SYNC", "1")
    net = dycl.load(artifact)
    net(np.ones(4, "f4"), np.ones(4, "f4"))
    gpu.fails["cuStreamSynchronize"] = ILLEGAL_ADDRESS
    with pytest.raises(cuda.CudaError, match=r"kernel @\w+ \(.*_networks\.py:\d+") as e:
        net(np.ones(4, "f4"), np.ones(4, "f4"))
    assert "can go on with the CPU (DY505)" in str(e.value)
