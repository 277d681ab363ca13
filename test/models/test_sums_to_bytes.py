"""Sums and products in int8, and bounds of tensors of bools, are those of eager."""

import pytest
import torch

import dycl

DTYPES = [
    *(torch.bool, torch.uint8, torch.int8, torch.int16, torch.int64),
    *(torch.float32, torch.bfloat16),
]


def values(dtype):
    """As large as the dtype has them, so that sums wrap around."""
    if dtype == torch.bool:
        return [True, False, True, True]
    if dtype.is_floating_point:
        return [1.5, -2.5, 100.0, 27.0]
    ends = torch.iinfo(dtype)
    return [ends.max, ends.max, ends.min, 3]


class Sums(torch.nn.Module):
    def forward(self, x):
        kind = torch.int8
        all_of_it = x.sum(dtype=kind), x.prod(dtype=kind)
        lines = x.sum(1, dtype=kind), x.prod(0, keepdim=True, dtype=kind)
        running = x.cumsum(1, dtype=kind), x.cumprod(1, dtype=kind)
        return *all_of_it, *lines, *running


class Bounds(torch.nn.Module):
    def forward(self, x):
        one_side = x.clamp_min(1), x.clamp_max(0), x.clip(max=-3)
        two = torch.clamp(x, -1, 2), torch.clamp(x, 2, 1), torch.clamp(x, 0.5, 7)
        truths = torch.clamp(x, True, 5), torch.clamp(x.int(), max=True)
        return *one_side, *two, *truths


def assert_alike(model, x):
    net = dycl.compile(model, (x,), cache=False)
    plain = dycl.compile(model, (x,), cache=False, backend="reference")
    for wanted, one, other in zip(model(x), net(x), plain(x), strict=True):
        for found in one, other:
            assert found.dtype == wanted.dtype
            torch.testing.assert_close(found, wanted, rtol=0, atol=0)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_sums_in_int8_wrap_around(dtype):
    x = torch.tensor([values(dtype)], dtype=dtype)
    for given in torch.cat([x, x]), x[:, :1], x[:, :0], x[:0]:
        assert_alike(Sums().eval(), given.clone())


def test_bools_between_ints():
    x = torch.tensor([[True, False], [False, True]])
    for given in x, x[:1, :1], x[:, :0]:
        assert_alike(Bounds().eval(), given.clone())


def test_bools_and_a_number_of_the_run():
    class Most(torch.nn.Module):
        def forward(self, x):
            return x.clamp_max(int(x.sum())), x.clamp_min(int(x.sum()))

    net = dycl.compile(Most().eval(), (torch.tensor([True, False]),))
    for given in [True, False], [False, False], [True, True]:
        x = torch.tensor(given)
        for found, wanted in zip(net(x), Most()(x), strict=True):
            assert torch.equal(found, wanted)


@pytest.mark.parametrize("dtype", [torch.int16, torch.float32], ids=str)
def test_a_truth_is_a_bound(dtype):
    class Truths(torch.nn.Module):
        def forward(self, x):
            return torch.clamp(x, False, True), x.clamp_max(True), x.clamp(True, 2.5)

    assert_alike(Truths().eval(), torch.tensor([-2, 0, 1, 2, 3], dtype=dtype))
