"""Operations, modules and dtypes: name -> (what makes the model, its inputs).

Each model decides once by the sum of its input, and every dtype has both signs.
"""

import torch
from torch import nn
from torch.nn import functional as F


def tensors(*shape, dtype=torch.float32, count=4):
    """Inputs of one shape, the first positive and the second negative."""
    generator = torch.Generator().manual_seed(len(shape) + sum(shape))
    found = [torch.randn(shape, generator=generator) for _ in range(count)]
    found[0], found[1] = found[0].abs(), -found[1].abs()
    if not dtype.is_floating_point:
        found = [x * 40 for x in found]
    return [(x.to(dtype),) for x in found]


SCALARS = [(torch.tensor(v),) for v in (1.0, -1.0, 0.0)]
SEQUENCE = tensors(2, 6, 8)
IMAGE = tensors(1, 3, 8, 8)


class Decides(nn.Module):
    """`inner` on one side, and on the other with a shift."""

    def __init__(self, inner):
        super().__init__()
        self.inner = inner

    def forward(self, x):
        if x.sum() > 0:
            return self.inner(x)
        return self.inner(x * 0.5)


def warped(x):
    """Points between the pixels, on them, and outside of the image."""
    points = torch.linspace(-1.3, 1.3, 12).reshape(1, 2, 3, 2).to(x.dtype)
    found = []
    for corners in (True, False):
        for padding in ("zeros", "border", "reflection"):
            for mode in ("bilinear", "nearest"):
                found.append(F.grid_sample(x, points, mode, padding, corners))
    return torch.cat(found)


def grids(x):
    """Grids of three and of one, in both orders, of a scalar too."""
    a, b, c = torch.meshgrid(x.new_ones(2), torch.arange(3.0), x, indexing="xy")
    d, e = torch.meshgrid([x[0], x[:3]], indexing="ij")
    return a * b + c, d, e


def of_data(x):
    """`y.data` is y: what is written to it is seen."""
    y = x.clone()
    y.data.add_(1)
    z = y.data
    z[0] = 5
    return y, z


def bounds(x):
    """One bound, of another dtype and shape, of truths too."""
    low, flags = x[0].double(), x > 0.5
    return (
        torch.clamp_min(x, low),
        torch.clamp_max(x.long(), low.long()),
        torch.clamp_min(x.long(), 0.5),
        torch.clamp_min(flags, x < 1),
        torch.maximum(flags, x < 1),
        torch.minimum(flags, x < 1),
    )


def one_image(x):
    """Convolutions and pools without a batch."""
    row, weights = x[0], torch.ones(2, 3, 3, 3)
    return (
        F.conv1d(row, torch.ones(2, 8, 3), padding="same"),
        F.conv2d(x, weights, stride=2),
        F.conv_transpose2d(x, torch.ones(3, 2, 3, 3), stride=2),
        F.max_pool2d(x, 2),
        F.avg_pool1d(row, 2),
        F.adaptive_avg_pool1d(row, 1),
        F.adaptive_avg_pool2d(x, 3),
    )


def places(x):
    """A scalar that is not zero has one place."""
    return torch.nonzero(x, as_tuple=True), torch.nonzero(x - x, as_tuple=True)


class Scales(nn.Module):
    """A linear layer times a number of the input, of one type on each side."""

    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(8, 8)

    def forward(self, x):
        factor = int(x.max() * 3) if x.sum() > 0 else float(x.min())
        return self.linear(x) * factor


class Alone(nn.Module):
    """A function that decides itself."""

    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, x):
        return self.function(x)


class Function(nn.Module):
    """A function, and something else to decide about."""

    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, x):
        if x.sum() > 0:
            return self.function(x)
        return x


def two_sums(x):
    """One `fill` for several sums: each keeps its own memory."""
    counts = (x > 0).sum(), (x < 1).sum(), torch.count_nonzero(x)
    return counts, x.sum(), (x + 1).sum(), (x * 2).sum(0), x.sum(0), (x + 3).sum(0)


def one_source_two_updates(x):
    y = x + 1
    index = torch.zeros(2, 1, 8, dtype=torch.long)
    first, second = y.scatter(1, index, 5.0), y.scatter(1, index + 1, 7.0)
    z = torch.zeros(6, 6)
    a, b = x[0] @ x[1].T, torch.addmm(z, x[0], x[0].T)
    return first, second, z, a, b, z + 1, torch.addmm(a, x[0], x[1].T)


def nan_and_infinity(x):
    inf, nan = x / 0, (x * 0) / 0
    shown = inf, inf.max(), nan.max(), torch.max(x, nan), nan.argmax()
    return shown, nan.clamp(0, 1), F.relu(nan), nan.softmax(1), nan > 0, nan != nan


