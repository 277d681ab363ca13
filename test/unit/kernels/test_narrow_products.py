"""Products from bf16: the answer is that of rounded factors, summed up in f32."""

import math
from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch.nn.functional as F

from dycl.kernels.cpu import CpuBackend
from dycl.kernels.cpu.engine import CpuKernel
from dycl.runtime.targets import NATIVE, why_no_bf16

pytestmark = pytest.mark.skipif(
    bool(why_no_bf16(NATIVE)), reason="this processor has no products of bf16"
)


def randn(*shape: int) -> torch.Tensor:
    generator = torch.Generator().manual_seed(sum(shape))
    return torch.randn(shape, generator=generator)


@pytest.fixture
def compiled(
    torch_text: Callable[..., str], weights_of: Callable[..., str]
) -> Callable[..., CpuKernel]:
    """All arguments but the first are weights."""

    def make(function: Any, tensors: list[torch.Tensor], **how: Any) -> CpuKernel:
        text = weights_of(torch_text(function, *tensors), range(1, len(tensors)))
        return CpuBackend(matmul_dtype="bf16", **how).compile(text)["kernel"]

    return make


def rounded(x: torch.Tensor) -> torch.Tensor:
    return x.bfloat16().float()


SHAPES = [(1, 70, 300), (2, 32, 17), (5, 6, 1), (7, 2, 64), (13, 70, 130), (50, 96, 80)]


@pytest.mark.parametrize("shape", SHAPES)
def test_factors_are_rounded_and_sums_are_not(
    compiled: Any, run_prepared: Any, shape: tuple[int, int, int]
):
    rows, inner, columns = shape
    x, w, b = randn(rows, inner), randn(columns, inner), randn(columns)
    kernel = compiled(F.linear, [x, w, b])
    assert [one.dtype for one in kernel.prepared.outputs] == ["int16"]
    (result,) = run_prepared(kernel, [x, w, b])
    want = F.linear(rounded(x), rounded(w), b)
    torch.testing.assert_close(result, want, rtol=1e-5, atol=1e-4)
    bound = F.linear(x.abs(), w.abs()) * 2**-7 * 1.01 + 1e-4
    assert ((result - F.linear(x, w, b)).abs() <= bound).all()
    if inner > 2:
        assert not torch.equal(result, F.linear(x, w, b)), "they were rounded"


def test_a_chain_with_an_epilogue_and_one_input_for_two(
    compiled: Any, run_prepared: Any
):
    def block(x: Any, w1: Any, b1: Any, w2: Any, w3: Any) -> Any:
        y = F.gelu(F.linear(x, w1, b1))
        return F.linear(y, w2) + F.linear(y, w3).relu()

    tensors = [randn(2, 9, 24), randn(70, 24) / 5, randn(70)]
    tensors += [randn(33, 70) / 8, randn(33, 70) / 9]
    x, w1, b1, w2, w3 = tensors
    (result,) = run_prepared(compiled(block, tensors), tensors)
    y = rounded(F.gelu(F.linear(rounded(x), rounded(w1), b1)))
    want = F.linear(y, rounded(w2)) + F.linear(y, rounded(w3)).relu()
    # A sum on the other side of half a bit is another bf16.
    torch.testing.assert_close(result, want, rtol=1e-2, atol=1e-2)
    threads = compiled(block, tensors, threads=2)
    assert torch.equal(run_prepared(threads, tensors)[0], result)


def test_what_is_infinite_or_no_number_stays_so(compiled: Any, run_prepared: Any):
    x, w = torch.ones(3, 4), torch.ones(6, 4)
    w[0, 1], w[1, 2], w[2, 3] = math.inf, -math.inf, math.nan
    w[3, 0] = torch.finfo(torch.float32).max
    x[1, 0], x[2, 1] = math.nan, -math.inf
    (result,) = run_prepared(compiled(F.linear, [x, w]), [x, w])
    want = F.linear(rounded(x), rounded(w))
    torch.testing.assert_close(result, want, equal_nan=True)
    assert torch.isinf(result[0, [0, 1, 3]]).all(), "the largest f32 rounds up"


def test_an_odd_number_of_summands_and_products_of_inputs_stay(
    torch_text: Any, compiled: Any, run_prepared: Any, call: Any
):
    x, w = randn(9, 7), randn(5, 7)
    (result,) = run_prepared(compiled(F.linear, [x, w]), [x, w])
    torch.testing.assert_close(result, F.linear(x, w), rtol=1e-5, atol=1e-5)
    a, b = randn(9, 8), randn(8, 5)
    library = CpuBackend(matmul_dtype="bf16").compile(torch_text(torch.matmul, a, b))
    (result,) = call(library["kernel"], a, b)
    torch.testing.assert_close(result, a @ b, rtol=1e-5, atol=1e-5)
