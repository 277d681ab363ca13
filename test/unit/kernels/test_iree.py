"""Kernels that IREE runs: what it is given, and that networks stay eager's."""

import math
import subprocess
import sys
from importlib import metadata

import numpy as np
import pytest
import torch
import torch.nn.functional as f
from torch import inf, nan

import dycl
from dycl.diag import CodedError, PassFailed, collect_remarks
from dycl.driver.models import compile
from dycl.kernels.cpu.engine import CpuKernel
from dycl.kernels.engines.library import ModuleKernel
from dycl.kernels.iree.lower import lowered
from dycl.kernels.iree.refusal import Refusal
from dycl.runtime.engines import calls
from dycl.runtime.engines import iree as engine

S = torch.tensor([[inf, -inf, nan, -0.0], [0.0, 3e38, -3e38, 1.5], [89.0, -105, 2, -3]])
torch.manual_seed(0)
IMAGE, FILTERS, LINE = torch.randn(1, 4, 8, 8), torch.randn(6, 4, 3, 3), torch.randn(6)
WIDE = torch.randn(6, 4)
HOLED = IMAGE.clone()
HOLED[0, 1, 2, 3] = nan
HOLED[0, 3, :3, :3] = -inf
N = torch.tensor([[3, -1, 0, 2], [5, 5, -7, 1], [1, 0, 0, 4]])
TRUTHS = torch.tensor([[True, False, True, True], [False] * 4, [True] * 4])

VALUES = [
    lambda x, t: (x + x, x - 1, x * 0.5, x / 3, 2 - x, -x, x.abs(), x + t),
    lambda x, t: (x.relu(), x.exp(), x.tanh(), x.sigmoid(), x.erf(), f.silu(x)),
    lambda x, t: (x.round(), x.t() + 1, x.clamp(-1, 2), x.clamp(min=0)),
    lambda x, t: (x.softmax(1), x.log_softmax(0), x.amax(1), x.amin(0)),
    lambda x, t: (torch.where(t, x, 1.0), x.masked_fill(t, -math.inf), x.mean(0)),
    lambda x, t: (x.t(), x[:, 1:3], torch.cat([x, x * 2], 1), *x.split(2, 1), x[1]),
]
WHOLE = [
    lambda n, t: (n + n, n * 3, n > 0, n == 5, n.sum(1), n.float(), t & (n > 1), ~t),
    lambda n, t: (n.max(), n.amin(1), t.any(1), t.all(0), n.to(torch.int32) + 1),
]
PRODUCTS = [
    lambda x: (f.conv2d(x, FILTERS, LINE, padding=1), f.conv2d(x, FILTERS, stride=2)),
    lambda x: (f.conv2d(x, FILTERS[:4, :1], groups=4, dilation=2), x @ x),
    lambda x: (f.max_pool2d(x, 2), f.max_pool2d(x, 3, 2, 1), f.avg_pool2d(x, 2)),
    lambda x: (
        f.layer_norm(x, (8, 8), x[0, 0]),
        f.linear(x[0, 0], FILTERS[0, 0, :1].repeat(5, 3)[:, :8], LINE[:5]),
    ),
]

NET = """
func.func @k(%x: !torch.vtensor<[1,8],f32>,
    %w: !torch.vtensor<[4,8],f32> {dycl.weight}) -> !torch.vtensor<[1,4],f32>
    attributes {dycl.kernel} {
  %none = torch.constant.none
  %y = torch.aten.linear %x, %w, %none : !torch.vtensor<[1,8],f32>,
      !torch.vtensor<[4,8],f32>, !torch.none -> !torch.vtensor<[1,4],f32>
  return %y : !torch.vtensor<[1,4],f32>
}
"""


def test_weights_are_parameters_and_results_are_lent() -> None:
    text = lowered(NET, (1,))
    assert isinstance(text, str)
    lines = [line.strip() for line in text.splitlines()]
    parameter = 'util.global private @in1 = #flow.parameter.named<"in1">'
    assert lines[1] == f"{parameter} : tensor<4x8xf32>"
    assert lines[2] == (
        "func.func @kernel(%arg0: tensor<1x8xf32>, "
        "%out0: tensor<1x4xf32> {iree.abi.output = 0 : index}) -> (tensor<1x4xf32>) {"
    )
    assert lines[3] == "%arg1 = util.global.load @in1 : tensor<4x8xf32>"
    assert any("linalg.matmul" in line for line in lines)


def test_what_has_no_form_is_refused() -> None:
    found = lowered(
        """
func.func @k(%x: !torch.vtensor<[8],f32>) -> !torch.vtensor<[8],f32>
    attributes {dycl.kernel} {
  %zero = torch.constant.int 0
  %none = torch.constant.none
  %y = torch.aten.cumsum %x, %zero, %none : !torch.vtensor<[8],f32>, !torch.int,
      !torch.none -> !torch.vtensor<[8],f32>
  return %y : !torch.vtensor<[8],f32>
}
""",
        (),
    )
    assert isinstance(found, Refusal)
    assert found.problem.what == "IREE is not given `tm_tensor.scan`"


