"""Batches of a known size, whose samples go through layers in groups."""

import re

import pytest
import torch
import torch.nn.functional as F
from any_size import weight

from dycl.kernels.cpu import CpuBackend
from dycl.kernels.cpu.samples import outline_samples
from dycl.schedules.samples import Layer, group_of

COUNT = 6
IMAGES = (COUNT, 16, 9, 8)


def chain(x, w, b):
    y = F.relu(F.conv2d(x, w, b, padding=1))
    y = F.relu(F.conv2d(y, w, b, padding=1) + x)
    return F.max_pool2d(y, 2), y.mean((2, 3))


def as_many_filters(x, w):
    """Filters are no samples, though there are as many."""
    return F.conv2d(F.conv2d(x, w.flip(0), padding=1), w[:, :COUNT])


def all_samples_between(x, w):
    y = F.conv2d(x, w, padding=1)
    return F.conv2d(y - y.mean(0), w)


def weights_of_samples(x, w, p):
    """Each sample has a weight of its own, some made of all of them."""
    y = F.conv2d(x, w) * torch.softmax(p, 0)[:, :, None, None]
    return y + p[:, :, None, None], p.sum(0) + y.mean((2, 3))


def numbered(x, w):
    k = torch.arange(COUNT, dtype=torch.float32)
    return F.conv2d(x * k[:, None, None, None], w).relu()


def moved(x, w):
    """Samples meet others: in another order, of their neighbours, fewer of them."""
    y = F.conv2d(x, w, padding=1)
    return F.conv2d(y.roll(1, 0), w), F.conv2d(torch.cat([y[2:], x]), w), y.flip(0)


def parts(x, w):
    """Parts of each sample, and samples in other shapes."""
    y = F.conv2d(x, w, padding=1)
    y = torch.cat([F.pad(y, (1, 0, 2, 0))[:, 4:12, 2:, 1:], y[:, :8]], 1)
    z = y.view(COUNT, 4, 4, 9, 8).transpose(1, 2).reshape(IMAGES)
    return F.conv2d(z, w), z.flatten(1), z.permute(1, 2, 3, 0)


def both_ways(x, w):
    """Samples of one are the channels of another."""
    y = F.conv2d(x, w, padding=1).mean((2, 3))[:, :COUNT]
    return F.conv2d(x, w) * (y + y.t())[:, :1, None, None]


def of_inputs(x, v):
    """The window is no weight."""
    return F.conv2d(x, v).relu()


def depthwise(x, w, v):
    y = F.relu6(F.conv2d(F.conv2d(x, w, padding=1), v, padding=1, groups=16))
    return F.avg_pool2d(y, 2), F.group_norm(y, 4), torch.softmax(y.flatten(2), -1)


W = weight(16, 16, 3, 3)
CASES = {
    "chain": (chain, [W, weight(16)]),
    "as many filters": (as_many_filters, [weight(COUNT, 16, 3, 3)]),
    "all samples between": (all_samples_between, [W]),
    "weights of samples": (weights_of_samples, [W, weight(COUNT, 16)]),
    "numbered": (numbered, [W]),
    "moved": (moved, [W]),
    "parts": (parts, [W]),
    "both ways": (both_ways, [W]),
    "depthwise": (depthwise, [W, weight(16, 1, 3, 3)]),
}


def run(function, tensors, weights, torch_text, weights_of, run_prepared, target):
    text = weights_of(torch_text(function, *tensors), weights)
    library = CpuBackend(target=target).compile(text)
    expected = function(*tensors)
    expected = expected if isinstance(expected, tuple) else (expected,)
    got = run_prepared(library["kernel"], tensors)
    for result, wanted in zip(got, expected, strict=True):
        torch.testing.assert_close(result, wanted, rtol=1e-4, atol=1e-5)
    return set(
        re.findall(r"@(\S*?\.sample\.\d+(?:\.group)?)\(", library.stages()["memref"])
    )


@pytest.mark.each_target
@pytest.mark.parametrize("group", [1, 2, 4, 5])
@pytest.mark.parametrize("name", CASES)
def test_groups_agree(
    name, group, target, monkeypatch, torch_text, weights_of, run_prepared
):
    """Whole groups, and samples that are left."""
    monkeypatch.setattr(outline_samples, "group_of", lambda *_: group)
    function, weights = CASES[name]
    tensors = [torch.randn(IMAGES), *weights]
    numbers = range(1, len(tensors))
    made = run(function, tensors, numbers, torch_text, weights_of, run_prepared, target)
    kinds = {symbol.endswith("group") for symbol in made}
    assert kinds == {1: {False}, 2: {True}}.get(group, {False, True})


def test_threads_share_the_nests_of_a_sample(monkeypatch, torch_text, alike_by_threads):
    monkeypatch.setattr(outline_samples, "group_of", lambda *_: 4)

    def layers(x, w):
        return F.relu(F.conv2d(F.relu(F.conv2d(x, w, padding=1)), w))

    x, w = torch.randn(COUNT, 32, 24, 24), weight(32, 32, 3, 3)
    text = torch_text(layers, x, w)
    alike_by_threads(text, x, w)
    assert "dycl_share" in CpuBackend(threads=2).compile(text).stages()["llvm"]


def convolutions(channels: int, side: int) -> list[Layer]:
    memory = 2 * 4 * channels * side**2
    square = (channels, channels, side, side)
    return [Layer(9 * channels**2, side**2, memory, square)] * 3


@pytest.mark.parametrize(
    ("channels", "side", "count", "group"),
    [
        *((64, 56, 32, 1), (64, 28, 32, 1), (64, 28, 8, 1), (32, 56, 2, 1)),
        *((64, 14, 32, 4), (256, 14, 8, 8), (512, 7, 32, 32), (512, 7, 7, 7)),
    ],
)
def test_images_that_leave_the_second_cache_go_one_by_one(channels, side, count, group):
    assert group_of(convolutions(channels, side), count) == group


def test_a_group_of_pools_fits_the_second_cache():
    pool = [Layer(0, 0, 200_000)]
    assert group_of(pool, 4) == 4
    assert group_of(pool, 64) == 1
    assert group_of([], 64) == 64


def test_samples_that_are_left_are_counted():
    """Of 67, three go one by one behind groups of 4."""
    assert group_of(convolutions(64, 14), 67) == 4
    assert group_of(convolutions(256, 14), 9) == 9
