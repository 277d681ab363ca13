"""Lists of known length, sorted by a key that the data decides."""

import math

import pytest
import torch
from torch import nn

import dycl

NAN = math.nan


class Ranked(nn.Module):
    def __init__(self, count, reverse):
        super().__init__()
        self.count, self.reverse = count, reverse

    def forward(self, x):
        found = [(x[number].item(), number) for number in range(self.count)]
        found.sort(key=lambda pair: pair[0], reverse=self.reverse)
        return [number for _, number in found]


def compiled(model):
    net = dycl.compile(model, (torch.zeros(model.count),), backend="reference")
    return net, net.with_python_host()


@pytest.mark.parametrize("reverse", [False, True])
def test_few_items_are_sorted_as_python_sorts_a_nan(reverse):
    model = Ranked(3, reverse).eval()
    nets = compiled(model)
    for values in ([NAN, 1, 0], [1, NAN, 0], [1, 0, NAN], [2, 1, 1], [0.0, -0.0, 1]):
        x = torch.tensor(values, dtype=torch.float32)
        for run in nets:
            assert run(x) == model(x)


@pytest.mark.parametrize("reverse", [False, True])
def test_where_a_nan_goes_among_more_is_not_said(reverse):
    """Python's sort by bisection need not meet it: [1, 0, NaN, 0] would be another."""
    model = Ranked(4, reverse).eval()
    nets = compiled(model)
    for run in nets:
        for values in ([4, 3, 2, 1], [1, 1, 0, 2], [math.inf, 0, -math.inf, 0]):
            x = torch.tensor(values, dtype=torch.float32)
            assert run(x) == model(x)
        for values in ([1, 0, NAN, 0], [0, NAN, 0, 1]):
            with pytest.raises(NotImplementedError, match="a NaN in a list"):
                run(torch.tensor(values, dtype=torch.float32))
