"""torch is not asked to unroll a recurrent layer whose steps only a run counts."""

from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

import dycl
from dycl.analysis.tensors import leaf_modules


class Net(nn.Module):
    def __init__(self, kind: type[nn.RNNBase], **options: Any):
        super().__init__()
        self.layer = kind(5, 3, **options)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y, _ = self.layer(x * 2)
        return y if y.sum() > 0 else -y


STEPS = (
    (nn.LSTM, {}, (6, 2, 5), 0),
    (nn.GRU, {"batch_first": True}, (2, 6, 5), 1),
    (nn.RNN, {"batch_first": True}, (6, 5), 0),
)


@pytest.mark.parametrize(("kind", "options", "shape", "dim"), STEPS)
def test_one_step_at_most(
    kind: type[nn.RNNBase],
    options: dict[str, Any],
    shape: tuple[int, ...],
    dim: int,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
):
    monkeypatch.setenv("DYCL_CACHE_DIR", str(tmp_path))
    torch.manual_seed(0)
    model, asked = Net(kind, **options).eval(), []
    build = leaf_modules.build

    def noted(*given: Any) -> Any:
        module = build(*given)
        forward = module.forward

        def ask(x: torch.Tensor, *rest: Any) -> Any:
            asked.append(x.shape[dim])
            return forward(x, *rest)

        module.__dict__["forward"] = ask
        return module

    sizes = {"x": {dim: dycl.Dim("n", min=1, max=9)}}
    given = (torch.randn(shape),)
    with monkeypatch.context() as patch:
        patch.setattr(leaf_modules, "build", noted)
        net = dycl.compile(model, given, backend="reference", dynamic_shapes=sizes)
    assert all(isinstance(steps, int) and steps <= 1 for steps in asked)
    for steps in (1, 2, 9):
        other = list(shape)
        other[dim] = steps
        x = torch.randn(other)
        with torch.no_grad():
            torch.testing.assert_close(net(x), model(x))