@pytest.fixture
def iree():
    pytest.importorskip("iree.runtime")
    pytest.importorskip("iree.compiler")


@pytest.mark.usefixtures("iree")
@pytest.mark.parametrize(
    ("functions", "inputs"),
    [(VALUES, (S, TRUTHS)), (WHOLE, (N, TRUTHS)), (PRODUCTS, (HOLED,))],
    ids=["values", "whole", "products"],
)
def test_what_eager_gives(functions, inputs) -> None:
    def all_of(*given):
        return [function(*given) for function in functions]

    with collect_remarks() as remarks:
        net = compile(all_of, inputs, backend="iree")
    assert not [r for r in remarks if "not for" in r.what]
    assert {type(net.library[s.name]) for s in net.library.specs} == {ModuleKernel}
    torch.testing.assert_close(net(*inputs), all_of(*inputs), equal_nan=True)


def tiny(x):
    decided = x == 0, x.argmax(1), x.to(torch.bool), x.max(1)[1], x.long()
    steep = 1 / x, x.log(), x / x, x.floor(), x.ceil(), x.sign(), x % 3, x.norm()
    return *decided, *steep, x.abs().pow(0.1), x.std(1), f.threshold(x, 0.0, 2.0)


@pytest.mark.usefixtures("iree")
def test_what_small_numbers_decide_is_ours() -> None:
    x = torch.tensor([[0.0, 1e-40, -1e-40, 3e-39], [1e-40, 2e-40, 0.0, -1.0]])
    with collect_remarks() as remarks:
        net = compile(tiny, (x,), backend="iree")
    why = [r.why for r in remarks if r.what == "not for iree"]
    assert set(why) == {"IREE takes numbers below 1.2e-38 for 0"}
    torch.testing.assert_close(net(x), tiny(x), equal_nan=True)


@pytest.mark.usefixtures("iree")
def test_also_in_kernels_that_are_whole() -> None:
    """One that gives what it is given is not divided."""

    def both(x):
        return x, x == 0, x * 2

    x = torch.tensor([0.0, 1e-40])
    with collect_remarks() as remarks:
        net = compile(both, (x,), backend="iree", verify=True)
    assert "IREE takes numbers below 1.2e-38 for 0" in [r.why for r in remarks]
    torch.testing.assert_close(net(x)[:2], both(x)[:2])


def periodic(x):
    return x.sin(), x.cos(), x.tan()


@pytest.mark.usefixtures("iree")
def test_periodic_functions_are_ours() -> None:
    x = torch.tensor([3e38, -1e7, 2.0])
    with collect_remarks() as remarks:
        net = compile(periodic, (x,), backend="iree")
    why = [r.why for r in remarks if r.what == "not for iree"]
    assert set(why) == {"IREE has few digits of it for large numbers"}
    torch.testing.assert_close(net(x), periodic(x))


class Gated(torch.nn.Module):
    """Its second convolution is run for some images only; one op IREE lacks."""

    def __init__(self):
        super().__init__()
        self.first = torch.nn.Conv2d(4, 4, 3, padding=1)
        self.second = torch.nn.Conv2d(4, 4, 3, padding=1)
        self.register_buffer("mask", torch.rand(8, 8) > 0.5)

    def forward(self, x):
        y = torch.relu(self.first(x))
        while y.sum() > 900:
            y = y * 0.7
        if y.mean() > 1:
            y = self.second(y)
            y = torch.where(self.mask, y, y.exp())
        else:
            y = y.cumsum(1)
        return y.sum(1)


def gated():
    torch.manual_seed(0)
    return Gated().eval(), (IMAGE, IMAGE * 9, -IMAGE, IMAGE * 40)


def check(net, model, images, twin=None):
    sides = set()
    for x in images:
        with torch.no_grad():
            torch.testing.assert_close(net(x), model(x), rtol=1e-4, atol=1e-4)
        sides |= {(d.name, d.taken) for d in net.path}
        if twin is not None:
            twin(x)
            assert list(map(str, net.path)) == list(map(str, twin.path))
    assert {taken for _, taken in sides} == {True, False}
    assert len(sides) == 4


