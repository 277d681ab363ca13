"""A size that is hinted has a version of the network, which its calls run."""

import warnings
from functools import cache

import pytest
import torch
from torch import nn
from xdsl.parser import Parser

import dycl
from dycl.driver.process import deep_recursion
from dycl.ir.interpreter import Interpreter
from dycl.tools.same import new_context

B, N = dycl.Dim("b", max=20), dycl.Dim("n", min=1, max=30)


class Texts(nn.Module):
    """A decision on data, one on the size, and ops that need a size of more than 0."""

    def __init__(self):
        super().__init__()
        self.first, self.last = nn.Linear(8, 8), nn.Linear(8, 4)
        self.pos = nn.Parameter(torch.randn(30, 8))

    def forward(self, x, mask):
        h = torch.relu(self.first(x)) + self.pos[: x.size(1)]
        if (h * mask[..., None]).sum() > 0:
            return self.last(h[:, -1:])
        if x.size(1) > 5:
            return self.last(h) * 2, h[:1]
        return x


SHAPES = {"x": {0: B, 1: N}, "mask": {0: B, 1: N}}
HINTS = {"b": [0, 3], "n": [1, 7]}
SIZES = [(b, n) for b in (0, 1, 3, 20) for n in (1, 2, 7, 30) if b or n in (1, 7)]


def inputs(b, n, sign=1.0):
    return torch.randn(b, n, 8), torch.rand(b, n) * sign


@cache
def compiled():
    torch.manual_seed(0)
    model, example = Texts().eval(), inputs(3, 7)
    return model, dycl.compile(
        model, example, dynamic_shapes=SHAPES, hints=HINTS, verify=True
    )


def equal(ours, eager):
    torch.testing.assert_close(ours, eager, rtol=1e-4, atol=1e-5)


def expected(model, given):
    with torch.no_grad():
        return model(*given)


def version_taken(net):
    return next((d.test for d in net.path if d.test.startswith("b ==") and d.taken), "")


@pytest.mark.parametrize("host", ["native", "python"])
def test_equals_eager_and_takes_its_version(host):
    model, net = compiled()
    net = net if host == "native" else net.with_python_host()
    assert net.host == host
    seen = set()
    for b, n in SIZES:
        for sign in (1.0, -1.0):
            given = inputs(b, n, sign)
            equal(net(*given), expected(model, given))
            is_hinted = b in (0, 3) and n in (1, 7)
            assert version_taken(net) == (f"b == {b} and n == {n}" if is_hinted else "")
            seen |= {(d.test, d.taken) for d in net.path}
    assert {("(h * mask[..., None]).sum() > 0", t) for t in (False, True)} <= seen


def test_every_level_equals_eager():
    model, net = compiled()
    with deep_recursion():
        for level in ("normal", "typed", "hcfg", "host"):
            module = Parser(new_context(), net.stages[level]).parse_module()
            machine = Interpreter(module, dict(model.state_dict()))
            for b, n in ((3, 7), (0, 1), (2, 4)):
                given = inputs(b, n)
                equal(machine.run(list(given)).value, expected(model, given))


def test_weights_are_stored_once(tmp_path):
    model, net = compiled()
    plain = dycl.compile(model, inputs(3, 7), dynamic_shapes=SHAPES)
    sizes = []
    for number, one in enumerate((net, plain)):
        one.save(path := tmp_path / f"{number}.dycl")
        loaded = dycl.load(path)
        for b, n in ((3, 7), (4, 7)):
            given = inputs(b, n)
            equal(loaded(*given), expected(model, given))
        sizes.append(sorted(loaded.weights))
    assert sizes[0] == sizes[1]


def test_explain_names_the_versions():
    model, _ = compiled()
    text = str(dycl.explain(model, inputs(3, 7), dynamic_shapes=SHAPES, hints=HINTS))
    assert "a version of its own: b == 0 and n == 1; b == 0 and n == 7; b == 3" in text


def test_of_an_exported_program():
    model = nn.Sequential(nn.Linear(4, 4), nn.ReLU()).eval()
    shapes = ({0: torch.export.Dim("rows", min=2, max=9)},)
    with warnings.catch_warnings():  # torch's own, about its own tensors
        warnings.simplefilter("ignore")
        program = torch.export.export(
            model, (torch.randn(3, 4),), dynamic_shapes=shapes
        )
    net = dycl.compile(program, (torch.randn(3, 4),), hints={"input.size(0)": [5]})
    for n in (2, 5, 9):
        x = torch.randn(n, 4)
        equal(net(x), expected(model, (x,)))
        assert [(d.test, d.taken) for d in net.path] == [("input.size(0) == 5", n == 5)]
    with pytest.raises(ValueError, match=r"calls decide input\.size\(0\)"):
        dycl.compile(program, (torch.randn(3, 4),), hints={"rows": [5]})
