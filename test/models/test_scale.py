"""Decisions in a row stay cheap: IR and kernels grow with their number, not with paths.

200 gated blocks have 2^200 paths; 500 exits would nest 500 deep if they nested.
"""

import importlib
import os
import re

import pytest
import torch
from torch import nn

import dycl
from bench.models import Gated, built
from examples.compare import compare


class Exits(nn.Module):
    """`count` layers, each with an exit behind it, in a method of their own."""

    def __init__(self, count):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(4, 4) for _ in range(count))
        self.threshold = 0.9

    def run(self, x):
        for layer in self.layers:
            x = torch.relu(layer(x)) + 0.1 * x
            if x.max() > self.threshold:
                return x * 2
        return x

    def forward(self, x):
        return self.run(x)


class Shapes(nn.Module):
    """`count` tests of a shape, each of which needs the one before settled."""

    def __init__(self, count):
        super().__init__()
        self.count = count

    def forward(self, x):
        for _ in range(self.count):
            x = x[:, 1:] if x.shape[1] > 4 else torch.cat((x, x), 1)
        return -x if x.sum() > 0 else x


class Chain(nn.Module):
    """`count` decisions, each of which leaves a value of one of two types."""

    def __init__(self, count):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(4, 4) for _ in range(count))


class ChainOfShapes(Chain):
    def forward(self, x):
        w = x
        for layer in self.layers:
            wide = torch.cat([w, x], 1)[:, :4]
            w = torch.relu(w)[:, :2] if x.sum() > 0 else wide
            x = layer(x)
        return w


class ChainOfDtypes(Chain):
    def forward(self, x):
        w = x
        for layer in self.layers:
            w = w.double() if x.sum() > 0 else w.float() * 2
            x = layer(x)
        return w


class ChainOfNones(Chain):
    def forward(self, x):
        h = None
        for layer in self.layers:
            h = layer(x) if x.sum() > 0 else None
            x = torch.relu(x) if h is None else x + h
        return x


class ChainOfStructures(Chain):
    def forward(self, x):
        s = (x,)
        for layer in self.layers:
            s = (s[0], layer(x)) if x.sum() > 0 else (s[-1] * 2,)
            x = x + s[0]
        return s


class ChainOfLists(Chain):
    def forward(self, x):
        outs = [x]
        for layer in self.layers:
            outs = [outs[-1], layer(x)] if x.sum() > 0 else [outs[0] + 1]
            x = x + outs[0]
        return outs


class ChainOfNumbers(Chain):
    def forward(self, x):
        for layer in self.layers:
            k = 2 if x.sum() > 0 else 0.5
            x = layer(x) * k
        return x


class Best(nn.Module):
    """The best of `count` steps, which is None before the first that may be taken."""

    def __init__(self, count):
        super().__init__()
        self.layer, self.count = nn.Linear(4, 4), count

    def forward(self, x):
        best, at = None, -1
        for i in range(self.count):
            y = self.layer(x) * (i - 1.5)
            if best is None or y.sum() > best.sum():  # noqa: SIM102
                if y.max() > 0.4:
                    best, at = y, i
        if best is None:
            return x, at
        return best, at


class BestNumber(Best):
    """As `Best`, of a number, and which step it is of is None before, too."""

    def forward(self, x):
        best, at = None, None
        for i in range(self.count):
            y = self.layer(x) * (i - 1.5)
            score = y.sum().item()
            if best is None or score > best:  # noqa: SIM102
                if y.max() > 0.4:
                    best, at = score, i
        if at is None:
            return x, -1
        return x * at + best, at


class Tally(nn.Module):
    """`count` keys of the data, each counted by an `if`."""

    def __init__(self, count):
        super().__init__()
        self.count = count

    def forward(self, x):
        counts = {}
        for number in range(self.count):
            key = "up" if x[0, number % 4] * (number + 1) > 1 else "down"
            if key in counts:
                counts[key] += 1
            else:
                counts[key] = 1
        return x * counts.get("up", 0), counts


