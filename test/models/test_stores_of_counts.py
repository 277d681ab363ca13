"""Stores of as many elements as the data say, in tensors of dynamic sizes."""

import pytest
import torch

import dycl


class ByMask(torch.nn.Module):
    def forward(self, x):
        y = x * 1
        y[x > 0] = x[x.roll(1, 0) > 0.3]
        return y


class AtPlaces(torch.nn.Module):
    def forward(self, x):
        y = x * 1
        large = (x.abs() > 0.8).nonzero(as_tuple=True)
        y[large] = x[(x > 0).nonzero(as_tuple=True)]
        return y


def outcome(function, x):
    try:
        return function(x)
    except RuntimeError as error:
        return str(error).partition(":")[0]


@pytest.mark.parametrize("made", [ByMask, AtPlaces])
@pytest.mark.parametrize("is_wide", [False, True])
def test_what_fits_is_stored_at_each_size(made, is_wide):
    model, shapes = made().eval(), {0: dycl.Dim("n", min=0, max=9)}
    if is_wide:
        shapes[1] = dycl.Dim("m", min=0, max=9)
    net = dycl.compile(model, (torch.randn(6, 3),), dynamic_shapes={"x": shapes})
    stored, raised = set(), set()
    for seed in range(200):
        generator = torch.Generator().manual_seed(seed)
        sizes = seed % 4, seed // 4 % 4 if is_wide else 3
        x = torch.randn(sizes, generator=generator)
        wanted, found = outcome(model, x), outcome(net, x)
        if isinstance(wanted, str):
            assert found == wanted == "shape mismatch"
            raised.add(sizes)
        else:
            torch.testing.assert_close(found, wanted, rtol=0, atol=0)
            if not torch.equal(wanted, x) or not x.numel():
                stored.add(sizes)
    assert {n for n, _ in stored} >= {0, 1, 2, 3}
    assert {n for n, _ in raised} == {1, 2, 3}
