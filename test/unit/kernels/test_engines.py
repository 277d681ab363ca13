"""Engines give what eager gives: every op of the table, and whole networks."""

import gc
import math
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest
import torch
import torch.nn.functional as f
from torch import inf, nan

import dycl
from dycl import backends
from dycl.diag import CodedError, PassFailed, collect_remarks
from dycl.driver.models import compile
from dycl.kernels.cpu.engine import CpuKernel
from dycl.kernels.engines.library import ModuleKernel
from dycl.kernels.onnx.table import TABLE
from dycl.runtime.engines import calls, sessions
from dycl.tools import cli

ENGINES = ["onnxruntime", "openvino"]

X = torch.tensor([[1.5, -2.0, 0.0, 3.0], [nan, 3.0, -0.5, 2.0], [3.0, 3.0, 1.0, nan]])
Y = torch.tensor([[1.5, 2.0, -1.0, 3.0], [1.0, nan, -0.5, 2.5], [2.0, 3.0, 1.0, 0.5]])
N = torch.tensor([[3, -1, 0, 2], [5, 5, -7, 1], [1, 0, 0, 4]])
B = torch.tensor([[True, False, True, True], [False] * 4, [True] * 4])
torch.manual_seed(0)
IMAGE, FILTERS, LINE = torch.randn(1, 4, 8, 8), torch.randn(6, 4, 3, 3), torch.randn(6)
HOLED = IMAGE.clone()
HOLED[0, 1, 2, 3] = HOLED[0, 2, 7, 7] = nan
M, N5 = torch.randn(5, 4), torch.randn(4, 5)
ROWS = torch.zeros(3, 9)
ROWS[0] = HOLED[0, 3, :3, :3] = -inf
ROWS[1, 2], ROWS[2, 8] = nan, inf
TABLE_OF_8 = torch.randn(8, 3)
BIG = (X.repeat(3, 17) * 40).clone()
BIG[0, :6] = torch.tensor([inf, -inf, -0.0, -105.0, 1e-40, 89.0])

ARITHMETIC = [
    lambda x, y: (x + y, x - y, x * y, x / y, torch.add(x, y, alpha=2)),
    lambda x, y: (x + 2, x - 0.5, x * 3, x / 3, 2 - x),
    lambda x, y: (x.relu(), -x, x.abs(), x.abs().rsqrt(), f.silu(x), f.gelu(x)),
    lambda x, y: (x.sigmoid(), x.tanh(), x.exp(), x.abs().log(), x.abs().sqrt()),
    lambda x, y: (x.erf(), x.floor(), x.ceil(), x.sin(), x.cos(), x.reciprocal()),
    lambda x, y: (x.clamp(-1, 2), x.clamp(min=0), x.clamp(max=1)),
    lambda x, y: (x == y, x != y, x < y, x <= y, x > y, x >= y),
    lambda x, y: (x == 3, x != 3, x < 3, x <= 3, x > 3, x >= 3),
    lambda x, y: (torch.where(x > y, x, y), x.masked_fill(y > 1, -math.inf)),
]
EXTREMES = [
    lambda x: (x.max(), x.min(), x.amax(1), x.amin(0, keepdim=True)),
    lambda x: (*x.max(1), *x.min(0), x.argmax(1), x.argmin(0), x.argmax()),
    lambda x: (x.sum(), x.sum(1), x.mean(), x.mean(0, keepdim=True), x.cumsum(1)),
    lambda x: (x.softmax(1), x.log_softmax(0)),
]
SHAPES = [
    lambda x: ((x + 1).view(4, 3), x.reshape(2, 6), x.flatten(), x[:, None].squeeze()),
    lambda x: (x.t(), x.permute(1, 0), x.transpose(0, 1), x[None].expand(2, 3, 4)),
    lambda x: (x[1], x[:, -1], x[:, 1:3], x[::2], x[0:-1, ::3]),
    lambda x: (torch.cat([x, x + 1], 1), torch.stack([x, x * 2], 1)),
    lambda x: (*x.chunk(2, 1), *x.split(2, 0), *x.split([1, 3], 1), *x.unbind(0)),
    lambda x: (x.triu(1), x.tril(-1), x + torch.zeros(4), x * torch.ones(3, 1)),
    lambda x: (x[:, [1, -1]], x[[[0], [2]], [-1, 1]], x.index_select(1, N[0, :1] - 1)),
]
WHOLE = [
    lambda n: (n + n, n * 3, n - 1, 2 - n, n.sum(), n.sum(1), n.max(), n.amin(1)),
    lambda n: (n == 5, n > 0, n.float() / 2, n + 0.5, (n > 0).to(torch.int32)),
    lambda n: ((n > 0) & (n < 3), (n > 0) | (n < -1), ~(n > 1), (n > 0).all()),
    lambda n: ((n > 4).any(), (n > 0).any(1), (n > -8).all(0), n.cumsum(0)),
]
PRODUCTS = [
    lambda x: (f.linear(x[0, :, :, :4], M), f.linear(x[0, 0, 0, :4], M, LINE[:5])),
    lambda x: (f.conv2d(x, FILTERS, LINE, padding=1), f.conv2d(x, FILTERS, stride=2)),
    lambda x: f.conv2d(x, FILTERS[:4, :1], groups=4, dilation=2),
    lambda x: f.conv1d(x[0].transpose(0, 1), FILTERS[:, :, 0], LINE),
    lambda x: (x @ x, torch.addmm(LINE[:5], x[0, 0, :, :4], N5)),
    lambda x: f.layer_norm(x, (8, 8), x[0, 0], x[0, 1]),
    lambda x: f.batch_norm(x, LINE[:4], LINE[:4] * LINE[:4], LINE[1:5], LINE[2:6]),
    lambda x: f.bilinear(x[0, 0], x[0, 1], x[0].transpose(1, 2)[:3], LINE[:3]),
    lambda x: (f.avg_pool2d(x, 3, 2, 1), f.avg_pool2d(x, 2, count_include_pad=False)),
    lambda x: (f.adaptive_avg_pool2d(x, 4), f.adaptive_avg_pool2d(x, 1)),
    lambda x: (f.interpolate(x, (3, 5)), f.interpolate(x, (13, 16))),
]
POOLS = [
    lambda x: (f.max_pool2d(x, 2), f.max_pool2d(x, 3, 2, 1), f.relu(x)),
    lambda x: (f.adaptive_max_pool2d(x, 4), f.avg_pool2d(x, 2)),
]


