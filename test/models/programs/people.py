"""More of what programs of other people do; each model decides on its input."""

import torch
from torch import nn


class Base(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)
        self.layers = nn.ModuleList(nn.Linear(4, 4) for _ in range(3))


# ---- iterators that are kept


class Iterators(Base):
    """Each `next` has the item behind the last one; a loop goes over the rest."""

    def forward(self, x):
        parts = iter([x, x + 1, x + 2])
        first, second = next(parts), next(parts)
        layers = iter(self.layers)
        y = next(layers)(x)
        for layer in layers:
            y = layer(y).relu()
        numbered = enumerate([x, y, first, second], start=1)
        at, kept = next(numbered)
        pairs = zip([(2, x), (5, y)], [second, y], strict=False)
        (other, taken), _ = next(pairs)
        names = iter({"a": x, "b": y})
        texts = [next(names), next(names), next(names, None), next(names, "none")]
        if x.sum() > 0:
            return list(parts), kept * at, next(numbered)[1] * other
        return *parts, taken, texts, sum(n for (n, _), _ in pairs)


class ChangedUnderIterators(Base):
    """An iterator of a list goes over what is there when it gets there."""

    def forward(self, x):
        steps = [x]
        if x.sum() > 0:
            steps.append(x + 1)
        they = iter(steps)
        first = next(they)
        return first, list(they)


class FirstOfIterators(Base):
    """What goes over a list may begin with an item, if there is one."""

    def forward(self, x):
        losses = iter([x.sum() * i for i in range(1, 4)])
        try:
            number = 1
            total = next(losses)
        except StopIteration:
            return x
        for number, loss in enumerate(losses, 2):
            total = total + loss / number
        return total / number if x.sum() > 0 else total - number


def mean(losses, empty=0):
    losses = iter(losses)
    try:
        number = 1
        total = next(losses)
    except StopIteration:
        return empty
    for number, loss in enumerate(losses, 2):  # noqa: B007
        total += loss
    return total if number == 1 else total / number


class Generators(Base):
    """Expressions of which another function asks for one item after the other."""

    def loss(self, row, at):
        if row.sum() > 0:
            return self.layers[at](row).exp().sum()
        return row.sum() * at

    def forward(self, x):
        rows = torch.cat([x, -x])
        first = (row * at for at, row in enumerate(rows))
        losses = mean(self.loss(row, at) for row, at in zip(rows, [1, 2], strict=True))
        kept = x.clone()
        changed = mean(kept if i == 0 else kept * i for i in range(4))
        return next(first), losses, mean(row * 2 for row in first), changed, kept


class LateGenerator(Base):
    def forward(self, x):
        y = x
        found = (y * i for i in range(3))
        y = x + 1
        return list(found)


class MovedUnderIterators(Base):
    def forward(self, x):
        steps = [x, x * 2]
        they = iter(steps)
        first, second = next(they), next(they)
        steps.append(first + second)
        if x.sum() > 0:
            return next(they)
        return x


class AdvancedOnOneSide(Base):
    def forward(self, x):
        parts = iter([x, x + 1, x + 2])
        if x.sum() > 0:
            x = next(parts)
        return x + next(parts)


# ---- views of sizes that the input decides


class Views(Base):
    """`-1` beside a size that is counted: the number of rows, or another one."""

    def forward(self, x):
        above = torch.cat([x, x + 1, x * 2])
        above = above[above[:, 0] > -9]
        rows = int((x > 0).sum()) + 1
        found = torch.cat([above] * 4)[: rows * 2]
        pairs = found.view(rows, -1)
        parts = torch.reshape(found, (rows, 2, -1)) + 1, found.view(4, rows, -1)
        if x.sum() > 0:
            return pairs, *parts, above.view(above.size(0), -1), pairs.shape[1]
        return found.view(-1, rows).sum(0), found.view(2, -1, rows), pairs.sum(1)


# ---- weights that a call changes


