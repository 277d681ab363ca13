"""Slices of lists of layers, tensors and numbers, by ints that the data decides."""

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(4, 4) for _ in range(3))
        sizes = ((4, 4), (4, 6), (6, 4))
        self.wider = nn.ModuleList(nn.Linear(a, b) for a, b in sizes)

    def depth(self, x):
        return int(x.argmax()) * 2 - 3  # -3 to 3


class Depth(Net):
    """As many layers as the data says, the rest, and some in between."""

    def forward(self, x):
        n = self.depth(x)
        y = x
        for i, layer in enumerate(self.layers[:n]):
            y = torch.relu(layer(y)) + i
        for layer in self.layers[n:]:
            x = layer(x)
        for layer in self.layers[n:2]:
            y = layer(y)
            if y.sum() > 1:
                break
        else:
            y = y + 10
        return x, y


class Widths(Net):
    """Layers behind which the shape is another one; a tensor as the bound."""

    def forward(self, x):
        y = x
        for layer in self.wider[: self.depth(x)]:
            y = layer(y)
        for layer, k in zip(self.layers[: x.argmax()], (2, 3, 4)):  # noqa: B905
            x = layer(x) * k
        return x, y.sum()


class Values(Net):
    """Of tensors and of numbers: lists, of which one is added to another."""

    def forward(self, x):
        n = self.depth(x)
        tensors = [layer(x) for layer in self.layers]
        numbers = [1, n, int(x.sum())]
        total = sum(t * k for t, k in zip(tensors[:n], numbers))  # noqa: B905
        some, rest = numbers[:n], numbers[n:]
        while len(some) < 4:
            some += numbers[: n % 3]
            some.append(5)
        return total, some, rest, len(tensors[:n])


class Drafted(Net):
    """Of a draft as many tokens are taken as a check agrees with."""

    def forward(self, x):
        tokens = [int(x.argmax())]
        while len(tokens) < 6:
            draft, last = [], tokens[-1]
            for layer in self.layers:
                last = int(layer(x * (last - 1)).argmax())
                draft.append(last)
            n = 0
            for token in draft:
                if int((x * token).argmax()) != n:
                    break
                n += 1
            tokens += draft[:n]
            tokens.append(n)
        return torch.tensor(tokens)


class Suppressed(Net):
    """What is left of a tensor is cut at places that are tensors themselves."""

    def forward(self, x):
        x, left, found = x[0] - 1, torch.arange(4), []
        while left.numel() > 0:
            place = x[left].argmax()
            if x[left[place]] < -0.5:
                break
            found.append(left[place])
            left = torch.cat([left[:place], left[place + 1 :]])
            x = x - 0.25
        return torch.stack(found) if found else left[left.numel() :]


PROGRAMS = (Depth, Widths, Values, Drafted, Suppressed)
