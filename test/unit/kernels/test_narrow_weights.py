"""Weights kept as bf16: the answer is that of rounded weights, nothing else is rounded.

A bf16 has 8 bits: rounding to the nearest changes a weight by 2**-9 of it at most.
"""

import math
import re
from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch.nn.functional as F

from dycl.kernels.cpu import CpuBackend
from dycl.kernels.cpu.engine import CpuKernel
from dycl.runtime.targets import why_not_here

Text = Callable[..., str]


def randn(*shape: int) -> torch.Tensor:
    generator = torch.Generator().manual_seed(sum(shape))
    return torch.randn(shape, generator=generator)


def compiled(
    text: Text, function: Any, tensors: list[torch.Tensor], target: str = "native"
) -> CpuKernel:
    """All arguments but the first are weights."""
    module = text(function, *tensors)
    for index in range(1, len(tensors)):
        argument = rf"(%arg{index}: !torch\.vtensor<\[[^>]*>)"
        module = re.sub(argument, r"\1 {dycl.weight}", module, count=1)
    return CpuBackend(target=target, narrow=True).compile(module)["kernel"]


def run(kernel: CpuKernel, tensors: list[torch.Tensor]) -> torch.Tensor:
    def made(shape: tuple[int, ...], dtype: str) -> torch.Tensor:
        memory = torch.zeros(math.prod(shape) * 4 + 64, dtype=torch.uint8)
        memory = memory[-memory.data_ptr() % 64 :]
        kind = getattr(torch, dtype)
        return memory[: math.prod(shape) * kind.itemsize].view(kind).reshape(shape)

    prepared = kernel.prepared
    assert prepared is not None
    buffers = [made(s.shape, s.dtype) for s in prepared.outputs]
    given = [tensors[i] for i in prepared.weights]
    prepared.kernel.launch(*(t.data_ptr() for t in [*given, *buffers]))
    (output,) = (made(s.shape, s.dtype) for s in kernel.spec.outputs)
    left = [tensors[i] for i in kernel.inputs_left]
    kernel.launch(*(t.data_ptr() for t in [*left, *buffers, output]))
    return output


@pytest.mark.parametrize("target", ["native", "x86-64-v4", "x86-64-v3"])
@pytest.mark.parametrize("shape", [(1, 70, 300), (2, 33, 17), (1, 5, 1), (1, 512, 64)])
def test_only_weights_are_rounded(
    torch_text: Text, shape: tuple[int, int, int], target: str
):
    if why := why_not_here(target):
        pytest.skip(why)
    rows, inner, columns = shape
    x, w, b = randn(rows, inner), randn(columns, inner), randn(columns)
    kernel = compiled(torch_text, F.linear, [x, w, b], target)
    assert kernel.prepared is not None
    assert [one.dtype for one in kernel.prepared.outputs] == ["int16"]
    result = run(kernel, [x, w, b])
    want = F.linear(x, w.bfloat16().float(), b)
    torch.testing.assert_close(result, want, rtol=1e-5, atol=1e-4)
    bound = F.linear(x.abs(), w.abs()) * 2**-9 + 1e-4
    assert ((result - F.linear(x, w, b)).abs() <= bound).all()
    assert not torch.equal(result, F.linear(x, w, b)), "they were rounded"


def test_what_is_infinite_or_no_number_stays_so(torch_text: Text):
    x, w = torch.ones(1, 4), torch.ones(6, 4)
    w[0, 1], w[1, 2], w[2, 3] = math.inf, -math.inf, math.nan
    w[3, 0], w[4, 0] = torch.finfo(torch.float32).max, 2.0**-133
    result = run(compiled(torch_text, F.linear, [x, w]), [x, w])
    want = F.linear(x, w.bfloat16().float())
    torch.testing.assert_close(result, want, equal_nan=True)
    assert torch.isinf(result[0, [0, 1, 3]]).all(), "the largest f32 rounds up"


def test_weights_of_many_rows_and_of_convolutions_stay(torch_text: Text):
    rows = compiled(torch_text, F.linear, [randn(9, 70), randn(300, 70)])
    image = compiled(torch_text, F.conv2d, [randn(1, 16, 5, 5), randn(16, 16, 3, 3)])
    for kernel in (rows, image):
        assert kernel.prepared is not None
        assert {one.dtype for one in kernel.prepared.outputs} == {"float32"}