class Masked(nn.Conv2d):
    """A convolution that sees what is above and to the left; its weights stay so."""

    def __init__(self):
        super().__init__(1, 2, 3, padding=1)
        self.register_buffer("mask", torch.ones_like(self.weight))
        self.mask[:, :, 1, 1:] = self.mask[:, :, 2:] = 0

    def forward(self, x):
        self.weight.data *= self.mask
        return super().forward(x)


class Normalised(nn.Linear):
    def forward(self, x):
        self.weight.data = self.weight.data / self.weight.data.norm(dim=1, keepdim=True)
        return super().forward(x)


class ChangedWeights(Base):
    """Modules of torch read them when they are called, as state of the network."""

    def __init__(self):
        super().__init__()
        self.masked, self.normal = Masked(), Normalised(4, 4)

    def forward(self, x):
        before = self.fc(x)
        if x.sum() > 0:
            self.fc.weight.data.mul_(0.5)
        y = self.masked(x.view(1, 1, 2, 2)).sum((0, 1)).view(1, 4)
        return before, self.fc(x), self.normal(y)


class ReadByOthers(Base):
    """A part of a module of torch, which reads the weights of the part by itself."""

    def __init__(self):
        super().__init__()
        self.attention = nn.MultiheadAttention(4, 1)

    def forward(self, x):
        self.attention.out_proj.weight.data *= 0.5
        return self.attention(x, x, x)[0]


# ---- tensors that get another shape


class ViewsInPlace(Base):
    """Tensors that nothing else is; what shares their memory keeps its shape."""

    def forward(self, x):
        y = self.fc(x)
        first = y[0]
        y.unsqueeze_(1)
        count = y.dim() + y.shape[0]
        if x.sum() > 0:
            y.squeeze_(0).t_()
            y += 1
            return y, first, count
        z = y.transpose(0, 2).unsqueeze_(-1)
        z.squeeze_()
        y.transpose_(1, 2)
        return z, y, count, first


class ViewsOfResults(Base):
    """Results that come as a tuple, each an object of its own, and pooled images."""

    def forward(self, x):
        y = self.fc(x)
        pooled = torch.nn.functional.avg_pool2d(y[None, None], y.shape)
        for _ in range(2):
            pooled.squeeze_(-1)
        largest = y.max(1)[0]
        largest.unsqueeze_(1)
        values, places = torch.sort(y, 1)
        values.t_()
        return (pooled, largest, values) if x.sum() > 0 else (places, values + 1)


class ViewOfOneItemTwice(Base):
    def forward(self, x):
        found = self.fc(x).max(1)
        values, same = found[0], found[0]
        values.unsqueeze_(0)
        return values, same


class ViewOfTwoNames(Base):
    def forward(self, x):
        y = self.fc(x)
        z = y.contiguous()
        z.unsqueeze_(0)
        return y, z


class ViewOnOneSide(Base):
    def forward(self, x):
        y = self.fc(x)
        if x.sum() > 0:
            y.squeeze_(0)
        return y


class DrawsBelowACount(Base):
    """Random numbers up to one that the input decides."""

    def forward(self, x):
        place = torch.randint(0, int((x > 0).sum()) + 1, ())
        return x[place]


PROGRAMS = (
    ViewsInPlace,
    ViewsOfResults,
    ChangedUnderIterators,
    ChangedWeights,
    FirstOfIterators,
    Generators,
    Iterators,
    Views,
)
REFUSED = {
    DrawsBelowACount: ("DY306", "draws random numbers", "torch.randint(0,"),
    LateGenerator: ("DY103", "not consumed where", "(y * i for i in range(3))"),
    ViewOfTwoNames: ("DY301", "who else has it is not known", "y.contiguous()"),
    ViewOfOneItemTwice: ("DY307", "is used afterwards", "values.unsqueeze_(0)"),
    ViewOnOneSide: ("DY301", "who else has it is not known", "self.fc(x)"),
    ReadByOthers: ("DY307", "a parameter or buffer", "out_proj.weight.data *= 0.5"),
    AdvancedOnOneSide: ("DY301", "how far an iterator", "iter([x, x + 1, x + 2])"),
    MovedUnderIterators: ("DY301", "how far an iterator", "next(they), next(they)"),
}
