"""Layers and networks as public repositories have them, some with decisions."""

import math
from collections import OrderedDict

import torch
from torch import nn
from torch.nn import functional as F


class Squeeze(nn.Module):
    """Channels weighed by what is in them."""

    def __init__(self, channels=4):
        super().__init__()
        self.pool = nn.AdaptiveAvgPool2d(1)
        self.fc = nn.Sequential(
            OrderedDict(
                down=nn.Linear(channels, 2), act=nn.ReLU(), up=nn.Linear(2, channels)
            )
        )

    def forward(self, x):
        b, c, *_ = x.size()
        gates = torch.sigmoid(self.fc(self.pool(x).view(b, c)))
        return x * gates.view(b, c, 1, 1).expand_as(x)


class Spatial(nn.Module):
    """Where to look."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(2, 1, 3, padding=1, bias=False)

    def forward(self, x):
        pooled = [torch.max(x, 1)[0].unsqueeze(1), torch.mean(x, 1).unsqueeze(1)]
        return x * F.sigmoid(self.conv(torch.cat(pooled, dim=1)))


class Dense(nn.Module):
    """Each layer sees all before it."""

    def __init__(self):
        super().__init__()
        for i in range(3):
            self.add_module("layer%d" % (i + 1), nn.Conv2d(4 + 2 * i, 2, 1))

    def forward(self, x):
        found = [x]
        for i in range(3):
            layer = getattr(self, f"layer{i + 1}")
            found.append(F.relu(layer(torch.cat(found, 1)), inplace=True))
        return torch.cat(found[1:], 1)


class Residual(nn.Module):
    """Skipped where it adds nothing."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(4, 4, 3, padding=1)
        self.norm = nn.BatchNorm2d(4)
        self.gate = nn.Linear(4, 1)

    def forward(self, x):
        if self.gate(x.mean((2, 3))).mean() <= 0:
            return x
        out = self.norm(self.conv(x))
        out += x
        return F.leaky_relu(out, 0.1)


class Exits(nn.Module):
    """Leaves as soon as it is sure."""

    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(8, 8) for _ in range(3))
        self.heads = nn.ModuleList(nn.Linear(8, 3) for _ in range(3))

    def forward(self, x):
        for i, (layer, head) in enumerate(zip(self.layers, self.heads)):
            x = torch.tanh(layer(x))
            p = F.softmax(4 * head(x), dim=-1)
            if p.max().item() > 0.6:
                return {"exit": i, "p": p}
        return {"exit": i, "p": p}


class Attention(nn.Module):
    """Several heads, and a mask of the future."""

    def __init__(self, width=8, heads=2):
        super().__init__()
        self.heads, self.size = heads, width // heads
        self.qkv = nn.Linear(width, 3 * width)
        self.register_buffer("mask", torch.tril(torch.ones(6, 6)).view(1, 1, 6, 6))

    def split(self, x):
        """Heads to the front."""
        shape = x.size()[:-1] + (self.heads, self.size)
        return x.view(*shape).permute(0, 2, 1, 3)

    def forward(self, x):
        q, k, v = map(self.split, self.qkv(x).chunk(3, dim=-1))
        scores = torch.matmul(q, k.transpose(-1, -2)) / math.sqrt(self.size)
        length = x.size(1)
        mask = self.mask[:, :, :length, :length]
        scores = scores.masked_fill(mask == 0, float("-inf"))
        out = scores.softmax(-1) @ v
        return out.permute(0, 2, 1, 3).contiguous().view(*x.shape)


class Experts(nn.Module):
    """Each row goes to one of them."""

    def __init__(self):
        super().__init__()
        self.gate = nn.Linear(4, 3)
        self.experts = nn.ModuleList(nn.Linear(4, 4) for _ in range(3))

    def forward(self, x):
        chosen = self.gate(x).argmax(-1)
        out = torch.zeros_like(x)
        for i, expert in enumerate(self.experts):
            rows = (chosen == i).nonzero().squeeze(1)
            if rows.numel() > 0:
                out[rows] = expert(x[rows])
        return out


class Greedy(nn.Module):
    """Words until the last one."""

    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(5, 8)
        self.cell = nn.GRUCell(8, 8)
        self.out = nn.Linear(8, 5)

    def forward(self, h):
        word, words = torch.zeros(1, dtype=torch.long), []
        for _ in range(6):
            h = self.cell(self.embed(word), h)
            word = self.out(h).argmax(-1)
            words.append(word)
            if word.item() == 2:
                break
        return torch.stack(words, 1)


class Memory(nn.Module):
    """What was seen before is kept."""

    def __init__(self):
        super().__init__()
        self.register_buffer("seen", torch.zeros(1, 4))

    def forward(self, x):
        if (x - self.seen).abs().sum() < 1:
            return self.seen
        self.seen = 0.5 * self.seen + 0.5 * x
        return self.seen