HARD = [
    lambda x: (x.exp(), x.tanh(), x.sigmoid(), x.erf(), x.relu(), f.silu(x)),
    lambda x: (x.clamp(-1, 2), x.clamp(min=0), x.clamp(max=1), x.log(), x.rsqrt()),
]
"""With infinities as well, at the ends of what vectors hold."""
S = torch.tensor([inf, -inf, nan, -0.0, 0.0, 1e-40, -1e-40, 3e38, -3e38, 1.5, -2.5])
SPECIAL = (
    torch.stack([S, S.flip(0), S.roll(3)]),
    torch.stack([S.roll(i) for i in (2, 4, 6)]),
)
"""Each meets infinities, NaN, zeros of both signs and the smallest numbers."""
PAIRS = [
    lambda x, y: (x + y, x - y, x * y, x / y, torch.where(x > y, x, y)),
    lambda x, y: (x == y, x != y, x < y, x <= y, x > y, x >= y, x.to(torch.bool)),
    lambda x, y: (x.relu(), x.exp(), x.clamp(-1, 2), x.masked_fill(y > 1, -math.inf)),
    lambda x, y: (x.softmax(1), x.log_softmax(1), x.max(1), y.min(0), x.argmax(0)),
]
FUSED = [
    lambda x: (
        f.conv2d(x, FILTERS, LINE).relu(),
        (f.conv2d(x, FILTERS) / 9).exp().relu(),
    ),
    lambda x: f.max_pool2d(f.conv2d(x, FILTERS, LINE, padding=1).relu(), 2).clamp(0, 1),
    lambda x: f.linear(x[0, 1], IMAGE[0, 0]).relu().softmax(1) + f.gelu(x[0, 2]),
    lambda x: (
        (x[0, 1] @ x[0, 3]).masked_fill(IMAGE[0, 0] > 0, -inf).softmax(1) @ x[0, 1]
    ),
]
"""Engines compute such chains as one: NaN has to come through."""
QUERIES = torch.randn(1, 2, 5, 4)
QUERIES[0, 0, 1, 2] = nan
QUERIES[0, 1, 3] = torch.tensor([inf, -inf, 1.0, 0.0])
KEYS, VALUES = torch.randn(1, 2, 7, 4), torch.randn(1, 2, 7, 3)
UNEVEN = torch.randn(5, 7) > 0
UNEVEN[2], UNEVEN[4] = False, True
UNEVEN[3, 0] = True
ATTENTION = [
    lambda q: f.scaled_dot_product_attention(q, KEYS, VALUES),
    lambda q: f.scaled_dot_product_attention(q[0], KEYS[0], VALUES[0], scale=0.7),
    lambda q: f.scaled_dot_product_attention(q, KEYS, VALUES, is_causal=True),
    lambda q: f.scaled_dot_product_attention(KEYS, q, q, is_causal=True),
    lambda q: f.scaled_dot_product_attention(q, KEYS, VALUES, UNEVEN),
    lambda q: f.scaled_dot_product_attention(
        q, KEYS, VALUES, (UNEVEN + q[0, 0, :, 3:]).masked_fill(~UNEVEN, -inf)
    ),
]
"""Some queries may look at no key, and some scores are NaN or infinite."""
INDICES = [
    lambda n: (
        f.embedding(n.abs(), TABLE_OF_8),
        TABLE_OF_8[n],
        n[(n[2] > 0).long(), n[0]],
    )
]


