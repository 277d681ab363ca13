"""`matmul_dtype="tf32"`: one product instead of three, and what that costs is told."""

import pytest
import torch
from torch import nn

import dycl
from dycl.diag import PassFailed
from dycl.kernels.tf32 import to_tf32
from dycl.tools import cli

pytest.importorskip("triton")


class Net(nn.Module):
    """Products that are cut, those that are not, and a decision by what they give."""

    def __init__(self, threshold=0.0):
        super().__init__()
        self.threshold = threshold
        self.conv = nn.Conv2d(3, 16, 3, padding=1)
        self.alone = nn.Conv2d(16, 16, 3, groups=16, padding=1)
        self.first, self.second = nn.Linear(16, 12), nn.Linear(12, 5)

    def forward(self, x):
        y = self.first(self.alone(self.conv(x).relu()).flatten(2).transpose(1, 2))
        score = y.mean()
        if score > self.threshold:
            return self.second(y).softmax(-1), score
        return self.second(y.amax(1)), score


def made(threshold=0.0):
    torch.manual_seed(0)
    model = Net(threshold).eval()
    return model, torch.randn(1, 3, 6, 6)


@torch.no_grad()
def test_the_error_of_both_sides_is_told(gpu):
    """As the driver of paper has it, which cuts factors as the units do."""
    model, x = made()
    scores = [float(model(one)[1]) for one in (x, -x)]
    model.threshold = sum(scores) / 2
    sides = set()
    for given in (x, -x):
        exact = dycl.compile(model, (given,), backend="cuda")
        net = dycl.compile(model, (given,), backend="cuda", matmul_dtype="tf32")
        text = net.kernel_stages["tile"]
        assert 'input_precision="tf32"' in text
        assert "tf32x3" not in text
        assert 'input_precision="tf32"' not in exact.kernel_stages["tile"]
        wanted, found = model(given), net(given)
        error = max(
            float((a - b).abs().max()) for a, b in zip(found, wanted, strict=True)
        )
        for one, other in zip(exact(given), wanted, strict=True):
            torch.testing.assert_close(one, other, rtol=0, atol=error / 50)
        assert net.narrowing.to == "tf32"
        assert net.narrowing.largest == pytest.approx(error, rel=0.05)
        assert [d.taken for d in net.path] == [d.taken for d in exact.path]
        sides.add(net.path[0].taken)
        assert exact.narrowing is None
    assert sides == {True, False}


@torch.no_grad()
def test_a_decision_that_goes_another_way_is_named(gpu):
    model, x = made()
    exact = float(model(x)[1])
    here = float(dycl.compile(model, (x,), backend="cuda", matmul_dtype="tf32")(x)[1])
    assert here != exact
    model.threshold = (here + exact) / 2
    net = dycl.compile(model, (x,), backend="cuda", matmul_dtype="tf32")
    assert "score > self.threshold" in net.narrowing.flipped
    assert str(exact > here) in net.narrowing.flipped, "what f32 decides"
    net(x)
    assert net.path[0].taken == (here > exact)


def test_products_of_one_row_stay_as_they_are(gpu):
    """Which the GPU folds as f32."""
    torch.manual_seed(0)
    model, x = nn.Linear(64, 7).eval(), torch.randn(1, 64)
    net = dycl.compile(model, (x,), backend="cuda", matmul_dtype="tf32")
    assert net.narrowing.largest == 0.0
    torch.testing.assert_close(net(x), model(x).detach(), rtol=1e-6, atol=1e-6)


def test_no_gpu_is_needed_to_tell(capfd, tmp_path):
    file = tmp_path / "net.py"
    file.write_text(
        "import torch\n\n\n"
        "def build():\n    return torch.nn.Linear(64, 8).eval()\n\n\n"
        "def example_inputs():\n    return (torch.ones(4, 64),)\n"
    )
    options = ["--backend", "cuda", "--matmul-dtype", "tf32"]
    assert cli.run(["compile", f"{file}:build", *options]) == 0
    assert "tf32       the same path on the example inputs" in capfd.readouterr().out


@pytest.mark.parametrize("backend", ["cpu", "auto", "cuda+cpu", "onnxruntime"])
def test_others_refuse_it(backend):
    pytest.importorskip("onnxruntime")
    model, x = made()
    with pytest.raises(PassFailed, match="has no products of tf32") as caught:
        dycl.compile(model, (x,), backend=backend, matmul_dtype="tf32")
    assert "backend='cuda'" in str(caught.value)


def test_what_is_no_number_stays():
    x = torch.tensor([float("inf"), float("-inf"), float("nan"), 1.0 + 2.0**-11, -3.0])
    cut = to_tf32(x)
    torch.testing.assert_close(cut, x, rtol=2.0**-10, atol=0, equal_nan=True)
    assert float(cut[3]) == 1.0
    halves = x.half()
    assert to_tf32(halves) is halves
