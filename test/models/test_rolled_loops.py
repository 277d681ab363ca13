"""Loops of known length that stay loops: as eager in all hosts, and in a file.

One program has most that a body may do; others have bodies that need their number, or
are not alike, and are unrolled after all.
"""

import pytest
import torch
from torch import nn

import dycl
from dycl.diag import collect_remarks
from dycl.ir.interpreter import Interpreter
from dycl.ir.placing_parser import parse_text
from dycl.tools.same import new_context

LENGTH = 7


class Rolled(nn.Module):
    """Weights, buffers and rows by number, decisions, exits, in-place changes."""

    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)
        self.cell = nn.LSTMCell(4, 4)
        self.register_buffer("steps", torch.linspace(0, 1, LENGTH))
        self.seen = 0

    def forward(self, x, rows):
        h, c = torch.zeros(1, 4), torch.zeros(1, 4)
        for i in range(LENGTH):
            h, c = self.cell(rows[i], (h, c))
        for i in range(2 * LENGTH, 0, -2):
            x = torch.tanh(self.fc(x)) * self.steps[i // 2 - 1] + x / i
            for _ in range(2):
                x = x * 0.9
        for number, row in enumerate(rows):
            if row.sum() > 1:
                continue
            h = torch.tanh(h + row * number)
        sums = torch.zeros(LENGTH, 4)
        for i in range(LENGTH):
            sums[i] = x[0] + i
            self.seen += 1
        scale = 1.0
        for _ in range(LENGTH):
            scale = scale * 0.75
            h = h * 1.25 + scale
            if h.abs().max() > 6:
                break
        for i in range(LENGTH):
            x, c = c, x * 0.5 + c
            if x.sum() > 4:
                return x + i, sums, self.seen
        return h + c, sums, self.seen


def inputs(count=40):
    generator = torch.Generator().manual_seed(0)
    for i in range(count):
        scale = (0.2, 1.0, 4.0)[i % 3]
        x = torch.randn(1, 4, generator=generator) * scale
        yield x, torch.randn(LENGTH, 1, 4, generator=generator) * scale


def result(model, given):
    with torch.no_grad():
        return model(*given)


def assert_equal(ours, eager):
    *tensors, seen = eager
    assert ours[-1] == seen
    for one, other in zip(ours, tensors, strict=False):
        torch.testing.assert_close(one, other, rtol=1e-4, atol=1e-5)


@pytest.fixture(scope="module")
def model():
    torch.manual_seed(0)
    return Rolled().eval()


@pytest.fixture(scope="module")
def net(model):
    model.seen = 0
    return dycl.compile(model, next(inputs()), max_unrolled=2, verify=True)


def test_all_of_its_loops_are_kept(net):
    loops = net.stages["hcfg"].count("dycl.while")
    assert net.stages["hcfg"].count("rolled") == loops == 6


def test_it_equals_eager_and_only_data_decides(model, net, tmp_path):
    net.save(tmp_path / "net.dycl")
    loaded = dycl.load(tmp_path / "net.dycl")
    taken = set()
    for given in inputs():
        model.seen = 0
        eager = result(model, given)
        for one in (net, loaded):
            one.reset_state()
            assert_equal(one(*given), eager)
        taken |= {(d.test, d.taken) for d in net.path}
    assert taken == {
        (test, way)
        for test in ("row.sum() > 1", "h.abs().max() > 6", "x.sum() > 4")
        for way in (True, False)
    }


@pytest.mark.parametrize("level", ["normal", "hcfg", "host"])
def test_the_interpreter_agrees(model, net, level):
    weights = {**dict(model.named_parameters()), **dict(model.named_buffers())}
    program = Interpreter(parse_text(new_context(), net.stages[level], "t"), weights)
    for given in inputs(6):
        model.seen = 0
        eager = result(model, given)
        with torch.no_grad():
            assert_equal(program.run(given, "forward").value, eager)


def test_most_iterations_are_those_of_loops_that_the_input_decides(model):
    given = next(inputs())
    model.seen = 0
    net = dycl.compile(model, given, max_unrolled=2, max_iterations=3)
    assert_equal(net(*given), result(model, given))


class OneLoop(nn.Module):
    """A loop of its own: a function of the model and a tensor."""

    def __init__(self, function):
        super().__init__()
        self.function = function
        self.layers = nn.ModuleList(nn.Linear(4, 4) for _ in range(3))
        self.factors = [0.5, 1.5, 2.5]

    def forward(self, x):
        return self.function(self, x)


def by_module(model, x):
    for i in range(3):
        x = model.layers[i](x)
    return x


def by_list(model, x):
    for i in range(3):
        x = x * model.factors[i]
    return x


def by_test(model, x):
    for i in range(3):
        x = x + 1 if i % 2 == 0 else x * 0.5
    return x


def of_other_sizes(model, x):
    y = x
    for _ in range(3):
        y = torch.cat([y, x])
    return y


def of_a_list(model, x):
    found = []
    for _ in range(3):
        x = torch.tanh(x)
        found.append(x)
    return torch.stack(found)


def of_large_numbers(model, x):
    factor = 1
    for _ in range(30):
        factor *= 11
        x = x * 0.5
    return x * float(factor % 7)


def of_the_last_number(model, x):
    for i in range(3):  # noqa: B007
        x = x * 2
    return x + i


class Solver(nn.Module):
    """Frank-Wolfe on numbers: nested loops over lists, and a test that ends them."""

    def forward(self, rows):
        n = 3
        products = [[float((a * b).sum()) for b in rows] for a in rows]
        found = [1.0 / n for _ in range(n)]
        for _ in range(250):
            slopes = [
                sum(products[i][j] * found[j] for j in range(n)) for i in range(n)
            ]
            least = 0
            for i in range(n):
                if slopes[i] < slopes[least]:
                    least = i
            new = [0.9 * value for value in found]
            new[least] = new[least] + 0.1
            if sum(abs(a - b) for a, b in zip(new, found, strict=True)) < 0.15:
                break
            found = new
        return found


class Counted(nn.Module):
    """A `while` that counts, and rows of a list, both ended by the data."""

    def forward(self, rows):
        number, x = 0, rows[0]
        while number < 250:
            new = torch.tanh(x @ rows.T) @ rows
            if (new - x).abs().sum() < 1e-3:
                return new, number
            x, number = new * 0.5, number + 1
        lengths = []
        for i in range(20):
            length = 0
            for j in range(20):
                if rows[i % 3, j % 3] > 0.2:
                    break
                length += 1
            if length > 1:
                lengths.append(length)
            if len(lengths) > 3:
                break
        return x, number + sum(lengths)


@pytest.mark.parametrize("make", [Solver, Counted])
def test_what_the_data_may_end_is_not_unrolled(make):
    generator = torch.Generator().manual_seed(0)
    model = make().eval()
    net = dycl.compile(
        model, (torch.zeros(3, 3),), backend="reference", host="python", cache=False
    )
    assert "dycl.while" in net.stages["hcfg"]
    assert len(net.decisions) < 100
    for scale in (0.0, 0.1, 0.5, 1.0, 3.0):
        rows = torch.randn(3, 3, generator=generator) * scale
        torch.testing.assert_close(
            net(rows), result(model, (rows,)), rtol=1e-4, atol=1e-5
        )


UNROLLED = {
    by_module: "asks for its number",
    by_list: "asks for its number",
    by_test: "asks for its number",
    of_other_sizes: "makes another size",
    of_a_list: "adds to a list",
    of_large_numbers: "counts in a variable",
    of_the_last_number: "may have no value",
}


@pytest.mark.parametrize("function", UNROLLED, ids=lambda f: f.__name__)
def test_others_are_unrolled(function):
    torch.manual_seed(0)
    model = OneLoop(function).eval()
    with collect_remarks() as remarks:
        net = dycl.compile(model, (torch.ones(1, 4),), max_unrolled=2, cache=False)
    [why] = [r.why for r in remarks if r.what == "not rolled"]
    assert UNROLLED[function] in why
    assert "dycl.while" not in net.stages["hcfg"]
    for given in (torch.ones(1, 4), torch.tensor([[-3.0, 0.0, 2.0, 0.5]])):
        torch.testing.assert_close(net(given), result(model, (given,)))