class Pyramid(nn.Module):
    """Pooled to sizes that follow from the input's."""

    def forward(self, x):
        h, w = x.shape[-2:]
        levels = [
            F.interpolate(
                F.adaptive_avg_pool2d(x, (h // n, w // n)), size=(h, w), mode="nearest"
            )
            for n in (1, 2, 4)
        ]
        return torch.cat(levels, 1)


class Nonlocal(nn.Module):
    """Every place looks at every other."""

    def __init__(self):
        super().__init__()
        self.theta, self.phi, self.g = (nn.Conv2d(4, 2, 1) for _ in range(3))
        self.w = nn.Conv2d(2, 4, 1)
        nn.init.constant_(self.w.weight, 0.1)

    def forward(self, x):
        n = x.size(0)
        theta = self.theta(x).view(n, 2, -1).permute(0, 2, 1)
        f = torch.matmul(theta, self.phi(x).view(n, 2, -1))
        y = torch.matmul(
            F.softmax(f, dim=-1), self.g(x).view(n, 2, -1).permute(0, 2, 1)
        )
        return self.w(y.permute(0, 2, 1).contiguous().view(n, 2, *x.size()[2:])) + x


class Halting(nn.Module):
    """Thinks until it is done."""

    def __init__(self):
        super().__init__()
        self.step, self.halt = nn.Linear(4, 4), nn.Linear(4, 1)

    def forward(self, x):
        total, steps = torch.zeros(x.size(0), 1), 0
        while (total < 1).any() and steps < 5:
            x = torch.tanh(self.step(x))
            total = total + torch.sigmoid(self.halt(x))
            steps += 1
        return x, steps


class Clipped(nn.Module):
    """Gives up on what is no number."""

    def forward(self, x):
        if torch.isnan(x).any():
            raise ValueError("not a number")
        norm = x.norm(p=2)
        if norm > 2:
            x = x * (2 / norm)
        return x


class Recurrent(nn.Module):
    """Two ways through a sequence."""

    def __init__(self):
        super().__init__()
        self.rnn = nn.LSTM(4, 6, bidirectional=True, batch_first=True)
        self.attend = nn.Linear(12, 1)

    def forward(self, x):
        out, (h, _) = self.rnn(x)
        weights = self.attend(out).squeeze(-1).softmax(1)
        return torch.bmm(weights.unsqueeze(1), out).squeeze(1), h[-1]


class Gate(nn.Module):
    """The number of a branch comes out of the data."""

    def __init__(self):
        super().__init__()
        self.branches = nn.ModuleDict({"a": nn.Linear(4, 4), "b": nn.Identity()})

    def forward(self, x):
        name = "a" if x.sum() > 0 else "b"
        return self.branches[name](x)


class Pixels(nn.Module):
    """Up by moving channels."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 4, 3, padding=1, padding_mode="reflect")

    def forward(self, x):
        return F.pixel_shuffle(F.gelu(self.conv(x)), 2)


class Positions(nn.Module):
    """Sines of where a word stands."""

    def __init__(self, width=8):
        super().__init__()
        place = torch.arange(0, 10).unsqueeze(1).float()
        div = torch.exp(torch.arange(0, width, 2).float() * -(math.log(1e4) / width))
        table = torch.zeros(10, width)
        table[:, 0::2], table[:, 1::2] = torch.sin(place * div), torch.cos(place * div)
        self.register_buffer("table", table.unsqueeze(0))

    def forward(self, x):
        return x * math.sqrt(x.size(-1)) + self.table[:, : x.size(1)]


class Lookup(nn.Module):
    """The nearest of some vectors."""

    def __init__(self):
        super().__init__()
        self.codes = nn.Embedding(5, 4)

    def forward(self, x):
        flat = x.reshape(-1, 4)
        d = (
            flat.pow(2).sum(1, keepdim=True)
            + self.codes.weight.pow(2).sum(1)
            - 2 * flat @ self.codes.weight.t()
        )
        index = torch.argmin(d, dim=1)
        found = F.one_hot(index, 5).type_as(flat) @ self.codes.weight
        used = torch.unique(index).numel()
        return found.view(x.shape), used > 1


class Windows(nn.Module):
    """Cut into windows, and put together."""

    def forward(self, x):
        b, h, w, c = x.shape
        x = torch.roll(x, shifts=(-1, -1), dims=(1, 2))
        x = x.view(b, h // 2, 2, w // 2, 2, c)
        x = x.permute(0, 1, 3, 2, 4, 5).contiguous().view(-1, 4, c)
        x = x - x.mean(1, keepdim=True)
        x = x.view(b, h // 2, w // 2, 2, 2, c).permute(0, 1, 3, 2, 4, 5)
        return torch.roll(x.contiguous().view(b, h, w, c), (1, 1), (1, 2))


PROGRAMS = (
    (Squeeze, [(2, 4, 4, 4)]),
    (Spatial, [(2, 4, 4, 4)]),
    (Dense, [(2, 4, 4, 4)]),
    (Residual, [(2, 4, 4, 4)]),
    (Exits, [(1, 8)]),
    (Attention, [(2, 5, 8)]),
    (Experts, [(4, 4)]),
    (Greedy, [(1, 8)]),
    (Memory, [(1, 4)]),
    (Pyramid, [(1, 2, 4, 4)]),
    (Nonlocal, [(2, 4, 3, 3)]),
    (Halting, [(2, 4)]),
    (Clipped, [(2, 4)]),
    (Recurrent, [(2, 3, 4)]),
    (Gate, [(2, 4)]),
    (Pixels, [(1, 1, 4, 4)]),
    (Positions, [(2, 5, 8)]),
    (Lookup, [(2, 3, 4)]),
    (Windows, [(1, 4, 4, 3)]),
)