class Candidates(Chain):
    """Those of `count` candidates that pass a test: one list of 2^count contents."""

    def passed(self, x):
        return [y for y in [layer(x) for layer in self.layers] if y.sum() > 0]


class SumOf(Candidates):
    def forward(self, x):
        return sum(self.passed(x)) + x  # 0 + x where there are none


class MeanOf(Candidates):
    def forward(self, x):
        ys = self.passed(x)
        return sum(ys, torch.zeros_like(x)) / len(ys) if ys else x


class GreatestOf(Candidates):
    def forward(self, x):
        ys = self.passed(x)
        return max(ys, key=lambda y: y.max()) if ys else x


class LeastNumberOf(Candidates):
    def forward(self, x):
        ks = [y.sum().item() for y in self.passed(x)]
        return x * min(ks) + sum(ks) if ks else x


class RowsOf(Candidates):
    def forward(self, x):
        ys = self.passed(x)
        return torch.cat(ys, 1) if ys else x


class RestOf(Candidates):
    def forward(self, x):
        ys = self.passed(x)
        for y in reversed(ys):
            x = torch.tanh(x - y)
        return sum(ys, x)


class Cells(nn.Module):
    """`count` LSTM cells on top of one another, over the steps of the input."""

    def __init__(self, count):
        super().__init__()
        self.cells = nn.ModuleList(nn.LSTMCell(8, 8) for _ in range(count))

    def forward(self, x):
        zeros = x.new_zeros(x.shape[1], 8)
        states = [(zeros, zeros) for _ in self.cells]
        for step in range(x.shape[0]):
            y = x[step]
            for i, cell in enumerate(self.cells):
                states[i] = cell(y, states[i])
                y = states[i][0]
        return y


class Parameters(nn.Module):
    """`count` parameters, each with a name of its own."""

    def __init__(self, count):
        super().__init__()
        self.weights = nn.ParameterList(torch.randn(4, 4) for _ in range(count))

    def forward(self, x):
        for weight in self.weights:
            x = torch.tanh(x @ weight)
        return x


CHAINS = (
    *(ChainOfShapes, ChainOfDtypes, ChainOfNones),
    *(ChainOfStructures, ChainOfLists, ChainOfNumbers),
)


QUESTIONS = (SumOf, MeanOf, GreatestOf, LeastNumberOf, RowsOf, RestOf)


def size(text):
    """Lines of IR."""
    return len(text.splitlines())


def depth(text):
    """How deep the IR is indented."""
    return max(len(re.match(" *", line)[0]) for line in text.splitlines()) // 2


@pytest.fixture(scope="module", autouse=True)
def _seed():
    torch.manual_seed(0)


def test_gated_blocks_grow_linearly_and_share_their_kernels():
    inputs = [(torch.randn(1, 4),) for _ in range(6)]
    small, large = (built(Gated(n)) for n in (50, 200))
    nets = [dycl.compile(m, inputs[0]) for m in (small, large)]
    for level in ("normal", "typed", "hcfg", "host"):
        few, many = (size(net.stages[level]) for net in nets)
        assert many <= 4.1 * few, level
    kernels = [len(net.library.specs) for net in nets]
    assert kernels[0] == kernels[1] <= 6
    assert [len(net.decisions) for net in nets] == [50, 200]
    result = compare(nets[1], large, inputs)
    assert result.all_equal
    assert {True, False} in result.sides.values()


@pytest.mark.parametrize("network", [Gated, Exits, Shapes])
def test_each_decision_adds_the_same_lines_and_no_round(network, tmp_path):
    lines, rounds = [], []
    for count in (4, 8, 16):
        keep = tmp_path / str(count)
        net = dycl.compile(built(network(count)), (torch.randn(1, 4),), keep=keep)
        texts = [*net.stages.values(), net.host_source]
        lines.append([size(text) for text in texts[1:]])
        files = (path.stem for path in keep.glob("*-round-*.mlir"))
        rounds.append(max(int(name.rpartition("-")[2]) for name in files))
    few, some, many = lines
    assert rounds[0] == rounds[1] == rounds[2]
    for a, b, c in zip(few, some, many, strict=True):
        assert c - b == 2 * (b - a)