@pytest.fixture(params=ENGINES)
def engine(request) -> str:
    """An engine that is installed."""
    pytest.importorskip(request.param)
    return request.param


def together(functions):
    """One function that gives what all give, so that one compilation checks them."""

    def all_of(*inputs):
        return [function(*inputs) for function in functions]

    return all_of


@pytest.mark.parametrize(
    ("functions", "inputs"),
    [
        (ARITHMETIC, (X, Y)),
        ([*EXTREMES, *SHAPES], (X,)),
        ([*WHOLE, *INDICES], (N,)),
        (PRODUCTS, (IMAGE,)),
        (POOLS, (HOLED,)),
        (EXTREMES, (ROWS,)),
        (HARD, (BIG,)),
        (PAIRS, SPECIAL),
        (FUSED, (HOLED,)),
        (ATTENTION, (QUERIES,)),
    ],
    ids=[
        "arithmetic",
        "shapes",
        "whole",
        "products",
        "pools",
        "rows",
        "hard",
        "pairs",
        "fused",
        "attention",
    ],
)
def test_what_eager_gives(engine: str, functions, inputs) -> None:
    function = together(functions)
    with collect_remarks() as remarks:
        net = compile(function, inputs, backend=engine)
    assert not [r for r in remarks if "not for" in r.what]
    assert {type(net.library[s.name]) for s in net.library.specs} == {ModuleKernel}
    assert net.path == ()
    got, wanted = net(*inputs), function(*inputs)
    torch.testing.assert_close(got, wanted, equal_nan=True)


class Gated(torch.nn.Module):
    """Its second convolution is run for some images only; one op no engine takes."""

    def __init__(self):
        super().__init__()
        self.first = torch.nn.Conv2d(4, 4, 3, padding=1)
        self.second = torch.nn.Conv2d(4, 4, 3, padding=1)

    def forward(self, x):
        y = torch.relu(self.first(x))
        if y.mean() > 1:
            y = self.second(y)
            y = y + y.relu()
        else:
            y = torch.linalg.vector_norm(y, dim=1)
        return y.sum(1)


def test_networks_are_shared_with_our_own_code(engine: str, tmp_path) -> None:
    torch.manual_seed(0)
    model = Gated().eval()
    with collect_remarks() as remarks:
        net = dycl.compile(model, (IMAGE,), backend=engine)
    (left,) = [r for r in remarks if r.what == f"not for {engine}"]
    assert left.why == "`aten.linalg_vector_norm` is not in the table"
    assert left.at is not None
    assert left.at.line == line_of("linalg.vector_norm")
    kinds = [type(net.library[spec.name]) for spec in net.library.specs]
    assert {*kinds} == {ModuleKernel, CpuKernel}
    assert kinds.count(CpuKernel) == 1
    taken = set()
    with torch.no_grad():
        for x in (IMAGE, IMAGE * 9, -IMAGE, IMAGE * 9):
            torch.testing.assert_close(net(x), model(x))
            taken |= {decision.taken for decision in net.path}
    assert taken == {True, False}
    assert net.host == "native"
    saves_and_loads(net, model, engine, tmp_path)
    other = Gated().eval()
    net.load_weights(other.state_dict())
    with torch.no_grad():
        torch.testing.assert_close(net(IMAGE), other(IMAGE))