@pytest.mark.usefixtures("iree")
@pytest.mark.parametrize("host", ["native", "python"])
@pytest.mark.parametrize("threads", [1, 2])
def test_both_sides_of_each_decision(host, threads, tmp_path) -> None:
    model, images = gated()
    with collect_remarks() as remarks:
        net = dycl.compile(
            model, (IMAGE,), backend="iree", host=host, threads=threads, verify=True
        )
    left = [r for r in remarks if r.what == "not for iree"]
    lines = {r.at.line for r in left if r.at is not None and "float64" in r.why}
    assert lines == {line_of("y.cumsum(1)")}
    kinds = {type(net.library[spec.name]) for spec in net.library.specs}
    assert kinds == {ModuleKernel, CpuKernel}
    twin = dycl.compile(model, (IMAGE,), backend="reference")
    check(net, model, images, twin)
    for scale in range(2 * calls._MOST_CALLS):  # Memory that begins anywhere.
        memory = torch.zeros(IMAGE.numel() + 32)
        x = memory[scale % 17 :][: IMAGE.numel()].view(IMAGE.shape)
        x.copy_(IMAGE * scale)
        with torch.no_grad():
            torch.testing.assert_close(net(x), model(x), rtol=1e-4, atol=1e-4)
    other = Gated().eval()
    net.load_weights(other.state_dict())
    check(net, other, images)
    net.load_weights(model.state_dict())
    net.save(tmp_path / "net.dycl")
    check(dycl.load(tmp_path / "net.dycl", host=host), model, images)


PROGRAM = """
import sys
import numpy as np
for name in ("torch", "xdsl", "iree.compiler"):
    sys.modules[name] = None
import dycl
data = np.load(sys.argv[2])
net = dycl.load(sys.argv[1])
np.testing.assert_allclose(net(data["x"]), data["y"], rtol=1e-4, atol=1e-4)
print("done")
"""


@pytest.mark.usefixtures("iree")
def test_a_saved_network_needs_the_runtime_alone(tmp_path, monkeypatch) -> None:
    model, _ = gated()
    for name in ("net", "again"):
        net = dycl.compile(model, (IMAGE,), backend="iree", cache=False)
        net.save(tmp_path / f"{name}.dycl")
    saved = [(tmp_path / f"{name}.dycl").read_bytes() for name in ("net", "again")]
    assert saved[0] == saved[1]
    with torch.no_grad():
        np.savez(tmp_path / "data.npz", x=IMAGE.numpy(), y=model(IMAGE).numpy())
    files = [str(tmp_path / "net.dycl"), str(tmp_path / "data.npz")]
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *files],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.stdout, done.stderr) == ("done\n", "")
    monkeypatch.setitem(sys.modules, "iree.runtime", None)
    with pytest.raises(dycl.runtime.ArtifactError, match="pip install 'dycl.iree.'"):
        dycl.load(tmp_path / "net.dycl")


def attention(q):
    return f.scaled_dot_product_attention(q, q, q)


@pytest.mark.usefixtures("iree")
def test_a_kernel_that_its_compiler_refuses_is_ours(monkeypatch) -> None:
    from dycl.kernels.iree import compiler

    monkeypatch.setattr(
        compiler.Compiler, "_compiled", lambda *_: compiler.Failed("not today")
    )
    q = torch.randn(1, 2, 5, 4)
    with collect_remarks() as remarks:
        net = compile(attention, (q,), backend="iree", cache=False)
    whys = [r.why for r in remarks if r.what == "not for iree"]
    assert whys == ["IREE refuses it: not today"]
    torch.testing.assert_close(net(q), attention(q))


@pytest.mark.usefixtures("iree")
def test_what_it_says_at_run_time_is_at_the_users_line(monkeypatch) -> None:
    model, _ = gated()
    net = dycl.compile(model, (IMAGE,), backend="iree")
    run, fails = engine._Call.__call__, [True]

    def failing(self) -> None:
        if fails:
            fails.clear()
            raise RuntimeError("first\nno memory is left")
        run(self)

    monkeypatch.setattr(engine._Call, "__call__", failing)
    with pytest.raises(CodedError) as caught:
        net(IMAGE)
    assert caught.value.code == "DY505"
    assert caught.value.at is not None
    assert caught.value.at.line == line_of("torch.relu(self.first")
    with torch.no_grad():
        torch.testing.assert_close(net(IMAGE), model(IMAGE), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("missing", ["iree.runtime", "iree.compiler.tools"])
def test_iree_is_missing(missing, monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, missing, None)
    with pytest.raises(PassFailed) as caught:
        compile(attention, (torch.randn(1, 2, 5, 4),), backend="iree")
    assert caught.value.code == "DY292"
    assert caught.value.hint == "pip install 'dycl[iree]'"


@pytest.mark.usefixtures("iree")
@pytest.mark.parametrize("package", ["iree-base-runtime", "iree-base-compiler"])
def test_iree_is_too_old(package, monkeypatch) -> None:
    version = metadata.version
    monkeypatch.setattr(
        metadata, "version", lambda p: "3.1.0" if p == package else version(p)
    )
    with pytest.raises(PassFailed, match=r"it is 3\.1\.0, and 3\.9 is") as caught:
        compile(attention, (torch.randn(1, 2, 5, 4),), backend="iree")
    assert caught.value.code == "DY292"


def line_of(text: str) -> int:
    """The first line of this file that has this text."""
    with open(__file__) as lines:
        return next(i for i, line in enumerate(lines, start=1) if text in line)