@pytest.mark.parametrize("chain", CHAINS)
def test_paths_that_meet_again_do_not_multiply(chain):
    """Two types, so two copies of each step: not one for each of the 2^n paths."""
    models = [chain(n).eval() for n in (3, 6, 12)]
    nets = [dycl.compile(model, (torch.randn(1, 4),)) for model in models]
    few, some, many = (size(net.host_source) for net in nets)
    assert many - some <= 2.2 * (some - few)
    inputs = [(torch.randn(1, 4) * scale,) for scale in (0.1, 1.0, 3.0) * 20]
    result = compare(nets[0], models[0], inputs)
    assert result.all_equal
    assert {True, False} in result.sides.values()


@pytest.mark.parametrize("network", [Best, BestNumber])
def test_a_value_that_may_be_none_takes_no_round_for_each_step(network, tmp_path):
    lines, rounds, nets = [], [], []
    models = [built(network(count)) for count in (4, 8, 16)]
    for model in models:
        keep = tmp_path / str(model.count)
        options = {"backend": "reference", "keep": keep}
        nets.append(dycl.compile(model, (torch.randn(1, 4),), **options))
        lines.append([size(text) for text in nets[-1].stages.values()][1:])
        files = (path.stem for path in keep.glob("*-round-*.mlir"))
        rounds.append(max(int(name.rpartition("-")[2]) for name in files))
    assert rounds[0] == rounds[1] == rounds[2]
    for a, b, c in zip(*lines, strict=True):
        assert c - b <= 2.1 * (b - a)
    inputs = [(torch.randn(1, 4) * scale,) for scale in (0.0, 0.3, 1.0, 3.0) * 8]
    inputs += [(torch.full((1, 4), value),) for value in (torch.nan, torch.inf)]
    result = compare(nets[0], models[0], inputs)
    # Not the paths: `if y.max() > 0.4` is a choice where there is a best one before.
    assert result.equal_values == result.runs
    assert {True, False} in result.sides.values()


def test_chosen_keys_do_not_multiply():
    """Each key is one of two, and each count begins or goes on: not 4^n dicts."""
    models = [Tally(n).eval() for n in (3, 6, 12)]
    nets = [dycl.compile(m, (torch.randn(1, 4),), backend="reference") for m in models]
    few, some, many = (size(net.host_source) for net in nets)
    assert many - some <= 2.2 * (some - few)
    inputs = [(torch.randn(1, 4),) for _ in range(20)]
    inputs += [(torch.full((1, 4), value),) for value in (1.0, 0.5, torch.nan)]
    result = compare(nets[0], models[0], inputs)
    # Not the paths: eager decides nothing where a key is looked up.
    assert result.equal_values == result.runs
    assert {True, False} in result.sides.values()


@pytest.mark.parametrize("network", QUESTIONS)
def test_what_is_asked_of_a_filled_list_does_not_multiply(network):
    """One list of the run, whatever is asked of it: not 2^n lists of known items."""
    models = [network(n).eval() for n in (3, 6, 9, 12)]
    nets = [dycl.compile(m, (torch.randn(1, 4),), backend="reference") for m in models]
    _, few, some, many = (size(net.host_source) for net in nets)
    assert many - some <= 1.1 * (some - few)
    inputs = [(torch.randn(1, 4) * scale,) for scale in (0.1, 1.0, 5.0) * 10]
    inputs += [(torch.full((1, 4), torch.nan),)]
    for net, model in zip(nets[:2], models[:2], strict=True):
        result = compare(net, model, inputs)
        # Not the paths: eager decides nothing where a list adds up its items.
        assert result.equal_values == result.runs
        assert {True, False} in result.sides.values()


def test_filled_lists_without_items_are_eagers():
    """The sum of no tensors is the int 0, and there is no greatest of them."""

    class Of(Candidates):
        def forward(self, x):
            return sum(self.passed(x))

    class Greatest(Candidates):
        def forward(self, x):
            return max(self.passed(x), key=torch.sum)

    nothing = torch.full((1, 4), torch.nan)
    summed, greatest = (
        dycl.compile(network(4).eval(), (torch.randn(1, 4),), backend="reference")
        for network in (Of, Greatest)
    )
    assert summed(nothing) == 0
    assert type(summed(nothing)) is int
    with pytest.raises(ValueError, match="empty"):
        greatest(nothing)