PROGRAM = """
import sys
import numpy as np
sys.modules["torch"] = sys.modules["xdsl"] = None
import dycl
net = dycl.load(sys.argv[1], host=sys.argv[3])
data = np.load(sys.argv[2])
for i in "01":
    got, wanted = net(data["x" + i]), data["y" + i]
    np.testing.assert_allclose(got, wanted, rtol=1e-4, atol=1e-5)
    print([d.taken for d in net.path])
"""


def saves_and_loads(net, model, engine, tmp_path) -> None:
    """A process without torch and the compiler runs what was saved, with the engine."""
    net.save(tmp_path / "net.dycl")
    net.save(tmp_path / "again.dycl")
    saved = (tmp_path / "net.dycl").read_bytes()
    assert saved == (tmp_path / "again.dycl").read_bytes()
    data = {}
    for i, x in enumerate((IMAGE, IMAGE * 9)):
        with torch.no_grad():
            data |= {f"x{i}": x.numpy(), f"y{i}": model(x).numpy()}
    np.savez(tmp_path / "data.npz", **data)
    command = [sys.executable, "-c", PROGRAM]
    for host in ("native", "python"):
        done = subprocess.run(
            [*command, str(tmp_path / "net.dycl"), str(tmp_path / "data.npz"), host],
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.stdout.split() == ["[False]", "[True]"], done.stderr
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, engine, None)
        with pytest.raises(
            dycl.runtime.ArtifactError, match=f"pip install 'dycl.{engine}.'"
        ):
            dycl.load(tmp_path / "net.dycl")


def line_of(text: str) -> int:
    """The first line of this file that has this text."""
    with open(__file__) as lines:
        return next(i for i, line in enumerate(lines, start=1) if text in line)


def test_a_native_host_ends_where_an_engine_fails(engine: str, monkeypatch) -> None:
    """The next call is as if nothing had been; threads have calls of their own."""
    torch.manual_seed(0)
    model = Gated().eval()
    net = dycl.compile(model, (IMAGE,), backend=engine, host="native")
    kind = type(sessions.session_of(max(sessions._sessions)).call())
    run, fails = kind.__call__, []

    def failing(self) -> None:
        if fails:
            raise RuntimeError(fails.pop())
        run(self)

    monkeypatch.setattr(kind, "__call__", failing)
    with torch.no_grad():
        wanted = model(IMAGE)
    for _ in range(2):
        fails.append("first\nno memory is left")
        with pytest.raises(CodedError, match="no memory is left") as caught:
            net(IMAGE)
        assert caught.value.code == "DY505"
        torch.testing.assert_close(net(IMAGE), wanted)
    with ThreadPoolExecutor(4) as pool:
        for got in pool.map(net, [IMAGE] * 40):
            torch.testing.assert_close(got, wanted)


def test_arguments_may_lie_anywhere(engine: str) -> None:
    """More places than calls that a session keeps; the old sessions end."""
    torch.manual_seed(0)
    model = Gated().eval()
    net = dycl.compile(model, (IMAGE,), backend=engine)
    images = [IMAGE * (0.1 * i) for i in range(3 * calls._MOST_CALLS)]
    count = len(sessions._sessions)
    for other in (model, Gated().eval()):
        net.load_weights(other.state_dict())
        for image in [*images, *images[::-1]]:
            with torch.no_grad():
                torch.testing.assert_close(net(image), other(image))
        gc.collect()
        assert len(sessions._sessions) <= count


def test_c_programs_get_no_library_that_lacks_its_engine(engine, tmp_path) -> None:
    net = dycl.compile(Gated().eval(), (IMAGE,), backend=engine)
    net.save(tmp_path / "net", folder=True)
    assert not (tmp_path / "net" / "model.so").exists()
    assert (tmp_path / "net" / "native" / "model.so").exists()


def test_what_an_engine_says_is_at_the_users_line(engine: str, monkeypatch) -> None:
    def broken(*_) -> None:
        raise RuntimeError("first\nno memory is left")

    made = backends.class_of(engine)().engine
    monkeypatch.setattr(type(made), "session", broken)
    with pytest.raises(CodedError) as caught:
        dycl.compile(Gated().eval(), (IMAGE,), backend=engine)
    assert caught.value.code == "DY505"
    assert caught.value.what == f"{made.title} cannot run a kernel: no memory is left"
    assert caught.value.at is not None
    assert caught.value.at.line == line_of("torch.relu(self.first")


