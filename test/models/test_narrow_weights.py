"""Weights as bf16: what it changes is measured and said, flipped decisions as well."""

from copy import deepcopy

import pytest
import torch
from torch import nn

import dycl


class Gated(nn.Module):
    def __init__(self, threshold):
        super().__init__()
        self.first = nn.Linear(64, 32)
        self.second = nn.Linear(32, 3)
        self.threshold = threshold

    def forward(self, x):
        h = torch.tanh(self.first(x))
        score = h.sum()
        if score > self.threshold:
            return {"early": h, "score": score}
        return {"late": self.second(h), "score": score}


def made(threshold=0.0):
    torch.manual_seed(0)
    return Gated(threshold).eval(), torch.linspace(-1, 1, 64).reshape(1, 64)


@torch.no_grad()
def test_both_sides_are_near_eager_and_the_error_is_said():
    model, x = made()
    net = dycl.compile(model, (x,), weight_dtype="bf16")
    sides = set()
    for one in (x, -x):
        result, want = net(one), model(one)
        assert result.keys() == want.keys()
        for name in want:
            # Of 64 and 32 products, each is off by 2**-9 at most.
            torch.testing.assert_close(result[name], want[name], rtol=0, atol=0.1)
        sides.add(net.path[0].taken)
    assert sides == {True, False}
    assert 0 < net.narrowing.largest < 0.1
    assert str(net.narrowing).startswith("the same path on the example inputs; largest")
    exact = max((net(x)[k] - model(x)[k]).abs().max() for k in net(x))
    assert abs(exact - net.narrowing.largest) < 1e-4, "which is the error against eager"


@torch.no_grad()
def test_a_flipped_decision_is_named():
    model, x = made()
    h = torch.tanh(model.first(x)).sum()
    model.first.weight.data = model.first.weight.bfloat16().float()
    rounded = torch.tanh(model.first(x)).sum()
    assert h != rounded
    model, x = made(threshold=float((h + rounded) / 2))
    net = dycl.compile(model, (x,), weight_dtype="bf16")
    assert "score > self.threshold" in net.narrowing.flipped
    assert str(bool(h > rounded)) in net.narrowing.flipped, "what f32 weights decide"
    assert str(net.narrowing).startswith("another path on the example inputs")


def test_it_is_off_by_default_and_other_forms_are_refused():
    model, x = made()
    assert dycl.compile(model, (x,)).narrowing is None
    with pytest.raises(ValueError, match="weight_dtype is 'f16', not one of f32, bf16"):
        dycl.compile(model, (x,), weight_dtype="f16")


def test_a_network_that_prints_is_not_run_to_measure(capsys):
    class Says(Gated):
        def forward(self, x):
            print("here")
            return super().forward(x)

    torch.manual_seed(0)
    net = dycl.compile(Says(0.0).eval(), (made()[1],), weight_dtype="bf16")
    assert capsys.readouterr().out == ""
    assert str(net.narrowing).startswith("error not measured: a run prints")


@torch.no_grad()
def test_an_artifact_keeps_them(tmp_path):
    model, x = made()
    net = dycl.compile(model, (x,), weight_dtype="bf16")
    net.save(tmp_path / "net.dycl")
    again = dycl.load(tmp_path / "net.dycl")(x.numpy())
    for name, value in net(x).items():
        assert torch.equal(torch.as_tensor(again[name]), value)


class Exits(nn.Module):
    """A product of rows, and one of rows in a batch of one."""

    def __init__(self):
        super().__init__()
        self.first = nn.Linear(64, 100)
        self.second = nn.Linear(100, 30)

    def forward(self, x):
        h = torch.tanh(self.first(x))
        if h.sum() > 0:
            return h * 2
        return self.second(h[None])[0]


def rounded(model):
    """A copy, of which every matrix is what bf16 has left of it."""
    copy = deepcopy(model)
    for parameter in copy.parameters():
        if parameter.dim() > 1:
            parameter.data = parameter.data.bfloat16().float()
    return copy


@torch.no_grad()
@pytest.mark.parametrize("host", ["native", "python"])
def test_a_batch_of_any_size_has_them_too(host):
    torch.manual_seed(0)
    model = Exits().eval()
    shapes = {"x": {0: dycl.Dim("b", max=100)}}
    x = torch.randn(5, 64)
    net = dycl.compile(
        model, (x,), dynamic_shapes=shapes, weight_dtype="bf16", host=host
    )
    exact = dycl.compile(model, (x,), dynamic_shapes=shapes, host=host)
    assert 0 < net.narrowing.largest < 0.1
    reference, sides = rounded(model), set()
    for count in (0, 1, 2, 3, 7, 8, 9, 17, 100):
        for sign in (1, -1):
            one = sign * (torch.randn(count, 64) + torch.linspace(-1, 1, 64))
            want = reference(one)
            torch.testing.assert_close(net(one), want, rtol=1e-5, atol=1e-5)
            sides.add(net.path[0].taken)
            if count:
                other = exact(one)
                assert other.shape != want.shape or (other - want).abs().max() > 1e-4
    assert sides == {True, False}


@torch.no_grad()
def test_weights_that_are_not_finite_stay_so_in_a_batch_of_any_size():
    torch.manual_seed(0)
    model = Exits().eval()
    model.second.weight[3, 5] = torch.nan
    model.second.weight[4, 6] = -torch.inf
    model.second.weight[5, 7] = 3.4e38  # the nearest bf16 is infinite
    model.first.bias -= 1
    shapes = {"x": {0: dycl.Dim("b")}}
    x = torch.randn(5, 64)
    net = dycl.compile(model, (x,), dynamic_shapes=shapes, weight_dtype="bf16")
    for count in (1, 4, 11):
        one = torch.randn(count, 64)
        want = rounded(model)(one)
        assert want.isnan().any()
        assert want.isinf().any()
        torch.testing.assert_close(net(one), want, equal_nan=True, rtol=1e-5, atol=1e-5)


@torch.no_grad()
def test_a_group_of_rows_has_the_weights_of_one():
    torch.manual_seed(0)
    model = Exits().eval()
    x = torch.randn(1, 64)
    net = dycl.compile(model, (x,), rows=True, weight_dtype="bf16")
    reference = rounded(model)
    several = torch.randn(40, 64)
    results = [reference(row) for row in several.split(1)]
    assert {tuple(each.shape) for each in results} == {(1, 100), (1, 30)}
    for got, want in zip(net(several), results, strict=True):
        torch.testing.assert_close(got.reshape(want.shape), want, rtol=1e-5, atol=1e-5)
