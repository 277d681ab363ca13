"""What a model computes in bf16 has eager's bits, on processors without bf16, too."""

from collections.abc import Callable
from typing import Any

import pytest
import torch

from dycl.kernels.cpu import CpuBackend


def numbers() -> torch.Tensor:
    """Ordinary ones, ties, denormals, and what is no number."""
    x = torch.randn(9, 31, generator=torch.Generator().manual_seed(0))
    x[0, :5] = torch.tensor([torch.nan, torch.inf, -torch.inf, 3.4e38, 1e-40])
    x[1, :4] = torch.tensor([1.00390625, 1.01171875, -1.00390625, -0.0])
    return x


@pytest.mark.each_target
@pytest.mark.parametrize(
    "function",
    [
        lambda x: x.bfloat16(),
        lambda x: x.double().bfloat16(),
        lambda x: x.bfloat16() * x.bfloat16() + x.bfloat16(),
        lambda x: x.bfloat16().exp() + x.bfloat16().tanh(),
        lambda x: x.bfloat16().clamp(-1, 1).float() / 3,
        lambda x: (x.bfloat16() > 0.5).to(torch.bfloat16),
    ],
)
def test_the_same_bits(
    function: Callable[..., Any],
    target: str,
    torch_text: Callable[..., str],
    call: Callable[..., list[torch.Tensor]],
) -> None:
    x = numbers()
    kernel = CpuBackend(target=target).compile(torch_text(function, x))["kernel"]
    (one,), want = call(kernel, x), function(x)
    torch.testing.assert_close(one, want, rtol=0, atol=0, equal_nan=True)
