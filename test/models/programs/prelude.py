"""Functions of torch that DyCL has written in Python (`dycl/prelude`)."""

import torch
from torch import nn


class Counts(nn.Module):
    """What is negative raises."""

    def forward(self, x):
        found = torch.bincount((x[0] * 2).long(), minlength=2)
        return found if found[0] > 1 else found * 2


class WeightedCounts(nn.Module):
    """The method, with weights, whose counts are floats; an empty input has none."""

    def forward(self, x):
        numbers = (x[0] * 2).long()
        empty = torch.bincount(numbers[:0], minlength=3)
        return numbers.bincount(x[0], minlength=5), empty


class WideCounts(nn.Module):
    """Weights of another dtype are counted in double."""

    def forward(self, x):
        return torch.bincount(x[0].int(), weights=x[0].half())


class WrongCounts(nn.Module):
    """What torch refuses, at run time."""

    def forward(self, x):
        if x.sum() > 0:
            return torch.bincount(x.long())
        if x[0, 0] > 0:
            return torch.bincount(x[0].long(), minlength=-1)
        if x[0, 1] > 0:
            return torch.bincount(x[0].long(), weights=x[0, 1:])
        return x


PROGRAMS = [Counts, WeightedCounts, WideCounts, WrongCounts]
REFUSED = {}
