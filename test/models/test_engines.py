"""Networks whose kernels engines run, alone and mixed: values and paths are eager's.

Every decision goes both ways. What an engine cannot take is in the middle of kernels,
in both arms of decisions and in a loop; paths are those of the reference backend.
"""

import importlib

import pytest
import torch

import dycl
from dycl.checking.values import largest_relative
from dycl.diag import collect_remarks
from dycl.ir.functions import BACKEND
from dycl.kernels.cpu.engine import CpuKernel
from dycl.kernels.engines.library import ModuleKernel
from examples.compare import RTOL

ENGINES = ["onnxruntime", "openvino"]
EXAMPLES = ["branchynet", "skip_rnn", "greedy_decoding"]


class Parted(torch.nn.Module):
    """`sinh` and `cosh`, which engines lack, wherever a kernel can have them."""

    def __init__(self):
        super().__init__()
        self.first = torch.nn.Conv2d(3, 16, 3, padding=1)
        self.norm = torch.nn.BatchNorm2d(16)
        self.second = torch.nn.Conv2d(16, 16, 3, padding=1)
        self.head = torch.nn.Linear(16, 5)

    def forward(self, x):
        y = torch.relu(self.norm(self.first(x)))
        y = torch.sinh(y * 0.1)
        y = self.second(y).tanh()
        while y.abs().sum() > 200:
            y = torch.sinh(y * 0.5).flatten(1).view(1, 16, 8, 8) * 0.7
        z = y.mean((2, 3))
        if z.sum() > 0:
            a, b = torch.tensor_split(torch.cosh(z).softmax(1), 2, 1)
            return self.head(torch.cat([b, a], 1)), y
        if z.max() > 0.05:
            z = torch.cosh(z) + z.exp()
        return self.head(z).log_softmax(1), y


def parted():
    torch.manual_seed(0)
    model = Parted().eval()
    model.norm.running_mean += torch.rand(16)
    model.norm.running_var += torch.rand(16)
    x = torch.randn(1, 3, 8, 8)
    scales = (0.0, 0.2, 1.0, 3.0, -0.2, -1.0, -3.0, 40.0)
    return model, [(x * s + d,) for s in scales for d in (0.0, 0.5, -0.5)]


def agrees(net, twin, model, inputs):
    """The sides that were taken, of all decisions."""
    sides = set()
    for given in inputs:
        with torch.no_grad():
            assert largest_relative(net(*given), model(*given)) <= RTOL
        twin(*given)
        assert [str(d) for d in net.path] == [str(d) for d in twin.path]
        sides |= {(d.name, d.taken) for d in net.path}
    return sides


def both_sides(net):
    return {(name, taken) for name, *_ in net.decisions for taken in (True, False)}


@pytest.fixture(scope="module")
def reference():
    model, inputs = parted()
    return dycl.compile(model, inputs[0], backend="reference")


@pytest.mark.parametrize("engine", ENGINES)
def test_a_kernel_is_parted_and_not_refused(engine, reference) -> None:
    pytest.importorskip(engine)
    model, inputs = parted()
    with collect_remarks() as remarks:
        net = dycl.compile(model, inputs[0], backend=engine, verify=True)
    left = {r.why for r in remarks if r.what == f"not for {engine}"}
    assert {why.partition("`")[2].partition("`")[0] for why in left if "`" in why} == {
        "aten.sinh",
        "aten.cosh",
    }
    kinds = [type(net.library[spec.name]) for spec in net.library.specs]
    assert kinds.count(ModuleKernel) >= 5
    assert kinds.count(CpuKernel) >= 4
    assert agrees(net, reference, model, inputs) == both_sides(net)


def test_engines_are_mixed_in_one_network(reference, monkeypatch, tmp_path) -> None:
    """One engine is not given convolutions, so that they are the other one's."""
    for engine in ENGINES:
        pytest.importorskip(engine)
    from dycl.kernels.openvino import OpenVinoBackend

    takes = OpenVinoBackend.cannot_take
    monkeypatch.setattr(
        OpenVinoBackend,
        "cannot_take",
        lambda self, op: "not here" if "conv" in op.name else takes(self, op),
    )
    model, inputs = parted()
    pipeline = (
        "normalise,type,dycl-share-subexpressions,dycl-outline-branches,"
        "dycl-share-kernels,dycl-mark-weights,"
        "dycl-annotate-backends{backends=openvino,onnxruntime},"
        "dycl-merge-backend-regions,dycl-partition-backends,dycl-check-hcfg,host"
    )
    net = dycl.compile(model, inputs[0], pipeline=pipeline)
    assert net.host == "native"
    text = net.stages["hcfg"]
    for name in (*ENGINES, "cpu"):
        assert f'{BACKEND} = "{name}"' in text
    assert agrees(net, reference, model, inputs) == both_sides(net)
    net.save(tmp_path / "net.dycl")
    for host in ("native", "python"):
        loaded = dycl.load(tmp_path / "net.dycl", host=host)
        assert loaded.host == host
        assert agrees(loaded, reference, model, inputs) == both_sides(net)


@pytest.mark.parametrize("engine", [*ENGINES, "iree"])
@pytest.mark.parametrize("name", EXAMPLES)
def test_examples_equal_eager(engine, name) -> None:
    pytest.importorskip("iree.compiler" if engine == "iree" else engine)
    for model, inputs in importlib.import_module(f"examples.{name}").cases()[:1]:
        net = dycl.compile(model, inputs[0], backend=engine)
        twin = dycl.compile(model, inputs[0], backend="reference")
        assert ModuleKernel in {type(net.library[s.name]) for s in net.library.specs}
        assert agrees(net, twin, model, inputs) == both_sides(net)
