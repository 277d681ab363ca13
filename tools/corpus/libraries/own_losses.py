"""Losses as training code has them: masks, counts, reductions, ignored labels."""

import functools

import torch
from torch import nn
from torch.autograd import Function, Variable
from torch.nn import functional as F


class BalancedLoss(nn.Module):
    """Positive and negative elements weigh alike."""

    def forward(self, x, target):
        positive = target > 0.5
        count = positive.sum().item()
        loss = F.binary_cross_entropy_with_logits(x, target, reduction="none")
        if count == 0 or count == target.numel():
            return loss.mean()
        weight = torch.where(positive, 1.0 / count, 1.0 / (target.numel() - count))
        return (weight * loss).sum() / 2


class MaskedLoss(nn.Module):
    """Where there is a label."""

    def forward(self, x, target):
        valid = (target > 0).detach()
        difference = (target - x)[valid]
        self.loss = difference.abs().mean()
        return self.loss


class HardExamples(nn.Module):
    """As many negatives as there are positives, the hardest ones."""

    def forward(self, x, target):
        loss = (x - target).square().flatten()
        positive = int((target > 0.5).float().sum())
        count = min(int((target <= 0.5).float().sum()), positive * 3)
        if count > 0:
            return loss.topk(count)[0].sum() / count
        return loss.mean()


def weighted(function):
    """As detection libraries wrap their losses."""

    @functools.wraps(function)
    def wrapper(x, target, weight=None, reduction="mean", **others):
        loss = function(x, target, **others)
        if weight is not None:
            loss = loss * weight
        reduction = F._Reduction.get_enum(reduction)
        if reduction == 0:
            return loss
        elif reduction == 1:
            return loss.mean()
        elif reduction == 2:
            return loss.sum()

    return wrapper


@weighted
def smooth(x, target, beta=1.0):
    """Square near zero, straight far from it."""
    assert beta > 0
    assert x.size() == target.size()
    d = torch.abs(x - target)
    return torch.where(d < beta, 0.5 * d * d / beta, d - 0.5 * beta)


class SmoothLoss(nn.Module):
    """Nothing to do where no weight is positive."""

    def forward(self, x, target, weight):
        if not torch.any(weight > 0):
            return (x * weight).sum()
        return 2.0 * smooth(x, target, weight, reduction="mean", beta=0.5)


class Rounded(Function):
    """Straight through."""

    @staticmethod
    def forward(ctx, x, levels):
        ctx.levels = levels
        ctx.save_for_backward(x)
        return torch.round(x * levels) / ctx.levels

    @staticmethod
    def backward(ctx, gradient):
        return gradient, None


class Quantised(nn.Module):
    """As many levels as the range needs."""

    def forward(self, x):
        x = Variable(x, requires_grad=False)
        if x.max() - x.min() > 1:
            return Rounded.apply(x, 16)
        return Rounded.apply(x, 4)


class FocalLoss(nn.Module):
    """Without NaN, however sure it is."""

    def __init__(self, gamma=2, alpha=(0.25, 0.75)):
        super().__init__()
        self.gamma = gamma
        self.alpha = torch.tensor(alpha)

    def forward(self, x, target):
        p = F.log_softmax(x, dim=-1)
        p = p.gather(-1, target.view(-1, 1)).view(-1)
        weight = self.alpha.gather(0, target.data.view(-1) % 2)
        loss = -weight * (1 - p.exp()) ** self.gamma * p
        if torch.isnan(loss).any():
            return torch.zeros_like(loss.sum())
        return loss.sum()


class Dice(nn.Module):
    """Of an empty mask there is nothing to say."""

    def forward(self, x, target):
        if target.sum() == 0:
            x, target = 1 - x, 1 - target
        both = (x * target).sum()
        return 1 - (2.0 * both + 1.0) / (x.sum() + target.sum() + 1.0)


class Boxes(nn.Module):
    """Intersection over union; what does not meet is farther apart."""

    def forward(self, x, y):
        x, y = (torch.cat([b[:, :2], b[:, :2] + b[:, 2:]], dim=1) for b in (x, y))
        low = torch.max(x[:, :2], y[:, :2])
        high = torch.min(x[:, 2:], y[:, 2:])
        size = (high - low).clamp(min=0).prod(1)
        areas = [(b[:, 2:] - b[:, :2]).prod(1).abs() for b in (x, y)]
        iou = size / (areas[0] + areas[1] - size + 1e-6)
        if (iou > 0.1).any():
            return 1 - iou.mean()
        return (x - y).abs().sum()


class Triplets(nn.Module):
    """The hardest pair of each row."""

    def forward(self, x, labels):
        n = x.size(0)
        squares = torch.pow(x, 2).sum(dim=1, keepdim=True).expand(n, n)
        distances = squares + squares.t() - 2 * x @ x.t()
        distances = distances.clamp(min=1e-12).sqrt()
        same = labels.expand(n, n).eq(labels.expand(n, n).t())
        far, near = [], []
        for i in range(n):
            far.append((distances[i] * same[i]).max().unsqueeze(0))
            near.append((distances[i] + 1e3 * same[i]).min().unsqueeze(0))
        far, near = torch.cat(far), torch.cat(near)
        loss = F.relu(far - near + 0.3)
        if loss.max() == 0:
            return near.mean() * 0
        return loss.mean()


class Buckets(nn.Module):
    """Rare gradients weigh more."""

    def __init__(self, bins=4):
        super().__init__()
        self.bins = bins
        self.edges = torch.arange(bins + 1).float() / bins
        self.edges[-1] += 1e-6

    def forward(self, x, target):
        g = (x.sigmoid() - target).abs()
        weights, filled = torch.zeros_like(x), 0
        for i in range(self.bins):
            inside = (g >= self.edges[i]) & (g < self.edges[i + 1])
            count = inside.sum().item()
            if count > 0:
                weights[inside] = g.numel() / count
                filled += 1
        if filled > 0:
            weights = weights / filled
        return F.binary_cross_entropy_with_logits(x, target, weights)


class Entropy(nn.Module):
    """Labels that do not count are -1."""

    def forward(self, x, labels):
        labels = labels.masked_fill(labels == 0, -1)
        if (labels != -1).any():
            p = F.log_softmax(x, dim=1)
            return -p.gather(1, labels.clamp(min=0).unsqueeze(1)).mean()
        return x.sum() * 0


PROGRAMS = (
    (BalancedLoss, [(2, 6), (2, 6)]),
    (MaskedLoss, [(2, 6), (2, 6)]),
    (HardExamples, [(2, 6), (2, 6)]),
    (SmoothLoss, [(2, 6), (2, 6), (2, 6)]),
    (Quantised, [(2, 6)]),
    (FocalLoss, [(4, 3), (4, torch.int64)]),
    (Dice, [(2, 6), (2, 6)]),
    (Boxes, [(3, 4), (3, 4)]),
    (Triplets, [(4, 8), (4, torch.int64)]),
    (Buckets, [(2, 6), (2, 6)]),
    (Entropy, [(4, 3), (4, torch.int64)]),
)