def test_exits_stay_flat():
    model = built(Exits(500))
    inputs = [(torch.randn(1, 4) * scale,) for scale in (0.001, 0.1, 1.0, 3.0)]
    net = dycl.compile(model, inputs[0])
    assert len(net.decisions) == 500
    for level in ("normal", "typed", "hcfg", "host"):
        assert depth(net.stages[level]) <= 5, level
    assert depth(net.host_source) <= 8
    assert len(net.library.specs) <= 5
    result = compare(net, model, inputs)
    assert result.all_equal
    assert len(result.paths) >= 2


def seconds_to_compile(model, x):
    """CPU seconds, those of children included; the network must equal eager."""
    start = os.times()
    net = dycl.compile(model.eval(), (x,), cache=False)
    used = sum(end - begin for end, begin in zip(os.times()[:4], start, strict=False))
    assert torch.allclose(net(x), model(x), rtol=1e-4, atol=1e-5)
    return used, net


def test_a_straight_line_of_thousands_of_ops(tmp_path, monkeypatch):
    """Linear: 10,000 ops take five times as long, and less than a minute."""
    lines = ["torch.relu(h) + x", "h * 0.5 - x", "torch.sigmoid(h)", "h.abs() * 1.5"]
    body = [f"        h = {lines[i % 4]}" for i in range(1140)]
    source = [
        *("import torch", "class Line(torch.nn.Module):"),
        *("    def forward(self, x):", "        h = x", *body, "        return h"),
    ]
    tmp_path.joinpath("straight_line.py").write_text("\n".join(source))
    monkeypatch.syspath_prepend(tmp_path)
    model = importlib.import_module("straight_line").Line()
    seconds, net = seconds_to_compile(model, torch.randn(4, 8))
    assert seconds < 12
    assert len(net.library.specs) <= 5


def test_a_thousand_parameters():
    seconds, net = seconds_to_compile(Parameters(1000), torch.randn(2, 4))
    assert seconds < 15
    assert len(net.library.specs) <= 5


def test_steps_of_cells_share_their_kernels():
    """So 64 steps of 10 cells cost what their text does."""
    seconds, net = seconds_to_compile(Cells(4), torch.randn(32, 2, 8))
    assert seconds < 20
    assert len(net.library.specs) <= 15


def test_tests_of_shapes_are_settled_together():
    """A round of normalisation for each would reach the limit of rounds."""
    model = Shapes(70).eval()
    inputs = [(torch.randn(1, 5).abs() * sign,) for sign in (1, -1)]
    net = dycl.compile(model, inputs[0])
    assert len(net.decisions) == 1
    result = compare(net, model, inputs)
    assert result.all_equal
    assert {True, False} in result.sides.values()


def test_long_elif_chain(tmp_path, monkeypatch):
    """An `elif` nests in the one before: 150 of them nest 150 deep."""
    source = "\n".join(
        [
            "from torch import nn",
            "class Chain(nn.Module):",
            "    def forward(self, x):",
            "        s = x.sum()",
            "        if s < 0:",
            "            y = x",
            *(
                f"        elif s < {i + 1}:\n            y = x * {i}"
                for i in range(150)
            ),
            "        else:",
            "            y = -x",
            "        return y",
        ]
    )
    tmp_path.joinpath("elif_chain.py").write_text(source)
    monkeypatch.syspath_prepend(tmp_path)
    model = importlib.import_module("elif_chain").Chain().eval()
    inputs = [(torch.tensor([s, 0.0]),) for s in (-1.0, 0.5, 77.5, 149.5, 200.0)]
    net = dycl.compile(model, inputs[0])
    result = compare(net, model, inputs)
    assert result.all_equal
    assert sorted(len(path) for path in result.paths) == [1, 2, 79, 151, 151]
