"""Attention equals eager: shapes, masks, rows without a key, infinities and NaN."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch.nn.functional import scaled_dot_product_attention as attend

from dycl.kernels.cpu import CpuBackend

NAN, INF = float("nan"), float("inf")


def randn(*shape: int) -> torch.Tensor:
    generator = torch.Generator().manual_seed(sum(shape))
    return torch.randn(shape, generator=generator)


def qkv(shape: tuple[int, ...], keys: int = 0, values: int = 0) -> list[torch.Tensor]:
    *outer, rows, width = shape
    keys, values = keys or rows, values or width
    sizes = [(rows, width), (keys, width), (keys, values)]
    return [randn(*outer, *size) for size in sizes]


@pytest.mark.each_target
@pytest.mark.parametrize(
    "tensors",
    [
        qkv((1, 2, 16, 16)),
        qkv((2, 3, 9, 24), 33, 40),
        qkv((1, 2, 35, 200), 131, 130),
        qkv((20, 24), 1),
        qkv((2, 2, 1, 17, 7), 150),
        # Few queries are products of matrices.
        qkv((2, 3, 1, 24), 33),
    ],
)
@pytest.mark.parametrize("is_causal", [False, True])
def test_sizes(
    tensors: list[torch.Tensor], is_causal: bool, agree: Callable[..., None]
) -> None:
    def function(q: Any, k: Any, v: Any) -> Any:
        return attend(q, k, v, is_causal=is_causal, scale=0.3)

    agree(function, *tensors)


@pytest.mark.parametrize(
    "mask",
    [
        randn(20, 33) > 0,
        randn(4, 1, 1, 33) > 0,
        randn(4, 1, 20, 33) > 0,
        randn(1, 2, 20, 1),
        torch.zeros(1, 1, dtype=torch.bool),
    ],
)
@pytest.mark.parametrize("queries", [3, 20])
def test_masks(mask: torch.Tensor, queries: int, agree: Callable[..., None]) -> None:
    if mask.dim() > 1 and mask.shape[-2] > 1:
        mask = mask[..., :queries, :].contiguous()

    def function(q: Any, k: Any, v: Any, mask: Any) -> Any:
        return attend(q, k, v, attn_mask=mask)

    agree(function, *qkv((4, 2, queries, 24), 33), mask)


@pytest.mark.each_target
@pytest.mark.parametrize("keys", [20, 130])
def test_rows_without_a_key_and_numbers_that_are_none(
    keys: int, agree: Callable[..., None]
) -> None:
    q, k, v = qkv((1, 2, 20, 24), keys)
    mask = torch.zeros(20, keys)
    mask[3], mask[4, 2], mask[5, 1], mask[6, :-1] = -INF, NAN, INF, -INF
    q[0, 0, 7, 1], q[0, 1, 8, 1] = NAN, INF

    def function(q: Any, k: Any, v: Any, mask: Any) -> Any:
        return attend(q, k, v, attn_mask=mask)

    agree(function, q, k, v, mask)


@pytest.mark.parametrize("fill", [-INF, -1e9, float(torch.finfo(torch.float32).min)])
def test_what_fills_takes_the_place_of_a_nan(
    fill: float, agree: Callable[..., None]
) -> None:
    q, k, v = qkv((1, 2, 20, 24))
    k[0, 0, 2, 3] = NAN
    mask = (torch.arange(20) == 2).expand(20, 20).clone()
    mask[5] = True

    def function(q: Any, k: Any, v: Any, mask: Any) -> Any:
        scores = q @ k.transpose(-1, -2) / 4
        return scores.masked_fill(mask, fill).softmax(-1) @ v

    agree(function, q, k, v, mask)


@pytest.mark.parametrize(
    "function",
    [
        lambda q, k, v, m: torch.bmm(
            (torch.bmm(q, k.transpose(-1, -2)) * 0.5 + m).softmax(-1), v
        ),
        lambda q, k, v, m: ((m + q @ k.transpose(-1, -2)) * 0.5).softmax(-1) @ v,
        lambda q, k, v, m: (q @ k.transpose(-1, -2) + m).softmax(-2) @ v,
        lambda q, k, v, m: (q @ k.transpose(-1, -2) + m[:1, :1, :1]).softmax(-1) @ v,
    ],
)
def test_products_around_a_softmax(
    function: Callable[..., Any], agree: Callable[..., None]
) -> None:
    agree(function, *qkv((6, 20, 24), 50), randn(6, 20, 50))


def test_weights_that_are_seen(agree: Callable[..., None]) -> None:
    def function(q: Any, k: Any, v: Any) -> Any:
        weights = (q @ k.transpose(-1, -2)).softmax(-1)
        return weights @ v, weights

    agree(function, *qkv((6, 20, 24)))


@pytest.mark.parametrize("queries", [5, 20])
@pytest.mark.parametrize("of", [NAN, INF])
def test_later_keys_are_not_looked_at(
    queries: int, of: float, agree: Callable[..., None]
) -> None:
    """Of few queries, which are products of matrices, and of many."""
    q, k, v = qkv((1, 2, queries, 24))
    k[0, 0, 3, 2] = of
    agree(lambda q, k, v: attend(q, k, v, is_causal=True), q, k, v)


@pytest.mark.parametrize("queries", [3, 20])
def test_fewer_heads_of_keys(queries: int, agree: Callable[..., None]) -> None:
    q, (_, k, v) = randn(2, 6, queries, 24), qkv((2, 2, 33, 24))
    agree(lambda q, k, v: attend(q, k, v, enable_gqa=True), q, k, v)


def test_doubles(agree: Callable[..., None]) -> None:
    tensors = [one.double() for one in qkv((2, 2, 20, 24))]
    agree(lambda q, k, v: attend(q, k, v, is_causal=True), *tensors)


def test_queries_that_do_not_lie_one_behind_the_other(
    agree: Callable[..., None],
) -> None:
    def function(x: Any) -> Any:
        parts = [part.view(2, 20, 2, 24).transpose(1, 2) for part in x.chunk(3, -1)]
        return attend(*parts).transpose(1, 2).reshape(2, 20, 48)

    agree(function, randn(2, 20, 144))


def test_one_kernel_without_scores(torch_text: Callable[..., str]) -> None:
    text = torch_text(lambda q, k, v: attend(q, k, v), *qkv((1, 2, 64, 16)))
    library = CpuBackend(cache=False).compile(text)
    assert "64x64" not in library.stages()["memref"]
    assert library.plain == ()
    left = CpuBackend(cache=False, without=("cpu-fuse-attention",)).compile(text)
    assert "64x64" in left.stages()["memref"]


def test_two_threads_share_heads(torch_text: Callable[..., str]) -> None:
    text = torch_text(lambda q, k, v: attend(q, k, v), *qkv((1, 4, 64, 32)))
    library = CpuBackend(cache=False, threads=2).compile(text)
    assert "dycl.split" in library.stages()["memref"]
