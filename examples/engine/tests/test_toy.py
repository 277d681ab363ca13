"""The toy engine's own tests: `pytest tests`, with dycl and this package installed."""

import numpy as np
import pytest
import torch
from torch import inf, nan

import dycl
from dycl.diag import collect_remarks


class Net(torch.nn.Module):
    """Dense layers with relu, in both arms and in a loop; cosh is not in the table."""

    def __init__(self):
        super().__init__()
        self.first = torch.nn.Linear(8, 16)
        self.second = torch.nn.Linear(16, 16, bias=False)
        self.head = torch.nn.Linear(16, 3)

    def forward(self, x):
        y = torch.relu(self.first(x))
        z = torch.relu(self.second(y)) * 0.5 + y
        while z.sum() > 20:
            z = torch.tanh(z) * 0.9 - 0.01
        if z.mean() > 0.2:
            return self.head(torch.cosh(z)), z
        return self.head(-z).sigmoid() / 2.0, z


def compiled(model, *inputs, **options):
    """A network, what is left of it to DyCL's own code, and its text."""
    with collect_remarks() as remarks:
        net = dycl.compile(model, inputs, backend="toy", verify=True, **options)
    left = [r.why for r in remarks if r.what == "not for toy"]
    return net, left, net.stages["hcfg"]


@pytest.fixture(scope="module", params=["native", "python"])
def net(request):
    torch.manual_seed(0)
    model = Net().eval()
    result, left, text = compiled(model, torch.randn(2, 8), host=request.param)
    assert {"cosh", "mean", "sum"} <= {why.split("`")[1].split(".")[1] for why in left}
    assert 'dycl.composite = "dense_relu:1"' in text
    return model, result


INPUTS = [torch.randn(2, 8) * scale for scale in (0.0, 0.3, 1.0, 4.0, 9.0)]


def test_both_sides_equal_eager(net, tmp_path) -> None:
    model, compiled_net = net
    nets = [compiled_net]
    if compiled_net.host == "native":
        compiled_net.save(tmp_path / "net.dycl")
        nets.append(dycl.load(tmp_path / "net.dycl"))
    sides = set()
    for given in INPUTS:
        with torch.no_grad():
            wanted = model(given)
        for one in nets:
            got = one(given if one is compiled_net else given.numpy())
            for a, b in zip(got, wanted, strict=True):
                np.testing.assert_allclose(np.asarray(a), b, rtol=1e-4, atol=1e-6)
            sides |= {(d.name, d.taken) for d in one.path}
    assert sides == {
        (d[0], taken) for d in nets[0].decisions for taken in (True, False)
    }


HARD = torch.tensor([[inf, -inf, nan, -0.0], [0.0, 1e-40, 88.0, -104.0]])
ROW = torch.tensor([0.5, -1.0, nan, inf])


def test_each_op_equals_eager() -> None:
    def ops(x, row):
        sums = torch.add(x, row, alpha=2), x + 3, torch.sub(row, x, alpha=2), x - 1
        return (
            *sums,
            x * row,
            x * 2,
            x / row,
            -x,
            x.relu(),
            x.exp(),
            x.tanh(),
            (x.sigmoid()),
        )

    net, left, _ = compiled(ops, HARD, ROW)
    assert left == []
    torch.testing.assert_close(net(HARD, ROW), ops(HARD, ROW), equal_nan=True)


@pytest.mark.parametrize(
    ("function", "inputs", "why"),
    [
        (lambda x: x * 2, (torch.arange(4),), "f32 tensors of known sizes only"),
        (lambda x: x + x[:, :1], (HARD,), "an operand is repeated"),
        (lambda x: x * inf, (HARD,), "an infinite number"),
        (lambda x: x.sin(), (HARD,), "`aten.sin` is not in its table"),
    ],
)
def test_what_it_cannot_take_is_left(function, inputs, why) -> None:
    def model(x):
        return function(x)

    net, left, _ = compiled(model, *inputs)
    assert any(why in one for one in left)
    torch.testing.assert_close(net(*inputs), model(*inputs), equal_nan=True)
