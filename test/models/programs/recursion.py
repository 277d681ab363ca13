"""Functions that call themselves: ended by constants, or refused."""

import torch
from torch import nn


class Recursive(nn.Module):
    """A function that calls itself, on one side of a decision."""

    def __init__(self, function):
        super().__init__()
        self.function = function
        self.left = 0

    def forward(self, x):
        if x.sum() > 0:
            return self.function(self, x)
        return x - 1


class Tree(nn.Module):
    """Nodes that choose one of two children; leaves have none."""

    def __init__(self, depth):
        super().__init__()
        self.fc = nn.Linear(4, 4)
        self.children_of = nn.ModuleList([Tree(depth - 1)] * 2 if depth else [])

    def forward(self, x):
        y = self.fc(x)
        if len(self.children_of) == 0:
            return y
        return self.children_of[0](y) if y[0, 0] > 0 else self.children_of[1](y)


def total(xs):
    if len(xs) == 1:
        return xs[0]
    half = len(xs) // 2
    return total(xs[:half]) - total(xs[half:])


def of_a_list(self, x):
    return total([x, x * 2, x + 1, x - 1, x])


def reverse(x):
    if x.shape[1] == 1:
        return x
    half = x.shape[1] // 2
    return torch.cat([reverse(x[:, half:]), reverse(x[:, :half])], 1)


def of_a_shape(self, x):
    return reverse(x)


def even(x, n):
    return x if n == 0 else odd(x + 1, n - 1)


def odd(x, n):
    return x * 2 if n == 0 else even(x * 3, n - 1)


def of_two_functions(self, x):
    return even(x, 5)


def count_down(self, x):
    if self.left == 0:
        return x
    self.left -= 1
    return count_down(self, x * 2)


def of_an_attribute(self, x):
    self.left = 3
    return count_down(self, x)


def flip(x, is_first):
    y = x * 2 if is_first else x + 1
    return y if not is_first else flip(y, not is_first)


def of_a_flag(self, x):
    return flip(x, True)


PROGRAMS = (
    of_a_list,
    of_a_shape,
    of_two_functions,
    of_an_attribute,
    of_a_flag,
)


def divided(self, x):
    if x.abs().max() < 1:
        return x
    half = x * 0.5
    return divided(self, half) + divided(self, half - 1)  # refused


def shrunk(x):
    return x if x.abs().max() < 1 else grown(x * 0.25)


def grown(x):
    return x if x.abs().max() > 9 else shrunk(x * 2)  # refused


def mutual(self, x):
    return shrunk(x)


def without_end(self, x):
    return without_end(self, x) + 1  # refused


def back_and_forth(self, x, is_first=True):
    if x.abs().max() < 1:
        return x
    y = back_and_forth(self, x * 0.5, not is_first)  # refused
    return y + back_and_forth(self, x * 0.25, not is_first)


def counted(self, x, n=0):
    if x.abs().max() < n:
        return x
    return counted(self, x * 0.5, n + 1) + counted(self, x, n + 2)  # refused


REFUSED = {
    divided: "no constant ends this recursion",
    mutual: "no constant ends this recursion",
    without_end: "no constant ends this recursion",
    back_and_forth: "no constant ends this recursion",
    counted: "this recursion has more than 256 calls at one depth",
}