def selections(x):
    values, indices = x.max(dim=1)
    ordered, order = x.sort(dim=-1, descending=True)
    kept, which = torch.sort(x.round(), dim=1, stable=True)
    stays = kept, which, x.round().argsort(dim=0, stable=True)
    top, _ = torch.topk(x, 3, dim=-1)
    gathered = x.gather(1, indices.unsqueeze(1))
    cut = list(x.split([2, 4], dim=1))
    cut.reverse()
    parts = cut[0] * 2, tuple(cut), x.chunk(2, -1)
    chosen = torch.where(x > 0, 1.0, x), x[:, [0, 2]], x[0, -1], x[None, ..., ::3]
    wide = x[0, 0][(...,) + (None,) * 2], x[0][(*[None] * (x.dim() - 2), Ellipsis)]
    return values, indices, ordered, order, stays, top, gathered, parts, chosen, wide


def numbers(x):
    whole = (x * 3).long()
    rounded = x.round(), x.trunc(), x // 0.3, x % 0.3, x.remainder(-0.3)
    return rounded, whole // 2, whole % 2, -whole, whole / 3, x.cumsum(1), x.var(1)


def products(x):
    kept = torch.einsum("bij,bkj->bik", x, x), torch.bmm(x, x.mT), x[0] @ x[1].T
    return kept, x.norm(dim=1), F.normalize(x, dim=-1), x.std()


def attentions(x):
    """Masks that broadcast, of bits and of numbers; one query looks at no key."""
    q, reach = x.view(2, 1, *x.shape[1:]), torch.ones(x.shape[1], x.shape[1])
    bits = reach.tril(-1) > 0
    low = torch.zeros_like(reach).masked_fill(bits, torch.finfo(x.dtype).min)
    scores = q @ q.transpose(-1, -2) / 3
    one = F.scaled_dot_product_attention(q, q, q, attn_mask=bits)
    many = torch.cat([q, q, -q], 2)
    whole = F.scaled_dot_product_attention(many, q, q, scale=0.3)
    filled = scores.masked_fill(bits, -1e9).softmax(-1) @ q
    return one, whole, F.scaled_dot_product_attention(q, q, q, attn_mask=low), filled


def logarithms_of_sums(x):
    """torch-mlir has no lowering for these."""
    low = torch.full_like(x, -float("inf"))
    one = torch.logsumexp(x, 1), torch.logsumexp(x, (0, -1), keepdim=True)
    return one, low.logsumexp(2), torch.cat([x, -low], 1).logsumexp((1, 2))


def truth_tables(x):
    """A bool is no number of the dialect."""
    b = x > 0
    return b & True, b & False


def layouts(x):
    y = x[:1].expand(3, -1, -1), x.permute(2, 0, 1).contiguous(), x.flatten(1)
    return y, F.pad(x, (1, 0, 0, 1), value=3.0), x.roll(1, 1), x.flip(2), x.tril()


def integers(x):
    sums = x.sum(), x.float().mean(), x.max(), x.argmax(), x.cumsum(0)
    return sums, x // 7, x % 7, x / 3, x + 1.5, x >> 1, x & 3, -x, x.abs()


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.qkv = nn.Linear(8, 24)

    def forward(self, x):
        b, t, c = x.shape
        parts = self.qkv(x).chunk(3, dim=-1)
        q, k, v = [parts[i].view(b, t, 2, 4).transpose(1, 2) for i in range(3)]
        if x.sum() > 0:
            y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
            return y.transpose(1, 2).reshape(b, t, c)
        mask = torch.tril(torch.ones(t, t))
        weights = (q @ k.transpose(-2, -1)) * 0.5
        weights = weights.masked_fill(mask == 0, float("-inf")).softmax(-1)
        return (weights @ v).transpose(1, 2).contiguous().view(b, t, c)


