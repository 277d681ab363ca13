"""Products whose weights come from memory: columns are asked for ahead, evenly."""

import re
from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch.nn.functional as F

import dycl
from dycl.kernels.cpu import CpuBackend
from dycl.runtime.targets import NATIVE, why_no_bf16, why_not_here

FAR = 530
"""Of f32, its square is more than the second cache holds."""

WHOLE = 576
"""Columns that are divided into equal parts: pairs of panels of 48."""


def randn(*shape: int) -> torch.Tensor:
    generator = torch.Generator().manual_seed(sum(shape))
    return torch.randn(shape, generator=generator)


@pytest.mark.parametrize(
    ("rows", "columns", "dtype", "target", "asks"),
    [
        (5, FAR, "f32", NATIVE, False),
        (7, FAR, "f32", NATIVE, True),
        (16, FAR, "f32", "x86-64-v3", True),
        (13, FAR, "bf16", NATIVE, True),
        (13, 90, "f32", NATIVE, False),
        (130, FAR, "f32", NATIVE, False),
    ],
)
def test_many_rows_and_near_weights_ask_for_nothing(
    rows: int,
    columns: int,
    dtype: str,
    target: str,
    asks: bool,
    torch_text: Callable[..., str],
    weights_of: Callable[..., str],
    run_prepared: Any,
) -> None:
    if dtype == "bf16" and why_no_bf16(NATIVE):
        pytest.skip("this processor has no products of bf16")
    tensors = [randn(rows, FAR), randn(columns, FAR) / 23, randn(columns)]
    text = weights_of(torch_text(F.linear, *tensors), [1, 2])
    library = CpuBackend(target=target, matmul_dtype=dtype).compile(text)
    assert ("memref.prefetch" in library.stages()["memref"]) == asks
    (result,) = run_prepared(library["kernel"], tensors)
    tolerance = {"rtol": 1e-4, "atol": 1e-5 if dtype == "f32" else 0.05}
    torch.testing.assert_close(result, F.linear(*tensors), **tolerance)


@pytest.mark.parametrize(
    ("rows", "columns", "asks"),
    [
        *((1, WHOLE, ""), (2, WHOLE, ""), (4, WHOLE, ""), (5, WHOLE, "<3>")),
        *((6, WHOLE, "<3>"), (8, WHOLE, "<3>"), (9, WHOLE, "<2>")),
        *((130, WHOLE, "<2>"), (520, WHOLE, "")),
        *((1, 640, ""), (6, 640, ""), (7, 640, "<3>"), (13, 640, "<2>")),
    ],
)
def test_panels_ask_for_what_one_tile_reads_soon(
    rows: int,
    columns: int,
    asks: str,
    torch_text: Callable[..., str],
    weights_of: Callable[..., str],
    run_prepared: Any,
) -> None:
    tensors = [randn(rows, FAR), randn(columns, FAR) / 23, randn(columns)]
    text = weights_of(torch_text(F.linear, *tensors), [1, 2])
    library = CpuBackend(target="x86-64-v4").compile(text)
    fetches = re.findall(r"memref.prefetch.*locality(<\d>)", library.stages()["memref"])
    assert set(fetches) == ({asks} if asks else set())
    if not why_not_here("x86-64-v4"):
        (result,) = run_prepared(library["kernel"], tensors)
        torch.testing.assert_close(result, F.linear(*tensors), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(("batch", "asks"), [(1, True), (2, False)])
def test_a_batch_of_one_is_rows(
    batch: int,
    asks: bool,
    torch_text: Callable[..., str],
    weights_of: Callable[..., str],
    run_prepared: Any,
) -> None:
    tensors = [randn(batch, 16, FAR), randn(FAR, FAR) / 23, randn(FAR)]
    library = CpuBackend().compile(weights_of(torch_text(F.linear, *tensors), [1, 2]))
    assert ("memref.prefetch" in library.stages()["memref"]) == asks
    (result,) = run_prepared(library["kernel"], tensors)
    torch.testing.assert_close(result, F.linear(*tensors), rtol=1e-4, atol=1e-5)


@torch.no_grad()
def test_rows_that_a_run_counts() -> None:
    model = torch.nn.Linear(FAR, WHOLE).eval()
    dims = {"input": {0: dycl.Dim("n", max=200)}}
    net = dycl.compile(model, (randn(16, FAR),), dynamic_shapes=dims)
    text = net.library.stages()["memref"]
    # Each tile asks for its share, which the number of rows decides.
    assert "arith.divui" in text
    tiles = [part for part in text.split("iter_args") if "vector.fma" in part]
    tiles.sort(key=lambda part: part.count("vector.fma"))
    assert "memref.prefetch" in tiles[-1]
    # One row or two may be the only ones: they wait for no more.
    assert "memref.prefetch" not in tiles[0]
    for rows in (1, 2, 3, 6, 8, 9, 16, 17, 61, 200):
        x = randn(rows, FAR)
        torch.testing.assert_close(net(x), model(x), rtol=1e-4, atol=1e-5)


@torch.no_grad()
@pytest.mark.parametrize("columns", [144, 192, 256])
def test_pairs_of_panels_have_the_bits_of_rows_that_a_run_counts(columns: int) -> None:
    if why_not_here("x86-64-v4"):
        pytest.skip("other processors have a form of weights for few rows")
    model = torch.nn.Linear(37, columns).eval()
    dims = {"input": {0: dycl.Dim("n", max=64)}}
    net = dycl.compile(model, (randn(16, 37),), dynamic_shapes=dims)
    for rows in (1, 2, 3, 4):
        x = randn(rows, 37)
        alone = dycl.compile(model, (x,))
        torch.testing.assert_close(alone(x), model(x), rtol=1e-4, atol=1e-5)
        assert torch.equal(net(x), alone(x))
