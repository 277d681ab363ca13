"""Functions that call themselves: ended by constants or by data, or refused."""

import torch
from torch import nn


class Recursive(nn.Module):
    """A function that calls itself, on one side of a decision."""

    def __init__(self, function):
        super().__init__()
        self.function = function
        self.fc = nn.Linear(4, 4)
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


def divided(self, x):
    if x.abs().max() < 1:
        return x
    half = x * 0.5
    return divided(self, half) + divided(self, half - 0.25)


def shrunk(x):
    return x if x.sum() < 1 else grown(x - 0.3)


def grown(x):
    return x * 2 if x.sum() < 0.9 else shrunk(x - 0.2)


def mutual(self, x):
    return shrunk(x)


def back_and_forth(self, x, is_first=True):
    if x.abs().max() < 1:
        return x
    y = back_and_forth(self, x * 0.5, not is_first)
    return y + back_and_forth(self, x * 0.25, not is_first) * (2 if is_first else 3)


def counted(self, x, n=0):
    if x.abs().max() < n:
        return x
    return counted(self, x * 0.5, n + 1) + counted(self, x, n + 2)


def encode(self, x, left, right, node):
    """A tree: where `left` is 0, a leaf."""
    if left[node] == 0:
        return self.fc(x * (node + 1))
    a = encode(self, x, left, right, int(left[node]))
    b = encode(self, x, left, right, int(right[node]))
    return torch.tanh(torch.cat([a, b], 1)[:, 2:6])


def of_a_tree(self, x):
    shape = torch.tensor([[1, 2], [0, 3], [3, 1], [0, 0]])
    shape = shape.roll(1, 0) * 0 + shape if x.sum() > 1 else shape * (x[0, 0] > 0)
    return encode(self, x, shape[:, 0], shape[:, 1], 0)


def summed(self, x, low, high):
    if high - low <= 1:
        return x[:, low] + low
    middle = (low + high) // 2
    return summed(self, x, low, middle) * 0.5 - summed(self, x, middle, high)


def of_a_range(self, x):
    return summed(self, x, 0, min(max(int(x.abs().sum()), 2), 4))


def pair(x, depth):
    """Gives a tuple, and counts how deep it is."""
    if x.max() < 0.5:
        return x, depth
    y, found = pair(x * 0.5, depth + 1)
    return y + x, found * 2 + depth


def of_a_tuple(self, x):
    y, found = pair(x, 0)
    return y * found, found


def in_loops(self, x):
    """Calls in a branch, in a loop of known length, and in one that the data ends."""
    if x.sum() < 0.5:
        return self.fc(x)
    total = x
    for i in range(2):
        total = total + in_loops(self, x - 0.5 - i)
    while total.sum() > 3:
        total = total * 0.5 - in_loops(self, x - 1)
    return total


def given_back(self, x, y=None):
    """Gives what it is given, from a deeper call's memory and the caller's."""
    y = x * 2 if y is None else y
    if x.max() < 0.5:
        return (x, y) if x.min() < -0.5 else (y, x)
    one, other = given_back(self, y * 0.25, x + 1)
    again, last = given_back(self, x * 0.5, one)
    return one + last, other - again


def of_a_pair(self, x):
    return given_back(self, x)


def closure(self, x):
    """An inner function, with a value of the one around it."""
    bias = self.fc(x)

    def walk(y):
        return y + bias if y.max() < 0.3 else walk(y * 0.5) - 1

    return walk(x)


def selected(self, x):
    """Sizes that the data decides."""
    kept = x[x > 0.25]
    if kept.shape[0] < 2:
        return kept.sum()
    return selected(self, torch.cat([kept * 0.5, kept[:1] * 0])) + kept.max()


def of_sizes(self, x):
    return selected(self, x[0])


ENDED_BY_DATA = (
    divided,
    mutual,
    back_and_forth,
    counted,
    of_a_tree,
    of_a_range,
    of_a_tuple,
    in_loops,
    of_a_pair,
    closure,
    of_sizes,
)

PROGRAMS = (
    of_a_list,
    of_a_shape,
    of_two_functions,
    of_an_attribute,
    of_a_flag,
    *ENDED_BY_DATA,
)


def without_end(self, x):
    return without_end(self, x) + 1  # refused


def stretched(self, x):
    if x.sum() < 0:
        return x.sum()
    return stretched(self, (x - 1)[None])  # refused


def mixed(self, x):
    if x.sum() < 0:
        return x.sum()
    return mixed(self, (x - 1).double() if x.max() > 2 else x - 2)  # refused


def unlike(self, x):  # refused
    if x.sum() < 0:
        return x.sum()
    return unlike(self, x - 1)[None]


def counting(self, x):
    if x.sum() < 0:
        return x
    self.left += 1
    return counting(self, x - 1)  # refused


def changed(x):
    if x.sum() < 0:
        return x
    x -= 1  # refused
    return changed(x)


def growing(self, x):
    if x.sum() > 100:
        return x.sum()
    return growing(self, torch.cat([x, x + 1]))  # refused


def listed(self, x, xs=()):
    if x.sum() > 100:
        return x
    return listed(self, x + 1, [*xs, x])  # refused


def of_a_change(self, x):
    y = x * 2
    changed(y)
    return y


def alias(x):
    return x if x.sum() < 0 else alias(x - 1)


def of_an_alias(self, x):
    y = x * 2
    z = alias(y)
    z += 1  # refused
    return y


class Halved(nn.Module):
    """As deep as its input is large."""

    def forward(self, x):
        if x.abs().max() < 1:
            return x
        return self.forward(x * 0.5) + x


REFUSED = {
    without_end: ("DY203", "this recursion never ends"),
    stretched: ("DY203", "the data ends this recursion"),
    mixed: ("DY304", "another call of this recursion is given"),
    unlike: ("DY302", "one path of this recursion gives"),
    counting: ("DY203", "the data ends this recursion, and it sets `left`"),
    growing: ("DY203", "it is given arguments of other shapes or types"),
    listed: ("DY203", "it is given arguments of other shapes or types"),
    of_a_change: ("DY307", "this changes a tensor that a recursion shares"),
    of_an_alias: ("DY307", "this changes a tensor that a recursion shares"),
}
