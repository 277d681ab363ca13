"""What kernels make of weights is in the artifact: mapped, shared, made anew if needed.

Both hosts, and the raw weights left out or not.
"""

import json
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest
import safetensors.numpy
import torch
from torch import nn

import dycl
from dycl.runtime import WeightError
from dycl.runtime.weights import PREPARED


class Gated(nn.Module):
    """A folded batch norm, a decision, a linear layer that two calls share."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(16, 32, 3, bias=False)
        self.norm = nn.BatchNorm2d(32)
        self.gate = nn.Linear(32, 1)
        self.fc = nn.Linear(32, 48)
        self.head = nn.Linear(48, 40)
        self.unused = nn.Parameter(torch.ones(2000))

    def forward(self, x):
        y = self.norm(self.conv(x)).relu().mean((2, 3))
        if x.abs().mean() > self.gate.bias.abs().sum() + 1:
            return self.head(self.fc(y).relu())
        return self.head(self.fc(y))


def drawn(seed):
    torch.manual_seed(seed)
    model = Gated().eval()
    with torch.no_grad():
        model.norm.running_mean.normal_()
        model.norm.running_var.uniform_(0.5, 2)
        model.norm.weight.normal_()
    return model


@pytest.fixture(scope="module")
def model():
    return drawn(0)


@pytest.fixture(scope="module")
def inputs():
    torch.manual_seed(1)
    return [torch.randn(1, 16, 8, 8) * scale for scale in (0.1, 1, 3, -3)]


@pytest.fixture(scope="module", params=["native", "python"])
def net(request, model, inputs):
    return dycl.compile(model, (inputs[0],), host=request.param)


@pytest.fixture(scope="module")
def files(net, tmp_path_factory):
    """With raw weights and without."""
    folder = tmp_path_factory.mktemp("prepared")
    for raw in (True, False):
        net.save(folder / f"{raw}.dycl", raw_weights=raw)
    return {raw: folder / f"{raw}.dycl" for raw in (True, False)}


def assert_is(net, model, inputs):
    for x in inputs:
        with torch.no_grad():
            want = model(x)
        torch.testing.assert_close(net(x), want, rtol=1e-4, atol=1e-5)


def test_both_sides_are_taken(model, inputs):
    compiled = dycl.compile(model, (inputs[0],))
    sides = set()
    for x in inputs:
        compiled(x)
        sides.add(compiled.path[0].taken)
    assert sides == {True, False}


@pytest.mark.parametrize("raw", [True, False])
def test_loading_prepares_nothing(net, files, inputs, raw):
    loaded = dycl.load(files[raw], host=net.host)
    for x in inputs:
        assert torch.equal(loaded(x), net(x))
    made = loaded.made()
    assert set(made) == set(net._net.made())
    mapped = np.frombuffer(loaded._saved["weights.safetensors"], np.uint8)
    for one in made.values():
        assert np.shares_memory(mapped, one.data)
        assert one.data.__array_interface__["data"][0] % 64 == 0
        assert not one.data.flags.writeable or net.host == "native"


def test_what_is_stored_under_which_name(net, files):
    with zipfile.ZipFile(files[True]) as archive:
        stored = safetensors.numpy.load(archive.read("weights.safetensors"))
        manifest = json.loads(archive.read("manifest.json"))
        offset = archive.getinfo("weights.safetensors").header_offset
    made = {name: array for name, array in stored.items() if name.startswith(PREPARED)}
    assert set(made) == set(manifest["made"]) == set(net._net.made())
    for name, one in net._net.made().items():
        assert made[name].tobytes() == one.data.tobytes()
        assert made[name].shape == tuple(one.shape)
        assert name.endswith(":" + ",".join(one.weights))
    assert any(
        set(one.weights) >= {"conv.weight", "norm.weight"}
        for one in net._net.made().values()
    )
    assert offset > 0


def test_without_raw_weights(net, files, model):
    loaded = dycl.load(files[False])
    large = {n for n, t in model.state_dict().items() if t.nbytes >= 4096}
    assert {"conv.weight", "fc.weight", "head.weight", "unused"} == large
    assert set(loaded.weights) == set(model.state_dict()) - large
    assert set(dycl.load(files[True]).weights) == set(model.state_dict())
    assert files[False].stat().st_size < files[True].stat().st_size - 18432 - 8000


@pytest.mark.parametrize("raw", [True, False])
def test_all_weights_may_be_swapped(net, files, inputs, raw):
    loaded, other = dycl.load(files[raw], host=net.host), drawn(5)
    loaded.load_weights(other.state_dict())
    assert_is(loaded, other, inputs)
    assert set(loaded.weights) == set(other.state_dict())


@pytest.mark.parametrize("raw", [True, False])
def test_what_does_not_change_stays_mapped(net, files, model, inputs, raw):
    loaded, other = dycl.load(files[raw], host=net.host), drawn(5)
    before = loaded.made()
    part = {n: t for n, t in other.state_dict().items() if n.startswith("head.")}
    loaded.load_weights(part, strict=False)
    changed = drawn(0)
    changed.head = other.head
    assert_is(loaded, changed, inputs)
    for name, one in loaded.made().items():
        is_same = np.shares_memory(one.data, before[name].data)
        assert is_same == (not any(path.startswith("head.") for path in one.weights))


def test_half_of_what_is_made_together(net, files, model, inputs):
    loaded, other = dycl.load(files[False], host=net.host), drawn(5)
    part = {"norm.weight": other.norm.weight}
    with pytest.raises(WeightError, match=r"`conv\.weight` were left out .*DY604"):
        loaded.load_weights(part, strict=False)
    assert_is(loaded, model, inputs)
    with pytest.raises(
        WeightError, match=r"`conv\.weight` is float32\[1\], not float32"
    ):
        loaded.load_weights({"conv.weight": torch.ones(1)}, strict=False)
    loaded.load_weights(part | {"conv.weight": model.conv.weight}, strict=False)
    changed = drawn(0)
    with torch.no_grad():
        changed.norm.weight.copy_(other.norm.weight)
    assert_is(loaded, changed, inputs)
    whole = dycl.load(files[True], host=net.host)
    whole.load_weights(part, strict=False)
    assert_is(whole, changed, inputs)


def test_swapped_weights_are_saved_in_their_new_form(net, inputs, tmp_path):
    other = drawn(9)
    net = net.with_python_host() if net.host == "python" else net
    mine = dycl.compile(drawn(0), (inputs[0],), host=net.host)
    mine.load_weights(other.state_dict())
    mine.save(tmp_path / "other.dycl")
    assert_is(dycl.load(tmp_path / "other.dycl"), other, inputs)
    dycl.compile(other, (inputs[0],), host=net.host).save(tmp_path / "fresh.dycl")
    fresh, saved = (tmp_path / f"{name}.dycl" for name in ("fresh", "other"))
    assert fresh.read_bytes() == saved.read_bytes()


SHARE = """
import sys
import numpy as np, dycl
net = dycl.load(sys.argv[1])
x = np.ones((1, 2048), np.float32)
net(x)
print("ready", flush=True)
sys.stdin.readline()
sums, name, ours = {}, "", False
for line in open("/proc/self/smaps"):
    words = line.split()
    if "-" in words[0] and not words[0].endswith(":"):
        ours = line.rstrip().endswith(sys.argv[1])
    elif ours and words[0] in ("Rss:", "Pss:", "Private_Dirty:"):
        sums[words[0]] = sums.get(words[0], 0) + int(words[1])
print(sums["Rss:"], sums["Pss:"], sums["Private_Dirty:"], flush=True)
sys.stdin.readline()
"""


@pytest.mark.skipif(
    not Path("/proc/self/smaps").is_file(), reason="this system does not tell"
)
def test_two_processes_share_the_pages(tmp_path):
    """16 MB of prepared weights are in memory once."""
    net = dycl.compile(nn.Linear(2048, 2048).eval(), (torch.ones(1, 2048),))
    [size] = [m.data.nbytes for m in net._net.made().values() if m.data.nbytes > 2**20]
    net.save(tmp_path / "net.dycl")
    command = [sys.executable, "-c", SHARE, str(tmp_path / "net.dycl")]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    running = [subprocess.Popen(command, **pipes) for _ in range(2)]
    try:
        for process in running:
            assert process.stdout.readline() == "ready\n"
        for process in running:
            process.stdin.write("\n")
            process.stdin.flush()
            rss, pss, dirty = map(int, process.stdout.readline().split())
            assert rss * 1024 >= size
            assert pss < rss * 0.6
            assert dirty == 0
    finally:
        for process in running:
            process.kill()
            process.communicate()
