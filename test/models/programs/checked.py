"""What a kernel must not do silently: divide integers by zero, index out of range.

Functions of self and of index, an int64 tensor of three. `self.table` is 5x3. All of
them give what eager gives where index is in range, and raise where eager raises.
"""

import torch
from torch import nn
from torch.nn import functional as F

FINE = [torch.tensor(values) for values in ([0, 1, 2], [4, 3, 1], [2, 2, 3])]
WRONG = [torch.tensor(values) for values in ([0, 5, 2], [-6, 1, 2], [3, 99, -99])]
FROM_THE_END = [torch.tensor([-1, 2, -5]), torch.tensor([-2, -3, 4])]


class Checked(nn.Module):
    """A model whose forward is a function of `self` and `index`."""

    def __init__(self, function):
        super().__init__()
        self.function = function
        self.embed = nn.Embedding(5, 3)
        self.linear = nn.Linear(3, 2)
        self.register_buffer("table", torch.arange(15.0).view(5, 3).sin())

    def forward(self, index):
        return self.function(self, index)


class Divides(nn.Module):
    """A model whose forward is a function of two tensors of integers."""

    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, x, y):
        return self.function(x, y)


def embedding(self, index):
    return self.linear(self.embed(index))


def gather(self, index):
    return self.table.gather(0, index.view(1, 3)) + 1


def index_select(self, index):
    return self.table.index_select(0, index).sum(dim=1)


def scatter(self, index):
    y = self.table * 2
    z = y.scatter(0, index.view(3, 1), 7.0)
    y.scatter_add_(0, index.view(1, 3), torch.ones(1, 3))
    return y, z


def index_add(self, index):
    y = self.table + 0
    y.index_add_(0, index, torch.ones(3, 3), alpha=2)
    return y, self.table[:, 0].index_add(0, index, torch.ones(3))


def index_copy(self, index):
    return self.table.index_copy(0, index, torch.ones(3, 3))


def one_hot(self, index):
    return F.one_hot(index, 5), index


def in_a_loop(self, index):
    y = self.table.sum(dim=1)
    n = index.sum()
    while n < 9:
        y = y[index].repeat(2)[:5] + 1
        n = n + 3
    return y, self.table[index]


def after_a_decision(self, index):
    if index[0] > 1:
        return self.table[index]
    y = self.embed(index)
    if y.sum() > 1000:
        return y * 2
    return y


def subscript(self, index):
    return self.table[index], self.table[1:, index % 3], self.table[index, [0, 1, 2]]


def store(self, index):
    y = self.table + 0
    y[index] = torch.ones(3, 3)
    y[index, [0, 1, 1]] -= 3
    y.index_put_((index, index % 3), torch.ones(3), accumulate=True)
    return y


def index_fill(self, index):
    return self.table.index_fill(0, index, 5.0)


COUNTED_FROM_THE_FRONT = [
    embedding,
    gather,
    index_select,
    scatter,
    index_add,
    index_copy,
    one_hot,
]
ANY_INDEX = [
    in_a_loop,
    subscript,
    store,
    index_fill,
]

DIVIDENDS = [7, -7, 5, -5, 0, 1, -1, 100]
DIVISORS = [2, 2, -3, -3, 4, -1, -1, 7]


def floor(x, y):
    return x // y, torch.div(x, y, rounding_mode="floor"), x // 3, x // -1


def trunc(x, y):
    return torch.div(x, y, rounding_mode="trunc"), torch.fmod(x, y), torch.fmod(x, -3)


def modulo(x, y):
    return x % y, x % -4, torch.remainder(x, y)


def reflected(x, y):
    return 7 // y, -7 % y, x


def in_place(x, y):
    z, w = x + 0, x + 0
    z //= y
    w %= y
    w.fmod_(y + 0)
    return z, w.neg_()


def by_part_of_itself(x, y):
    return x // y[:1], x.sum() % y


def all_of_them(x, y):
    down = torch.div(x, y, rounding_mode="trunc")
    return x // y, x % y, torch.fmod(x, y), down, x // -1


def by_zero(x, y):
    return x // 0, y


DIVISIONS = [floor, trunc, modulo, reflected, in_place, by_part_of_itself]
