"""Loops over sets of texts, in whose order nothing is the same in two processes.

They are refused where an answer may depend on the order; `programs/sets.py` has those
that are taken.
"""

import pytest
import torch
from torch import nn

import dycl

KINDS = {"full", "sliding"}


class Appended(nn.Module):
    def forward(self, x):
        found = []
        for kind in KINDS:
            found.append(x * len(kind))
        return found[0]


class Entered(nn.Module):
    """Who reads the dict sees in which order its entries came."""

    def forward(self, x):
        found = {}
        for kind in KINDS:
            found[kind] = x * len(kind)
        return found


class Rounded(nn.Module):
    def forward(self, x):
        for kind in KINDS:
            x = x * 1.1 + len(kind)
        return x


class Last(nn.Module):
    def forward(self, x):
        for kind in KINDS:
            last = kind
        return x * len(last)


class Printed(nn.Module):
    def forward(self, x):
        for kind in KINDS:
            print(kind)
        return x


class Shared(nn.Module):
    """What is written to is one tensor, or two, as the order is."""

    def forward(self, x):
        new = first = x * 2
        found = {}
        for kind in KINDS:
            if kind == "full":
                new = x * 2
            found[kind] = new
        found["full"].add_(1)
        return found["sliding"] + first


class Ended(nn.Module):
    def forward(self, x):
        for kind in KINDS:
            if x.sum() > len(kind):
                return x * len(kind)
        return x


class Counted(nn.Module):
    def __init__(self):
        super().__init__()
        self.count = 0

    def forward(self, x):
        for kind in KINDS:
            self.count = self.count * 2 + len(kind)
        return x * self.count


REFUSED = [Appended, Entered, Rounded, Last, Printed, Shared, Ended, Counted]


@pytest.mark.parametrize("make", REFUSED)
def test_an_order_that_counts(make):
    with pytest.raises(dycl.CompileErrors, match="DY308"):
        dycl.compile(make().eval(), (torch.ones(1, 4),), cache=False)
