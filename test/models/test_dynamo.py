"""`torch.compile(backend="dycl")`: graphs of TorchDynamo give what eager gives.

The programs decide on data, so that Dynamo cuts them into pieces; inputs come in
several shapes; inputs and buffers are changed in place.
"""

import tomllib
from importlib import import_module
from pathlib import Path

import pytest
import torch
from torch import nn

from dycl.driver import dynamo


@pytest.fixture(autouse=True)
def _fresh():
    torch._dynamo.reset()


@pytest.fixture
def networks(monkeypatch):
    """The networks that are compiled, each with how often it was called."""
    calls = []

    def counted(*args, **kwargs):
        net = compile_program(*args, **kwargs)
        number = len(calls)
        calls.append(0)

        def call(*given):
            calls[number] += 1
            return net(*given)

        return call

    compile_program = dynamo.compile_program
    monkeypatch.setattr(dynamo, "compile_program", counted)
    return calls


class Exits(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.last = nn.Linear(4, 8), nn.Linear(8, 4)
        self.norm = nn.BatchNorm1d(4)
        self.register_buffer("count", torch.zeros(()))

    def forward(self, x):
        h = self.last(torch.relu(self.first(self.norm(x))))
        if h.sum() > x.sum():
            return h.softmax(-1), None
        self.count += 1
        return h - x, x.shape[0]


class Writes(nn.Module):
    """What is given is changed, and handed on in parts."""

    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Conv1d(1, 2, 2), nn.BatchNorm1d(2), nn.GELU())

    def forward(self, x):
        x.mul_(2)
        y = self.net(x[:, None])
        if y.mean() > 0.3:
            x[:, 0] = 7
        return x[:, 1:], y


def test_entry_point():
    """`backend="dycl"` is found once the package is installed."""
    text = (Path(__file__).parents[2] / "pyproject.toml").read_text()
    points = tomllib.loads(text)["project"]["entry-points"]["torch_dynamo_backends"]
    module, _, name = points["dycl"].partition(":")
    assert getattr(import_module(module), name) is dynamo.dycl


@pytest.mark.parametrize("make", [Exits, Writes])
def test_equal_to_eager(make, networks):
    """On both sides, in several shapes, with what is left behind; by our kernels."""
    torch.manual_seed(0)
    model = make().eval()
    torch.manual_seed(0)
    eager = make().eval()
    compiled = torch.compile(model, backend=dynamo.dycl)
    sides = set()
    with torch.no_grad():
        for i in range(14):
            given = torch.randn((2, 3, 5)[i % 3], 4) * (0.3, 3)[i % 2]
            one, other = given.clone(), given.clone()
            expected, actual = eager(one), compiled(other)
            torch.testing.assert_close(actual, expected)
            torch.testing.assert_close(other, one)
            torch.testing.assert_close(model.state_dict(), eager.state_dict())
            sides.add(expected[1] is None if make is Exits else bool(one[0, 0] == 7))
    assert sides == {True, False}
    assert len(networks) > 1
    assert all(networks)


def test_changed_weights(networks):
    """A parameter is an input: what changes it is seen, also by its `data`."""
    model = nn.Linear(4, 4)
    compiled = torch.compile(model, backend=dynamo.dycl)
    x = torch.randn(2, 4)
    with torch.no_grad():
        torch.testing.assert_close(compiled(x), model(x))
        model.weight.data.mul_(3)
        torch.testing.assert_close(compiled(x), model(x))
    assert networks == [2]


def test_gradients_are_refused():
    """A graph to be differentiated: a sentence that says what to do."""
    compiled = torch.compile(nn.Linear(4, 4), backend=dynamo.dycl)
    with pytest.raises(Exception, match=r"needs gradients") as caught:
        compiled(torch.randn(2, 4))
    assert "torch.no_grad()" in str(caught.value)
    assert "DY122" in str(caught.value)


def test_options():
    """`options` are those of `dycl.compile`."""
    compiled = torch.compile(
        nn.Linear(4, 4), backend=dynamo.dycl, options={"backend": "reference"}
    )
    with torch.no_grad():
        x = torch.randn(2, 4)
        torch.testing.assert_close(compiled(x).shape, x.shape)


def test_refused_in_our_words():
    """What no kernel computes is refused with its line."""

    def model(x):
        return torch.linalg.eigvals(x)

    compiled = torch.compile(model, backend=dynamo.dycl)
    with torch.no_grad(), pytest.raises(Exception, match=r"eigvals\(x\)"):
        compiled(torch.randn(3, 3))


class EncoderLayer(nn.Module):
    """Floats and sizes are inputs of its graphs where shapes are dynamic."""

    def __init__(self):
        super().__init__()
        layer = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, 1)

    def forward(self, x, factor):
        return self.encoder(x) * factor


def test_floats_of_dynamic_shapes(networks):
    model = EncoderLayer().eval()
    compiled = torch.compile(model, backend="dycl", dynamic=True, fullgraph=True)
    for length, factor in ((3, 0.5), (5, 0.5), (5, 2.0)):
        x = torch.randn(2, length, 8)
        with torch.no_grad():
            torch.testing.assert_close(compiled(x, factor), model(x, factor))
    assert networks == [1, 1, 1]


def test_a_loop_in_one_graph(networks):
    def model(x):
        loop = torch._higher_order_ops.while_loop
        start = torch.tensor(0)
        return loop(lambda i, x: x.sum() < 9, lambda i, x: (i + 1, x * 2), (start, x))

    compiled = torch.compile(model, backend="dycl", fullgraph=True)
    for x in (torch.ones(3), torch.full((3,), 5.0)):
        torch.testing.assert_close(compiled(x), model(x))
    assert networks == [2]


@pytest.mark.parametrize("mode", ["sum", "mean", "max"])
def test_bags(networks, mode):
    model = nn.EmbeddingBag(10, 4, mode=mode, padding_idx=3).eval()
    given = torch.tensor([1, 2, 3, 4, 3]), torch.tensor([0, 2, 4])
    with torch.no_grad():
        compiled = torch.compile(model, backend="dycl", fullgraph=True)
        torch.testing.assert_close(compiled(*given), model(*given))
    assert networks == [1]
