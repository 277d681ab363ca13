"""The fuzzer tells a value that nothing uses from one whose exception is missed."""

import copy

import pytest
import torch

from tools.fuzz.verdict import INTERPRETED, is_unused, judge, load

HEAD = """\
import torch
from torch import nn


class Net(nn.Module):
    kept = 0

    def forward(self, x):
        n = [5, 6][3 if x.sum() > 0 else 1]
"""
UNUSED = [
    "if n > 5:\n            y = x * 3\n        return x",
    "m = [n, x][0] + 1\n        return x",
    "t = x * n - torch.stack([n * x])\n        return x",
    "m, k = n, (n, n > 1)\n        return (x, k[0:0])",
    "k = '%d-%s' % ([5, 6][3 if x.sum() > 0 else 1], 'a')\n        return x",
    "k = [x + {'a': x}] if x.sum() > 0 else []\n        return x",
]
USED = [
    "return x + n",
    "return {'%d' % n: x}",
    "return x if n > 2 else x * 2",
    "x[0] = n\n        return x",
    "x += n\n        return x",
    "self.kept = n\n        return x",
    "print(n)\n        return x",
    "return x[:n]",
    "return [x, {'n': [n]}]",
    "return x if n else x * 2",
]
X = [torch.ones(1, 4), -torch.ones(1, 4)]


def verdict_of(end):
    """As if compiled code raised nothing where `n` does: of one that has an `n`."""
    source = HEAD + f"        {end}\n"
    never = load(source.replace("3 if", "1 if"))
    given = copy.deepcopy(X)
    return is_unused(source, never, given, INTERPRETED)


@pytest.mark.parametrize("end", UNUSED)
def test_a_value_without_a_use_may_raise_nothing(end):
    assert verdict_of(end)


@pytest.mark.parametrize("end", USED)
def test_a_value_with_a_use_has_to_raise(end):
    assert not verdict_of(end)


def test_verdicts_of_a_whole_program():
    source = HEAD.replace("[5, 6][3 if x.sum() > 0 else 1]", "int(x.log().sum())")
    assert judge(source + "        return x\n", whole=False).kind == "unraised"
    assert judge(source + "        return x * n\n", whole=False).kind == "same"