def test_inputs_that_nothing_reads(engine: str) -> None:
    """Of some only the shape is read; the others are not taken for them."""

    def function(unread, x, also_unread, y):
        return torch.zeros_like(unread) + x * 2, also_unread.new_ones(2, 3) - y

    inputs = [torch.full((2, 3), float(n)) for n in range(4)]
    net = compile(function, inputs, backend=engine)
    torch.testing.assert_close(net(*inputs), function(*inputs))
    alone = compile(lambda x: torch.zeros_like(x), inputs[3:], backend=engine)
    torch.testing.assert_close(alone(inputs[3]), torch.zeros(2, 3))


def test_an_engine_that_is_missing(engine: str, monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, engine, None)
    with pytest.raises(PassFailed) as caught:
        dycl.compile(Gated().eval(), (IMAGE,), backend=engine)
    assert caught.value.code == "DY292"
    assert caught.value.hint == f"pip install 'dycl[{engine}]'"


def test_an_engine_that_is_too_old(engine: str, monkeypatch) -> None:
    module = pytest.importorskip(engine)
    monkeypatch.setattr(module, "__version__", "0.9.2")
    with pytest.raises(PassFailed) as caught:
        dycl.compile(Gated().eval(), (IMAGE,), backend=engine)
    assert caught.value.code == "DY292"
    assert "it is 0.9.2, and " in caught.value.what
    assert caught.value.hint == f"pip install 'dycl[{engine}]'"


def test_an_engine_of_a_version_that_is_none(engine: str, monkeypatch) -> None:
    module = pytest.importorskip(engine)
    monkeypatch.setattr(module, "__version__", "built-here")
    with pytest.raises(PassFailed, match="its version is 'built.*', and it has") as e:
        dycl.compile(Gated().eval(), (IMAGE,), backend=engine)
    assert e.value.code == "DY292"


def test_a_saved_network_says_what_fails_and_what_to_do(
    engine: str, tmp_path, monkeypatch
) -> None:
    """In both hosts, for a call and for the weights; the next one is as if nothing."""
    model = Gated().eval()
    dycl.compile(model, (IMAGE,), backend=engine).save(tmp_path / "net.dycl")
    for host in ("native", "python"):
        net = dycl.load(tmp_path / "net.dycl", host=host)
        wanted = net(IMAGE)
        kind = type(sessions.session_of(max(sessions._sessions)).call())
        made = type(backends.class_of(engine)().engine)
        line = line_of("torch.relu(self.first")
        said = (
            rf"cannot run @\w+ \(test_engines.py:{line}\): no memory is left; .*"
            r"compiled with backend='cpu' \(DY505\)$"
        )
        for owner, name, call in (
            (kind, "__call__", lambda net=net: net(IMAGE)),
            (made, "session", lambda net=net: net.load_weights(model.state_dict())),
        ):
            with monkeypatch.context() as patch:
                patch.setattr(owner, name, fails)
                with pytest.raises(sessions.EngineFailed, match=said):
                    call()
            torch.testing.assert_close(net(IMAGE), wanted)


def test_the_command_line_says_it_in_one_line(
    engine: str, tmp_path, monkeypatch, capfd
) -> None:
    dycl.compile(Gated().eval(), (IMAGE,), backend=engine).save(tmp_path / "net.dycl")
    made = type(backends.class_of(engine)().engine)
    monkeypatch.setattr(made, "session", fails)
    assert cli.run(["run", str(tmp_path / "net.dycl")]) == 1
    told = capfd.readouterr().err
    assert told.startswith("dycl: error: ")
    assert told.endswith("(DY505)\n")
    assert told.count("\n") == 1


def fails(*_) -> None:
    raise RuntimeError("first\nno memory is left")


def test_an_op_that_only_a_later_version_has(engine: str, monkeypatch) -> None:
    later = replace(TABLE["torch.aten.relu"], opset=99)
    monkeypatch.setitem(TABLE, "torch.aten.relu", later)
    model = Gated().eval()
    with collect_remarks() as remarks:
        net = dycl.compile(model, (IMAGE,), backend=engine, cache=False)
    left = [r for r in remarks if r.why == "it needs opset 99 of ONNX"]
    assert left
    assert all(r.what == f"not for {engine}" for r in left)
    assert left[0].at is not None
    assert left[0].at.line == line_of("torch.relu(self.first")
    with torch.no_grad():
        torch.testing.assert_close(net(IMAGE), model(IMAGE))
