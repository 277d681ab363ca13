"""Networks for inputs of any size, each with its sizes and the inputs of some."""

from typing import ClassVar

import torch
from torch import nn
from torch.nn import functional as F

import dycl


class EarlyExit(nn.Module):
    """A batch of any size, also of none."""

    dynamic_shapes: ClassVar = {"x": {0: dycl.Dim("b", max=20)}}
    sizes: ClassVar = [(b,) for b in (0, 1, 2, 5, 6, 20)]

    def __init__(self):
        super().__init__()
        self.first, self.exit = nn.Linear(8, 8), nn.Linear(8, 4)
        self.last = nn.Linear(8, 4)

    @staticmethod
    def inputs(b):
        return (torch.randn(b, 8),)

    def forward(self, x):
        h = torch.relu(self.first(x))
        y = self.exit(h)
        if y.mean() > 0.0:
            return y
        if x.size(0) > 5:
            return self.last(h) * 2
        return self.last(h)


class Encoder(nn.Module):
    """A batch of texts: embedding, positions, attention; a decision on the length."""

    dynamic_shapes: ClassVar = {
        "ids": {0: dycl.Dim("b", min=1, max=8), 1: dycl.Dim("n", min=1, max=16)}
    }
    sizes: ClassVar = [(b, n) for b in (1, 2, 8) for n in (1, 2, 7, 8, 16)]

    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(30, 16)
        self.positions = nn.Parameter(torch.randn(16, 16))
        self.norm, self.parts = nn.LayerNorm(16), nn.Linear(16, 48)
        self.out, self.exit = nn.Linear(16, 16), nn.Linear(16, 3)
        self.head = nn.Linear(16, 3)

    @staticmethod
    def inputs(b, n):
        return (torch.randint(0, 30, (b, n)),)

    def forward(self, ids):
        b, n = ids.shape
        h = self.words(ids) + self.positions[:n]
        parts = self.parts(self.norm(h)).view(b, n, 3, 2, 8).permute(2, 0, 3, 1, 4)
        found = F.scaled_dot_product_attention(parts[0], parts[1], parts[2])
        h = h + self.out(found.transpose(1, 2).reshape(b, n, 16))
        y = self.exit(h.mean(1)).softmax(-1)
        if y.max() > 0.5:
            return y
        if n > 7:
            h = h[:, n // 2 :]
        return self.head(h[:, -1]).softmax(-1), h[:, ::2]


class Steps(nn.Module):
    """A loop over the steps of a sequence, which may end early."""

    dynamic_shapes: ClassVar = {"x": {1: dycl.Dim("n", max=9)}}
    sizes: ClassVar = [(n,) for n in (0, 1, 2, 5, 9)]

    def __init__(self):
        super().__init__()
        self.cell, self.out = nn.LSTMCell(6, 8), nn.Linear(8, 4)

    @staticmethod
    def inputs(n):
        return (torch.randn(2, n, 6) * 2,)

    def forward(self, x):
        h, c = x.new_zeros(2, 8), x.new_zeros(2, 8)
        for t in range(x.size(1)):
            h, c = self.cell(x[:, t], (h, c))
            if h.abs().max() > 0.65:
                return self.out(h) + 1
        return self.out(h)


class Recurrent(nn.Module):
    """torch's own recurrent layers, in both directions."""

    dynamic_shapes: ClassVar = {
        "x": (dycl.Dim("b", min=1), dycl.Dim("n", min=1, max=9), None)
    }
    sizes: ClassVar = [(b, n) for b in (1, 3) for n in (1, 2, 9)]

    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(6, 8, batch_first=True, bidirectional=True)
        self.gru = nn.GRU(16, 4, num_layers=2)

    @staticmethod
    def inputs(b, n):
        return (torch.randn(b, n, 6),)

    def forward(self, x):
        y, (h, _) = self.lstm(x)
        z, last = self.gru(y.transpose(0, 1))
        if z.mean() > -0.04:
            return z, h
        return last


class Images(nn.Module):
    """Images of any height and width: convolutions, pools, a mean over all."""

    dynamic_shapes: ClassVar = {
        "x": {
            0: dycl.Dim("b", min=1, max=4),
            2: dycl.Dim("h", min=8, max=32),
            3: dycl.Dim("w", min=8, max=32),
        }
    }
    sizes: ClassVar = [(b, h, w) for b in (1, 3) for h in (8, 9, 32) for w in (8, 23)]

    def __init__(self):
        super().__init__()
        self.first = nn.Conv2d(3, 8, 3, stride=2, padding=1)
        self.norm, self.same = nn.BatchNorm2d(8), nn.Conv2d(8, 8, 3, padding=1)
        self.less = nn.Conv2d(8, 8, 3)
        self.exit, self.head = nn.Linear(8, 5), nn.Linear(8, 5)

    @staticmethod
    def inputs(b, h, w):
        return (torch.randn(b, 3, h, w) * 3,)

    def forward(self, x):
        h = F.relu(self.norm(self.first(x)))
        y = self.exit(F.adaptive_avg_pool2d(h, 1).flatten(1)).softmax(-1)
        if y.max() > 0.398:
            return y
        h = F.max_pool2d(F.relu(self.same(h)) + h, 2)
        if h.shape[-1] > 4:
            h = F.pad(h, (1, 1, 1, 1))
            h = F.relu(self.less(h))
        return self.head(h.mean((2, 3)))


class Deep(nn.Module):
    """Residual blocks, depthwise ones among them, each of half the rows and columns."""

    dynamic_shapes: ClassVar = {
        "x": {2: dycl.Dim("h", min=1, max=300), 3: dycl.Dim("w", min=1, max=300)}
    }

    def __init__(self):
        super().__init__()
        self.first = nn.Conv2d(3, 16, 3, stride=2, padding=1)
        self.same = nn.Conv2d(16, 16, 3, padding=1)
        self.less = nn.ModuleList(
            nn.Conv2d(16, 16, 3, stride=2, padding=1, groups=groups)
            for groups in (1, 16, 1, 16)
        )
        self.mix = nn.Conv2d(16, 20, 1)

    @staticmethod
    def inputs(h, w):
        return (torch.randn(1, 3, h, w),)

    def forward(self, x):
        x = F.relu(self.first(x))
        for less in self.less:
            x = F.relu6(less(F.relu(x + self.same(x))))
        return self.mix(x).mean((2, 3))


class Decoder(nn.Module):
    """A greedy decoder over a memory of any length, with as many steps at most."""

    dynamic_shapes: ClassVar = {"memory": {1: dycl.Dim("n", min=1, max=12)}}
    sizes: ClassVar = [(n,) for n in (1, 2, 3, 5, 12)]

    def __init__(self):
        super().__init__()
        self.words, self.memory = nn.Embedding(6, 8), nn.Linear(8, 8)
        self.query, self.next = nn.Linear(8, 8), nn.Linear(16, 6)

    @staticmethod
    def inputs(n):
        return (torch.randn(1, n, 8) * 2,)

    def forward(self, memory):
        m = self.memory(memory)
        h, token, out = m.mean(1), torch.zeros(1, dtype=torch.long), []
        while len(out) < memory.size(1) + 2:
            q = self.query(self.words(token) + h)
            weights = (m @ q.unsqueeze(-1)).squeeze(-1).softmax(-1)
            h = torch.tanh((weights.unsqueeze(-1) * m).sum(1) + h)
            token = self.next(torch.cat([h, q], -1)).argmax(-1)
            out.append(token.item())
            if out[-1] == 3:
                break
        return torch.tensor(out)


class Sizes(nn.Module):
    """Two sizes that meet, in a dict; arithmetic on them; a tensor of sizes."""

    dynamic_shapes: ClassVar = {
        "batch": {"x": {0: dycl.Dim("n", max=9)}, "y": {1: dycl.Dim("m", max=9)}}
    }
    sizes: ClassVar = [(n, m) for n in (0, 1, 2, 9) for m in (0, 1, 3, 9)]

    @staticmethod
    def inputs(n, m):
        return ({"x": torch.randn(n, 3), "y": torch.randn(3, m)},)

    def forward(self, batch):
        x, y = batch["x"], batch["y"]
        n, m = len(x), y.shape[-1]
        z = x @ y
        if n >= m:
            z = z[: m // 2 + 1]
        elif (n + m) % 2:
            z = z.t()
        return z * 2, torch.full((n + 1, 2), float(m)), x.numel(), z.shape[0]


class Cached(nn.Module):
    """A step of a decoder over a cache of any length, under a mask that the sizes make.

    Two heads of queries share one of keys.
    """

    dynamic_shapes: ClassVar = {
        "x": {1: dycl.Dim("t", min=1, max=4)},
        **{name: {2: dycl.Dim("c", min=0, max=9)} for name in ("keys", "values")},
    }
    sizes: ClassVar = [(1, 0), (1, 9), (2, 3), (4, 0), (4, 1)]

    def __init__(self):
        super().__init__()
        self.mix = nn.Linear(8, 16)

    @staticmethod
    def inputs(t, c):
        return torch.randn(1, t, 8), torch.randn(1, 1, c, 4), torch.randn(1, 1, c, 4)

    def forward(self, x, keys, values):
        q, k, v = self.mix(x).split([8, 4, 4], -1)
        keys = torch.cat([keys, k.unsqueeze(1)], 2)
        values = torch.cat([values, v.unsqueeze(1)], 2)
        t, c = x.size(1), keys.size(2)
        mask = torch.ones(t, c, dtype=torch.bool).tril(c - t)
        y = F.scaled_dot_product_attention(
            q.view(1, t, 2, 4).transpose(1, 2), keys, values, mask, enable_gqa=True
        )
        if y.sum() > 0:
            y = torch.tanh(y)
        return y, keys, values


class FewSteps(nn.Module):
    """Layers whose outputs are collected in a list, and meet what has the batch's size,
    where the largest sizes are small."""

    dynamic_shapes: ClassVar = {
        "x": {0: dycl.Dim("b", min=1, max=3), 1: dycl.Dim("n", min=1, max=4)}
    }
    sizes: ClassVar = [(1, 1), (3, 1), (2, 4), (3, 4)]

    def __init__(self):
        super().__init__()
        self.layers = nn.GRU(4, 3, 2, batch_first=True, bidirectional=True)

    @staticmethod
    def inputs(b, n):
        return (torch.randn(b, n, 4),)

    def forward(self, x):
        y, last = self.layers(x)
        if last.sum() > 0:
            return x[x[:, 0, 0] > -9] + y[..., :4]
        return last


class Chunks(nn.Module):
    """Attention in chunks of four: padded, cut, joined with the chunk before, cut back.

    Fewer than four rows are one chunk, and the sizes of chunks meet as expressions.
    """

    dynamic_shapes: ClassVar = {
        "x": {0: dycl.Dim("b", min=1, max=3), 1: dycl.Dim("n", min=1, max=9)}
    }
    sizes: ClassVar = [(1, 1), (2, 4), (1, 7), (3, 9)]

    def __init__(self):
        super().__init__()
        self.mix = nn.Linear(6, 12)

    @staticmethod
    def inputs(b, n):
        return (torch.randn(b, n, 6),)

    def forward(self, x):
        b, n, _ = x.shape
        x = F.pad(x, (0, 0, 0, -n % 4))
        q, k, v = self.mix(x).reshape(b, -1, 4, 3, 4).unbind(3)
        k = torch.cat([F.pad(k, (0, 0, 0, 0, 1, 0))[:, :-1], k], 2)
        v = torch.cat([F.pad(v, (0, 0, 0, 0, 1, 0))[:, :-1], v], 2)
        y = (q @ k.transpose(-1, -2)).softmax(-1) @ v
        y = y.reshape(b, -1, 4)[:, :n]
        return y if x.sum() > 0 else y * 2


class Picked(nn.Module):
    """Items at numbers of the data, beside fixed ones, and from the end."""

    dynamic_shapes: ClassVar = {
        name: {0: dycl.Dim("b", min=1, max=4)} for name in ("x", "lengths")
    }
    sizes: ClassVar = [(1,), (2,), (4,)]

    @staticmethod
    def inputs(b):
        return torch.randn(b, 5, 3), torch.randint(0, 5, (b,))

    def forward(self, x, lengths):
        k = int(lengths[0])
        first = x[0, k]
        if first.sum() > 0:
            return first, x[None, -1, k, 1], x.select(1, k)
        return first, x[-1, :k], x[0, k:, 2]


def causal(row, at, of):
    return of <= at


def within(parts):
    def inner(row, at, of):
        return parts[row, at] == parts[row, of]

    return inner


def all_of(*functions):
    def inner(row, at, of):
        result = of.new_ones((), dtype=torch.bool)
        for function in functions:
            result = result & function(row, at, of)
        return result

    return inner


class Masked(nn.Module):
    """The data chooses the function of a mask; one of them holds tensors."""

    dynamic_shapes: ClassVar = {"positions": {1: dycl.Dim("n", min=2, max=16)}}
    sizes: ClassVar = [(2,), (3,), (16,), (7,)]

    @staticmethod
    def inputs(n):
        steps = torch.randint(1, 3, (2, n)) if torch.rand(()) > 0.5 else 1
        return ((torch.ones(2, n, dtype=torch.long) * steps).cumsum(-1),)

    def forward(self, positions):
        if len(positions.shape) != 2 or len(positions.size()[1:]) > 1:
            return positions
        parts = (torch.diff(positions, dim=1) != 1).cumsum(-1)
        mask = causal
        if (parts[:, -1] != 0).any():
            mask = all_of(causal, within(parts))
        row, at = torch.arange(2)[:, None, None], torch.arange(parts.shape[1])
        allowed = mask(row, at[None, :, None], at[None, None, :]).expand(2, -1, -1)
        weights = torch.where(allowed, 0.0, -1e4) + positions[:, None, 1:]
        return weights.softmax(-1).reshape(*weights.shape[:-2], -1)


PROGRAMS = (
    *(EarlyExit, Encoder, Steps, Recurrent, Images, Decoder, Sizes),
    *(Cached, FewSteps, Chunks, Picked, Masked),
)


class Exported(nn.Module):
    """For torch.export: a decision by `torch.cond`, on sizes that are equal."""

    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    @staticmethod
    def inputs(n):
        return torch.randn(n, 4), torch.randn(4, n)

    def forward(self, x, y):
        h = self.fc(x)
        h = h + x.size(0) / 100
        return torch.cond(
            h.mean() > 0.1, lambda h, y: h @ y, lambda h, y: (h * 2) @ y, (h, y)
        )


class Positions(nn.Module):
    """A size that an op fixes, and another that it bounds."""

    def __init__(self):
        super().__init__()
        self.positions = nn.Parameter(torch.randn(16, 4))

    def forward(self, x, y):
        z = x + self.positions
        if y.size(0) > 30:
            return z
        return z, y.view(-1, 4), y[:5] + x[:5, 0]


CONSTRAINTS = {
    (16, 16): None,
    (1, 16): "`n` must be 16",
    (15, 16): "`n` must be 16",
    (16, 32): None,
    (16, 13): "`m` must be a multiple of 4",
    (16, 4): "`Min(5, m)` must be `Min(5, n)`",
}
