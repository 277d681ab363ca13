"""What torch says of an op does not depend on what the program calls its sizes."""

from pathlib import Path

import pytest
import torch
from xdsl.dialects.builtin import f32

import dycl
from dycl.analysis.dynamic_sizes.neutral_names import NeutralNames
from dycl.analysis.tensors import transfer
from dycl.analysis.tensors.abstract import ANY, Dim, Scalar, Tensor, Unknown
from dycl.analysis.tracing import trace


class Selects(torch.nn.Module):
    """Four sizes that the data decides, and the same done with each."""

    def __init__(self) -> None:
        super().__init__()
        self.scale = torch.nn.Linear(1, 3)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        total = torch.zeros(())
        for limit in (-0.5, 0.0, 0.5, 1.0):
            chosen = x[x > limit].unsqueeze(1)
            total = total + self.scale(chosen).sigmoid().sum()
        return total if total > 4 else -total


def test_equal_questions_about_other_sizes_are_one(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("DYCL_CACHE_DIR", str(tmp_path))
    for answers in (transfer.OUTCOMES, trace.TRACES):
        answers.known.clear()
    torch.manual_seed(0)
    model = Selects().eval()
    inputs = [torch.randn(12), torch.ones(12), -torch.ones(12)]
    net = dycl.compile(model, (inputs[0],), verify=True)
    for answers in (transfer.OUTCOMES, trace.TRACES):
        asked = [str(key) for key in answers.known if "Linear" in str(key)]
        assert len(asked) == 1
        assert "d_000" in asked[0]
    taken = set()
    for x in inputs:
        with torch.no_grad():
            torch.testing.assert_close(net(x), model(x))
        taken |= {decision.taken for decision in net.path}
    assert taken == {True, False}


def test_names_come_back_and_keep_their_order() -> None:
    """In a sum "d10" comes before "d2", and so do their neutral names."""
    tensor = Tensor.contiguous((Dim("(d10 + d2)"), 3, Dim("d10")), f32)
    number = Scalar("int", Dim("n7"))
    values = [tensor, (number, ANY), Tensor.contiguous((ANY,), f32), 5]
    names = NeutralNames(values)
    neutral = names.neutral(values)
    assert neutral[0] == Tensor.contiguous(
        (Dim("(d_000 + d_001)"), 3, Dim("d_000")), f32
    )
    assert neutral[1] == (Scalar("int", Dim("n_002")), ANY)
    assert neutral[2:] == values[2:]
    assert [names.own(value) for value in neutral] == values
    assert names.own_text("d_000 != n_002 + 1") == "d10 != n7 + 1"
    assert names.own(Unknown("a size that is d_001/2")) == Unknown(
        "a size that is d2/2"
    )
    assert not NeutralNames([5, Tensor.contiguous((2, 3), f32)])
