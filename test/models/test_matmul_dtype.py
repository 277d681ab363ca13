"""Products from bf16 in whole networks: what they change is measured and said."""

import pytest
import torch
from torch import nn

import dycl
from dycl.diag import PassFailed
from dycl.runtime.targets import NATIVE, why_no_bf16

has_bf16 = pytest.mark.skipif(
    bool(why_no_bf16(NATIVE)), reason="this processor has no products of bf16"
)


class Encoder(nn.Module):
    """A layer of a transformer that some inputs leave early."""

    def __init__(self, threshold: float):
        super().__init__()
        torch.manual_seed(0)
        self.layer = nn.TransformerEncoderLayer(48, 3, 80, batch_first=True)
        self.score = nn.Linear(48, 1)
        self.head = nn.Linear(48, 10)
        self.threshold = threshold

    def forward(self, x):
        h = self.layer(x)
        score = self.score(h.mean(1)).sum()
        if score > self.threshold:
            return score, h[:, 0]
        return score, self.head(h[:, 0])


def tokens(seed: int, length: int) -> torch.Tensor:
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(1, length, 48, generator=generator)


@has_bf16
@torch.no_grad()
def test_both_sides_at_any_length_are_near_eager(tmp_path):
    inputs = [tokens(seed, n) for seed, n in enumerate((1, 2, 7, 16, 33, 40))]
    scores = [float(Encoder(0.0).eval()(x)[0]) for x in inputs]
    threshold = sum(sorted(scores)[2:4]) / 2
    model = Encoder(threshold).eval()
    net = dycl.compile(
        model,
        (inputs[3],),
        dynamic_shapes={"x": {1: dycl.Dim("n", min=1, max=64)}},
        matmul_dtype="bf16",
    )
    net.save(tmp_path / "net.dycl")
    again = dycl.load(tmp_path / "net.dycl")
    sides, errors = set(), []
    for x in inputs:
        for result, want, loaded in zip(
            net(x), model(x), again(x.numpy()), strict=True
        ):
            torch.testing.assert_close(result, want, rtol=0, atol=0.05)
            assert torch.equal(torch.as_tensor(loaded), result)
            errors.append(float((result - want).abs().max()))
        sides.add(net.path[0].taken)
    assert sides == {True, False}
    assert max(errors) > 1e-5, "something was rounded"
    assert 0 < net.narrowing.largest < 0.05
    assert str(net.narrowing).startswith("the same path on the example inputs; largest")
    for one in (net, again):
        checked = dycl.check(one, model, (inputs[3],), rtol=1.0)
        assert checked.ok, str(checked)
        (margin,) = checked.margins
        error = abs(float(net(inputs[3])[0] - model(inputs[3])[0]))
        assert margin.error == pytest.approx(error, rel=0.1), "of rounded factors"


@has_bf16
@torch.no_grad()
def test_a_flipped_decision_is_named():
    x = tokens(3, 16)
    exact = float(Encoder(0.0).eval()(x)[0])
    net = dycl.compile(Encoder(-1e9).eval(), (x,), matmul_dtype="bf16")
    here = float(net(x)[0])
    assert here != exact
    net = dycl.compile(Encoder((here + exact) / 2).eval(), (x,), matmul_dtype="bf16")
    assert "score > self.threshold" in net.narrowing.flipped
    assert str(exact > here) in net.narrowing.flipped, "what f32 decides"


def test_it_is_refused_where_it_is_not_to_be_had():
    model, x = Encoder(0.0).eval(), tokens(0, 4)
    with pytest.raises(PassFailed, match="'x86-64-v3' has no products of bf16"):
        dycl.compile(model, (x,), matmul_dtype="bf16", target="x86-64-v3")
    with pytest.raises(ValueError, match="matmul_dtype is 'f16', not one of f32, bf16"):
        dycl.compile(model, (x,), matmul_dtype="f16")


@has_bf16
def test_another_backend_refuses_it():
    with pytest.raises(PassFailed, match="'reference' has no products of bf16"):
        dycl.compile(
            Encoder(0.0).eval(),
            (tokens(0, 4),),
            matmul_dtype="bf16",
            backend="reference",
        )


class Spectrum(nn.Module):
    def forward(self, x):
        return torch.fft.rfft(x).abs()


@has_bf16
@torch.no_grad()
def test_tables_of_sines_are_no_weights():
    x = torch.randn(4, 256)
    net = dycl.compile(Spectrum().eval(), (x,), matmul_dtype="bf16")
    torch.testing.assert_close(net(x), Spectrum()(x), rtol=1e-5, atol=1e-4)
