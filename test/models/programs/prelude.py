"""Functions of torch that DyCL has written in Python (`dycl/prelude`)."""

from collections import deque
from collections.abc import Sequence

import torch
from torch import nn
from torch.distributions import Bernoulli, Categorical, Normal, kl_divergence


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


class Experts(nn.Module):
    """Rows by the expert that each is for; the second has none, or all of them."""

    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(3, 8, 4))

    def forward(self, x):
        experts = (x.flatten() > 0).long() * 2
        if x.sum() > 4:
            experts = torch.ones_like(experts)
        grouped, order = torch.sort(experts)
        rows = x.flatten()[order, None] * torch.arange(4)
        offsets = torch.stack([(grouped <= e).sum() for e in range(3)]).int()
        weight = self.weight.transpose(1, 2)
        return nn.functional.grouped_mm(rows, weight, offs=offsets)


class GroupedColumns(nn.Module):
    """Groups of columns, groups of what is summed, and matrices one by one."""

    def __init__(self):
        super().__init__()
        self.a = nn.Parameter(torch.randn(2, 4, 8))
        self.b = nn.Parameter(torch.randn(8, 8))

    def forward(self, x):
        count = (x > 0).sum().clamp(0, 8)
        offsets = torch.stack([count, torch.full_like(count, 8)]).int()
        columns = nn.functional.grouped_mm(self.a, self.b, offs=offsets)
        summed = nn.functional.grouped_mm(self.a[0], self.b, offs=offsets)
        each = nn.functional.grouped_mm(self.a, self.a.transpose(1, 2))
        return (columns, summed, each) if x.sum() > 0 else (each, summed, columns)


class WrongGroups(nn.Module):
    """What torch refuses, at run time."""

    def forward(self, x):
        a, b = torch.ones(4, 8), torch.ones(2, 8, 4)
        offsets = torch.tensor([2, 4], dtype=torch.int32)
        if x.sum() > 4:
            return nn.functional.grouped_mm(a, b, offs=offsets.long())
        if x.sum() > 0:
            return nn.functional.grouped_mm(a, b)
        if x[0, 0] > 0:
            return nn.functional.grouped_mm(a, b, offs=offsets[:1])
        return x


class SparseProducts(nn.Module):
    """Elements and places that the data has, too many, and out of the matrix."""

    def forward(self, x):
        flat = x.view(-1)
        row, column = (flat[:2] > 1).long() * 9
        places = torch.stack([torch.stack([row, column]), torch.stack([row, column])])
        places = torch.stack([places[0, :2], places[1].flip(0)])
        assert places.requires_grad is False
        matrix = torch.sparse_coo_tensor(places, flat[flat > -1][:2], (2, 3))
        return torch.matmul(matrix.t(), x.view(2, 2)), matrix.to_dense()


class Distributions(nn.Module):
    """A policy's densities, and a value's, unchecked."""

    def forward(self, x):
        policy = Categorical(logits=x, validate_args=False)
        other = Categorical(probs=x.abs() + 0.1, validate_args=False)
        chosen = x.argmax(-1)
        if policy.entropy().mean() > 1:
            return policy.log_prob(chosen), policy.probs, kl_divergence(policy, other)
        value = Normal(x, scale=x.abs() + 0.5, validate_args=False)
        prior = Normal(0.5, 2.0, validate_args=False)
        density = value.log_prob(x + 1) + prior.log_prob(x) + other.log_prob(chosen)
        spread = value.stddev + value.variance
        return (
            density,
            kl_divergence(value, prior),
            value.entropy(),
            spread,
            value.cdf(x),
        )


class WrongScale(nn.Module):
    def forward(self, x):
        return Normal(x, x) if x.min() < 0.5 else x


class Summed(Normal):
    def log_prob(self, value):
        return super().log_prob(value).sum(-1)

    def entropy(self):
        return super().entropy().sum(-1)


class Supported(Categorical):
    """One with an `__init__` and attributes of its own."""

    def __init__(self, logits, support):
        super().__init__(logits=logits, validate_args=False)
        self.support_values = support

    @property
    def mean(self):
        return (self.probs * self.support_values).sum(-1)


class Chances(Bernoulli):
    def mode(self):
        return (self.probs > 0.5).float()


class ReturnedDistributions(nn.Module):
    """Distributions of torch's classes, and of classes derived from them."""

    def forward(self, x):
        policy = Summed(x, x.abs() + 1, validate_args=False)
        value = Normal(0.5, 2.0, validate_args=False)
        chance = Bernoulli(logits=x, validate_args=False)
        kinds = [isinstance(policy, c) for c in (Summed, Normal, Categorical)]
        if x.mean() > 0:
            other = Chances(probs=x.sigmoid(), validate_args=False)
            found = other.mode(), other.entropy(), other.variance
            return policy, found, other.log_prob(torch.ones_like(x))
        values = Supported(x, torch.arange(4.0)).mean
        kinds.append(isinstance(value, Normal))
        return (
            {"value": value, "chance": chance},
            kinds,
            values,
            policy.log_prob(x),
            policy.entropy(),
        )


class Replaced(nn.Module):
    """Asks for what a test puts into torch's class."""

    def forward(self, x):
        return Normal(x, x.abs() + 1).entropy()


class Deques(nn.Module):
    """Changed at both ends; a full one drops an item at the other end."""

    def forward(self, x):
        full, open_ = deque([x, x + 1], maxlen=3), deque()
        full.append(x * 2)
        full.append(x * 3)
        full.appendleft(x * 4)
        open_.append(full.pop() if len(full) > 2 else x)
        open_.extend([x, x + 5])
        open_.extendleft([x + 6, x + 7])
        open_.rotate(-2)
        other = open_.copy()
        other.reverse()
        other[0] = x
        items = list(other)
        total = sum(item * (i + 1) for i, item in enumerate(open_))
        lengths = (len(full), len(open_), bool(other), full.maxlen, open_.maxlen)
        open_.clear()
        if x.sum() > 0:
            return total, lengths, items, full[-1], len(open_)
        return total


class AboutDeques(nn.Module):
    def forward(self, x):
        items = deque(range(4), 3)
        kinds = (
            isinstance(items, deque),
            isinstance(items, list),
            isinstance(items, (list, Sequence)),
            type(items) is deque,
            items == deque([1, 2, 3]),
            items == [1, 2, 3],
            3 in items,
        )
        if x.sum() > 0:
            items.rotate()
            items += [7]
            return kinds
        return x * items[0] + max(items), [
            a - b for a, b in zip(items, items, strict=True)
        ]


class WindowOfStates(nn.Module):
    def forward(self, x):
        last = deque([x], maxlen=2)
        while x.sum() < 3:
            x = x.abs() + 0.5
            last.append(x)
        return torch.stack(list(last)).sum(0)


class ReturnedDeque(nn.Module):
    def forward(self, x):
        items = deque([x], maxlen=2)
        if x.sum() > 0:
            items.appendleft(x * 2)
            return items
        return deque([x, 1]), list(items)


PROGRAMS = [
    Deques,
    AboutDeques,
    ReturnedDeque,
    Distributions,
    ReturnedDistributions,
    SparseProducts,
    Counts,
    WeightedCounts,
    WideCounts,
    WrongCounts,
    Experts,
    GroupedColumns,
    WrongGroups,
]
REFUSED = {}