class Cells(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm, self.gru = nn.LSTMCell(8, 5), nn.GRUCell(5, 5)

    def forward(self, x):
        h, c = torch.zeros(2, 5), torch.zeros(2, 5)
        for t in range(3):
            h, c = self.lstm(x[:, t], (h, c))
            h = self.gru(h)
        if x.sum() > 0:
            return h
        return h, c


class Recurrent(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(8, 5, batch_first=True)

    def forward(self, x):
        out, (h, c) = self.lstm(x)
        if x.sum() > 0:
            return out[:, -1]
        return h[0] + c[0]


class Tokens(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(10, 4)

    def forward(self, x):
        if (x == 3).any():
            return self.table(x), F.one_hot(x, 10)
        return self.table(torch.arange(x.shape[1]))


class Bytes(nn.Module):
    def forward(self, x):
        x = x.float() / 255
        if x.mean() > 0.5:
            return x
        return -x


class Flags(nn.Module):
    def forward(self, x):
        if x.all():
            return ~x
        if x[2]:
            return x.sum()
        if x[2] | x[3]:
            return x & x
        return x.float()


class Scalars(nn.Module):
    def forward(self, x, y, s, f):
        if s > 0:
            x = x * s
        if f < 0:
            x = x + f
        if s == 3 or f == 0.25:
            return x + y, s
        return x - y * f, s + 1, f * s


class ZeroDimensional(nn.Module):
    def forward(self, x):
        if x > 0:
            return x * 2
        if x:
            return x.abs()
        return x.item() + 1, x.unsqueeze(0)


class Rows(nn.Module):
    def forward(self, x):
        positive = x.mean(1) > 0
        if positive.any():
            x = x + 1
        if positive.all():
            x = x * 3
        if positive.sum() >= 3:
            x = x - 1
        return torch.where(positive.unsqueeze(1), x, -x), x.argmax(1), positive


def bits(*rows):
    """Boolean inputs, written as 0 and 1."""
    return [(torch.tensor([digit == "1" for digit in row]),) for row in rows]


def modules(*made):
    """A list of equal-shaped modules as one: their results as a tuple."""

    class Several(nn.Module):
        def __init__(self):
            super().__init__()
            self.all = nn.ModuleList(made)

        def forward(self, x):
            return [module(x) for module in self.all]

    return Decides(Several())


ONES = [(torch.ones(1, 4), torch.ones(1, 4), s, f) for s, f in [(2, 0.5), (-1, 0.25)]]
ONES += [(torch.ones(1, 4), torch.ones(1, 4), s, f) for s, f in [(3, -2.0), (0, 1.0)]]


def bits_and_shifts(x):
    a, flags = (x * 3).long(), x > 0
    b, c = (x * 5).int(), (x * 20).to(torch.int8)
    d = a.clone()
    d |= 1
    d ^= b
    d <<= 2
    flags &= x < 1
    flags ^= True
    # Shifts by less than nothing, and by all bits that there are.
    shifted = a << b, a >> b, b << 40, c >> 9, 5 << a, -5 >> a
    return a | 1, 6 & a, b ^ 3, a | b, a & c, flags | 2, a ^ True, c | 1, d, shifted


FUNCTIONS = [two_sums, one_source_two_updates, nan_and_infinity, selections]
FUNCTIONS += [numbers, products, layouts, logarithms_of_sums, truth_tables]
FUNCTIONS += [bits_and_shifts, attentions]

SIGNS = [(torch.tensor([[1.0, 2.0]]),), (torch.tensor([[-1.0, -2.0]]),)]


def shrinks(x):
    """A NaN stays one; a number between the bounds leaves its sign to a zero."""
    y = F.softshrink(x), F.hardshrink(x, 0.3), F.threshold(x, 0.1, 3.0), F.selu(x)
    return (x if x.isnan().any() else -x), *y, F.threshold_(x * 1, 0.1, -0.5)


def zeros_with_a_sign(x):
    """A quotient shows it: relu and elu keep -0.0."""
    zero = torch.tensor(-0.0)
    if x.sum() > 0:
        zero = x * 0
    return 1 / torch.relu(zero), 1 / F.elu(zero), 1 / torch.relu(-x * 0)


def halves_and_numbers(x):
    """A factor of half floats is not rounded to one; a summand is."""
    h = x.half()
    if (h * 0.1).sum() > 0.1:
        return h - 0.1, 0.3 - h, h * torch.tensor(0.1)
    return h + 0.1, h / 0.3, h.clone().add_(0.1), h.clone().mul_(0.7), h * 0.1


def integers_and_floats(x):
    """Compared as float32, in which 2**24 + 1 is 2**24; of literals, too."""
    large = x.long() + 2**24 + 1
    known = torch.tensor(2**24 + 1) == 2.0**24, torch.tensor([1, 2]) > 1.5
    if (large > 2.0**24 + 0.5).any():
        return large == 2.0**24, *known
    return x.long() > 0.5, *known


def literal_bytes(x):
    """They stay bytes without a sign when they are computed with."""
    high = -torch.tensor([1, 6], dtype=torch.uint8)
    if x.sum() > 0:
        return high, torch.tensor([300.0]).to(torch.int64).to(torch.uint8)
    return high[x.argmax() % 2], high.float() * 2


PROGRAMS = {
    "scaled by a number": (Scales, SEQUENCE),
    **{f.__name__: (lambda f=f: Function(f), SEQUENCE) for f in FUNCTIONS},
    "uneven pools": (
        lambda: modules(
            *map(nn.AdaptiveAvgPool2d, ((3, 3), (4, 3), 16, 1)),
            nn.AdaptiveMaxPool2d(4),
        ),
        IMAGE,
    ),
    "pools": (
        lambda: modules(
            nn.AvgPool2d(3, 2, 1, ceil_mode=True),
            nn.AvgPool2d(3, 2, 1, count_include_pad=False),
            nn.MaxPool2d(3, 2, ceil_mode=True),
            nn.MaxPool2d(2, 1, 0, dilation=2),
        ),
        IMAGE,
    ),
    "image norms": (
        lambda: modules(
            nn.InstanceNorm2d(3),
            nn.InstanceNorm2d(3, affine=True, track_running_stats=True),
            nn.BatchNorm2d(3),
            nn.GroupNorm(3, 3),
        ),
        IMAGE,
    ),
    "upsampling": (
        lambda: modules(
            nn.Upsample(size=(5, 11), mode="bilinear"),
            nn.Upsample(scale_factor=2, mode="bilinear", align_corners=True),
            nn.Upsample(scale_factor=2),
        ),
        IMAGE,
    ),
    "convolutions": (
        lambda: modules(
            nn.Conv2d(3, 6, 3, groups=3, dilation=2, bias=False),
            nn.Conv2d(3, 4, 3, padding=1, padding_mode="reflect"),
            nn.ConvTranspose2d(3, 5, 3, stride=2, padding=1, output_padding=1),
            nn.Sequential(nn.Conv2d(3, 4, 1), nn.PixelShuffle(2)),
        ),
        IMAGE,
    ),
    "activations": (
        lambda: modules(
            *(nn.GELU(), nn.GELU(approximate="tanh"), nn.SiLU(), nn.Mish()),
            *(nn.Softplus(2, 1.0), nn.ELU(), nn.PReLU(), nn.Hardswish()),
            *(nn.LayerNorm(8), nn.LogSoftmax(-1), nn.RMSNorm(8), nn.GLU()),
            *(nn.BatchNorm1d(6), nn.Dropout(0.5), nn.LeakyReLU(0.1), nn.ReLU6()),
        ),
        SEQUENCE,
    ),
    "transformer": (
        lambda: Decides(nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)),
        SEQUENCE,
    ),
    "attention": (Attention, SEQUENCE),
    "cells": (Cells, SEQUENCE),
    "recurrent": (Recurrent, SEQUENCE),
    "tokens": (
        Tokens,
        [(torch.arange(5).view(1, 5),), (torch.full((1, 5), 7),)],
    ),
    "int32": (lambda: Function(integers), tensors(2, 3, dtype=torch.int32)),
    "int64": (lambda: Function(integers), tensors(2, 3, dtype=torch.int64)),
    "float64": (lambda: Function(two_sums), tensors(2, 6, dtype=torch.float64)),
    "uint8": (
        Bytes,
        [(torch.full((2, 3), v, dtype=torch.uint8),) for v in (0, 127, 128, 255)],
    ),
    "bool": (Flags, bits("1111", "1010", "1001", "1000")),
    "grid sample": (lambda: Function(warped), IMAGE),
    "grids": (lambda: Function(grids), tensors(4)),
    "data": (lambda: Function(of_data), tensors(2, 3)),
    "one image": (lambda: Function(one_image), tensors(3, 8, 8)),
    "bounds": (lambda: Function(bounds), tensors(2, 3)),
    "places of a scalar": (lambda: Function(places), SCALARS),
    "numbers as inputs": (Scalars, ONES),
    "zero-dimensional": (ZeroDimensional, SCALARS),
    "batch": (Rows, tensors(5, 4, count=12)),
    "top-level sequential": (
        lambda: nn.Sequential(nn.Linear(8, 4), nn.ReLU()),
        SEQUENCE,
    ),
    "shrinks": (
        lambda: Alone(shrinks),
        [
            (torch.tensor([[0.7, -1.3, 2.0, -0.25]]),),
            (torch.tensor([[float("nan"), -0.0, float("inf"), -3.5]]),),
        ],
    ),
    "zeros with a sign": (lambda: Alone(zeros_with_a_sign), SIGNS),
    "halves and numbers": (
        lambda: Alone(halves_and_numbers),
        [
            (torch.tensor([[0.0, -0.0, 1.5, 3.0]]),),
            (torch.tensor([[-1.5, 0.7, -0.2, 0.3]]),),
        ],
    ),
    "integers and floats": (
        lambda: Alone(integers_and_floats),
        [(torch.tensor([[0.0, 1.0]]),), (torch.tensor([[-1.0, -7.0]]),)],
    ),
    "literal bytes": (lambda: Alone(literal_bytes), SIGNS),
}
